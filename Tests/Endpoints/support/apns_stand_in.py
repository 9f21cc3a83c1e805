"""A stand-in for Apple's push notification service, written from Apple's documentation: HTTP/2 over TLS, and the errors
that it documents. The public simulators check neither tokens nor headers; this one does."""

import json
import time
import uuid
from dataclasses import dataclass

import jwt

from http2_service import HTTP2Service

wait_seconds = 60


@dataclass
class Notification:
    """A request that came."""

    token: str
    headers: dict
    payload: dict
    at: float
    connection: int


class APNs(HTTP2Service):
    """Listens on a port of its own. `decide` says for a notification: 200, or a status and a reason, and where they
    matter header fields and more members of the body."""

    def __init__(self, certificate, key, *, public_key, key_id, team_id, topic):
        self.public_key, self.key_id, self.team_id, self.topic = public_key, key_id, team_id, topic
        self.decide = lambda notification: (200, None)
        self.notifications = []
        super().__init__(certificate, key, self._respond)

    def wait(self, condition, seconds=wait_seconds):
        with self.arrived:
            assert self.arrived.wait_for(lambda: condition(self.notifications), seconds), self.notifications[-5:]
            return list(self.notifications)

    def _respond(self, headers, body, connection):
        status, reason, *more = self._receive(headers, body, connection)
        fields, members = (*more, {}, {})[:2]
        text = json.dumps({"reason": reason, **members}).encode() if reason else b""
        return status, {"apns-id": str(uuid.uuid4()), **fields}, text

    def _receive(self, headers, body, connection):
        fault = self._fault(headers, body)
        if fault:
            return fault
        notification = Notification(
            headers[":path"].removeprefix("/3/device/"), headers, json.loads(body), time.monotonic(), connection)
        with self.arrived:
            self.notifications.append(notification)
            self.arrived.notify_all()
        return self.decide(notification)

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
        kind, priority = headers.get("apns-push-type"), headers.get("apns-priority")
        if headers.get("apns-topic") != self.topic + (".push-type.liveactivity" if kind == "liveactivity" else ""):
            return 400, "DeviceTokenNotForTopic"
        if len(body) > 4_096:
            return 413, "PayloadTooLarge"
        if len(headers.get("apns-collapse-id", "").encode()) > 64:
            return 400, "BadCollapseId"
        aps = json.loads(body)["aps"]
        if kind == "background":
            if priority != "5":
                return 400, "BadPriority"
            return None if aps == {"content-available": 1} else (400, "BadMessage")
        if kind == "liveactivity":
            needed = {"timestamp", "event", "content-state"}
            if aps.get("event") == "start":
                needed |= {"attributes-type", "attributes", "alert"}
            if priority not in ("5", "10"):
                return 400, "BadPriority"
            return None if needed <= aps.keys() else (400, "BadMessage")
        if kind != "alert" or "alert" not in aps:
            return 400, "InvalidPushType"
        return None
