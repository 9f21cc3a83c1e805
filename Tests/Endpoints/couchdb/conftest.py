"""Fixtures of the tests that run beside a real CouchDB."""

import uuid

import pytest

from couch_api import as_admin, real_couchdb
from elsewhere import couchdb_url


@pytest.fixture
def started(make_server):
    """Muster, which may call other servers of this machine."""
    couchdb_url()
    return make_server(arguments=["--allow-private-targets"]).start()


@pytest.fixture
def both(started):
    """Muster, the CouchDB, a database of one name in both, and its address there."""
    muster = as_admin(started)
    couch = real_couchdb()
    name = f"muster-{uuid.uuid4().hex}"
    for server in (muster, couch):
        server.ok("PUT", f"/{name}")
    yield muster, couch, name, f"{couchdb_url()}/{name}"
    for made in couch.ok("GET", "/_all_dbs"):
        if made.startswith(name):
            couch.ok("DELETE", f"/{made}")
