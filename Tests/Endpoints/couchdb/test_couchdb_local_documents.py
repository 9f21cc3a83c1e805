"""`_local` documents among many others, methods that a client cannot send, and stubs that say what is not so."""

import base64


def test_local_documents_are_put_among_others_and_removed_again(couch, db):
    rows = couch.ok("POST", db + "/_bulk_docs", {"docs": [
        {"_id": "a"}, {"_id": "_local/mark", "n": 1}, {"_id": "_local/other", "_rev": "0-7"},
        {"_id": "_local/filed", "_attachments": {"f": {"data": base64.b64encode(b"x").decode()}}}, {"_id": "b"}]})
    assert [row["id"] for row in rows] == ["a", "_local/mark", "_local/other", "_local/filed", "b"]
    assert rows[1] == {"ok": True, "id": "_local/mark", "rev": "0-1"}
    assert rows[2]["error"] == "conflict"
    # As in CouchDB, its files are dropped.
    assert rows[3]["ok"] and couch.ok("GET", db + "/_local/filed") == {"_id": "_local/filed", "_rev": "0-1"}
    couch.refused(400, "bad_request", "GET", db + "/_local/filed/f")
    assert rows[0]["ok"] and rows[4]["ok"]
    assert couch.ok("GET", db + "/_local/mark") == {"_id": "_local/mark", "_rev": "0-1", "n": 1}
    assert [row["id"] for row in couch.ok("GET", db + "/_changes")["results"]] == ["a", "b"]
    again = couch.ok("POST", db + "/_bulk_docs", {"docs": [
        {"_id": "_local/mark", "_rev": "0-1", "n": 2}, {"_id": "_local/mark", "_rev": "0-2", "_deleted": True},
        {"_id": "_local/none", "_deleted": True}]})
    assert [row.get("rev", row.get("error")) for row in again] == ["0-2", "0-0", "not_found"]
    couch.refused(404, "not_found", "GET", db + "/_local/mark")
    # Whoever knows that it is no more makes it anew, by itself and among others.
    assert couch.ok("PUT", db + "/_local/mark", {"_rev": "0-0", "n": 3})["rev"] == "0-1"
    assert couch.ok("DELETE", db + "/_local/mark", rev="0-1")["rev"] == "0-0"
    (row,) = couch.ok("POST", db + "/_bulk_docs", {"docs": [{"_id": "_local/mark", "_rev": "0-0"}]})
    assert row["rev"] == "0-1"
    # Of a peer's revisions only what failed is told.
    told = {"docs": [{"_id": "_local/mark", "_rev": "0-1", "n": 4}], "new_edits": False}
    assert couch.ok("POST", db + "/_bulk_docs", told) == []
    assert couch.ok("GET", db + "/_local/mark")["n"] == 4


def test_a_client_that_only_posts_overrides_the_method_by_a_header(couch, db):
    def post(method, path, body=None, **query):
        headers = {"X-HTTP-Method-Override": method}
        return couch.send("POST", path, body, headers=headers, **query)

    made = post("PUT", db + "/a", {"v": 1})
    assert made.status_code == 201
    assert post("GET", db + "/a").json()["v"] == 1
    copied = couch.send("POST", db + "/a", headers={"X-HTTP-Method-Override": "COPY", "Destination": "b"})
    assert copied.status_code == 201 and couch.ok("GET", db + "/b")["v"] == 1
    assert post("DELETE", "/couchdb" + db + "/a", rev=made.json()["rev"]).status_code == 200
    couch.refused(404, "not_found", "GET", db + "/a")
    # Where POST means something itself, the field comes first; an unknown method says nothing.
    assert "rows" in post("GET", db + "/_all_docs").json()
    assert post("PATCH", db, {"_id": "c"}).status_code == 201 and couch.ok("GET", db + "/c")
    # Beside another method it says nothing, and no other endpoint knows it.
    assert couch.send("GET", db + "/c", headers={"X-HTTP-Method-Override": "DELETE"}).json()["_id"] == "c"
    assert couch.send("POST", "/api/v1/users/admin", headers={"X-HTTP-Method-Override": "DELETE"}).status_code == 405


def test_a_stub_with_a_later_revpos_than_the_attachments_is_refused(couch, db):
    file = {"content_type": "text/plain", "data": base64.b64encode(b"one").decode()}
    rev = couch.ok("PUT", db + "/doc", {"_attachments": {"f": file}})["rev"]
    known = couch.ok("GET", db + "/doc")["_attachments"]["f"]
    for stub in ({"stub": True, "revpos": 2}, {**known, "revpos": 10}):
        couch.refused(412, "missing_stub", "PUT", db + "/doc", {"_rev": rev, "_attachments": {"f": stub}})
    for stub in ({"stub": True}, {"stub": True, "revpos": 1}, known):
        rev = couch.ok("PUT", db + "/doc", {"_rev": rev, "_attachments": {"f": stub}})["rev"]
    assert couch.send("GET", db + "/doc/f").content == b"one"
