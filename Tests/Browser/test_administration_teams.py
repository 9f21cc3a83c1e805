"""Teams, crews, rules and timers on the screen `administration`, each through its life."""

import pytest
import requests

from administration_page import screen, two_teams
from live_server import Phone, box, until

west, south = 10.7460, 59.6080


@pytest.fixture(scope="module")
def leaders(server):
    leaders = two_teams(server, "dale")
    server.ask("POST", "collections", {"name": "dale-site"})
    for side in ("east", "west"):
        server.ask("PATCH", f"trackers/dale-{side}", {"collections": ["dale-site"]})
    server.ask("POST", "collections/dale-site/regions",
               {"type": "FeatureCollection", "features": [box("gate", "Gate <b>", west, south, muster=True)]})
    for name in ("bo", "cy", "di"):
        server.ask("POST", "users", {"name": f"dale-{name}", "role": "member", "team": "dale-east"})
    return leaders


def test_a_team_is_made_changed_and_removed(screen, server, leaders):
    screen.open("teams", user=server.admin).press("Add a team…")
    screen.field("Name").fill("dale-east")
    screen.press("Create").shows("dale-east already exists")
    screen.refused(409)
    screen.field("Name").fill("dale-new")
    screen.press("Create").shows("Settings")
    screen.field("Unknown after so many minutes of silence").fill("0")
    screen.press("Save").shows("Needs a number of")
    screen.field("Unknown after so many minutes of silence").fill("7.5")
    screen.field("Show who is safe also without an incident").check()
    screen.field("Close a real incident by itself, too; only if nobody has to look once more").check()
    screen.press("Save")
    until(lambda: server.ask("GET", "teams/dale-new")["silenceSeconds"] == 450)
    team = server.ask("GET", "teams/dale-new")
    assert team["showsSafetyAlways"] and team["closesRealIncidents"] and team["closesDrills"] is False
    # An incident stands against the removal, and is said.
    server.ask("POST", "users", {"name": "dale-nia", "role": "member", "team": "dale-new"})
    number = server.ask("POST", "teams/dale-new/incidents", {"kind": "drill"})["number"]
    screen.press("Remove this team…").shows("Its 1 person stays, without a team: on no roll")
    assert "cannot be undone" in screen.dialog
    screen.press("Remove").shows("Not done, because of a conflict")
    screen.refused(409)
    server.ask("POST", f"incidents/{number}/close", {"reason": "over"})
    screen.press("Remove")
    until(lambda: "dale-east" in screen.rows() and "dale-new" not in screen.rows())
    assert requests.get(f"{server.address}/api/v1/teams/dale-new", auth=server.admin, timeout=60).status_code == 404


def test_a_leader_changes_the_own_team_and_another_leaders_change_is_said(screen, server, leaders):
    screen.open("teams", user=leaders[0]).shows("Settings")
    screen.field("All must have stayed accounted for so many minutes").fill("9")
    server.ask("PATCH", "teams/dale-east", {"closesAfterSeconds": 120})
    screen.press("Save").shows("Now on the server: 2")
    screen.press("Save")
    until(lambda: server.ask("GET", "teams/dale-east")["closesAfterSeconds"] == 540)
    # A time that may be none.
    asks = screen.field("Request a PAR every so many minutes")
    until(lambda: asks.input_value() == "")
    for typed, stored in (("15", 900), ("", None)):
        asks.fill(typed)
        screen.press("Save")
        until(lambda: server.ask("GET", "teams/dale-east")["parEverySeconds"] == stored)


def test_many_are_put_into_a_crew_by_the_keyboard(screen, server, leaders):
    screen.open("crews", user=leaders[0]).press("Add a crew…")
    screen.field("Name").fill("Engine  3")
    screen.press("Create").shows("with single spaces between them")
    screen.refused(400, 422)
    screen.field("Name").fill("Engine 3 & 4/5")
    screen.press("Create").shows("Who is in it")
    keyboard = screen.page.tab.keyboard
    screen.page.find("#member").focus()
    for text, steps, name in (("BO", 0, "dale-bo"), ("dale-c", 0, "dale-cy"), ("dale-d", 0, "dale-di"),
                              ("dale-east-", 1, "dale-east-lead")):
        keyboard.type(text)
        until(lambda: screen.page.find("#candidates li").count() > steps)
        for _ in range(steps):
            keyboard.press("ArrowDown")
        chosen = screen.page.find("#candidates [aria-selected=true]")
        until(lambda: chosen.inner_text().startswith(name))
        keyboard.press("Enter")
        until(lambda: name in screen.rows())
        until(lambda: screen.page.find("#member").input_value() == "")
    assert screen.page.script("() => document.activeElement.id") == "member"
    assert server.ask("GET", "users/dale-bo")["crew"] == "Engine 3 & 4/5"
    keyboard.type("nobody of that name")
    screen.shows("Nobody else in the team")
    keyboard.press("Escape")
    screen.press("Take dale-cy out")
    until(lambda: "dale-cy" not in screen.rows())
    assert "crew" not in server.ask("GET", "users/dale-cy")

    screen.press("Rename…")
    screen.field("Name").fill("Engine 7")
    screen.press("Save")
    until(lambda: screen.page.text("#crew-title") == "Engine 7" and "dale-bo" in screen.rows())
    screen.press("Remove this crew…").shows("stay in the team, without a crew")
    screen.press("Remove").shows("This team has no crews.")
    assert "crew" not in server.ask("GET", "users/dale-bo")


def test_an_attendance_rule_is_made_changed_and_removed(screen, server, leaders):
    screen.open("teams", user=leaders[1]).shows("Who should be where")
    screen.press("Add a rule…", screen.section("Who should be where"))
    screen.shows("Gate <b> (dale-site)")
    screen.press("Save").shows("This is needed.")
    screen.field("Name").fill("gate-post")
    screen.field("Region").select_option("dale-site/gate")
    screen.field("At least so many people").fill("2")
    screen.press("Save")
    rules = screen.section("Who should be where")
    until(lambda: "at least 2 of everyone in the team in Gate <b>" in rules.inner_text())
    until(lambda: "now 0 there, 0 elsewhere, 2 unknown" in rules.inner_text())
    screen.press("Change the rule gate-post")
    screen.field("What it demands").select_option("schedule")
    screen.field("Monday").uncheck()
    screen.field("Time zone, as Europe/Vienna").fill("Europe/Atlantis")
    screen.press("Save").shows("must have a time zone")
    screen.refused(400, 422)
    screen.field("Time zone, as Europe/Vienna").fill("Europe/Vienna")
    screen.field("Whom it counts").select_option("person")
    screen.press("Save").shows("This is needed.")
    screen.field("Who, or which role").fill("dale-east-ann")
    screen.press("Save").shows("This is not a person in the team.")
    screen.refused(400, 422)
    screen.field("Who, or which role").fill("dale-west-ann")
    screen.press("Save")
    until(lambda: "dale-west-ann in Gate <b>: Tuesday" in rules.inner_text())
    screen.press("Remove the rule gate-post").shows("Nobody is notified by it any more")
    screen.press("Remove")
    until(lambda: "No rule yet." in rules.inner_text())


def test_a_proximity_rule_is_made_and_removed(screen, server, leaders):
    screen.open("teams", user=leaders[1]).shows("Who is near whom")
    screen.press("Add a rule…", screen.section("Who is near whom"))
    screen.field("Name").fill("buddies")
    screen.field("What it demands").select_option("together")
    screen.field("Around").fill("dale-east-ann/phone")
    screen.press("Save").shows("is not a device of the team")
    screen.refused(400, 422)
    screen.field("Around").fill("dale-west-ann/phone")
    screen.press("Save")
    rules = screen.section("Who is near whom")
    until(lambda: "reported beyond 50 m of dale-west-ann/phone after 60 s" in rules.inner_text())
    screen.press("Remove the rule buddies").shows("Nobody is notified by it any more")
    screen.press("Remove")
    until(lambda: "No rule yet." in rules.inner_text())


def test_a_check_in_timer_is_started_seen_and_ended(screen, server, leaders):
    screen.open("people", "dale-east-ann", user=leaders[0]).shows("None runs.")
    screen.page.find(".administration summary").click()
    screen.field("A check-in every so many minutes").fill("0")
    screen.press("Start").shows("Needs a number of 1 to 1440.")
    screen.field("A check-in every so many minutes").fill("15")
    screen.field("What and where").fill("the roof <i>")
    screen.press("Start").shows("every 15 min, the roof <i>")
    screen.go("teams").shows("People who work alone")
    until(lambda: "dale-east-ann" in screen.section("Check-in timers").inner_text())
    screen.go("people", "dale-east-ann").shows("End the timer")
    screen.press("End the timer").shows("Nobody is notified if no check-in comes.")
    screen.page.find("dialog[open] .danger").click()
    screen.shows("None runs.")
    assert requests.get(f"{server.address}/api/v1/users/dale-east-ann/check-in-timer", auth=server.admin,
                        timeout=60).status_code == 404


def test_what_is_said_of_now_follows_the_people_and_is_not_said_without_the_server(screen, server, leaders):
    server.ask("PUT", "teams/dale-west/attendance-rules/now",
               {"collection": "dale-site", "region": "gate", "minimum": 1})
    screen.open("teams", user=leaders[1])
    rules = screen.section("Who should be where")
    until(lambda: "now 0 there, 0 elsewhere, 2 unknown" in rules.inner_text())
    token = server.ask("POST", "users/dale-west-ann/devices/phone/token")["token"]
    Phone(server, "dale-west-ann", token).stay((west + 0.001, south + 0.0005))
    until(lambda: "now 1 there, 0 elsewhere, 1 unknown" in rules.inner_text(), 60)
    server.kill()
    try:
        until(lambda: "The server does not answer." in rules.inner_text(), 60)
        assert "now 1 there" not in rules.inner_text()
    finally:
        server.start()
    until(lambda: "now 1 there" in rules.inner_text(), 60)
    screen.page.faults()
