"""One document that cannot be had, or is not taken, stops no other, and none that may come later is lost."""

import base64
import json

import pytest
import requests

from couch_api import high, low, revisions
from muster_process import MusterProcess
from replicating_servers import Couch, private
from stand_in_peer import StandInPeer
from waiting import eventually

deep = '{"x":' * 100 + "1" + "}" * 100
"""What nests deeper than documents may, as text: Python's own reader takes it."""


def plain(ident, **more):
    return {"_id": ident, "_rev": f"1-{high}", "_revisions": {"start": 1, "ids": [high]}, **more}


refused = {
    "deep": plain("deep", x=json.loads(deep)),
    "long": plain("i" * 3_000),
    "large": plain("large", x="x" * 9_000_000),
    "files": plain("files", _attachments={f"{n}": {
        "content_type": "text/plain", "digest": "md5-AAAAAAAAAAAAAAAAAAAAAA==", "length": 0, "revpos": 1, "stub": True}
        for n in range(1_001)}),
    "reserved": plain("_reserved"),
}
"""Documents of a peer that no database of Muster's takes."""


@pytest.fixture(scope="module")
def muster(tmp_path_factory):
    """A server that may turn to peers on this machine."""
    with MusterProcess(tmp_path_factory.mktemp("muster"), arguments=private) as server:
        yield Couch(server)


def replicated(muster, source, target, **more):
    """What the log says of a replication that ends, its counters without those of the runs before."""
    newest, *before = muster.ok("POST", "/_replicate", {"source": source, "target": target, **more})["history"]
    counters = ("missing_checked", "missing_found", "docs_read", "docs_written", "doc_write_failures")
    return {**newest, **{name: newest[name] - (before[0][name] if before else 0) for name in counters}}


# What comes in.

@pytest.mark.parametrize("kind", ["deep", "long", "large", "reserved"])
def test_one_bad_document_of_a_peers_batch_is_refused_and_the_rest_stored(muster, kind):
    path = f"/batch-{kind}"
    muster.ok("PUT", path)
    one = refused[kind]
    # An older revision of the same document that is as it must be is another row.
    docs = [plain("before"), one, {**plain(one["_id"]), **revisions(low)}, plain("after")]
    rows = muster.ok("POST", path + "/_bulk_docs", {"new_edits": False, "docs": docs})
    named = [row for row in rows if row["rev"] == one["_rev"]]
    assert [(row["id"], row["error"]) for row in named] == [(one["_id"], "forbidden")] and named[0]["reason"]
    stored = set(muster.outcome(path[1:]))
    assert {"before", "after"} <= stored
    assert muster.outcome(path[1:]).get(one["_id"], [f"1-{low}"]) == [f"1-{low}"]
    assert (one["_id"] in stored) == (kind in ("deep", "large"))
    # And by itself, as a peer puts what has files.
    status, answer = muster.send("PUT", f"{path}/{one['_id']}?new_edits=false", one)
    assert (status, json.loads(answer)["error"]) == (403, "forbidden")


@pytest.mark.parametrize(("kind", "error"), [
    ("deep", "bad_request"), ("long", "illegal_docid"), ("large", "document_too_large"),
    ("reserved", "illegal_docid")])
def test_one_bad_new_document_is_refused_in_its_row(muster, kind, error):
    path = f"/new-{kind}"
    muster.ok("PUT", path)
    one = {name: value for name, value in refused[kind].items() if not name.startswith("_rev")}
    rows = muster.ok("POST", path + "/_bulk_docs", {"docs": [{"_id": "before"}, one, {"_id": "after"}]})
    assert [(row["id"], row.get("error")) for row in rows] == [
        ("before", None), (one["_id"], error), ("after", None)]
    assert sorted(muster.outcome(path[1:])) == ["after", "before"]


@pytest.mark.parametrize(("name", "text"), [
    ("word", '{"docs":[{"_id":"a"},{"_id":"b","x":tru}]}'),
    ("brace", '{"docs":[{"_id":"a"},{"_id":"b","x":%s]}' % deep),
    ("nameless", '{"docs":[{"_id":"a"},{"x":%s}],"new_edits":false}' % deep),
    ("end", '{"docs":[{"_id":"a"},{"_id":"b","x":%s}' % deep),
])
def test_invalid_json_or_a_bad_document_without_an_id_refuses_the_whole_request(muster, name, text):
    path = f"/whole-{name}"
    muster.ok("PUT", path)
    answer = requests.post(
        muster.address + path + "/_bulk_docs", data=text, timeout=60,
        headers={"Authorization": muster.authorization, "Content-Type": "application/json"})
    assert answer.status_code == 400 and muster.ok("GET", path)["doc_count"] == 0


# What is fetched.

def test_unacceptable_documents_are_counted_and_the_others_arrive(muster):
    peer = StandInPeer([plain("before"), *refused.values(), plain("after")])
    done = replicated(muster, peer.url, "fetched", create_target=True)
    assert (done["docs_written"], done["doc_write_failures"]) == (2, len(refused))
    assert sorted(muster.outcome("fetched")) == ["after", "before"]
    # They are what they are: they are not fetched again each time.
    asked = len(peer.asked)
    muster.ok("POST", "/_replicate", {"source": peer.url, "target": "fetched"})
    assert len(peer.asked) == asked


def test_a_file_of_any_type_is_taken(muster):
    files = {
        "nameless": {"content_type": ""}, "wide": {"content_type": "text/plain; name=Übung"},
        "broken": {"content_type": "a/b\r\nX-Evil: 1"}, "early": {"content_type": "a/b", "revpos": 0}}
    for name, file in files.items():
        files[name] = {"data": base64.b64encode(b"track").decode(), "revpos": 1, **file}
    muster.ok("PUT", "/types")
    rows = muster.ok("POST", "/types/_bulk_docs", {"new_edits": False, "docs": [plain("a", _attachments=files)]})
    assert rows == []
    told = muster.ok("GET", "/types/a")["_attachments"]
    for name, file in files.items():
        assert told[name]["content_type"] == file["content_type"]
        answer = requests.get(
            f"{muster.address}/types/a/{name}", headers={"Authorization": muster.authorization}, timeout=60)
        assert answer.content == b"track" and "X-Evil" not in answer.headers
        assert answer.headers["Content-Type"] == ("a/b" if name == "early" else "application/octet-stream")
    whole = requests.get(f"{muster.address}/types/a?attachments=true", timeout=60, headers={
        "Authorization": muster.authorization, "Accept": "multipart/related"})
    assert whole.status_code == 200 and b"\r\nX-Evil" not in whole.content


def test_a_document_of_replicator_ends_though_one_document_is_not_taken(muster):
    peer = StandInPeer([plain("before"), refused["deep"], plain("after")])
    muster.ok("PUT", "/ended")
    muster.send("PUT", "/_replicator")
    muster.ok("PUT", "/_replicator/ending", {"source": peer.url, "target": "ended"})
    document = eventually(
        lambda: (found := muster.ok("GET", "/_replicator/ending")).get("_replication_state") and found)
    assert document["_replication_state"] == "completed"
    assert document["_replication_stats"]["doc_write_failures"] == 1


def test_a_row_that_always_fails_is_left_out_and_requested_again_by_the_next_run(muster):
    peer = StandInPeer([plain(f"d{n}") for n in range(5)], row_errors={
        "d2": {"error": "internal_server_error", "reason": "badmatch"}})
    done = replicated(muster, peer.url, "left", create_target=True)
    assert (done["docs_written"], done["doc_write_failures"]) == (4, 1)
    assert len(peer.asked) > 1, "it was given up at once"
    # The log is past it and names it: nothing else is compared again.
    assert done["recorded_seq"] == "5"
    done = replicated(muster, peer.url, "left")
    assert (done["missing_checked"], done["docs_written"], done["doc_write_failures"]) == (1, 0, 1)
    peer.row_errors = {}
    done = replicated(muster, peer.url, "left")
    assert (done["docs_written"], done["doc_write_failures"], done["recorded_seq"]) == (1, 0, "5")
    assert muster.ok("POST", "/_replicate", {"source": peer.url, "target": "left"})["no_changes"]
    assert muster.outcome("left").keys() == peer.documents.keys()


# What is sent.

def with_file(name, size):
    data = base64.b64encode(bytes(size)).decode()
    return {"_attachments": {name: {"content_type": "application/octet-stream", "data": data}}}


@pytest.mark.parametrize(("status", "error"), [(401, "unauthorized"), (403, "forbidden")])
def test_a_denied_document_does_not_stop_the_others(muster, status, error):
    name = f"denied{status}"
    muster.ok("PUT", f"/{name}")
    for ident in ("a", "b", "c"):
        muster.ok("PUT", f"/{name}/{ident}", with_file("f", 100_000))
    peer = StandInPeer(put_faults={"b": (status, {"error": error, "reason": "no"})})
    done = replicated(muster, name, peer.url)
    assert (done["docs_written"], done["doc_write_failures"]) == (2, 1)
    assert sorted(peer.documents) == ["a", "c"]


def test_a_denied_database_has_couchdbs_error(muster):
    muster.ok("PUT", "/mine")
    for status, error in ((401, "unauthorized"), (403, "forbidden")):
        peer = StandInPeer(closed=status)
        for order in ({"source": peer.url, "target": "mine"}, {"source": "mine", "target": peer.url}):
            answer = muster.send("POST", "/_replicate", order)
            assert (answer[0], json.loads(answer[1])["error"]) == (status, error)


@pytest.mark.parametrize("size", [0, 100_000])
def test_a_document_at_which_a_peer_fails_is_left_out_and_sent_again_by_the_next_run(muster, size):
    name = f"failing{size}"
    muster.ok("PUT", f"/{name}")
    for ident in ("a", "b", "c", "d"):
        muster.ok("PUT", f"/{name}/{ident}", with_file("f", size) if size else {})
    peer = StandInPeer(put_faults={"b": (500, {"error": "unknown_error", "reason": "function_clause"})})
    done = replicated(muster, name, peer.url)
    assert (done["docs_written"], done["doc_write_failures"]) == (3, 1)
    peer.put_faults = {}
    done = replicated(muster, name, peer.url)
    assert (done["docs_written"], done["doc_write_failures"]) == (1, 0)
    assert sorted(peer.documents) == ["a", "b", "c", "d"]


@pytest.mark.parametrize("count", [3, 5])
def test_some_documents_at_which_a_peer_fails_stop_no_other(muster, count):
    name = f"faulty{count}"
    muster.ok("PUT", f"/{name}")
    failing = [f"a{number}" for number in range(count)]
    for ident in (*failing, "b", "c"):
        muster.ok("PUT", f"/{name}/{ident}", {})
    peer = StandInPeer(put_faults=dict.fromkeys(failing, (500, {"error": "unknown_error", "reason": "x"})))
    done = replicated(muster, name, peer.url)
    assert (done["docs_written"], done["doc_write_failures"], sorted(peer.documents)) == (2, count, ["b", "c"])
    # One in their midst can be had by now.
    del peer.put_faults["a1"]
    done = replicated(muster, name, peer.url)
    assert (done["docs_written"], done["doc_write_failures"]) == (1, count - 1)
    assert sorted(peer.documents) == ["a1", "b", "c"]


def test_documents_at_which_a_peer_fails_stop_no_other_also_where_no_good_one_is_among_them(muster):
    muster.ok("PUT", "/alone")
    failing = [f"a{number}" for number in range(5)]
    for ident in failing:
        muster.ok("PUT", f"/alone/{ident}", {})
    peer = StandInPeer(put_faults=dict.fromkeys(failing, (500, {"error": "unknown_error", "reason": "x"})))
    for checkpoints in (False, True):
        done = replicated(muster, "alone", peer.url, use_checkpoints=checkpoints)
        assert (done["docs_written"], done["doc_write_failures"]) == (0, 5)
    peer.put_faults = {}
    assert replicated(muster, "alone", peer.url)["docs_written"] == 5


def test_a_peer_that_fails_at_every_document_fails_the_replication(muster):
    muster.ok("PUT", "/all")
    for ident in ("a", "b", "c", "d"):
        muster.ok("PUT", f"/all/{ident}", {})
    for status in (500, 503):
        peer = StandInPeer(put_faults=dict.fromkeys("abcd", (status, {"error": "unknown_error", "reason": "full"})))
        order = {"source": "all", "target": peer.url, "continuous": True}
        identity = muster.ok("POST", "/_replicate", order)["_local_id"]
        job = eventually(lambda: next(
            (job for job in muster.ok("GET", "/_scheduler/jobs")["jobs"] if job["info"].get("error")), None))
        assert f"status {status}" in job["info"]["error"], job
        # Nothing was refused, and nothing counts as done.
        assert job["info"].get("doc_write_failures", 0) == 0 and not peer.locals
        peer.put_faults = {}
        eventually(lambda: sorted(peer.documents) == ["a", "b", "c", "d"])
        assert muster.ok("POST", "/_replicate", {"replication_id": identity, "cancel": True})["ok"]
