"""MQTT clients as they are, paho-mqtt and mosquitto's, in both versions of the protocol."""

import json
import select
import shutil
import subprocess

import pytest

from mqtt_client import (
    Client, RawClient, connect_packet, mqtt_port, packet, port_and_server, stranger_count, text, versions, wait_seconds)
from muster_process import MusterProcess
from native_api import now
from owntracks_phone import location, sealed, secret
from waiting import eventually

both = pytest.mark.parametrize("version", sorted(versions))
mosquitto_numbers = {"3.1.1": "mqttv311", "5": "mqttv5"}


port, server = port_and_server()


@pytest.fixture(scope="module")
def hasty_port(tmp_path_factory, store_of_files):
    """The MQTT port of a server that soon cuts off those who do not sign in."""
    server = MusterProcess(tmp_path_factory.mktemp("hasty"), ["--mqtt-port", "0", "--request-seconds", "2"])
    server.model = store_of_files
    with server:
        yield mqtt_port(server)


@pytest.fixture(scope="module")
def make_phone(admin):
    """Makes devices of members of the team north, each with a user of its own."""
    admin.make_team("north")
    made = 0

    def make():
        nonlocal made
        made += 1
        user = f"owner{made}"
        admin.make_user(user, "member", "north")
        device = admin.make_device(user)
        return user, device.token

    return make


# MARK: Publishing


@both
@pytest.mark.parametrize("qos", [1, 2])
def test_a_position_is_stored_when_it_is_acknowledged(admin, port, make_phone, version, qos):
    user, token = make_phone()
    start = now() // 1000 - 10
    with Client(port, user, token, version) as phone:
        for index in range(3):
            assert phone.publish(f"owntracks/{user}/phone", json.dumps(location(start + index)), qos) == 0
            assert len(admin.history(f"{user}/phone")) == index + 1
        # The same again changes nothing.
        assert phone.publish(f"owntracks/{user}/phone", json.dumps(location(start + 2)), qos) == 0
    assert len(admin.history(f"{user}/phone")) == 3


@both
def test_messages_in_a_burst_are_stored_in_order(admin, port, make_phone, version):
    user, token = make_phone()
    start = now() // 1000 - 500
    with Client(port, user, token, version) as phone:
        sent = [
            phone.paho.publish(f"owntracks/{user}/phone", json.dumps(location(start + index)), 1)
            for index in range(300)]
        for message in sent:
            message.wait_for_publish(wait_seconds)
        assert phone.publish(f"owntracks/{user}/phone", json.dumps(location(start + 300))) == 0
    assert len(admin.history(f"{user}/phone")) == 301
    changes = [change for change in admin.changes() if change.get("device") == f"{user}/phone"]
    assert not any(change.get("late") for change in changes)


@both
def test_mosquitto_pub_publishes(admin, port, make_phone, version):
    if shutil.which("mosquitto_pub") is None:
        pytest.skip("mosquitto_pub is not installed; Scripts/setup test installs it")
    user, token = make_phone()
    newest = now() // 1000
    lines = "".join(json.dumps(location(newest - index)) + "\n" for index in range(20))
    subprocess.run(
        ["mosquitto_pub", "-h", "127.0.0.1", "-p", str(port), "-V", mosquitto_numbers[version], "-u", user, "-P", token,
         "-t", f"owntracks/{user}/phone", "-q", "2", "-l"], input=lines.encode(), check=True, timeout=120)
    assert len(admin.history(f"{user}/phone")) == 20


@both
def test_encrypted_messages_are_opened(admin, port, make_phone, version):
    user, token = make_phone()
    admin.ok("PUT", f"/users/{user}/devices/phone/encryption-key", {"key": secret})
    with Client(port, user, token, version) as phone:
        assert phone.publish(f"owntracks/{user}/phone", json.dumps(sealed(location()))) == 0
    assert len(admin.history(f"{user}/phone")) == 1


@both
def test_every_kind_of_owntracks_message_has_its_topic(admin, port, make_phone, version):
    user, token = make_phone()
    card = {"_type": "card", "name": "Ana", "tid": "AN"}
    transition = {"_type": "transition", "event": "enter", "desc": "home", "tst": now() // 1000, "lat": 1, "lon": 2,
                  "acc": 5, "t": "c", "wtst": 1, "tid": "AN"}
    status = {"_type": "status", "android": {"wifi": 1}}
    with Client(port, user, token, version) as phone:
        for suffix, message in [("info", card), ("event", transition), ("status", status)]:
            assert phone.publish(f"owntracks/{user}/phone/{suffix}", json.dumps(message)) == 0
        # An empty message removes a retained one at a broker.
        assert phone.publish(f"owntracks/{user}/phone", b"") == 0
    assert len(admin.history(f"{user}/phone")) == 1
    kinds = {note["kind"] for note in admin.items(f"/users/{user}/devices/phone/notes")}
    assert kinds == {"card", "status"}


@both
def test_a_password_makes_the_device_that_the_topic_names(admin, port, version):
    user = f"walker{version.replace('.', '')}"
    admin.make_user(user)
    admin.ok("PUT", f"/users/{user}/password", {"password": "a sound password"})
    with Client(port, user, "a sound password", version) as phone:
        assert phone.publish(f"owntracks/{user}/tablet", json.dumps(location())) == 0
    assert len(admin.history(f"{user}/tablet")) == 1


@both
def test_a_gateway_publishes_for_others_and_reads_nothing(admin, port, make_phone, version):
    user, _ = make_phone()
    gateway = f"bridge{version.replace('.', '')}"
    key = admin.make_user(gateway, "gateway").token
    with Client(port, gateway, key, version) as bridge:
        assert bridge.publish(f"owntracks/{user}/phone", json.dumps(location())) == 0
        assert all(reason.is_failure for reason in bridge.subscribe("owntracks/#"))
    assert len(admin.history(f"{user}/phone")) == 1


# MARK: What is refused


def test_mqtt_5_answers_a_refused_topic_with_the_reason(port, make_phone):
    user, token = make_phone()
    other, _ = make_phone()
    with Client(port, user, token, "5") as phone:
        for topic, code in [
                ("hello/world", 0x90), (f"owntracks/{user}/phone/cmd", 0x87), (f"owntracks/{user}/phone/else", 0x90),
                (f"owntracks/{other}/phone", 0x87)]:
            assert phone.publish(topic, "{}").value == code
        assert phone.publish(f"owntracks/{user}/phone", "no JSON").value == 0x99
        assert phone.publish(f"owntracks/{user}/phone", json.dumps(location())) == 0


def test_mqtt_3_closes_the_connection_for_a_foreign_topic(admin, port, make_phone):
    user, token = make_phone()
    other, _ = make_phone()
    for topic in ["hello/world", f"owntracks/{other}/phone"]:
        with Client(port, user, token, "3.1.1") as phone:
            phone.paho.publish(topic, json.dumps(location()), 1)
            phone.disconnected.get(timeout=wait_seconds)
    assert admin.history(f"{other}/phone") == []


def test_mqtt_3_acknowledges_what_can_never_be_read(port, make_phone):
    user, token = make_phone()
    with Client(port, user, token, "3.1.1") as phone:
        assert phone.publish(f"owntracks/{user}/phone", "no JSON") == 0


@both
@pytest.mark.parametrize("credential", ["wrong token", "wrong name", "none"])
def test_a_wrong_credential_is_refused(port, make_phone, version, credential):
    user, token = make_phone()
    credentials = {"wrong token": (user, "md_wrong"), "wrong name": ("nobody", token), "none": (None, None)}
    name, password = credentials[credential]
    client = Client(port, name, password, version)
    reason, _ = client.connect()
    assert reason.value in (0x86, 0x87) and reason.is_failure
    client.paho.loop_stop()


@both
def test_a_withdrawn_token_disconnects_at_once(admin, port, make_phone, version):
    user, token = make_phone()
    with Client(port, user, token, version) as phone, Client(port, user, token, version) as reader:
        reader.subscribe("owntracks/#")
        assert phone.publish(f"owntracks/{user}/phone", json.dumps(location())) == 0
        admin.ok("DELETE", f"/users/{user}/devices/phone/token")
        reasons = [client.disconnected.get(timeout=wait_seconds) for client in (phone, reader)]
        assert version == "3.1.1" or [reason.value for reason in reasons] == [0x87, 0x87]
    client = Client(port, user, token, version)
    assert client.connect()[0].is_failure
    client.paho.loop_stop()


# MARK: Hostile strangers


def connect(properties=b"", flags=0xC2, level=5, name=b"MQTT", rest=None):
    own = bytes([len(properties)]) + properties if level == 5 else b""
    return packet(0x10, text(name) + bytes([level, flags, 0, 0]) + own
                  + (text("x") + text("u") + text("p") if rest is None else rest))


@pytest.mark.parametrize("data", [
    b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\x16\x03\x01\x02\x00", b"\x11\x00", b"\x10\xff\xff\xff\xff\x01",
    b"\xc0\x00", b"\x10\xff\xff\xff\x7f", connect(flags=0xC3), connect(rest=b"\x00\x05ab"), connect(b"\x99\x00"),
    connect(b"\x21\x00\x00"), connect(b"\x11\x00\x00\x00\x01\x11\x00\x00\x00\x01"), connect(flags=0x1A, rest=text("x")),
    connect(rest=text(b"\xff\xfe") + text("u") + text("p")), connect(rest=text("x") + text("u") + text("p") + b"!"),
    connect(flags=0xDE), b"\x10\x80\x00", b"\x00\x00", b"\xf0\x00",
])
def test_a_stranger_with_malformed_bytes_is_cut_off(admin, port, data):
    with RawClient(port) as stranger:
        stranger.send(data)
        assert all(body[1:2] != b"\x00" for _, body in stranger.await_end())
    assert admin.ok("GET", "/changes?since=0&limit=1") is not None


@pytest.mark.parametrize("level", [3, 6, 0, 255])
def test_an_unknown_version_is_refused_with_connack(port, level):
    with RawClient(port) as stranger:
        stranger.send(connect(level=level))
        assert stranger.await_end() == [(0x20, b"\x00\x01")]


def test_a_stranger_who_never_signs_in_is_cut_off(hasty_port):
    with RawClient(hasty_port) as stranger:
        stranger.send(connect()[:4])
        assert stranger.await_end() == []


@pytest.mark.parametrize("data,code", [
    (b"\x30\x02\x00", 0), (b"\x36\x03\x00\x01a", 0x81), (b"\x32\x05\x00\x01a\x00\x00", 0x82),
    (b"\x80\x00", 0x81), (b"\x82\x03\x00\x01\x00", 0x81),
    (packet(0x82, b"\x00\x01\x00" + text("a/#/b") + b"\x00"), 0x8F),
    (packet(0x82, b"\x00\x01\x00" + text("a") + b"\x03"), 0x81),
    (packet(0x82, b"\x00\x01\x00" + text("a") + b"\x40"), 0x81),
    (packet(0x30, text("a/+") + b"\x00"), 0x90), (packet(0x30, text("") + b"\x00"), 0x82), (connect(), 0x82),
    (packet(0x30, text("a") + b"\x03\x23\x00\x00"), 0x82), (packet(0x30, text("") + b"\x03\x23\x00\x05"), 0x82),
    (packet(0x30, text("a") + b"\x03\x23\x00\xff"), 0x94), (b"\x20\x03\x00\x00\x00", 0x82), (b"\x60\x02\x00\x01", 0x81),
    (b"\x62\x03\x00\x00\x00", 0x82), (b"\x50\x03\x00\x01\x00", 0x82), (b"\x30\xff\xff\xff\x7f", 0x95),
    (packet(0xE0, b"\x00\x05\x11\x00\x00\x00\x09"), 0x82), (b"\xf0\x02\x18\x00", 0x82), (b"\xd0\x00", 0x82),
])
def test_a_client_that_breaks_the_protocol_is_disconnected_with_the_reason(port, make_phone, data, code):
    user, token = make_phone()
    with RawClient(port) as client:
        assert client.sign_in(user, token) == 0
        client.send(data)
        if not code:
            client.socket.shutdown(1)
        end = client.await_end()
        assert [body[:1] for first, body in end if first == 0xE0] == ([bytes([code])] if code else [])


@both
def test_a_silent_client_is_disconnected_after_its_keep_alive(port, make_phone, version):
    user, token = make_phone()
    with RawClient(port) as client:
        # In one piece, so that no time passes between the two.
        client.send(connect_packet(user, token, int(version.replace("3.1.1", "4")), keepalive=1) + b"\xc0\x00")
        first, body = client.read()
        assert (first, body[1]) == (0x20, 0)
        assert client.read() == (0xD0, b"")
        end = client.await_end()
        assert end == ([(0xE0, b"\x8d")] if version == "5" else [])


def test_one_address_has_few_connections_that_do_not_sign_in(server, port, make_phone):
    user, token = make_phone()
    eventually(lambda: stranger_count(server) == 0)
    strangers = [RawClient(port) for _ in range(65)]
    try:
        closed, _, _ = select.select([stranger.socket for stranger in strangers], [], [], wait_seconds)
        assert len(closed) == 1
    finally:
        for stranger in strangers:
            stranger.socket.close()
    eventually(lambda: stranger_count(server) == 0)
    # Whoever has signed in is no stranger.
    clients = []
    for index in range(10):
        clients.append(RawClient(port))
        assert clients[-1].sign_in(user, token, name=f"c{index}") == 0
    with RawClient(port) as one_more:
        assert one_more.sign_in(user, token, name="one more") == 0x97
    for client in clients:
        client.socket.close()
