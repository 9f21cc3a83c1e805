"""`muster device setup`: what an app scans, or a person enters, makes it report."""

import json
import subprocess
from urllib.parse import parse_qs, urlsplit

import numpy
import pytest
import zxingcpp

from muster_process import binary
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


def test_json_has_the_same(server):
    told = json.loads(set_up(server, "traccar", "--json", device="watch")[0])
    assert set(told) == {"device", "token", "link", "settings"}
    assert told["device"] == "ana/watch"
    assert told["settings"][0] == {"name": "Server URL", "value": f"{server_of_phones}/osmand/{told['token']}"}
    assert applied(told["link"]) == (told["settings"][0]["value"], "watch")


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
