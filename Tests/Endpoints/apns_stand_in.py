"""A stand-in for Apple's push notification service, written from Apple's documentation: HTTP/2 over TLS, and the errors
that it documents. The public simulators check neither tokens nor headers; this one does."""

import json
import socket
import ssl
import threading
import time
import uuid
from dataclasses import dataclass

import h2.config
import h2.connection
import h2.events
import jwt

wait_seconds = 60


@dataclass
class Notification:
    """A request that came."""

    token: str
    headers: dict
    payload: dict
    at: float
    connection: int


class APNs:
    """Listens on a port of its own. `answer` says for a notification: 200, or a status and a reason."""

    def __init__(self, certificate, key, *, public_key, key_id, team_id, topic, answer=None):
        self.public_key, self.key_id, self.team_id, self.topic = public_key, key_id, team_id, topic
        self.answer = answer or (lambda notification: (200, None))
        self.notifications = []
        self.connections = 0
        self.goes_away_after = None
        """Closes a connection with GOAWAY after so many notifications."""
        self.arrived = threading.Condition()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        context.set_alpn_protocols(["h2"])
        self.context = context
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()

    @property
    def url(self):
        return f"https://localhost:{self.port}"

    def wait(self, condition, seconds=wait_seconds):
        with self.arrived:
            assert self.arrived.wait_for(lambda: condition(self.notifications), seconds), self.notifications[-5:]
            return list(self.notifications)

    def _accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, raw):
        try:
            with self.context.wrap_socket(raw, server_side=True) as connection:
                if connection.selected_alpn_protocol() == "h2":
                    self._speak(connection)
        except OSError:
            pass

    def _speak(self, connection):
        with self.arrived:
            self.connections += 1
            number = self.connections
        state = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        state.initiate_connection()
        connection.sendall(state.data_to_send())
        streams, served = {}, 0
        while data := connection.recv(65_536):
            for event in state.receive_data(data):
                if isinstance(event, h2.events.RequestReceived):
                    streams[event.stream_id] = (dict(event.headers), bytearray())
                elif isinstance(event, h2.events.DataReceived):
                    streams[event.stream_id][1].extend(event.data)
                    state.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                elif isinstance(event, h2.events.StreamEnded):
                    headers, body = streams.pop(event.stream_id)
                    served += 1
                    status, reason, fields = self._receive(headers, bytes(body), number)
                    text = json.dumps({"reason": reason}).encode() if reason else b""
                    state.send_headers(event.stream_id, [
                        (":status", str(status)), ("apns-id", str(uuid.uuid4())), *fields], end_stream=not text)
                    if text:
                        state.send_data(event.stream_id, text, end_stream=True)
            connection.sendall(state.data_to_send())
            if self.goes_away_after is not None and served >= self.goes_away_after:
                state.close_connection()
                connection.sendall(state.data_to_send())
                return

    def _receive(self, headers, body, connection):
        fault = self._fault(headers, body)
        if fault:
            return (*fault, [])
        notification = Notification(
            headers[":path"].removeprefix("/3/device/"), headers, json.loads(body), time.monotonic(), connection)
        with self.arrived:
            self.notifications.append(notification)
            self.arrived.notify_all()
        status, reason, *fields = self.answer(notification)
        return status, reason, list(fields[0].items()) if fields else []

    def _fault(self, headers, body):
        """What Apple refuses in a request; None where it takes it."""
        if headers[":method"] != "POST":
            return 405, "MethodNotAllowed"
        if not headers[":path"].startswith("/3/device/"):
            return 404, "BadPath"
        scheme, _, token = headers.get("authorization", "").partition(" ")
        try:
            assert scheme.lower() == "bearer"
            assert jwt.get_unverified_header(token)["kid"] == self.key_id
            claims = jwt.decode(token, self.public_key, algorithms=["ES256"], options={"verify_exp": False})
            assert claims["iss"] == self.team_id
        except Exception:
            return 403, "InvalidProviderToken"
        if not 0 <= time.time() - claims["iat"] + 5 < 3_600:
            return 403, "ExpiredProviderToken"
        if headers.get("apns-topic") != self.topic:
            return 400, "DeviceTokenNotForTopic"
        if len(body) > 4_096:
            return 413, "PayloadTooLarge"
        if len(headers.get("apns-collapse-id", "").encode()) > 64:
            return 400, "BadCollapseId"
        kind, priority = headers.get("apns-push-type"), headers.get("apns-priority")
        aps = json.loads(body)["aps"]
        if kind == "background":
            if priority != "5":
                return 400, "BadPriority"
            return None if aps == {"content-available": 1} else (400, "BadMessage")
        if kind != "alert" or "alert" not in aps:
            return 400, "InvalidPushType"
        return None
