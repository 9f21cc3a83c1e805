"""A client of the relay, which shares no code with Muster: a WebSocket over a plain socket (RFC 6455), and the messages
of docs/nearby.md."""

import base64
import hashlib
import os
import socket
import struct

timeout_seconds = 60
suffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
closings = "done", "refused", "absent", "tooMany", "slow", "gone"
farewells = "fault", "rightEnded", "slow", "silent", "replaced", "stopping"


class Refused(Exception):
    """The server did not open the WebSocket."""

    def __init__(self, status, body):
        super().__init__(status, body)
        self.status = status
        self.body = body


class Relay:
    """A connection to the relay. Frames are tuples that begin with their name."""

    def __init__(self, server, token, name=None, key="0a", receive_bytes=None):
        self.socket = socket.socket()
        if receive_bytes:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        self.socket.settimeout(timeout_seconds)
        self.socket.connect(("127.0.0.1", server.port))
        self.file = self.socket.makefile("rb")
        self.bytes = b""
        self._open(token)
        if name:
            self.hello(name, key)
            assert self.next()[0] == "welcome"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if not self.file.closed:
            self.close()

    def close(self):
        """Closes the WebSocket, and waits until the server has, too."""
        try:
            self.send_payload(b"", opcode=8)
            while self._payload() is not None:
                pass
        except OSError:
            pass
        self.abort()

    def abort(self):
        self.file.close()
        self.socket.close()

    def _open(self, token):
        key = base64.b64encode(os.urandom(16)).decode()
        authorization = f"Authorization: Bearer {token}\r\n" if token else ""
        self.socket.sendall((
            f"GET /api/v1/nearby/relay HTTP/1.1\r\nHost: muster\r\n{authorization}Connection: Upgrade\r\n"
            f"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n"
            "Sec-WebSocket-Protocol: muster-relay.1\r\n\r\n").encode())
        status = int(self.file.readline().split()[1])
        fields = {}
        while (line := self.file.readline().strip()):
            name, value = line.decode().split(": ", 1)
            fields[name.lower()] = value
        if status != 101:
            raise Refused(status, self.file.read(int(fields["content-length"])))
        digest = hashlib.sha1((key + suffix).encode()).digest()
        assert fields["sec-websocket-accept"] == base64.b64encode(digest).decode()
        assert fields["sec-websocket-protocol"] == "muster-relay.1"

    # What is sent

    def send_payload(self, payload, opcode=2):
        """Sends a frame of the WebSocket, masked as a client must."""
        mask = os.urandom(4)
        length = struct.pack("!B", 0x80 | len(payload)) if len(payload) < 126 else struct.pack(
            "!BH", 0x80 | 126, len(payload))
        masked = bytes(byte ^ mask[place % 4] for place, byte in enumerate(payload))
        self.socket.sendall(bytes([0x80 | opcode]) + length + mask + masked)

    def send(self, kind, body=b""):
        self.send_payload(struct.pack("!HB", len(body) + 1, kind) + body)

    def hello(self, name, key="0a", version=1):
        name, key = name.encode(), key.encode()
        self.send(1, bytes([version, len(name)]) + name + bytes([len(key)]) + key)

    def open(self, stream, peer):
        self.send(5, struct.pack("!II", stream, peer))

    def accept(self, stream):
        self.send(6, struct.pack("!I", stream))

    def data(self, stream, data):
        self.send(7, struct.pack("!I", stream) + data)

    def credit(self, stream, count):
        self.send(8, struct.pack("!II", stream, count))

    def close_stream(self, stream):
        self.send(9, struct.pack("!IB", stream, 0))

    def ping(self):
        self.send(10)

    # What arrives

    def _payload(self):
        head = self._read(2)
        if head is None:
            return None
        assert head[1] < 128, "a server must not mask"
        length = head[1]
        if length == 126:
            length = struct.unpack("!H", self._read(2))[0]
        elif length == 127:
            length = struct.unpack("!Q", self._read(8))[0]
        payload = self._read(length) if length else b""
        return payload if head[0] & 15 in (0, 2) else b""

    def _read(self, count):
        try:
            data = self.file.read(count)
        except ConnectionError:
            return None
        return data if len(data) == count else None

    def next(self):
        """Returns the next frame; None at the end of the connection."""
        while len(self.bytes) < 2 or len(self.bytes) < 2 + struct.unpack("!H", self.bytes[:2])[0]:
            payload = self._payload()
            if payload is None:
                return None
            self.bytes += payload
        length = struct.unpack("!H", self.bytes[:2])[0]
        body, self.bytes = self.bytes[2:2 + length], self.bytes[2 + length:]
        return parse(body)

    def peers(self, *accounts):
        """Waits until devices of these accounts are there. Returns their numbers by account."""
        found = {}
        while not set(accounts) <= set(found):
            frame = self.next()
            if frame[0] == "appeared":
                found[frame[2]] = frame[1]
            elif frame[0] == "gone":
                found = {account: number for account, number in found.items() if number != frame[1]}
        return found

    def wait(self, name):
        """Returns the next frame of this name, and drops those before it."""
        while True:
            frame = self.next()
            assert frame is not None, f"the connection ended before {name}"
            if frame[0] == name:
                return frame


def parse(body):
    kind, body = body[0], body[1:]
    if kind == 2:
        return "welcome", *struct.unpack("!IHH", body)
    if kind == 3:
        number, texts, body = struct.unpack("!I", body[:4])[0], [], body[4:]
        for _ in range(3):
            texts.append(body[1:1 + body[0]].decode())
            body = body[1 + body[0]:]
        return "appeared", number, *texts
    if kind in (4, 6):
        return {4: "gone", 6: "accept"}[kind], *struct.unpack("!I", body)
    if kind in (5, 8):
        return {5: "open", 8: "credit"}[kind], *struct.unpack("!II", body)
    if kind == 7:
        return "data", struct.unpack("!I", body[:4])[0], body[4:]
    if kind == 9:
        stream, reason = struct.unpack("!IB", body)
        return "close", stream, closings[reason]
    if kind == 12:
        return "farewell", farewells[body[0]]
    return {10: "ping", 11: "pong"}[kind],


def connected(first, second, peer, stream=1):
    """Opens a stream from one connection to another, whose number is given. Returns the stream's number there."""
    first.open(stream, peer)
    number = second.wait("open")[1]
    second.accept(number)
    assert first.wait("accept") == ("accept", stream)
    return number
