"""What people say of people: who may, what it does, how it is known, and that it survives."""

import itertools

import pytest

from event_stream import EventStream
from native_api import box, fix, now, polygon, stamp

numbers = itertools.count(1)
inside, both, outside = (52.505, 13.405), (52.5095, 13.405), (52.6, 13.6)
yard = polygon("yard", box(13.40, 52.50, 13.41, 52.51), muster=True, name="Yard")
field = polygon("field", box(13.40, 52.509, 13.41, 52.52), muster=True, name="Field")


class Crew:
    """A team with a leader, two members, one of them with a phone, and two overlapping muster regions."""

    def __init__(self, server, name):
        self.admin = server.admin()
        self.name = name
        self.admin.make_team(name, [yard, field])
        self.leader = self.admin.make_user(f"{name}-lea", "leader", name)
        self.ann = self.admin.make_user(f"{name}-ann", "member", name)
        self.ben = self.admin.make_user(f"{name}-ben", "member", name)
        self.phone = self.admin.make_device(f"{name}-ann")

    def user(self, name):
        return f"{self.name}-{name}"

    def declare(self, api, name, kind, **more):
        return api.ok("POST", f"/users/{self.user(name)}/declarations", {"kind": kind, **more})

    def safety(self, name):
        members = self.leader.ok("GET", f"/teams/{self.name}/safety")["members"]
        return next(member for member in members if member["user"] == self.user(name))

    def report(self, place, at=None):
        self.phone.ok("POST", "/positions", fix(*place, at or now(), accuracy=5))


@pytest.fixture
def crew(server):
    return Crew(server, f"crew{next(numbers)}")


def test_someone_in_two_muster_regions_who_leaves_one_is_still_safe(crew):
    start = now() - 2_000_000
    for ago in (50_000, 25_000, 0):
        crew.report(inside, start - ago)
    # After five minutes one accurate fix is believed.
    crew.report(both, start + 300_000)
    crew.report((52.515, 13.405), start + 600_000)
    safety = crew.safety("ann")
    assert safety["state"] == "safe" and safety["source"] == "region" and safety["region"]["name"] == "Field"
    assert safety["since"] == stamp(start)
    crew.report(outside, start + 900_000)
    assert crew.safety("ann")["state"] == "unsafe"
    assert crew.safety("ann")["source"] == "position"


def test_a_call_for_help_holds_until_a_person_ends_it(crew):
    answer = crew.declare(crew.phone, "ann", "sos", note="<b>ankle</b>", latitude=52.1, longitude=13.2)
    assert answer["safety"]["state"] == "sos" and answer["safety"]["acknowledged"] is False
    for ago in (50_000, 25_000, 0):
        crew.report(inside, now() - ago)
    assert crew.safety("ann")["state"] == "sos"
    assert crew.declare(crew.ann, "ann", "safe")["late"] is True
    assert crew.safety("ann")["state"] == "sos"
    acknowledged = crew.declare(crew.leader, "ann", "acknowledge")["safety"]
    assert acknowledged["acknowledgedBy"] == crew.user("lea") and acknowledged["state"] == "sos"
    assert crew.declare(crew.leader, "ann", "clear")["safety"]["state"] == "safe"
    told = crew.leader.items(f"/users/{crew.user('ann')}/declarations")
    assert [(item["kind"], item["late"]) for item in told] == [
        ("sos", False), ("safe", True), ("acknowledge", False), ("clear", False)]
    assert told[0]["device"] == crew.user("ann") + "/phone" and told[0]["note"] == "<b>ankle</b>"
    assert (told[0]["latitude"], told[0]["longitude"]) == (52.1, 13.2)
    assert crew.leader.ok("GET", f"/users/{crew.user('ann')}/declarations?limit=2")["nextCursor"]


def test_a_mark_is_reported_with_its_author_and_audited(crew):
    crew.declare(crew.leader, "ben", "offSite", note="on leave")
    safety = crew.safety("ben")
    assert (safety["state"], safety["source"], safety["markedBy"]) == ("offSite", "marked", crew.user("lea"))
    crew.declare(crew.ben, "ben", "safe")
    assert crew.safety("ben")["source"] == "ownDeclaration"
    entries = [entry for entry in crew.leader.items("/audit") if entry["change"]["type"] == "declaration"]
    assert [(entry["author"], entry["change"]["user"], entry["change"]["kind"]) for entry in entries] == [
        (crew.user("ben"), crew.user("ben"), "safe"), (crew.user("lea"), crew.user("ben"), "offSite")]
    # Notes are not kept for a year.
    assert not any("note" in entry["change"] for entry in entries)


def test_an_older_or_repeated_declaration_changes_nothing(crew):
    at = now()
    call = {"kind": "needsHelp", "id": "call-1", "sampleTime": stamp(at - 10_000)}
    path = f"/users/{crew.user('ann')}/declarations"
    first = crew.ann.ok("POST", path, call)
    assert not first["repeated"] and not first["late"]
    before = crew.admin.last_sequence()
    again = crew.ann.ok("POST", path, call)
    assert again["repeated"] and again["sequence"] == before
    old = crew.ann.ok("POST", path, {"kind": "safe", "id": "late-1", "sampleTime": stamp(at - 60_000)})
    assert old["late"] and old["safety"]["state"] == "needsHelp"


@pytest.mark.parametrize("body, pointer", [
    ({}, "/kind"), ({"kind": "fine"}, "/kind"), ({"kind": "safe", "id": "a b"}, "/id"),
    ({"kind": "safe", "id": "x" * 65}, "/id"), ({"kind": "safe", "note": "x" * 1001}, "/note"),
    ({"kind": "safe", "sampleTime": "2199-01-01T00:00:00Z"}, "/sampleTime"),
    ({"kind": "safe", "sampleTime": "1999-01-01T00:00:00Z"}, "/sampleTime"),
    ({"kind": "safe", "latitude": 1}, "/latitude"), ({"kind": "safe", "latitude": 91, "longitude": 0}, "/latitude"),
    ({"kind": "safe", "by": "root"}, "/by")])
def test_an_invalid_declaration_is_refused_with_the_field(crew, body, pointer):
    before = crew.admin.last_sequence()
    document = crew.ann.refused(422, "POST", f"/users/{crew.user('ann')}/declarations", body)
    assert pointer in [fault["pointer"] for fault in document["errors"]]
    assert crew.admin.last_sequence() == before


def test_the_roles_that_may_declare_what_about_whom(crew, server):
    path = f"/users/{crew.user('ann')}/declarations"
    crew.declare(crew.ann, "ann", "needsHelp")
    # Nobody acknowledges a call of its own; a member says nothing of others; a device speaks for its owner alone.
    assert crew.ann.send("POST", path, {"kind": "acknowledge"}).status_code == 403
    assert crew.phone.send("POST", path, {"kind": "acknowledge"}).status_code == 403
    assert crew.ben.send("POST", path, {"kind": "clear"}).status_code == 404
    assert crew.phone.send("POST", f"/users/{crew.user('ben')}/declarations", {"kind": "safe"}).status_code == 404
    stranger = crew.admin.make_user(f"{crew.name}-max", "leader")
    assert stranger.send("POST", path, {"kind": "clear"}).status_code == 404
    lea = crew.admin.make_device(crew.user("lea"))
    assert lea.send("POST", path, {"kind": "clear"}).status_code == 404, "a leader's phone leads nobody"
    assert crew.safety("ann")["state"] == "needsHelp"
    crew.declare(crew.phone, "ann", "clear")
    assert crew.safety("ann")["state"] == "unknown"


def test_the_feed_reports_a_declaration_and_its_effect(crew):
    before = crew.admin.last_sequence()
    with EventStream(crew.leader.address, crew.leader.token, since=before) as stream:
        crew.declare(crew.ann, "ann", "sos")
        events = stream.take(lambda found: len(found) >= 2)
    assert [event[1] for event in events] == ["declaration", "safety"]
    assert events[1][2]["state"] == "sos" and events[1][2]["source"] == "ownDeclaration"
    assert [change["type"] for change in crew.ben.changes(before)] == []


def test_declarations_survive_a_kill(make_server):
    server = make_server().start()
    crew = Crew(server, "crew")
    crew.declare(crew.ann, "ann", "sos")
    crew.declare(crew.leader, "ann", "acknowledge")
    crew.declare(crew.leader, "ben", "safe")
    before = (crew.safety("ann"), crew.safety("ben"))
    server.kill()
    server.start()
    assert (crew.safety("ann"), crew.safety("ben")) == before
    assert crew.declare(crew.leader, "ann", "clear")["safety"]["state"] == "unknown"
