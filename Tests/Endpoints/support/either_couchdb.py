"""Fixtures of the tests that run against Muster, and against the real CouchDB that `COUCHDB_URL` names."""

import uuid

import pytest

from couch_api import as_admin, real_couchdb


@pytest.fixture(params=["muster", "couchdb"])
def api(request):
    if request.param == "muster":
        return as_admin(request.getfixturevalue("server"))
    return real_couchdb()


@pytest.fixture
def db(api):
    name = f"/muster-{uuid.uuid4().hex}"
    api.ok("PUT", name)
    yield name
    api.send("DELETE", name)
