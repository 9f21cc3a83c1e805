"""Evacuations and drills, from the first call to the report: by simulated people with phones and without."""

import csv
import html.parser
import io
import random

import pytest

from event_stream import EventStream
from incident_crew import make_crew_in
from native_api import NativeApi, box, fix, milliseconds, now, polygon, stamp

seed = 20261121
yard = polygon("yard", box(13.40, 52.50, 13.41, 52.51), muster=True, name="=Yard <1>")
inside, outside = (52.505, 13.405), (52.6, 13.6)


def make_crew(server, name, people=3):
    return make_crew_in(yard, server, name, people)


def declare(api, user, kind, **more):
    return api.ok("POST", f"/users/{user}/declarations", {"kind": kind, **more})


def roll(api, number):
    answer = api.ok("GET", f"/incidents/{number}")
    return answer, {person["user"]: person for person in answer["roll"]}


class Page(html.parser.HTMLParser):
    """A page, read as a browser reads it: its text, and what it would load or run."""

    def __init__(self, text):
        super().__init__()
        self.words, self.tags = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        assert tag not in ("script", "img", "link", "iframe", "object"), tag
        assert not any(name.startswith("on") or name in ("src", "href") for name, _ in attributes), attributes

    def handle_data(self, data):
        self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())


def test_a_whole_drill_and_its_report(server):
    print(f"seed {seed}")
    chance = random.Random(seed)
    leader, phones = make_crew(server, "drill", people=12)
    # After minutes without a fix one accurate fix is believed, and makes nobody safe: three over 20 s do.
    start = now() - 1_500_000
    for phone in phones.values():
        phone.ok("POST", "/positions", fix(*outside, start, accuracy=5))
    before = leader.last_sequence()
    incident = leader.ok("POST", "/teams/drill/incidents", {"kind": "drill", "note": "spring <drill>"})
    number = incident["number"]
    assert incident["kind"] == "drill" and incident["open"] and incident["startedBy"] == "drill-lea"
    assert leader.ok("GET", "/incidents")["items"] == [incident]
    people = list(phones)
    chance.shuffle(people)
    marked, called, own = people[:3]
    declare(leader, "drill-lea", "safe")
    declare(phones[called], called, "sos", note="stairs")
    declare(leader, called, "acknowledge")
    declare(leader, marked, "offSite", note="=cmd()")
    for index, user in enumerate(people[3:]):
        for later in (0, 10_000, 20_000):
            phones[user].ok("POST", "/positions", fix(*inside, start + 400_000 + index + later, accuracy=5))
    answer, found = roll(leader, number)
    assert answer["open"] and answer["counts"] == {"people": 13, "accounted": 11, "checking": 0, "unaccounted": 2}
    assert found[called]["state"] == "sos" and found[called]["acknowledgedBy"] == "drill-lea"
    assert found[own]["lastSeen"] == {"latitude": outside[0], "longitude": outside[1], "sampleTime": stamp(start)}
    assert found[marked]["source"] == "marked" and found[marked]["markedBy"] == "drill-lea"
    assert found[people[3]]["source"] == "region" and found[people[3]]["region"]["name"] == "=Yard <1>"
    # Whoever is in it sees that it is, and itself alone.
    assert list(roll(server.api(phone_owner(server, own)), number)[1]) == [own]
    declare(phones[own], own, "safe")
    declare(leader, called, "clear")
    with EventStream(leader.address, leader.token, since=before) as stream:
        declare(leader, called, "safe")
        # All are accounted for: that is told, and closes nothing; someone goes back in, and returns.
        assert roll(leader, number)[0]["allAccounted"] and roll(leader, number)[0]["open"]
        phones[people[3]].ok("POST", "/positions", fix(*outside, start + 800_000, accuracy=5))
        assert not roll(leader, number)[0]["allAccounted"]
        for later in (0, 10_000, 20_000):
            phones[people[3]].ok("POST", "/positions", fix(*inside, start + 1_200_000 + later, accuracy=5))
        leader.refused(422, "POST", f"/incidents/{number}/close", {"reason": " "})
        leader.ok("POST", f"/incidents/{number}/close", {"reason": "all clear"})
        events = stream.take(lambda found: any(kind == "incident" and not told["open"] for _, kind, told in found))
    told = [told for _, kind, told in events if kind == "incident"]
    assert [one["happened"] for one in told] == [
        "started", "allAccounted", "notAllAccounted", "allAccounted", "closed"]
    assert [one["allAccounted"] for one in told] == [False, True, False, True, True]
    closed, _ = roll(leader, number)
    assert closed["closedHow"] == "byHand" and closed["closedBy"] == "drill-lea" and closed["reason"] == "all clear"
    assert [period["from"] for period in closed["allAccountedTimes"]] == [
        one["allAccountedAt"] for one in told[1:4] if one["allAccounted"]]
    assert ["until" in period for period in closed["allAccountedTimes"]] == [True, False]
    assert leader.ok("GET", "/incidents")["items"] == []
    check_reports(leader, closed, called, marked)
    # What was declared safe ends with the incident; who is off site stays so.
    states = {one["user"]: one["state"] for one in leader.ok("GET", "/teams/drill/safety")["members"]}
    assert states[marked] == "offSite" and states[called] == "unsafe" and states[people[3]] == "safe"


def phone_owner(server, user):
    """An API key of a user."""
    return server.admin().ok("POST", "/keys", {"label": "tests", "user": user})["key"]


def check_reports(leader, closed, called, marked):
    path = f"/incidents/{closed['number']}/report"
    report = leader.ok("GET", path)
    assert report["startedAt"] == closed["startedAt"] and report["allAccountedTimes"] == closed["allAccountedTimes"]
    assert report["counts"] == {"people": 13, "accounted": 13, "checking": 0, "unaccounted": 0}
    told = [(line["event"], line["state"], line["source"])
            for line in report["changes"] if line.get("user") == called]
    assert told == [
        ("present", "unsafe", "position"), ("changed", "sos", "ownDeclaration"), ("declared", "sos", "ownDeclaration"),
        ("changed", "sos", "ownDeclaration"), ("changed", "unsafe", "position"), ("declared", "unsafe", "position"),
        ("changed", "safe", "marked"), ("declared", "safe", "marked")]
    times = [line["at"] for line in report["changes"]]
    assert times == sorted(times) and times[0] == closed["startedAt"] and times[-1] == closed["closedAt"]
    milestones = [line["event"] for line in report["changes"] if "user" not in line]
    assert milestones == ["allAccounted", "notAllAccounted", "allAccounted", "closed"]
    # By what evidence for each person, at each time.
    for line in [line for line in report["changes"] if line["event"] == "allAccounted"]:
        evidence = {one["user"]: one for one in line["evidence"]}
        assert len(evidence) == 13 and evidence[called]["source"] == "marked"
        assert evidence[marked]["state"] == "offSite" and evidence[marked]["markedBy"] == "drill-lea"
        assert all(one["source"] != "region" or one["region"]["id"] == "yard" for one in evidence.values())

    answer = leader.send("GET", path, headers={"Accept": "text/csv"})
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(answer.text, newline="")))
    assert {row["kind"] for row in rows} == {"drill"}
    assert (rows[0]["event"], rows[0]["at"], rows[0]["by"]) == ("started", closed["startedAt"], "drill-lea")
    assert (rows[-1]["event"], rows[-1]["at"], rows[-1]["by"]) == ("byHand", closed["closedAt"], "drill-lea")
    assert sum(row["event"] == "evidence" for row in rows) == 2 * 13
    assert {row["region"] for row in rows} == {"", "'=Yard <1>"}, "no cell is a formula"
    assert [(row["at"], row["user"], row["state"]) for row in rows[1:-1]
            if row["event"] not in ("evidence", "accounted")] == [
        (line["at"], line.get("user", ""), line.get("state", "")) for line in report["changes"]]

    answer = leader.send("GET", path, headers={"Accept": "text/html,application/xhtml+xml"})
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    page = Page(answer.text)
    assert "DRILL" in page.text and "spring <drill>" in page.text and "Nobody." in page.text
    first, last = closed["allAccountedTimes"]
    assert f"All accounted for {first['from']}, and no longer at {first['until']}; {last['from']}" in page.text
    assert "inside =Yard <1>" in page.text and "All accounted for" in page.text and ": all clear" in page.text
    assert "@media print" in answer.text and page.tags.count("table") == 2


def test_an_incident_closed_by_hand_has_a_reason_and_lists_who_was_missing(server):
    leader, phones = make_crew(server, "fire", people=2)
    number = leader.ok("POST", "/teams/fire/incidents", {"kind": "real"})["number"]
    leader.refused(409, "POST", "/teams/fire/incidents", {"kind": "drill"})
    leader.refused(409, "POST", "/teams/fire/incidents", {"kind": "real"})
    leader.refused(422, "POST", f"/incidents/{number}/close", {})
    closed = leader.ok("POST", f"/incidents/{number}/close", {"reason": "false alarm"})
    assert closed["closedHow"] == "byHand" and closed["closedBy"] == "fire-lea" and closed["reason"] == "false alarm"
    leader.refused(409, "POST", f"/incidents/{number}/close", {"reason": "again"})
    report = leader.ok("GET", f"/incidents/{number}/report?format=json")
    assert report["allAccountedTimes"] == [] and report["counts"]["unaccounted"] == 3
    rows = list(csv.DictReader(io.StringIO(leader.send("GET", f"/incidents/{number}/report?format=csv").text)))
    assert [row["user"] for row in rows if row["event"] == "unaccounted"] == ["fire-lea", "fire-p0", "fire-p1"]
    page = Page(leader.send("GET", f"/incidents/{number}/report?format=html").text)
    assert "fire-p1: unknown, nothing heard" in page.text and "at no time" in page.text
    assert "DRILL" not in page.text
    leader.refused(422, "GET", f"/incidents/{number}/report?format=pdf")
    assert [one["number"] for one in leader.items("/teams/fire/incidents")] == [number]
    entries = [entry for entry in leader.items("/audit") if entry["change"]["type"] == "incident"]
    assert [entry["change"]["open"] for entry in entries] == [False, True]
    assert {entry["author"] for entry in entries} == {"fire-lea"}


def test_a_declaration_from_before_an_incident_does_not_count_and_being_inside_does(server):
    leader, phones = make_crew(server, "hall", people=2)
    declare(leader, "hall-lea", "safe")
    for ago in (50_000, 25_000, 0):
        phones["hall-p0"].ok("POST", "/positions", fix(*inside, now() - ago, accuracy=5))
    incident = leader.ok("POST", "/teams/hall/incidents", {"kind": "drill"})
    number = incident["number"]
    answer, found = roll(leader, number)
    assert answer["counts"]["accounted"] == 1 and found["hall-p0"]["accounted"]
    # Said before it by a phone that was offline.
    early = stamp(milliseconds(incident["startedAt"]) - 60_000)
    assert declare(phones["hall-p1"], "hall-p1", "safe", sampleTime=early)["late"]
    assert not roll(leader, number)[1]["hall-p1"]["accounted"]


def test_a_team_without_people_has_nobody_to_account_for(server):
    server.admin().make_team("empty")
    server.admin().refused(409, "POST", "/teams/empty/incidents", {"kind": "drill"})


def test_a_kill_in_the_middle_loses_nothing(make_server):
    server = make_server().start()
    leader, phones = make_crew(server, "port", people=3)
    number = leader.ok("POST", "/teams/port/incidents", {"kind": "real"})["number"]
    declare(leader, "port-lea", "safe")
    for ago in (50_000, 25_000, 0):
        phones["port-p0"].ok("POST", "/positions", fix(*inside, now() - ago, accuracy=5))
    declare(phones["port-p1"], "port-p1", "needsHelp")
    before = roll(leader, number)
    server.kill()
    server.start()
    leader, help = NativeApi(server.address, leader.token), NativeApi(server.address, phones["port-p1"].token)
    assert roll(leader, number) == before
    declare(help, "port-p1", "safe")
    assert roll(leader, number)[0]["open"]
    declare(leader, "port-p2", "safe")
    answer = roll(leader, number)[0]
    assert answer["open"] and answer["allAccounted"]
    server.kill()
    server.start()
    leader = NativeApi(server.address, leader.token)
    assert roll(leader, number)[0]["allAccountedAt"] == answer["allAccountedAt"]


@pytest.mark.parametrize("body, pointer", [
    ({}, "/kind"), ({"kind": "test"}, "/kind"), ({"kind": "drill", "note": "x" * 1001}, "/note"),
    ({"kind": "drill", "team": "x"}, "/team")])
def test_an_invalid_incident_is_refused_with_the_field(server, body, pointer):
    admin = server.admin()
    if not any(team["name"] == "odd" for team in admin.items("/teams")):
        make_crew(server, "odd", people=1)
    document = admin.refused(422, "POST", "/teams/odd/incidents", body)
    assert pointer in [fault["pointer"] for fault in document["errors"]]
    for path in ("/incidents/0", "/incidents/99999", "/incidents/x", "/incidents/2147483648"):
        admin.refused(404, "GET", path)


def test_every_edit_by_hand_stands_in_the_audit_log(server):
    admin = server.admin()
    leader, _ = make_crew(server, "audit", people=1)
    # What other teams are linked to is the admins' alone.
    for tracker in admin.items("/trackers"):
        if tracker["name"] != "audit" and "audit" in tracker["collections"]:
            others = [name for name in tracker["collections"] if name != "audit"]
            admin.ok("PATCH", f"/trackers/{tracker['name']}", {"collections": others})
    leader.ok("PUT", "/collections/audit/regions/yard", yard)
    leader.ok("DELETE", "/collections/audit/regions/yard")
    other = admin.make_user("audit-other", "leader")
    own = leader.items("/audit")
    assert [(entry["author"], entry["change"]["removed"]) for entry in own[:2]] == [
        ("audit-lea", True), ("audit-lea", False)]
    assert {entry["change"]["type"] for entry in own} <= {"region", "directory", "action"}
    # Of no team: only what is about this user.
    assert all("audit-other" in (entry["change"].get("name"), entry["change"].get("user"))
               for entry in other.items("/audit"))
    everything = admin.items("/audit")
    sequences = [entry["change"]["sequence"] for entry in everything]
    assert sequences == sorted(sequences, reverse=True)
    page = admin.ok("GET", "/audit?limit=2")
    assert page["items"] == everything[:2] and page["nextCursor"]
