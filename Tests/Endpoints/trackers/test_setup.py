"""`muster device setup`: what an app scans, or a person enters, makes it report."""

import base64
import json
import re
import subprocess
from urllib.parse import parse_qs, urlencode, urlsplit

import numpy
import pytest
import zxingcpp

from muster_process import binary
from native_api import now, stamp
from tracker_app import TrackerApp, fix

server_of_phones = "https://muster.example.org"


@pytest.fixture(scope="module", autouse=True)
def ana(admin):
    admin.ok("POST", "/users", {"name": "ana", "role": "member"})


def set_up(server, app, *arguments, device="phone", address=server_of_phones, status=0):
    """Runs the command; what it printed, and what it remarked."""
    done = subprocess.run(
        [binary, "device", "setup", device, "--user", "ana", "--app", app, "--server", address, "--data", server.data,
         *arguments], capture_output=True, text=True, timeout=60)
    assert done.returncode == status, done.stderr
    return done.stdout, done.stderr


def scanned(printed):
    """What a camera reads in the code that a terminal shows above the settings."""
    lines = [line for line in printed.splitlines() if ":" not in line]
    width = max(map(len, lines))
    rows = [[character in dark for character in line.ljust(width)] for line in lines for dark in ("█▀", "█▄")]
    picture = numpy.where(numpy.kron(rows, numpy.ones((4, 4), bool)), 0, 255).astype(numpy.uint8)
    (code,) = zxingcpp.read_barcodes(picture, formats=zxingcpp.BarcodeFormat.QRCode)
    return code.text


def applied(text):
    """What Traccar Client takes from a code, as its `configuration_service.dart` does."""
    parts = urlsplit(text)
    assert parts.scheme in ("http", "https")
    return f"{parts.scheme}://{parts.netloc}{parts.path}", parse_qs(parts.query)["id"][0]


def test_a_traccar_client_that_scanned_the_code_reports(server, admin):
    printed, remarks = set_up(server, "traccar")
    address, identifier = applied(scanned(printed))
    assert address.startswith(f"{server_of_phones}/osmand/md_") and identifier == "phone"
    assert f"Server URL: {address}" in printed and "Device identifier: phone" in printed
    app = TrackerApp(server, address.rsplit("/", 1)[1])
    app.tell(**fix(lat=1.5, id=identifier))
    assert admin.history("ana/phone")[-1]["latitude"] == 1.5
    assert app.token not in remarks + server.log() + "".join(server.output)


def test_an_overland_that_opened_the_link_reports(server, admin):
    link = scanned(set_up(server, "overland", device="bicycle")[0])
    parts = urlsplit(link)
    assert (parts.scheme, parts.netloc) == ("overland", "setup")
    settings = {name: value for name, (value,) in parse_qs(parts.query, strict_parsing=True).items()}
    token = settings.pop("token")
    assert settings == {"url": f"{server_of_phones}/overland", "device_id": "bicycle"}
    place = {"type": "Point", "coordinates": [2.5, 7.5]}
    status, _, _ = TrackerApp(server, headers={"Authorization": f"Bearer {token}"}).send("POST", "/overland", {
        "locations": [{"type": "Feature", "geometry": place, "properties": {"timestamp": stamp(now())}}]})
    assert status == 200 and admin.history("ana/bicycle")[-1]["latitude"] == 7.5


def test_a_gpslogger_with_the_printed_settings_reports(server, admin):
    printed, _ = set_up(server, "gpslogger", device="pocket")
    settings = dict(line.split(": ", 1) for line in printed.splitlines())
    assert settings["URL"] == f"{server_of_phones}/osmand" and settings["HTTP Method"] == "POST"
    # As `CustomUrlManager` of the app replaces its variables: in this order, and without regard to case.
    body = settings["HTTP Body"]
    values = {"lat": 8.25, "lon": 9.5, "alt": 31.0, "acc": 12.0, "dir": 0.0, "spd": 1.5, "timestamp": now() // 1000,
              "batt": 55.0}
    for name, value in values.items():
        body = re.sub(f"%{name}", str(value), body, flags=re.IGNORECASE)
    assert "%" not in body
    credentials = f"{settings['Basic Authentication, username']}:{settings['Basic Authentication, password']}"
    basic = base64.b64encode(credentials.encode()).decode()
    status, _, _ = TrackerApp(server, headers={"Authorization": f"Basic {basic}"}).send(
        "POST", "/osmand", body.encode())
    (stored,) = admin.history("ana/pocket")
    assert (status, stored["latitude"], stored["speed"], stored["accuracy"]) == (200, 8.25, 1.5, 12)


def test_a_phonetrack_with_the_printed_settings_reports(server, admin):
    printed, _ = set_up(server, "phonetrack", device="handset")
    settings = dict(line.split(": ", 1) for line in printed.splitlines())
    # As `sendPOSTPositionToCustom` of the app's `WebTrackHelper` replaces its variables, in this order.
    address = settings["Target address"]
    values = {"LAT": 8.25, "LON": 9.5, "TIMESTAMP": now() // 1000, "ALT": 31.0, "ACC": 12.0, "SPD": 1.5, "DIR": "",
              "SAT": 7, "BATT": 55.0, "UA": "PhoneTrack"}
    for name, value in values.items():
        address = address.replace(f"%{name}", str(value))
    path, query = address.removeprefix(server_of_phones).split("?")
    fields = "&".join(pair for pair in query.split("&") if pair.split("=")[1])
    basic = base64.b64encode(f"{settings['HTTP login']}:{settings['HTTP password']}".encode()).decode()
    status, _, _ = TrackerApp(server, headers={"Authorization": f"Basic {basic}"}).send(
        "POST", path, fields.encode(), {"Content-Type": "application/x-www-form-urlencoded"})
    (stored,) = admin.history("ana/handset")
    assert (status, stored["latitude"], stored["speed"], stored["battery"]) == (200, 8.25, 1.5, 55)


def test_a_ulogger_with_the_printed_settings_signs_in(server):
    printed, _ = set_up(server, "ulogger", device="logger")
    settings = dict(line.split(": ", 1) for line in printed.splitlines())
    path = settings["Server URL"].removeprefix(server_of_phones) + "/client/index.php"
    fields = {"action": "auth", "user": settings["User name"], "pass": settings["Password"]}
    status, headers, answer = TrackerApp(server).send("POST", path, urlencode(fields).encode())
    assert (status, json.loads(answer)["error"]) == (200, False) and "HttpOnly" in headers["Set-Cookie"]


def test_json_has_the_same(server):
    told = json.loads(set_up(server, "traccar", "--json", device="watch")[0])
    assert set(told) == {"device", "token", "link", "settings"}
    assert told["device"] == "ana/watch"
    assert told["settings"][0] == {"name": "Server URL", "value": f"{server_of_phones}/osmand/{told['token']}"}
    assert applied(told["link"]) == (told["settings"][0]["value"], "watch")


@pytest.mark.parametrize("path", ["", "/", "/owntracks", "/overland/", "/osmand", "/ulogger"])
def test_the_address_may_have_the_path_of_an_app_already(server, path):
    made = json.loads(set_up(server, "gpslogger", "--json", address=f"{server_of_phones}/base{path}")[0])
    assert {"name": "URL", "value": f"{server_of_phones}/base/osmand"} in made["settings"]


def test_an_address_over_http_warns_that_the_token_can_be_read(server):
    assert "can read the token" in set_up(server, "traccar", address="http://muster.example.org")[1]
    assert "can read the token" not in set_up(server, "traccar")[1]


@pytest.mark.parametrize("address", [
    "muster.example.org", "ftp://muster.example.org", "https://", "https://muster.example.org/?a=b",
    "https://muster.example.org/" + 1000 * "a"])
def test_an_address_that_no_phone_can_post_to_makes_no_token(server, admin, address):
    assert "address" in set_up(server, "traccar", address=address, device="other", status=1)[1]
    admin.refused(404, "GET", "/users/ana/devices/other")


def test_an_app_that_is_not_known_is_refused(server):
    assert "traccar" in set_up(server, "carrier-pigeon", status=64)[1]


@pytest.mark.parametrize("app, command", [
    ("tak", "muster tak enroll"), ("ATAK", "muster tak enroll"), ("owntracks", "--owntracks")])
def test_an_app_that_another_command_sets_up_is_told_which(server, admin, app, command):
    assert command in set_up(server, app, device="other", status=64)[1]
    admin.refused(404, "GET", "/users/ana/devices/other")
