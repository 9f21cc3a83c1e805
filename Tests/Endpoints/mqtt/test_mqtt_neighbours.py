"""What one MQTT client, message or subscription does must not harm the others."""

import json
import socket
import struct

import pytest

from mqtt_client import Client, RawClient, connect_packet, packet, port_and_server, stranger_count, text, versions
from native_api import now
from owntracks_phone import location, sealed
from waiting import eventually

port, server = port_and_server()
both = pytest.mark.parametrize("version", sorted(versions))
levels = {"3.1.1": 4, "5": 5}
ping, pong = b"\xc0\x00", (0xD0, b"")


@pytest.fixture(scope="module")
def make_phone(admin):
    """Makes devices, each with a user of its own. Returns the user's name and the device's token."""
    made = 0

    def make():
        nonlocal made
        made += 1
        user = f"owner{made}"
        admin.make_user(user)
        return user, admin.make_device(user).token

    return make


def publish(user, device, message, number, version):
    """Returns the packet of a message of QoS 1."""
    properties = b"\x00" if version == "5" else b""
    return packet(0x32, text(f"owntracks/{user}/{device}") + number.to_bytes(2, "big") + properties
                  + json.dumps(message).encode())


def acknowledged(packets):
    """Returns the reason code of each PUBACK, by the number of its message."""
    return {int.from_bytes(body[:2], "big"): (body[2:3] or b"\x00")[0] for first, body in packets if first == 0x40}


# MARK: Connections


def test_strangers_that_reset_their_connections_are_not_counted_for_ever(server, port, make_phone):
    user, token = make_phone()
    for _ in range(70):
        stranger = RawClient(port)
        stranger.send(b"\x10")
        # Closing then sends RST instead of FIN.
        stranger.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        stranger.socket.close()
    eventually(lambda: stranger_count(server) == 0)
    with RawClient(port) as client:
        assert client.sign_in(user, token) == 0


def test_a_burst_of_pings_does_not_stop_other_clients(port, make_phone):
    user, token = make_phone()
    with RawClient(port) as busy, RawClient(port) as other:
        assert busy.sign_in(user, token, name="busy") == 0
        assert other.sign_in(user, token, name="other") == 0
        busy.send(ping * 30_000)
        for _ in range(3):
            other.send(ping)
            assert other.read() == pong
        # Each is answered once the client reads.
        assert all(busy.read() == pong for _ in range(30_000))


def test_packets_right_behind_connect_are_handled_in_order(admin, port, make_phone):
    user, token = make_phone()
    start = now() // 1000 - 1000
    with RawClient(port) as client:
        first = [publish(user, "phone", location(start), 1, "5"),
                 publish(user, "phone", location(start + 1, note="x" * 20_000), 2, "5")]
        more = [publish(user, "phone", location(start + index), index, "5") for index in range(3, 201)]
        # Larger than a packet may be before the client has signed in.
        client.send(connect_packet(user, token) + b"".join(first + more) + ping)
        packets = []
        while not packets or packets[-1] != pong:
            packets.append(client.read())
            assert packets[-1] is not None
    assert packets[0][0] == 0x20
    assert acknowledged(packets) == {number: 0 for number in range(1, 201)}
    assert len(admin.history(f"{user}/phone")) == 200


# MARK: Messages


@both
def test_a_message_of_an_unknown_device_does_not_stop_a_gateway(admin, port, make_phone, version):
    user, _ = make_phone()
    gateway = f"bridge{levels[version]}"
    key = admin.make_user(gateway, "gateway").token
    start = now() // 1000 - 1000
    messages = [("phone", location(start)), ("unknown", location(start)), ("phone", sealed(location(start))),
                ("phone", location(start + 1))]
    with RawClient(port) as bridge:
        assert bridge.sign_in(gateway, key, version=levels[version]) == 0
        for _ in range(2):
            bridge.send(b"".join(publish(user, device, message, number, version)
                                 for number, (device, message) in enumerate(messages, 1)))
            refused = {2: 0x87, 3: 0x83} if version == "5" else {2: 0, 3: 0}
            assert acknowledged(bridge.read() for _ in messages) == {1: 0, 4: 0, **refused}
    assert len(admin.history(f"{user}/phone")) == 2


@both
def test_an_encrypted_message_without_a_key_is_not_acknowledged_and_others_are(admin, port, make_phone, version):
    user, token = make_phone()
    start = now() // 1000 - 1000
    messages = [location(start), sealed(location(start)), location(start + 1)]
    with RawClient(port) as phone:
        assert phone.sign_in(user, token, version=levels[version]) == 0
        phone.send(b"".join(publish(user, "phone", message, number, version)
                            for number, message in enumerate(messages, 1)))
        end = phone.await_end()
    codes = acknowledged(end)
    assert 2 not in codes and codes.get(1) == 0
    assert [body[:1] for first, body in end if first == 0xE0] == ([b"\x83"] if version == "5" else [])
    # All that was acknowledged is stored, whether the packets came in one piece or not.
    assert len(admin.history(f"{user}/phone")) >= len(codes)


# MARK: Subscriptions


def test_a_client_that_unsubscribes_and_subscribes_again_gets_messages(port, make_phone):
    user, token = make_phone()
    topic = f"owntracks/{user}/phone"
    sample_time = now() // 1000 - 5000
    with Client(port, user, token) as reader, Client(port, user, token) as phone:
        reader.subscribe(topic)
        for _ in range(10):
            # The server is in the middle of sending some of these.
            for _ in range(20):
                sample_time += 1
                phone.paho.publish(topic, json.dumps(location(sample_time)), 1)
            reader.paho.unsubscribe(topic)
            reader.subscribe(topic)
            sample_time += 1
            assert phone.publish(topic, json.dumps(location(sample_time))) == 0
            while json.loads(reader.next().payload)["tst"] != sample_time:
                pass
