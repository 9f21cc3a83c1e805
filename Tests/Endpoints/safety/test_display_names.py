"""Display names: what people are called, by every road on which the server names them."""

import csv
import io
import json
import subprocess

import pytest

from event_stream import EventStream
from muster_process import binary, run
from native_api import NativeApi

ana = "Ana Ruiz"
dana = "דנה כהן"


def make_house(server, team):
    """A team with a leader and two members who have display names, and a member who has none. The APIs by name."""
    admin = server.admin()
    admin.make_team(team)
    people = {"admin": admin}
    for name, role, display_name in [
            ("lea", "leader", "Lea Ö. Berg"), ("aruiz", "member", ana), ("dana", "member", dana),
            ("plain", "member", None)]:
        people[name] = admin.make_user(f"{team}-{name}", role, team)
        admin.ok("PATCH", f"/users/{team}-{name}", {"displayName": display_name})
    return people


@pytest.fixture(scope="module")
def house(server):
    return make_house(server, "house")


def named(people, key="user"):
    return {person[key].split("-", 1)[1]: person.get("displayName") for person in people}


def test_a_team_is_read_with_its_names_and_who_heard_a_call_is_named(house):
    members = house["lea"].ok("GET", "/teams/house/safety")
    assert named(members["members"]) == {"lea": "Lea Ö. Berg", "aruiz": ana, "dana": dana, "plain": None}
    assert "displayNames" not in members
    own = house["aruiz"].ok("GET", "/session")["user"]
    assert own["displayName"] == ana
    since = house["admin"].last_sequence()
    house["aruiz"].ok("POST", "/users/house-aruiz/declarations", {"kind": "sos"})
    house["lea"].ok("POST", "/users/house-aruiz/declarations", {"kind": "acknowledge"})
    with EventStream(house["aruiz"].address, house["aruiz"].token, since=since) as feed:
        change = next(change for _, _, change in feed.events() if change.get("acknowledgedBy"))
    assert change["displayNames"] == {"house-aruiz": ana, "house-lea": "Lea Ö. Berg"}
    # A member sees only themselves, and who heard them.
    seen = house["aruiz"].ok("GET", "/teams/house/safety")
    assert named(seen["members"]) == {"aruiz": ana} and seen["displayNames"] == {"house-lea": "Lea Ö. Berg"}
    viewers = house["aruiz"].ok("GET", "/users/house-aruiz/viewers")["items"]
    assert {"name": "house-lea", "displayName": "Lea Ö. Berg", "role": "leader"} in viewers
    house["lea"].ok("POST", "/users/house-aruiz/declarations", {"kind": "clear"})


def test_nobody_but_an_admin_names_anybody(house):
    for name in ("lea", "aruiz"):
        for user in ("lea", "aruiz", "plain"):
            response = house[name].send("PATCH", f"/users/house-{user}", {"displayName": "The Boss"})
            assert response.status_code in (403, 404), (name, user)
        assert house[name].send("POST", "/users", {
            "name": "forged", "role": "member", "displayName": "The Boss"}).status_code == 403
    assert house["admin"].ok("GET", "/users/house-aruiz")["displayName"] == ana


@pytest.mark.parametrize("name", [
    "", " \u3000", "a\nb", "a\tb", "a\0b", "a\u202eb", "a\u2028b", "a\u200bb", "\u3164", "x" * 101, 7, ["a"]])
def test_a_name_that_would_lie_or_break_a_line_is_refused_in_words(house, name):
    problem = house["admin"].refused(422, "PATCH", "/users/house-plain", {"displayName": name})
    assert problem["errors"][0]["pointer"] == "/displayName", problem
    if isinstance(name, str):
        assert "1 to 100 characters" in problem["errors"][0]["detail"]


def test_an_incident_keeps_the_names_and_its_report_has_both_everywhere(house, server):
    admin, lea = house["admin"], house["lea"]
    number = lea.ok("POST", "/teams/house/incidents", {"kind": "drill"})["number"]
    lea.ok("POST", "/users/house-plain/declarations", {"kind": "safe"})
    lea.ok("POST", f"/incidents/{number}/roll", {"name": "house-aruiz"})
    asked = lea.ok("POST", f"/incidents/{number}/par", {})
    assert asked["displayNames"] == {"house-lea": "Lea Ö. Berg"}
    roll = lea.ok("GET", f"/incidents/{number}")
    people = [(person["user"], person["visitor"], person.get("displayName")) for person in roll["roll"]]
    assert ("house-aruiz", False, ana) in people and ("house-aruiz", True, None) in people
    assert roll["displayNames"]["house-lea"] == "Lea Ö. Berg"
    own = house["aruiz"].ok("GET", f"/incidents/{number}")
    assert [person.get("displayName") for person in own["roll"]] == [ana]
    assert set(own["displayNames"]) == {"house-lea"}
    listed = house["aruiz"].ok("GET", "/incidents")["items"]
    assert next(each for each in listed if each["number"] == number)["displayNames"] == {"house-lea": "Lea Ö. Berg"}
    lea.ok("POST", f"/incidents/{number}/close", {"reason": "over"})
    admin.ok("PATCH", "/users/house-aruiz", {"displayName": "Mallory <b>"})
    try:
        report = lea.ok("GET", f"/incidents/{number}/report")
        assert {person["user"]: person.get("displayName") for person in report["roll"] if not person["visitor"]} == {
            "house-lea": "Lea Ö. Berg", "house-aruiz": ana, "house-dana": dana, "house-plain": None}
        page = lea.send("GET", f"/incidents/{number}/report?format=html").text
        assert f"<bdi>{ana}</bdi> (house-aruiz)" in page and f"<bdi>{dana}</bdi> (house-dana)" in page
        assert "by <bdi>Lea Ö. Berg</bdi> (house-lea)" in page and "Mallory" not in page
        rows = list(csv.DictReader(io.StringIO(lea.send("GET", f"/incidents/{number}/report?format=csv").text)))
        assert {row["displayName"] for row in rows if row["user"] == "house-aruiz"} == {ana, ""}
        assert {row["displayName"] for row in rows if row["user"] == "house-plain"} == {""}
        told = run("incident", "show", str(number), data=server.data)
        assert f"house-aruiz, {ana}" in told
    finally:
        admin.ok("PATCH", "/users/house-aruiz", {"displayName": ana})


def test_a_display_name_is_escaped_in_the_report_and_no_formula_in_the_table(make_server):
    server = make_server().start()
    people = make_house(server, "yard")
    people["admin"].ok("PATCH", "/users/yard-aruiz", {"displayName": "<script>alert(1)</script>"})
    people["admin"].ok("PATCH", "/users/yard-plain", {"displayName": "=HYPERLINK(1)"})
    number = people["lea"].ok("POST", "/teams/yard/incidents", {"kind": "drill"})["number"]
    page = people["lea"].send("GET", f"/incidents/{number}/report?format=html").text
    assert "<script" not in page and "&lt;script&gt;" in page
    table = people["lea"].send("GET", f"/incidents/{number}/report?format=csv").text
    assert ",'=HYPERLINK(1)" in table and ",=HYPERLINK" not in table
    # The roll is the same after a crash, also of whom was removed.
    people["admin"].ok("DELETE", "/users/yard-dana")
    before = people["lea"].ok("GET", f"/incidents/{number}")
    assert dana in [person.get("displayName") for person in before["roll"]]
    server.kill()
    server.start()
    lea = NativeApi(server.address, people["lea"].token)
    after = lea.ok("GET", f"/incidents/{number}")
    assert [person.get("displayName") for person in after["roll"]] == [
        person.get("displayName") for person in before["roll"]]


def test_the_display_name_of_a_removed_person_goes_from_closed_incidents(house):
    admin, lea = house["admin"], house["lea"]
    admin.make_user("house-gone", "member", "house")
    admin.ok("PATCH", "/users/house-gone", {"displayName": "Gone Girl"})
    number = lea.ok("POST", "/teams/house/incidents", {"kind": "drill"})["number"]
    lea.ok("POST", f"/incidents/{number}/close", {"reason": "over"})
    assert "Gone Girl" in lea.send("GET", f"/incidents/{number}").text
    admin.ok("DELETE", "/users/house-gone")
    for path in ("", "/report", "/report?format=csv", "/report?format=html"):
        told = lea.send("GET", f"/incidents/{number}{path}").text
        assert "Gone Girl" not in told and "removed person #" in told and ana in told, path


def test_a_link_shows_the_names_of_whom_it_shows(house):
    lea = house["lea"]
    given = lea.ok("POST", "/links", {"kind": "person", "user": "house-aruiz", "expiresSeconds": 60})
    bearer = NativeApi(lea.address, given["url"].split("#")[1])
    shown = bearer.ok("GET", "/shared")
    assert (shown["person"]["name"], shown["person"]["displayName"]) == ("house-aruiz", ana)
    number = lea.ok("POST", "/teams/house/incidents", {"kind": "drill"})["number"]
    given = lea.ok("POST", "/links", {"kind": "incident", "incident": number, "expiresSeconds": 60})
    roll = NativeApi(lea.address, given["url"].split("#")[1]).ok("GET", "/shared")["incident"]["roll"]
    assert named(roll, "name")["dana"] == dana and named(roll, "name")["plain"] is None
    # A kiosk for visitors names nobody.
    given = lea.ok("POST", "/links", {"kind": "visitors", "team": "house", "expiresSeconds": 60})
    assert "Ruiz" not in NativeApi(lea.address, given["url"].split("#")[1]).send("GET", "/shared").text
    lea.ok("POST", f"/incidents/{number}/close", {"reason": "over"})


def test_graphql_names_people_too(house):
    question = {"query": """{ teams { nodes: edges { node {
        people(first: 10) { edges { node { name displayName } } } } } } }"""}
    for asker, count in (("lea", 4), ("aruiz", 1)):
        answer = house[asker].ok("POST", "//graphql", question)
        teams = [edge["node"] for edge in answer["data"]["teams"]["nodes"]]
        people = [edge["node"] for team in teams for edge in team["people"]["edges"]]
        assert len(people) == count and named(people, "name")["aruiz"] == ana, answer


def test_the_command_line_sets_shows_and_imports_names(house, server, tmp_path):
    def muster(*arguments, **more):
        return run(*arguments, data=server.data, **more)
    added = json.loads(muster("user", "add", "kim", "--display-name", " 김 민 ", "--json"))
    assert added["displayName"] == "김 민"
    assert "kim\tmember\t\t\t김 민\n" in muster("user", "list")
    assert "house-plain\tmember\thouse\n" in muster("user", "list")
    assert json.loads(muster("user", "set", "kim", "--no-display-name", "--json")) == {"name": "kim", "role": "member"}
    assert "exclude each other" in muster(
        "user", "set", "kim", "--display-name", "a", "--no-display-name", status=64)
    assert "displayName" in muster("user", "set", "kim", "--display-name", "a\nb", status=1)
    status = muster("team", "status", "house")
    assert f"house-aruiz, {ana}\t" in status and "house-plain\t" in status
    table = tmp_path / "people.csv"
    table.write_text(f"Display Name,name\n{dana},dn-1\n\"two\nlines\",dn-2\n,dn-3\n")
    done = subprocess.run([binary, "user", "import", table, "--dry-run", "--data", server.data],
                          capture_output=True, text=True, timeout=120)
    told = done.stdout + done.stderr
    assert done.returncode == 1 and "people.csv:3: displayName: must be 1 to 100 characters" in told
    table.write_text(f"displayname;name\n{dana};dn-1\n;dn-3\n")
    assert muster("user", "import", table) == "Imported 2 users.\n"
    assert house["admin"].ok("GET", "/users/dn-1")["displayName"] == dana
    assert "displayName" not in house["admin"].ok("GET", "/users/dn-3")
