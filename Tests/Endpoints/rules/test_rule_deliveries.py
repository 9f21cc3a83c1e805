"""From a position to a web server, by rules that unmodified AWS clients write; what arrives is what Amazon sends."""

import json
import re

import pytest
import requests

from amazon import client, square, update
from muster_process import run
from native_api import fix, now, polygon, box
from webhook_receiver import Receiver
from webhook_targets import distinct

told = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


@pytest.fixture
def receiver():
    with Receiver() as receiver:
        yield receiver


@pytest.fixture
def server(make_server):
    """A server that may call this machine, with an account and region of its own."""
    return make_server(arguments=[
        "--allow-private-targets", "--aws-account", "636103698109", "--aws-region", "eu-west-2"]).start()


@pytest.fixture
def admin(server, receiver):
    """Its API as admin; there is a target hook."""
    admin = server.admin()
    admin.ok("POST", "/targets", {"name": "hook", "kind": "webhook", "url": receiver.url})
    return admin


hook = "arn:aws:muster:eu-west-2:636103698109:target/hook"


def test_geofence_events_have_the_members_that_amazon_documents(server, admin, receiver):
    location, events = client(server), client(server, service="events")
    location.create_tracker(TrackerName="crew")
    collection = location.create_geofence_collection(CollectionName="site")["CollectionArn"]
    location.associate_tracker_consumer(TrackerName="crew", ConsumerArn=collection)
    location.put_geofence(
        CollectionName="site", GeofenceId="north", Geometry={"Polygon": [square(13, 52, 1)]},
        GeofenceProperties={"kind": "gate"})
    events.put_rule(Name="enter", EventPattern=json.dumps({
        "source": ["aws.geo"], "resources": [collection],
        "detail": {"EventType": ["ENTER"], "GeofenceProperties": {"kind": ["gate"]}}}))
    assert events.put_targets(Rule="enter", Targets=[{"Id": "1", "Arn": hook}])["FailedEntryCount"] == 0
    location.batch_update_device_position(TrackerName="crew", Updates=[update("ana", 10, 50, 60)])
    location.batch_update_device_position(TrackerName="crew", Updates=[
        update("ana", 13.5, 52.5, 20, Accuracy={"Horizontal": 8.5}, PositionProperties={"shift": "late"})])
    event = json.loads(receiver.wait(lambda calls: calls)[0].body)
    assert list(event) == [
        "version", "id", "detail-type", "source", "account", "time", "region", "resources", "detail"]
    assert event["version"] == "0" and told.fullmatch(event["id"])
    assert (event["detail-type"], event["source"]) == ("Location Geofence Event", "aws.geo")
    assert (event["account"], event["region"]) == ("636103698109", "eu-west-2")
    assert event["resources"] == [collection, "arn:aws:geo:eu-west-2:636103698109:tracker/crew"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", event["time"])
    detail = event["detail"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", detail["SampleTime"])
    assert detail["SampleTime"][:19] == event["time"][:19]
    assert detail == {
        "EventType": "ENTER", "GeofenceId": "north", "DeviceId": "ana", "SampleTime": detail["SampleTime"],
        "Position": [13.5, 52.5], "Accuracy": {"Horizontal": 8.5}, "GeofenceProperties": {"kind": "gate"},
        "PositionProperties": {"shift": "late"}}


def test_positions_are_events_if_the_tracker_emits_them(server, admin, receiver):
    location, events = client(server), client(server, service="events")
    location.create_tracker(TrackerName="loud", EventBridgeEnabled=True, PositionFiltering="TimeBased")
    location.create_tracker(TrackerName="quiet")
    events.put_rule(Name="all", EventPattern='{"detail-type":["Location Device Position Event"]}')
    events.put_targets(Rule="all", Targets=[{"Id": "1", "Arn": hook, "InputPath": "$.detail"}])
    for tracker in ("quiet", "loud"):
        location.batch_update_device_position(TrackerName=tracker, Updates=[update(f"d-{tracker}", 13.5, 52.5, 5)])
    detail = json.loads(receiver.wait(lambda calls: calls)[0].body)
    assert (detail["EventType"], detail["TrackerName"], detail["DeviceId"]) == ("UPDATE", "loud", "d-loud")
    assert detail["Position"] == [13.5, 52.5] and "ReceivedTime" in detail


def test_an_event_evaluated_without_a_tracker_names_the_collection_alone(server, admin, receiver):
    location, events = client(server), client(server, service="events")
    collection = location.create_geofence_collection(CollectionName="alone")["CollectionArn"]
    location.put_geofence(CollectionName="alone", GeofenceId="f", Geometry={"Polygon": [square(13, 52, 1)]})
    events.put_rule(Name="enter", EventPattern=json.dumps({"resources": [collection]}))
    events.put_targets(Rule="enter", Targets=[{"Id": "1", "Arn": hook}])
    location.batch_evaluate_geofences(CollectionName="alone", DevicePositionUpdates=[update("d", 13.5, 52.5, 5)])
    event = json.loads(receiver.wait(lambda calls: calls)[0].body)
    assert event["resources"] == [collection] and event["detail"]["DeviceId"] == "d"


def test_templates_send_people_and_their_safety(server, admin, receiver):
    admin.make_team("crew", [polygon("gate", *[box(13, 52, 14, 53)], muster=True)])
    admin.make_user("mia", "member", "crew")
    phone = admin.make_device("mia")
    run("rule", "add", "safe", "--pattern", '{"source":["muster"],"detail-type":["Muster Safety Change"]}',
        "--target", "hook", data=server.data)
    admin.ok("PATCH", "/rules/safe", {"targets": [{
        "id": "text", "target": "hook",
        "input": {"template": "<who> is <how>", "paths": {"who": "$.detail.User", "how": "$.detail.State"}}}]})
    for place, ago in ((52.5, 600_000), (52.5, 580_000), (52.5, 560_000), (50.5, 1_000)):
        phone.ok("POST", "/positions", fix(place, 13.5, now() - ago, accuracy=5))
    calls = distinct(receiver.wait(lambda calls: len(distinct(calls)) >= 4))
    # The first fix says that she is heard, the second where she may be, the third that she is there.
    assert [call.body for call in calls[:4]] == [
        b"mia is unknown", b"mia is unknown", b"mia is safe", b"mia is unsafe"]
    assert calls[0].headers["content-type"].startswith("text/plain")


def test_two_rules_and_two_entries_of_one_rule_have_ids_of_their_own_and_a_retry_keeps_its(server, admin, receiver):
    events = client(server, service="events")
    for rule in ("alarm", "quiet"):
        events.put_rule(Name=rule, EventPattern='{"source":["drill"]}')
        events.put_targets(Rule=rule, Targets=[
            {"Id": entry, "Arn": hook, "Input": json.dumps([rule, entry])} for entry in ("words", "horn")])
    refusals = iter([503, 503])
    receiver.answer = lambda call: next(refusals, 204)
    events.put_events(Entries=[{"Source": "drill", "DetailType": "Bell", "Detail": "{}"}])
    bodies = {json.dumps([rule, entry]).encode() for rule in ("alarm", "quiet") for entry in ("words", "horn")}
    # A receiver as docs/webhooks.md asks for: it discards what comes under an id that it has taken.
    calls = receiver.wait(lambda calls: len(calls) >= 6 and {call.body for call in calls} == bodies)
    ids = {body: {call.event for call in calls if call.body == body} for body in bodies}
    assert all(len(found) == 1 for found in ids.values()), "a retry keeps its id"
    assert len(set.union(*ids.values())) == 4, ids
    assert all(told.fullmatch(identifier) for found in ids.values() for identifier in found)


def test_posted_events_arrive_under_the_id_that_was_answered(server, admin, receiver):
    events = client(server, service="events")
    events.put_rule(Name="bell", EventPattern='{"source":["drill"]}')
    events.put_targets(Rule="bell", Targets=[{"Id": "1", "Arn": hook}])
    answer = events.put_events(Entries=[{"Source": "drill", "DetailType": "Bell", "Detail": '{"n": 1.50}'}])
    call = receiver.wait(lambda calls: calls)[0]
    assert answer["Entries"][0]["EventId"] == json.loads(call.body)["id"]
    assert json.loads(call.body)["detail"] == {"n": 1.5}


def test_an_event_from_before_a_crash_still_arrives(server, admin, receiver):
    admin.make_team("crew", [polygon("gate", *[box(13, 52, 14, 53)])])
    admin.make_user("mia", "member", "crew")
    phone = admin.make_device("mia")
    admin.ok("POST", "/rules", {
        "name": "enter", "pattern": {"detail": {"EventType": ["ENTER"]}}, "targets": [{"target": "hook"}]})
    receiver.close()
    phone.ok("POST", "/positions", fix(52.5, 13.5, now() - 1_000))
    server.kill()
    receiver.open()
    server.start()
    event = json.loads(receiver.wait(lambda calls: calls)[0].body)
    assert event["detail"]["DeviceId"] == "mia"


def test_a_removed_target_leaves_its_rules(server, admin, receiver):
    admin.ok("POST", "/rules", {"name": "r", "pattern": {"source": ["drill"]}, "targets": [{"target": "hook"}]})
    admin.ok("DELETE", "/targets/hook")
    assert admin.ok("GET", "/rules/r")["targets"] == []
    assert requests.get(server.address + "/health", timeout=60).ok
