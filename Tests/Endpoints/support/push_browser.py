"""A browser that was subscribed to Web Push: it has the keys, and reads what a stand-in push service received."""

import base64
import json
import os
import time

import http_ece
import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def from_base64url(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Browser:
    """One subscription, at a path of its own of a push service."""

    def __init__(self, service, path, page=None):
        self.service = service
        self.path = path
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.secret = os.urandom(16)
        self.page = page

    @property
    def registration(self):
        public = self.key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        request = {"platform": "webpush", "subscription": {
            "endpoint": f"http://127.0.0.1:{self.service.port}{self.path}",
            "keys": {"p256dh": base64url(public), "auth": base64url(self.secret)}}}
        return {**request, "page": self.page} if self.page else request

    def register(self, person):
        """Registers it for someone; its id."""
        self.id = person.ok("POST", "/push/devices", self.registration)["id"]
        return self.id

    def calls(self):
        with self.service.arrived:
            return [call for call in self.service.calls if call.path == self.path]

    def read(self, call):
        """What a message says, decrypted by a library that knows nothing of Muster."""
        return json.loads(http_ece.decrypt(
            call.body, private_key=self.key, auth_secret=self.secret, version="aes128gcm"))

    def messages(self):
        return [self.read(call) for call in self.calls()]

    def wait(self, condition, **more):
        """Waits until what it was told is as wanted; what it was told."""
        self.service.wait(lambda _: condition([self.read(call) for call in self.service.calls
                                               if call.path == self.path]), **more)
        return self.messages()


def verified_claims(call, key, audience):
    """The claims of a request's VAPID token, once its signature is verified by the key that the server serves."""
    scheme, _, rest = call.headers["authorization"].partition(" ")
    fields = dict(part.strip().split("=", 1) for part in rest.split(","))
    assert scheme == "vapid" and fields["k"] == key
    public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), from_base64url(key))
    claims = jwt.decode(fields["t"], public, algorithms=["ES256"], audience=audience)
    assert time.time() < claims["exp"] <= time.time() + 86_400
    return claims
