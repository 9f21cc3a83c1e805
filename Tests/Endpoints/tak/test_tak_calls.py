"""No fault and no limit beside a call for help by TAK takes it away, and its end ends no other call."""

import itertools
import time

import pytest

from event_stream import EventStream
from muster_process import MusterProcess
from native_api import box, fix, now, polygon, stamp
from tak_client import Client, alert_of, call, end_of_call, enroll, event, marker_of
from waiting import eventually

numbers = itertools.count()


@pytest.fixture(scope="module")
def server(tmp_path_factory, store_of_files):
    server = MusterProcess(tmp_path_factory.mktemp("tak"), ["--tak-port", "0"])
    server.model = store_of_files
    with server:
        yield server


class Person:
    """A member whose phone lies in the assembly point of the team, and their leader."""

    def __init__(self, server, admin, folder):
        number = next(numbers)
        self.server, self.admin, self.folder, self.team = server, admin, folder, f"crew{number}"
        hall = polygon("hall", box(-6.1, 43.4, -6.0, 43.5), name="Hall", muster=True)
        admin.make_team(self.team, [hall])
        self.name, self.leader_name = f"ann{number}", f"lea{number}"
        self.api = admin.make_user(self.name, "member", self.team)
        self.leader = admin.make_user(self.leader_name, "leader", self.team)
        self.watch = admin.make_device(self.name, "watch")
        for ago in (50_000, 25_000):
            self.stay_in_the_hall(ago)
        self.stay_in_the_hall()
        eventually(self.safety, lambda state: state == "safe")

    def stay_in_the_hall(self, ago=0):
        self.watch.ok("POST", "/positions", fix(43.45, -6.05, now() - ago, accuracy=5))

    def declare(self, kind, by=None, **more):
        return (by or self.api).ok("POST", f"/users/{self.name}/declarations", {"kind": kind, **more})

    def found(self):
        members = self.admin.ok("GET", f"/teams/{self.team}/safety")["members"]
        return next(person for person in members if person["user"] == self.name)

    def safety(self):
        return self.found()["state"]

    def client(self, user=None, *options):
        return Client(self.server, enroll(self.server, self.folder, user or self.name, "phone", *options))


@pytest.fixture
def person(server, admin, tmp_path):
    return Person(server, admin, tmp_path)


def answered(client):
    """Waits until the server has handled everything that the client sent."""
    seen = len(client.events)
    client.send(event("m", "t-x-c-t", detail=""))
    client.await_event(lambda found: found.type == "t-x-c-t-r", after=seen)


def call_and_end(person, client, between=lambda: None):
    client.send(call("A"))
    eventually(person.safety, lambda state: state == "sos")
    between()
    client.send(end_of_call("A"))
    answered(client)
    person.stay_in_the_hall()


# MARK: Ends


def test_an_end_makes_nobody_safe_whom_a_leader_had_marked_before(person):
    person.declare("needsHelp", by=person.leader)
    with person.client() as client:
        call_and_end(person, client)
        assert person.safety() == "sos"
        # Also when it calls and ends again.
        call_and_end(person, client)
        assert person.safety() == "sos"


def test_an_end_ends_no_need_for_help_that_the_person_had_said_before(person):
    person.declare("needsHelp")
    with person.client() as client:
        call_and_end(person, client)
    assert person.safety() == "sos"


@pytest.mark.parametrize("kind", ["sos", "needsHelp"])
def test_an_end_ends_no_earlier_call_that_arrives_late(person, kind):
    with person.client() as client:
        call_and_end(person, client, lambda: person.declare(kind, sampleTime=stamp(now() - 60_000)))
    assert person.safety() == "sos"


def test_an_end_counts_where_the_calls_before_have_ended(person):
    person.declare("needsHelp")
    person.declare("clear", by=person.leader)
    person.declare("sos")
    person.declare("clear", by=person.leader)
    with person.client() as client:
        for _ in range(2):
            call_and_end(person, client)
            assert person.safety() == "safe"


def test_who_calls_again_after_an_end_that_was_not_taken_calls_anew(person):
    with person.client() as client:
        client.send(call("A"))
        eventually(person.safety, lambda state: state == "sos")
        person.declare("sos")
        person.declare("acknowledge", by=person.leader)
        client.send(end_of_call("A"))
        answered(client)
        assert person.found()["acknowledged"] is True
        client.send(call("A"))
        eventually(person.found, lambda found: not found.get("acknowledged"))


# MARK: Limits and faults beside a call


def test_a_call_counts_where_no_feed_is_left_to_show_the_client_anything(person, server):
    token = person.admin.ok("POST", f"/users/{person.leader_name}/devices", {"name": "phone"}) and person.admin.ok(
        "POST", f"/users/{person.leader_name}/devices/phone/token")["token"]
    feeds = [EventStream(server.address, token) for _ in range(10)]
    with person.client(person.leader_name, "--reads") as leader:
        answered(leader)
        leader.send(call("L"))
        leaders = f"/teams/{person.team}/safety"
        eventually(lambda: [found["state"] for found in person.admin.ok("GET", leaders)["members"]
                            if found["user"] == person.leader_name], lambda states: states == ["sos"])
        assert not [found for found in leader.events if found.type.startswith("a-")]
        for feed in feeds:
            feed.close()
        # The next beat opens the feed.
        leader.await_event(marker_of(person.name))


def test_a_call_counts_after_a_word_of_a_phone_whose_clock_is_ahead(person):
    person.declare("offSite", sampleTime=stamp(now() + 30_000))
    with person.client() as client:
        client.send(call("A"))
        eventually(person.safety, lambda state: state == "sos")


def test_a_call_behind_events_that_cannot_be_read_counts(person):
    with person.client() as client:
        client.send(*[event("A").replace("uid=", "no=")] * 25, *[event("A")] * 100, call("A"))
        eventually(person.safety, lambda state: state == "sos")


def test_a_call_behind_many_empty_messages_counts(person):
    with person.client() as client:
        client.send_bytes(b"\xbf\x00" * (128 << 10) + call("A").encode())
        eventually(person.safety, lambda state: state == "sos")


def test_a_client_that_does_not_read_gets_no_answers_that_pile_up(person):
    package = enroll(person.server, person.folder, person.name, "phone")
    request = event("A", "t-x-takp-q", detail='<TakControl><TakRequest version="2"/></TakControl>')
    requests = 20_000
    with Client(person.server, package, reads=False, receive_bytes=4_096) as client:
        for _ in range(requests // 1_000):
            client.send(*[request] * 1_000)
        client.send(call("A"))
        eventually(person.safety, lambda state: state == "sos")
        client.start_reading()
        time.sleep(3)
        answers = sum(found.type == "t-x-takp-r" for found in client.events)
        assert 0 < answers < requests


# MARK: Changes of the directory


def test_who_edits_their_own_device_makes_no_client_draw_everything_again(person, admin):
    with person.client(person.leader_name, "--reads") as leader:
        leader.await_event(lambda found: found.type == "u-d-f")
        leader.await_event(marker_of(person.name))
        answered(leader)
        seen = len(leader.events)
        for number in range(5):
            admin.make_device(person.name, f"tablet{number}")
        time.sleep(2)
        again = [found for found in leader.events[seen:] if found.type in ("u-d-f", "u-d-c-c")]
        assert not again


def test_a_team_that_gets_other_collections_gets_their_regions(person, admin):
    other = f"{person.team}-other"
    tracker = admin.ok("GET", f"/teams/{person.team}")["tracker"]
    admin.ok("POST", "/collections", {"name": other, "policy": "raw"})
    admin.ok("PUT", f"/collections/{other}/regions/yard", polygon("yard", box(-6.3, 43.4, -6.2, 43.5), name="Yard"))
    with person.client() as client:
        drawn = client.await_event(lambda found: found.type == "u-d-f" and found.callsign == "Hall")
        admin.ok("PATCH", f"/trackers/{tracker}", {"collections": [other]})
        client.await_event(lambda found: found.type == "u-d-f" and found.callsign == "Yard")
        removal = client.await_event(lambda found: found.type == "t-x-d-d")
        assert removal.detail.find("link").get("uid") == drawn.uid


def test_a_person_who_needs_help_is_shown_although_they_paused(person, admin):
    admin.ok("PATCH", f"/teams/{person.team}", {"allowsPause": True})
    person.api.ok("PUT", f"/users/{person.name}/pause", {"untilSeconds": 3600})
    person.declare("needsHelp")
    with person.client(person.leader_name, "--reads") as leader:
        assert leader.await_event(marker_of(person.name)).group == "Magenta"
        person.declare("sos")
        leader.await_event(alert_of(person.name))
