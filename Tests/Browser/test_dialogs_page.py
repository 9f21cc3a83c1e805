"""Every dialog of the console can be left by a finger: by a button that is in sight and as large as a thumb."""

import pytest

from accessible import target_size
from administration_page import screen, two_teams
from live_server import box, until

west, south = 10.7460, 59.5080
phone = (390, 844)

# The buttons that open a dialog, by the part of the administration that has them.
opening = {
    ("people",): ["Add a user…", "Give them phones, invitations or passwords…"],
    ("people", "port-east-ann"): [
        "New password…", "Invite by a link…", "Set up a phone…", "Add another device…", "Is somebody else…",
        "Remove this user…",
    ],
    ("teams",): ["Add a team…"],
    ("teams", "port-east"): ["Add a rule…", "Remove this team…"],
    ("crews", "port-east"): ["Add a crew…"],
    ("crews", "port-east", "Night shift"): ["Rename…", "Remove this crew…"],
    ("devices", "port-east-ann", "phone"): [
        "Set up OwnTracks…", "Set up another app…", "Make a token…", "Set the key…", "Remove the key…",
        "Give to somebody else…", "Remove this device…",
    ],
}


@pytest.fixture(scope="module")
def port(server):
    two_teams(server, "port")
    server.ask("POST", "teams/port-east/crews", {"name": "Night shift"})
    server.ask("POST", "collections", {"name": "port-site"})
    server.ask("PATCH", "trackers/port-east", {"collections": ["port-site"]})
    server.ask("POST", "collections/port-site/regions",
               {"type": "FeatureCollection", "features": [box("gate", "Gate", west, south)]})


def test_a_finger_closes_every_dialog_of_the_administration(screen, server, port):
    screen.open("people", user=server.admin)
    screen.page.set_view(*phone)
    for part, buttons in opening.items():
        screen.go(*part)
        for name in buttons:
            openers = screen.page.find(".administration").get_by_role("button", name=name, exact=True)
            openers.first.wait_for()
            for opener in openers.all():
                opener.click()
                leave_by_finger(screen.page, (part, name))


def leave_by_finger(page, where):
    """Presses Cancel in the dialog that is open, which has room for a thumb."""
    way_out = page.find("dialog.dialog[open]").get_by_role("button", name="Cancel", exact=True)
    way_out.wait_for()
    way_out.scroll_into_view_if_needed()
    size = way_out.bounding_box()
    assert min(size["width"], size["height"]) >= target_size - 0.5, (where, size)
    assert size["x"] >= 0 and size["x"] + size["width"] <= phone[0], (where, size)
    way_out.click()
    until(lambda: page.find("dialog[open]").count() == 0)


def test_what_was_typed_is_there_again_after_a_cancel(screen, server, port):
    screen.open("teams", user=server.admin)
    screen.press("Add a team…").field("Name").fill("port-north")
    screen.press("Cancel")
    until(lambda: screen.page.find("dialog[open]").count() == 0)
    screen.press("Add a team…")
    assert screen.field("Name").input_value() == "port-north"


def test_a_phone_whose_token_is_refused_is_not_typed_again(screen, server, port):
    screen.open("people", "port-west-ann", user=server.admin).press("Set up a phone…")
    screen.field("Which phone").select_option(label="Another phone")
    screen.field("Name of the device").fill("handset")
    screen.field("Address of this server").fill("https://muster.example.org")
    screen.page.context.route("**/handset/token", lambda route: route.fulfill(
        status=409, content_type="application/problem+json",
        body='{"title": "Conflict", "detail": "There are too many tokens.", "status": 409}'))
    screen.press("Make the code").shows("There are too many tokens.")
    assert screen.field("Name of the device").input_value() == "handset"
    assert screen.field("Address of this server").input_value() == "https://muster.example.org"
    screen.page.context.unroute("**/handset/token")
    screen.press("Make the code").shows("shown only now")
    screen.refused(409)
    assert {each["name"] for each in server.ask("GET", "devices?user=port-west-ann")["items"]} == {"handset", "phone"}


def test_a_collection_that_is_refused_keeps_its_name(page, server, port):
    page.open(page.fragment("regions")).sign_in()
    page.find("main.screen").get_by_role("button", name="New collection", exact=True).click()
    page.find("#collection-name").fill("port-site")
    page.find(".dialog").get_by_role("button", name="Add it", exact=True).click()
    until(lambda: "already exists" in page.text("dialog.dialog[open]"))
    page.find(".dialog").get_by_role("button", name="Cancel", exact=True).click()
    until(lambda: page.find("dialog[open]").count() == 0)
    page.find("main.screen").get_by_role("button", name="New collection", exact=True).click()
    until(lambda: page.find("#collection-name").input_value() == "port-site")
    assert all("409" in fault for fault in page.faults())
