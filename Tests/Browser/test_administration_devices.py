"""Devices on the screen `administration`: set up by a code, given tokens and keys, given away, removed; and the reports
of them that nobody could read."""

import base64
import json
import os
import pathlib
import subprocess
import time
from datetime import datetime, timezone
from urllib.parse import parse_qs, urlsplit

import numpy
import pytest
import requests
import zxingcpp

from administration_page import screen, two_teams
from live_server import root, until


@pytest.fixture(scope="module")
def leaders(server):
    return two_teams(server, "port")


def scanned(page):
    """What a camera reads in the code that the page shows: its modules, eight pixels each."""
    path, side = page.script("""() => {
        const code = document.querySelector("dialog[open] .qr");
        return [code.querySelector("path").getAttribute("d"), Number(code.getAttribute("viewBox").split(" ")[2])];
    }""")
    picture = numpy.full((side, side), 255, numpy.uint8)
    for part in path.split("z")[:-1]:
        column, rest = part[1:].split(" ")
        row, rest = rest.split("h", 1)
        picture[int(row), int(column):int(column) + int(rest.split("v")[0])] = 0
    (code,) = zxingcpp.read_barcodes(numpy.kron(picture, numpy.ones((8, 8), numpy.uint8)),
                                     formats=zxingcpp.BarcodeFormat.QRCode)
    return code.text


def report(server, token, address=None, **auth):
    return requests.post(
        address or f"{server.address}/owntracks", auth=("port-east-ann", token), timeout=60,
        json={"_type": "location", "lat": 59.9, "lon": 10.7, "tst": int(time.time()), "batt": 12, "acc": 5}, **auth)


def tokens(server, device):
    return server.ask("GET", f"users/port-east-ann/devices/{device}/token")["items"]


def test_a_phone_that_scans_the_code_reports_until_it_is_revoked(screen, server, leaders):
    screen.open("people", "port-east-ann", user=leaders[0]).press("Set up a phone…")
    # Ann has a phone already, which is proposed; this one is another.
    screen.field("Which phone").select_option(label="Another phone")
    screen.field("Address of this server").fill("muster.example.org")
    screen.press("Make the code").shows("Needs an address")
    screen.field("Address of this server").fill("http://muster.example.org")
    screen.shows("Without https")
    # The phone of this test is on this machine, as no real one is.
    screen.field("Address of this server").fill(server.address)
    screen.shows("No other device reaches this server at 127.0.0.1")
    screen.press("Make the code").shows("shown only now")
    assert "muster serve --host 0.0.0.0" in screen.dialog
    link = scanned(screen.page)
    parts = urlsplit(link)
    assert (parts.scheme, parts.path) == ("owntracks", "/config")
    settings = json.loads(base64.b64decode(parse_qs(parts.query)["inline"][0], validate=True))
    assert settings.pop("password") == screen.secret()
    assert settings == {"_type": "configuration", "mode": 3, "url": f"{server.address}/owntracks", "auth": True,
                        "usePassword": True, "username": "port-east-ann", "deviceId": "phone-2", "tid": "po"}
    # The file is the same.
    with screen.page.tab.expect_download() as download:
        screen.press("Save the file")
    assert download.value.suggested_filename == "port-east-ann-phone-2.otrc"
    with open(download.value.path(), encoding="utf8") as file:
        assert json.load(file)["password"] == screen.secret()
    token = screen.secret()
    assert report(server, token, settings["url"]).status_code == 200
    screen.press("Close").hides("shown only now")
    assert token not in screen.page.script("() => document.documentElement.outerHTML")

    screen.go("devices", "port-east-ann", "phone-2").shows("by port-east-lead")
    until(lambda: "battery low" in screen.text)
    screen.press("Make a token…").press("Make a token…").shows("shown only now")
    second = screen.secret()
    assert second.startswith("md_") and second != token and len(tokens(server, "phone-2")) == 2
    screen.press("Close")
    screen.press("Revoke all…").shows("reports nothing until")
    screen.press("Revoke").shows("No token")
    assert tokens(server, "phone-2") == [] and report(server, token, settings["url"]).status_code == 503
    # A leader does not remove the track of somebody else.
    assert "Remove this device…" not in screen.text and "Reports that could not be read" not in screen.text


def shown_settings(page):
    """The settings that the dialog shows, in its order."""
    return [[each.text_content(), page.find(f'[id="{each.get_attribute("for")}"]').input_value()]
            for each in page.find("dialog[open] .copy-field label").all()]


@pytest.mark.parametrize("app, name", [
    ("traccar", "Traccar Client"), ("overland", "Overland"), ("gpslogger", "GPSLogger"), ("ulogger", "μlogger"),
    ("phonetrack", "PhoneTrack")])
def test_the_settings_of_a_tracker_app_are_those_of_the_command_line(screen, server, leaders, app, name):
    screen.open("devices", "port-east-ann", "phone", user=leaders[0])
    screen.press("Set up another app…")
    screen.field("App").select_option(app)
    screen.field("Address of this server").fill("https://muster.example.org/")
    screen.press("Make the token").shows(f"{name} on the phone of port-east-ann/phone")
    shown = shown_settings(screen.page)
    link = scanned(screen.page) if app in ("traccar", "overland") else None
    (token,) = {word for _, value in shown for word in [value.rsplit("/", 1)[-1]] if word.startswith("md_")}
    printed = subprocess.run(
        [os.environ.get("MUSTER_BINARY", str(root / ".build/debug/muster")), "device", "setup", "phone", "--user",
         "port-east-ann", "--app", app, "--server", "https://muster.example.org/", "--json", "--data",
         str(server.folder / "data")], capture_output=True, text=True, check=True, timeout=60)
    wanted = json.loads(printed.stdout.replace(json.loads(printed.stdout)["token"], token))
    assert shown == [[each["name"], each["value"]] for each in wanted["settings"]]
    assert link == wanted.get("link")
    screen.press("Close").hides("shown only now")
    assert token not in screen.page.script("() => document.documentElement.outerHTML")
    path = {"overland": "overland", "ulogger": "ulogger/client/index.php"}.get(app, "osmand")
    answer = requests.post(
        f"{server.address}/{path}", timeout=60, headers={"Authorization": f"Bearer {token}"},
        json={"locations": [{"type": "Feature", "geometry": {"type": "Point", "coordinates": [10.7, 59.9]},
                             "properties": {"timestamp": datetime.now(timezone.utc).isoformat()}}]}
        if app == "overland" else None,
        data=None if app == "overland" else {
            "action": "addpos", "lat": "59.9", "lon": "10.7", "time" if app == "ulogger" else "timestamp":
            str(int(time.time()))})
    assert answer.status_code == 200


def picture(page, name):
    """Pictures of a page in each size and theme, where somebody looks at them."""
    folder = os.environ.get("MUSTER_SCREENSHOTS")
    for width, height in ((1280, 800), (390, 844)) if folder else ():
        for theme in ("light", "dark"):
            page.tab.emulate_media(color_scheme=theme)
            page.tab.set_viewport_size({"width": width, "height": height})
            page.tab.wait_for_timeout(300)
            page.tab.screenshot(path=str(pathlib.Path(folder) / f"{name}-{width}-{theme}.png"))


def test_the_code_for_atak_enrolls_as_that_of_the_command_line(screen, server, leaders):
    screen.open("devices", "port-east-ann", "phone", user=leaders[0])
    screen.press("Set up ATAK…").shows("private key never leaves the phone")
    # A leader does not let the device of somebody else show whom that person may see; a member sees nobody.
    assert screen.page.find("dialog[open]").get_by_role("checkbox").count() == 0
    screen.field("Name of this server").fill("https://muster.example.org/")
    screen.press("Make the code").shows("Needs a name or an address")
    screen.field("Name of this server").fill("muster.example.org")
    screen.press("Make the code").shows("shown only now")
    assert "no port for TAK clients" in screen.dialog
    picture(screen.page, "atak")
    link = scanned(screen.page)
    assert [["Link in the code", link]] == shown_settings(screen.page)
    token = parse_qs(urlsplit(link).query)["token"][0]
    printed = subprocess.run(
        [os.environ.get("MUSTER_BINARY", str(root / ".build/debug/muster")), "tak", "enroll", "phone", "--user",
         "port-east-ann", "--host", "muster.example.org", "--code", "--json", "--data", str(server.folder / "data")],
        capture_output=True, text=True, check=True, timeout=60)
    other = json.loads(printed.stdout)["link"]
    assert link == other.replace(parse_qs(urlsplit(other).query)["token"][0], token)
    screen.press("Close").hides("shown only now")
    screen.shows("code for ATAK, until")
    assert token not in screen.page.script("() => document.documentElement.outerHTML")
    config = requests.get(f"{server.address}/Marti/api/tls/config", auth=("", token), timeout=60)
    assert config.status_code == 200
    picture(screen.page, "tokens")


def test_a_person_lets_their_own_device_show_whom_they_see(screen, server, leaders):
    lead = leaders[1][0]
    server.ask("POST", f"users/{lead}/devices", {"name": "tablet"})
    screen.open("devices", lead, "tablet", user=leaders[1]).press("Set up ATAK…")
    screen.field("Name of this server").fill("muster.example.org")
    screen.field(f"Also show on its map whom {lead} may see").check()
    screen.press("Make the code").shows("shown only now")
    screen.press("Close").hides("shown only now")
    (made,) = server.ask("GET", f"users/{lead}/devices/tablet/token")["items"]
    assert (made["kind"], made["readsAsUser"]) == ("enrollment", True)
    # Other tests count this person's devices.
    server.ask("DELETE", f"users/{lead}/devices/tablet")


def test_a_device_is_made_given_away_and_removed(screen, server, leaders):
    screen.open("people", "port-west-ann", user=server.admin).press("Add another device…")
    screen.field("Name").fill("tag")
    screen.field("Tag that scanners hear").fill("nonsense")
    screen.press("Create").shows("must be UUID:major:minor")
    screen.refused(400, 422)
    screen.field("Tag that scanners hear").fill("CB:B8:33:4C:88:4F")
    screen.press("Create").shows("tag CB:B8:33:4C:88:4F")
    assert screen.page.text("#device-title") == "port-west-ann/tag"
    screen.press("Give to somebody else…")
    screen.field("New user, of the same team").fill("port-west-lead")
    screen.press("Give")
    until(lambda: screen.page.text("#device-title") == "port-west-lead/tag")
    screen.press("Remove this device…").shows("All that it reported goes with it")
    screen.press("Remove")
    until(lambda: screen.page.text("#person-title") == "port-west-lead")
    assert server.ask("GET", "devices?user=port-west-lead")["items"] == []


def test_the_key_of_a_device_is_set_and_removed_and_never_shown(screen, server, leaders):
    screen.open("devices", "port-west-ann", "phone", user=leaders[1]).press("Set the key…")
    screen.field("Secret").fill("x" * 33)
    screen.press("Save").shows("1 to 32 bytes")
    screen.field("Secret").fill("a shared secret")
    screen.press("Save")
    until(lambda: "has a key" in screen.page.text("#said"))
    assert "a shared secret" not in screen.page.script("() => document.documentElement.outerHTML")
    screen.press("Remove the key…").shows("kept on the phone")
    screen.press("Remove")
    until(lambda: "has no key" in screen.page.text("#said"))


def test_reports_that_nobody_could_read_are_shown_as_text(screen, server, leaders):
    token = server.ask("POST", "users/port-east-ann/devices/phone/token")["token"]
    broken = '{"_type": "location", "lat": <script>document.title="owned"</script>'
    requests.post(f"{server.address}/owntracks", auth=("port-east-ann", token), data=broken, timeout=60)
    screen.open("devices", "port-east-ann", "phone", user=server.admin).shows("Reports that could not be read")
    screen.page.find(".administration .rows button").first.click()
    screen.shows("<script>")
    assert "owned" not in screen.page.title
    screen.press("Close").hides("<script>")


def test_devices_are_found_by_how_they_are(screen, server, leaders):
    token = server.ask("POST", "users/port-east-ann/devices/phone/token")["token"]
    server.ask("POST", "positions", {"latitude": 59.9, "longitude": 10.7, "battery": 5,
                                     "sampleTime": datetime.now(timezone.utc).isoformat()}, token)
    screen.open("devices", user=leaders[0])
    until(lambda: "port-east-ann/phone" in screen.rows())
    screen.field("State").select_option("low")
    until(lambda: screen.rows() and "battery low, 5 %" in screen.text)
    screen.field("State").select_option("never")
    until(lambda: "port-east-ann/phone" not in screen.rows())
    screen.field("State").select_option("")
    screen.field("Search").fill("no such device")
    screen.shows("No device matches.")


def test_the_owner_agrees_to_ranges_and_withdraws(screen, server, leaders):
    server.ask("POST", "users/port-east-lead/devices", {"name": "phone"})
    screen.open("devices", "port-east-lead", "phone", user=leaders[0]).shows("only if you agree")
    screen.field("Secret that the app shows").fill("abc")
    screen.press("Agree").shows("64 hexadecimal digits")
    screen.field("Secret that the app shows").fill("0f" * 32)
    screen.press("Agree").shows("You agree that")
    screen.press("Withdraw").shows("only if you agree")


def test_a_phone_that_somebody_has_is_proposed_again_and_the_menu_shows_the_open_screen(screen, server, leaders):
    user = leaders[0][0].replace("-lead", "-ann")
    before = len(server.ask("GET", f"users/{user}/devices/phone/token")["items"])
    devices = [each["name"] for each in server.ask("GET", f"devices?user={user}")["items"]]
    screen.page.set_view(390, 844)
    screen.open("people", user, user=leaders[0]).shows("Set up a phone…")
    # On a phone the row of screens is scrolled to the open one.
    assert screen.page.script("""() => {
        const link = document.querySelector("nav.screens [aria-current]").getBoundingClientRect();
        return link.left >= 0 && link.right <= innerWidth;
    }""")
    until(lambda: len(screen.rows()) > 0)
    screen.press("Set up a phone…")
    assert screen.field("Which phone").input_value() == "phone"
    assert screen.page.find("dialog[open]").get_by_label("Name of the device").count() == 0
    screen.press("Make the code").shows("shown only now")
    screen.press("Close").hides("shown only now")
    assert len(server.ask("GET", f"users/{user}/devices/phone/token")["items"]) == before + 1
    assert [each["name"] for each in server.ask("GET", f"devices?user={user}")["items"]] == devices
    screen.press("Set up a phone…")
    screen.field("Which phone").select_option(label="Another phone")
    other = screen.field("Name of the device").input_value()
    assert other not in devices
    screen.press("Make the code").shows("shown only now")
    screen.press("Close").hides("shown only now")
    assert other in [each["name"] for each in server.ask("GET", f"devices?user={user}")["items"]]
