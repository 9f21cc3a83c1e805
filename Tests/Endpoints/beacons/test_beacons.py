"""Beacon regions from a radio to a webhook: by the native API, by OwnTracks, by a Ruuvi Gateway's post, unmodified."""

import itertools
import json
import time

import pytest

from muster_process import run
from native_api import NativeApi, box, fix, now, polygon, stamp
from owntracks_phone import Phone
from waiting import eventually
from webhook_receiver import Receiver

uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
count = itertools.count(1)
far_ahead = 7_226_582_400_000
"""The year 2199, in milliseconds since 1970."""


def region(identifier, beacon, place=None, radius=10, **properties):
    """A beacon region; virtual without a place."""
    geometry = {"type": "Point", "coordinates": place} if place else None
    reach = {"radius": radius} if place else {}
    return {"type": "Feature", "id": identifier, "geometry": geometry,
            "properties": {"beacon": beacon, **reach, **properties}}


def heard(minor, at, **more):
    return {"uuid": uuid, "major": 1, "minor": minor, "sampleTime": stamp(at), "signalStrength": -60, **more}


@pytest.fixture
def team(admin):
    """A team of its own: its name, the API of a member, and that of the member's phone."""
    name = f"crew{next(count)}"
    admin.make_team(name, policy="confident")
    member = admin.make_user(f"{name}.ann", "member", name)
    member.team, member.name = name, f"{name}.ann"
    member.phone = admin.make_device(member.name, "phone")
    return member


def crossings(admin, user):
    return [(change["kind"], change["region"]["id"]) for change in admin.changes()
            if change["type"] == "crossing" and change["user"] == user]


def put(admin, team, feature):
    return admin.ok("PUT", f"/collections/{team.team}/regions/{feature['id']}", feature)


def test_a_beacon_region_is_kept_and_read_back(admin, team):
    virtual = region("desk", {"uuid": uuid.lower(), "major": 1, "minor": 2, "proximity": "near"}, name="Desk")
    stored = put(admin, team, virtual)
    assert stored["geometry"] is None
    assert stored["properties"]["beacon"] == {
        "uuid": uuid, "major": 1, "minor": 2, "proximity": "near", "room": False}
    placed = put(admin, team, region("hall", {"uuid": uuid}, [8.5, 47.5], 12, muster=True))
    assert placed["geometry"] == {"type": "Point", "coordinates": [8.5, 47.5]}
    assert placed["properties"]["radius"] == 12 and placed["properties"]["muster"] is True
    listed = admin.ok("GET", f"/collections/{team.team}/regions")["features"]
    assert listed == [stored, placed]
    # What was read can be written again.
    assert admin.ok("PUT", f"/collections/{team.team}/regions/hall", placed) == placed


@pytest.mark.parametrize("feature, pointer, words", [
    (region("a", {"uuid": "x"}), "beacon/uuid", "UUID"),
    (region("a", {"uuid": uuid, "minor": 3}), "beacon/major", "needed"),
    (region("a", {"uuid": uuid, "major": 70000}), "beacon/major", "65535"),
    (region("a", {"uuid": uuid, "proximity": "close"}), "beacon/proximity", "one of"),
    (region("a", {"uuid": uuid, "room": 1}), "beacon/room", "true or false"),
    (region("a", {"uuid": uuid, "colour": "red"}), "beacon/colour", "belong"),
    (region("a", {"uuid": uuid, "scanner": "a/b"}), "beacon/scanner", "alone"),
    (region("a", {"scanner": "no/body"}), "beacon/scanner", "gateway"),
    (region("a", {"uuid": uuid}, muster=True), "muster", "makes nobody safe"),
    ({**polygon("a", box(8, 47, 9, 48)), "properties": {"beacon": {"uuid": uuid}}}, "geometry", "Point"),
    ({"type": "Feature", "id": "a", "geometry": None, "properties": {}}, "geometry", "needs a geometry"),
])
def test_an_invalid_beacon_region_is_refused_with_a_reason(admin, team, feature, pointer, words):
    problem = admin.refused(422, "PUT", f"/collections/{team.team}/regions/a", feature)
    (fault,) = problem["errors"]
    assert fault["pointer"].endswith(pointer) and words in fault["detail"], fault


def test_a_phone_that_hears_a_beacon_enters_dwells_near_it_and_leaves(admin, team):
    put(admin, team, region("hall", {"uuid": uuid, "major": 1}, [8.5, 47.5], 12, muster=True))
    begin = now() - 45_000
    report = {"sightings": [heard(2, begin + 1000 * second) for second in range(10)]}
    receipt = team.phone.ok("POST", "/sightings", report)
    # Two minutes after the last one it is not known any more where she is.
    (presence,) = admin.items(f"/presences?user={team.name}")
    (person,) = admin.ok("GET", f"/teams/{team.team}/safety")["members"]
    assert receipt["accepted"] == 10
    assert crossings(admin, team.name) == [("enter", "hall")]
    assert presence["standing"] == "inside" and presence["proximity"] == "near"
    assert 0.5 < presence["distance"] < 3 and presence["probability"] > 0.95
    (position,) = admin.items(f"/positions?user={team.name}")
    assert (position["latitude"], position["longitude"]) == (47.5, 8.5)
    assert position["source"] == "beacon" and position["accuracy"] == 12
    assert person["state"] == "safe"
    # The same again changes nothing.
    again = team.phone.ok("POST", "/sightings", report)
    assert again["repeated"] == 10 and again["accepted"] == 0
    team.phone.ok("POST", "/sightings", {"listenedUntil": stamp(now())})
    assert crossings(admin, team.name) == [("enter", "hall"), ("exit", "hall")]
    assert len(admin.items(f"/users/{team.name}/devices/phone/sightings")) == 10


@pytest.mark.parametrize("body, pointer", [
    ({}, "/sightings"), ({"sightings": 1}, "/sightings"), ({"sightings": [1]}, "/sightings/0"),
    ({"sightings": [{"sampleTime": stamp(now())}]}, "/sightings/0"),
    ({"sightings": [{"uuid": "x", "sampleTime": stamp(now())}]}, "/sightings/0/uuid"),
    ({"sightings": [heard(70000, now())]}, "/sightings/0/minor"),
    ({"sightings": [heard(1, now(), distance=-1)]}, "/sightings/0/distance"),
    ({"sightings": [heard(1, now(), proximity="here")]}, "/sightings/0/proximity"),
    ({"sightings": [heard(1, now(), colour=1)]}, "/sightings/0/colour"),
    ({"sightings": [heard(1, far_ahead)]}, "/sightings/0/sampleTime"),
    ({"sightings": [heard(1, 0)]}, "/sightings/0/sampleTime"),
    ({"sightings": [{"address": "x", "sampleTime": stamp(now())}]}, "/sightings/0/address"),
    ({"sightings": [{"advertisement": "0g", "sampleTime": stamp(now())}]}, "/sightings/0/advertisement"),
    ({"listenedUntil": "yesterday"}, "/listenedUntil"), ({"sightings": [], "more": 1}, "/more"),
    ({"device": "nobody/phone", "sightings": []}, "/device"),
])
def test_bad_sightings_are_refused_with_their_place(team, body, pointer):
    problem = team.phone.refused(422, "POST", "/sightings", body)
    assert [fault["pointer"] for fault in problem["errors"]] == [pointer], problem


def test_an_advertisement_is_read_by_the_server(admin, team):
    put(admin, team, region("desk", {"uuid": uuid, "major": 1, "minor": 2}))
    frame = "02011a1aff4c000215" + uuid.replace("-", "") + "00010002c5"
    begin = now() - 10_000
    reports = [{"advertisement": text, "sampleTime": stamp(begin + 1000 * second), "signalStrength": -70}
               for second in range(4) for text in (frame, "02010603ff9904", "1aff4c00")]
    assert team.phone.ok("POST", "/sightings", {"sightings": reports})["accepted"] == 4
    assert crossings(admin, team.name) == [("enter", "desk")]
    (first, *_) = admin.items(f"/users/{team.name}/devices/phone/sightings")
    assert first["uuid"] == uuid and abs(first["distance"] - 10 ** (11 / 27)) < 0.01


def test_owntracks_beacons_and_transitions_decide(admin, server, team):
    put(admin, team, region("desk", {"uuid": uuid, "major": 1, "minor": 2}, name="My Desk"))
    phone = Phone(server, team.name, team.phone.token, "phone")
    at = now() // 1000 - 100
    for second in range(4):
        phone.tell({"_type": "beacon", "uuid": uuid, "major": 1, "minor": 2, "tst": at + second, "acc": 1.2,
                    "rssi": -62, "prox": 2})
    assert crossings(admin, team.name) == [("enter", "desk")]
    leave = {"_type": "transition", "event": "leave", "desc": "my desk", "t": "b", "tst": at + 40, "wtst": at}
    phone.tell(leave)
    phone.tell(leave)
    assert crossings(admin, team.name) == [("enter", "desk"), ("exit", "desk")]
    # An iPhone of before names the beacon itself. A place's own crossing still decides nothing.
    enter = {"_type": "transition", "event": "enter", "t": "b", "tst": at + 60, "wtst": at}
    phone.tell({**enter, "desc": "My Desk", "t": "c"})
    assert len(crossings(admin, team.name)) == 2
    phone.tell({**enter, "desc": f"Anything:{uuid}:1:2"})
    assert crossings(admin, team.name)[2:] == [("enter", "desk")]


@pytest.fixture
def gates(admin):
    """A machine's user with two gateways: its name, and the gateways' APIs."""
    name = f"gates{next(count)}"
    gates = admin.make_user(name, "gateway")
    gates.name = name
    gates.hall, gates.yard = (admin.make_device(name, device) for device in ("hall", "yard"))
    return gates


def ruuvi(at, tags, gateway="C8:25:2D:8E:9C:2C"):
    """A post as the gateway's firmware 1.14 makes it."""
    return {"data": {
        "coordinates": "", "timestamp": at // 1000, "nonce": 1, "gw_mac": gateway,
        "tags": {mac: {"rssi": rssi, "timestamp": at // 1000, "data": data} for mac, (rssi, data) in tags.items()}}}


raw_format_5 = "0201061BFF99040512FC5394C37C0004FFFC040CAC364200CDCBB8334C884F"


def test_a_ruuvi_gateways_reports_place_a_tag_in_a_room(admin, server, team, gates):
    tag = f"CB:B8:33:4C:88:{next(count):02X}"
    made = admin.ok("POST", f"/users/{team.name}/devices", {"name": "keys", "beacon": tag})
    assert made["beacon"] == tag
    put(admin, team, region("hall", {"scanner": f"{gates.name}/hall"}, [8.5, 47.5]))
    put(admin, team, region("yard", {"scanner": f"{gates.name}/yard"}, [8.51, 47.5]))
    strangers = {"AA:AA:AA:AA:AA:AA": (-50, raw_format_5), "broken": (-50, ""), "BB:BB:BB:BB:BB:BB": (-50, "02ff")}
    begin = now() - 20_000
    for post in range(4):
        at = begin + 4000 * post
        receipt = gates.hall.ok("POST", "//ruuvi", ruuvi(at, {tag: (-55, raw_format_5), **strangers}))
        assert receipt == {"stored": 1, "strangers": 2, "unknown": 2, "malformed": 2, "wrongTime": 0}
        gates.yard.ok("POST", "//ruuvi", ruuvi(at, {tag: (-80, raw_format_5)}))
    assert crossings(admin, team.name) == [("enter", "hall")]
    position = {item["device"]: item for item in admin.items(f"/positions?user={team.name}")}[f"{team.name}/keys"]
    assert position["reportedBy"] == gates.name
    # Nothing is kept of strangers.
    assert len(admin.items(f"/users/{gates.name}/devices/hall/sightings")) == 4
    # An hour that is replayed moves nothing, and neither does one post of a clock that is a day ahead.
    for minute in range(60):
        gates.yard.ok("POST", "//ruuvi", ruuvi(begin - 3_600_000 + 60_000 * minute, {tag: (-40, raw_format_5)}))
    wrong = gates.yard.ok("POST", "//ruuvi", ruuvi(now() + 86_400_000, {tag: (-40, raw_format_5)}))
    assert (wrong["wrongTime"], wrong["stored"]) == (1, 1)
    assert crossings(admin, team.name) == [("enter", "hall")]


@pytest.mark.parametrize("clock", [None, 0, 37, "37", 1_500_000_000, 4_000_000_000])
def test_a_ruuvi_gateway_without_a_set_clock_counts_from_the_arrival(admin, team, gates, clock):
    tag = f"CB:B8:33:4C:89:{next(count):02X}"
    admin.ok("POST", f"/users/{team.name}/devices", {"name": "keys", "beacon": tag})
    put(admin, team, region("hall", {"scanner": f"{gates.name}/hall"}, [8.5, 47.5]))

    def post(second):
        body = ruuvi(0, {tag: (-55, raw_format_5)})
        for item in (body["data"], body["data"]["tags"][tag]):
            del item["timestamp"]
            if clock is not None:
                item["timestamp"] = clock if isinstance(clock, str) else clock + second
        return gates.hall.ok("POST", "//ruuvi", body)

    before = now()
    assert post(0) == {"stored": 1, "strangers": 0, "unknown": 1, "malformed": 0, "wrongTime": 1}
    (heard,) = admin.items(f"/users/{gates.name}/devices/hall/sightings")
    assert stamp(before) <= heard["sampleTime"] <= stamp(now())
    if clock == 37:
        seconds = itertools.count(1)
        entered = eventually(lambda: post(next(seconds)) and crossings(admin, team.name))
        assert entered == [("enter", "hall")]


def test_sightings_from_before_a_scanners_silence_do_not_enter(admin, team, gates):
    keys, other = next(count), next(count)
    admin.make_user(f"{team.name}.ben", "member", team.team)
    for user, minor in ((team.name, keys), (f"{team.name}.ben", other)):
        admin.ok("POST", f"/users/{user}/devices", {"name": "keys", "beacon": f"{uuid}:1:{minor}"})
    put(admin, team, region("hall", {"scanner": f"{gates.name}/hall"}, [8.5, 47.5], muster=True))

    def hear(minor, at):
        return gates.hall.ok("POST", "/sightings", {"sightings": [heard(minor, at)]})

    def standing():
        return next((item["standing"] for item in admin.items(f"/presences?user={team.name}")
                     if item["device"] == f"{team.name}/keys"), None)

    def safety():
        members = admin.ok("GET", f"/teams/{team.team}/safety")["members"]
        return next(member["state"] for member in members if member["user"] == team.name)

    before = admin.last_sequence()
    # The last that the scanner heard is a minute and a half old, as when its network is slow.
    begin = now() - 92_000
    gates.hall.ok("POST", "/sightings", {"sightings": [heard(keys, begin + 1000 * second) for second in range(6)]})
    # Half a minute later it is two minutes old: the scanner is silent.
    eventually(standing, lambda state: state == "unknown")
    states = [change["state"] for change in admin.changes(before)
              if change["type"] == "safety" and change["user"] == team.name]
    assert states[-2:] == ["safe", "unknown"] and crossings(admin, team.name) == [("enter", "hall")]
    # The scanner is back, and hears another tag only. The keys may be anywhere, however often the server checks. The
    # server checks by its own clock, so the test must let time pass.
    for _ in range(4):
        hear(other, now())
        assert (standing(), safety()) == ("unknown", "unknown")
        time.sleep(0.7)
    # Sightings within half a second of the scanner's clock count as one moment.
    back = now()
    gates.hall.ok("POST", "/sightings", {"sightings": [heard(keys, back + 600 * moment) for moment in range(3)]})
    assert standing() == "unknown" and safety() != "safe"
    hear(keys, back + 1_800)
    assert (standing(), safety()) == ("inside", "safe")
    assert crossings(admin, team.name) == [("enter", "hall")]


def test_a_gateways_invalid_post_is_refused_with_the_place_of_the_fault(admin, team, gates):
    assert gates.hall.refused(422, "POST", "//ruuvi", {})["errors"][0]["pointer"] == "/data"
    assert gates.hall.refused(422, "POST", "//ruuvi", {"data": {"tags": []}})["errors"][0]["pointer"] == "/data/tags"
    gates.hall.refused(400, "POST", "//ruuvi", raw=b"{", headers={"Content-Type": "application/json"})
    # By its user's key, the device is the one that has the gateway's address as its name.
    assert gates.refused(422, "POST", "//ruuvi", ruuvi(now(), {}))["errors"][0]["pointer"] == "/data/gw_mac"
    admin.ok("POST", f"/users/{gates.name}/devices", {"name": "C8-25-2D-8E-9C-2C"})
    assert gates.ok("POST", "//ruuvi", ruuvi(now(), {}))["stored"] == 0
    team.phone.refused(403, "POST", "//ruuvi", ruuvi(now(), {}))


def test_a_member_cannot_register_a_tag_and_a_taken_tag_is_refused(admin, team):
    tag = {"name": "keys", "beacon": f"{uuid}:9:{next(count)}"}
    team.refused(403, "POST", f"/users/{team.name}/devices", tag)
    admin.ok("POST", f"/users/{team.name}/devices", tag)
    admin.refused(409, "POST", f"/users/{team.name}/devices", {**tag, "name": "again"})
    admin.refused(422, "POST", f"/users/{team.name}/devices", {"name": "bad", "beacon": "red"})
    admin.ok("DELETE", f"/users/{team.name}/devices/keys")
    admin.ok("POST", f"/users/{team.name}/devices", tag)


def test_a_radio_becomes_a_call_of_a_webhook(make_server):
    with Receiver() as receiver:
        server = make_server(arguments=["--allow-private-targets"]).start()
        admin = server.admin()
        admin.make_team("crew", policy="confident")
        admin.make_user("ann", "member", "crew")
        phone = admin.make_device("ann")
        admin.ok("POST", "/collections/crew/regions", {"type": "FeatureCollection", "features": [
            region("desk", {"uuid": uuid, "major": 1, "minor": 2}, name="Desk")]})
        admin.ok("POST", "/targets", {"name": "hook", "kind": "webhook", "url": receiver.url})
        admin.ok("POST", "/rules", {
            "name": "arrives", "pattern": {"detail": {"EventType": ["ENTER"], "GeofenceId": ["desk"]}},
            "targets": [{"id": "1", "target": "hook"}]})
        begin = now() - 5000
        phone.ok("POST", "/sightings", {"sightings": [heard(2, begin + 1000 * second) for second in range(5)]})
        (call,) = receiver.wait(lambda calls: calls)
        detail = json.loads(call.body)["detail"]
        assert (detail["GeofenceId"], detail["EventType"]) == ("desk", "ENTER")


def test_a_kill_between_sightings_changes_nothing(make_server):
    server = make_server().start()
    admin = server.admin()
    admin.make_team("crew", policy="confident")
    admin.make_user("ann", "member", "crew")
    token = admin.make_device("ann").token
    admin.ok("POST", "/collections/crew/regions", {"type": "FeatureCollection", "features": [
        region("desk", {"uuid": uuid, "major": 1, "minor": 2}, [8.5, 47.5])]})
    begin = now() - 60_000
    for second in range(8):
        phone = NativeApi(server.address, token)
        phone.ok("POST", "/sightings", {"sightings": [heard(2, begin + 1000 * second)]})
        if second in (0, 1, 5):
            server.kill()
            server.start()
    admin = server.admin()
    assert crossings(admin, "ann") == [("enter", "desk")]
    # Two minutes after the last sighting it would not be known any more whether she is there.
    last = now()
    phone.ok("POST", "/sightings", {"sightings": [heard(2, last - 1000 * second) for second in range(5, -1, -1)]})
    (presence,) = admin.items("/presences")
    assert presence["standing"] == "inside"


def test_regions_and_tags_at_the_terminal(admin, server, team, tmp_path):
    file = tmp_path / "desk.geojson"
    file.write_text(json.dumps(region("desk", {"uuid": uuid}, name="Desk")))
    run("region", "set", "desk", str(file), "--collection", team.team, data=server.data)
    assert run("region", "list", "--collection", team.team, data=server.data) == "desk\tDesk\tbeacon\n"
    tag = f"{uuid}:8:{next(count)}"
    run("device", "add", "keys", "--user", team.name, "--beacon", tag, data=server.data)
    assert admin.ok("GET", f"/users/{team.name}/devices/keys")["beacon"] == tag


def test_a_position_crosses_no_beacon_region(admin, team):
    put(admin, team, region("hall", {"uuid": uuid}, [8.5, 47.5], 50))
    begin = now() - 60_000
    team.phone.ok("POST", "/positions", [fix(47.5, 8.5, begin + 5000 * step, accuracy=5) for step in range(10)])
    assert crossings(admin, team.name) == [] and admin.items(f"/presences?user={team.name}") == []
