"""Gateways that publish what they hear over MQTT, with the messages of their makers: they become sightings."""

import itertools
import json
import time

import pytest

from mqtt_client import Client, RawClient, mqtt_port, packet, port_and_server, text, versions
from waiting import eventually

count = itertools.count(1)
uuid = "426C7565-4368-6172-6D42-6561636F6E73"
both = pytest.mark.parametrize("version", sorted(versions))

port, server = port_and_server()


class House:
    """A user of the role gateway with a scanner `office`, Ann with a tag, and a region of the scanner."""

    def __init__(self, admin):
        number = next(count)
        self.admin = admin
        self.minor = number
        self.address = f"CB:B8:33:4C:88:{number:02X}"
        self.name = f"gates{number}"
        team = f"crew{number}"
        self.person = f"ann{number}"
        admin.make_team(team, policy="confident")
        admin.make_user(self.person, "member", team)
        admin.ok("POST", f"/users/{self.person}/devices", {"name": "keys", "beacon": f"{uuid}:3838:{number}"})
        admin.ok("POST", f"/users/{self.person}/devices", {"name": "tag", "beacon": self.address})
        self.key = admin.make_user(self.name, "gateway").token
        self.token = admin.make_device(self.name, "office").token
        admin.ok("PUT", f"/collections/{team}/regions/office", {
            "type": "Feature", "id": "office", "geometry": {"type": "Point", "coordinates": [8.5, 47.5]},
            "properties": {"name": "Office", "radius": 10, "beacon": {"scanner": f"{self.name}/office"}}})

    def entered(self):
        """The devices that have entered the office."""
        return {change["device"] for change in self.admin.changes()
                if change["type"] == "crossing" and change["user"] == self.person and change["kind"] == "enter"}

    def sightings(self):
        return self.admin.items(f"/users/{self.name}/devices/office/sightings")


@pytest.fixture
def house(admin):
    return House(admin)


def openmqttgateway(house):
    mac = house.address.replace(":", "")
    return f"home/office/BTtoMQTT/{mac}", {"id": house.address, "mac_type": 1, "rssi": -55, "distance": 0.49}, "tag"


def openmqttgateway_ibeacon(house):
    return "home/office/BTtoMQTT/6087574C9BC2", {
        "id": "60:87:57:4C:9B:C2", "mac_type": 1, "rssi": -58, "distance": 0.85, "brand": "GENERIC", "model": "iBeacon",
        "model_id": "IBEACON", "mfid": "4c00", "uuid": uuid.lower().replace("-", ""), "major": 3838,
        "minor": house.minor, "txpower": -66}, "keys"


def theengs(house):
    payload = "4c000215" + uuid.replace("-", "") + f"0efe{house.minor:04x}c5"
    return "home/office/BTtoMQTT/6087574C9BC2", {
        "id": "60:87:57:4C:9B:C2", "rssi": -60, "manufacturerdata": payload.lower()}, "keys"


def espresense(house):
    name = f"iBeacon:{uuid.lower()}-3838-{house.minor}"
    return f"espresense/devices/{name}/office", {
        "mac": "dd8800003777", "id": name, "rssi@1m": -59, "rssi": -61.10, "rxAdj": 0, "rssiVar": 7.42,
        "distance": 1.58, "var": 4.00, "int": 2028}, "keys"


def mqtt_room(house):
    return "room_presence/office", {"id": house.address, "name": "Test Device", "distance": 1.678}, "tag"


@both
@pytest.mark.parametrize("maker", [openmqttgateway, openmqttgateway_ibeacon, theengs, espresense, mqtt_room])
def test_a_gateways_messages_place_a_tag_in_a_room(port, house, maker, version):
    topic, message, tag = maker(house)

    def publish_again():
        assert gateway.publish(topic, json.dumps(message)) == 0
        return house.entered()

    # Signed in as the user, the gateway is the device that the topic names; with a token, the token's device.
    with Client(port, house.name, house.key, version) as gateway:
        assert eventually(publish_again, bool) == {f"{house.person}/{tag}"}
    (position,) = [item for item in house.admin.items(f"/positions?user={house.person}")]
    assert position["reportedBy"] == house.name and position["source"] == "beacon"
    heard = house.sightings()[0]
    assert heard.get("signalStrength") == message.get("rssi") and heard["distance"] > 0


@both
def test_sightings_of_unknown_tags_are_not_stored_and_gateways_own_status_is_ignored(port, house, version):
    will = ("home/office/LWT", "Offline", 1, True)
    with Client(port, house.name, house.token, version, will=will) as gateway:
        # With a token, whatever the topic calls the gateway.
        assert gateway.publish("home/OMG_ESP32/BTtoMQTT/C7FAAD132C00", '{"id":"c7:fa:ad:13:2c:00","rssi":-68}') == 0
        assert gateway.publish("room_presence/hall", '{"id":"phone of a guest","distance":2}') == 0
        for topic in ("home/office/LWT", "home/office/SYStoMQTT", "espresense/rooms/office/telemetry",
                      "homeassistant/sensor/espresense_1/uptime/config"):
            assert gateway.publish(topic, "Online") == 0
        assert gateway.publish("room_presence/hall", json.dumps({"id": house.address, "distance": 2})) == 0
    assert [item["uuid"][-12:] for item in house.sightings()] == [house.address.replace(":", "")]


def test_a_gateway_writes_for_its_own_devices_only(admin, port, house):
    other = House(admin)
    message = json.dumps({"id": house.address, "rssi": -50})
    # By another house's user, the topic names that user's own device.
    with Client(port, other.name, other.key) as gateway:
        assert gateway.publish("room_presence/office", message) == 0
        refused = gateway.publish("room_presence/kitchen", message)
        assert refused.value == 0x87
        # The connection goes on.
        assert gateway.publish("home/office/BTtoMQTT/x", "{").value == 0x99
        assert gateway.publish("room_presence/office", message) == 0
    assert not house.sightings() and other.sightings()
    # A person reports nothing by such a topic, whoever it is.
    key = admin.ok("POST", "/keys", {"label": "tests", "user": house.person})["key"]
    with Client(port, house.person, key) as person:
        assert person.publish("room_presence/office", message).value == 0x87
    with Client(port, "admin", admin.token) as person:
        assert person.publish("home/office/BTtoMQTT/CBB8334C8801", message).value == 0x87
    assert not house.sightings()


def test_an_old_message_of_a_gateway_places_nobody_in_a_room(port, house):
    topic, message, _ = mqtt_room(house)
    with Client(port, house.name, house.token) as gateway:
        sent = gateway.paho.publish(topic, json.dumps(message), 1, retain=True)
        assert gateway.answer_to(sent.mid) == 0
    with Client(port, house.name, house.token, will=(topic, json.dumps(message), 0, False)) as gateway:
        gateway.cut()
    with RawClient(port) as gateway:
        assert gateway.sign_in(house.name, house.token) == 0
        # QoS 1, sent again.
        gateway.send(packet(0x3A, text(topic) + b"\x00\x07\x00" + json.dumps(message).encode()))
        first, body = gateway.read()
        assert (first, body[:2]) == (0x40, b"\x00\x07")
    assert not house.sightings()
    with Client(port, house.name, house.token) as gateway:
        assert gateway.publish(topic, json.dumps(message)) == 0
    assert len(house.sightings()) == 1


@pytest.mark.parametrize("write", [
    lambda house: ("home/office/BTtoMQTT/6087574C9BC2", {
        "id": "60:87:57:4C:9B:C2", "rssi": "-58", "uuid": uuid.replace("-", "").lower(), "major": "3838",
        "minor": str(house.minor), "txpower": "-66"}),
    lambda house: ("room_presence/office", {"id": f"{uuid.lower()}-3838-{house.minor}", "distance": 1.5}),
    lambda house: ("room_presence/office", {
        "id": f"{uuid.replace('-', '').lower()}-3838-{house.minor}", "rssi": -58, "distance": 1.5}),
    lambda house: ("espresense/devices/x/office", {"id": f"iBeacon:{uuid}-3838-{house.minor}", "rssi": -58}),
    lambda house: ("happy-bubbles/ble/office/ibeacon", {
        "hostname": "office", "beacon_type": "ibeacon", "mac": "6087574c9bc2", "rssi": -58,
        "uuid": uuid.replace("-", "").lower(), "major": f"{3838:04x}", "minor": f"{house.minor:04x}",
        "tx_power": "c5"}),
])
def test_a_beacon_is_the_same_in_each_form(port, house, write):
    topic, message = write(house)
    with Client(port, house.name, house.token) as gateway:
        assert gateway.publish(topic, json.dumps(message)) == 0
    (sighting,) = house.sightings()
    assert (sighting["uuid"], sighting["major"], sighting["minor"]) == (uuid, 3838, house.minor)


@pytest.mark.parametrize("member", [
    b'"tempc":nan', b'"hum":1e999', b'"name":"\x01\x00\xff"', b'"volt":', b'"a":1,,', b'"name":"\\q"'])
def test_a_member_that_nobody_needs_costs_no_sighting(port, house, member):
    with Client(port, house.name, house.token) as gateway:
        body = b'{"id":"' + house.address.encode() + b'",' + member + b',"rssi":-55}'
        assert gateway.publish("room_presence/office", body) == 0
    assert len(house.sightings()) == 1


def test_what_cannot_be_read_is_logged_once_a_minute_without_its_contents_and_not_kept(make_server):
    server = make_server(arguments=["--mqtt-port", "0"]).start()
    house = House(server.admin())
    began = time.monotonic()
    with Client(mqtt_port(server), house.name, house.token) as gateway:
        for _ in range(20):
            body = b'{"id":"CB:B8:33:4C:88:01","name":"hunter2" "rssi":-55}'
            assert gateway.publish("room_presence/office", body).value == 0x99
    # It may be about strangers.
    assert server.admin().items("/refused-reports") == []
    log = server.log()
    lines = [line for line in log.splitlines() if "cannot be read" in line]
    assert 1 <= len(lines) <= 1 + (time.monotonic() - began) // 60
    assert "room_presence/office" in lines[0] and "hunter2" not in log


def test_encrypted_bthome_is_counted_and_its_address_counts(admin, port, house):
    def counted():
        text = admin.send("GET", "//metrics").text
        return sum(int(line.split()[-1]) for line in text.splitlines() if 'event="beacon_encrypted"' in line)

    before = counted()
    with Client(port, house.name, house.token) as gateway:
        assert gateway.publish("home/office/BTtoMQTT/x", json.dumps({
            "id": house.address, "rssi": -55, "servicedatauuid": "0xfcd2",
            "servicedata": "41a47266c95f730011223378237214"})) == 0
    assert counted() == before + 1 and len(house.sightings()) == 1


def test_an_invalid_message_of_a_gateway_is_counted(admin, server, port, house):
    def counted(event):
        text = admin.send("GET", "//metrics").text
        return sum(int(line.split()[-1]) for line in text.splitlines() if f'event="{event}"' in line)

    before = {event: counted(event) for event in ("beacon_malformed", "beacon_unknown_format")}
    with Client(port, house.name, house.token) as gateway:
        for body in ("[]", "7", '{"id":1}', '{"rssi":-900,"id":"CB:B8:33:4C:88:01"}'):
            assert gateway.publish("room_presence/office", body) == 0
        assert gateway.publish("room_presence/office", '{"id":"alias","rssi":-60}') == 0
    assert counted("beacon_malformed") == before["beacon_malformed"] + 4
    assert counted("beacon_unknown_format") == before["beacon_unknown_format"] + 1
