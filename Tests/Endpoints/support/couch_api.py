"""A client of CouchDB's protocol over plain HTTP, which shares no code with Muster."""

import base64
import itertools
import json
from urllib.parse import urlsplit

import requests

from elsewhere import couchdb_url
from muster_process import admin_password

timeout_seconds = 60
numbers = itertools.count(1)
high, low = "f" * 32, "e" * 32
"""Two revision hashes of another server."""


class CouchApi:
    """One user's access to a server's CouchDB protocol."""

    def __init__(self, address, name=None, password=None, token=None):
        self.address = address
        self.session = requests.Session()
        self.session.trust_env = False
        if name:
            self.session.auth = (name, password)
        if token:
            self.session.headers["Authorization"] = f"Bearer {token}"

    def send(self, method, path, body=None, *, raw=None, headers=None, stream=False, **query):
        """Sends a request. Query values that are strings are sent as they are, others as JSON."""
        parameters = {name: value if isinstance(value, str) else json.dumps(value) for name, value in query.items()}
        return self.session.request(
            method, self.address + path, json=body, data=raw, headers=headers, params=parameters,
            timeout=timeout_seconds, stream=stream)

    def ok(self, method, path, body=None, **more):
        """Sends a request that must succeed. Returns the parsed body, or None where it is empty."""
        response = self.send(method, path, body, **more)
        assert response.ok, f"{method} {path}: {response.status_code} {response.text[:2000]}"
        return response.json() if response.content else None

    def refused(self, status, error, method, path, body=None, **more):
        """Sends a request that must fail with this status and CouchDB error. Returns the reason."""
        response = self.send(method, path, body, **more)
        assert response.status_code == status, f"{method} {path}: {response.status_code} {response.text[:2000]}"
        assert response.headers["Content-Type"] == "application/json"
        fault = response.json()
        assert fault["error"] == error and fault["reason"], fault
        return fault["reason"]

    def fresh(self, prefix="db"):
        """Creates a database. Returns its path."""
        path = f"/{prefix}{next(numbers)}"
        self.ok("PUT", path)
        return path


def basic(name, password):
    """The header field that proves who asks."""
    return "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()


def real_couchdb():
    """Returns the CouchDB that `COUCHDB_URL` names, as its admin. Skips the test where it names none."""
    parts = urlsplit(couchdb_url())
    return CouchApi(f"{parts.scheme}://{parts.hostname}:{parts.port or 5984}", parts.username, parts.password)


def as_admin(server):
    """Returns the server's CouchDB protocol as admin."""
    return CouchApi(server.address, "admin", admin_password)


def as_user(server, name, role="member"):
    """Creates a user. Returns the CouchDB protocol as that user, and the path of the user's location database."""
    password = f"{name}'s password"
    server.admin().ok("POST", "/users", {"name": name, "role": role, "password": password})
    return CouchApi(server.address, name, password), f"/lt_locations_user_{name}"


def revisions(*hashes):
    """Returns `_rev` and `_revisions` of a document that another server wrote, from its newest hash to its oldest."""
    return {"_rev": f"{len(hashes)}-{hashes[0]}", "_revisions": {"start": len(hashes), "ids": list(hashes)}}
