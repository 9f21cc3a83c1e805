"""What MQTT 5.0 says of a message on its way to a subscriber: the identifiers of subscriptions, the flag RETAIN and the
time after which it expires."""

import json
import time

import pytest
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.subscribeoptions import SubscribeOptions

from mqtt_client import Client, RawClient, mqtt_options, mqtt_port, packet, port_and_server, text
from mqtt_team import Team, watcher
from native_api import now
from owntracks_phone import location

port, server = port_and_server()


@pytest.fixture
def team(admin):
    return Team(admin)


def numbered(number):
    properties = Properties(PacketTypes.SUBSCRIBE)
    properties.SubscriptionIdentifier = number
    return properties


def test_a_message_of_overlapping_subscriptions_comes_once_with_all_their_identifiers(port, team):
    """MQTT 5.0, sections 3.3.2.3.8 and 3.3.4 (MQTT-3.3.4-3 and -4)."""
    ana = team.users[0]
    with Client(port, team.leader, team.key, "5") as client:
        for number, topic in [(1, "owntracks/#"), (2, f"owntracks/{ana}/+"), (3, f"owntracks/{ana}/phone")]:
            client.subscribe(topic, 1 if number == 2 else 0, properties=numbered(number))
        client.subscribe("owntracks/+/phone", 0)
        client.subscribe("owntracks/+/watch", 0, properties=numbered(4))
        team.publish(port, ana)
        message = client.next()
        assert sorted(message.properties.SubscriptionIdentifier) == [1, 2, 3] and message.qos == 1
        client.subscribe("muster/users/nobody/safety")
        assert client.waiting() == []


def test_what_a_client_published_itself_comes_by_the_subscription_that_wants_it(port, team):
    ana = team.users[0]
    with Client(port, ana, team.keys[ana], "5") as client:
        client.subscribe("owntracks/+/+", 0, options=SubscribeOptions(qos=1, noLocal=True), properties=numbered(1))
        client.subscribe(f"owntracks/{ana}/phone", 0, properties=numbered(2))
        for index in range(2):
            assert client.publish(f"owntracks/{ana}/phone", json.dumps(location(now() // 1000 + index - 9))) == 0
        assert [client.next().properties.SubscriptionIdentifier for _ in range(2)] == [[2], [2]]


def test_the_flag_of_retained_messages_is_kept_for_those_who_ask_for_it(port, team):
    ana = team.users[0]
    with Client(port, team.leader, team.key, "5") as keeps, Client(port, team.leader, team.key, "5") as plain, \
            RawClient(port) as bridge:
        keeps.subscribe("#", 0, options=SubscribeOptions(qos=1, retainAsPublished=True))
        plain.subscribe("owntracks/#", 1)
        # A bridge of mosquitto's, by MQTT 3.1.1.
        bridge.send(packet(0x10, text("MQTT") + b"\x84\xc2\0\0" + text("bridge") + text(team.leader)
                           + text(team.key)))
        assert bridge.read() == (0x20, b"\0\0")
        bridge.send(packet(0x82, b"\0\1" + text("owntracks/#") + b"\0"))
        assert bridge.read() == (0x90, b"\0\1\0")
        while keeps.next().topic != f"muster/users/{ana}/safety":
            pass
        team.publish(port, ana)
        assert not plain.next().retain
        first, body = bridge.read()
        assert (first, body[2:].decode().startswith(f"owntracks/{ana}/phone")) == (0x31, True)
        flags = {}
        while f"owntracks/{ana}/phone" not in flags or "muster/changes/position" not in flags:
            message = keeps.next()
            flags[message.topic] = message.retain
        # A change of the log is no last message of its topic.
        assert flags[f"owntracks/{ana}/phone"] and not flags["muster/changes/position"]


# MARK: Messages that expire


def publish_expiring(port, team, user, seconds, **more):
    """Publishes a position whose message expires, and returns it."""
    properties = Properties(PacketTypes.PUBLISH)
    properties.MessageExpiryInterval = seconds
    with Client(port, user, team.tokens[user], "5") as phone:
        message = location(**more)
        sent = phone.paho.publish(f"owntracks/{user}/phone", json.dumps(message), 1, properties=properties)
        assert phone.answer_to(sent.mid) == 0
    return message


def expiry(message):
    return getattr(message.properties, "MessageExpiryInterval", None)


def test_a_message_is_sent_on_with_the_time_that_is_left_of_its_expiry(port, admin, team):
    """MQTT 5.0, section 3.3.2.3.3."""
    ana, ben = team.users
    with Client(port, team.leader, team.key, "5") as leader:
        leader.subscribe("owntracks/#", 1)
        began = time.monotonic()
        publish_expiring(port, team, ana, 1_000)
        left = expiry(leader.next())
        assert 999 - (time.monotonic() - began) <= left <= 1_000
        team.publish(port, ben)
        assert expiry(leader.next()) is None
    time.sleep(1.1)
    with Client(port, team.leader, team.key, "5") as leader:
        leader.subscribe("owntracks/#", 1)
        found = {message.topic: expiry(message) for message in (leader.next(), leader.next())}
        left = found[f"owntracks/{ana}/phone"]
        assert found[f"owntracks/{ben}/phone"] is None and 999 - (time.monotonic() - began) <= left <= 999
    assert len(admin.history(f"{ana}/phone")) == 1


def test_an_expired_message_reaches_nobody_and_its_report_is_stored(make_server):
    server = make_server(arguments=mqtt_options()).start()
    port = mqtt_port(server)
    team = Team(server.admin())
    ana, ben = team.users
    with watcher(port, team, "5", "away") as leader:
        leader.subscribe("owntracks/#", 1)
    publish_expiring(port, team, ana, 1)
    # Across a restart, too.
    server.stop()
    server.start()
    time.sleep(1.1)
    told = team.publish(port, ben)
    with watcher(port, team, "5", "away") as leader:
        # It was queued for this client.
        assert leader.next().topic == f"owntracks/{ben}/phone"
    with Client(port, team.leader, team.key, "5") as leader:
        # It was the last of its topic.
        leader.subscribe("owntracks/#", 1)
        message = leader.next()
        assert message.topic == f"owntracks/{ben}/phone" and json.loads(message.payload)["tst"] == told["tst"]
        leader.subscribe("muster/users/nobody/safety")
        assert leader.waiting() == []
    # What the phone reported counts all the same.
    assert len(server.admin().history(f"{ana}/phone")) == 1
