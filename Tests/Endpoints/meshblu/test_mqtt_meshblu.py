"""Meshblu's MQTT API, as the client meshblu-mqtt uses it: sign in by uuid and token, publish to topics named by what is
asked, hear answers and messages on the topic that is the uuid. What it does is what the HTTP API does."""

import contextlib
import itertools
import json
import queue
import subprocess
import uuid as uuids

import pytest

from meshblu_owner import Owner, data
from mqtt_client import (
    Client, RawClient, mqtt_options, mqtt_port, packet, port_and_server, text, versions, wait_seconds)
from waiting import eventually

count = itertools.count(1)
both = pytest.mark.parametrize("version", sorted(versions))

port, server = port_and_server()


@pytest.fixture
def owner(admin):
    return Owner(admin, f"oda{next(count)}")


@pytest.fixture
def other(admin):
    return Owner(admin, f"odo{next(count)}")


class Gadget(Client):
    """A device that subscribes to its uuid when it has connected, as meshblu-mqtt does."""

    def __init__(self, port, device, version="3.1.1", topics=None, **more):
        super().__init__(port, device["uuid"], device["token"], version, **more)
        self.device = device
        self.topics = [device["uuid"]] if topics is None else topics

    def __enter__(self):
        super().__enter__()
        for topic in self.topics:
            (reason,) = self.subscribe(topic)
            assert reason.value == 1
        return self

    def tell(self, topic, value, qos=1):
        assert self.publish(topic, json.dumps(value), qos) == 0

    def ask(self, topic, value):
        """Publishes a question, and returns the answer to it."""
        value = {**value, "callbackId": str(uuids.uuid4())}
        self.tell(topic, value)
        answer = self.hear()
        assert answer["_request"] == {**value, "fromUuid": self.device["uuid"]}, answer
        return answer["topic"], answer["data"]

    def hear(self):
        message = self.next()
        assert not message.retain and message.topic in self.topics
        return json.loads(message.payload)

    def hears_nothing(self):
        with pytest.raises(queue.Empty):
            self.next(0.3)


@both
@pytest.mark.parametrize("qos", [0, 1, 2])
def test_data_by_mqtt_and_by_the_articles_curl_are_one(admin, server, port, owner, version, qos):
    device = owner.device(name="trigger-1")
    with Gadget(port, device, version) as gadget:
        gadget.tell("data", {"wind": 12, "temperature": "78"}, qos)
        heard = [gadget.hear()]
        article = (f'curl -s -X POST -d "wind=13&temperature=79" {server.address}/data/{device["uuid"]}'
                   f' --header "meshblu_auth_uuid: {device["uuid"]}" --header "meshblu_auth_token: {device["token"]}"')
        subprocess.run(article, shell=True, check=True, timeout=120)
        heard.append(gadget.hear())
    assert [(item["topic"], item["data"]["wind"], item["data"]["temperature"]) for item in heard] == [
        ("data", "12", "78"), ("data", "13", "79")]
    assert all(item["data"]["fromUuid"] == device["uuid"] for item in heard)
    assert [(item["wind"], item["temperature"]) for item in data(owner, device)] == [("13", "79"), ("12", "78")]
    signals = admin.items(f"/users/{owner.name}/devices/trigger-1/signals")
    assert [signal["name"] for signal in signals] == ["data", "data"]


def test_data_that_comes_twice_with_its_callback_is_one(port, owner):
    device = owner.device()
    once = {"n": 1, "callbackId": "0b6e3d0a-4f2b-4b0e-9a57-6a2f0a1c1d11"}
    odd = {"n": 2, "callbackId": "with a space, and " + "long " * 20}
    with Gadget(port, device) as gadget:
        for message in (once, once, odd, odd):
            gadget.tell("data", message)
        gadget.tell("data", {"n": 3, "uuid": device["uuid"]})
    assert [item["n"] for item in data(owner, device)] == ["3", "2", "1"]
    assert all("callbackId" not in item for item in data(owner, device))


@both
def test_messages_go_to_the_devices_that_they_name(port, owner, other, version):
    first, second, third, stranger = owner.device(), owner.device(), owner.device(), other.device()
    with Gadget(port, first, version, topics=[first["uuid"], second["uuid"] + "_bc"]) as one, \
            Gadget(port, second, version) as two, Gadget(port, third, version) as three, \
            Gadget(port, stranger, version, topics=[stranger["uuid"], second["uuid"] + "_bc"]) as four:
        two.tell("message", {"devices": [first["uuid"], stranger["uuid"]], "payload": {"ilove": "food"}})
        heard = one.hear()
        assert heard == {"topic": "message", "data": {
            "devices": [first["uuid"], stranger["uuid"]], "payload": {"ilove": "food"}, "fromUuid": second["uuid"]}}
        two.tell("message", {"devices": "*", "payload": "all"})
        assert one.hear()["data"] == {"devices": ["*"], "payload": "all", "fromUuid": second["uuid"]}
        # By HTTP, too, in whatever case.
        sent = owner.send("POST", "messages", {"devices": third["uuid"].upper(), "payload": 3},
                          auth=(second["uuid"], second["token"]))
        assert sent.status_code == 200
        assert three.hear()["data"]["payload"] == 3
        four.hears_nothing()
        assert two.messages.empty() and three.messages.empty() and one.messages.empty()


def test_whoami_and_update_are_answered(port, owner):
    device = owner.device(name="lamp", type="light")
    with Gadget(port, device) as gadget:
        plain = {key: value for key, value in device.items() if key != "token"}
        assert gadget.ask("whoami", {}) == ("whoami", plain)
        gadget.tell("update", {"uuid": device["uuid"], "on": True, "callbackId": "c1"})
        heard = [gadget.hear(), gadget.hear()]
        assert {item["topic"] for item in heard} == {"update", "config"}
        (config,) = [item["data"] for item in heard if item["topic"] == "config"]
        assert config == {**plain, "on": True}
        (answer,) = [item for item in heard if item["topic"] == "update"]
        assert answer["_request"]["callbackId"] == "c1" and answer["data"] == {}
        # What is there already changes nothing, and is answered.
        assert gadget.ask("update", {"on": True})[0] == "update"
    (found,) = owner.send("GET", f"devices/{device['uuid']}").json()["devices"]
    assert found == {**plain, "on": True}


def test_a_refused_message_is_answered_with_an_error(port, owner, other):
    device, second, stranger = owner.device(), owner.device(), other.device()
    with Gadget(port, device) as gadget:
        for topic, value in [
                ("update", {"uuid": stranger["uuid"], "on": True}), ("update", {"uuid": second["uuid"], "on": True}),
                ("update", {"k": "x" * 5000}), ("update", {"uuid": 7}), ("data", {"uuid": stranger["uuid"], "a": 1}),
                ("data", {"uuid": second["uuid"], "a": 1}), ("data", {"k": "x" * 5000}),
                ("data", {"timestamp": "soon"}), ("message", {"payload": 1}), ("message", {"devices": []}),
                ("resetToken", {"uuid": device["uuid"]}), ("generateAndStoreToken", {"uuid": device["uuid"]}),
                ("getPublicKey", {"uuid": device["uuid"]})]:
            answer, words = gadget.ask(topic, value)
            assert answer == "error" and words["message"], (topic, value)
        missing = gadget.ask("update", {"uuid": "0d3a53a0-2a0b-11e3-b09c-ff4de847b2cc", "on": True})
        assert missing == gadget.ask("update", {"uuid": stranger["uuid"], "on": True})
        # Answers that clients send each other, and another product's settings, are taken and dropped.
        gadget.tell("messageAck", {"devices": stranger["uuid"], "ack": 1, "payload": 1})
        assert gadget.messages.empty()
    assert data(owner, device) == [] and data(owner, second) == [] and data(other, stranger) == []


def test_an_owner_makes_tokens_and_hears_all_of_their_devices(port, owner, other):
    device, second = owner.device(), owner.device()
    hub = {"uuid": device["owner"], "token": owner.key}
    with Gadget(port, hub) as gadget:
        topic, made = gadget.ask("generateAndStoreToken", {"uuid": device["uuid"], "tag": "spare"})
        assert topic == "generateAndStoreToken" and made["uuid"] == device["uuid"] and made["tag"] == "spare"
        with Gadget(port, {**device, "token": made["token"]}) as one:
            one.tell("data", {"n": 1})
            assert gadget.hear()["data"]["n"] == "1"
            topic, reset = gadget.ask("resetToken", {"uuid": device["uuid"]})
            assert topic == "token" and reset["uuid"] == device["uuid"]
            # All earlier tokens end, and with them their connections.
            assert one.disconnected.get(timeout=wait_seconds) is not None
        with Gadget(port, second) as two:
            two.tell("message", {"devices": device["uuid"], "payload": 2})
            assert gadget.hear()["data"]["payload"] == 2
        gadget.tell("data", {"uuid": second["uuid"], "n": 3})
        assert gadget.hear()["data"]["fromUuid"] == second["uuid"]
        assert gadget.ask("whoami", {})[0] == "error"
        other.send("POST", f"data/{other.device()['uuid']}", {"n": 4})
        gadget.hears_nothing()
    assert [item["n"] for item in data(owner, second) if "n" in item] == ["3"]


@both
def test_signing_in_with_a_uuid_needs_its_token(port, owner, other, version):
    device, stranger = owner.device(), other.device()
    for user, password in [
            (device["uuid"], stranger["token"]), (device["uuid"], owner.key), (device["owner"], device["token"]),
            (device["uuid"], "md_wrong"), (device["uuid"], ""), ("0d3a53a0-2a0b-11e3-b09c-ff4de847b2cc", "x")]:
        client = Client(port, user, password, version)
        assert client.connect()[0].value != 0, (user, password)
        client.close()
    for user, password in [(device["uuid"].upper(), device["token"]), (device["owner"], owner.key),
                           (owner.name, owner.key), (owner.name, device["token"])]:
        with Client(port, user, password, version):
            pass


def test_a_user_cannot_subscribe_to_anothers_devices(admin, port, owner, other):
    device, theirs = owner.device(), other.device()
    topics = [device["uuid"], device["uuid"] + "_bc", device["owner"]]
    with Gadget(port, theirs, topics=topics) as thief, \
            Client(port, "admin", admin.token, "5") as everyone, \
            Gadget(port, {**device, "uuid": owner.name}, topics=[device["owner"], theirs["uuid"]]) as token, \
            Gadget(port, device) as gadget:
        for topic in topics + ["+", "#"]:
            assert everyone.subscribe(topic)[0].value == 1
        gadget.tell("data", {"door": "4711"})
        gadget.hear()
        thief.hears_nothing()
        # An admin sees the change itself, and by Meshblu's topics nobody's but their own.
        topics = []

        def told():
            topics.extend(message.topic for message in everyone.waiting())
            return topics

        eventually(told, lambda found: "muster/changes/signal" in found)
        assert all("/" in topic for topic in told())
        # A device's token does not hear what the owner hears.
        token.hears_nothing()


def test_a_message_waits_for_a_device_that_is_away(port, owner):
    device, second = owner.device(), owner.device()
    with Gadget(port, device, name="lamp", clean=False):
        pass
    with Gadget(port, second) as gadget:
        for number in range(3):
            gadget.tell("message", {"devices": device["uuid"], "payload": number})
    with Gadget(port, device, name="lamp", clean=False, topics=[device["uuid"]]) as back:
        assert [back.hear()["data"]["payload"] for _ in range(3)] == [0, 1, 2]


def test_a_token_that_ends_ends_its_connection(port, owner):
    device = owner.device()
    with Gadget(port, device) as gadget:
        assert owner.send("DELETE", f"devices/{device['uuid']}/tokens/{device['token']}").status_code == 204
        assert gadget.disconnected.get(timeout=wait_seconds) is not None


def test_a_message_that_was_acknowledged_outlives_the_server(make_server):
    server = make_server(arguments=mqtt_options()).start()
    port = mqtt_port(server)
    owner = Owner(server.admin(), "oda")
    device = owner.device()
    with Gadget(port, device) as gadget:
        gadget.tell("data", {"n": 1, "callbackId": "first"})
        gadget.tell("update", {"on": True})
        server.kill()
    server.start()
    owner.address = server.address
    with Gadget(port, device) as gadget:
        # The client does not know that it was acknowledged, and sends it again.
        gadget.tell("data", {"n": 1, "callbackId": "first"})
    assert [item["n"] for item in data(owner, device)] == ["1"]
    assert owner.send("GET", f"devices/{device['uuid']}").json()["devices"][0]["on"] is True


def test_the_protocol_of_old_clients_is_taken(port, owner):
    """MQTT 3.1 with the name MQIsdp, which meshblu-mqtt speaks."""
    device = owner.device()
    connect = (text("MQIsdp") + bytes([3, 0xC2]) + (600).to_bytes(2, "big") + text(device["uuid"])
               + text(device["uuid"]) + text(device["token"]))
    with RawClient(port) as client:
        client.send(packet(0x10, connect))
        assert client.read() == (0x20, b"\x00\x00")
        client.send(packet(0x82, b"\x00\x01" + text(device["uuid"]) + b"\x00"))
        assert client.read() == (0x90, b"\x00\x01\x00")
        client.send(packet(0x30, text("whoami") + b'{"callbackId":"a"}'))
        first, body = client.read()
        assert first == 0x30 and body[2:38].decode() == device["uuid"]
        assert json.loads(body[38:])["data"]["uuid"] == device["uuid"]


@both
def test_invalid_json_is_counted_and_other_topics_are_refused(admin, port, owner, version):
    device = owner.device()
    with Gadget(port, device, version) as gadget:
        refused = gadget.publish("data", "{")
        assert refused.value == (0x99 if version == "5" else 0)
    with Client(port, device["uuid"], device["token"], "5") as client:
        assert client.publish("tb", "x").value == 0x90
        assert client.publish("devices", "{}").value == 0x90
        (reason,) = client.subscribe("0d3a53a0-2a0b-11e3-b09c-ff4de847b2c")
        assert reason.value == 0x8F
    assert data(owner, device) == []


def test_messages_to_unknown_uuids_delay_no_other_client(server, port, owner):
    """A server must not look through all of the owner's devices for each UUID, each message and each client."""
    device, last = [owner.device() for _ in range(90)][:2]
    nobody = [str(uuids.uuid4()) for _ in range(32)]
    topics = [*nobody, last["uuid"]]
    subscribe = packet(0x82, b"\x00\x01" + b"".join(text(each) + b"\x00" for each in topics))
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(RawClient(port)) for _ in range(60)]
        for number, client in enumerate(clients):
            assert client.sign_in(owner.name, owner.key, version=4, name=f"client{number}") == 0
            client.send(subscribe)
            assert client.read()[0] == 0x90
        sender = stack.enter_context(Gadget(port, device))
        began = server.processor_seconds()
        for _ in range(30):
            sender.tell("message", {"devices": nobody})
        # Who has received this one has been through all before it.
        sender.tell("message", {"devices": last["uuid"]})
        assert all(client.read()[0] == 0x30 for client in clients)
        spent = server.processor_seconds() - began
        print(f"{spent} s")
        assert spent < 20
