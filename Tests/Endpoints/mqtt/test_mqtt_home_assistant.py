"""Home Assistant's discovery, held against what its documentation says of the two integrations."""

import json

import pytest

from mqtt_client import Client, mqtt_options, mqtt_port, port_and_server
from native_api import box, polygon
from owntracks_phone import location

# https://www.home-assistant.io/integrations/device_tracker.mqtt/ and binary_sensor.mqtt/: the members that we use.
shared = {"name": str, "unique_id": str, "json_attributes_topic": str, "qos": int, "device": dict, "origin": dict,
          "availability_topic": str, "payload_available": str, "payload_not_available": str}
documented = {
    "device_tracker": ({**shared, "source_type": str}, {"json_attributes_topic", "unique_id"}),
    "binary_sensor": (
        {**shared, "state_topic": str, "device_class": str, "value_template": str}, {"state_topic", "unique_id"})}
template = "{{ {'safe': 'OFF', 'unknown': 'None', 'offSite': 'None'}.get(value_json.state, 'ON') }}"


port, server = port_and_server()


def check(topic, payload):
    """Checks a configuration, and returns its component with its members."""
    prefix, component, identifier, suffix = topic.split("/")
    assert (prefix, suffix) == ("homeassistant", "config")
    assert all(letter.isalnum() or letter in "_-" for letter in identifier)
    members, required = documented[component]
    found = json.loads(payload)
    assert required <= set(found) <= set(members)
    for name, value in found.items():
        assert isinstance(value, members[name]), name
    available = found["availability_topic"], found["payload_available"], found["payload_not_available"]
    assert available == ("muster/status", "1", "0")
    assert found["device"]["identifiers"] and found["origin"]["name"] == "Muster"
    return component, found


def gather(client, count):
    return [client.next() for _ in range(count)]


def test_home_assistant_discovers_a_teams_people(port, server, admin):
    admin.make_team("home", [polygon("hall", box(13.4, 52.5, 13.41, 52.53), muster=True)])
    key = admin.make_user("house", "leader", "home").token
    key_of_ana = admin.make_user("ana", "member", "home").token
    token = admin.make_device("ana").token
    with Client(port, "house", key, "3.1.1") as house:
        # What Home Assistant does when it starts.
        house.publish("homeassistant/status", "online")
        house.subscribe("homeassistant/+/+/config")
        found = [check(message.topic, message.payload) for message in gather(house, 3)]
        tracker = next(config for component, config in found if component == "device_tracker")
        sensors = {config["device"]["name"]: config for component, config in found if component == "binary_sensor"}
        assert set(sensors) == {"house", "ana"}
        assert tracker["device"] == sensors["ana"]["device"] and tracker["source_type"] == "gps"
        assert sensors["ana"]["value_template"] == template
        assert len({config["unique_id"] for _, config in found}) == 3
        house.subscribe(tracker["json_attributes_topic"])
        house.subscribe(sensors["ana"]["state_topic"])
        assert json.loads(house.next().payload)["state"] == "unknown"
        with Client(port, "ana", token, "5") as phone:
            assert phone.publish("owntracks/ana/phone", json.dumps(location(acc=5, batt=60))) == 0
        told = {message.topic: json.loads(message.payload) for message in gather(house, 2)}
        position = told[tracker["json_attributes_topic"]]
        assert (position["latitude"], position["longitude"], position["gps_accuracy"], position["battery_level"]) \
            == (52.52, 13.405, 5, 60)
        # One fix is no proof yet that she is in the hall.
        assert told[sensors["ana"]["state_topic"]]["state"] == "unknown"
        server.api(key_of_ana).ok("POST", "/users/ana/declarations", {"kind": "sos"})
        states = []
        while "sos" not in states:
            message = house.next()
            if message.topic == sensors["ana"]["state_topic"]:
                states.append(json.loads(message.payload)["state"])


def test_a_new_device_is_found_and_a_renamed_person_stays(port, admin):
    admin.make_team("garage")
    key = admin.make_user("porter", "leader", "garage").token
    with Client(port, "porter", key, "5") as house:
        house.subscribe("homeassistant/#")
        house.next()
        admin.make_user("cleo", "member", "garage")
        _, person = check(*(lambda message: (message.topic, message.payload))(house.next()))
        assert person["device"]["name"] == "cleo"
        admin.make_device("cleo", "watch")
        topic, config = (lambda message: (message.topic, json.loads(message.payload)))(house.next())
        assert config["name"] == "watch" and config["device"] == person["device"]


@pytest.mark.parametrize("version", ["3.1.1", "5"])
def test_a_subscriber_learns_that_the_server_runs_and_that_it_stops(make_server, version):
    server = make_server(arguments=mqtt_options()).start()
    port = mqtt_port(server)
    key = server.admin().make_user("house", "analyst").token
    more = {"expiry": 3600} if version == "5" else {}
    with Client(port, "house", key, version, "house", clean=False, **more) as house:
        house.subscribe("muster/status")
        message = house.next()
        assert (message.payload, message.retain) == (b"1", True)
        server.stop()
        assert house.next().payload == b"0"
    server.start()
    # A session that is resumed learns it without asking again.
    with Client(port, "house", key, version, "house", clean=False, **more) as house:
        assert house.present and house.next().payload == b"1"
