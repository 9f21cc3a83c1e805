"""A pattern tried against the newest events that the caller may see."""

import pytest

from native_api import fix, now

signals = {"detail-type": ["Muster Signal"]}


@pytest.fixture(scope="module")
def world(server):
    """Two teams; the phones of both have fired buttons among many positions, which are no events."""
    admin = server.admin()
    people = {"admin": admin}
    for team, leader, member in (("crew", "lena", "mia"), ("others", "lars", "sue")):
        admin.make_team(team)
        people[leader] = admin.make_user(leader, "leader", team)
        people[member] = admin.make_user(member, "member", team)
        phone = admin.make_device(member)
        for button in ("red", "green", "red"):
            phone.ok("POST", "/positions", [fix(52.5, 13.4, now() - 1000 * ago) for ago in range(400, 0, -1)])
            phone.ok("POST", "/signals", {"name": button})
    return people


def tried(api, pattern, recent=100):
    return api.ok("POST", "/event-patterns/test", {"pattern": pattern, "recent": recent})


def test_the_events_that_match_come_newest_first(world):
    answer = tried(world["admin"], signals)
    assert len(answer["matched"]) == 6 <= answer["examined"] and answer["isComplete"] is True
    times = [event["time"] for event in answer["matched"]]
    assert times == sorted(times, reverse=True)
    red = tried(world["admin"], {**signals, "detail": {"Name": ["red"]}})
    assert [event["detail"]["Name"] for event in red["matched"]] == ["red"] * 4
    assert red["examined"] == answer["examined"]
    assert tried(world["admin"], {"source": ["nobody"]})["matched"] == []
    assert tried(world["admin"], signals, recent=1)["examined"] == 1


def test_a_leader_finds_the_events_of_the_team_alone(world):
    for leader, member in (("lena", "mia"), ("lars", "sue")):
        answer = tried(world[leader], signals)
        assert len(answer["matched"]) == 3
        assert {event["detail"]["User"] for event in answer["matched"]} == {member}
        everything = tried(world[leader], {"source": [{"exists": True}]})
        assert everything["examined"] == answer["examined"] == len(everything["matched"])
    world["mia"].refused(403, "POST", "/event-patterns/test", {"pattern": signals, "recent": 1})


@pytest.mark.parametrize("body, pointer", [
    ({}, "/event"), ({"recent": 0}, "/recent"), ({"recent": 1001}, "/recent"), ({"recent": "all"}, "/recent"),
    ({"recent": 5, "event": {"a": 1}}, "/recent"), ({"recent": 5, "pattern": {"a": 1}}, "/pattern")])
def test_what_cannot_be_tried_is_refused(world, body, pointer):
    document = world["admin"].refused(422, "POST", "/event-patterns/test", {"pattern": signals, **body})
    assert any(fault["pointer"].startswith(pointer) for fault in document["errors"]), document
