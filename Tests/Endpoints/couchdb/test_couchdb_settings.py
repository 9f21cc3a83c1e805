"""Settings of databases, and the users as documents."""

from couch_api import CouchApi, as_user


def test_the_settings_of_a_database(couch, db):
    assert couch.ok("GET", db + "/_revs_limit") == 1000
    couch.ok("PUT", db + "/_revs_limit", 3)
    revision = None
    for n in range(6):
        revision = couch.ok("PUT", db + "/a", {"n": n, **({"_rev": revision} if revision else {})})["rev"]
    assert len(couch.ok("GET", db + "/a", revs=True)["_revisions"]["ids"]) == 3
    assert couch.send("POST", db + "/_compact", {}).status_code == 202
    info = couch.ok("GET", db + "/a", revs_info=True)["_revs_info"]
    assert [row["status"] for row in info] == ["available", "missing", "missing"]
    assert couch.send("POST", db + "/_ensure_full_commit", {}).status_code == 201
    assert couch.send("POST", db + "/_view_cleanup", {}).status_code == 202
    purged = couch.ok("POST", db + "/_purge", {"a": [revision], "none": ["1-00"]})
    assert purged == {"purge_seq": "1", "purged": {"a": [revision], "none": []}}
    assert couch.refused(404, "not_found", "GET", db + "/a") == "missing"
    assert couch.ok("GET", db)["purge_seq"] == "1" and couch.ok("GET", db + "/_purged_infos_limit") > 0


def test_the_security_object_names_who_may_read_and_write(server, couch, db):
    user, _ = as_user(server, "sue")
    user.refused(403, "forbidden", "GET", db)
    couch.ok("PUT", db + "/_security", {"members": {"names": ["sue"], "roles": []}, "admins": {"names": []}})
    assert couch.ok("GET", db + "/_security")["members"]["names"] == ["sue"]
    user.ok("PUT", db + "/a", {"v": 1})
    user.refused(403, "forbidden", "PUT", db + "/_design/x", {})
    assert user.ok("POST", db + "/_bulk_docs", {"docs": [{"_id": "_design/x"}]})[0]["error"] == "forbidden"
    user.refused(403, "forbidden", "PUT", db + "/_security", {})
    user.refused(403, "forbidden", "DELETE", db)
    couch.refused(400, "bad_request", "PUT", db + "/_security", {"members": {"names": "sue"}})


def test_users_in_the_shape_that_clients_expect(server, couch):
    path = "/_users/org.couchdb.user:max"
    made = couch.ok("PUT", path, {
        "_id": "org.couchdb.user:max", "name": "max", "password": "max's password", "type": "user",
        "roles": ["member"]})
    user = CouchApi(server.address, "max", "max's password")
    own = user.ok("GET", path)
    assert own == {
        "_id": "org.couchdb.user:max", "_rev": made["rev"], "name": "max", "type": "user", "roles": ["member"]}
    user.refused(403, "forbidden", "GET", "/_users/org.couchdb.user:admin")
    user.refused(403, "forbidden", "PUT", path, {"_rev": made["rev"], "roles": ["admin"]})
    assert user.ok("GET", "/lt_locations_user_max")["doc_count"] == 0
    couch.refused(409, "conflict", "PUT", path, {"name": "max", "roles": []})
    changed = couch.ok("PUT", path, {"_rev": made["rev"], "name": "max", "roles": ["analyst"]})
    assert "org.couchdb.user:max" in [row["id"] for row in couch.ok("GET", "/_users/_all_docs")["rows"]]
    assert "password" not in couch.send("GET", "/lt_users/_all_docs", include_docs=True).text
    couch.ok("DELETE", path, rev=changed["rev"])
    couch.refused(404, "not_found", "GET", path)
