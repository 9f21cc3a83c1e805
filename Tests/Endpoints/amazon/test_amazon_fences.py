"""Amazon Location's geofences, by unmodified boto3: their life, their shapes, what is crossed and when."""

import json
import math
from datetime import timedelta

import geobuf
import pytest

import amazon
from amazon import Place, client, crossings, moment, refused, square, update
from event_stream import EventStream
from native_api import fix, now

north = 60.0
"""A latitude where a degree of longitude is half as long as one of latitude."""
metre = 1 / 111_412.0
"""Degrees of latitude in a metre, at 60° N, to a ten-thousandth."""


@pytest.fixture(scope="module")
def location(server):
    return client(server)


def circle(longitude, latitude, radius):
    return {"Circle": {"Center": [longitude, latitude], "Radius": radius}}


def test_a_collection_is_made_described_changed_and_removed(server, location):
    made = location.create_geofence_collection(CollectionName="c", Description="yards", Tags={"k": "v"})
    assert made["CollectionArn"] == "arn:aws:geo:us-east-1:000000000000:geofence-collection/c"
    location.put_geofence(CollectionName="c", GeofenceId="one", Geometry=circle(1, 1, 10))
    seen = location.describe_geofence_collection(CollectionName="c")
    assert (seen["Description"], seen["Tags"], seen["GeofenceCount"]) == ("yards", {"k": "v"}, 1)
    assert server.admin().ok("GET", "/collections/c")["policy"] == "raw"
    location.update_geofence_collection(CollectionName="c", Description="halls")
    assert location.describe_geofence_collection(CollectionName="c")["Description"] == "halls"
    refused("ConflictException", 409, location.create_geofence_collection, CollectionName="c")
    refused("ValidationException", 400, location.create_geofence_collection, CollectionName="c d")
    location.delete_geofence_collection(CollectionName="c")
    refused("ResourceNotFoundException", 404, location.describe_geofence_collection, CollectionName="c")
    names = [entry["CollectionName"] for entry in location.list_geofence_collections()["Entries"]]
    assert "c" not in names


def test_a_fence_comes_back_as_it_went_and_appears_everywhere_at_once(server, location):
    admin = server.admin()
    location.create_geofence_collection(CollectionName="shown")
    hole = list(reversed(square(13.42, 52.52, 0.01)))
    polygon = {"Polygon": [square(13.4, 52.5, 0.1), hole]}
    with EventStream(server.address, admin.token, since=admin.last_sequence()) as stream:
        put = location.put_geofence(
            CollectionName="shown", GeofenceId="\u0434-1", Geometry=polygon, GeofenceProperties={"kind": "yard"})
        events = stream.take(lambda found: any(kind == "region" for _, kind, _ in found))
    assert [event for _, kind, event in events if kind == "region"][0]["id"] == "\u0434-1"
    assert admin.items("/audit")[0]["author"] == "admin"
    got = location.get_geofence(CollectionName="shown", GeofenceId="\u0434-1")
    assert got["Geometry"] == polygon and got["Status"] == "ACTIVE"
    assert got["GeofenceProperties"] == {"kind": "yard"} and got["CreateTime"] == put["CreateTime"]
    feature = admin.ok("GET", "/collections/shown/regions/%D0%B4-1")
    assert feature["geometry"]["coordinates"] == polygon["Polygon"]
    assert feature["properties"]["kind"] == "yard"
    again = location.put_geofence(CollectionName="shown", GeofenceId="\u0434-1", Geometry=circle(1, 1, 5))
    assert again["CreateTime"] == put["CreateTime"] <= again["UpdateTime"]
    several = {"MultiPolygon": [[square(0, 0, 1)], [square(2, 0, 1)]]}
    location.put_geofence(CollectionName="shown", GeofenceId="several", Geometry=several)
    assert location.get_geofence(CollectionName="shown", GeofenceId="several")["Geometry"] == several


def test_a_muster_region_stays_one_when_its_shape_is_replaced(server, location):
    admin = server.admin()
    location.create_geofence_collection(CollectionName="muster")
    location.put_geofence(CollectionName="muster", GeofenceId="yard", Geometry=circle(1, 1, 5))
    feature = admin.ok("GET", "/collections/muster/regions/yard")
    feature["properties"]["muster"] = True
    admin.ok("PUT", "/collections/muster/regions/yard", feature)
    location.put_geofence(CollectionName="muster", GeofenceId="yard", Geometry=circle(2, 2, 6))
    feature = admin.ok("GET", "/collections/muster/regions/yard")
    assert feature["properties"]["muster"] is True and feature["geometry"]["coordinates"] == [2, 2]


bow_tie = [[0, 0], [1, 1], [1, 0], [0, 1], [0, 0]]
many = [[math.cos(math.tau * step / 1000), math.sin(math.tau * step / 1000)] for step in range(1000)]


@pytest.mark.parametrize("geometry", [
    {"Polygon": [list(reversed(square(0, 0, 1)))]}, {"Polygon": [square(0, 0, 1)[:-1] + [[0, 0.1]]]},
    {"Polygon": [bow_tie]}, {"Polygon": [many + [many[0]]]}, {"Polygon": [square(0, 0, 1)[:2] * 2]},
    {"Polygon": [square(0, 0, 1), square(0.2, 0.2, 0.1)]}, {"Polygon": [[[0, 0], [1, 0], [1, 95], [0, 0]]]},
    circle(1, 1, 0), circle(1, 1, 100_001), circle(1, 1, -5), circle(1, 91, 5), {},
    {"Polygon": [square(0, 0, 1)], **circle(1, 1, 5)}, {"Geobuf": b"\x07\x01"},
    {"Polygon": [square(0, 0, 1), [[0, 0.5], [0.5, 0.8], [0.8, 0.5], [0.5, 0.2], [0, 0.5]]]},
    {"MultiPolygon": [[[[0, 0], [100, 0], [100, 1], [0, 1], [0, 0]]]]
        + [[square(step * 10 + 1, -2, 5)] for step in range(3)]},
    {"Geobuf": geobuf.encode({"type": "Polygon", "coordinates": [list(reversed(square(0, 0, 1)))]}, 6)},
], ids=["clockwise", "unclosed", "bow-tie", "1001 vertices", "two vertices", "hole the wrong way", "off the globe",
        "radius 0", "radius 100001", "radius -5", "centre off the globe", "nothing", "two at once", "no geobuf",
        "a hole that touches", "an edge across six", "a clockwise geobuf"])
def test_an_invalid_geometry_is_refused(location, geometry):
    if not any(e["CollectionName"] == "bad" for e in location.list_geofence_collections()["Entries"]):
        location.create_geofence_collection(CollectionName="bad")
    answer = refused("ValidationException", 400, location.put_geofence, CollectionName="bad", GeofenceId="f",
                     Geometry=geometry)
    assert amazon.fields(answer) == ["Geometry"]
    batch = location.batch_put_geofence(CollectionName="bad", Entries=[
        {"GeofenceId": "f", "Geometry": geometry}, {"GeofenceId": "good", "Geometry": circle(1, 1, 5)}])
    assert [(error["GeofenceId"], error["Error"]["Code"]) for error in batch["Errors"]] == [("f", "ValidationError")]
    assert [success["GeofenceId"] for success in batch["Successes"]] == ["good"]
    refused("ResourceNotFoundException", 404, location.get_geofence, CollectionName="bad", GeofenceId="f")


def test_a_geobuf_equals_its_polygon(location):
    location.create_geofence_collection(CollectionName="packed")
    hole = list(reversed(square(13.42, 52.52, 0.01)))
    shapes = [
        ("Polygon", [square(13.4, 52.5, 0.1)]), ("Polygon", [square(13.4, 52.5, 0.1), hole]),
        ("MultiPolygon", [[square(0, 0, 1)]]), ("MultiPolygon", [[square(13.4, 52.5, 0.1), hole], [square(20, 0, 1)]])]
    for kind, coordinates in shapes:
        for wrap in (lambda shape: shape, lambda shape: {"type": "Feature", "properties": {}, "geometry": shape}):
            packed = geobuf.encode(wrap({"type": kind, "coordinates": coordinates}), 6)
            location.put_geofence(CollectionName="packed", GeofenceId="f", Geometry={"Geobuf": packed})
            got = location.get_geofence(CollectionName="packed", GeofenceId="f")["Geometry"][kind]
            assert json.loads(json.dumps(got)) == coordinates


def test_polygons_of_one_fence_overlap_and_touch_as_amazon_allows(server, location):
    shapes = {"overlap": [[square(0, 0, 2)], [square(1, 1, 2)]], "edge": [[square(0, 0, 2)], [square(2, 0, 2)]],
              "corner": [[square(0, 0, 2)], [square(2, 2, 2)]], "same": [[square(0, 0, 2)], [square(0, 0, 2)]]}
    place = Place(server, location, "lapping", [(name, {"MultiPolygon": shape}) for name, shape in shapes.items()])
    for name, shape in shapes.items():
        assert location.get_geofence(CollectionName="lapping", GeofenceId=name)["Geometry"] == {"MultiPolygon": shape}
    place.report(update("d", 1.5, 1.5, 20), update("d", 9, 9, 10))
    assert sorted(place.crossings("d")) == sorted(
        (kind, name) for name in ("overlap", "edge", "corner", "same") for kind in ("enter", "exit"))


def test_a_geobuf_holds_what_amazon_allows_and_a_page_of_such_fences_is_short(server, location):
    location.create_geofence_collection(CollectionName="large")
    shore = [[10 + (5 if step % 2 else 4.99) * math.cos(math.tau * step / 99_999),
              50 + (5 if step % 2 else 4.99) * math.sin(math.tau * step / 99_999)] for step in range(99_998)]
    islands = [[square(column / 50, row / 50, 0.01)] for row in range(100) for column in range(100)]
    holed = [square(0, 0, 10)] + [
        list(reversed(square(column / 20 + 0.01, row / 20 + 0.01, 0.02)))
        for row in range(190) for column in range(100)]
    for name, kind, coordinates in (
            ("shore", "Polygon", [shore + shore[:1]]), ("islands", "MultiPolygon", islands),
            ("holed", "Polygon", holed)):
        packed = geobuf.encode({"type": kind, "coordinates": coordinates}, 5)
        assert len(packed) <= 700_000, name
        location.put_geofence(CollectionName="large", GeofenceId=name, Geometry={"Geobuf": packed})
    got = location.get_geofence(CollectionName="large", GeofenceId="islands")["Geometry"]["MultiPolygon"]
    assert len(got) == 10_000
    pages = [[entry["GeofenceId"] for entry in page["Entries"]]
             for page in location.get_paginator("list_geofences").paginate(CollectionName="large")]
    assert pages[0] == ["shore"], "some megabytes a page"
    assert sum(pages, []) == ["shore", "islands", "holed"]
    more = geobuf.encode({"type": "MultiPolygon", "coordinates": islands + [[square(50, 50, 1)]]}, 5)
    refused("ValidationException", 400, location.put_geofence, CollectionName="large", GeofenceId="more",
            Geometry={"Geobuf": more})


def test_a_confident_collection_has_a_read_only_tag(server, location):
    server.admin().ok("POST", "/collections", {"name": "certain", "policy": "confident"})
    arn = "arn:aws:geo:us-east-1:000000000000:geofence-collection/certain"
    told = {"muster:policy": "confident"}
    assert location.describe_geofence_collection(CollectionName="certain")["Tags"] == told
    location.tag_resource(ResourceArn=arn, Tags={"site": "north"})
    assert location.list_tags_for_resource(ResourceArn=arn)["Tags"] == {"site": "north", **told}
    refused("ValidationException", 400, location.tag_resource, ResourceArn=arn, Tags={"muster:policy": "raw"})
    refused("ValidationException", 400, location.untag_resource, ResourceArn=arn, TagKeys=["muster:policy"])
    made = location.create_geofence_collection(CollectionName="plain")
    assert location.list_tags_for_resource(ResourceArn=made["CollectionArn"])["Tags"] == {}


def test_two_hundred_and_fifty_fences_come_in_pages_while_more_are_put(location):
    location.create_geofence_collection(CollectionName="many")

    def put(first, count):
        for start in range(first, first + count, 10):
            answer = location.batch_put_geofence(CollectionName="many", Entries=[
                {"GeofenceId": f"f{number}", "Geometry": circle(number / 10, 1, 10)}
                for number in range(start, start + 10)])
            assert answer["Errors"] == []

    put(0, 250)
    seen, pages = [], 0
    for page in location.get_paginator("list_geofences").paginate(CollectionName="many"):
        seen += [entry["GeofenceId"] for entry in page["Entries"]]
        pages += 1
        if pages == 1:
            put(250, 10)
            location.batch_delete_geofence(CollectionName="many", GeofenceIds=["f5", "f249"])
    assert len(seen) == len(set(seen)) and set(seen) == {f"f{number}" for number in range(260)} - {"f249"}
    answer = location.batch_delete_geofence(CollectionName="many", GeofenceIds=["f5", "f6"])
    assert [(error["GeofenceId"], error["Error"]["Code"]) for error in answer["Errors"]] == [
        ("f5", "ResourceNotFoundError")]


# MARK: What is crossed

def test_the_first_position_inside_enters_and_one_outside_does_nothing(server, location):
    place = Place(server, location, "first", [("f", circle(1, 1, 100))])
    place.report(update("inside", 1, 1), update("outside", 2, 2))
    assert place.crossings("inside") == [("enter", "f")]
    assert place.crossings("outside") == []


def test_a_short_crossing_is_reported_though_one_position_in_30_s_is_stored(server, location):
    place = Place(server, location, "timed", [("f", circle(1, 1, 100))], PositionFiltering="TimeBased")
    path = [(2, 60), (2, 55), (1, 50), (1, 45), (2, 40), (2, 35)]
    began = moment()
    place.report(*[update("d", longitude, 1, ago, began) for longitude, ago in path])
    assert place.crossings("d") == [("enter", "f"), ("exit", "f")]
    assert len(place.history("d")) == 1
    place.report(update("d", 2, 1, 30, began))
    assert len(place.history("d")) == 2, "30 s after the last that was stored"


def test_a_move_of_29_metres_is_filtered_and_one_of_31_is_not(server, location):
    place = Place(server, location, "moved", [("f", circle(1, north + 30 * metre, 20))],
                  PositionFiltering="DistanceBased")
    began = moment()
    place.report(update("d", 1, north, 60, began), update("d", 1, north + 29 * metre, 50, began))
    assert len(place.history("d")) == 1 and place.crossings("d") == []
    place.report(update("d", 1, north + 31 * metre, 40, began))
    assert len(place.history("d")) == 2 and place.crossings("d") == [("enter", "f")]


def test_a_move_within_both_accuracies_is_ignored(server, location):
    place = Place(server, location, "sure", PositionFiltering="AccuracyBased")
    began = moment()

    def at(metres, accuracy, ago):
        return update("d", 1, north + metres * metre, ago, began, Accuracy={"Horizontal": accuracy})

    place.report(at(0, 5, 60), at(14, 10, 50))
    assert len(place.history("d")) == 1
    place.report(at(16, 10, 40))
    assert len(place.history("d")) == 2


def test_a_late_sample_is_history_and_crosses_nothing(server, location):
    place = Place(server, location, "late", [("f", circle(1, 1, 100))], PositionFiltering="DistanceBased")
    began = moment()
    place.report(update("d", 2, 2, 10, began))
    place.report(update("d", 1, 1, 60, began))
    assert place.crossings("d") == []
    assert [position["Position"] for position in place.history("d")] == [[1, 1], [2, 2]]
    assert location.get_device_position(TrackerName="late", DeviceId="d")["Position"] == [2, 2]


def test_an_exit_precedes_an_enter_and_a_deleted_fence_has_no_exit(server, location):
    place = Place(server, location, "swap", [("west", circle(1, 1, 100)), ("east", circle(2, 1, 100))])
    place.report(update("d", 1, 1, 20), update("d", 2, 1, 10))
    assert place.crossings("d") == [("enter", "west"), ("exit", "west"), ("enter", "east")]
    location.batch_delete_geofence(CollectionName="swap", GeofenceIds=["east"])
    before = server.admin().last_sequence()
    place.report(update("d", 5, 5))
    assert not any(change["type"] == "crossing" for change in server.admin().changes(before))


def test_holes_boundaries_gaps_and_circles_in_the_north(server, location):
    hole = list(reversed(square(0.4, 0.4, 0.2)))
    fences = [("holed", {"Polygon": [square(0, 0, 1), hole]}),
              ("gap", {"MultiPolygon": [[square(10, 0, 1)], [square(12, 0, 1)]]}),
              ("north", circle(30, north, 1000))]
    place = Place(server, location, "shapes", fences)
    degree = math.cos(math.radians(north)) * 111_320 * 1.0025
    cases = {
        "in-hole": ([0.5, 0.5], []), "beside-hole": ([0.3, 0.3], ["holed"]), "edge": ([1, 0.5], ["holed"]),
        "corner": ([0, 0], ["holed"]), "hole-edge": ([0.4, 0.5], ["holed"]), "in-gap": ([11.5, 0.5], []),
        "in-second": ([12.5, 0.5], ["gap"]), "east-inside": ([30 + 990 / degree, north], ["north"]),
        "east-outside": ([30 + 1010 / degree, north], []), "north-inside": ([30, north + 990 * metre], ["north"]),
        "north-outside": ([30, north + 1010 * metre], [])}
    updates = [update(name, *position) for name, (position, _) in cases.items()]
    place.report(*updates[:10])
    place.report(*updates[10:])
    for name, (_, expected) in cases.items():
        assert place.crossings(name) == [("enter", region) for region in expected], name


def test_positions_are_evaluated_against_a_collection_without_a_tracker(server, location):
    location.create_geofence_collection(CollectionName="alone")
    location.put_geofence(CollectionName="alone", GeofenceId="f", Geometry=circle(1, 1, 100))
    trackers = len(location.list_trackers()["Entries"])
    for longitude, ago in ((1, 20), (2, 10)):
        answer = location.batch_evaluate_geofences(
            CollectionName="alone", DevicePositionUpdates=[update("lone", longitude, 1, ago)])
        assert answer["Errors"] == []
    assert crossings(server, "alone", "lone") == [("enter", "f"), ("exit", "f")]
    assert len(location.list_trackers()["Entries"]) == trackers
    location.delete_geofence_collection(CollectionName="alone")
    assert not any(team["name"].startswith("alone") for team in server.admin().items("/teams"))


def test_a_forecast_has_the_fences_around_a_device_and_those_it_will_reach(location):
    location.create_geofence_collection(CollectionName="ahead")
    for name, longitude in (("here", 0), ("near", 0.1), ("far", 1)):
        location.put_geofence(CollectionName="ahead", GeofenceId=name, Geometry=circle(longitude, 0, 1000),
                              GeofenceProperties={"name": name})

    def ask(**more):
        answer = location.forecast_geofence_events(CollectionName="ahead", **more)
        return {event["GeofenceId"]: event for event in answer["ForecastedEvents"]}, answer

    still, answer = ask(DeviceState={"Position": [0, 0]})
    assert {name: event["EventType"] for name, event in still.items()} == {"here": "IDLE"}
    assert still["here"]["IsDeviceInGeofence"] is True and "ForecastedBreachTime" not in still["here"]
    assert (answer["DistanceUnit"], answer["SpeedUnit"]) == ("Kilometers", "KilometersPerHour")
    before = moment()
    moving, _ = ask(DeviceState={"Position": [0, 0], "Speed": 60}, TimeHorizonMinutes=15)
    after = moment()
    assert {name: event["EventType"] for name, event in moving.items()} == {"here": "EXIT", "near": "ENTER"}
    assert moving["here"]["NearestDistance"] == pytest.approx(1, abs=0.01)
    assert moving["near"]["NearestDistance"] == pytest.approx(10.13, abs=0.05)
    breach = moving["near"]["ForecastedBreachTime"]
    assert before + timedelta(seconds=604) <= breach <= after + timedelta(seconds=612), "10.13 km at 60 km/h"
    miles, _ = ask(DeviceState={"Position": [0, 0], "Speed": 60}, TimeHorizonMinutes=15, DistanceUnit="Miles",
                   SpeedUnit="MilesPerHour", MaxResults=1)
    assert len(miles) == 1
    refused("ValidationException", 400, location.forecast_geofence_events, CollectionName="ahead",
            DeviceState={"Position": [0, 0], "Speed": 60}, DistanceUnit="Miles", SpeedUnit="KilometersPerHour")
    pages = location.get_paginator("forecast_geofence_events").paginate(
        CollectionName="ahead", DeviceState={"Position": [0, 0], "Speed": 600}, TimeHorizonMinutes=15,
        PaginationConfig={"PageSize": 1})
    assert [event["GeofenceId"] for page in pages for event in page["ForecastedEvents"]] == ["here", "near", "far"]


def test_a_native_report_crosses_a_fence_put_by_boto3(server, location):
    admin = server.admin()
    admin.make_team("joint")
    admin.make_user("joe", "member", "joint")
    phone = admin.make_device("joe")
    location.put_geofence(CollectionName="joint", GeofenceId="gate", Geometry=circle(7, 47, 50))
    phone.ok("POST", "/positions", fix(47, 7, now()))
    assert crossings(server, "joint", "joe") == [("enter", "gate")]
    assert location.get_device_position(TrackerName="joint", DeviceId="joe")["Position"] == [7, 47]
