"""MQTT clients for tests: paho-mqtt over a real connection, and raw packets where a client would not send them."""

import queue
import re
import socket
import threading

import paho.mqtt.client as paho
import pytest
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from muster_process import MusterProcess

versions = {"3.1.1": paho.MQTTv311, "5": paho.MQTTv5}
wait_seconds = 60


class Client:
    """A client that records what happens to it."""

    def __init__(self, port, user, password, version="5", name="", clean=True, expiry=None, will=None, keepalive=60,
                 acknowledges=True, transport="tcp", context=None, receive_maximum=None):
        self.port = port
        self.keepalive = keepalive
        self.messages = queue.Queue()
        self.connected = queue.Queue()
        self.disconnected = queue.Queue()
        self.acknowledged = {}
        """The reason of each of the client's messages that the server answered, by its number."""
        self._answered = threading.Condition()
        self._subscribed = queue.Queue()
        more = {} if version == "5" else {"clean_session": clean}
        self.paho = paho.Client(
            paho.CallbackAPIVersion.VERSION2, client_id=name, protocol=versions[version], transport=transport,
            manual_ack=not acknowledges, reconnect_on_failure=False, **more)
        self.properties = None
        if version == "5":
            self.properties = Properties(PacketTypes.CONNECT)
            if expiry is not None:
                self.properties.SessionExpiryInterval = expiry
            if receive_maximum is not None:
                self.properties.ReceiveMaximum = receive_maximum
        self.clean = clean if version == "5" else paho.MQTT_CLEAN_START_FIRST_ONLY
        if user is not None:
            self.paho.username_pw_set(user, password)
        if will is not None:
            self.paho.will_set(*will)
        if context is not None:
            self.paho.tls_set_context(context)
        self.paho.on_connect = lambda client, data, flags, reason, properties: self.connected.put(
            (reason, flags.session_present, properties))
        self.paho.on_disconnect = lambda client, data, flags, reason, properties: self.disconnected.put(reason)
        self.paho.on_message = lambda client, data, message: self.messages.put(message)
        self.paho.on_publish = self._publish_answered
        self.paho.on_subscribe = lambda client, data, mid, reasons, properties: self._subscribed.put(reasons)

    def _publish_answered(self, client, data, mid, reason, properties):
        with self._answered:
            self.acknowledged[mid] = reason
            self._answered.notify_all()

    def connect(self):
        """Connects, and returns the server's reason and whether it had a session."""
        more = {"properties": self.properties} if self.properties is not None else {}
        self.paho.connect("127.0.0.1", self.port, self.keepalive, clean_start=self.clean, **more)
        self.paho.loop_start()
        reason, present, self.answer = self.connected.get(timeout=wait_seconds)
        return reason, present

    def __enter__(self):
        reason, self.present = self.connect()
        assert reason == 0, reason
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Says good-bye."""
        self.paho.disconnect()
        self.paho.loop_stop()

    def cut(self):
        """Closes the connection without a word."""
        self.paho.socket().shutdown(socket.SHUT_RDWR)
        self.disconnected.get(timeout=wait_seconds)
        self.paho.loop_stop()

    def publish(self, topic, payload, qos=1):
        """Publishes, and returns the reason that the server answers."""
        sent = self.paho.publish(topic, payload, qos)
        return self.answer_to(sent.mid)

    def answer_to(self, mid):
        with self._answered:
            answered = self._answered.wait_for(lambda: mid in self.acknowledged, wait_seconds)
            assert answered, "no acknowledgement"
            return self.acknowledged[mid]

    def subscribe(self, topic, qos=1, **more):
        """Subscribes, and returns the reasons."""
        self.paho.subscribe(topic, qos, **more)
        return self._subscribed.get(timeout=wait_seconds)

    def next(self, seconds=wait_seconds):
        """Returns the next message."""
        return self.messages.get(timeout=seconds)

    def waiting(self):
        """Returns the messages that have come."""
        found = []
        while not self.messages.empty():
            found.append(self.messages.get())
        return found


def text(value):
    """Returns a text as the protocol writes it."""
    data = value.encode() if isinstance(value, str) else value
    return len(data).to_bytes(2, "big") + data


def packet(first, body):
    """Returns a packet from its first byte and its body."""
    length, left = b"", len(body)
    while True:
        left, byte = divmod(left, 128)
        length += bytes([byte | (128 if left else 0)])
        if not left:
            return bytes([first]) + length + body


def connect_packet(user, password, version=5, name="raw", keepalive=0, properties=b""):
    own = bytes([len(properties)]) + properties if version == 5 else b""
    return packet(0x10, text("MQTT") + bytes([version, 0xC2]) + keepalive.to_bytes(2, "big") + own
                  + text(name) + text(user) + text(password))


class RawClient:
    """A connection that sends what it is told and reads packets."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), wait_seconds)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def read(self):
        """Returns the first byte and the body of the next packet; None where the server has closed the connection."""
        first = self._bytes(1)
        if first is None:
            return None
        length = shift = 0
        while True:
            byte = self._bytes(1)[0]
            length |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return first[0], self._bytes(length) if length else b""

    def _bytes(self, count):
        data = b""
        while len(data) < count:
            try:
                more = self.socket.recv(count - len(data))
            except ConnectionResetError:
                return None
            if not more:
                return None
            data += more
        return data

    def sign_in(self, user, password, **more):
        """Sends CONNECT, and returns the reason code of the answer."""
        self.send(connect_packet(user, password, **more))
        first, body = self.read()
        assert first == 0x20
        return body[1]

    def await_end(self):
        """Reads until the server closes the connection, and returns the packets."""
        packets = []
        while (found := self.read()) is not None:
            packets.append(found)
        return packets


def mqtt_port(server, option="--mqtt-port"):
    """Returns the port that a ready server picked for MQTT clients. Later starts of the server keep it."""
    scheme = "wss?" if "websocket" in option else "mqtts?"
    port = re.findall(rf"{scheme}://127\.0\.0\.1:(\d+)", server.log())[-1]
    server.arguments[server.arguments.index(option) + 1] = port
    return int(port)


def port_and_server(*arguments):
    """Returns the fixtures `port` and `server` of a file whose tests share one server with an MQTT port."""

    @pytest.fixture(scope="module")
    def server(tmp_path_factory, store_of_files):
        server = MusterProcess(tmp_path_factory.mktemp("muster"), ["--mqtt-port", "0", *arguments])
        server.model = store_of_files
        with server:
            yield server

    @pytest.fixture(scope="module")
    def port(server):
        return mqtt_port(server)

    return port, server
