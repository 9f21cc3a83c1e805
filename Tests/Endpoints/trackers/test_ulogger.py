"""μlogger, as its `WebHelper.java` and `WebSyncService.java` send and read, over a real socket."""

import json
from urllib.parse import urlencode

import pytest

from native_api import milliseconds, now
from soak import rounds
from tracker_app import TrackerApp

script = "/ulogger/client/index.php"


class ULogger(TrackerApp):
    """The app: it signs in, keeps the cookie, begins a track, and then sends positions one by one."""

    def __init__(self, server, user, password):
        super().__init__(server)
        self.user, self.password = user, password
        self.cookie = None

    def post(self, *more, **fields):
        """Returns the status, and the JSON of a 200, in which the app looks for `error`. `more` are fields, too."""
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        if self.cookie:
            headers["Cookie"] = self.cookie
        status, answered, body = self.send("POST", script, urlencode([*fields.items(), *more]).encode(), headers)
        if "Set-Cookie" in answered:
            self.cookie = answered["Set-Cookie"].split(";")[0]
        return status, json.loads(body) if status == 200 else None

    def authorize(self):
        return self.post(action="auth", user=self.user, **{"pass": self.password})

    def start_track(self):
        return self.post(action="addtrack", track="Auto_2026")[1]["trackid"]

    def position(self, at, **more):
        return {"action": "addpos", "time": at, "lat": 52.229675, "lon": 21.012230, "altitude": 110.5, "speed": 1.25,
                "bearing": 90.0, "accuracy": 6.5, "provider": "gps", "trackid": 1, **more}


@pytest.fixture(scope="module")
def make_app(server, admin):
    admin.make_team("south")
    made = 0

    def make():
        nonlocal made
        made += 1
        admin.make_user(f"logger{made}", "member", "south")
        app = ULogger(server, f"logger{made}", admin.make_device(f"logger{made}", "phone").token)
        app.name = f"logger{made}/phone"
        return app

    return make


def test_positions_after_signing_in_are_stored_once(admin, make_app):
    app = make_app()
    assert app.authorize() == (200, {"error": False, "trackid": 1}) and app.start_track() > 0
    at = now() // 1000 - 5
    for _ in range(2):
        assert app.post(**app.position(at, comment="At the bridge"))[1]["error"] is False
    (stored,) = admin.history(app.name)
    told = {"latitude": 52.229675, "longitude": 21.01223, "altitude": 110.5, "speed": 1.25, "heading": 90,
            "accuracy": 6.5, "source": "ulogger", "attributes": {"comment": "At the bridge"}}
    assert {key: stored[key] for key in told} == told
    assert milliseconds(stored["sampleTime"]) == at * 1000


def test_a_position_with_a_picture_keeps_its_fields(admin, make_app):
    """The app sends a waypoint with a picture as a multipart form, and skips none that the server refuses."""
    app = make_app()
    app.authorize()
    at = now() // 1000 - 5
    boundary = "----uLoggerBoundaryAbC_12-3"
    parts = "".join(f'\r\n--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}'
                    for name, value in app.position(at).items())
    picture = (f'\r\n--{boundary}\r\nContent-Disposition: form-data; name="image"; filename="upload"\r\n'
               "Content-Type: image/jpeg\r\nContent-Transfer-Encoding: binary\r\n\r\n").encode()
    body = parts.encode() + picture + bytes(range(256)) * 20_000 + f"\r\n--{boundary}--\r\n".encode()
    assert len(body) > 5_000_000
    assert app.send("POST", script, body, {"Content-Type": f"multipart/form-data; boundary={boundary}"})[0] == 401
    status, _, answer = app.send("POST", script, body, {
        "Content-Type": f"multipart/form-data; boundary={boundary}", "Cookie": app.cookie})
    assert (status, json.loads(answer)["error"]) == (200, False)
    (stored,) = admin.history(app.name)
    assert stored["latitude"] == 52.229675


def test_a_wrong_password_is_told_and_no_position_is_lost(server, admin, make_app):
    """On 401 the app keeps its positions, signs in anew, and shows its user that this fails."""
    app = make_app()
    assert app.post(**app.position(now() // 1000))[0] == 401
    wrong = ULogger(server, app.user, "not a token")
    assert wrong.authorize()[0] == 401 and wrong.cookie is None
    wrong.password = "md_wrong"
    assert wrong.authorize()[0] == 401 and wrong.cookie is None
    app.authorize()
    admin.ok("DELETE", f"/users/{app.user}/devices/phone/token")
    assert app.post(**app.position(now() // 1000))[0] == 401
    app.cookie, app.password = None, admin.ok("POST", f"/users/{app.user}/devices/phone/token")["token"]
    assert app.authorize()[0] == 200
    assert app.post(**app.position(now() // 1000))[0] == 200 and len(admin.history(app.name)) == 1


def test_a_sign_in_is_by_its_password_whatever_cookie_the_app_still_has(admin, make_app):
    app, other = make_app(), make_app()
    app.authorize()
    app.password = "md_wrong"
    assert app.authorize()[0] == 401
    app.password = other.password
    assert app.authorize()[0] == 200 and app.cookie == f"ulogger={other.password}"
    app.post(**app.position(now() // 1000))
    assert len(admin.history(other.name)) == 1 and admin.history(app.name) == []


@pytest.mark.parametrize("password", ["md_x; Path=/", "md_" + "x" * 4000])
def test_a_cookie_is_a_token_and_nothing_else(make_app, password):
    app = make_app()
    for action in ("auth", "addpos"):
        body = urlencode({"action": action, "pass": password}).encode()
        _, headers, _ = app.send("POST", f"/ulogger/{app.password}/client/index.php", body)
        assert "Set-Cookie" not in headers


def test_a_long_comment_is_cut_and_costs_no_position(admin, make_app):
    app = make_app()
    app.authorize()
    for index, length in enumerate((300, 3000)):
        assert app.post(**app.position(now() // 1000 - 9 + index, comment="橋" * length))[0] == 200
    history = admin.history(app.name)
    assert len(history) == 2 and history[0]["attributes"] == {"comment": "橋" * 170}


def test_the_token_may_be_in_the_path(admin, make_app):
    app = make_app()
    fields = urlencode(app.position(now() // 1000)).encode()
    assert app.send("POST", f"/ulogger/{app.password}/client/index.php", fields)[0] == 200
    assert len(admin.history(app.name)) == 1


# What an app may write for what its phone does not know, and numbers of other notations. None leaves the field out.
strange_numbers = [None, "", " ", "nan", "inf", "1e999", "x", "--5", "1,234.5", "0x10", "1 2"]


def without(fields, name, text):
    """The fields with another text for one of them."""
    changed = {**fields, name: text}
    if text is None:
        del changed[name]
    return changed


@pytest.mark.parametrize("name, out_of_range", [
    ("lat", ["90.001", "-91"]), ("lon", ["180.001", "-1e9"]), ("time", ["1e300", "soon", "1,795,240,800"])])
def test_what_cannot_be_read_is_acknowledged_and_kept_for_an_admin(admin, make_app, name, out_of_range):
    app = make_app()
    app.authorize()
    fields = app.position(now() // 1000)
    faults = [(without(fields, name, text), ()) for text in [*strange_numbers, *out_of_range]]
    # Of a field with two values nobody knows which the app means.
    faults.append((fields, [(name, 7)]))
    for changed, more in faults:
        assert app.post(*more, **changed)[1]["error"] is False
    assert admin.history(app.name) == []
    reports = admin.items(f"/refused-reports?user={app.user}")
    assert len(reports) == len(faults)
    for report in reports:
        assert report["topic"] == "ulogger" and report["reason"].startswith(f"{name}: ")
        assert app.password not in json.dumps(report)
    # The app goes on with the next position.
    assert app.post(**fields)[1]["error"] is False and len(admin.history(app.name)) == 1


@pytest.mark.parametrize("name, stored_as, out_of_range", [
    ("altitude", "altitude", ["-1e8", "1e8"]), ("speed", "speed", ["-1", "1e7"]), ("bearing", "heading", ["-1", "361"]),
    ("accuracy", "accuracy", ["-1", "0", "1e9"])])
def test_a_number_that_is_none_is_unknown_and_costs_nothing_else(admin, make_app, name, stored_as, out_of_range):
    app = make_app()
    app.authorize()
    start = now() // 1000 - 100
    texts = [*strange_numbers, "1,5", *out_of_range]
    for index, text in enumerate(texts):
        assert app.post(**without(app.position(start + index), name, text))[1]["error"] is False
    app.post((name, 7), **app.position(start + len(texts)))
    history = admin.history(app.name)
    assert [milliseconds(position["sampleTime"]) // 1000 - start for position in history] == list(range(len(texts) + 1))
    kept = {"altitude": 110.5, "speed": 1.25, "heading": 90, "accuracy": 6.5}
    del kept[stored_as]
    for text, position in zip([*texts, "twice"], history):
        assert stored_as not in position, text
        assert {key: position[key] for key in kept} == kept, text
    assert admin.items(f"/refused-reports?user={app.user}") == []


def test_degrees_with_a_comma_and_fields_that_come_twice_alike_count(admin, make_app):
    app = make_app()
    app.authorize()
    at = now() // 1000
    app.post(("speed", "1.25"), ("lat", "52,229675"), **app.position(at, lat="52,229675", lon="21,01223"))
    (stored,) = admin.history(app.name)
    assert (stored["latitude"], stored["longitude"], stored["speed"]) == (52.229675, 21.01223, 1.25)


@pytest.mark.parametrize("name, texts", [
    ("action", [None, "", "addpos2", "ADDPOS"]), ("provider", [None, "", "x" * 5_000]),
    ("trackid", [None, "", "nan", "-1", "1,5", "9" * 40]), ("comment", ["", " ", "\0", "😀" * 400])])
def test_what_is_beside_the_position_costs_none(admin, make_app, name, texts):
    app = make_app()
    app.authorize()
    start = now() // 1000 - 100
    for index, text in enumerate(texts):
        assert app.post(**without(app.position(start + index), name, text))[1]["error"] is False
    app.post((name, "other"), **app.position(start + len(texts)))
    assert len(admin.history(app.name)) == len(texts) + 1
    assert admin.items(f"/refused-reports?user={app.user}") == []


def test_the_token_is_in_no_log(server, make_app):
    app = make_app()
    app.authorize()
    app.post(**app.position(now() // 1000))
    assert app.password not in server.log() + "".join(server.output)


@pytest.mark.soak
def test_what_was_acknowledged_is_there_after_each_kill(make_server):
    """The cookie of the one sign-in holds, too: after a crash the app goes on with it."""
    server = make_server().start()
    admin = server.admin()
    admin.make_user("ann")
    app = ULogger(server, "ann", admin.make_device("ann").token)
    assert app.authorize()[0] == 200
    start, acknowledged = now() // 1000 - 1000, 0
    for _ in range(rounds(3, 20)):
        for _ in range(5):
            assert app.post(**app.position(start + acknowledged)) == (200, {"error": False, "trackid": 1})
            acknowledged += 1
        server.kill()
        server.start()
        history = server.admin().history("ann/phone")
        assert [milliseconds(each["sampleTime"]) // 1000 - start for each in history] == list(range(acknowledged))
