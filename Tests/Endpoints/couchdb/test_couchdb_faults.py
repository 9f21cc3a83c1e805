"""Bad input, large input, and a server that is killed: CouchDB's words, and nothing half stored."""

import concurrent.futures
import socket
import threading

import pytest

from couch_api import CouchApi, as_admin, high, revisions
from waiting import eventually


@pytest.mark.parametrize(("status", "error", "document"), [
    (400, "bad_request", "{"), (400, "bad_request", "[]"), (400, "bad_request", '{"a":1,"a":2}'),
    (400, "bad_request", '{"a":"\\ud800"}'), (400, "bad_request", "[" * 100_000), (400, "bad_request", '{"a":1}x'),
    (400, "bad_request", '{"a":{"b":' * 40 + "1" + "}}" * 40), (400, "bad_request", b'{"a":"\xff"}'),
    (400, "bad_request", '{"_rev":"x"}'), (400, "bad_request", '{"_rev":"1-a/\\\\"}'),
    (400, "illegal_docid", '{"_id":1}'), (400, "doc_validation", '{"_what":1}'),
    (400, "doc_validation", '{"_deleted":"yes"}'),
    (400, "doc_validation", '{"_revisions":{"start":1,"ids":["a","b"]}}'),
    (400, "doc_validation", '{"_attachments":[]}'), (400, "bad_request", '{"_attachments":{"_x":{"data":""}}}'),
    (400, "doc_validation", '{"_attachments":{"x":{"data":"?"}}}'),
    (412, "missing_stub", '{"_attachments":{"x":{"stub":true}}}'),
    (400, "bad_request", '{"_attachments":{"x":{"follows":true}}}'),
])
def test_an_invalid_document_is_refused(couch, db, status, error, document):
    couch.refused(status, error, "PUT", db + "/a", raw=document)
    assert couch.ok("GET", db)["update_seq"] == "0"


@pytest.mark.parametrize(("path", "body"), [
    ("/_bulk_docs", "{}"), ("/_bulk_docs", '{"docs":{}}'), ("/_bulk_docs", '{"docs":[1]}'), ("/_bulk_get", "{}"),
    ("/_bulk_get", '{"docs":[{}]}'), ("/_revs_diff", "[]"), ("/_revs_diff", '{"a":["x"]}'), ("/_revs_diff", '{"a":1}'),
    ("/_changes?filter=_doc_ids", "{}"), ("/_changes?filter=_selector", "{}"), ("/_all_docs", '{"keys":1}'),
    ("/_purge", '{"a":"b"}'),
])
def test_an_invalid_bulk_request_is_refused(couch, db, path, body):
    answer = couch.send("POST", db + path, raw=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400 and answer.json()["error"], answer.text
    assert couch.ok("GET", db)["update_seq"] == "0"


def test_documents_and_attachments_that_are_too_large_are_refused_and_leave_nothing(couch, db):
    couch.refused(413, "document_too_large", "PUT", db + "/a", {"a": "x" * (8 << 20)})
    couch.refused(413, "too_large", "POST", db + "/_bulk_docs", {"docs": [{}] * 10_001})
    big = bytes((64 << 20) + 1)
    couch.refused(413, "too_large", "PUT", db + "/a/file", raw=big)
    couch.refused(413, "too_large", "PUT", db + "/a/file", raw=iter([big]))
    many = b'{"docs":[' + bytes(64 << 20).replace(b"\0", b" ") + b"]}"
    for body in (many, iter([many])):
        couch.refused(413, "too_large", "POST", db + "/_bulk_docs", raw=body,
                      headers={"Content-Type": "application/json"})
    parts = b'--x\r\n\r\n{"_attachments":{"f":{"follows":true}}}\r\n--x\r\n\r\n' + big + b"\r\n--x--"
    for body in (parts, iter([parts])):
        couch.refused(413, "too_large", "PUT", db + "/a", raw=body,
                      headers={"Content-Type": "multipart/related; boundary=x"})
    couch.refused(415, "bad_content_type", "POST", db, raw="a=1", headers={"Content-Type": "text/plain"})
    assert couch.ok("GET", db)["update_seq"] == "0"


def test_a_file_that_is_cut_off_is_not_there(server, couch, db):
    authorization = couch.session.auth
    key = server.admin().token
    assert authorization
    with socket.create_connection(("127.0.0.1", server.port)) as client:
        head = (f"PUT {db}/a/file HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n"
                "Content-Length: 1000000\r\n\r\n")
        client.sendall(head.encode() + bytes(600_000))
    couch.refused(404, "not_found", "GET", db + "/a")
    assert couch.ok("PUT", db + "/a/file", raw=bytes(1_000_000))["ok"]


def test_thousands_of_conflicts_have_one_winner_and_delay_nobody(server, couch, db):
    count = 3000
    leaves = [{"_id": "a", "n": n, **revisions(f"{n:032x}", high)} for n in range(count)]
    before = server.processor_seconds()
    assert couch.ok("POST", db + "/_bulk_docs", {"docs": leaves, "new_edits": False}) == []
    document = couch.ok("GET", db + "/a", conflicts=True)
    assert document["_rev"] == f"2-{count - 1:032x}" and len(document["_conflicts"]) == count - 1
    row = couch.ok("GET", db + "/_changes", style="all_docs")["results"][0]
    assert len(row["changes"]) == count
    wanted = [{"id": "a", "rev": leaf["_rev"]} for leaf in leaves]
    results = couch.ok("POST", db + "/_bulk_get", {"docs": wanted}, revs=True, latest=True)["results"]
    assert [[found["ok"]["n"] for found in result["docs"]] for result in results] == [[n] for n in range(count)]
    opened = couch.ok("GET", db + "/a", open_revs="all", revs=True)
    assert [found["ok"]["n"] for found in opened] == list(range(count))[::-1]
    asked = {"a": [leaf["_rev"] for leaf in leaves] + ["9-x"]}
    assert couch.ok("POST", db + "/_revs_diff", asked)["a"]["missing"] == ["9-x"]
    deletions = [{"_id": "a", "_rev": leaf["_rev"], "_deleted": True} for leaf in leaves[1:]]
    assert all("ok" in row for row in couch.ok("POST", db + "/_bulk_docs", {"docs": deletions}))
    document = couch.ok("GET", db + "/a", meta=True)
    assert document["n"] == 0 and "_conflicts" not in document and len(document["_deleted_conflicts"]) == count - 1
    # Seconds; minutes, where a leaf costs what all the others are.
    assert server.processor_seconds() - before < 60


def test_each_of_several_revisions_is_answered_without_the_others_metadata(couch, db):
    leaves = [{"_id": "a", **revisions(f"{n:032x}", high)} for n in range(3)]
    couch.ok("POST", db + "/_bulk_docs", {"docs": leaves, "new_edits": False})
    more = {"conflicts": True, "meta": True, "local_seq": True}
    opened = couch.ok("GET", db + "/a", open_revs="all", **more)
    results = couch.ok("POST", db + "/_bulk_get", {"docs": [{"id": "a"}]}, **more)["results"][0]["docs"]
    for found in (opened, results):
        assert len(found) == 3 and all(set(row["ok"]) == {"_id", "_rev"} for row in found)


def test_the_highest_generation_has_no_successor(server, couch, db):
    def peer(start):
        return {"_id": "d", "_revisions": {"start": start, "ids": ["f" * 32]}}
    for start in (2**31 - 1, 2**31, 10**9, 2**63 - 1):
        rows = couch.ok("POST", db + "/_bulk_docs", {"docs": [peer(start)], "new_edits": False})
        assert [(row["id"], row["error"]) for row in rows] == [("d", "forbidden")]
    assert couch.ok("POST", db + "/_bulk_docs", {"docs": [peer(999_999_999)], "new_edits": False}) == []
    found = couch.ok("GET", db + "/d")
    couch.refused(409, "conflict", "PUT", db + "/d", found)
    couch.refused(409, "conflict", "DELETE", db + "/d", rev=found["_rev"])
    assert server.process.poll() is None


def test_acknowledged_edits_survive_a_crash(make_server):
    server = make_server().start()
    couch = as_admin(server)
    couch.ok("PUT", "/crash")
    acknowledged = []

    def write():
        api = as_admin(server)
        try:
            for n in range(10_000):
                rows = api.ok("POST", "/crash/_bulk_docs", {"docs": [{"_id": f"{n:05}-{k}"} for k in range(20)]})
                acknowledged.extend((row["id"], row["rev"]) for row in rows)
        except OSError:
            return

    writer = threading.Thread(target=write)
    writer.start()
    eventually(lambda: len(acknowledged) >= 400)
    server.kill()
    writer.join()
    server.start()
    couch = as_admin(server)
    stored = {row["id"]: row["value"]["rev"] for row in couch.ok("GET", "/crash/_all_docs")["rows"]}
    assert len(acknowledged) >= 400 and all(stored[id] == rev for id, rev in acknowledged)
    assert len(stored) % 20 == 0, "a request is stored whole or not at all"
    changes = couch.ok("GET", "/crash/_changes")["results"]
    assert len(changes) == len(stored) == len({row["seq"] for row in changes})


def test_guesses_are_slowed_down(make_server):
    server = make_server().start()
    guesser = CouchApi(server.address)

    def guess(number):
        return guesser.send("POST", "/_session", {"name": "admin", "password": f"guess {number}"}).status_code

    # At once: one more is allowed every few seconds, which a slow machine would take for each.
    with concurrent.futures.ThreadPoolExecutor(60) as pool:
        statuses = list(pool.map(guess, range(60)))
    assert 429 in statuses and 200 not in statuses
