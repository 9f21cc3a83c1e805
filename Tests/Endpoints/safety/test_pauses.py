"""Pauses: people say why they are silent. That makes nobody safe, and keeps nothing out."""

import time

from event_stream import EventStream
from incident_crew import make_crew_in
from muster_process import MusterProcess, run
from native_api import NativeApi, box, fix, milliseconds, now, polygon, stamp

yard = polygon("yard", box(13.40, 52.50, 13.41, 52.51), muster=True)
hour = 3_600_000


def crew(server, name, allows=True):
    leader, phones = make_crew_in(yard, server, name, 2)
    if allows:
        leader.ok("PATCH", f"/teams/{name}", {"allowsPause": True})
    ana = f"{name}-p0"
    key = server.admin().ok("POST", "/keys", {"label": "app", "user": ana})["key"]
    return leader, NativeApi(server.address, key), phones[ana], ana


def standing(api, team, user):
    return next(member for member in api.ok("GET", f"/teams/{team}/safety")["members"] if member["user"] == user)


def test_a_pause_is_told_to_those_who_see_the_person_and_ends_at_their_word(server):
    leader, member, _, ana = crew(server, "lunch")
    since = leader.last_sequence()
    with EventStream(server.address, leader.token, since=since) as stream:
        before = now()
        pause = member.ok("PUT", f"/users/{ana}/pause", {"untilSeconds": 1800, "note": "at the dentist's"})
        after = now()
        event = next(data for _, kind, data in stream.events() if kind == "pause")
    assert before <= milliseconds(pause["since"]) <= after
    assert before <= milliseconds(pause["until"]) - 1_800_000 <= milliseconds(pause["since"])
    assert event["happened"] == "began" and {name: event[name] for name in pause} == pause and event["user"] == ana
    for api in leader, member, server.admin():
        assert standing(api, "lunch", ana)["pause"] == pause
    assert "paused by themselves until" in run("team", "status", "lunch", data=server.data)
    longer = member.ok("PUT", f"/users/{ana}/pause", {"until": stamp(now() + 2 * hour)})
    assert longer["since"] == pause["since"] and "note" not in longer
    for _ in range(2):
        member.ok("DELETE", f"/users/{ana}/pause")
    assert "pause" not in standing(leader, "lunch", ana)
    told = [change["happened"] for change in leader.changes(since) if change["type"] == "pause"]
    assert told == ["began", "began", "ended"]
    colleague = NativeApi(server.address, server.admin().ok("POST", "/keys", {"label": "x", "user": "lunch-p1"})["key"])
    assert not [change for change in colleague.changes(since) if change["type"] == "pause"]


def test_a_pause_stops_no_report_and_makes_nobody_safe(server):
    leader, member, phone, ana = crew(server, "evidence")
    member.ok("PUT", f"/users/{ana}/pause", {"untilSeconds": 600})
    assert standing(leader, "evidence", ana)["state"] == "unknown"
    assert phone.ok("POST", "/positions", fix(52.6, 13.6, now() - 2000, accuracy=5))["accepted"] == 1
    phone.ok("POST", "/positions", fix(52.6, 13.6, now(), accuracy=5))
    seen = standing(leader, "evidence", ana)
    assert seen["position"]["latitude"] == 52.6 and "pause" in seen
    assert leader.history(f"{ana}/phone")[-1]["latitude"] == 52.6
    member.ok("POST", f"/users/{ana}/declarations", {"kind": "sos"})
    assert standing(leader, "evidence", ana)["state"] == "sos"
    assert "help" in member.refused(409, "PUT", f"/users/{ana}/pause", {"untilSeconds": 600})["detail"]


def test_an_incident_and_the_teams_choice_end_pauses(server):
    leader, member, _, ana = crew(server, "ended")
    path = f"/users/{ana}/pause"
    member.ok("PUT", path, {"untilSeconds": 600})
    number = leader.ok("POST", "/teams/ended/incidents", {"kind": "drill"})["number"]
    assert "pause" not in standing(leader, "ended", ana)
    assert f"Incident {number}" in member.refused(409, "PUT", path, {"untilSeconds": 600})["detail"]
    leader.ok("POST", f"/incidents/{number}/close", {"reason": "done"})
    assert "pause" not in standing(leader, "ended", ana)
    member.ok("PUT", path, {"untilSeconds": 600})
    leader.ok("PATCH", "/teams/ended", {"allowsPause": False})
    assert "pause" not in standing(leader, "ended", ana)
    assert "does not allow" in member.refused(409, "PUT", path, {"untilSeconds": 600})["detail"]


def test_nobody_pauses_for_another_and_a_phones_token_does_not(server):
    leader, member, phone, ana = crew(server, "self")
    path = f"/users/{ana}/pause"
    for api, status in (leader, 403), (server.admin(), 403), (phone, 403):
        api.refused(status, "PUT", path, {"untilSeconds": 600})
        api.refused(status, "DELETE", path)
    member.refused(404, "PUT", "/users/self-p1/pause", {"untilSeconds": 600})
    member.refused(403, "PATCH", "/teams/self", {"allowsPause": False})
    for body in (
        {}, {"untilSeconds": 0}, {"untilSeconds": 43_201}, {"until": stamp(now() - 1000)}, {"until": "noon"},
        {"until": stamp(now() + 13 * hour)}, {"until": stamp(now() + hour), "untilSeconds": 60},
        {"untilSeconds": 60, "note": "x" * 501},
    ):
        member.refused(422, "PUT", path, body)
    begin = time.monotonic()
    taken = 0
    while (answer := member.send("PUT", path, {"untilSeconds": 600 + taken})).status_code == 200:
        taken += 1
        # 20 at once, and one more in 30 s.
        assert taken <= 21 + (time.monotonic() - begin) / 30
    assert taken >= 20 and answer.status_code == 429


def test_a_pause_outlasts_a_crash(make_server):
    server = make_server().start()
    leader, member, _, ana = crew(server, "crash")
    assert json_of_team(server)["allowsPause"] is True
    pause = member.ok("PUT", f"/users/{ana}/pause", {"untilSeconds": 600, "note": "lunch"})
    server.kill()
    with MusterProcess(server.folder) as server:
        assert standing(NativeApi(server.address, leader.token), "crash", ana)["pause"] == pause


def json_of_team(server):
    run("team", "set", "crash", "--allows-pause", "true", data=server.data)
    return server.admin().ok("GET", "/teams/crash")
