"""Meshtastic radios that publish their mesh as JSON over MQTT: positions of radios are of people's devices."""

import itertools
import json
import time

import pytest

from mqtt_client import Client, port_and_server, versions
from waiting import eventually

count = itertools.count(1)
both = pytest.mark.parametrize("version", sorted(versions))

port, server = port_and_server()


class Mesh:
    """A user of the role gateway, Ann with a registered radio, and packets of the mesh."""

    def __init__(self, admin):
        number = next(count)
        self.admin = admin
        self.team, self.person, self.name = f"hikers{number}", f"ann{number}", f"mesh{number}"
        self.radio = 0x849A0000 + number
        self.id = f"!{self.radio:08x}"
        # One moment for the whole test: two packets of one second would be one position.
        self.began = int(time.time())
        admin.make_team(self.team, policy="confident")
        admin.make_user(self.person, "member", self.team)
        admin.ok("POST", f"/users/{self.person}/devices", {"name": "radio", "beacon": self.id})
        self.key = admin.make_user(self.name, "gateway").token

    def packet(self, kind, payload, radio=None, **more):
        """A packet as the firmware's serializer writes it."""
        return {"channel": 0, "from": radio or self.radio, "hop_start": 3, "hops_away": 1, "id": next(count) * 7919,
                "payload": payload, "rssi": -71, "sender": "!da657310", "snr": 6.25, "timestamp": int(time.time()),
                "to": 4294967295, "type": kind, **more}

    def position(self, ago=1, **more):
        return self.packet("position", {
            "PDOP": 180, "altitude": 41, "ground_speed": 4, "ground_track": 16000000, "latitude_i": 435665001,
            "longitude_i": -60580003, "precision_bits": 32, "sats_in_view": 9, "time": self.began - ago, **more})

    def publish(self, gateway, packet, topic="msh/EU_868/2/json/LongFast/!da657310"):
        return gateway.publish(topic, json.dumps(packet))

    def positions(self):
        return self.admin.items(f"/users/{self.person}/devices/radio/positions")

    def safety(self):
        (person,) = self.admin.ok("GET", f"/teams/{self.team}/safety")["members"]
        return person["state"]


@pytest.fixture
def mesh(admin):
    return Mesh(admin)


def counted(admin, event):
    text = admin.send("GET", "//metrics").text
    return sum(int(line.split()[-1]) for line in text.splitlines() if f'event="{event}"' in line)


@both
def test_the_position_of_a_radio_is_stored_for_its_person(port, mesh, version):
    with Client(port, mesh.name, mesh.key, version) as gateway:
        # Two radios heard the packet, and the first one publishes it twice.
        packet = mesh.position(ago=5)
        for topic in ("msh/EU_868/2/json/LongFast/!da657310", "msh/EU_868/2/json/LongFast/!da657310",
                      "msh/2/json/LongFast/!da657311"):
            assert mesh.publish(gateway, packet, topic) == 0
    (position,) = mesh.positions()
    assert (position["latitude"], position["longitude"]) == (43.5665001, -6.0580003)
    assert position["source"] == "meshtastic" and position["reportedBy"] == mesh.name
    assert position["accuracy"] == 9 and position["altitude"] == 41 and "speed" not in position
    assert position["attributes"]["ground_speed"] == 4
    assert position["sampleTime"] == time.strftime(
        "%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(packet["payload"]["time"]))


def test_a_radio_is_the_same_however_its_number_is_written(port, mesh):
    # Firmware prints the 32 bits with a sign; the packet is heard by two radios with a network.
    assert mesh.radio >= 1 << 31
    with Client(port, mesh.name, mesh.key) as gateway:
        numbers = (mesh.radio - (1 << 32), mesh.id, mesh.id.upper(), str(mesh.radio), mesh.radio)
        for ago, number in enumerate(numbers, 1):
            packet = mesh.position(ago=ago) | {"from": number, "to": -1}
            assert mesh.publish(gateway, packet) == 0
            assert mesh.publish(gateway, packet | {"rssi": -90}, "msh/2/json/LongFast/!da657311") == 0
    assert len(mesh.positions()) == 5


def test_what_the_firmware_writes_beside_a_position_costs_no_position(admin, port, mesh):
    packet = json.dumps(mesh.position()).encode()
    odd = packet.replace(b'"altitude": 41', b'"altitude": nan, "longname": "\0\0\x01\xff"')
    assert odd != packet
    with Client(port, mesh.name, mesh.key) as gateway:
        assert gateway.publish("msh/EU_868/2/json/LongFast/!da657310", odd) == 0
    (position,) = mesh.positions()
    assert "altitude" not in position
    # A packet that cannot be read may be of a stranger: nothing of it is kept.
    with Client(port, mesh.name, mesh.key) as gateway:
        assert gateway.publish("msh/EU_868/2/json/LongFast/!da657310", b'{"from": ').value == 0x99
    assert admin.items(f"/refused-reports?user={mesh.name}") == []


def test_a_radio_is_shown_by_its_id_and_belongs_to_one_device(admin, mesh):
    (device,) = [item for item in admin.items(f"/devices?user={mesh.person}") if item["name"] == "radio"]
    assert device["beacon"] == mesh.id
    again = admin.send("POST", f"/users/{mesh.person}/devices", {"name": "second", "beacon": mesh.id.upper()})
    assert again.status_code == 409
    for wrong in ("!849a", "!ffffffff", "849ace3c"):
        assert admin.send("POST", f"/users/{mesh.person}/devices", {"name": "x", "beacon": wrong}).status_code == 422


def test_an_unregistered_radio_is_counted_and_not_stored(admin, port, mesh):
    before = counted(admin, "meshtastic_unknown_radio")
    users = admin.items("/users")
    with Client(port, mesh.name, mesh.key) as gateway:
        stranger = mesh.position()
        stranger["from"] = 0x12345678
        # The sender in the topic is the radio that publishes: it places nobody.
        assert mesh.publish(gateway, stranger, f"msh/EU_868/2/json/LongFast/{mesh.id}") == 0
        assert mesh.publish(gateway, mesh.packet("telemetry", {"battery_level": 5}, radio=0x12345678)) == 0
    assert counted(admin, "meshtastic_unknown_radio") == before + 2
    assert mesh.positions() == [] and admin.items("/users") == users


def test_packets_that_are_not_positions_are_counted_by_kind(admin, port, mesh):
    sent = {
        "meshtastic_unlocated": [mesh.position(latitude_i=0, longitude_i=0), mesh.packet("position", {"time": 1})],
        "meshtastic_untimed": [mesh.position(time=0)],
        "meshtastic_encrypted": [{key: value for key, value in mesh.packet("", {}).items()
                                  if key not in ("type", "payload")} | {"bytes": "c7fa", "size": 2}],
        "meshtastic_other": [mesh.packet("text", {"text": "hello"}), mesh.packet("nodeinfo", {"longname": "x"}),
                             mesh.packet("telemetry", {"temperature": 21.5})],
        "meshtastic_wrong_time": [mesh.position(time=1_000_000_000)],
        "meshtastic_malformed": [[], {"type": "position"}, mesh.position(latitude_i=900000001),
                                 mesh.packet("position", "here")],
    }
    before = {event: counted(admin, event) for event in sent}
    with Client(port, mesh.name, mesh.key) as gateway:
        for packets in sent.values():
            for packet in packets:
                assert mesh.publish(gateway, packet) == 0
        assert gateway.publish("msh/EU_868/2/json/LongFast/!da657310", "{").value == 0x99
        # The same packets in the radios' own form, and what a radio says of itself.
        for topic in ("e/LongFast/!da657310", "stat/!da657310", "map/"):
            assert gateway.publish(f"msh/EU_868/2/{topic}", b"\x0a\x05\xff\x00\x01") == 0
        assert mesh.publish(gateway, mesh.position()) == 0
    after = {event: counted(admin, event) for event in sent}
    expected = {event: before[event] + len(packets) for event, packets in sent.items()}
    expected["meshtastic_malformed"] += 1
    assert after == expected
    assert len(mesh.positions()) == 1


def test_telemetry_is_a_note_of_the_radio(admin, port, mesh):
    with Client(port, mesh.name, mesh.key) as gateway:
        metrics = {"air_util_tx": 0.35, "battery_level": 87, "channel_utilization": 4.2, "uptime_seconds": 86400,
                   "voltage": 4.05}
        assert mesh.publish(gateway, mesh.packet("telemetry", metrics)) == 0
        # What was retained may be of any age.
        old = mesh.packet("telemetry", metrics | {"battery_level": 3})
        sent = gateway.paho.publish("msh/2/json/LongFast/!da657310", json.dumps(old), 1, retain=True)
        assert gateway.answer_to(sent.mid) == 0
    (note,) = admin.items(f"/users/{mesh.person}/devices/radio/notes?kind=status")
    assert note["body"] == metrics


def test_only_a_gateway_reports_for_radios_and_not_with_a_devices_token(admin, port, mesh):
    key = admin.ok("POST", "/keys", {"label": "tests", "user": mesh.person})["key"]
    token = admin.make_device(mesh.name, "box").token
    own = admin.make_device(mesh.person, "phone").token
    for name, password in ((mesh.person, key), (mesh.name, token), (mesh.person, own), ("admin", admin.token)):
        with Client(port, name, password) as client:
            assert mesh.publish(client, mesh.position()).value == 0x87
            assert client.publish("msh/EU_868/2/stat/!da657310", "online").value == 0x87
    with Client(port, mesh.name, mesh.key, will=("msh/EU_868/2/stat/!da657310", "offline", 1, True)) as gateway:
        assert mesh.publish(gateway, mesh.position()) == 0
        assert gateway.publish("msh/EU_868/2/text/x", "x").value == 0x90
    assert len(mesh.positions()) == 1


def cell(bits):
    """The middle of the cell that a radio with this precision sends for its place."""

    def middle(value):
        return (value >> (32 - bits) << (32 - bits)) + (1 << (31 - bits))

    return {"latitude_i": middle(435665001), "longitude_i": middle(-60580003), "precision_bits": bits}


@pytest.mark.parametrize("bits, metres", [(13, 3500), (16, 440), (None, 40_000)])
def test_a_coarse_radio_makes_nobody_safe(admin, port, mesh, bits, metres):
    places = cell(bits) if bits else {**cell(20), "precision_bits": 0}
    latitude, longitude = places["latitude_i"] / 1e7, places["longitude_i"] / 1e7
    # An assembly point in the middle of the cell, smaller than the cell.
    admin.ok("PUT", f"/collections/{mesh.team}/regions/point", {
        "type": "Feature", "id": "point", "geometry": {"type": "Point", "coordinates": [longitude, latitude]},
        "properties": {"name": "Point", "radius": 200, "muster": True}})
    with Client(port, mesh.name, mesh.key) as gateway:
        for ago in range(640, 40, -20):
            assert mesh.publish(gateway, mesh.position(ago=ago, **places)) == 0
            assert mesh.safety() != "safe"
        found = mesh.positions()[-1]["accuracy"]
        assert metres < found < 2 * metres
        # The same radio with its full precision is safe, once its fixes agreed for 20 s.
        for ago in range(50, 0, -2):
            assert mesh.publish(gateway, mesh.position(
                ago=ago, latitude_i=places["latitude_i"], longitude_i=places["longitude_i"])) == 0
    assert eventually(mesh.safety, lambda state: state == "safe") == "safe"
