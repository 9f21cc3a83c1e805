"""What OwnTracks phones say beside where they are: kept, read back, told to friends, and gone with the device."""

import base64
import itertools
import json
import sqlite3

import pytest

from event_stream import EventStream
from muster_process import MusterProcess, root
from native_api import now, stamp
from owntracks_phone import Phone, location, sealed, secret

golden = root / "Tests/MusterWireTests/Golden/OwnTracks"
count = itertools.count()
beacon = "CA271EAE-5FA8-4E80-8F08-2A302A95A959"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    # The captured payloads grow old.
    with MusterProcess(tmp_path_factory.mktemp("muster"), ["--retention-days", "36500"]) as server:
        yield server


@pytest.fixture
def phone(server, admin):
    """A phone of a user of its own."""
    return make_phone(server, admin, f"owner{next(count)}")


def make_phone(server, admin, user, device="phone", team=None):
    if user not in {known["name"] for known in admin.items("/users")}:
        admin.make_user(user, "member", team)
    phone = Phone(server, user, admin.make_device(user, device).token, device)
    phone.user, phone.name, phone.path = user, f"{user}/{device}", f"/users/{user}/devices/{device}"
    return phone


def captured(name):
    return json.loads((golden / f"{name}.json").read_bytes())


def seconds(at):
    return stamp(at * 1000)


# Each type as it was captured, and what is read back of it.
notes = {
    "waypoint": [("waypoint", "6da9cf", 1704067200, {"desc": "Werkhof", "lat": 47.3768, "lon": 8.5418, "rad": 150})],
    "waypoints": [
        ("waypoint", "1704067202", 1704067202, {"desc": "Home"}),
        ("waypoint", "6da9cf", 1704067200, {"desc": "Werkhof", "rad": 150}),
        ("waypoint", "9f00", 1704067201, {"desc": "Reception", "uuid": beacon, "major": 7, "minor": 0})],
    "card": [("card", None, None, {"name": "Ueli Weiß", "tid": "UW", "face": captured("card")["face"]})],
    "steps": [("steps", None, 1795240801, {"steps": 583, "distance": 412, "floorsup": 2, "floorsdown": 1})],
    "steps-unknown": [("steps", None, 1795240801, {"steps": -1})],
    "status": [("status", None, None, {"iOS": captured("status")["iOS"]})],
    "lwt": [("lwt", None, 1795240800, {})],
}


def check_notes(api, phone, wanted, query=""):
    found = api.items(phone.path + "/notes" + query)
    assert [(note["kind"], note.get("key")) for note in found] == [(kind, key) for kind, key, _, _ in wanted]
    for note, (_, _, at, body) in zip(found, wanted):
        assert note.get("sampleTime") == (seconds(at) if at else None)
        assert note["body"].items() >= body.items()
        assert not note["body"].keys() & {"_type", "_id"}
    return found


@pytest.mark.parametrize("form", ["plain", "sealed"])
@pytest.mark.parametrize("name", sorted(notes))
def test_a_phones_notes_are_stored_once(admin, phone, name, form):
    message = captured(name)
    # The captured clock is ahead of no real one for ever, but perhaps of this machine's.
    if max(at or 0 for _, _, at, _ in notes[name]) > now() // 1000:
        pytest.skip("the captured time is still in the future on this machine")
    if form == "sealed":
        admin.ok("PUT", phone.path + "/encryption-key", {"key": secret})
    before = admin.last_sequence()
    phone.tell(sealed(message) if form == "sealed" else message)
    found = check_notes(admin, phone, notes[name])
    told = [change for change in admin.changes(before) if change["type"] == "note"]
    assert {(change["kind"], change.get("key")) for change in told} == {
        (kind, key) for kind, key, _, _ in notes[name]}
    assert all(change["device"] == phone.name and change["user"] == phone.user for change in told)
    # Again, as a phone sends it again: with another id, and its keys in another order.
    last = admin.last_sequence()
    again = dict(reversed(message.items())) | {"_id": "b2", "created_at": now() // 1000}
    for form_again in (message, again):
        phone.tell(sealed(form_again) if form == "sealed" else form_again)
    assert admin.last_sequence() == last
    assert admin.items(phone.path + "/notes") == found


def test_a_beacon_is_one_sighting(admin, phone):
    at = now() // 1000 - 100
    seen = {"_type": "beacon", "uuid": beacon.lower(), "major": 7, "minor": 12, "tst": at, "acc": 1.83, "rssi": -67,
            "prox": 2, "tid": "UW"}
    before = admin.last_sequence()
    phone.tell(seen)
    admin.ok("PUT", phone.path + "/encryption-key", {"key": secret})
    phone.tell(seen | {"created_at": at + 50})
    phone.tell(sealed(seen))
    phone.tell(sealed([seen | {"minor": 13, "prox": 0}, seen | {"tst": at - 5}]))
    for wrong in ({"uuid": "no uuid"}, {"major": 65536}, {"tst": at + 86400}, {"tst": -5e12}):
        phone.tell(seen | wrong)
    found = admin.items(phone.path + "/sightings")
    assert [(sighting["sampleTime"], sighting["minor"]) for sighting in found] == [
        (seconds(at - 5), 12), (seconds(at), 12), (seconds(at), 13)]
    first = dict(found[1])
    assert first.pop("receivedTime") >= first["sampleTime"]
    assert first == {
        "uuid": beacon, "major": 7, "minor": 12, "sampleTime": seconds(at), "distance": 1.83, "signalStrength": -67,
        "proximity": "near"}
    told = [change for change in admin.changes(before) if change["type"] == "sighting"]
    assert [(change["sighting"]["minor"], change["late"]) for change in told] == [(12, False), (13, False), (12, True)]
    assert all(change["device"] == phone.name for change in told)
    assert admin.history(phone.name) == []


def test_sightings_come_in_pages_and_ranges(admin, phone):
    start = now() // 1000 - 500
    phone.tell([
        {"_type": "beacon", "uuid": beacon, "major": 1, "minor": index % 3, "tst": start + index // 3}
        for index in range(90)])
    whole = admin.items(phone.path + "/sightings")
    assert len(whole) == 90
    for limit in (1, 7, 89, 90):
        paged, cursor = [], ""
        while cursor is not None:
            page = admin.ok("GET", f"{phone.path}/sightings?limit={limit}{cursor}")
            assert len(page["items"]) <= limit
            paged += page["items"]
            cursor = f"&cursor={page['nextCursor']}" if "nextCursor" in page else None
        assert paged == whole
    part = admin.items(f"{phone.path}/sightings?from={seconds(start + 10)}&to={seconds(start + 12)}")
    assert part == [item for item in whole if seconds(start + 10) <= item["sampleTime"] < seconds(start + 12)]
    for query in ("cursor=x", "cursor=AAAA", "limit=0", "limit=1001", "from=yesterday"):
        admin.refused(422, "GET", f"{phone.path}/sightings?{query}")


def test_notes_come_in_pages_and_by_kind(admin, phone):
    at = now() // 1000 - 100
    phone.tell({"_type": "waypoints", "waypoints": [
        {"_type": "waypoint", "desc": f"place {index}", "rid": f"r{index:03}", "tst": at + index} for index in range(50)
    ]})
    phone.tell([{"_type": "card", "name": "Ana"}, {"_type": "lwt", "tst": at}])
    whole = admin.items(phone.path + "/notes")
    assert [note["kind"] for note in whole] == ["waypoint"] * 50 + ["card", "lwt"]
    paged, cursor = [], ""
    while cursor is not None:
        page = admin.ok("GET", f"{phone.path}/notes?limit=7{cursor}")
        paged += page["items"]
        cursor = f"&cursor={page['nextCursor']}" if "nextCursor" in page else None
    assert paged == whole
    assert [note["kind"] for note in admin.items(phone.path + "/notes?kind=lwt")] == ["lwt"]
    for query in ("kind=secrets", "cursor=_", "cursor=_w", "limit=0"):
        admin.refused(422, "GET", f"{phone.path}/notes?{query}")


def test_the_newest_note_by_the_phones_clock_is_kept(admin, phone):
    at = now() // 1000 - 1000
    for steps, tst in ((100, at + 10), (50, at), (200, at + 20), (150, at + 15), (999, at + 86400)):
        phone.tell({"_type": "steps", "steps": steps, "tst": tst})
    assert [note["body"]["steps"] for note in admin.items(phone.path + "/notes")] == [200]
    before = admin.last_sequence()
    for name in ("Ana", "Ana María", "Ana"):
        phone.tell({"_type": "card", "name": name})
    assert [note["body"] for note in admin.items(phone.path + "/notes?kind=card")] == [{"name": "Ana"}]
    assert len(admin.changes(before)) == 3


def test_a_waypoint_too_many_takes_the_place_of_the_oldest(admin, phone):
    def place(index):
        return {"_type": "waypoint", "desc": f"place {index}", "rid": f"r{index}", "tst": 1704067200 + index}

    phone.tell(place(0))
    phone.tell({"_type": "waypoints", "waypoints": [place(index) for index in range(1, 1000)]})
    phone.tell(place(1000))
    keys = {note["key"] for note in admin.items(phone.path + "/notes?kind=waypoint")}
    assert keys == {f"r{index}" for index in range(1, 1001)}


@pytest.mark.parametrize("message", [
    {"_type": "waypoint"}, {"_type": "waypoint", "desc": ""}, {"_type": "waypoints", "waypoints": 7},
    {"_type": "waypoints", "waypoints": [{"desc": "x"}, 7]}, {"_type": "steps"}, {"_type": "steps", "tst": "soon"},
    {"_type": "beacon"}, {"_type": "beacon", "uuid": beacon, "major": 1, "minor": 1},
])
def test_a_note_that_can_never_be_stored_is_acknowledged_and_dropped(admin, phone, message):
    before = admin.last_sequence()
    assert phone.tell(message) == []
    assert admin.items(phone.path + "/notes") == admin.items(phone.path + "/sightings") == []
    assert admin.last_sequence() == before


def test_an_oversized_member_of_a_note_is_left_out_and_the_rest_stored(admin, phone):
    picture = base64.b64encode(bytes(48_000)).decode()
    phone.tell({"_type": "card", "face": picture, "name": "Ana", "tid": "AN"})
    assert admin.items(phone.path + "/notes")[0]["body"] == {"face": picture, "name": "Ana", "tid": "AN"}
    phone.tell({"_type": "card", "face": "A" * 65_536, "name": "Ana", "tid": "AN"})
    assert admin.items(phone.path + "/notes")[0]["body"] == {"name": "Ana", "tid": "AN"}
    phone.tell({"_type": "waypoint", "desc": "x", "rid": "r" * 500, "tst": 1704067200, "more": "m" * 5000})
    waypoint = admin.items(phone.path + "/notes?kind=waypoint")[0]
    assert waypoint["key"] == "1704067200" and "more" not in waypoint["body"]


def test_the_last_will_makes_nobody_safe_or_unsafe(admin, server):
    admin.make_team("watch")
    phone = make_phone(server, admin, "walter", team="watch")
    before = admin.last_sequence()
    phone.tell([{"_type": "lwt", "tst": now() // 1000}, {"_type": "beacon", "uuid": beacon, "major": 1, "minor": 1,
                                                        "tst": now() // 1000}])
    told = admin.changes(before)
    # A beacon says that the phone is heard, and not where it is.
    assert [change["type"] for change in told] == ["sighting", "safety", "note"]
    assert (told[1]["state"], told[1]["source"]) == ("unknown", "unlocated")
    assert admin.ok("GET", "/teams/watch/safety")["counts"]["unknown"] == 1


def test_the_live_feed_reports_notes_and_sightings(admin, phone):
    with EventStream(admin.address, admin.token, since=admin.last_sequence()) as stream:
        phone.tell(captured("card"))
        phone.tell({"_type": "beacon", "uuid": beacon, "major": 1, "minor": 1, "tst": now() // 1000})
        found = stream.take(lambda found: len([kind for _, kind, _ in found if kind != "safety"]) == 2)
    note, sighting = (event for event in found if event[1] != "safety")
    assert note[1] == "note" and sighting[1] == "sighting"
    assert (note[2]["device"], note[2]["kind"]) == (phone.name, "card")
    assert "face" not in json.dumps(note[2])
    assert (sighting[2]["device"], sighting[2]["sighting"]["uuid"]) == (phone.name, beacon)


# MARK: Friends


def friends(reply):
    return {(friend["topic"], friend["_type"]): friend for friend in reply}


def test_friends_are_shown_the_card_that_a_phone_sent(server, admin):
    phone = make_phone(server, admin, "carla")
    tablet = make_phone(server, admin, "carla", "tablet")
    phone.tell(location())
    before = friends(tablet.tell(location()))
    assert set(before) == {("owntracks/carla/phone", "location"), ("owntracks/carla/tablet", "location")}
    assert before["owntracks/carla/phone", "location"]["tid"] == "ca"
    card = captured("card")
    phone.tell(card)
    after = friends(tablet.tell(location()))
    assert after["owntracks/carla/phone", "card"] == {
        "_type": "card", "topic": "owntracks/carla/phone", "name": card["name"], "face": card["face"], "tid": "UW"}
    assert after["owntracks/carla/phone", "location"]["tid"] == "UW"
    assert after["owntracks/carla/tablet", "location"]["tid"] == "ca"
    assert ("owntracks/carla/tablet", "card") not in after
    other = make_phone(server, admin, "otto")
    make_phone(server, admin, "otto", "tablet").tell(location())
    assert {friend["topic"].split("/")[1] for friend in other.tell(location())} == {"otto"}


def test_the_pictures_of_one_answer_are_bounded(server, admin):
    picture = "A" * 60_000
    phones = [make_phone(server, admin, "frida", f"d{index}") for index in range(6)]
    for phone in phones:
        phone.tell([location(), {"_type": "card", "name": "Frida", "face": picture}])
    reply = phones[0].tell(b"")
    cards = [friend for friend in reply if friend["_type"] == "card"]
    assert len(cards) == 6 and all(card["name"] == "Frida" for card in cards)
    assert sum("face" in card for card in cards) == 4


# MARK: Restart and removal


def test_all_of_it_outlives_a_restart_and_goes_with_the_device(make_server):
    server = make_server().start()
    admin = server.admin()
    phone = make_phone(server, admin, "rita")
    kept = make_phone(server, admin, "rita", "tablet")
    at = now() // 1000 - 60
    messages = [
        {"_type": "waypoint", "desc": "depot", "lat": 1, "lon": 2, "rad": 50, "rid": "w", "tst": at},
        {"_type": "card", "name": "Rita"}, {"_type": "steps", "steps": 5, "tst": at},
        {"_type": "status", "iOS": {"version": "18.1"}}, {"_type": "lwt", "tst": at},
        {"_type": "beacon", "uuid": beacon, "major": 7, "minor": 12, "tst": at}]
    phone.tell(messages)
    kept.tell(messages)
    notes, sightings = (admin.items(f"{phone.path}/{what}") for what in ("notes", "sightings"))
    assert len(notes) == 5 and len(sightings) == 1
    last = admin.last_sequence()
    for stop in (server.kill, server.stop):
        stop()
        server.start()
        phone.tell(messages)
        assert admin.items(phone.path + "/notes") == notes
        assert admin.items(phone.path + "/sightings") == sightings
        assert admin.last_sequence() == last
    admin.ok("DELETE", phone.path)
    for what in ("notes", "sightings"):
        admin.refused(404, "GET", f"{phone.path}/{what}")
    assert len(admin.items(kept.path + "/notes")) == 5
    assert not [change for change in admin.changes() if change["type"] in ("note", "sighting")
                and change["device"] != kept.name]
    # The same name again is another device.
    admin.make_device("rita")
    assert admin.items(phone.path + "/notes") == admin.items(phone.path + "/sightings") == []
    server.stop()
    with sqlite3.connect(server.data / "muster.sqlite") as file:
        assert file.execute("SELECT count(DISTINCT device) FROM notes").fetchone() == (1,)
