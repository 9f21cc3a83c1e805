"""Documents of `_replicator`: what they order, and what is written into them of how it ended."""

import json
import re
import urllib.parse

import pytest

from muster_process import admin_password
from replicating_servers import Couch, pair, private
from waiting import eventually

secret = urllib.parse.quote(admin_password)


def ended(couch, id):
    """The document once its replication has ended."""
    return eventually(
        lambda: couch.ok("GET", f"/_replicator/{id}"), lambda document: "_replication_state" in document)


def scheduled(couch, id):
    return couch.ok("GET", f"/_scheduler/docs/_replicator/{id}")


@pytest.mark.parametrize("removed", ["from", "to"])
def test_a_continuous_replication_ends_with_either_of_its_databases(couch, removed):
    source, target = (couch.fresh(side) for side in ("from", "to"))
    couch.ok("PUT", f"{source}/a", {"b": 1})
    id = f"{removed}-removed"
    couch.ok("PUT", f"/_replicator/{id}", {"source": source[1:], "target": target[1:], "continuous": True})
    eventually(lambda: couch.send("GET", f"{target}/a").status_code == 200)
    gone = source if removed == "from" else target
    couch.ok("DELETE", gone)
    if removed == "to":
        couch.ok("PUT", f"{source}/c", {"d": 1})
    document = ended(couch, id)
    assert document["_replication_state"] == "failed"
    assert gone[1:] in document["_replication_state_reason"]


def test_the_end_of_a_replication_is_in_its_document_and_it_is_not_started_again(make_server):
    left_server, _, left, right = pair(make_server)
    right.fill("notes", 30)
    left.ok("PUT", "/notes")
    # There is such a database without anyone's having made it.
    ordered = {"source": right.url("notes"), "target": "notes", "custom": 12345678901234567890}
    made = left.ok("PUT", "/_replicator/once", ordered)
    document = ended(left, "once")
    assert document["_replication_state"] == "completed" and document["_rev"].startswith("2-")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", document["_replication_state_time"])
    assert re.fullmatch(r"[0-9a-f]{32}", document["_replication_id"])
    statistics = document["_replication_stats"]
    assert statistics["docs_written"] == 30 and statistics["doc_write_failures"] == 0
    # Its password is kept sealed, and who ordered it is told.
    source = document["source"]
    assert source["url"] == re.sub("//.*@", "//", ordered["source"])
    assert source["auth"]["basic"]["password"].keys() == {"sealed"} and document["owner"] == "admin"
    assert {name: document[name] for name in ("target", "custom")} == {
        name: ordered[name] for name in ("target", "custom")}
    assert left.ok("GET", f"/_replicator/once?rev={made['rev']}")["source"] == source
    row = scheduled(left, "once")
    assert row["state"] == "completed" and row["info"]["docs_written"] == 30 and row["id"] is None
    # A job ends after it has written so into its document.
    eventually(lambda: left.ok("GET", "/_scheduler/jobs")["jobs"] == [])
    left_server.kill()
    left_server.start()
    right.fill("notes", 10, start=30)
    left.ok("PUT", "/_replicator/another", {"source": right.url("notes"), "target": "copy", "create_target": True})
    ended(left, "another")
    assert left.ok("GET", "/_replicator/once") == document
    assert left.ok("GET", "/notes")["doc_count"] == 30
    # Whoever takes the state out wants it once more.
    again = {name: value for name, value in document.items() if not name.startswith("_replication")}
    left.ok("PUT", "/_replicator/once", again)
    assert ended(left, "once")["_replication_stats"]["docs_written"] == 10
    assert left.ok("GET", "/notes")["doc_count"] == 40
    # A document that comes with a state, from a backup say, has ended.
    left.ok("PUT", "/_replicator/old", {**ordered, "_replication_state": "completed", "target": "never",
                                        "create_target": True})
    left.ok("PUT", "/_replicator/last", {"source": "notes", "target": "copy"})
    ended(left, "last")
    assert left.send("GET", "/never")[0] == 404
    rows = left.ok("GET", "/_scheduler/docs?states=completed&skip=1&limit=2")
    assert rows["total_rows"] == 4 and [row["doc_id"] for row in rows["docs"]] == ["last", "old"]
    assert secret not in json.dumps(left.ok("GET", "/_scheduler/docs"))


def test_an_impossible_replication_is_reported_in_its_document_without_secrets(make_server):
    _, _, left, right = pair(make_server)
    left.fill("notes", 1)
    wrong = right.url("notes").replace(secret, "guessed")
    for id, order, word in [
        ("nothing", {}, "source"), ("list", {"source": [], "target": "notes"}, "source"),
        ("script", {"source": "notes", "target": "copy", "filter": "a/b"}, "JavaScript"),
        ("absent", {"source": "none", "target": "notes"}, "none"), ("file", {"source": "ftp://x/y", "target": "notes"},
                                                                     "source"),
        ("away", {"source": right.url("none"), "target": "notes"}, "none"),
        ("stranger", {"source": wrong, "target": "notes"}, "rejected"),
        ("users", {"source": "_users", "target": "notes"}, "users"),
        ("union", {"source": "notes", "target": "lt_locations_all"}, "read"),
    ]:
        left.ok("PUT", f"/_replicator/{id}", order)
        document = ended(left, id)
        assert document["_replication_state"] == "failed", (id, document)
        assert word in document["_replication_state_reason"], document
        assert "guessed" not in document["_replication_state_reason"] and "_replication_stats" not in document
        row = scheduled(left, id)
        assert row["state"] == "failed" and row["info"]["error"] == document["_replication_state_reason"]
    assert left.ok("GET", "/_scheduler/docs?states=failed&limit=0")["total_rows"] == 9


def test_a_peer_that_is_away_ends_nothing(make_server):
    _, right_server, left, right = pair(make_server)
    right.fill("notes", 5)
    url = right.url("notes")
    right_server.kill()
    left.ok("PUT", "/_replicator/patient", {"source": url, "target": "notes", "create_target": True})
    row = eventually(lambda: (row := scheduled(left, "patient")) and row["state"] == "crashing" and row)
    assert row["error_count"] >= 1 and "reached" in row["info"]["error"] and secret not in json.dumps(row)
    # From time to time it tries again, and is no crashed one then.
    jobs = eventually(
        lambda: left.ok("GET", "/_scheduler/jobs"), lambda jobs: jobs["jobs"][0]["history"][0]["type"] == "crashed")
    assert jobs["total_rows"] == 1
    assert left.ok("GET", "/_scheduler/jobs/" + jobs["jobs"][0]["id"])["doc_id"] == "patient"
    right_server.start()
    assert ended(left, "patient")["_replication_state"] == "completed"
    assert left.ok("GET", "/notes")["doc_count"] == 5


def test_the_database_of_replications_is_the_admins_alone(make_server):
    server = make_server("guarded", arguments=private).start()
    admin = Couch(server)
    mia = Couch(server)
    mia.authorization = f"Bearer {server.admin().make_user('mia').token}"
    phone = Couch(server)
    server.admin().ok("POST", "/users/admin/devices", {"name": "phone"})
    phone.authorization = "Bearer " + server.admin().ok("POST", "/users/admin/devices/phone/token")["token"]
    order = {"source": "lt_locations_all", "target": "lt_locations_user_mia"}
    for couch in (mia, phone):
        assert couch.send("PUT", "/_replicator/steal", order)[0] == 403
        assert couch.send("GET", "/_replicator")[0] == 403
    assert "_replicator" not in admin.ok("GET", "/_all_dbs"), "nobody has turned to it"
    assert admin.ok("GET", "/_replicator")["doc_count"] == 0
    assert admin.send("PUT", "/_replicator")[0] == 412
    # Nobody is named into it.
    admin.ok("PUT", "/_replicator/_security", {"members": {"names": ["mia"]}, "admins": {"names": ["mia"]}})
    for couch in (mia, phone):
        assert couch.send("PUT", "/_replicator/steal", order)[0] == 403
        assert couch.send("GET", "/_replicator/_all_docs")[0] == 403
        for path in ("/_scheduler/docs", "/_scheduler/jobs", "/_scheduler/docs/_replicator/steal", "/_active_tasks"):
            assert couch.send("GET", path)[0] == 401, path
    admin.ok("DELETE", "/_replicator")
    assert admin.send("DELETE", "/_replicator")[0] == 404
    assert admin.ok("GET", "/_scheduler/docs")["docs"] == []


def test_an_unreadable_replication_document_is_reported_once(make_server):
    """However deep and long a document is, that its replication ended is seen."""
    _, _, left, _ = pair(make_server)
    deep = []
    for _ in range(40):
        deep = [deep]
    for id, more in (("deep", deep), ("long", ["x"] * 500_000)):
        left.ok("PUT", f"/_replicator/{id}", {"source": 7, "target": "b", "more": more})
        assert ended(left, id)["_replication_state"] == "failed"
    before = left.ok("GET", "/_replicator")["update_seq"]
    left.ok("PUT", "/_replicator/last", {"source": "none", "target": "none either"})
    ended(left, "last")
    assert [row["id"] for row in left.ok("GET", f"/_replicator/_changes?since={before}")["results"]] == ["last"]
    assert {left.ok("GET", f"/_replicator/{id}")["_rev"][:2] for id in ("deep", "long", "last")} == {"2-"}


def test_without_its_database_no_document_orders_anything(make_server):
    _, _, left, right = pair(make_server)
    right.fill("notes", 3)
    left.ok("PUT", "/_replicator/on", {
        "source": right.url("notes"), "target": "copy", "create_target": True, "continuous": True})
    eventually(lambda: left.ok("GET", "/_scheduler/jobs")["jobs"])
    left.ok("DELETE", "/_replicator")
    eventually(lambda: not left.ok("GET", "/_scheduler/jobs")["jobs"])
