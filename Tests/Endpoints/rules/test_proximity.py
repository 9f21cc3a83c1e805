"""Proximity rules: two phones, a webhook, the command line, and a server that is killed on the way."""

import json

import pytest

from muster_process import run
from native_api import fix, now
from webhook_receiver import Receiver
from webhook_targets import make, settled

degrees_per_metre = 1 / 111_132
step_milliseconds = 5_000


@pytest.fixture
def receiver():
    with Receiver() as receiver:
        yield receiver


def metres_of_the_way():
    """How far Ana is from Ben, every five seconds: she comes, stays for two minutes, and goes."""
    way = list(range(400, 9, -10))
    return [*way, *[10] * 24, *reversed(way)]


def test_nearness_to_a_phone_is_reported_once_across_crashes_and_listed_as_a_contact(make_server, receiver):
    server = make_server(arguments=["--allow-private-targets"]).start()
    admin = server.admin()
    admin.make_team("crew")
    tokens = {"lea": admin.make_user("lea", "leader", "crew").token}
    admin.make_user("ana", "member", "crew")
    admin.make_user("ben", "member", "crew")
    for user in ("ana", "ben"):
        tokens[user] = admin.make_device(user).token
    make(admin, "hook", receiver.url)
    admin.ok("POST", "/rules", {
        "name": "near", "pattern": {"detail-type": ["Muster Proximity"], "detail": {"EventType": ["NEAR", "LEFT"]}},
        "targets": [{"target": "hook"}]})
    said = run("proximity", "fence", "crew", "keep-clear", "60", "--around-device", "ben/phone", data=server.data)
    assert said.splitlines()[0] == "keep-clear\teveryone within 60 m of ben/phone\t0 within, 0 beyond, 2 not known"
    way = metres_of_the_way()
    start = now() - len(way) * step_milliseconds
    for index, metres in enumerate(way):
        if index in (20, 55, 80):
            server.kill()
            server.start()
        for user, north in (("ben", 0), ("ana", metres)):
            server.api(tokens[user]).ok("POST", "/positions", [
                fix(45 + north * degrees_per_metre, 14, start + index * step_milliseconds, accuracy=5)])
        if index == 52:
            (line, ana, lea) = run("proximity", "show", "crew", "keep-clear", data=server.data).splitlines()
            # The positions are minutes old: where the two are now is not known, and what was told stands.
            assert line.endswith("\t0 within, 0 beyond, 2 not known")
            assert ana.startswith("ana\tnot known\t") and " m ± " in ana and "near since 20" in ana
            assert lea == "lea\tnot known"
    settled(server.admin())
    told = {call.event: json.loads(call.body) for call in receiver.calls}
    assert [event["detail"]["EventType"] for event in told.values()] == ["NEAR", "LEFT"]
    near = next(iter(told.values()))["detail"]
    assert (near["Rule"], near["User"], near["RadiusMetres"]) == ("keep-clear", "ana", 60)
    assert near["DistanceMetres"] < 60 and near["DeviationMetres"] < 30
    # Who was near Ben, for a leader who looks for him.
    lead = server.api(tokens["lea"])
    number = lead.ok("POST", "/teams/crew/incidents", {"kind": "drill"})["number"]
    found = lead.ok("GET", f"/incidents/{number}/contacts?person=ben&withinMetres=30")
    (contact,) = found["items"]
    assert found["complete"] and contact["user"] == "ana" and contact["closestMetres"] < 15
    (line,) = run("incident", "contacts", str(number), "ben", "--within-metres", "30", data=server.data).splitlines()
    assert line.split("\t")[:3] == ["ana", contact["from"], contact["to"]]
    for query in ("", "?person=nobody", "?person=ben&withinMetres=0", "?person=ben&beforeSeconds=-1"):
        lead.refused(422, "GET", f"/incidents/{number}/contacts{query}")
    assert lead.ok("GET", f"/incidents/{number}/contacts?person=lea")["items"] == []
