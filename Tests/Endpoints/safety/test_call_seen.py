"""The call of an incident: who says that they have seen it, and what that does not say."""

import csv
import io

from event_stream import EventStream
from incident_crew import make_crew_in
from muster_process import MusterProcess, run
from native_api import NativeApi, box, now, polygon, stamp

yard = polygon("yard", box(13.40, 52.50, 13.41, 52.51), muster=True)


def crew(server, name):
    leader, phones = make_crew_in(yard, server, name, 2)
    first, second = phones
    return leader, {user: signed_in(server, user) for user in phones}, phones, first, second


def signed_in(server, user):
    return NativeApi(server.address, server.admin().ok("POST", "/keys", {"label": "app", "user": user})["key"])


def on_roll(api, number, user):
    return next(person for person in api.ok("GET", f"/incidents/{number}")["roll"] if person["user"] == user)


def test_a_call_is_seen_once_by_the_person_themselves_and_accounts_for_nobody(server):
    leader, people, phones, ana, ben = crew(server, "seen")
    number = leader.ok("POST", "/teams/seen/incidents", {"kind": "real"})["number"]
    path = f"/incidents/{number}/acknowledgement"
    before = leader.ok("GET", f"/incidents/{number}")["counts"]
    since = leader.last_sequence()
    answer = people[ana].ok("POST", path, {"id": "a-1", "sampleTime": stamp(now())})
    assert answer == {"incident": number, "user": ana, "late": False, "callSeenAt": answer["callSeenAt"]}
    # Sent again, by the same id, without one, and by the phone's own token: the same answer, and nothing new.
    for api, body in (people[ana], {"id": "a-1"}), (people[ana], {}), (phones[ana], {"id": "other"}):
        assert api.ok("POST", path, body) == answer
    [line] = [change for change in leader.changes(since) if change["type"] == "roll"]
    assert (line["event"], line["user"], line["by"]) == ("callSeen", ana, ana)
    roll = leader.ok("GET", f"/incidents/{number}")
    assert roll["counts"] == before and not roll["allAccounted"]
    person = on_roll(leader, number, ana)
    assert person["callSeenAt"] == answer["callSeenAt"] and not person["accounted"] and person["state"] == "unknown"
    assert "callSeenAt" not in on_roll(leader, number, ben)
    assert on_roll(people[ana], number, ana)["callSeenAt"] == answer["callSeenAt"]
    # A leader says it for nobody but themselves: there is no way to name another.
    leader.refused(422, "POST", path, {"user": ben})
    assert leader.ok("POST", path, {})["user"] == "seen-lea"
    assert "callSeenAt" not in on_roll(leader, number, ben)
    assert f"\thas seen the call {answer['callSeenAt']}" in run("incident", "show", str(number), data=server.data)


def test_the_report_has_it_in_every_form(server):
    leader, people, _, ana, ben = crew(server, "told")
    number = leader.ok("POST", "/teams/told/incidents", {"kind": "drill"})["number"]
    at = people[ana].ok("POST", f"/incidents/{number}/acknowledgement", {})["callSeenAt"]
    report = f"/incidents/{number}/report?format="
    whole = leader.ok("GET", report + "json")
    assert [line["event"] for line in whole["changes"] if line.get("user") == ana] == ["present", "callSeen"]
    rows = list(csv.DictReader(io.StringIO(leader.send("GET", report + "csv").text)))
    assert "callSeenAt" in rows[0]
    assert {row["callSeenAt"] for row in rows if row["user"] == ana} == {at}
    assert {row["callSeenAt"] for row in rows if row["user"] == ben} == {""}
    assert [row["event"] for row in rows].count("callSeen") == 1
    assert f"has seen the call {at}" in leader.send("GET", report + "html").text


def test_a_call_that_is_opened_again_asks_again_also_after_a_crash(make_server):
    server = make_server().start()
    leader, people, _, ana, _ = crew(server, "again")
    number = leader.ok("POST", "/teams/again/incidents", {"kind": "real"})["number"]
    path = f"/incidents/{number}/acknowledgement"
    early = stamp(now())
    at = people[ana].ok("POST", path, {"id": "first"})["callSeenAt"]
    leader.ok("POST", f"/incidents/{number}/close", {"reason": "done"})
    assert on_roll(leader, number, ana)["callSeenAt"] == at
    people[ana].refused(409, "POST", path, {"id": "too-late"})
    leader.ok("POST", f"/incidents/{number}/reopen", {"reason": "smoke"})
    assert "callSeenAt" not in on_roll(leader, number, ana)
    server.kill()
    with MusterProcess(server.folder) as server:
        member = NativeApi(server.address, people[ana].token)
        lead = NativeApi(server.address, leader.token)
        assert "callSeenAt" not in on_roll(lead, number, ana)
        # An acknowledgement that waited on the phone since before the reopening is about the first call.
        far = stamp(now() - 3_600_000)
        assert member.ok("POST", path, {"id": "waited", "sampleTime": far})["late"] is True
        assert "callSeenAt" not in on_roll(lead, number, ana)
        again = member.ok("POST", path, {"id": "second"})["callSeenAt"]
        assert again > at and on_roll(lead, number, ana)["callSeenAt"] == again
        assert early < again


def test_strangers_and_bad_words_are_refused(server):
    leader, people, _, ana, ben = crew(server, "strange")
    admin = server.admin()
    admin.make_team("far")
    stranger, other = admin.make_user("far-nora", "leader", "far"), admin.make_user("far-ned", "member", "far")
    number = leader.ok("POST", "/teams/strange/incidents", {"kind": "drill"})["number"]
    path = f"/incidents/{number}/acknowledgement"
    for api in stranger, other:
        api.refused(404, "POST", path, {})
    NativeApi(server.address).refused(401, "POST", path, {})
    # An admin sees the incident, but is not on its roll.
    assert "not on the roll" in admin.refused(409, "POST", path, {})["detail"]
    for body in {"id": "a b"}, {"id": "x" * 65}, {"sampleTime": "soon"}, {"sampleTime": stamp(now() + 3_600_000)}:
        people[ana].refused(422, "POST", path, body)
    people[ana].ok("POST", path, {"id": "mine"})
    # The id belongs to ana's acknowledgement.
    people[ben].refused(409, "POST", path, {"id": "mine"})
    leader.ok("POST", f"/incidents/{number}/roll/{on_roll(leader, number, ben)['person']}/removal", {"reason": "home"})
    people[ben].refused(409, "POST", path, {"id": "ben"})


def test_the_leaders_page_is_told_at_once_and_a_colleague_is_not(server):
    leader, people, _, ana, ben = crew(server, "live")
    number = leader.ok("POST", "/teams/live/incidents", {"kind": "drill"})["number"]
    since = leader.last_sequence()
    with EventStream(server.address, leader.token, since=since) as stream:
        people[ana].ok("POST", f"/incidents/{number}/acknowledgement", {})
        event = next(data for _, kind, data in stream.events() if kind == "roll")
    assert (event["event"], event["user"], event["incident"]) == ("callSeen", ana, number)
    assert not [change for change in people[ben].changes(since) if change["type"] == "roll"]
