"""Beside a real CouchDB: Muster replicates with it in both directions, and both agree on every revision.

`COUCHDB_URL` names one, with an admin's credentials in it: `http://admin:secret@127.0.0.1:5984`.
"""

import base64
import random
import time
from urllib.parse import urlsplit

import pytest

from couch_api import as_user
from couchdb_peer import at, leaves, meet
from elsewhere import couchdb_url
from muster_process import admin_password


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


slack_seconds = 45
"""A CouchDB begins a replication some seconds after it is ordered; a stall of its parser takes it 300 s."""


def edit_and_replicate(source, name, replicator, order):
    """Replicates twenty documents with a file each, edits what they say, and replicates them again: how long that
    takes, in seconds."""
    for number in range(20):
        made = source.ok("PUT", f"/{name}/d{number}", {"v": 1})["rev"]
        source.ok("PUT", f"/{name}/d{number}/f", raw=random.Random(number).randbytes(20_000), rev=made)
    replicator.ok("POST", "/_replicate", order)
    for number in range(20):
        source.ok("PUT", f"/{name}/d{number}", {**source.ok("GET", f"/{name}/d{number}"), "v": 2})
    begun = time.monotonic()
    replicator.ok("POST", "/_replicate", order)
    return time.monotonic() - begun


@pytest.mark.parametrize("driver", ["muster", "couchdb"])
@pytest.mark.parametrize("pulls", [True, False])
def test_edited_documents_with_files_replicate_as_fast_as_between_couchdbs(both, driver, pulls, record_property):
    muster, couch, name, url = both
    reference = edit_and_replicate(couch, name, couch, {
        "source": url, "target": f"{url}-reference", "create_target": True})
    other = f"{name}-timed"
    for server in (muster, couch):
        server.ok("PUT", f"/{other}")
    ours, theirs = (other if driver == "muster" else at(muster, other)), f"{couchdb_url()}/{other}"
    source, target, order = (
        (couch, muster, {"source": theirs, "target": ours}) if pulls
        else (muster, couch, {"source": ours, "target": theirs}))
    taken = edit_and_replicate(source, other, muster if driver == "muster" else couch, order)
    record_property("seconds", taken)
    record_property("seconds between CouchDBs", reference)
    print(f"{taken:.1f} s, between CouchDBs {reference:.1f} s")
    assert taken < reference + slack_seconds
    assert leaves(muster, other) == leaves(couch, other)
    for number in range(20):
        document = target.ok(
            "GET", f"/{other}/d{number}", attachments=True, headers={"Accept": "application/json"})
        content = source.send("GET", f"/{other}/d{number}/f").content
        assert document["v"] == 2 and base64.b64decode(document["_attachments"]["f"]["data"]) == content


@pytest.mark.parametrize("pulls", [True, False])
def test_couchdbs_own_replicator_resumes_where_it_was(both, pulls):
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


def test_couchdbs_own_replicator_reads_a_read_only_database(started, both):
    muster, couch, name, _ = both
    mia, path = as_user(started, "mia")
    as_user(started, "ann", "analyst")
    mia.ok("PUT", f"{path}/first", {"n": 1})
    muster.ok("PUT", "/lt_places/hall", {"type": "Feature", "geometry": {"type": "Point", "coordinates": [8.5, 47.3]}})
    for database, user in (("lt_locations_all", "ann"), ("lt_locations_all", "admin"), ("lt_places", "mia")):
        target = f"{name}-{user}-{database}"
        password = admin_password if user == "admin" else f"{user}'s password"
        order = {
            "source": at(muster, database, user, password), "target": f"{couchdb_url()}/{target}",
            "create_target": True}
        before = couch.ok("POST", "/_replicate", order)["history"][0]["docs_read"]
        if database == "lt_locations_all":
            mia.ok("PUT", f"{path}/{user}", {"n": 1})
        else:
            muster.ok("PUT", "/lt_places/gate", {
                "type": "Feature", "geometry": {"type": "Point", "coordinates": [8.6, 47.3]}})
        done = couch.ok("POST", "/_replicate", order)
        assert (done["history"][0]["docs_read"], len(done["history"])) == (before + 1, 2), "the first is remembered"
        assert len(leaves(couch, target)) == len(leaves(muster, database))


def deep(depth):
    """A value that nests so deep."""
    return {"x": deep(depth - 1)} if depth else 1


def revision(document):
    """The first revision of a document, named alike wherever it is put."""
    return {**document, "_rev": "1-" + "a" * 32}


def test_one_document_that_muster_refuses_stops_no_other_in_either_direction(both):
    muster, couch, name, url = both
    refused = [{"_id": "deep", "x": deep(100)}, {"_id": "i" * 3_000}, {
        "_id": "filed", "x": deep(100), "_attachments": {"f": {"content_type": "image/png", "data": "AAAA"}}}]
    documents = [{"_id": f"d{n}"} for n in range(20)] + refused + [{"_id": f"e{n}"} for n in range(20)]
    couch.ok("POST", f"/{name}/_bulk_docs", {"docs": [revision(document) for document in documents],
                                             "new_edits": False})
    # It pushes,
    done = couch.ok("POST", "/_replicate", {"source": url, "target": at(muster, name)})["history"][0]
    assert (done["docs_written"], done["doc_write_failures"]) == (40, 3)
    assert muster.ok("GET", f"/{name}")["doc_count"] == 40
    # and we pull.
    muster.ok("DELETE", f"/{name}")
    muster.ok("PUT", f"/{name}")
    done = muster.ok("POST", "/_replicate", {"source": url, "target": name})["history"][0]
    assert (done["docs_written"], done["doc_write_failures"]) == (40, 3)
    assert muster.ok("GET", f"/{name}")["doc_count"] == 40


def test_a_document_refused_by_a_design_document_stops_no_other(both):
    muster, couch, name, url = both
    couch.ok("PUT", f"/{name}/_design/v", {
        "language": "javascript",
        "validate_doc_update": "function (d) { if (d._id === 'b') throw {unauthorized: 'not you'}; "
                               "if (d._id === 'c') throw {forbidden: 'nobody'}; }"})
    data = base64.b64encode(random.Random(100).randbytes(100_000)).decode()
    for ident in ("a", "b", "c", "d"):
        muster.ok("PUT", f"/{name}/{ident}", {"_attachments": {"f": {"content_type": "image/png", "data": data}}})
    done = muster.ok("POST", "/_replicate", {"source": name, "target": url})["history"][0]
    assert (done["docs_written"], done["doc_write_failures"]) == (2, 2)
    assert [row["id"] for row in couch.ok("GET", f"/{name}/_all_docs")["rows"]] == ["_design/v", "a", "d"]


@pytest.mark.parametrize("target", ["muster", "couch"])
def test_text_attachments_are_replicated_between_two_remote_addresses(both, target):
    muster, couch, name, url = both
    text = b"the same line again\n" * 20_000
    couch.ok("PUT", f"/{name}/d", {"_attachments": {"t.txt": {
        "content_type": "text/plain", "data": base64.b64encode(text).decode()}}})
    own = muster.address.replace("http://", f"http://admin:{admin_password}@").replace(" ", "%20")
    server, there = (muster, f"{own}/{name}") if target == "muster" else (couch, f"{url}-relayed")
    try:
        done = muster.ok("POST", "/_replicate", {"source": url, "target": there, "create_target": True})["history"][0]
        assert (done["docs_written"], done["doc_write_failures"]) == (1, 0)
        path = f"/{name}" if target == "muster" else f"/{name}-relayed"
        assert server.send("GET", f"{path}/d/t.txt").content == text
    finally:
        couch.send("DELETE", f"/{name}-relayed")


def test_a_user_who_is_not_a_member_is_refused(both):
    muster, couch, name, url = both
    couch.ok("PUT", f"/_users/org.couchdb.user:{name}", {
        "name": name, "password": "x", "roles": [], "type": "user"})
    try:
        stranger = url.replace(urlsplit(url).netloc.split("@")[0], f"{name}:x", 1)
        assert couch.send("POST", "/_replicate", {"source": stranger, "target": url}).status_code == 403
        muster.refused(403, "forbidden", "POST", "/_replicate", {"source": stranger, "target": name})
    finally:
        user = couch.ok("GET", f"/_users/org.couchdb.user:{name}")
        couch.ok("DELETE", f"/_users/org.couchdb.user:{name}", rev=user["_rev"])
