"""`muster device token --owntracks`: what a phone scans or opens sets up an OwnTracks app, and nobody else sees it."""

import base64
import json
import re
import stat
import subprocess
from urllib.parse import parse_qs, urlsplit

import numpy
import pytest
import zxingcpp

from muster_process import binary, run
from owntracks_phone import Phone, location
from terminal import shown

server_of_phones = "https://muster.example.org"


@pytest.fixture(scope="module", autouse=True)
def ana(admin):
    admin.ok("POST", "/users", {"name": "ana", "role": "member"})


def configure(server, folder, *arguments, device="phone", address=server_of_phones, status=0):
    """Runs the command in a folder; what it printed, and what it remarked."""
    done = subprocess.run(
        [binary, "device", "token", device, "--user", "ana", "--owntracks", address, "--data", server.data, *arguments],
        cwd=folder, capture_output=True, text=True, timeout=60)
    assert done.returncode == status, done.stderr
    return done.stdout, done.stderr


def scanned(printed):
    """What a camera reads in a code that a terminal shows."""
    lines = printed.splitlines()
    width = max(map(len, lines))
    rows = [[character in dark for character in line.ljust(width)] for line in lines for dark in ("█▀", "█▄")]
    picture = numpy.where(numpy.kron(rows, numpy.ones((4, 4), bool)), 0, 255).astype(numpy.uint8)
    (code,) = zxingcpp.read_barcodes(picture, formats=zxingcpp.BarcodeFormat.QRCode)
    return code.text


def imported(link):
    """What an app takes from a link, as Android's and iOS's do: `+` would be a space."""
    parts = urlsplit(link)
    assert (parts.scheme, parts.netloc, parts.path) == ("owntracks", "", "/config")
    ((name, (value,)),) = parse_qs(parts.query, strict_parsing=True).items()
    assert name == "inline"
    return json.loads(base64.b64decode(value, validate=True))


def test_a_phone_that_scanned_the_code_reports(server, admin, tmp_path):
    printed, remarks = configure(server, tmp_path)
    settings = imported(scanned(printed))
    token = settings.pop("password")
    assert settings == {
        "_type": "configuration", "mode": 3, "url": "https://muster.example.org/owntracks", "auth": True,
        "usePassword": True, "username": "ana", "deviceId": "phone", "tid": "an"}
    phone = Phone(server, settings["username"], token, settings["deviceId"])
    phone.tell(location(lat=1.5, lon=2.5), urlsplit(settings["url"]).path)
    assert admin.history("ana/phone")[-1]["latitude"] == 1.5
    assert max(map(len, printed.splitlines())) < 80, "it fits into a terminal"
    assert token not in printed + remarks + server.log() + "".join(server.output)
    assert "ana-phone.otrc" in remarks


def test_the_configuration_file_has_the_links_settings_and_is_readable_by_its_owner_alone(server, tmp_path):
    printed, _ = configure(server, tmp_path, "--file", "phone.otrc", "--json")
    answer = json.loads(printed)
    assert set(answer) == {"device", "token", "file", "link"}
    settings = json.loads((tmp_path / "phone.otrc").read_text())
    assert settings == imported(answer["link"]) and settings["password"] == answer["token"]
    assert stat.S_IMODE((tmp_path / "phone.otrc").stat().st_mode) == 0o600


def test_a_file_that_is_there_stays_and_no_token_is_made(server, admin, tmp_path):
    (tmp_path / "ana-watch.otrc").write_text("mine")
    printed, remarks = configure(server, tmp_path, device="watch", status=1)
    assert "ana-watch.otrc cannot be created: it exists already" in remarks and printed == ""
    assert (tmp_path / "ana-watch.otrc").read_text() == "mine"
    admin.refused(404, "GET", "/users/ana/devices/watch")


def test_a_token_that_cannot_be_made_leaves_no_file(server, tmp_path):
    told = run("device", "token", "phone", "--user", "nobody", "--owntracks", server_of_phones, "--file",
               tmp_path / "x.otrc", data=server.data, status=1)
    assert "nobody" in told
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("address", [
    "muster.example.org", "ftp://muster.example.org", "https://", "https://muster.example.org/?a=b",
    "https://muster.example.org/" + 1000 * "a"])
def test_an_address_that_no_phone_can_post_to_is_refused(server, tmp_path, address):
    assert "address" in configure(server, tmp_path, address=address, status=1)[1]
    assert list(tmp_path.iterdir()) == []


def test_a_configuration_over_http_warns_that_the_token_can_be_read(server, tmp_path):
    assert "can read the token" in configure(server, tmp_path, address="http://muster.example.org")[1]
    assert "can read the token" not in configure(server, tmp_path, device="other")[1]


@pytest.mark.parametrize("length", range(0, 960, 64))
def test_codes_of_every_size_are_read(server, tmp_path, length):
    address = f"https://muster.example.org/{'way/' * (length // 4)}owntracks"
    printed, _ = configure(server, tmp_path, device=f"sized{length}", address=address)
    assert imported(scanned(printed))["url"] == address


def test_a_terminal_shows_black_on_white(server, tmp_path):
    text, _ = shown(
        [binary, "device", "token", "shown", "--user", "ana", "--owntracks", server_of_phones, "--data", server.data],
        tmp_path)
    lines = text.splitlines()
    assert all(line.startswith("\x1b[38;5;16;48;5;231m") and line.endswith("\x1b[0m") for line in lines)
    assert imported(scanned(re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(lines))))["deviceId"] == "shown"
