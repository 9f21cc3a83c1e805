"""CouchDB's protocol through a plain HTTP client that knows nothing of Muster's code."""

import itertools
import json
import os
from urllib.parse import urlsplit

import pytest
import requests

from muster_process import admin_password

timeout_seconds = 30
numbers = itertools.count(1)
high, low = "f" * 32, "e" * 32
"""Two hashes of a peer's."""


class CouchApi:
    """One who asks."""

    def __init__(self, address, name=None, password=None, token=None):
        self.address = address
        self.session = requests.Session()
        self.session.trust_env = False
        if name:
            self.session.auth = (name, password)
        if token:
            self.session.headers["Authorization"] = f"Bearer {token}"

    def send(self, method, path, body=None, *, raw=None, headers=None, stream=False, **query):
        """Any request; the query's values are sent as they are when they are texts, and else as JSON."""
        parameters = {name: value if isinstance(value, str) else json.dumps(value) for name, value in query.items()}
        return self.session.request(
            method, self.address + path, json=body, data=raw, headers=headers, params=parameters,
            timeout=timeout_seconds, stream=stream)

    def ok(self, method, path, body=None, **more):
        """A request that must succeed; what it answers."""
        response = self.send(method, path, body, **more)
        assert response.ok, f"{method} {path}: {response.status_code} {response.text[:2000]}"
        return response.json() if response.content else None

    def refused(self, status, error, method, path, body=None, **more):
        """A request that must fail in CouchDB's words; the reason."""
        response = self.send(method, path, body, **more)
        assert response.status_code == status, f"{method} {path}: {response.status_code} {response.text[:2000]}"
        assert response.headers["Content-Type"] == "application/json"
        fault = response.json()
        assert fault["error"] == error and fault["reason"], fault
        return fault["reason"]

    def fresh(self, prefix="db"):
        """A new database; its path."""
        path = f"/{prefix}{next(numbers)}"
        self.ok("PUT", path)
        return path


def real_couchdb():
    """The CouchDB that `COUCHDB_URL` names, as its admin; the test is skipped where it names none."""
    url = os.environ.get("COUCHDB_URL", "").rstrip("/")
    if not url:
        pytest.skip("COUCHDB_URL names no CouchDB")
    parts = urlsplit(url)
    return CouchApi(f"{parts.scheme}://{parts.hostname}:{parts.port or 5984}", parts.username, parts.password)


def as_admin(server):
    """The server as its admin."""
    return CouchApi(server.address, "admin", admin_password)


def as_user(server, name, role="member"):
    """The server as a fresh user, and the path of the user's own database."""
    password = f"{name}'s password"
    server.admin().ok("POST", "/users", {"name": name, "role": role, "password": password})
    return CouchApi(server.address, name, password), f"/lt_locations_user_{name}"


def revisions(*hashes):
    """`_rev` and `_revisions` of a document that was made elsewhere, from its newest hash to its oldest."""
    return {"_rev": f"{len(hashes)}-{hashes[0]}", "_revisions": {"start": len(hashes), "ids": list(hashes)}}
