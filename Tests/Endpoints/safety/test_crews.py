"""Crews of a team: the roll by crew, whom to call, and who must not see either."""

import csv
import io

import pytest

from muster_process import run
from native_api import NativeApi


@pytest.fixture(scope="module")
def teams(admin):
    """Two teams with a leader, two members in the crew Engine 3, and one in none; everyone has a number. The API of
    each, by name."""
    people = {}
    for team, digit in (("harbour", 1), ("hill", 2)):
        admin.ok("POST", "/teams", {"name": team})
        people[team + "-lea"] = admin.make_user(team + "-lea", "leader", team)
        people[team + "-lea"].ok("POST", f"/teams/{team}/crews", {"name": "Engine 3"})
        for index, crew in enumerate(["Engine 3", "Engine 3", None]):
            name = f"{team}-p{index}"
            people[name] = admin.make_user(name, "member", team)
            admin.ok("PATCH", f"/users/{name}", {"phone": number_of(digit, index), "crew": crew})
    people["analyst"] = admin.make_user("crew-analyst", "analyst")
    return people


def number_of(digit, index):
    return f"+44 7700 9000{digit}{index}"


def crews_and_numbers(people):
    return {person["user"]: (person.get("crew"), person.get("phone")) for person in people}


harbour = {
    "harbour-lea": (None, None), "harbour-p0": ("Engine 3", number_of(1, 0)),
    "harbour-p1": ("Engine 3", number_of(1, 1)), "harbour-p2": (None, number_of(1, 2))}
without_numbers = {name: (crew, None) for name, (crew, _) in harbour.items()}


def test_a_leader_sees_crews_and_numbers_of_the_own_team_and_a_member_their_own(teams, admin):
    path = "/teams/harbour/safety"
    for api in (admin, teams["harbour-lea"]):
        assert crews_and_numbers(api.ok("GET", path)["members"]) == harbour
    assert crews_and_numbers(teams["analyst"].ok("GET", path)["members"]) == without_numbers
    assert crews_and_numbers(teams["harbour-p0"].ok("GET", path)["members"]) == {"harbour-p0": harbour["harbour-p0"]}
    for name in ("hill-lea", "hill-p0"):
        teams[name].refused(404, "GET", path)
    # A device can get into other hands: its token tells no number, not its owner's either.
    device = admin.make_device("harbour-p0")
    assert "7700" not in device.send("GET", "/session").text


def test_nobody_changes_crews_of_another_team_and_no_member_any(teams):
    for name, status in (("hill-lea", 404), ("harbour-p0", 403), ("analyst", 403)):
        api = teams[name]
        api.refused(status, "POST", "/teams/harbour/crews", {"name": "Mine"})
        api.refused(status, "PATCH", "/teams/harbour/crews/Engine%203", {"name": "Mine"})
        api.refused(status, "DELETE", "/teams/harbour/crews/Engine%203")
        api.refused(status, "PATCH", "/users/harbour-p2", {"crew": "Engine 3"})
    lea = teams["harbour-lea"]
    lea.refused(403, "PATCH", "/users/harbour-p2", {"crew": "Engine 3", "phone": "112"})
    lea.refused(404, "PATCH", "/users/hill-p0", {"crew": None})
    assert [each["people"] for each in lea.items("/teams/harbour/crews")] == [2]


def test_the_roll_is_called_by_crew_and_the_report_keeps_what_was_at_the_close(teams, server):
    lea = teams["harbour-lea"]
    number = lea.ok("POST", "/teams/harbour/incidents", {"kind": "drill"})["number"]
    teams["harbour-p0"].ok("POST", "/users/harbour-p0/declarations", {"kind": "safe"})
    roll = lea.ok("GET", f"/incidents/{number}")
    assert crews_and_numbers(roll["roll"]) == harbour
    assert roll["crews"] == [
        {"crew": "Engine 3", "people": 2, "accounted": 1, "checking": 0, "unaccounted": 1},
        {"people": 2, "accounted": 0, "checking": 0, "unaccounted": 2}]
    assert crews_and_numbers(teams["analyst"].ok("GET", f"/incidents/{number}")["roll"]) == without_numbers
    own = teams["harbour-p0"].ok("GET", f"/incidents/{number}")
    assert crews_and_numbers(own["roll"]) == {"harbour-p0": harbour["harbour-p0"]}
    teams["hill-lea"].refused(404, "GET", f"/incidents/{number}")
    shown = run("incident", "show", str(number), data=server.data).splitlines()
    assert "Engine 3: 1 of 2 accounted for, 0 checking, 1 unaccounted" in shown
    missing = next(line for line in shown if "harbour-p1" in line)
    assert missing.startswith("MISSING\tharbour-p1 (Engine 3)\t") and missing.endswith(f"\tphone {number_of(1, 1)}")
    assert "7700" not in next(line for line in shown if "harbour-p0" in line)
    # While it is open a report is a list to call by, for those who may.
    rows = read_table(lea, number)
    assert [(row["user"], row["crew"], row["phone"]) for row in rows if row["event"] == "unaccounted"][1:] == [
        ("harbour-p1", "Engine 3", "'" + number_of(1, 1)), ("harbour-p2", "", "'" + number_of(1, 2))]
    assert not any(row["phone"] for row in read_table(teams["analyst"], number))

    lea.ok("POST", f"/incidents/{number}/close", {"reason": "over"})
    lea.ok("PATCH", "/teams/harbour/crews/Engine%203", {"name": "Engine 7"})
    lea.ok("PATCH", "/users/harbour-p2", {"crew": "Engine 7"})
    closed = lea.ok("GET", f"/incidents/{number}/report?format=json")
    assert crews_and_numbers(closed["roll"]) == without_numbers
    assert [(each.get("crew"), each["people"]) for each in closed["crews"]] == [("Engine 3", 2), (None, 2)]
    assert {row["crew"] for row in read_table(lea, number) if row["user"] == "harbour-p1"} == {"Engine 3"}
    page = lea.send("GET", f"/incidents/{number}/report?format=html").text
    assert "<td>Engine 3</td><td>1 of 2</td>" in page and "7700" not in page
    # As it was, for the other tests.
    lea.ok("PATCH", "/users/harbour-p2", {"crew": None})
    lea.ok("PATCH", "/teams/harbour/crews/Engine%207", {"name": "Engine 3"})


def read_table(api, number):
    return list(csv.DictReader(io.StringIO(api.send("GET", f"/incidents/{number}/report?format=csv").text, newline="")))


def test_crews_survive_a_kill_and_what_closed_is_kept(make_server):
    server = make_server().start()
    admin = server.admin()
    admin.ok("POST", "/teams", {"name": "dock"})
    admin.ok("POST", "/teams/dock/crews", {"name": "Boat"})
    admin.ok("POST", "/users", {"name": "cy", "role": "member", "team": "dock", "crew": "Boat"})
    number = admin.ok("POST", "/teams/dock/incidents", {"kind": "drill"})["number"]
    admin.ok("POST", f"/incidents/{number}/close", {"reason": "over"})
    admin.ok("DELETE", "/teams/dock/crews/Boat")
    admin.ok("POST", "/teams/dock/crews", {"name": "Engine 3"})
    admin.ok("PATCH", "/users/cy", {"crew": "Engine 3"})
    server.kill()
    server.start()
    again = NativeApi(server.address, admin.token)
    assert again.items("/teams/dock/crews") == [{"name": "Engine 3", "team": "dock", "people": 1}]
    assert again.ok("GET", "/users/cy")["crew"] == "Engine 3"
    assert [person["crew"] for person in again.ok("GET", f"/incidents/{number}")["roll"]] == ["Boat"]


def test_a_feed_and_the_audit_log_tell_of_crews_to_who_may_list_them(teams, admin):
    since = admin.last_sequence()
    teams["hill-lea"].ok("POST", "/teams/hill/crews", {"name": "Ladder 1"})
    teams["hill-lea"].ok("DELETE", "/teams/hill/crews/Ladder%201")
    teams["hill-lea"].ok("POST", "/teams/hill/crews", {"name": "Ladder 2"})

    def told(api):
        return [(each["name"], each.get("removed", False)) for each in api.changes(since)
                if each["type"] == "directory" and each["kind"] == "crew"]

    # What is gone has only a number, and only an admin is told of it, as with teams.
    assert [name for name, _ in told(admin)][-1] == "hill/Ladder 2" and len(told(admin)) == 3
    assert told(teams["hill-lea"]) == told(teams["analyst"]) == [("hill/Ladder 2", False)]
    for name in ("hill-p0", "harbour-lea", "harbour-p0"):
        assert told(teams[name]) == []
    entries = [each["change"]["name"] for each in teams["hill-lea"].items("/audit")
               if each["change"].get("kind") == "crew"]
    assert "hill/Ladder 2" in entries
    assert "Ladder" not in str(teams["harbour-lea"].items("/audit"))
