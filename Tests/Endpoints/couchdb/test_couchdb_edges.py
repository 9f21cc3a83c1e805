"""What a CouchDB answers at the edges of its protocol. Each expectation holds for Muster, and for the real CouchDB that
`COUCHDB_URL` names, with an admin's credentials in it: `http://admin:secret@127.0.0.1:5984`.
"""

import pytest

import either_couchdb

api, db = either_couchdb.api, either_couchdb.db
made_elsewhere = "3-" + "a" * 32


def test_deleting_a_database_with_a_revision_is_refused(api, db):
    api.ok("PUT", f"{db}/a", {})
    api.refused(400, "bad_request", "DELETE", db, rev="1-a")
    assert api.ok("GET", db)["doc_count"] == 1


def test_an_edit_on_a_deletions_revision_is_refused(api, db):
    made = api.ok("PUT", f"{db}/a", {})
    gone = api.ok("DELETE", f"{db}/a", rev=made["rev"])["rev"]
    assert api.refused(404, "not_found", "DELETE", f"{db}/a", rev=gone) == "deleted"
    assert api.refused(404, "not_found", "DELETE", f"{db}/a", rev=made["rev"]) == "deleted"
    assert api.refused(404, "not_found", "DELETE", f"{db}/none", rev=gone) == "missing"
    api.refused(409, "conflict", "PUT", f"{db}/a", {"_rev": gone})
    api.refused(409, "conflict", "PUT", f"{db}/a/file", raw=b"x", rev=gone)
    rows = api.ok("POST", f"{db}/_bulk_docs", {"docs": [{"_id": "a", "_rev": gone, "_deleted": True}]})
    assert rows[0]["error"] == "conflict"
    again = api.ok("PUT", f"{db}/a", {})["rev"]
    assert again.startswith("3-"), "it builds on its deletion"


def test_a_deleted_leaf_beside_a_living_one_may_be_edited(api, db):
    high, low = "1-" + "f" * 32, "1-" + "e" * 32
    docs = [{"_id": "a", "_rev": high}, {"_id": "a", "_rev": low, "_deleted": True}]
    assert api.ok("POST", f"{db}/_bulk_docs", {"docs": docs, "new_edits": False}) == []
    assert api.ok("PUT", f"{db}/a", {"_rev": low, "n": 1})["rev"].startswith("2-")


def test_an_edit_on_an_unknown_revision_is_a_conflict(api, db):
    rows = api.ok("POST", f"{db}/_bulk_docs", {"docs": [{"_id": "a", "_rev": made_elsewhere, "n": 1}]})
    assert rows[0]["error"] == "conflict"
    api.refused(409, "conflict", "PUT", f"{db}/b", {"_rev": made_elsewhere})


def test_a_put_document_is_answered_with_its_location(api, db):
    response = api.send("PUT", f"{db}/a b", {})
    assert response.status_code == 201 and response.headers["Location"] == f"{api.address}{db}/a%20b"
    made = response.json()["rev"]
    assert api.send("PUT", f"{db}/a b", {"_rev": made, "_deleted": True}).status_code == 200


def test_every_answer_names_its_request(api, db):
    """With the ten hexadecimal digits that CouchDB gives a request."""
    answers = [api.send("GET", path) for path in ("/", db, f"{db}/none", f"{db}/_changes")]
    names = [answer.headers["X-Couch-Request-ID"] for answer in answers]
    assert len(set(names)) == 4 and all(len(name) == 10 and int(name, 16) >= 0 for name in names)


def test_an_absent_document_is_missing_or_deleted(api, db):
    gone = api.ok("DELETE", f"{db}/gone", rev=api.ok("PUT", f"{db}/gone", {})["rev"])["rev"]
    for path, reason in (("none", "missing"), ("gone", "deleted"), ("gone/file", "deleted"), ("none/file", "missing"),
                         ("gone?rev=9-" + "a" * 32, "missing"), ("none?open_revs=all", "missing"),
                         ("_design/none", "missing"), ("_local/none", "missing")):
        assert api.refused(404, "not_found", "GET", f"{db}/{path}") == reason, path
    assert api.ok("GET", f"{db}/gone", rev=gone)["_deleted"]


def test_a_new_attachment_is_listed_first(api, db):
    first = api.ok("PUT", f"{db}/a/x", raw=b"1", headers={"Content-Type": "application/x-a"})["rev"]
    second = api.ok("PUT", f"{db}/a/y", raw=b"2", headers={"Content-Type": "application/x-a"}, rev=first)["rev"]
    assert second == "2-5fd0fca248890091ba1d36b74f29819b"
    assert list(api.ok("GET", f"{db}/a")["_attachments"]) == ["y", "x"]


def test_an_attachment_with_an_unknown_encoding_is_refused(api, db):
    api.refused(
        415, "bad_content_type", "PUT", f"{db}/a/x", raw=b"1", headers={"Content-Encoding": "deflate"})


def test_part_of_a_file_has_no_digest_of_the_whole(api, db):
    api.ok("PUT", f"{db}/a/x", raw=b"0123456789", headers={"Content-Type": "application/x-a"})
    part = api.send("GET", f"{db}/a/x", headers={"Range": "bytes=2-4"})
    assert (part.status_code, part.content) == (206, b"234")
    assert "Content-MD5" not in part.headers


def test_a_listing_refuses_a_value_of_another_type(api, db):
    api.ok("PUT", f"{db}/a", {})
    api.ok("PUT", f"{db}/b", {})
    for body in ({"limit": "1"}, {"include_docs": "x"}):
        api.refused(400, "query_parse_error", "POST", f"{db}/_all_docs", body)
    api.refused(400, "bad_request", "POST", f"{db}/_all_docs", [])
    rows = api.ok("POST", f"{db}/_all_docs", {"limit": 2}, limit=1)["rows"]
    assert len(rows) == 1, "the query counts"


def test_design_documents_are_listed_alone(api, db):
    api.ok("PUT", f"{db}/secret", {})
    api.ok("PUT", f"{db}/_design/d", {})
    rows = api.ok("POST", f"{db}/_design_docs", {"keys": ["secret", "_design/d", "_design/none"]})["rows"]
    assert [row.get("error", row["key"]) for row in rows] == ["_design/d", "not_found"]
    gone = api.ok("PUT", f"{db}/_design/gone", {})["rev"]
    assert api.ok("GET", f"{db}/_design_docs", limit=1)["total_rows"] == 2
    api.ok("DELETE", f"{db}/_design/gone", rev=gone)
    assert api.ok("GET", f"{db}/_design_docs")["total_rows"] == 1


def test_a_revision_whose_latest_is_a_deletion_is_answered_as_deleted(api, db):
    made = api.ok("PUT", f"{db}/a", {})["rev"]
    gone = api.ok("DELETE", f"{db}/a", rev=made)["rev"]
    assert api.refused(404, "not_found", "GET", f"{db}/a", rev=made, latest=True) == "deleted"
    assert api.ok("GET", f"{db}/a", rev=gone)["_deleted"]


def test_a_feed_with_limit_0_has_no_rows(api, db):
    api.ok("PUT", f"{db}/a", {})
    answer = api.ok("GET", f"{db}/_changes", limit=0)
    assert (answer["results"], answer["pending"]) == ([], 1)


def test_all_or_nothing_is_refused(api, db):
    response = api.send("POST", f"{db}/_bulk_docs", {"docs": [{"_id": "a"}], "all_or_nothing": True})
    assert response.status_code == 417
    assert api.ok("GET", db)["doc_count"] == 0


def test_a_revision_is_the_same_in_upper_case(api, db):
    api.ok("POST", f"{db}/_bulk_docs", {"docs": [{"_id": "a", "_rev": "1-" + "AB" * 16}], "new_edits": False})
    assert api.ok("GET", f"{db}/a")["_rev"] == "1-" + "ab" * 16
    assert api.ok("PUT", f"{db}/a", {"_rev": "1-" + "AB" * 16})["rev"].startswith("2-")


@pytest.mark.parametrize("selector,told", [
    ({"type": "public"}, ["1-" + "0" * 31 + "1"]), ({"type": "private"}, ["1-" + "f" * 32])])
def test_a_feed_by_selector_lists_the_leaves_that_match(api, db, selector, told):
    docs = [{"_id": "a", "_rev": "1-" + "f" * 32, "type": "private"},
            {"_id": "a", "_rev": "1-" + "0" * 31 + "1", "type": "public"}]
    api.ok("POST", f"{db}/_bulk_docs", {"docs": docs, "new_edits": False})
    rows = api.ok("POST", f"{db}/_changes", {"selector": selector}, filter="_selector", style="all_docs")["results"]
    assert [change["rev"] for row in rows for change in row["changes"]] == told


def test_a_checkpoint_is_written_again_as_a_couchdb_writes_it(api, db):
    first = api.ok("PUT", f"{db}/_local/log", {"session_id": "a"})
    assert first["rev"] == "0-1"
    second = api.ok(
        "PUT", f"{db}/_local/log", {"session_id": "b", "_rev": "0-1", "_revisions": {"start": 0, "ids": ["1"]}})
    assert second["rev"] == "0-2"
    assert api.ok("GET", f"{db}/_local/log")["session_id"] == "b"


@pytest.mark.parametrize("order", [
    {"doc_ids": "x"}, {"doc_ids": ["a"], "selector": {}}, {"continuous": "x"}, {"create_target": 1}])
def test_a_replication_with_a_member_of_another_type_is_refused(api, db, order):
    parts = {"source": api.address + db, "target": api.address + db + "-2", **order}
    api.refused(400, "bad_request", "POST", "/_replicate", parts)
