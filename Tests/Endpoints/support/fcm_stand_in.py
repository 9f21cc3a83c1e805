"""A stand-in for Firebase Cloud Messaging, written from Google's documentation: the exchange of a service account's
signed assertion for an access token, and HTTP v1 with the errors that it documents. It speaks TLS, and HTTP/2 as
Google does."""

import json
import secrets
import ssl
import time
from urllib.parse import parse_qs

import jwt

from http2_service import HTTP2Service
from webhook_receiver import Receiver, wait_seconds


class FCM:
    """Listens on two ports of its own: for messages over HTTP/2, and for tokens, and messages too, over HTTP/1.1.
    `answer` says for a message: 200, or a status, an error code and header fields."""

    def __init__(self, certificate, key, *, public_key, account, project):
        self.public_key, self.account, self.project = public_key, account, project
        self.answer = lambda message: (200, None, {})
        self.token_status = 200
        self.tokens = set()
        self.messages = []
        self.connections = []
        """The connection of each message over HTTP/2, by number."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self.receiver = Receiver(self._serve, context)
        self.service = HTTP2Service(certificate, key, self._serve_http2)
        self.arrived = self.receiver.arrived

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.service.close()
        self.receiver.close()

    @property
    def url(self):
        """Where messages are taken over HTTP/2."""
        return self.service.url

    @property
    def http1_url(self):
        """Where tokens are exchanged, and messages are taken over HTTP/1.1."""
        return f"https://localhost:{self.receiver.port}"

    def service_account(self, private_key):
        return json.dumps({
            "type": "service_account", "project_id": self.project, "private_key_id": "1", "private_key": private_key,
            "client_email": self.account, "token_uri": self.http1_url + "/token"})

    def expire_tokens(self):
        self.tokens.clear()

    def wait(self, condition, seconds=wait_seconds):
        with self.arrived:
            assert self.arrived.wait_for(lambda: condition(self.messages), seconds), self.messages[-5:]
            return list(self.messages)

    def _serve(self, call):
        if call.path == "/token":
            return self._exchange(parse_qs(call.body.decode()))
        return self._receive(call.path, call.headers, call.body, None)

    def _serve_http2(self, headers, body, connection):
        return self._receive(headers[":path"], headers, body, connection)

    def _receive(self, path, headers, body, connection):
        if path != f"/v1/projects/{self.project}/messages:send":
            return 404, {}, b"{}"
        if headers.get("authorization", "").removeprefix("Bearer ") not in self.tokens:
            return self._error(401, "THIRD_PARTY_AUTH_ERROR")
        message = json.loads(body)["message"]
        if len(json.dumps(message["data"])) > 4_096 or not all(
                isinstance(value, str) for value in message["data"].values()):
            return self._error(400, "INVALID_ARGUMENT")
        with self.arrived:
            self.messages.append(message)
            self.connections.append(connection)
            self.arrived.notify_all()
        status, code, fields = self.answer(message)
        if status != 200:
            return self._error(status, code, fields)
        return 200, {}, json.dumps({"name": f"projects/{self.project}/messages/1"}).encode()

    def _exchange(self, form):
        if self.token_status != 200:
            return self.token_status, {}, b'{"error":"temporarily_unavailable"}'
        assert form["grant_type"] == ["urn:ietf:params:oauth:grant-type:jwt-bearer"]
        claims = jwt.decode(
            form["assertion"][0], self.public_key, algorithms=["RS256"], audience=self.http1_url + "/token")
        assert claims["iss"] == self.account
        assert claims["scope"] == "https://www.googleapis.com/auth/firebase.messaging"
        assert claims["exp"] - claims["iat"] == 3_600 and abs(time.time() - claims["iat"]) < 600
        token = secrets.token_urlsafe()
        self.tokens.add(token)
        return 200, {}, json.dumps({"access_token": token, "expires_in": 3599, "token_type": "Bearer"}).encode()

    @staticmethod
    def _error(status, code, fields=None):
        return status, fields or {}, json.dumps({"error": {"code": status, "status": code, "details": [
            {"@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", "errorCode": code}]}}).encode()
