"""`_replicate`, `_replicator` and `_snapshot`: servers that replicate with each other."""

import base64
import email.utils
import gzip
import json
import os
import random
import time
import urllib.parse
import urllib.request

from cutting_proxy import CuttingProxy
from muster_process import admin_password
from replicating_servers import Couch, pair
from waiting import eventually


def test_pull_and_push_with_conflicts_and_deletions(make_server):
    _, _, left, right = pair(make_server)
    left.fill("notes", 250)
    done = left.ok("POST", "/_replicate", {"source": "notes", "target": right.url("notes"), "create_target": True})
    assert done["ok"] and done["history"][0]["docs_written"] == 250
    for couch, value in ((left, "l"), (right, "r")):
        document = couch.ok("GET", "/notes/d00001")
        couch.ok("PUT", "/notes/d00001", {**document, "v": value})
    document = right.ok("GET", "/notes/d00002")
    right.ok("DELETE", f"/notes/d00002?rev={document['_rev']}")
    left.ok("POST", "/_replicate", {"source": "notes", "target": right.url("notes")})
    left.ok("POST", "/_replicate", {"source": right.url("notes"), "target": "notes"})
    assert left.outcome("notes") == right.outcome("notes")
    assert left.ok("GET", "/notes/d00001") == right.ok("GET", "/notes/d00001")
    assert left.send("GET", "/notes/d00002")[0] == 404
    again = left.ok("POST", "/_replicate", {"source": "notes", "target": right.url("notes")})
    # 250, and the one edit: counters go on from run to run.
    assert again.get("no_changes") or again["history"][0]["docs_written"] == 251


def test_a_way_that_cuts_at_any_byte(make_server):
    seed = int(os.environ.get("MUSTER_SEED", "5"))
    print(f"seed {seed}")
    _, right_server, left, right = pair(make_server)
    right.fill("notes", 400)
    left.ok("PUT", "/notes")
    proxy = CuttingProxy(right_server.port, seed, cut=0.7, delay_seconds=0.05, most_bytes=6_000)
    order = {"source": right.url("notes", proxy.port), "target": "notes", "continuous": True}
    assert left.ok("POST", "/_replicate", order)["_local_id"]
    eventually(lambda: left.ok("GET", "/notes")["doc_count"] == 400, seconds=240)
    right.fill("notes", 10, start=400)
    eventually(lambda: left.ok("GET", "/notes")["doc_count"] == 410, seconds=240)
    assert proxy.cuts > 0
    assert left.outcome("notes") == right.outcome("notes")
    assert left.ok("POST", "/_replicate", {**order, "cancel": True})["ok"]
    assert left.send("POST", "/_replicate", {**order, "cancel": True})[0] == 404


def test_attachments_small_and_large(make_server):
    _, _, left, right = pair(make_server)
    left.ok("PUT", "/files")
    draw = random.Random(60)
    small, large = draw.randbytes(1_000), draw.randbytes(3_000_000)
    document = {"_attachments": {
        name: {"content_type": "application/octet-stream", "data": base64.b64encode(data).decode()}
        for name, data in (("small", small), ("large", large))}}
    left.ok("PUT", "/files/both", document)
    left.ok("PUT", "/files/little", {"_attachments": {"small": document["_attachments"]["small"]}})
    left.ok("POST", "/_replicate", {"source": "files", "target": right.url("files"), "create_target": True})
    left.ok("POST", "/_replicate", {"source": right.url("files"), "target": "back", "create_target": True})
    for couch, database in ((right, "files"), (left, "back")):
        assert couch.send("GET", f"/{database}/both/large")[1] == large
        assert couch.send("GET", f"/{database}/both/small")[1] == small
        assert couch.send("GET", f"/{database}/little/small")[1] == small


def test_an_attachment_too_long_for_any_connection_is_resumed_where_it_was_cut(make_server):
    seed = int(os.environ.get("MUSTER_SEED", "3"))
    print(f"seed {seed}")
    _, right_server, left, right = pair(make_server)
    right.ok("PUT", "/files")
    large = random.Random(seed).randbytes(2_000_000)
    made = right.ok("PUT", "/files/film", {"v": 1})
    request = urllib.request.Request(
        f"{right.address}/files/film/a/b.mp4?rev={made['rev']}", method="PUT", data=large,
        headers={"Authorization": right.authorization, "Content-Type": "video/mp4"})
    urllib.request.urlopen(request, timeout=60).close()
    # Every connection is cut, long before a tenth of the file.
    proxy = CuttingProxy(right_server.port, seed, cut=1, delay_seconds=0, most_bytes=200_000)
    left.ok("POST", "/_replicate", {
        "source": right.url("files", proxy.port), "target": "files", "create_target": True})
    assert proxy.cuts >= 10
    assert left.send("GET", "/files/film/a/b.mp4")[1] == large


def test_a_storm_of_conflicts_arrives_whole_with_its_winner(make_server):
    _, _, left, right = pair(make_server)
    left.ok("PUT", "/storm")
    leaves = [{"_id": "a", "n": n, "_revisions": {"start": 2, "ids": [f"{n:032x}", "f" * 32]}} for n in range(1000)]
    left.ok("POST", "/storm/_bulk_docs", {"docs": leaves, "new_edits": False})
    order = {"source": "storm", "target": right.url("storm"), "create_target": True}
    assert left.ok("POST", "/_replicate", order)["history"][0]["docs_written"] == 1000
    assert right.outcome("storm") == left.outcome("storm") and len(right.outcome("storm")["a"]) == 1000
    assert right.ok("GET", "/storm/a?conflicts=true") == left.ok("GET", "/storm/a?conflicts=true")
    # Branches that end, the winner among them, end there too.
    gone = [{"_id": "a", "_rev": f"2-{n:032x}", "_deleted": True} for n in range(980, 1000)]
    assert all("rev" in row for row in left.ok("POST", "/storm/_bulk_docs", {"docs": gone}))
    assert left.ok("POST", "/_replicate", order)["history"][0]["docs_written"] == 1000 + 20
    assert right.outcome("storm") == left.outcome("storm")
    assert right.ok("GET", "/storm/a")["_rev"] == f"2-{979:032x}"


def test_a_checkpoint_from_elsewhere_is_not_believed(make_server):
    left = Couch(make_server("left").start())
    left.fill("notes", 20)
    order = {"source": "notes", "target": "copy", "create_target": True}
    left.ok("POST", "/_replicate", order)
    checkpoint = left.ok("GET", "/copy/_local_docs")["rows"][0]["id"]
    for planted in (
        {"session_id": "x", "source_last_seq": 10**9, "history": [{"session_id": "x", "recorded_seq": 10**9}]},
        {"session_id": 7, "source_last_seq": {}, "history": "all"}, {},
    ):
        left.ok("DELETE", "/copy")
        left.ok("PUT", "/copy")
        left.ok("PUT", f"/copy/{checkpoint}", planted)
        assert left.ok("POST", "/_replicate", order)["history"][0]["docs_written"] == 20
        assert left.outcome("copy") == left.outcome("notes")


def test_the_union_remembers_how_far_it_was_pulled_for_each_reader(make_server):
    _, right_server, left, right = pair(make_server)
    right_server.admin().ok("POST", "/users", {"name": "ann", "role": "member", "password": "a long password"})
    right_server.admin().ok("POST", "/users", {"name": "eve", "role": "analyst", "password": "a long password"})
    ann, eve = (f"http://{name}:a%20long%20password@{right.address.removeprefix('http://')}" for name in ("ann", "eve"))
    left.fill("mine", 30)
    left.ok("POST", "/_replicate", {"source": "mine", "target": f"{ann}/lt_locations_user_ann"})
    for source in (f"{eve}/lt_locations_all", right.url("lt_locations_all")):
        order = {"source": source, "target": "all", "create_target": True}
        assert left.ok("POST", "/_replicate", order)["history"][0]["docs_written"] == 30
        assert left.ok("POST", "/_replicate", order)["no_changes"]
        assert left.outcome("all") == left.outcome("mine")
        left.ok("DELETE", "/all")


def test_a_replication_of_listed_documents_only(make_server):
    _, _, left, _ = pair(make_server)
    left.fill("notes", 20)
    # Picked by the algorithm itself, and by the server that is asked.
    for name, source in (("here", "notes"), ("there", left.url("notes"))):
        left.ok("POST", "/_replicate", {
            "source": source, "target": f"some-{name}", "create_target": True, "doc_ids": ["d00003", "d00007"]})
        left.ok("POST", "/_replicate", {
            "source": source, "target": f"low-{name}", "create_target": True, "selector": {"v": {"$lt": 5}}})
        assert sorted(left.outcome(f"some-{name}")) == ["d00003", "d00007"]
        assert sorted(left.outcome(f"low-{name}")) == [f"d{index:05}" for index in range(5)]


def test_without_checkpoints_every_run_starts_from_the_beginning(make_server):
    _, _, left, right = pair(make_server)
    left.fill("notes", 20)
    order = {"source": "notes", "target": right.url("notes"), "create_target": True, "use_checkpoints": False}
    for written in (20, 0):
        done = left.ok("POST", "/_replicate", order)["history"][0]
        assert (done["missing_checked"], done["docs_written"]) == (20, written)
    for couch in (left, right):
        assert couch.ok("GET", "/notes/_local_docs")["rows"] == []


def test_a_replication_from_since_seq_on(make_server):
    _, _, left, right = pair(make_server)
    left.fill("notes", 10)
    since = left.ok("GET", "/notes")["update_seq"]
    left.fill("notes", 5, start=10)
    order = {"source": "notes", "target": right.url("notes"), "create_target": True, "since_seq": since}
    assert left.ok("POST", "/_replicate", order)["history"][0]["docs_written"] == 5
    assert sorted(right.outcome("notes")) == [f"d{index:05}" for index in range(10, 15)]
    # It goes on where it was, not where it was told to begin.
    left.fill("notes", 1, start=15)
    assert left.ok("POST", "/_replicate", order)["history"][0]["missing_checked"] == 5 + 1, "counted from the first"


def test_a_log_counts_on_from_run_to_run_and_has_couchdbs_dates(make_server):
    _, _, left, right = pair(make_server)
    order = {"source": "notes", "target": right.url("notes"), "create_target": True}
    for start, count in ((0, 10), (10, 3), (13, 2)):
        left.fill("notes", count, start=start)
        began = time.time()
        done = left.ok("POST", "/_replicate", order)
        ended = time.time()
        newest = done["history"][0]
        for name in ("missing_checked", "missing_found", "docs_read", "docs_written"):
            assert newest[name] == start + count, name
        # Sequences are texts of digits, as in `_changes`.
        assert newest["recorded_seq"] == newest["end_last_seq"] == done["source_last_seq"]
        assert done["source_last_seq"].isdigit() and newest["start_last_seq"].isdigit()
        for name in ("start_time", "end_time"):
            moment = email.utils.parsedate_to_datetime(newest[name])
            assert newest[name] == email.utils.format_datetime(moment, usegmt=True), "RFC 1123"
            # A date has whole seconds.
            assert int(began) <= moment.timestamp() <= ended
    assert len(done["history"]) == 3


def test_a_checkpoint_with_sequences_as_numbers_is_resumed_from(make_server):
    """As Muster wrote them before it wrote sequences as texts."""
    _, _, left, right = pair(make_server)
    left.fill("notes", 10)
    order = {"source": "notes", "target": right.url("notes"), "create_target": True}
    left.ok("POST", "/_replicate", order)
    checkpoint = left.ok("GET", "/notes/_local_docs")["rows"][0]["id"]
    for couch in (left, right):
        log = couch.ok("GET", f"/notes/{checkpoint}")
        log["source_last_seq"] = int(log["source_last_seq"])
        for session in log["history"]:
            for name in ("start_last_seq", "end_last_seq", "recorded_seq"):
                session[name] = int(session[name])
            session["start_time"] = session["end_time"] = "2026-11-23T08:44:45.123Z"
        couch.ok("PUT", f"/notes/{checkpoint}", log)
    left.fill("notes", 1, start=10)
    done = left.ok("POST", "/_replicate", order)
    assert (done["history"][0]["missing_checked"], len(done["history"])) == (11, 2), "ten are not looked at again"
    assert done["history"][1]["start_time"] == "Mon, 23 Nov 2026 08:44:45 GMT"


def test_winners_without_their_conflicts(make_server):
    _, _, left, right = pair(make_server)
    left.ok("PUT", "/notes")
    leaves = [{"_id": "a", "_rev": f"1-{digit * 32}", "v": digit} for digit in "37f5"]
    left.ok("POST", "/notes/_bulk_docs", {"new_edits": False, "docs": leaves})
    # Picked by the algorithm itself, and by the server that is asked.
    for name, couch, order in (
            ("push", right, {"source": "notes", "target": right.url("push")}),
            ("pull", left, {"source": left.url("notes"), "target": "pull"})):
        left.ok("POST", "/_replicate", {**order, "create_target": True, "winning_revs_only": True})
        assert couch.outcome(name) == {"a": ["1-" + "f" * 32]}


def test_a_replicator_document_goes_on_after_a_crash(make_server):
    left_server, _, left, right = pair(make_server)
    right.fill("notes", 30)
    left.ok("PUT", "/notes")
    left.ok("PUT", "/_replicator")
    left.ok("PUT", "/_replicator/pull", {"source": right.url("notes"), "target": "notes", "continuous": True})
    eventually(lambda: left.ok("GET", "/notes")["doc_count"] == 30)
    left_server.kill()
    right.fill("notes", 12, start=30)
    left_server.start()
    eventually(lambda: left.ok("GET", "/notes")["doc_count"] == 42)
    jobs = left.send("GET", "/_scheduler/docs")[1]
    assert json.loads(jobs)["docs"][0]["doc_id"] == "pull"
    assert admin_password not in jobs.decode() and urllib.parse.quote(admin_password) not in jobs.decode()
    assert admin_password not in left_server.log()
    document = left.ok("GET", "/_replicator/pull")
    left.ok("DELETE", f"/_replicator/pull?rev={document['_rev']}")
    eventually(lambda: not json.loads(left.send("GET", "/_scheduler/docs")[1])["docs"])


def test_a_snapshot_has_every_leaf_and_ends_with_the_sequence(make_server):
    _, _, left, _ = pair(make_server)
    left.fill("notes", 300)
    status, packed = left.send("GET", "/notes/_snapshot", headers={"Accept-Encoding": "gzip"})
    assert status == 200
    lines = [json.loads(line) for line in gzip.decompress(packed).splitlines()]
    assert lines[-1]["done"] and lines[-1]["last_seq"] >= 300
    documents = [line for line in lines if "_id" in line]
    assert [document["v"] for document in documents] == list(range(300))
    assert all(document["_revisions"]["start"] == 1 for document in documents)


def test_replication_is_for_admins_and_allowed_addresses_only(make_server):
    server = make_server("guarded").start()
    couch = Couch(server)
    couch.fill("notes", 1)
    for address in ("http://127.0.0.1:1/x", "http://169.254.169.254/x", "http://[::1]:1/x", "http://0x7f000001/x",
                    "http://localhost:1/x", "http://LOCALHOST:1/x"):
        status, answer = couch.send("POST", "/_replicate", {"source": address, "target": "notes"})
        assert status == 400 and b"may not be reached" in answer, (address, status, answer)
    status, answer = couch.send("POST", "/_replicate", {"source": "ftp://x/y", "target": "notes"})
    assert status == 400
    admin = server.admin()
    mia = admin.make_user("mia")
    couch.authorization = f"Bearer {mia.token}"
    assert couch.send("POST", "/_replicate", {"source": "notes", "target": "copy"})[0] == 401
    assert couch.send("GET", "/_active_tasks")[0] == 401
    assert couch.send("GET", "/notes/_snapshot")[0] == 403
