"""The shapes of CouchDB's protocol, as Apache CouchDB 3 answers them, over a socket."""

import pytest

from couch_api import CouchApi, as_admin, as_user, high, low, revisions
from muster_process import admin_password


# MARK: The server

def test_the_server_welcomes_with_a_uuid_that_stays(make_server):
    server = make_server().start()
    nobody = CouchApi(server.address)
    welcome = nobody.ok("GET", "/")
    assert welcome["couchdb"] == "Welcome" and welcome["version"] == "3.4.3"
    assert welcome["features"] == ["scheduler"] and welcome["vendor"]["name"] == "Muster"
    assert welcome["vendor"]["version"]
    assert nobody.ok("GET", "/couchdb") == welcome
    page = nobody.send("GET", "/", headers={"Accept": "text/html"})
    assert page.headers["Content-Type"].startswith("text/html")
    server.kill()
    server.start()
    assert CouchApi(server.address).ok("GET", "/")["uuid"] == welcome["uuid"]


def test_uuids_differ_and_are_bounded(couch):
    uuids = couch.ok("GET", "/_uuids", count=100)["uuids"]
    assert len(set(uuids)) == 100 and all(len(uuid) == 32 for uuid in uuids)
    couch.refused(400, "bad_request", "GET", "/_uuids", count=100_000)
    assert couch.ok("GET", "/_up") == {"status": "ok"}


def test_a_database_is_made_described_listed_and_removed(couch):
    assert couch.send("PUT", "/made%2Fhere").status_code == 201
    couch.refused(412, "file_exists", "PUT", "/made%2Fhere")
    described = couch.ok("GET", "/made%2Fhere")
    assert described["db_name"] == "made/here" and described["doc_count"] == 0 and described["update_seq"] == "0"
    assert couch.send("HEAD", "/made%2Fhere/").status_code == 200
    assert couch.ok("GET", "/couchdb/made%2Fhere") == described
    assert "made/here" in couch.ok("GET", "/_all_dbs")
    assert couch.ok("DELETE", "/made%2Fhere") == {"ok": True}
    couch.refused(404, "not_found", "GET", "/made%2Fhere")
    couch.refused(404, "not_found", "DELETE", "/made%2Fhere")
    assert "made/here" not in couch.ok("GET", "/_all_dbs")


@pytest.mark.parametrize("name", ["Big", "1st", "a b", "a.b", "_hidden", "x" * 300, "caf%C3%A9"])
def test_a_database_has_a_name_that_couchdb_takes(couch, name):
    couch.refused(400, "illegal_database_name", "PUT", f"/{name}")


@pytest.mark.parametrize("name", ["api", "tracking", "owntracks", "data", "health", "couchdb"])
def test_no_database_takes_a_path_of_the_server(couch, name):
    couch.refused(400, "illegal_database_name", "PUT", f"/couchdb/{name}")


def test_unsupported_features_have_couchdbs_errors(couch, db):
    reason = couch.refused(405, "method_not_allowed", "GET", db + "/_bulk_get")
    assert reason == "Only POST allowed"
    couch.refused(405, "method_not_allowed", "PATCH", db)
    couch.refused(501, "not_implemented", "GET", db + "/_design/x/_view/y")
    couch.refused(501, "not_implemented", "POST", db + "/_design/x/_view/y", {})
    couch.refused(404, "not_found", "GET", db + "/_changes", filter="app/mine")
    couch.ok("PUT", db + "/_design/app", {"filters": {"mine": "function (doc) { return true; }"}})
    couch.refused(404, "not_found", "GET", db + "/_changes", filter="app/yours")
    couch.refused(501, "not_implemented", "GET", db + "/_changes", filter="app/mine")


# MARK: Sessions

def test_a_session_is_a_cookie(server):
    browser = CouchApi(server.address)
    assert browser.ok("GET", "/_session")["userCtx"] == {"name": None, "roles": []}
    reason = browser.refused(401, "unauthorized", "POST", "/_session", {"name": "admin", "password": "wrong"})
    assert reason == "Name or password is incorrect."
    answer = browser.send("POST", "/_session", raw={"name": "admin", "password": admin_password})
    assert answer.json() == {"ok": True, "name": "admin", "roles": ["_admin", "admin"]}
    cookie = answer.headers["Set-Cookie"]
    assert "Max-Age=600" in cookie and "HttpOnly" in cookie and "SameSite=Lax" in cookie
    assert browser.ok("GET", "/_session")["userCtx"]["name"] == "admin"
    assert browser.ok("GET", "/_session")["info"]["authenticated"] == "cookie"
    assert browser.send("GET", "/_all_dbs").status_code == 200
    # A page of some other site makes the browser send the cookie too; it counts for nothing there.
    foreign = {"Origin": "https://evil.example"}
    assert browser.send("GET", "/_all_dbs", headers=foreign).status_code == 401
    assert "Max-Age=0" in browser.send("DELETE", "/_session").headers["Set-Cookie"]
    assert browser.send("GET", "/_all_dbs").status_code == 401


def test_a_cookie_survives_a_restart_and_ends_with_the_password(make_server):
    server = make_server().start()
    user, own = as_user(server, "mia")
    browser = CouchApi(server.address)
    browser.ok("POST", "/_session", {"name": "mia", "password": "mia's password"})
    server.kill()
    server.start()
    browser.address = server.address
    assert browser.ok("GET", own)["db_name"] == own[1:]
    server.admin().ok("PUT", "/users/mia/password", {"password": "something else"})
    browser.refused(401, "unauthorized", "GET", own)
    # The browser sends it along for ten minutes more, and it is in nobody's way.
    assert browser.ok("GET", "/_session")["userCtx"]["name"] is None
    assert "Max-Age=0" in browser.send(
        "DELETE", "/_session", headers={"Cookie": "AuthSession=c3RhbGU6NUY0QTpmb28"}).headers["Set-Cookie"]
    browser.ok("POST", "/_session", {"name": "mia", "password": "something else"})
    assert browser.ok("GET", own)["db_name"] == own[1:]


def test_pages_of_configured_origins_may_ask_and_no_others(make_server):
    server = make_server(arguments=["--cors-origin", "https://app.example"]).start()
    couch = as_admin(server)
    couch.ok("PUT", "/shared")
    asking = {"Origin": "https://app.example", "Access-Control-Request-Method": "PUT"}
    preflight = CouchApi(server.address).send("OPTIONS", "/shared/x", headers=asking)
    assert preflight.status_code == 204 and "PUT" in preflight.headers["Access-Control-Allow-Methods"]
    for answer in (preflight, couch.send("GET", "/shared", headers={"Origin": "https://app.example"}),
                   couch.send("GET", "/shared/none", headers={"Origin": "https://app.example"})):
        assert answer.headers["Access-Control-Allow-Origin"] == "https://app.example"
        assert answer.headers["Access-Control-Allow-Credentials"] == "true"
        assert "Origin" in answer.headers["Vary"]
    other = couch.send("GET", "/shared", headers={"Origin": "https://evil.example"})
    assert "Access-Control-Allow-Origin" not in other.headers


# MARK: Documents

def test_a_document_is_created_edited_and_deleted(couch, db):
    made = couch.send("PUT", db + "/a", {"v": 1})
    assert made.status_code == 201
    first = made.json()["rev"]
    assert made.json() == {"ok": True, "id": "a", "rev": "1-7a7e4b29f3af401e69b6f86e4c26b727"}
    couch.refused(409, "conflict", "PUT", db + "/a", {"v": 2})
    second = couch.ok("PUT", db + "/a", {"_rev": first, "v": 2})["rev"]
    assert couch.ok("GET", db + "/a") == {"_id": "a", "_rev": second, "v": 2}
    assert couch.ok("GET", db + "/a", rev=first) == {"_id": "a", "_rev": first, "v": 1}
    couch.refused(409, "conflict", "DELETE", db + "/a", rev=first)
    third = couch.ok("DELETE", db + "/a", rev=second)["rev"]
    assert couch.refused(404, "not_found", "GET", db + "/a") == "deleted"
    assert couch.ok("GET", db + "/a", rev=third) == {"_id": "a", "_rev": third, "_deleted": True}
    assert couch.refused(404, "not_found", "GET", db + "/b") == "missing"
    fourth = couch.ok("PUT", db + "/a", {"v": 4})["rev"]
    assert fourth.startswith("4-")
    described = couch.ok("GET", db)
    assert (described["doc_count"], described["doc_del_count"]) == (1, 0)


def test_the_golden_revisions_of_couchdb(couch, db):
    assert couch.ok("PUT", db + "/e", {})["rev"] == "1-967a00dff5e02add41819138abb3284d"
    assert couch.ok("PUT", db + "/v", raw='{ "v" : 1 }')["rev"] == "1-7a7e4b29f3af401e69b6f86e4c26b727"


def test_a_document_is_kept_as_it_came(couch, db):
    text = '{"z":1.0,"a":1e2,"long":12345678901234567890,"deep":{"y":[1,{"x":null}],"b":"ä\\u0000\\ud83d\\ude00"}}'
    couch.ok("PUT", db + "/kept", raw=text.encode())
    assert couch.send("GET", db + "/kept").content.decode().endswith(text[1:])


def test_the_metadata_of_a_documents_revisions(couch, db):
    first = couch.ok("PUT", db + "/a", {"v": 1})["rev"]
    second = couch.ok("PUT", db + "/a", {"_rev": first, "v": 2})["rev"]
    couch.ok("PUT", db + "/a", {**revisions(high, low), "v": "theirs"}, new_edits=False)
    full = couch.ok("GET", db + "/a", revs=True, meta=True, local_seq=True)
    assert full["_rev"] == "2-" + high
    assert full["_revisions"] == {"start": 2, "ids": [high, low]}
    assert [row["status"] for row in full["_revs_info"]] == ["available", "missing"]
    assert full["_conflicts"] == [second]
    assert full["_local_seq"] == int(couch.ok("GET", db)["update_seq"])
    assert couch.ok("GET", db + "/a", rev=first, latest=True)["_rev"] == second
    open_revs = couch.ok("GET", db + "/a", open_revs=[first, "3-none"], latest=True, revs=True)
    assert open_revs[0]["ok"]["_rev"] == second and open_revs[1] == {"missing": "3-none"}
    leaves = couch.ok("GET", db + "/a", open_revs="all")
    assert {row["ok"]["_rev"] for row in leaves} == {"2-" + high, second}


def test_an_etag_saves_the_answer(couch, db):
    couch.ok("PUT", db + "/a", {"v": 1})
    tag = couch.send("GET", db + "/a").headers["ETag"]
    assert couch.send("GET", db + "/a", headers={"If-None-Match": tag}).status_code == 304
    head = couch.send("HEAD", db + "/a")
    assert head.headers["ETag"] == tag and int(head.headers["Content-Length"]) > 0 and not head.content
    couch.refused(409, "conflict", "PUT", db + "/a", {"v": 2}, headers={"If-Match": "1-00"})
    assert couch.send("PUT", db + "/a", {"v": 2}, headers={"If-Match": tag}).status_code == 201


def test_a_document_is_copied(couch, db):
    couch.ok("PUT", db + "/a", {"v": 1})
    copied = couch.send("COPY", db + "/a", headers={"Destination": "b%2Fc"})
    assert copied.status_code == 201
    assert couch.ok("GET", db + "/b%2Fc")["v"] == 1
    couch.refused(409, "conflict", "COPY", db + "/a", headers={"Destination": "b%2Fc"})
    onto = {"Destination": f"b%2Fc?rev={copied.json()['rev']}"}
    assert couch.ok("COPY", db + "/a", headers=onto)["rev"].startswith("2-")


def test_ids_of_every_kind(couch, db):
    for id, path in [("a/b", "a%2Fb"), ("ä ö", "%C3%A4%20%C3%B6"), ("a+b", "a%2Bb"), ("_design/x", "_design/x")]:
        assert couch.ok("PUT", f"{db}/{path}", {"n": 1})["id"] == id
        assert couch.ok("GET", f"{db}/{path}")["_id"] == id
    assert couch.ok("GET", db + "/_design%2Fx")["_id"] == "_design/x"
    made = couch.ok("POST", db, {"n": 1})
    assert couch.ok("GET", f"{db}/{made['id']}")["n"] == 1
    couch.refused(400, "illegal_docid", "PUT", db + "/_x", {})


def test_a_local_document_is_not_replicated(couch, db):
    path = db + "/_local/abc%3D%3D"
    assert couch.refused(404, "not_found", "GET", path) == "missing"
    assert couch.ok("PUT", path, {"last_seq": 1}) == {"ok": True, "id": "_local/abc==", "rev": "0-1"}
    couch.refused(409, "conflict", "PUT", path, {"last_seq": 2})
    assert couch.ok("PUT", path, {"_rev": "0-1", "last_seq": 2})["rev"] == "0-2"
    assert couch.ok("GET", path) == {"_id": "_local/abc==", "_rev": "0-2", "last_seq": 2}
    assert [row["id"] for row in couch.ok("GET", db + "/_local_docs")["rows"]] == ["_local/abc=="]
    assert couch.ok("GET", db + "/_changes")["results"] == []
    couch.ok("DELETE", path, rev="0-2")
    couch.refused(404, "not_found", "GET", path)


# MARK: Many documents

def test_many_documents_at_once(couch, db):
    rows = couch.send("POST", db + "/_bulk_docs", {"docs": [{"_id": "a", "v": 1}, {"v": 2}, {"_id": "a"}]})
    assert rows.status_code == 201
    first, second, third = rows.json()
    assert first["ok"] and first["id"] == "a" and second["ok"]
    assert (third["id"], third["error"]) == ("a", "conflict")
    theirs = {"docs": [{"_id": "b", **revisions("02", "01")}], "new_edits": False}
    for _ in range(2):
        assert couch.ok("POST", db + "/_bulk_docs", theirs) == []
    assert couch.ok("GET", db + "/b")["_rev"] == "2-02"
    difference = couch.ok("POST", db + "/_revs_diff", {"b": ["2-02", "3-03"], "new": ["1-00"], "a": [first["rev"]]})
    assert difference == {"b": {"missing": ["3-03"], "possible_ancestors": ["2-02"]}, "new": {"missing": ["1-00"]}}
    assert couch.ok("POST", db + "/_missing_revs", {"b": ["2-02", "9-9"]}) == {"missing_revs": {"b": ["9-9"]}}
    wanted = {"docs": [{"id": "b", "rev": "2-02"}, {"id": "none"}, {"id": "b", "rev": "7-77"}, {"id": "a"}]}
    results = couch.ok("POST", db + "/_bulk_get", wanted, revs=True)["results"]
    assert [row["id"] for row in results] == ["b", "none", "b", "a"]
    assert results[0]["docs"][0]["ok"]["_revisions"] == {"start": 2, "ids": ["02", "01"]}
    assert results[1]["docs"][0]["error"]["reason"] == "missing"
    assert results[2]["docs"][0]["error"]["rev"] == "7-77"
    assert results[3]["docs"][0]["ok"]["v"] == 1


def test_documents_in_order(couch, db):
    couch.ok("POST", db + "/_bulk_docs", {"docs": [{"_id": f"d{n:04}", "n": n} for n in range(3000)]})
    couch.ok("DELETE", db + "/d0005", rev=couch.ok("GET", db + "/d0005")["_rev"])

    def ids(**query):
        return [row["id"] for row in couch.ok("GET", db + "/_all_docs", **query)["rows"]]

    everything = couch.ok("GET", db + "/_all_docs", include_docs=True)
    assert everything["total_rows"] == 2999 == len(everything["rows"]) and everything["offset"] == 0
    assert [row["doc"]["n"] for row in everything["rows"]] == [n for n in range(3000) if n != 5]
    assert ids(limit=2) == ["d0000", "d0001"] and ids(limit=2, descending=True) == ["d2999", "d2998"]
    assert ids(skip=1500, limit=1) == ["d1501"]
    assert ids(startkey="\"d0003\"", endkey="\"d0006\"") == ["d0003", "d0004", "d0006"]
    assert ids(start_key="\"d0003\"", end_key="\"d0006\"", inclusive_end=False) == ["d0003", "d0004"]
    assert ids(startkey="\"d0006\"", endkey="\"d0003\"", descending=True) == ["d0006", "d0004", "d0003"]
    assert ids(key="\"d0004\"") == ["d0004"] and ids(limit=0) == [] and ids(startkey=[]) == []
    assert len(ids(startkey=None, endkey={})) == 2999
    rows = couch.ok("POST", db + "/_all_docs", {"keys": ["d0005", "none", "d0001"]}, include_docs=True)["rows"]
    assert rows[0]["value"]["deleted"] and rows[0]["doc"] is None
    assert rows[1] == {"key": "none", "error": "not_found"}
    assert rows[2]["doc"]["n"] == 1
    couch.refused(400, "query_parse_error", "GET", db + "/_all_docs", limit="many")
    couch.ok("PUT", db + "/_design/one", {})
    assert [row["id"] for row in couch.ok("GET", db + "/_design_docs")["rows"]] == ["_design/one"]
