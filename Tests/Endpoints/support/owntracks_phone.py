"""An OwnTracks app in HTTP mode, as a server sees it."""

import base64
import http.client
import json
from urllib.parse import urlsplit

from nacl.secret import SecretBox
from nacl.utils import random as random_bytes

from native_api import now

secret = "a shared secret"


class Phone:
    """An app in HTTP mode. It sends Basic credentials, and headers that name user and device."""

    def __init__(self, server, user, secret, device="phone", headers=None):
        self.server = server
        credentials = base64.b64encode(f"{user}:{secret}".encode()).decode()
        self.headers = {
            "Authorization": f"Basic {credentials}", "Content-Type": "application/json", "X-Limit-U": user,
            "X-Limit-D": device, **(headers or {})}
        self.headers = {name: value for name, value in self.headers.items() if value is not None}

    def post(self, body, path="/owntracks"):
        """Posts a body. Returns status, headers and body of the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", urlsplit(self.server.address).port, timeout=60)
        try:
            raw = body if isinstance(body, bytes) else json.dumps(body).encode()
            connection.request("POST", path, raw, self.headers)
            response = connection.getresponse()
            return response.status, response.headers, response.read()
        finally:
            connection.close()

    def tell(self, body, path="/owntracks"):
        """Posts a body that the server must accept. Returns the answer, checked to be one that an app understands."""
        status, headers, answer = self.post(body, path)
        assert status == 200, (status, answer)
        assert headers["Content-Type"].split(";")[0] == "application/json"
        return json.loads(answer)


def location(tst=None, **more):
    return {"_type": "location", "lat": 52.52, "lon": 13.405, "tst": tst or now() // 1000, "tid": "AA", **more}


def sealed(message, key=secret):
    """Encrypts a message like the apps: a key padded with zeros, and the nonce before the box."""
    box = SecretBox(key.encode().ljust(32, b"\0"))
    data = box.encrypt(json.dumps(message).encode(), random_bytes(24))
    return {"_type": "encrypted", "data": base64.b64encode(data).decode()}


def opened(reply, key=secret):
    assert reply["_type"] == "encrypted"
    return json.loads(SecretBox(key.encode().ljust(32, b"\0")).decrypt(base64.b64decode(reply["data"])))
