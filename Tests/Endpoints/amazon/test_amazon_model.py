"""What AWS's own models allow and forbid in a request, against what is taken and refused here: every difference is one
that docs/aws.md lists."""

import json

import pytest
from botocore import xform_name
from botocore.exceptions import ClientError

from amazon import client, moment, refused, square
from amazon_model import documented, is_documented, request, trials
from muster_process import root

page = (root / "docs/aws.md").read_text()
pattern = '{"source": ["drill"]}'
event = json.dumps({
    "id": "1", "account": "1", "source": "drill", "time": "2026-01-01T00:00:00Z", "region": "r", "resources": [],
    "detail-type": "t", "detail": {}})
collection = "arn:aws:geo:us-east-1:000000000000:geofence-collection/model"
circle = {"Circle": {"Center": [1.0, 1.0], "Radius": 5.0}}
update = {"DeviceId": "d", "SampleTime": moment(5), "Position": [1.0, 1.0], "Accuracy": {"Horizontal": 5.0},
          "PositionProperties": {"k": "v"}}
shapes = [{"Polygon": [square(0.0, 0.0, 1.0)]}, {"MultiPolygon": [[square(0.0, 0.0, 1.0)]]}, circle]

location = {
    "CreateTracker": {"TrackerName": "made", "Description": "d", "Tags": {"k": "v"}, "PositionFiltering": "TimeBased",
                      "PricingPlan": "RequestBasedUsage"},
    "ListTrackers": {"MaxResults": 5}, "DescribeTracker": {"TrackerName": "model"},
    "UpdateTracker": {"TrackerName": "model", "Description": "d", "PositionFiltering": "TimeBased",
                      "PricingPlan": "RequestBasedUsage"},
    "DeleteTracker": {"TrackerName": "none"},
    "AssociateTrackerConsumer": {"TrackerName": "model", "ConsumerArn": collection},
    "DisassociateTrackerConsumer": {"TrackerName": "model", "ConsumerArn": collection},
    "ListTrackerConsumers": {"TrackerName": "model", "MaxResults": 5},
    "BatchUpdateDevicePosition": {"TrackerName": "model", "Updates": [update]},
    "BatchGetDevicePosition": {"TrackerName": "model", "DeviceIds": ["d"]},
    "ListDevicePositions": {"TrackerName": "model", "MaxResults": 5,
                            "FilterGeometry": {"Polygon": [square(0.0, 0.0, 1.0)]}},
    "GetDevicePosition": {"TrackerName": "model", "DeviceId": "d"},
    "GetDevicePositionHistory": {"TrackerName": "model", "DeviceId": "d", "MaxResults": 5},
    "BatchDeleteDevicePositionHistory": {"TrackerName": "model", "DeviceIds": ["d"]},
    "CreateGeofenceCollection": {"CollectionName": "made", "Description": "d", "Tags": {"k": "v"},
                                 "PricingPlan": "RequestBasedUsage"},
    "ListGeofenceCollections": {"MaxResults": 5},
    "DescribeGeofenceCollection": {"CollectionName": "model"},
    "UpdateGeofenceCollection": {"CollectionName": "model", "Description": "d", "PricingPlan": "RequestBasedUsage"},
    "DeleteGeofenceCollection": {"CollectionName": "none"},
    "GetGeofence": {"CollectionName": "model", "GeofenceId": "f"},
    "BatchDeleteGeofence": {"CollectionName": "model", "GeofenceIds": ["f"]},
    "ListGeofences": {"CollectionName": "model", "MaxResults": 5},
    "BatchEvaluateGeofences": {"CollectionName": "model", "DevicePositionUpdates": [update]},
    "ForecastGeofenceEvents": {
        "CollectionName": "model", "DeviceState": {"Position": [1.0, 1.0], "Speed": 1.0}, "TimeHorizonMinutes": 1.0,
        "DistanceUnit": "Kilometers", "MaxResults": 5},
    "ListTagsForResource": {"ResourceArn": collection}, "TagResource": {"ResourceArn": collection, "Tags": {"k": "v"}},
    "UntagResource": {"ResourceArn": collection, "TagKeys": ["k"]},
}
fences = {"GeofenceProperties": {"k": "v"}}
bus = {"EventBusName": "default"}
transformer = {"InputPathsMap": {"k": "$.id"}, "InputTemplate": '"<k>"'}
target = {"Id": "1", "Arn": "arn:aws:muster:us-east-1:000000000000:target/none", "RoleArn": "arn:role"}
events = {
    "PutRule": {"Name": "made", "EventPattern": pattern, "Description": "d", "State": "ENABLED", "RoleArn": "r", **bus},
    "DescribeRule": {"Name": "model", **bus}, "ListRules": {"NamePrefix": "m", "Limit": 5, **bus},
    "EnableRule": {"Name": "model", **bus}, "DisableRule": {"Name": "none", **bus},
    "DeleteRule": {"Name": "none", **bus},
    "RemoveTargets": {"Rule": "model", "Ids": ["1"], **bus},
    "ListTargetsByRule": {"Rule": "model", "Limit": 5, **bus},
    "ListRuleNamesByTarget": {"TargetArn": target["Arn"], "Limit": 5, **bus},
    "TestEventPattern": {"EventPattern": pattern, "Event": event},
    "PutEvents": {"Entries": [
        {"Source": "s", "DetailType": "t", "Detail": "{}", "Resources": ["r"], "TraceHeader": "t", **bus}]},
}
cases = (
    [("location", operation, base) for operation, base in location.items()]
    + [("location", "PutGeofence", {"CollectionName": "model", "GeofenceId": "f", "Geometry": shape, **fences})
       for shape in shapes]
    + [("location", "BatchPutGeofence",
        {"CollectionName": "model", "Entries": [{"GeofenceId": "f", "Geometry": shape, **fences}]}) for shape in shapes]
    + [("events", operation, base) for operation, base in events.items()]
    + [("events", "PutTargets", {"Rule": "model", "Targets": [{**target, **form}], **bus})
       for form in ({"Input": "1"}, {"InputPath": "$.id"}, {"InputTransformer": transformer})])


@pytest.fixture(scope="module")
def clients(server):
    """A client of each service, which itself checks nothing."""
    made = {service: client(server, service=service, checks=False) for service in ("location", "events")}
    made["location"].create_tracker(TrackerName="model")
    made["location"].create_geofence_collection(CollectionName="model")
    made["events"].put_rule(Name="model", EventPattern=pattern)
    return made


def error_of(one, operation, arguments):
    """The code of the error that an operation, or an entry of its batch, is answered with; None for none."""
    try:
        told = getattr(one, xform_name(operation))(**arguments)
    except ClientError as error:
        return error.response["Error"]["Code"]
    finally:
        if operation == "TagResource":
            forget_tags(one)
    failures = [error["Error"]["Code"] for error in told.get("Errors", []) if "Error" in error]
    return failures[0] if failures else None


def forget_tags(one):
    """There is room for fifty."""
    tags = list(one.list_tags_for_resource(ResourceArn=collection)["Tags"])
    if tags:
        one.untag_resource(ResourceArn=collection, TagKeys=tags)


@pytest.mark.parametrize("service, operation, base", cases, ids=[f"{case[1]}-{n}" for n, case in enumerate(cases)])
def test_a_member_is_accepted_or_refused_as_in_the_model(clients, service, operation, base):
    listed = documented(page)
    differences = []
    for trial in trials(service, operation, base):
        if is_documented(trial, listed):
            continue
        code = error_of(clients[service], operation, request(base, trial))
        is_refused = code in ("ValidationException", "ValidationError")
        if is_refused == trial.is_allowed:
            differences.append(f"{trial}: {code}")
    assert not differences, "\n".join(differences)


def test_an_operation_that_is_not_served_is_answered_as_amazon_does(clients):
    answer = refused("ValidationException", 400, clients["location"].list_maps)
    assert answer["Reason"] == "UnknownOperation" and "trackers, geofences and tags" in answer["Message"]
    for operation, arguments in {
        "CalculateRoute": {"CalculatorName": "c", "DeparturePosition": [1, 1], "DestinationPosition": [2, 2]},
        "CreateKey": {"KeyName": "k", "Restrictions": {}}, "DescribeMap": {"MapName": "m"},
        "SearchPlaceIndexForText": {"IndexName": "i", "Text": "t"},
        "GetMapTile": {"MapName": "m", "X": "1", "Y": "1", "Z": "1"}, "UpdateKey": {"KeyName": "k"},
    }.items():
        assert error_of(clients["location"], operation, arguments) == "ValidationException", operation
