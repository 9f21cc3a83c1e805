"""Amazon Location's trackers, by unmodified boto3 and AWS CLI: their life, their devices, what is stored."""

import json

import pytest
import standardwebhooks

import amazon
from amazon import Place, client, moment, refused, update
from muster_process import run
from native_api import box, fix, now, polygon
from webhook_receiver import Receiver

account = "000000000000"


@pytest.fixture(scope="module")
def location(server):
    return client(server)


def test_a_tracker_is_made_described_changed_and_removed(server, location):
    before = moment()
    made = location.create_tracker(
        TrackerName="Fleet_1.a-b", Description="vans", Tags={"cost": "7"}, PositionFiltering="DistanceBased",
        EventBridgeEnabled=True)
    assert made["TrackerArn"] == f"arn:aws:geo:us-east-1:{account}:tracker/Fleet_1.a-b"
    assert before <= made["CreateTime"] <= moment()
    seen = location.describe_tracker(TrackerName="Fleet_1.a-b")
    assert (seen["Description"], seen["PositionFiltering"], seen["Tags"]) == ("vans", "DistanceBased", {"cost": "7"})
    assert seen["EventBridgeEnabled"] is True and seen["CreateTime"] == made["CreateTime"]
    assert server.admin().ok("GET", "/teams/Fleet_1.a-b")["tracker"] == "Fleet_1.a-b"
    changed = location.update_tracker(
        TrackerName="Fleet_1.a-b", Description="", PositionFiltering="AccuracyBased", EventBridgeEnabled=False)
    seen = location.describe_tracker(TrackerName="Fleet_1.a-b")
    assert (seen["Description"], seen["PositionFiltering"], seen["EventBridgeEnabled"]) == ("", "AccuracyBased", False)
    assert seen["UpdateTime"] == changed["UpdateTime"] >= seen["CreateTime"] == made["CreateTime"]
    refused("ConflictException", 409, location.create_tracker, TrackerName="Fleet_1.a-b")
    location.delete_tracker(TrackerName="Fleet_1.a-b")
    answer = refused("ResourceNotFoundException", 404, location.describe_tracker, TrackerName="Fleet_1.a-b")
    assert answer["Error"]["Message"] == "Tracker not found: Fleet_1.a-b."
    server.admin().refused(404, "GET", "/teams/Fleet_1.a-b")


def test_a_native_team_is_a_tracker_and_its_people_are_devices(server, location):
    admin = server.admin()
    admin.make_team("crew")
    ann = admin.make_user("ann", "member", "crew")
    for device in ("watch", "phone"):
        admin.make_device("ann", device)
    ann.ok("POST", "/positions", fix(50.5, 4.5, now() - 5000, device="watch", accuracy=12))
    ann.ok("POST", "//owntracks", {"_type": "location", "lat": 50.6, "lon": 4.6, "tst": now() // 1000 - 3, "acc": 7},
           headers={"X-Limit-D": "phone"})
    assert any(entry["TrackerName"] == "crew" for entry in location.list_trackers()["Entries"])
    main = location.get_device_position(TrackerName="crew", DeviceId="ann")
    assert (main["Position"], main["Accuracy"]["Horizontal"], main["DeviceId"]) == ([4.5, 50.5], 12, "ann")
    other = location.get_device_position(TrackerName="crew", DeviceId="ann/phone")
    assert other["Position"] == [4.6, 50.6]
    entries = location.list_device_positions(TrackerName="crew")["Entries"]
    assert [entry["DeviceId"] for entry in entries] == ["ann", "ann/phone"]
    location.batch_update_device_position(TrackerName="crew", Updates=[update("ann", 4.7, 50.7)])
    assert admin.history("ann/watch")[-1]["longitude"] == 4.7


def test_devices_are_made_when_first_heard_of_and_go_with_their_tracker(server, location):
    admin = server.admin()
    admin.ok("POST", "/users", {"name": "bob", "role": "member"})
    place = Place(server, location, "implicit")
    place.report(update("van.7", 1, 2), update("\u0434-1", 3, 4), update("bob", 5, 6), update("eve", 7, 8))
    admin.ok("PUT", "/users/eve/password", {"password": "a person's password"})
    users = {user["name"] for user in admin.items("/users")}
    assert {"van.7", "\u0434-1", "bob@implicit"} <= users
    assert location.get_device_position(TrackerName="implicit", DeviceId="\u0434-1")["Position"] == [3, 4]
    assert location.get_device_position(TrackerName="implicit", DeviceId="bob")["Position"] == [5, 6]
    listed = location.list_device_positions(TrackerName="implicit")["Entries"]
    assert {entry["DeviceId"] for entry in listed} == {"van.7", "\u0434-1", "bob", "eve"}
    location.delete_tracker(TrackerName="implicit")
    users = {user["name"] for user in admin.items("/users")}
    assert {"bob", "eve"} <= users and not {"van.7", "\u0434-1", "bob@implicit"} & users


def test_the_same_id_in_two_trackers_is_two_devices(server, location):
    first, second = Place(server, location, "one"), Place(server, location, "two")
    first.report(update("x", 10, 10))
    second.report(update("x", 20, 20))
    assert location.get_device_position(TrackerName="one", DeviceId="x")["Position"] == [10, 10]
    assert location.get_device_position(TrackerName="two", DeviceId="x")["Position"] == [20, 20]


def test_eleven_updates_are_a_validation_error_with_a_field(location):
    location.create_tracker(TrackerName="eleven")
    answer = refused(
        "ValidationException", 400, location.batch_update_device_position, TrackerName="eleven",
        Updates=[update(f"d{number}", 1, 1) for number in range(11)])
    assert answer["Reason"] == "FieldValidationFailed"
    assert amazon.fields(answer) == ["Updates"]


@pytest.mark.parametrize("bad, field", [
    ({"DeviceId": "not so!"}, "Updates.1.DeviceId"), ({"DeviceId": "x" * 201}, "Updates.1.DeviceId"),
    ({"Position": [1.0, 1.0, 1.0]}, "Updates.1.Position"),
    ({"Accuracy": {"Horizontal": 1e8}}, "Updates.1.Accuracy.Horizontal"),
    ({"PositionProperties": {str(key): "v" for key in range(5)}}, "Updates.1.PositionProperties"),
    ({"PositionProperties": {"k": "v" * 151}}, "Updates.1.PositionProperties.k"),
])
def test_a_value_that_the_model_forbids_refuses_the_whole_request(server, location, bad, field):
    if not any(entry["TrackerName"] == "strict" for entry in location.list_trackers()["Entries"]):
        location.create_tracker(TrackerName="strict")
    answer = refused(
        "ValidationException", 400, location.batch_update_device_position, TrackerName="strict",
        Updates=[update("good", 1, 1), update("bad", 1, 1) | bad])
    assert amazon.fields(answer) == [field]
    refused("ResourceNotFoundException", 404, location.get_device_position, TrackerName="strict", DeviceId="good")


def test_a_mixed_batch_stores_what_is_sound(location):
    location.create_tracker(TrackerName="mixed")
    answer = location.batch_update_device_position(TrackerName="mixed", Updates=[
        update("good", 1, 1), update("off", 1, 95), update("future", 1, 1, seconds_ago=-3600),
        update("old", 1, 1, seconds_ago=31 * 86_400)])
    errors = {error["DeviceId"]: error["Error"]["Code"] for error in answer["Errors"]}
    assert errors == dict.fromkeys(["off", "future", "old"], "ValidationError")
    got = location.batch_get_device_position(TrackerName="mixed", DeviceIds=["good", "off", "none"])
    assert [position["DeviceId"] for position in got["DevicePositions"]] == ["good"] and got["Errors"] == []


def test_a_position_comes_back_as_it_went(location):
    location.create_tracker(TrackerName="exact")
    sent = update("d", -123.123456789, 49.2, 3, Accuracy={"Horizontal": 4.25},
                  PositionProperties={"speed": "3 m/s", "\u0434": "\u00e9"})
    before = moment()
    location.batch_update_device_position(TrackerName="exact", Updates=[sent])
    after = moment()
    got = location.get_device_position(TrackerName="exact", DeviceId="d")
    for member in ("Position", "SampleTime", "Accuracy", "PositionProperties"):
        assert got[member] == sent[member]
    assert before <= got["ReceivedTime"] <= after


def test_history_has_a_closed_beginning_an_open_end_and_pages(location):
    location.create_tracker(TrackerName="past", PositionFiltering="TimeBased")
    began = moment()
    times = [moment(40 * (12 - number), began) for number in range(12)]
    for start in (0, 6):
        location.batch_update_device_position(TrackerName="past", Updates=[
            {"DeviceId": "d", "SampleTime": times[number], "Position": [number, 1]}
            for number in range(start, start + 6)])

    def read(**more):
        return [position["Position"][0] for position in Place.history(
            type("", (), {"location": location, "name": "past"}), "d", **more)]

    assert read() == list(range(12))
    assert read(StartTimeInclusive=times[3], EndTimeExclusive=times[7]) == [3, 4, 5, 6]
    assert read(MaxResults=5) == list(range(12))
    refused("ValidationException", 400, location.get_device_position_history, TrackerName="past", DeviceId="d",
            StartTimeInclusive=times[5], EndTimeExclusive=times[1])
    location.batch_update_device_position(
        TrackerName="past", Updates=[update("d", 99, 1, seconds_ago=25 * 3600)])
    assert read() == list(range(12)), "the last 24 hours unless asked for more"
    assert read(StartTimeInclusive=moment(26 * 3600)) == [99] + list(range(12))


def test_a_deleted_history_is_gone_and_the_device_reports_on(server, location):
    admin = server.admin()
    admin.make_team("forget")
    admin.make_user("kim", "member", "forget")
    phone = admin.make_device("kim")
    phone.ok("POST", "/positions", fix(1, 2, now() - 9000))
    location.batch_update_device_position(TrackerName="forget", Updates=[update("van", 1, 1)])
    answer = location.batch_delete_device_position_history(
        TrackerName="forget", DeviceIds=["kim", "van", "nobody"])
    assert [(error["DeviceId"], error["Error"]["Code"]) for error in answer["Errors"]] == [
        ("nobody", "ResourceNotFoundError")]
    for device, place in (("kim", [2, 1]), ("van", [1, 1])):
        assert location.get_device_position(TrackerName="forget", DeviceId=device)["Position"] == place
        assert location.get_device_position_history(TrackerName="forget", DeviceId=device)["DevicePositions"] == []
    assert admin.history("kim/phone") == []
    phone.ok("POST", "/positions", fix(3, 4, now()))
    assert location.get_device_position(TrackerName="forget", DeviceId="kim")["Position"] == [4, 3]
    assert len(admin.history("kim/phone")) == 1


def test_deleting_a_history_changes_no_safety_and_no_roll(make_server):
    server = make_server().start()
    admin, location = server.admin(), client(server)
    admin.make_team("yard", [polygon("gate", box(13, 52, 14, 53), muster=True)])
    began = now()
    for name in ("ina", "ole"):
        admin.make_user(name, "member", "yard")
        phone = admin.make_device(name)
        for ago in (50_000, 25_000, 1000):
            phone.ok("POST", "/positions", fix(52.5 if name == "ina" else 55, 13.5, began - ago, accuracy=5))
    admin.ok("POST", "/teams/yard/incidents", {"kind": "drill"})

    def states():
        members = admin.ok("GET", "/teams/yard/safety")["members"]
        incident = admin.items("/teams/yard/incidents")[0]["number"]
        inside = admin.ok("GET", "/presences?user=ina")["items"]
        return ({member["user"]: (member["state"], member.get("source"), member["since"]) for member in members},
                admin.ok("GET", f"/incidents/{incident}")["counts"],
                [(entry["device"], entry["region"]["id"], entry.get("since")) for entry in inside])

    before = states()
    assert before[2]
    assert before[0]["ina"][0] == "safe" and before[0]["ole"][0] == "unsafe"
    changes = admin.last_sequence()
    answer = location.batch_delete_device_position_history(TrackerName="yard", DeviceIds=["ina", "ole"])
    assert answer["Errors"] == []
    for restarts in (False, True):
        if restarts:
            server.stop()
            server.start()
            admin = server.admin()
        assert states() == before
        assert not [change for change in admin.changes(changes) if change["type"] in ("safety", "crossing", "presence")]
        assert admin.history("ina/phone") == []


def test_a_list_of_positions_is_filtered_by_a_polygon(location):
    location.create_tracker(TrackerName="area")
    location.batch_update_device_position(
        TrackerName="area", Updates=[update(f"d{number}", number, 0.5) for number in range(8)])
    polygon = [amazon.square(1.5, 0, 3)]
    listed = location.list_device_positions(TrackerName="area", FilterGeometry={"Polygon": polygon})
    assert {entry["DeviceId"] for entry in listed["Entries"]} == {"d2", "d3", "d4"}
    assert all("ReceivedTime" not in entry for entry in listed["Entries"])


def test_pages_neither_skip_nor_repeat_while_devices_join(server, location):
    location.create_tracker(TrackerName="crowd")

    def join(first, count):
        for start in range(first, first + count, 10):
            location.batch_update_device_position(TrackerName="crowd", Updates=[
                update(f"d{number}", 1, 1) for number in range(start, start + 10)])

    join(0, 250)
    seen, token = [], {}
    while True:
        page = location.list_device_positions(TrackerName="crowd", MaxResults=40, **token)
        seen += [entry["DeviceId"] for entry in page["Entries"]]
        if "NextToken" not in page:
            break
        token = {"NextToken": page["NextToken"]}
        if len(seen) < 200:
            join(250 + len(seen), 10)
    assert len(seen) == len(set(seen)) and {f"d{number}" for number in range(250)} <= set(seen)
    for bad in ("AAAA", "not a token", token["NextToken"][:-2]):
        refused("ValidationException", 400, location.list_device_positions, TrackerName="crowd", NextToken=bad)
    refused("ValidationException", 400, location.list_trackers, NextToken=token["NextToken"])


def test_the_sixth_consumer_is_one_too_many(location):
    location.create_tracker(TrackerName="linked")
    arns = [location.create_geofence_collection(CollectionName=f"link{number}")["CollectionArn"]
            for number in range(6)]
    for arn in arns[:5]:
        location.associate_tracker_consumer(TrackerName="linked", ConsumerArn=arn)
    refused("ConflictException", 409, location.associate_tracker_consumer, TrackerName="linked", ConsumerArn=arns[0])
    refused("ServiceQuotaExceededException", 402, location.associate_tracker_consumer, TrackerName="linked",
            ConsumerArn=arns[5])
    pages = location.get_paginator("list_tracker_consumers").paginate(
        TrackerName="linked", PaginationConfig={"PageSize": 2})
    assert [arn for page in pages for arn in page["ConsumerArns"]] == arns[:5]
    location.disassociate_tracker_consumer(TrackerName="linked", ConsumerArn=arns[2])
    refused("ResourceNotFoundException", 404, location.disassociate_tracker_consumer, TrackerName="linked",
            ConsumerArn=arns[2])
    assert location.list_tracker_consumers(TrackerName="linked")["ConsumerArns"] == arns[:2] + arns[3:5]
    refused("ResourceNotFoundException", 404, location.associate_tracker_consumer, TrackerName="linked",
            ConsumerArn="arn:aws:s3:::bucket")
    refused("ValidationException", 400, location.associate_tracker_consumer, TrackerName="linked",
            ConsumerArn="arn:aws:s3:bucket")


def test_tags_are_added_listed_and_taken_away(location):
    arn = location.create_tracker(TrackerName="tagged", Tags={"a": "1", "b": "2"})["TrackerArn"]
    location.tag_resource(ResourceArn=arn, Tags={"b": "3", "c d": "\u00e9"})
    assert location.list_tags_for_resource(ResourceArn=arn)["Tags"] == {"a": "1", "b": "3", "c d": "\u00e9"}
    location.untag_resource(ResourceArn=arn, TagKeys=["a", "c d", "none"])
    assert location.describe_tracker(TrackerName="tagged")["Tags"] == {"b": "3"}
    refused("ValidationException", 400, location.tag_resource, ResourceArn=arn, Tags={"aws:x": "1"})
    refused("ResourceNotFoundException", 404, location.list_tags_for_resource, ResourceArn=arn + "2")
    elsewhere = arn.replace("us-east-1", "ap-south-1").replace(account, "123456789012")
    assert location.list_tags_for_resource(ResourceArn=elsewhere)["Tags"] == {"b": "3"}


def test_verifying_a_position_is_refused_with_the_reason(location):
    location.create_tracker(TrackerName="verify")
    answer = refused(
        "ValidationException", 400, location.verify_device_position, TrackerName="verify",
        DeviceState={"DeviceId": "d", "SampleTime": moment(), "Position": [1, 1]})
    assert "cannot be verified" in answer["Error"]["Message"]


def test_the_aws_cli_uses_a_tracker(server, location):
    key = amazon.aws_key(server)
    amazon.command(server, "create-tracker", "--tracker-name", "cli", key=key)
    amazon.command(
        server, "batch-update-device-position", "--tracker-name", "cli", "--updates",
        f"DeviceId=d,SampleTime={moment().isoformat()},Position=13.4,52.5", key=key)
    got = amazon.command(server, "get-device-position", "--tracker-name", "cli", "--device-id", "d", key=key)
    assert got["Position"] == [13.4, 52.5]
    names = amazon.command(server, "list-trackers", "--query", "Entries[].TrackerName", key=key)
    assert "cli" in names


def test_everything_survives_a_crash(make_server):
    server = make_server().start()
    key = amazon.aws_key(server)
    location = client(server, key=key)
    place = Place(server, location, "kept", [("f", {"Circle": {"Center": [1, 1], "Radius": 100}})],
                  Tags={"a": "b"}, Description="kept")
    place.report(*[update(f"d{number}", 1, 1) for number in range(5)])
    token = location.list_device_positions(TrackerName="kept", MaxResults=2)["NextToken"]
    server.kill()
    server.start()
    location = client(server, key=key)
    seen = location.describe_tracker(TrackerName="kept")
    assert (seen["Tags"], seen["Description"]) == ({"a": "b"}, "kept")
    rest = location.list_device_positions(TrackerName="kept", NextToken=token)["Entries"]
    assert [entry["DeviceId"] for entry in rest] == ["d2", "d3", "d4"]
    assert location.get_geofence(CollectionName="kept", GeofenceId="f")["Geometry"]["Circle"]["Radius"] == 100
    place.report(update("d0", 1, 1))
    assert place.crossings("d0") == [("enter", "f")], "it was inside before the crash"


def test_a_stranger_with_the_aws_cli_alone_sees_a_member_become_safe_and_gets_the_webhook(make_server):
    server = make_server(arguments=["--allow-private-targets"]).start()
    with Receiver() as receiver:
        arguments = ["target", "add", "hook", "--kind", "webhook", "--url", receiver.url, "--json"]
        hook = json.loads(run(*arguments, data=server.data))
        key = amazon.aws_key(server)

        def aws(service, *arguments):
            return amazon.command(server, *arguments, key=key, service=service)

        aws("location", "create-tracker", "--tracker-name", "crew")
        aws("location", "create-geofence-collection", "--collection-name", "yards")
        aws("location", "associate-tracker-consumer", "--tracker-name", "crew", "--consumer-arn",
            f"arn:aws:geo:us-east-1:{account}:geofence-collection/yards")
        aws("location", "put-geofence", "--collection-name", "yards", "--geofence-id", "gate",
            "--geometry", '{"Circle": {"Center": [13.4, 52.5], "Radius": 50}}')
        aws("events", "put-rule", "--name", "green", "--event-pattern",
            '{"source": ["aws.geo"], "detail-type": ["Location Geofence Event"], "detail": {"GeofenceId": ["gate"]}}')
        aws("events", "put-targets", "--rule", "green", "--targets",
            f"Id=1,Arn=arn:aws:muster:us-east-1:{account}:target/safety",
            f"Id=2,Arn=arn:aws:muster:us-east-1:{account}:target/hook")

        def state():
            members = server.admin().ok("GET", "/teams/crew/safety")["members"]
            return {member["user"]: member["state"] for member in members}

        began = moment()
        # After minutes of silence one accurate fix is believed, and makes nobody safe: three over 20 s do.
        steps = ((13.5, 600, "unsafe"), (13.4, 41, "unknown"), (13.4, 21, "unknown"), (13.4, 1, "safe"))
        for longitude, ago, expected in steps:
            time = moment(ago, began).isoformat()
            aws("location", "batch-update-device-position", "--tracker-name", "crew", "--updates",
                f"DeviceId=ann,SampleTime={time},Position={longitude},52.5,Accuracy={{Horizontal=5}}")
            assert state() == {"ann": expected}
        call = receiver.wait(lambda calls: calls)[0]
        standardwebhooks.Webhook(hook["secret"]).verify(call.body, call.headers)
        detail = json.loads(call.body)["detail"]
        assert (detail["EventType"], detail["GeofenceId"], detail["DeviceId"]) == ("ENTER", "gate", "ann")
