"""Import and export on the screen `administration`: tables tried and made, what people are given, histories
as files."""

import csv
import io
import json
import re

import pytest
import requests

from accessible import faults_of
from administration_page import screen
from live_server import password, until

west, south = 10.7460, 59.5080
# A browser that writes files as they come, without the window in which somebody says where to.
picker = """() => { window.showSaveFilePicker = async ({ suggestedName }) => {
    const root = await navigator.storage.getDirectory();
    window.written = suggestedName;
    return await root.getFileHandle(suggestedName, { create: true });
}; }"""
written = """async () => {
    const root = await navigator.storage.getDirectory();
    return await (await (await root.getFileHandle(window.written)).getFile()).text();
}"""


@pytest.fixture(scope="module")
def walkers(server):
    """A team with two people who walked, one who did not, and another team's."""
    server.ask("POST", "teams", {"name": "walk"})
    server.ask("POST", "teams", {"name": "walk-other"})
    server.make_user("walk-lead", "leader", "walk")
    phones = {name: server.make_member(f"walk-{name}", "walk") for name in ("ann", "ben", "cem")}
    phones["dee"] = server.make_member("walk-dee", "walk-other")
    for name in ("ann", "ben", "dee"):
        for step in range(25):
            phones[name].report((west + step / 10_000, south))
    return phones


def choose(screen, text):
    screen.page.find("#import-file").set_input_files(
        {"name": "people.csv", "mimeType": "text/csv", "buffer": text.encode()})


def saved(screen, button):
    """The table that a button saves."""
    with screen.page.tab.expect_download() as download:
        screen.press(button)
    with open(download.value.path(), encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(io.StringIO(file.read())))


def test_a_table_is_tried_mended_imported_and_its_people_get_passwords(screen, server, walkers):
    screen.open("import", user=server.admin)
    assert screen.page.find(".administration .primary").is_disabled()
    choose(screen, "name;team;phone;age\nwalk-ann;walk;;3\nimp-eva;nowhere;x;3\nimp-eva;;;\n")
    screen.field("Create teams that do not exist; otherwise they are faults").uncheck()
    screen.press("Look for faults").shows("Nothing was imported: ")
    faults = screen.page.texts(".faults li")
    assert any("line 1, age" in fault and "no such column" in fault for fault in faults)
    assert any("line 2, name" in fault and "There is a user walk-ann already." in fault for fault in faults)
    assert any("line 3, team" in fault and "There is no team nowhere." in fault for fault in faults)
    assert any("line 3, phone" in fault and "Needs digits" in fault for fault in faults)
    assert any("line 4, name" in fault and "line 3" in fault for fault in faults)
    screen.refused(422)
    assert screen.page.find(".administration .primary").is_disabled()

    choose(screen, "name,team,crew\nimp-eva,imp-new,Engine 1\nimp-juan,imp-new,\n")
    screen.field("Create teams that do not exist; otherwise they are faults").check()
    screen.press("Look for faults").shows("It would create 2 users, 1 team, 1 crew, 2 devices.")
    assert requests.get(f"{server.address}/api/v1/teams/imp-new", auth=server.admin, timeout=60).status_code == 404
    screen.press("Import").shows("Created: 2 users, 1 team, 1 crew, 2 devices.")
    assert [user["crew"] for user in [server.ask("GET", "users/imp-eva")]] == ["Engine 1"]

    screen.page.find("input[value=password]").check()
    screen.press("Make them for 2 people").shows("Made for 2 people.")
    table = saved(screen, "Save as a table")
    assert [row["name"] for row in table] == ["imp-eva", "imp-juan"]
    for row in table:
        answer = requests.post(f"{server.address}/api/v1/session", json=row, timeout=60)
        assert answer.ok, row
        assert row["password"] not in screen.page.script("() => document.documentElement.outerHTML")


def test_what_is_no_table_is_said_and_new_teams_are_named(screen, server, walkers, tmp_path):
    def choose(name, content):
        (tmp_path / name).write_bytes(content)
        screen.page.find("#import-file").set_input_files(str(tmp_path / name))

    screen.open("import", user=server.admin)
    choose("people.csv", b"PK\x03\x04\x14\x00" + b"x" * 600)
    screen.shows("a file of Excel")
    assert screen.page.find(".administration button.plain").first.is_disabled()
    choose("photo.csv", b"\xff\xd8\xff\xe0\x00\x10JFIF")
    screen.shows("but a picture")
    choose("head.csv", b"name,team\n")
    screen.shows("a header and no rows")
    choose("teams.csv", b"name,team\nimp-a,Walk\nimp-b,imp-pupils\n")
    screen.hides("a header and no rows")
    screen.press("Look for faults").shows("New teams: Walk (new; is walk meant?), imp-pupils.")
    screen.page.faults()


def test_a_table_outlasts_a_session_that_ends(screen, server, walkers):
    server.make_user("imp-boss", "admin")
    screen.open("import", user=("imp-boss", password))
    choose(screen, "name\nimp-late\n")
    until(lambda: screen.page.find(".administration .plain").first.is_enabled())

    def end_sessions(route):
        server.ask("PUT", "users/imp-boss/password", {"password": password})
        route.continue_()
    # The page must not notice it before the press.
    screen.page.tab.route("**/user-imports?**", end_sessions, times=1)
    screen.press("Look for faults")
    until(lambda: screen.page.is_shown("#sign-in"))
    screen.page.try_to_sign_in("imp-boss", password)
    screen.shows("people.csv")
    screen.press("Look for faults").shows("It would create 1 user, 1 device.")
    screen.refused(401)


def test_phones_of_a_team_are_set_up_as_cards_to_print(screen, server, walkers):
    screen.open("people", user=("walk-lead", password))
    until(lambda: "walk-cem" in screen.rows())
    screen.page.script("() => { window.print = () => { window.printed = document.querySelector('#sheet').innerHTML; };"
                       " }")
    screen.field("Search").fill("walk-cem")
    until(lambda: screen.rows() == ["walk-cem"])
    screen.press("Give them phones, invitations or passwords…").shows("For 1 person.")
    assert screen.page.find("input[value=password]").count() == 0
    screen.field("Address of this server").fill("https://muster.example.org")
    screen.press("Make them for 1 person").shows("Made for 1 person.")
    screen.press("Print a card for each")
    printed = screen.page.script("() => window.printed")
    assert "walk-cem" in printed and "<path" in printed and "https://muster.example.org" in printed
    # What was printed leaves the page.
    screen.page.script("() => dispatchEvent(new Event('afterprint'))")
    assert screen.page.find("#sheet").count() == 0
    [row] = saved(screen, "Save as a table")
    server.ask("POST", "positions", {"latitude": south, "longitude": west, "sampleTime": walkers["ann"].sampled
                                     .isoformat()}, row["token"])
    screen.press("Close").hides("Made for 1 person.")
    assert len(server.ask("GET", "users/walk-cem/devices/phone/token")["items"]) == 2


def close_over_secrets(screen, leave):
    """Leaves the dialog while nothing is printed or saved; answers what it asks."""
    leave()
    until(lambda: screen.page.find("dialog[open]").count() == 2)
    return screen.page.text("dialog[open] dialog[open]")


def test_what_was_made_is_lost_only_once_somebody_agrees(screen, server, walkers):
    before = len(server.ask("GET", "users/walk-cem/devices/phone/token")["items"])
    screen.open("people", user=("walk-lead", password))
    screen.field("Search").fill("walk-cem")
    until(lambda: screen.rows() == ["walk-cem"])
    screen.press("Give them phones, invitations or passwords…").shows("For 1 person.")
    screen.press("Make them for 1 person").shows("Made for 1 person.")
    assert "No other device reaches this server at 127.0.0.1" in screen.dialog
    dialogs = screen.page.find("dialog[open]")
    keyboard = screen.page.tab.keyboard
    for leave in (lambda: dialogs.get_by_role("button", name="Close", exact=True).click(),
                  lambda: keyboard.press("Escape")):
        assert "The code of 1 person is lost" in close_over_secrets(screen, leave)
        assert screen.page.script("() => document.activeElement.textContent") == "Go back"
        keyboard.press("Enter")
        until(lambda: dialogs.count() == 1)
        assert "Made for 1 person." in screen.dialog
    # A browser closes a dialog against its page where Escape is pressed again and again.
    for _ in range(3):
        close_over_secrets(screen, lambda: keyboard.press("Escape"))
        keyboard.press("Escape")
        until(lambda: dialogs.count() == 1)
    close_over_secrets(screen, lambda: keyboard.press("Escape"))
    assert faults_of(screen.page) == []
    dialogs.get_by_role("button", name="Close, and lose them").click()
    until(lambda: dialogs.count() == 0)
    assert len(server.ask("GET", "users/walk-cem/devices/phone/token")["items"]) == before + 1
    # Before anything is made nothing is lost, and Escape closes it.
    screen.press("Give them phones, invitations or passwords…").shows("For 1 person.")
    keyboard.press("Escape")
    until(lambda: dialogs.count() == 0)


def test_a_code_of_one_phone_is_lost_only_once_somebody_agrees(screen, server, walkers):
    screen.open("people", user=("walk-lead", password)).shows("walk-ann")
    screen.go("people", "walk-ann").shows("Set up a phone…")
    screen.press("Set up a phone…").press("Make the code").shows("shown only now")
    dialogs = screen.page.find("dialog[open]")
    for leave in (lambda: dialogs.get_by_role("button", name="Close", exact=True).click(),
                  lambda: screen.page.tab.keyboard.press("Escape"),
                  lambda: screen.page.script("() => history.back()")):
        leave()
        until(lambda: dialogs.count() == 2)
        assert any("The code of 1 person is lost" in text for text in dialogs.all_inner_texts())
        dialogs.get_by_role("button", name="Go back").click()
        until(lambda: dialogs.count() == 1)
        assert "shown only now" in screen.dialog
    # What was saved is not lost: nothing asks any more, and Back goes back.
    saved_file(screen)
    screen.page.find("dialog[open]").get_by_role("button", name="Close", exact=True).click()
    until(lambda: dialogs.count() == 0)
    screen.page.faults()


def saved_file(screen):
    with screen.page.tab.expect_download() as download:
        screen.press("Save the file")
    return download.value.path()


def test_back_and_another_screen_ask_before_what_an_import_gave_is_lost(screen, server, tmp_path):
    table = tmp_path / "people.csv"
    table.write_text("name,team\nwalk-new,walkers\n")
    screen.open("people", user=server.admin).shows("Add a user…")
    screen.go("import")
    screen.page.find("#import-file").set_input_files(str(table))
    screen.press("Look for faults").shows("No fault")
    screen.press("Import").shows("Imported")
    # Nothing is at stake yet.
    screen.page.find("input[value=password]").check()
    screen.press("Make them for 1 person").shows("Made for 1 person.")
    dialog = screen.page.find("dialog[open]")
    for leave in (lambda: screen.page.script("() => history.back()"),
                  lambda: screen.page.find("nav.screens a").first.click(),
                  lambda: screen.press("Import another table"), lambda: screen.page.find("#sign-out").click()):
        leave()
        until(lambda: "The password of 1 person is lost" in screen.dialog)
        assert screen.page.script("() => location.hash") == "#/administration/import"
        dialog.get_by_role("button", name="Go back").click()
        until(lambda: dialog.count() == 0)
        assert "Made for 1 person." in screen.text
    assert screen.page.script("() => !dispatchEvent(new Event('beforeunload', { cancelable: true }))")
    screen.page.script("() => history.back()")
    until(lambda: dialog.count() == 1)
    dialog.get_by_role("button", name="Leave, and lose it").click()
    until(lambda: "walk-new" in screen.rows())
    assert not screen.page.script("() => !dispatchEvent(new Event('beforeunload', { cancelable: true }))")


def features_of(text):
    return [feature["properties"]["device"] for feature in json.loads(text)["features"]]


def test_a_teams_positions_are_one_file_in_each_format(screen, server, walkers):
    screen.open("export", user=("walk-lead", password)).shows("devices")
    screen.page.script(picker)
    assert screen.field("Of whom").input_value() == "team"
    for form, count in (("csv", lambda text: sum("walk-" in line for line in text.splitlines())),
                        ("gpx", lambda text: text.count("<trkpt")), ("geojson", lambda text: len(features_of(text)))):
        screen.field("Format").select_option(form)
        screen.press("Export").shows("The file is complete")
        text = screen.page.script(written)
        assert "walk-dee" not in text and count(text) >= 50
    assert re.fullmatch(r"muster-\d{4}-\d\d-\d\d\.geojson", screen.page.script("() => window.written"))
    screen.field("Of whom").select_option("person")
    screen.field("Person").fill("walk-ben")
    screen.shows("1 device")
    screen.press("Export").shows("The file is complete")
    assert set(features_of(screen.page.script(written))) == {"walk-ben/phone"}
    screen.field("From").fill("2026-01-02T00:00")
    screen.field("Until, by this device’s clock").fill("2026-01-01T00:00")
    screen.shows("The end must be after the beginning.")


def test_an_export_outlasts_a_server_that_is_started_again(screen, server, walkers):
    screen.open("export", user=server.admin)
    screen.page.script(picker)
    screen.field("Of whom").select_option("team")
    screen.field("Team").select_option("walk")
    screen.field("Format").select_option("geojson")
    screen.shows("3 devices")
    hold = {"count": 0}

    def cut(route):
        hold["count"] += 1
        if hold["count"] == 2:
            server.kill()
            route.abort()
            server.start()
            return
        route.continue_()
    screen.page.tab.route("**/positions?**", cut)
    screen.press("Export").shows("The file is complete", 60)
    features = json.loads(screen.page.script(written))["features"]
    times = [(feature["properties"]["device"], feature["properties"]["sampleTime"]) for feature in features]
    assert len(times) == len(set(times)) and len(times) >= 50
    screen.page.faults()


def test_an_export_is_given_up_and_leaves_no_file(screen, server, walkers):
    screen.open("export", user=("walk-lead", password)).shows("devices")
    screen.page.script(picker)
    screen.page.tab.route("**/positions?**", lambda route: None)
    screen.press("Export").shows("0 of 3 devices, 0 kB")
    screen.press("Cancel").shows("Cancelled: no file was made.")
    assert screen.page.script(written) == ""
    screen.page.faults()


def test_a_browser_that_writes_no_files_offers_the_whole_as_a_download(screen, server, walkers):
    screen.open("export", user=("walk-lead", password)).shows("devices")
    screen.page.script("() => { delete window.showSaveFilePicker; window.showSaveFilePicker = undefined; }")
    with screen.page.tab.expect_download() as download:
        screen.press("Export")
    with open(download.value.path(), encoding="utf8") as file:
        assert file.read().count("walk-ann/phone") == 25


def test_users_and_regions_are_tables_of_what_the_caller_may_see(screen, server, walkers):
    screen.open("export", user=("walk-lead", password)).shows("Users as CSV")
    table = saved(screen, "Users as CSV")
    assert {row["name"] for row in table} == {"walk-lead", "walk-ann", "walk-ben", "walk-cem"}
    with screen.page.tab.expect_download() as download:
        screen.press("Regions as GeoJSON")
    with open(download.value.path(), encoding="utf8") as file:
        regions = json.load(file)
    assert any(region["properties"]["collection"] == "north-site" for region in regions["features"])
