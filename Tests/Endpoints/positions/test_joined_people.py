"""One person with two device ids: a user that stands for a device is joined to the person whose device it is."""

import json

from amazon import client, update
from muster_process import run
from native_api import NativeApi, box, fix, now, polygon

yard = polygon("yard", box(13.40, 52.50, 13.41, 52.51), muster=True, name="Yard")
inside, outside = (52.505, 13.405), (52.6, 13.6)


def make_crew(server, name):
    """A team with a leader and a member; their APIs, and a tracker client that reports any device id."""
    admin = server.admin()
    admin.make_team(name, [yard])
    leader = admin.make_user(f"{name}-lea", "leader", name)
    return admin, leader, admin.make_user(f"{name}-ann", "member", name), client(server)


def report(location, tracker, device, place, seconds_ago=0):
    answer = location.batch_update_device_position(
        TrackerName=tracker, Updates=[update(device, place[1], place[0], seconds_ago, Accuracy={"Horizontal": 5})])
    assert answer["Errors"] == []


def where(location, tracker, device):
    return location.get_device_position(TrackerName=tracker, DeviceId=device)["Position"]


def names(admin):
    return {user["name"] for user in admin.items("/users")}


def roll(api, number):
    answer = api.ok("GET", f"/incidents/{number}")
    return answer, {person["user"]: person for person in answer["roll"]}


def test_a_second_id_is_joined_during_an_incident_and_goes_on_reporting_as_the_person(make_server):
    server = make_server().start()
    admin, leader, ann, location = make_crew(server, "dock")
    report(location, "dock", "tag-7", outside, 20)
    number = leader.ok("POST", "/teams/dock/incidents", {"kind": "real"})["number"]
    leader.ok("POST", "/users/dock-lea/declarations", {"kind": "safe"})
    answer, found = roll(leader, number)
    assert answer["counts"]["people"] == 3 and found["tag-7"]["state"] == "unsafe"
    assert found["dock-ann"]["state"] == "unknown"
    joined = leader.ok("POST", "/users/tag-7/join", {"to": "dock-ann"})
    assert joined["name"] == "dock-ann"

    def check(leader, admin, location):
        answer, found = roll(leader, number)
        assert answer["counts"]["people"] == 2 and found["dock-ann"]["state"] == "unsafe"
        assert found["tag-7"]["left"] and "takenOff" not in found["tag-7"]
        assert (found["tag-7"]["joinedTo"]["to"], found["tag-7"]["joinedTo"]["by"]) == ("dock-ann", "dock-lea")
        assert "tag-7" not in names(admin)
        device, = admin.items("/devices?user=dock-ann")
        assert (device["id"], device["alias"]) == ("dock-ann/tag-7", "tag-7")
        assert where(location, "dock", "tag-7") == [outside[1], outside[0]]
        entries = location.list_device_positions(TrackerName="dock")["Entries"]
        assert [entry["DeviceId"] for entry in entries] == ["tag-7"]

    check(leader, admin, location)
    server.kill()
    server.start()
    admin, leader = server.admin(), NativeApi(server.address, leader.token)
    location = client(server)
    check(leader, admin, location)
    report(location, "dock", "tag-7", (52.6001, 13.6001))
    assert "tag-7" not in names(admin)
    assert where(location, "dock", "tag-7") == [13.6001, 52.6001]
    assert [fix["latitude"] for fix in admin.history("dock-ann/tag-7")] == [52.6, 52.6001]
    past = location.get_device_position_history(TrackerName="dock", DeviceId="tag-7")["DevicePositions"]
    assert [position["Position"][1] for position in past] == [52.6, 52.6001]
    crossings = [change for change in admin.changes() if change["type"] == "crossing"]
    assert crossings == []
    # Ann says that she is safe: nobody else is waited for.
    NativeApi(server.address, ann.token).ok("POST", "/users/dock-ann/declarations", {"kind": "safe"})
    assert roll(leader, number)[0]["allAccounted"]
    document = leader.ok("GET", f"/incidents/{number}/report")
    line, = [line for line in document["changes"] if line["event"] == "joinedTo"]
    assert (line["user"], line["to"], line["by"]) == ("tag-7", "dock-ann", "dock-lea")
    page = leader.send("GET", f"/incidents/{number}/report?format=html").text
    assert "joined to dock-ann by dock-lea" in page
    audit = [entry for entry in leader.items("/audit") if entry["change"].get("event") == "joinedTo"]
    assert [entry["author"] for entry in audit] == ["dock-lea"]
    leader.refused(404, "POST", "/users/tag-7/join", {"to": "dock-ann"})
    # Whoever removes Ann removes her devices, and with them what they were called.
    admin.ok("DELETE", "/users/dock-ann")
    report(location, "dock", "tag-7", (52.6002, 13.6001))
    assert "tag-7" in names(admin)


def test_joins_are_refused_by_role_and_team(server):
    admin, leader, ann, location = make_crew(server, "ward")
    stranger = admin.make_user("north-lea", "leader", admin.make_team("north"))
    admin.make_user("north-nick", "member", "north")
    admin.make_user("relay", "gateway", "ward")
    report(location, "ward", "tag-1", inside)
    path = "/users/tag-1/join"
    ann.refused(403, "POST", path, {"to": "ward-ann"})
    stranger.refused(404, "POST", path, {"to": "north-nick"})
    for unknown in ("nobody", "north-nick", ""):
        leader.refused(422, "POST", path, {"to": unknown})
    leader.refused(422, "POST", path, {})
    leader.refused(409, "POST", path, {"to": "tag-1"})
    leader.refused(404, "POST", "/users/nobody/join", {"to": "ward-ann"})
    leader.refused(409, "POST", "/users/ward-ann/join", {"to": "tag-1"})
    admin.refused(409, "POST", path, {"to": "north-nick"})
    admin.refused(409, "POST", path, {"to": "relay"})
    admin.make_user("ward-lee", "leader", "ward")
    leader.refused(403, "POST", path, {"to": "ward-lee"})
    leader.ok("POST", "/users/tag-1/declarations", {"kind": "sos"})
    assert "calls for help" in leader.refused(409, "POST", path, {"to": "ward-ann"})["detail"]
    leader.ok("POST", "/users/tag-1/declarations", {"kind": "clear"})
    key = admin.ok("POST", "/keys", {"label": "own", "user": "tag-1"})
    assert "keys of its own" in leader.refused(409, "POST", path, {"to": "ward-ann"})["detail"]
    admin.ok("DELETE", f"/keys/{key['id']}")
    assert {"tag-1", "ward-ann"} <= names(admin)
    leader.ok("POST", path, {"to": "ward-ann"})


def test_a_device_with_a_token_goes_on_reporting_after_a_join(server):
    admin, leader, ann, location = make_crew(server, "quay")
    report(location, "quay", "tag-2", inside, 30)
    token = leader.ok("POST", "/users/tag-2/devices/tag-2/token")["token"]
    device = NativeApi(server.address, token)
    device.ok("POST", "/positions", fix(*inside, now() - 20_000, accuracy=5))
    assert device.ok("GET", "/session")["user"]["name"] == "tag-2"
    leader.ok("POST", "/users/tag-2/join", {"to": "quay-ann"})
    assert device.ok("GET", "/session")["user"]["name"] == "quay-ann"
    device.ok("POST", "/positions", fix(*inside, now(), accuracy=5))
    assert len(ann.history("quay-ann/tag-2")) == 3


def test_a_device_that_was_given_away_by_mistake_is_given_back(server):
    admin, leader, ann, location = make_crew(server, "pier")
    admin.make_user("pier-ben", "member", "pier")
    own = admin.make_device("pier-ann", "phone")
    own.ok("POST", "/positions", fix(*outside, now() - 5000, accuracy=5))
    report(location, "pier", "tag-3", inside, 5)
    leader.ok("POST", "/users/tag-3/join", {"to": "pier-ben"})
    ann.refused(403, "POST", "/users/pier-ann/devices/phone/owner", {"to": "pier-ben"})
    admin.refused(409, "POST", "/users/pier-ann/devices/phone/owner", {"to": "pier-ann"})
    given = leader.ok("POST", "/users/pier-ben/devices/tag-3/owner", {"to": "pier-ann"})
    assert (given["user"], given["alias"]) == ("pier-ann", "tag-3")
    report(location, "pier", "tag-3", (52.5051, 13.405))
    assert ann.history("pier-ann/tag-3")[-1]["latitude"] == 52.5051 and "tag-3" not in names(admin)
    # Her own phone is what her name means, also where the other device is older.
    assert where(location, "pier", "pier-ann") == [outside[1], outside[0]]
    # What was made to speak for one speaks for nobody else.
    leader.ok("POST", "/users/pier-ann/devices/phone/owner", {"to": "pier-ben"})
    assert own.send("POST", "/positions", fix(*inside, now(), accuracy=5)).status_code == 401
    assert [fix["latitude"] for fix in admin.history("pier-ben/phone")] == [outside[0]]


def test_a_name_that_is_taken_gets_a_number_and_a_user_of_the_old_name_goes_first(server):
    admin, leader, ann, location = make_crew(server, "mole")
    admin.make_device("mole-ann", "tag-4")
    report(location, "mole", "tag-4", inside, 30)
    leader.ok("POST", "/users/tag-4/join", {"to": "mole-ann"})
    assert {device["name"] for device in ann.items("/devices")} == {"tag-4", "tag-4-2"}
    report(location, "mole", "tag-4", (52.5051, 13.405), 20)
    assert len(ann.history("mole-ann/tag-4-2")) == 2
    # An admin makes a user of that very name: trackers mean that user, and both have ids of their own.
    admin.make_user("tag-4", "member", "mole")
    report(location, "mole", "tag-4", outside)
    assert len(ann.history("mole-ann/tag-4-2")) == 2
    entries = location.list_device_positions(TrackerName="mole")["Entries"]
    assert {entry["DeviceId"] for entry in entries} == {"tag-4", "mole-ann/tag-4-2"}


def test_people_are_joined_and_devices_given_on_the_command_line(server):
    admin, _, ann, location = make_crew(server, "berth")
    admin.make_user("berth-ben", "member", "berth")
    report(location, "berth", "tag-5", inside)

    def muster(*arguments, **more):
        return run(*arguments, data=server.data, **more)

    assert muster("person", "join", "tag-5", "--to", "berth-ann") == "tag-5 is joined to berth-ann.\n"
    muster("person", "join", "tag-5", "--to", "berth-ann", status=1)
    given = json.loads(muster("device", "give", "tag-5", "--user", "berth-ann", "--to", "berth-ben", "--json"))
    assert given["id"] == "berth-ben/tag-5"
