"""What the server prints, at any level, holds no secret; at info and above it holds no place either.

A day of every kind of traffic, good and bad, is played against a real server; then all it printed is searched.
"""

import base64
import gzip
import json
import signal
import socket
from urllib.parse import quote, urlsplit

import pytest

from muster_process import MusterProcess, admin_password, run
from native_api import NativeApi, box, collection, fix, now, polygon
from owntracks_phone import Phone, location, sealed

encryption_key = "hush-7f3a91-secretbox"
password, new_password, wrong_password = "correct-horse-41-battery", "better-horse-77-staple", "guessed-horse-13-lock"
wrong_token = "md_notatokenbutsomebodystriedone0123456789"
# Every place that is told, each by numbers that nothing else has.
places = {
    "native": (47.376912, 8.541734), "lines": (46.948093, 7.447447), "zipped": (45.815011, 15.981919),
    "owntracks": (48.208174, 16.373819), "sealed": (50.087451, 14.420671), "waypoint": (43.618881, 5.447812),
    "transition": (41.385063, 2.173404), "malformed": (59.913869, 10.752245), "cut": (60.169857, 24.938379),
    "wrong type": (55.676097, 12.568337), "off the globe": (97.123471, 188.654321), "foreign": (38.722252, -9.139337),
    "refused": (53.349805, -6.260310), "bare": (64.126521, -21.817439),
}
regions = [(12.483312, 41.892917), (12.497731, 41.902783)]
bad_region = (29.924417, 31.208853)


class Scene:
    """Plays the traffic, and remembers each secret that went over the wire."""

    def __init__(self, server):
        self.server = server
        self.admin = server.admin()
        self.secrets = {admin_password, password, new_password, wrong_password, wrong_token, encryption_key}
        self.secrets |= {self.admin.token, json.loads((server.data / "control.json").read_text())["key"]}
        self.admin.make_team("north")
        self.admin.ok("POST", "/users", {"name": "ann", "role": "member", "team": "north", "password": password})
        self.device = self.admin.make_device("ann")
        self.secrets.add(self.device.token)
        self.phone = Phone(server, "ann", self.device.token)

    def play(self):
        self.sign_in()
        self.keep_keys()
        self.report()
        self.report_from_apps()
        self.draw_regions()
        self.send_what_nobody_should()
        self.export()
        self.fill_the_disk()

    def sign_in(self):
        nobody = NativeApi(self.server.address)
        session = nobody.ok("POST", "/session", {"name": "ann", "password": password})
        renewed = nobody.ok("POST", "/session/refresh", {"refreshToken": session["refreshToken"]})
        latest = nobody.ok("POST", "/session/refresh", {"refreshToken": renewed["refreshToken"]})
        for tokens in (session, renewed, latest):
            self.secrets |= {tokens["accessToken"], tokens["refreshToken"], tokens["accessToken"].split(".")[2]}
        # A token that is older than the one before ends its session.
        nobody.refused(401, "POST", "/session/refresh", {"refreshToken": session["refreshToken"]})
        for name, guess in (("ann", wrong_password), ("nobody", wrong_password), (wrong_password, "x")):
            nobody.refused(401, "POST", "/session", {"name": name, "password": guess})
        nobody.send("POST", "/session", raw=f'{{"name":"ann","password":"{password}"')
        nobody.send("POST", "/session", {"name": "ann", "password": [password]})
        NativeApi(self.server.address, renewed["accessToken"]).send(
            "PUT", "/users/ann/password", {"password": new_password, "currentPassword": wrong_password})
        self.admin.ok("PUT", "/users/ann/password", {
            "password": new_password, "keep": ["api-keys", "aws-keys", "device-tokens"]})
        for scheme in ("Basic", "Bearer", "Digest"):
            for text in (f"ann:{new_password}", f"ann:{wrong_password}", wrong_token, "%%%"):
                shown = base64.b64encode(text.encode()).decode()
                self.secrets.add(shown)
                nobody.send("GET", "/session", headers={"Authorization": f"{scheme} {shown}"})
        NativeApi(self.server.address, wrong_token).refused(401, "GET", "/positions")

    def keep_keys(self):
        key = self.admin.ok("POST", "/keys", {"label": "to be revoked"})
        self.secrets.add(key["key"])
        holder = NativeApi(self.server.address, key["key"])
        holder.ok("GET", "/session")
        self.admin.ok("DELETE", f"/keys/{key['id']}")
        holder.refused(401, "GET", "/session")
        self.admin.ok("PUT", "/users/ann/devices/phone/encryption-key", {"key": encryption_key})
        self.admin.send("PUT", "/users/ann/devices/phone/encryption-key", {"key": encryption_key * 9})
        self.admin.send("PUT", "/users/ann/devices/none/encryption-key", {"key": encryption_key})

    def report(self):
        report = self.device.ok
        report("POST", "/positions", fix(*places["native"], now() - 9000, attributes={"note": "at home"}))
        report("POST", "/positions", raw=json.dumps(fix(*places["lines"], now() - 8000)) + "\n",
               headers={"Content-Type": "application/x-ndjson"})
        report("POST", "/positions", raw=gzip.compress(json.dumps([fix(*places["zipped"], now() - 7000)]).encode()),
               headers={"Content-Encoding": "gzip", "Content-Type": "application/json"})

    def report_from_apps(self):
        latitude, longitude = places["owntracks"]
        self.phone.tell(location(lat=latitude, lon=longitude))
        self.secrets.add(self.phone.headers["Authorization"].split()[1])
        latitude, longitude = places["sealed"]
        message = sealed(location(lat=latitude, lon=longitude), encryption_key)
        self.phone.tell(message)
        self.phone.tell(sealed(location(lat=latitude, lon=longitude), "another key"))
        latitude, longitude = places["waypoint"]
        self.phone.tell(
            {"_type": "waypoint", "desc": "x", "lat": latitude, "lon": longitude, "rid": "x", "tst": 1704067200})
        latitude, longitude = places["transition"]
        self.phone.tell(
            {"_type": "transition", "event": "enter", "lat": latitude, "lon": longitude, "tst": now() // 1000})
        latitude, longitude = places["foreign"]
        for user, secret in (("ann", wrong_token), ("ann", wrong_password), ("nobody", wrong_password)):
            stranger = Phone(self.server, user, secret)
            self.secrets.add(stranger.headers["Authorization"].split()[1])
            assert stranger.post(location(lat=latitude, lon=longitude))[0] == 503
        other = self.admin.make_device("ann", "tablet")
        self.secrets.add(other.token)
        assert Phone(self.server, "ann", other.token).post(message)[0] == 503

    def draw_regions(self):
        yard = polygon("yard", box(*regions[0], *regions[1]))
        self.admin.ok("POST", "/collections/north/regions", collection([yard]))
        bow = polygon("bow", [bad_region, (30.9, 32.9), (30.9, bad_region[1]), (bad_region[0], 32.9)])
        self.admin.refused(422, "POST", "/collections/north/regions", collection([bow]))
        self.admin.send("POST", "/collections/north/regions", raw=json.dumps(collection([bow]))[:-9])

    def send_what_nobody_should(self):
        def text(place, as_text=False):
            latitude, longitude = places[place]
            if as_text:
                return json.dumps({**fix(0, 0, now()), "latitude": f"{latitude}", "longitude": [longitude]})
            return json.dumps(fix(latitude, longitude, now()))

        for raw in (text("malformed")[:-1] + ",,}", text("cut")[:-20], text("wrong type", as_text=True),
                    text("off the globe")):
            assert self.device.send("POST", "/positions", raw=raw).status_code in (400, 422)
            self.phone.post(raw.replace("latitude", "lat").encode())
        latitude, longitude = places["bare"]
        self.device.send("GET", f"/users/ann/devices/{latitude}/positions?from={longitude}&cursor={latitude}")
        self.device.send("GET", f"//{latitude}/{longitude}?lat={latitude}&token={quote(wrong_token)}")
        head = f"Authorization: Bearer {self.device.token}\r\nX-Place: {latitude},{longitude}\r\n"
        for request in (f"POST /api/v1/positions HTTP/1.1\r\n{head}Content-Length: 4000\r\n\r\n{text('bare')}",
                        f"{latitude} {longitude} {self.device.token}\r\n\r\n", f"GET / HTTP/9.9\r\n{head}\r\n",
                        f"GET /{latitude} HTTP/1.1\r\n{head}Content-Length: {latitude}\r\n\r\n"):
            with socket.create_connection(("127.0.0.1", urlsplit(self.server.address).port), timeout=60) as connection:
                connection.sendall(request.encode())

    def export(self):
        for form in ("json", "geojson", "gpx", "csv", "ndjson"):
            answer = self.admin.send("GET", f"/users/ann/devices/phone/positions?format={form}")
            assert str(places["native"][0]) in answer.text
        assert str(places["native"][0]) in run(
            "export", "--device", "ann/phone", "--format", "csv", data=self.server.data)
        assert {change["type"] for change in self.admin.changes()} >= {"position", "note", "region", "directory"}
        assert len(self.admin.items("/users/ann/devices/phone/notes")) == 1

    def fill_the_disk(self):
        """What the database refuses is told in words; they name neither what nor whose."""
        self.server.limit_files(4096)
        self.device.refused(507, "POST", "/positions", fix(*places["refused"], now()))
        latitude, longitude = places["refused"]
        assert self.phone.post(location(lat=latitude, lon=longitude))[0] == 503
        self.admin.send("PUT", "/users/ann/password", {
            "password": password, "keep": ["api-keys", "aws-keys", "device-tokens"]})
        self.server.limit_files(None)
        self.device.ok("POST", "/positions", fix(*places["refused"], now()))


@pytest.fixture(scope="module", params=["info", "trace"])
def printed(request, tmp_path_factory):
    """The level, all that a server printed at it in a day of such traffic, and the secrets of that day."""
    server = MusterProcess(tmp_path_factory.mktemp("muster"), ["--log-level", request.param])
    server.start(before_exec=lambda: signal.signal(signal.SIGXFSZ, signal.SIG_IGN))
    try:
        scene = Scene(server)
        scene.play()
        assert server.process.poll() is None
        server.stop()
    finally:
        server.kill()
    return request.param, "\n".join(server.output) + "\n" + server.log(), scene.secrets


def spellings(secret):
    """How a secret could stand in a text."""
    raw = secret.encode()
    return {secret, quote(secret, safe=""), json.dumps(secret)[1:-1], base64.b64encode(raw).decode().rstrip("="),
            base64.urlsafe_b64encode(raw).decode().rstrip("="), raw.hex()}


def roundings(number):
    """How a coordinate's first four decimals could begin: cut off or rounded."""
    return {f"{abs(number):.4f}", f"{abs(number):.6f}"[:-2]}


def coordinates():
    found = {number for place in places.values() for number in place} | {*regions[0], *regions[1], *bad_region}
    return {text for number in found for text in roundings(number)}


def lines_with(printed, texts):
    return [line for line in printed.splitlines() if any(text in line for text in texts)]


def test_the_server_did_print_something_to_search(printed):
    level, text, _ = printed
    assert "Muster is ready at" in text
    wanted = {"info": " info ", "trace": " trace "}[level]
    assert any(wanted in line for line in text.splitlines()), text[:2000]


def test_the_search_finds_what_it_looks_for():
    planted = "error: position 47.37691199 of ann, Authorization: Basic YW5uOnNlY3JldA=="
    assert lines_with(planted, roundings(47.376912))
    assert lines_with(planted, spellings("ann:secret"))
    assert not lines_with(planted, coordinates() - roundings(places["native"][0]))


def test_no_log_level_prints_a_secret(printed):
    _, text, secrets = printed
    assert len(secrets) > 20
    for secret in sorted(secrets):
        assert lines_with(text, spellings(secret)) == [], f"{secret} was printed"
    for line in text.splitlines():
        assert "authorization" not in line.lower(), line


def test_no_coordinate_is_logged_at_info_or_above(printed):
    level, text, _ = printed
    lines = [line for line in text.splitlines() if level == "info" or not any(f" {low} " in line for low in (
        "trace", "debug"))]
    assert lines_with("\n".join(lines), coordinates()) == []
