"""Beside a real CouchDB: Muster replicates with it in both directions, and both agree on every revision.

`COUCHDB_URL` names one, with an admin's credentials in it: `http://admin:secret@127.0.0.1:5984`.
"""

import os
import uuid
from urllib.parse import urlsplit

import pytest

from couch_api import CouchApi, as_admin, as_user
from muster_process import admin_password

peer_url = os.environ.get("COUCHDB_URL", "").rstrip("/")


@pytest.fixture
def started(make_server):
    """Muster, which may call other servers of this machine."""
    if not peer_url:
        pytest.skip("COUCHDB_URL names no CouchDB")
    return make_server(arguments=["--allow-private-targets"]).start()


@pytest.fixture
def both(started):
    """Muster, the CouchDB, a database of one name in both, and its address there."""
    muster = as_admin(started)
    parts = urlsplit(peer_url)
    couch = CouchApi(f"{parts.scheme}://{parts.hostname}:{parts.port or 5984}", parts.username, parts.password)
    name = f"muster-{uuid.uuid4().hex}"
    for server in (muster, couch):
        server.ok("PUT", f"/{name}")
    yield muster, couch, name, f"{peer_url}/{name}"
    for made in couch.ok("GET", "/_all_dbs"):
        if made.startswith(name):
            couch.ok("DELETE", f"/{made}")


def at(muster, name, user="admin", password=admin_password):
    """A database of Muster's, as a CouchDB is told of it."""
    return {"url": f"{muster.address}/{name}", "auth": {"basic": {"username": user, "password": password}}}


def leaves(server, name):
    """Every document's leaves and winner, and where each leaf comes from."""
    rows = server.ok("GET", f"/{name}/_changes", style="all_docs", include_docs=True)["results"]
    found = {}
    for row in rows:
        revisions = sorted(change["rev"] for change in row["changes"])
        paths = [
            server.ok("GET", f"/{name}/{row['id']}", rev=revision, revs=True)["_revisions"] for revision in revisions]
        found[row["id"]] = (revisions, row["doc"]["_rev"], paths)
    return found


def meet(muster, name, url):
    muster.ok("POST", "/_replicate", {"source": name, "target": url})
    muster.ok("POST", "/_replicate", {"source": url, "target": name})


def test_both_directions_end_in_the_same_leaves_winners_and_ancestors(both):
    muster, couch, name, url = both
    for server, first in ((muster, 0), (couch, 150)):
        documents = [{"_id": f"d{n}", "n": n, "f": 1.5, "t": "é", "o": {"a": [1, None, True]}}
                     for n in range(first, first + 200)]
        server.ok("POST", f"/{name}/_bulk_docs", {"docs": documents})
    meet(muster, name, url)
    # What both wrote alike is one revision, not a conflict.
    assert leaves(muster, name) == leaves(couch, name)
    assert all(len(revisions) == 1 for revisions, _, _ in leaves(couch, name).values())
    assert len(leaves(couch, name)) == 350


def test_three_ways_of_a_document_have_one_winner(both):
    muster, couch, name, url = both
    muster.ok("PUT", f"/{name}/d", {"from": "one"})
    meet(muster, name, url)
    for server, word in ((muster, "muster"), (couch, "couch")):
        document = server.ok("GET", f"/{name}/d")
        for turn in range(2):
            document = {**server.ok("GET", f"/{name}/d"), "from": f"{word} {turn}"}
            server.ok("PUT", f"/{name}/d", document)
    third = {"_id": "d", "from": "a third", "_rev": "2-" + "f" * 32,
             "_revisions": {"start": 2, "ids": ["f" * 32, muster.ok("GET", f"/{name}/d", revs=True)
                                                ["_revisions"]["ids"][-1]]}}
    couch.ok("POST", f"/{name}/_bulk_docs", {"docs": [third], "new_edits": False})
    meet(muster, name, url)
    assert leaves(muster, name) == leaves(couch, name)
    assert len(leaves(muster, name)["d"][0]) == 3
    document = muster.ok("GET", f"/{name}/d")
    muster.ok("DELETE", f"/{name}/d", rev=document["_rev"])
    meet(muster, name, url)
    assert leaves(muster, name) == leaves(couch, name)
    assert couch.ok("GET", f"/{name}/d") == muster.ok("GET", f"/{name}/d")


def test_files_go_both_ways(both):
    muster, couch, name, url = both
    files = {"small": b"nine byte", "large": bytes(range(256)) * 4096}
    for server, other in ((muster, couch), (couch, muster)):
        for size, content in files.items():
            ident = f"{size}-{'m' if server is muster else 'c'}"
            made = server.ok("PUT", f"/{name}/{ident}", {"size": size})
            server.ok(
                "PUT", f"/{name}/{ident}/a.bin", raw=content, headers={"Content-Type": "application/x-track"},
                rev=made["rev"])
        meet(muster, name, url)
        for size, content in files.items():
            ident = f"{size}-{'m' if server is muster else 'c'}"
            read = other.send("GET", f"/{name}/{ident}/a.bin")
            assert (read.content, read.headers["Content-Type"]) == (content, "application/x-track")
    assert leaves(muster, name) == leaves(couch, name)


@pytest.mark.parametrize("pulls", [True, False])
def test_its_own_replicator_goes_on_where_it_was(both, pulls):
    muster, couch, name, url = both
    ends = {"source": at(muster, name), "target": url} if pulls else {"source": url, "target": at(muster, name)}
    source = muster if pulls else couch
    for turn in range(4):
        source.ok("POST", f"/{name}/_bulk_docs", {"docs": [{"_id": f"{turn}-{n}", "n": n} for n in range(20)]})
        done = couch.ok("POST", "/_replicate", ends)
        # A CouchDB adds up what its runs did.
        assert done["history"][0]["docs_read"] == 20 * (turn + 1), "what came before is not looked at again"
        assert len(done["history"]) == turn + 1
    assert leaves(muster, name) == leaves(couch, name)
    assert couch.ok("POST", "/_replicate", ends)["no_changes"]


def test_its_own_replicator_reads_what_may_only_be_read(started, both):
    muster, couch, name, _ = both
    mia, path = as_user(started, "mia")
    as_user(started, "ann", "analyst")
    mia.ok("PUT", f"{path}/first", {"n": 1})
    muster.ok("PUT", "/lt_places/hall", {"type": "Feature", "geometry": {"type": "Point", "coordinates": [8.5, 47.3]}})
    for database, user in (("lt_locations_all", "ann"), ("lt_locations_all", "admin"), ("lt_places", "mia")):
        target = f"{name}-{user}-{database}"
        password = admin_password if user == "admin" else f"{user}'s password"
        order = {
            "source": at(muster, database, user, password), "target": f"{peer_url}/{target}", "create_target": True}
        before = couch.ok("POST", "/_replicate", order)["history"][0]["docs_read"]
        if database == "lt_locations_all":
            mia.ok("PUT", f"{path}/{user}", {"n": 1})
        else:
            muster.ok("PUT", "/lt_places/gate", {
                "type": "Feature", "geometry": {"type": "Point", "coordinates": [8.6, 47.3]}})
        done = couch.ok("POST", "/_replicate", order)
        assert (done["history"][0]["docs_read"], len(done["history"])) == (before + 1, 2), "the first is remembered"
        assert len(leaves(couch, target)) == len(leaves(muster, database))
