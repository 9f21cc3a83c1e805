"""A fence crossed offline an hour ago: in the history, past wherever it is told, and no false alarm."""

import json

import pytest

from couch_api import CouchApi
from native_api import box, fix, milliseconds, now, polygon
from webhook_receiver import Receiver

hour = 3_600_000
password = "walkwalkwalk1"
crossings = {"detail-type": ["Location Geofence Event"]}


@pytest.fixture
def receiver():
    with Receiver() as receiver:
        yield receiver


@pytest.fixture
def server(make_server):
    return make_server(arguments=["--allow-private-targets"]).start()


@pytest.fixture
def admin(server, receiver):
    """The API as admin, of a town with one yard, one walker and a rule for all its crossings."""
    admin = server.admin()
    admin.make_team("walkers", [polygon("yard", box(13.09, 52.005, 13.11, 52.01))])
    admin.ok("POST", "/users", {"name": "ann", "role": "member", "team": "walkers", "password": password})
    admin.ok("POST", "/targets", {"name": "hook", "kind": "webhook", "url": receiver.url})
    add_rule(admin, "all", {})
    return admin


def add_rule(admin, name, pattern):
    template = f'{{"rule":"{name}","event":<aws.events.event.json>}}'
    admin.ok("POST", "/rules", {
        "name": name, "pattern": {**crossings, **pattern},
        "targets": [{"id": "1", "target": "hook", "input": {"template": template}}]})


def walk(server, begin, latitudes=(52.0, 52.003, 52.007, 52.009, 52.012, 52.015)):
    """Location documents of a walk through the yard, 20 s apart, as a device brings them when it is back."""
    couch = CouchApi(server.address, "ann", password)
    documents = [{
        "_id": f"walk-{begin}-{index}", "type": "Feature",
        "geometry": {"type": "Point", "coordinates": [13.1, latitude]},
        "properties": {"username": "ann", "accuracy": 5, "timestamp": begin + 20_000 * index},
        "created_at": begin + 20_000 * index} for index, latitude in enumerate(latitudes)]
    rows = couch.ok("POST", "/lt_locations_user_ann/_bulk_docs", {"docs": documents})
    assert all("error" not in row for row in rows), rows


def told(admin):
    return [(change["kind"], milliseconds(change["sampleTime"]))
            for change in admin.changes() if change["type"] == "crossing"]


def events(receiver, count):
    calls = receiver.wait(lambda calls: len(calls) >= count and calls)
    return [(call["rule"], call["event"]) for call in (json.loads(call.body) for call in calls)]


def test_a_track_in_order_crosses_at_its_own_time_and_its_events_say_how_late_they_are(server, admin, receiver):
    begin = now() - hour
    walk(server, begin)
    assert told(admin) == [("enter", begin + 40_000), ("exit", begin + 80_000)]
    sent = events(receiver, 2)
    assert [event["detail"]["EventType"] for _, event in sent] == ["ENTER", "EXIT"]
    for (_, event), offset in zip(sent, (40_000, 80_000)):
        assert list(event) == ["version", "id", "detail-type", "source", "account", "time", "region", "resources",
                               "delay-seconds", "detail"]
        assert milliseconds(event["detail"]["SampleTime"]) == begin + offset
        # In whole seconds.
        assert (hour - offset) // 1000 <= event["delay-seconds"] <= (now() - begin - offset) / 1000
        assert set(event["detail"]) <= {
            "EventType", "GeofenceId", "DeviceId", "SampleTime", "Position", "Accuracy", "GeofenceProperties",
            "PositionProperties"}


def test_a_rule_leaves_out_what_comes_late_and_hears_what_comes_in_time(server, admin, receiver):
    add_rule(admin, "now", {"delay-seconds": [{"exists": False}]})
    add_rule(admin, "recent", {"$or": [
        {"delay-seconds": [{"exists": False}]}, {"delay-seconds": [{"numeric": ["<", 600]}]}]})
    walk(server, now() - hour)
    walk(server, now() - 300_000)
    admin.ok("POST", "/positions", fix(52.007, 13.1, now(), device="ann/" + device(admin)))
    sent = events(receiver, 5 + 1 + 3)
    by_rule = {name: [event["detail"]["EventType"] for rule, event in sent if rule == name]
               for name in ("all", "now", "recent")}
    assert by_rule == {"all": ["ENTER", "EXIT"] * 2 + ["ENTER"], "now": ["ENTER"], "recent": ["ENTER", "EXIT", "ENTER"]}
    assert "delay-seconds" not in [event for rule, event in sent if rule == "now"][0]


@pytest.mark.parametrize("chosen", ["none", "timeBased"])
def test_a_held_exit_says_how_late_it_is_also_when_its_fix_is_not_stored(server, admin, receiver, chosen):
    [tracker] = admin.items("/trackers")
    admin.ok("PATCH", f"/trackers/{tracker['name']}", {"filter": chosen})
    admin.ok("POST", "/collections/walkers/regions", {"type": "FeatureCollection", "features": [
        polygon("yard", box(13.09, 52.005, 13.11, 52.01), exitDelay=30)]})
    begin = now() - hour
    # In and, 20 s later, out; what tells of the exit comes with the next request.
    walk(server, begin, [52.007, 52.015])
    walk(server, begin + 40_000, [52.015, 52.015])
    late = [event for _, event in events(receiver, 2)]
    assert [event["detail"]["EventType"] for event in late] == ["ENTER", "EXIT"]
    assert all(3_500 <= event["delay-seconds"] <= (now() - begin) / 1000 for event in late), late
    assert ("Position" in late[1]["detail"]) == (chosen == "none")
    # What is left now is told in time, its delay left aside.
    came = now()
    walk(server, came - 5_000, [52.007])
    walk(server, came, [52.015])
    sent = [event for _, event in events(receiver, 4)]
    assert [event["detail"]["EventType"] for event in sent[2:]] == ["ENTER", "EXIT"]
    assert all("delay-seconds" not in event for event in sent[2:]), sent
    assert ("Position" in sent[3]["detail"]) == (chosen == "none")


def test_a_passage_an_hour_late_says_how_late_it_is(server, admin, receiver):
    """No fix fell into the yard, and so none of that moment is stored."""
    admin.ok("PATCH", "/collections/walkers", {"policy": "confident"})
    admin.ok("POST", "/collections/walkers/regions", {"type": "FeatureCollection", "features": [
        polygon("yard", box(13.09, 52.0045, 13.11, 52.0063))]})
    add_rule(admin, "passages", {"detail-type": ["Muster Crossing"]})
    begun = now() - hour
    # At 20 m/s, a fix each 400 m.
    for begin in (begun, now() - 140_000):
        walk(server, begin, [52.0 + 0.0036 * step for step in range(-4, 4)])
    late, prompt = [event for _, event in events(receiver, 2)]
    assert late["detail"]["EventType"] == prompt["detail"]["EventType"] == "PASSED"
    assert (hour - 160_000) / 1000 - 300 <= late["delay-seconds"] <= (now() - begun) / 1000 - 300
    assert "delay-seconds" not in prompt


def device(admin):
    return admin.items("/devices?user=ann")[0]["name"]


def test_positions_older_than_the_devices_latest_cross_nothing_and_are_in_the_history(server, admin, receiver):
    walk(server, now() - 60_000, [52.02])
    name = device(admin)
    walk(server, now() - hour)
    assert told(admin) == []
    history = admin.history(f"ann/{name}")
    assert [position["latitude"] for position in history] == [52.0, 52.003, 52.007, 52.009, 52.012, 52.015, 52.02]
    late = [change for change in admin.changes() if change["type"] == "position" and change["late"]]
    assert len(late) == 6
    [latest] = admin.items("/positions")
    assert latest["latitude"] == 52.02


def test_a_passage_an_hour_late_makes_nobody_unsafe(server, admin, receiver):
    admin.ok("POST", "/collections/walkers/regions", {"type": "FeatureCollection", "features": [
        polygon("hall", box(13.2, 52.0, 13.21, 52.01), muster=True)]})
    assert admin.ok("PATCH", "/teams/walkers", {"silenceSeconds": 600})
    walk(server, now() - 2 * hour)
    walk(server, now() - hour, [52.0])
    before = [change["state"] for change in admin.changes() if change["type"] == "safety"]
    assert set(before) <= {"unknown"}
    assert admin.ok("GET", "/teams/walkers/safety")["members"][0]["state"] == "unknown"
