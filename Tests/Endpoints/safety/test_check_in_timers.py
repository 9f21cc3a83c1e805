"""Check-in timers of people who work alone: reminder, leader, SOS and incident, over a real server and its ends."""

import itertools
import time

import pytest

from event_stream import EventStream
from native_api import NativeApi, fix, milliseconds, now, stamp
from webhook_receiver import Receiver

numbers = itertools.count()
told_in_order = ["started", "reminded", "overdue", "sos"]


class Crew:
    """A team with a leader and a member, ann, who has a phone; and a leader of another team."""

    def __init__(self, server):
        admin = self.admin = server.admin()
        self.name = f"alone{next(numbers)}"
        admin.make_team(self.name)
        admin.make_team(f"{self.name}-other")
        self.ann = f"{self.name}-ann"
        self.lea = f"{self.name}-lea"
        self.leader = admin.make_user(self.lea, "leader", self.name)
        self.member = admin.make_user(self.ann, "member", self.name)
        self.colleague = admin.make_user(f"{self.name}-ben", "member", self.name)
        self.stranger = admin.make_user(f"{self.name}-nora", "leader", f"{self.name}-other")
        self.analyst = admin.make_user(f"{self.name}-ada", "analyst")
        self.phone = admin.make_device(self.ann)
        self.path = f"/users/{self.ann}/check-in-timer"
        self.words = f"/users/{self.ann}/check-ins"

    def timer(self):
        return self.leader.ok("GET", self.path)

    def standing(self):
        members = self.leader.ok("GET", f"/teams/{self.name}/safety")["members"]
        return next(member for member in members if member["user"] == self.ann)

    def told(self, api=None):
        changes = (api or self.leader).changes()
        return [change for change in changes if change["type"] == "checkInTimer" and change["user"] == self.ann]


@pytest.fixture
def crew(server):
    return Crew(server)


def run_out(**more):
    """A timer whose word is due already, as a phone that was offline sends it."""
    return {"intervalSeconds": 60, "leaderAfterSeconds": 0, "sosAfterSeconds": 0, "sampleTime": stamp(now() - 90_000),
            **more}


def await_turn(api, user, turn, since=0):
    """Reads the live feed until a timer has taken a turn; returns what was told of it."""
    def told(events):
        return [change for _, kind, change in events if kind == "checkInTimer" and change["user"] == user]

    with EventStream(api.address, api.token, since=since) as stream:
        return told(stream.take(lambda events: any(change["happened"] == turn for change in told(events[-1:]))))


def test_without_a_check_in_the_person_is_reminded_the_leader_notified_and_an_sos_raised(crew):
    crew.member.ok("PUT", crew.path, run_out(note="roof of hall 3"))
    told = await_turn(crew.leader, crew.ann, "sos")
    assert [change["happened"] for change in told] == told_in_order
    assert told[2]["note"] == "roof of hall 3" and told[2]["tellings"] == 1
    assert told[0]["by"] == crew.ann and "by" not in told[1]
    standing = crew.standing()
    assert (standing["state"], standing["source"], standing["acknowledged"]) == ("sos", "checkInTimer", False)
    assert standing["checkInTimer"]["happened"] == "sos"
    # A word ends the alarm; the SOS stands until a person clears it.
    assert crew.member.ok("POST", crew.words, {})["happened"] == "checkedIn"
    assert crew.standing()["state"] == "sos"
    assert crew.member.ok("POST", f"/users/{crew.ann}/declarations", {"kind": "clear"})["safety"]["state"] != "sos"


def test_a_timer_survives_kill_9_and_reports_each_step_once(make_server):
    server = make_server()
    server.start()
    crew = Crew(server)
    crew.leader.ok("PUT", crew.path, run_out(leaderAfterSeconds=3, sosAfterSeconds=3, opensIncident=True))
    for turn in told_in_order[:3]:
        await_turn(crew.leader, crew.ann, turn)
        server.kill()
        server.start()
        for api in (crew.leader, crew.member):
            api.address = server.address
    assert [change["happened"] for change in await_turn(crew.leader, crew.ann, "sos")] == told_in_order
    incidents = crew.leader.items(f"/teams/{crew.name}/incidents")
    assert [(each["kind"], each["open"], each["startedBy"]) for each in incidents] == [("real", True, crew.lea)]
    assert incidents[0]["note"].startswith(f"No word from {crew.ann} since ")
    roll = crew.leader.ok("GET", f"/incidents/{incidents[0]['number']}")["roll"]
    assert next(person for person in roll if person["user"] == crew.ann)["accounted"] is False


def test_a_persons_own_declaration_checks_in_and_a_phones_report_does_not(crew):
    # Nothing falls due however long the test takes.
    start = now() - 300_000
    crew.member.ok("PUT", crew.path, {"intervalSeconds": 7_200, "sampleTime": stamp(start)})
    first = crew.timer()
    crew.phone.ok("POST", "/positions", fix(52.505, 13.405, now(), accuracy=5))
    crew.leader.ok("POST", f"/users/{crew.ann}/declarations", {"kind": "safe"})
    assert crew.timer()["lastWord"] == first["lastWord"]
    crew.phone.ok("POST", f"/users/{crew.ann}/declarations", {"kind": "safe", "sampleTime": stamp(start + 100_000)})
    second = crew.timer()
    assert second["lastWord"] > first["lastWord"] and second["happened"] == "checkedIn"
    # The button of a device whose token it is, and a leader who has heard of her by radio.
    third = crew.phone.ok("POST", crew.words, {"sampleTime": stamp(start + 200_000)})
    assert third["lastWord"] > second["lastWord"] and third["by"] == crew.ann
    assert crew.leader.ok("POST", crew.words, {})["by"] == crew.lea
    entries = [entry["change"] for entry in crew.leader.items("/audit") if entry["change"]["type"] == "checkInTimer"]
    assert [(entry["happened"], entry["by"]) for entry in entries if entry["user"] == crew.ann] == [
        ("checkedIn", crew.lea), ("started", crew.ann)]


def test_a_late_check_in_counts_from_when_it_was_made_and_an_older_one_is_ignored(crew):
    crew.member.ok("PUT", crew.path, {"intervalSeconds": 7_200})
    newest = crew.member.ok("POST", crew.words, {"sampleTime": stamp(now() + 30_000)})
    assert newest["lastWord"] <= stamp(now())
    older = stamp(milliseconds(newest["lastWord"]) - 60_000)
    assert crew.member.ok("POST", crew.words, {"sampleTime": older}) == newest


def test_repeated_check_ins_do_not_fill_the_log(crew):
    crew.member.ok("PUT", crew.path, {"intervalSeconds": 7_200})
    begin = crew.timer()["lastWord"]
    for _ in range(100):
        newest = crew.member.ok("POST", crew.words, {})["lastWord"]
    # The start, and one check-in in 5 s at most, as often as the requests left so much time.
    seconds = (milliseconds(newest) - milliseconds(begin)) / 1_000
    assert 1 <= len(crew.told()) <= 1 + seconds / 5
    crew.member.ok("DELETE", crew.path)
    document = crew.member.refused(404, "GET", crew.path)
    assert document["detail"] == "This person has no check-in timer."
    crew.member.refused(404, "POST", crew.words, {})
    crew.member.refused(404, "DELETE", crew.path)


def test_a_member_who_starts_timers_over_and_over_is_slowed_down_and_a_leader_is_not(crew):
    begin = time.monotonic()
    taken = 0
    while (answer := crew.member.send("PUT", crew.path, {"intervalSeconds": 3_600 + taken})).status_code == 200:
        taken += 1
        # 20 at once, and one more in 30 s.
        assert taken <= 21 + (time.monotonic() - begin) / 30
    assert taken >= 20 and answer.status_code == 429 and int(answer.headers["Retry-After"]) <= 30
    assert len(crew.told()) == taken
    # The refused request changed nothing, and the person's next check-in counts as usual.
    crew.member.ok("POST", crew.words, {})
    assert crew.leader.ok("PUT", crew.path, {"intervalSeconds": 600})["intervalSeconds"] == 600


def test_a_timer_is_visible_to_and_set_by_the_person_and_their_leaders_alone(crew):
    crew.leader.ok("PUT", crew.path, {"intervalSeconds": 600, "opensIncident": True})
    for api, status in ((crew.colleague, 404), (crew.stranger, 404), (crew.analyst, 403)):
        api.refused(status, "GET", crew.path)
        api.refused(status, "PUT", crew.path, {"intervalSeconds": 86_400})
        api.refused(status, "POST", crew.words, {})
        api.refused(status, "DELETE", crew.path)
        assert crew.told(api) == []
    members = crew.analyst.ok("GET", f"/teams/{crew.name}/safety")["members"]
    assert all("checkInTimer" not in member for member in members)
    # She does not make what her leader set weaker; she may end it, which is told.
    crew.member.refused(409, "PUT", crew.path, {"intervalSeconds": 86_400})
    crew.phone.refused(403, "PUT", crew.path, {"intervalSeconds": 86_400})
    crew.phone.refused(403, "DELETE", crew.path)
    crew.member.ok("DELETE", crew.path)
    assert (crew.told()[-1]["happened"], crew.told()[-1]["by"]) == ("ended", crew.ann)
    assert [change["happened"] for change in crew.told(crew.member)] == ["started", "ended"]
    # An incident of everyone's is a leader's to order.
    document = crew.member.refused(422, "PUT", crew.path, {"intervalSeconds": 600, "opensIncident": True})
    assert document["errors"][0]["pointer"] == "/opensIncident"


def test_a_machine_has_no_timer(crew):
    crew.admin.make_user(f"{crew.name}-gate", "gateway", crew.name)
    crew.admin.refused(403, "PUT", f"/users/{crew.name}-gate/check-in-timer", {"intervalSeconds": 600})


@pytest.mark.parametrize("body, pointer", [
    ({}, "/intervalSeconds"), ({"intervalSeconds": 0}, "/intervalSeconds"),
    ({"intervalSeconds": 59.9}, "/intervalSeconds"),
    ({"intervalSeconds": 315_360_000}, "/intervalSeconds"), ({"intervalSeconds": "soon"}, "/intervalSeconds"),
    ({"intervalSeconds": 600, "leaderAfterSeconds": -1}, "/leaderAfterSeconds"),
    ({"intervalSeconds": 600, "sosAfterSeconds": 3_601}, "/sosAfterSeconds"),
    ({"intervalSeconds": 600, "note": "é" * 251}, "/note"),
    ({"intervalSeconds": 600, "sampleTime": "2199-01-01T00:00:00Z"}, "/sampleTime"),
    ({"intervalSeconds": 600, "sampleTime": "2001-01-01T00:00:00Z"}, "/sampleTime"),
    ({"intervalSeconds": 600, "every": 1}, "/every")])
def test_an_invalid_timer_is_refused_with_the_field(crew, body, pointer):
    document = crew.member.refused(422, "PUT", crew.path, body)
    assert [fault["pointer"] for fault in document["errors"]] == [pointer]
    crew.member.refused(404, "GET", crew.path)


def test_a_rule_notifies_a_webhook_of_an_overdue_timer(make_server):
    server = make_server(arguments=["--allow-private-targets"]).start()
    crew = Crew(server)
    with Receiver() as receiver:
        crew.admin.ok("POST", "/targets", {"name": "hook", "kind": "webhook", "url": receiver.url})
        crew.admin.ok("POST", "/rules", {
            "name": "overdue", "pattern": {"detail-type": ["Muster Check-In"], "detail": {"EventType": ["OVERDUE"]}},
            "targets": [{"id": "text", "target": "hook", "input": {
                "template": "<who> <what> <count> <note>", "paths": {
                    "who": "$.detail.User", "what": "$.detail.EventType", "count": "$.detail.Count",
                    "note": "$.detail.Note"}}}]})
        crew.member.ok("PUT", crew.path, run_out(note="pump"))
        body = receiver.wait(lambda calls: calls)[0].body
    assert body == f"{crew.ann} OVERDUE 1 pump".encode()


def test_a_withdrawn_token_cannot_check_in(crew):
    crew.member.ok("PUT", crew.path, {"intervalSeconds": 600})
    crew.admin.ok("DELETE", f"/users/{crew.ann}/devices/phone/token")
    assert NativeApi(crew.phone.address, crew.phone.token).send("POST", crew.words, {}).status_code == 401
