"""TAK clients get the people whom their person may see, the regions of the team, and calls for help."""

import itertools
import math
import time

import pytest

from muster_process import MusterProcess
from native_api import box, collection, fix, now, polygon
from tak_client import (
    Client, alert_of, call, end_of_alert_of, end_of_call, enroll, event, marker_of)
from waiting import eventually

numbers = itertools.count()


@pytest.fixture(scope="module")
def server(tmp_path_factory, store_of_files):
    server = MusterProcess(tmp_path_factory.mktemp("tak"), ["--tak-port", "0"])
    server.model = store_of_files
    with server:
        yield server


class Team:
    """A team of its own with a leader, whose TAK client shows the team, and a member with a phone."""

    def __init__(self, server, admin, folder):
        number = next(numbers)
        self.server, self.admin, self.folder, self.name = server, admin, folder, f"team{number}"
        self.devices = {}
        hall = polygon("hall", box(-6.1, 43.4, -6.0, 43.5), name="Hall <&> yard", muster=True)
        admin.make_team(self.name, [hall])
        self.leader, self.leader_api = self.add("leader")
        self.member, self.member_api = self.add()

    def add(self, role="member"):
        name = f"{role}{next(numbers)}"
        return name, self.admin.make_user(name, role, self.name)

    def client(self, user=None, *options, device="phone"):
        return Client(self.server, enroll(self.server, self.folder, user or self.leader, device, *options))

    def reading(self):
        return self.client(self.leader, "--reads")

    def report(self, user, latitude=43.45, longitude=-6.05, device="watch"):
        """Reports a position of a device that is no TAK client."""
        if user not in self.devices:
            self.devices[user] = self.admin.make_device(user, device)
        self.devices[user].ok("POST", "/positions", fix(latitude, longitude, now(), accuracy=5))

    def safety(self, user):
        return self.safety_of(user)["state"]

    def safety_of(self, user):
        members = self.admin.ok("GET", f"/teams/{self.name}/safety")["members"]
        return next(person for person in members if person["user"] == user)


@pytest.fixture
def team(server, admin, tmp_path):
    return Team(server, admin, tmp_path)


# MARK: Who sees whom


def test_a_leaders_client_sees_the_team_and_a_members_nobody(team, admin, server, tmp_path):
    team.report(team.member)
    other = Team(server, admin, tmp_path)
    other.report(other.member)
    with team.reading() as leader, team.client(team.member, "--reads") as member:
        found = leader.await_event(marker_of(team.member))
        assert (found.latitude, found.longitude) == (43.45, -6.05)
        assert found.group in {"Green", "Yellow", "Orange", "Purple"} and found.remarks
        member.await_event(lambda found: found.type == "u-d-f")
        time.sleep(1)
        assert not [found for found in leader.events if found.callsign == other.member]
        assert not [found for found in member.events if found.type.startswith("a-")]


def test_a_certificate_that_only_reports_shows_a_leader_nobody(team):
    team.report(team.member)
    with team.client(team.leader) as leader:
        leader.await_event(lambda found: found.type == "u-d-f")
        time.sleep(1)
        assert not [found for found in leader.events if found.type.startswith("a-")]


def test_who_leaves_the_team_leaves_the_clients_map(team, admin):
    team.report(team.member)
    with team.reading() as leader:
        marker = leader.await_event(marker_of(team.member))
        admin.ok("PATCH", f"/users/{team.member}", {"team": None})
        removal = leader.await_event(lambda found: found.type == "t-x-d-d")
        assert removal.detail.find("link").get("uid") == marker.uid
        seen = len(leader.events)
        team.report(team.member, 43.46)
        time.sleep(1)
        assert not [found for found in leader.events[seen:] if found.callsign == team.member]


def test_a_leader_who_is_one_no_more_sees_nobody(team, admin):
    team.report(team.member)
    with team.reading() as leader:
        leader.await_event(marker_of(team.member))
        admin.ok("PATCH", f"/users/{team.leader}", {"role": "member"})
        leader.await_event(lambda found: found.type == "t-x-d-d")
        seen = len(leader.events)
        team.report(team.member, 43.46)
        time.sleep(1)
        assert not [found for found in leader.events[seen:] if found.type.startswith("a-")]


def test_a_person_who_pauses_is_shown_no_more_but_for_a_call(team, admin):
    admin.ok("PATCH", f"/teams/{team.name}", {"allowsPause": True})
    team.report(team.member)
    with team.reading() as leader:
        leader.await_event(marker_of(team.member))
        team.member_api.ok("PUT", f"/users/{team.member}/pause", {"untilSeconds": 3600})
        leader.await_event(lambda found: found.type == "t-x-d-d")
    with team.reading() as leader:
        leader.await_event(lambda found: found.type == "u-d-f")
        time.sleep(1)
        assert not [found for found in leader.events if found.callsign == team.member]
        team.member_api.ok("POST", f"/users/{team.member}/declarations", {"kind": "sos"})
        leader.await_event(alert_of(team.member))


def test_positions_of_one_client_reach_another(team):
    with team.reading() as leader, team.client(team.member) as member:
        member.send(event("ANDROID-9", latitude=43.3))
        assert leader.await_event(marker_of(team.member)).latitude == 43.3
        member.send(event("ANDROID-9", latitude=43.31, seconds=1))
        leader.await_event(lambda found: found.latitude == 43.31)


# MARK: Regions


def test_regions_are_drawings_that_follow_edits(team, admin):
    with team.reading() as leader:
        drawn = leader.await_event(lambda found: found.type == "u-d-f")
        assert drawn.callsign == "Hall <&> yard"
        corners = [link.get("point") for link in drawn.detail.findall("link")]
        assert len(corners) == 5 and corners[0] == corners[-1] and "43.4,-6.1" in corners
        admin.ok("PUT", f"/collections/{team.name}/regions/ring", {
            "type": "Feature", "properties": {"radius": 250},
            "geometry": {"type": "Point", "coordinates": [-6.2, 43.2]}})
        circle = leader.await_event(lambda found: found.type == "u-d-c-c")
        assert circle.detail.find("shape/ellipse").get("major") == "250.0"
        admin.ok("DELETE", f"/collections/{team.name}/regions/ring")
        removal = leader.await_event(lambda found: found.type == "t-x-d-d")
        assert removal.detail.find("link").get("uid") == circle.uid


# MARK: Calls for help


def test_a_call_by_tak_is_an_sos_and_its_end_ends_it(team):
    with team.reading() as leader, team.client(team.member) as member:
        member.send(call("ANDROID-3"))
        alert = leader.await_event(alert_of(team.member))
        assert team.safety(team.member) == "sos"
        assert alert.detail.findtext("emergency") == team.member
        member.send(end_of_call("ANDROID-3"))
        assert leader.await_event(end_of_alert_of(team.member)).uid == alert.uid
    assert team.safety(team.member) == "unknown"


def test_an_end_ends_no_other_call(team):
    with team.reading() as leader, team.client(team.member) as member, team.client(
            team.member, device="other") as other:
        member.send(call("ANDROID-3"))
        leader.await_event(alert_of(team.member))
        # Another UID, another device of the same person, another person.
        member.send(end_of_call("ANDROID-4"))
        other.send(end_of_call("ANDROID-3"))
        leader.send(end_of_call("ANDROID-3"))
        for client, uid in ((member, "m"), (other, "o"), (leader, "l")):
            client.send(event(uid, "t-x-c-t", detail=""))
            client.await_event(lambda found: found.type == "t-x-c-t-r")
        assert team.safety(team.member) == "sos"
        # The person also called in Muster's own app: the end of the one call is not the end of the other.
        team.member_api.ok("POST", f"/users/{team.member}/declarations", {"kind": "sos"})
        member.send(end_of_call("ANDROID-3"), event("m", "t-x-c-t", detail=""))
        time.sleep(1)
        assert team.safety(team.member) == "sos"


def test_nothing_by_tak_ends_a_call_that_was_made_elsewhere(team):
    team.member_api.ok("POST", f"/users/{team.member}/declarations", {"kind": "sos"})
    with team.client(team.member) as member:
        member.send(end_of_call("ANDROID-3"), event("A", "b-a-o-can", detail='<emergency cancel="true"/>'))
        member.send(event("A", "t-x-c-t", detail=""))
        member.await_event(lambda found: found.type == "t-x-c-t-r")
    assert team.safety(team.member) == "sos"


def test_a_call_with_a_wrong_clock_counts(team):
    with team.client(team.member) as member, team.client(team.leader) as leader:
        team.member_api.ok("POST", f"/users/{team.member}/declarations", {"kind": "safe"})
        member.send(call("A", seconds=-7 * 86_400))
        eventually(lambda: team.safety(team.member), lambda state: state == "sos")
        leader.send(call("B", seconds=7 * 86_400))
        eventually(lambda: team.safety(team.leader), lambda state: state == "sos")


def test_a_call_that_the_client_repeats_takes_no_acknowledgement_away(team):
    with team.client(team.member) as member:
        member.send(call("A"))
        eventually(lambda: team.safety(team.member), lambda state: state == "sos")
        team.leader_api.ok("POST", f"/users/{team.member}/declarations", {"kind": "acknowledge"})
        member.send(call("A", seconds=1), event("A", "t-x-c-t", detail=""))
        member.await_event(lambda found: found.type == "t-x-c-t-r")
    assert team.safety_of(team.member)["acknowledged"] is True


def test_a_person_calls_again_after_the_end_of_a_call(team):
    """Also where the client's clock stands still, so that both calls look the same."""
    first = call("A")
    with team.reading() as leader, team.client(team.member) as member:
        for _ in range(2):
            seen = len(leader.events)
            member.send(first)
            leader.await_event(alert_of(team.member), after=seen)
            member.send(end_of_call("A"))
            leader.await_event(end_of_alert_of(team.member), after=seen)


@pytest.mark.parametrize("wrong", [
    ("lat=\"43.5\"", "lat=\"NaN\""), ("time=", "at="), ("stale=\"2", "stale=\"x"),
    ("<point lat=\"43.5\" lon=\"-6.0\" hae=\"12.5\" ce=\"5\" le=\"9999999\"/>", "")])
def test_a_call_counts_without_a_time_or_a_place(team, wrong):
    with team.client(team.member) as member:
        text = call("A")
        assert wrong[0] in text
        member.send(text.replace(*wrong, 1))
        eventually(lambda: team.safety(team.member), lambda state: state == "sos")


@pytest.mark.parametrize("waits", [True, False])
def test_a_call_counts_although_the_client_is_gone_at_once(team, waits):
    with team.client(team.member) as member:
        if waits:
            member.await_event(lambda found: found.type == "t-x-takp-v")
        member.send(*[event("A", "b-t-f") for _ in range(20)], call("A"))
    eventually(lambda: team.safety(team.member), lambda state: state == "sos")


def test_who_connects_during_a_call_gets_it(team):
    team.member_api.ok("POST", f"/users/{team.member}/declarations", {"kind": "sos"})
    with team.reading() as leader:
        alert = leader.await_event(alert_of(team.member))
        assert (alert.latitude, alert.longitude) == (0, 0)


def test_a_slow_reader_gets_every_call(team):
    """While a client does not read, many positions and a call come. It reads again, and gets the call and the newest
    place of each, and not all that was in between."""
    others = [team.add()[0] for _ in range(20)]
    for other in others:
        team.report(other)
    # More than the buffers of both machines hold.
    ring = [(math.cos(turn / 190 * math.pi) / 10, math.sin(turn / 190 * math.pi) / 10) for turn in range(380)]
    team.admin.ok("POST", f"/collections/{team.name}/regions", collection(
        polygon(f"large{number}", [(x + number / 10, y) for x, y in ring]) for number in range(450)))
    package = enroll(team.server, team.folder, team.leader, "phone", "--reads")
    rounds = 15
    with Client(team.server, package, reads=False, receive_bytes=4_096) as slow:
        time.sleep(3)
        for index in range(rounds):
            for other in others:
                team.report(other, 43.0 + index / 1000)
        team.member_api.ok("POST", f"/users/{team.member}/declarations", {"kind": "sos"})
        for other in others:
            team.report(other, 43.2)
        slow.start_reading()
        slow.await_event(alert_of(team.member))
        for other in others:
            slow.await_event(lambda found: marker_of(other)(found) and found.latitude == 43.2)
        shown = [found for found in slow.events if found.type == "a-f-G-U-C"]
        assert len(shown) < rounds * len(others) / 2, f"{len(shown)}: nothing was left out"


def test_a_call_survives_a_kill(make_server, tmp_path):
    server = make_server("killed", arguments=["--tak-port", "0"])
    server.start()
    team = Team(server, server.admin(), tmp_path)
    with team.client(team.member) as member:
        member.send(call("A"))
        eventually(lambda: team.safety(team.member), lambda state: state == "sos")
    server.kill()
    server.start()
    team.admin = server.admin()
    assert team.safety(team.member) == "sos"
    with team.reading() as leader, team.client(team.member, device="phone") as member:
        leader.await_event(alert_of(team.member))
        # The same device still may end it.
        member.send(end_of_call("A"))
        leader.await_event(end_of_alert_of(team.member))
