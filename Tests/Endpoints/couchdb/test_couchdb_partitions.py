"""Partitioned databases, beside a real CouchDB where `COUCHDB_URL` names one: every step is asked of both."""

import uuid

import pytest

from couch_api import as_admin, real_couchdb


@pytest.fixture(params=["muster", "couchdb"])
def api(request, server):
    if request.param == "muster":
        return as_admin(server)
    return real_couchdb()


@pytest.fixture
def db(api):
    path = f"/parts-{uuid.uuid4().hex}"
    assert api.send("PUT", path, partitioned="true").status_code in (201, 202)
    yield path
    api.send("DELETE", path)


def filled(api, db):
    """A database of two partitions with three documents each, one of which is deleted again, and a design document."""
    docs = [{"_id": f"{part}:{number}", "age": number, "name": part} for part in ("north", "south")
            for number in range(3)]
    rows = api.ok("POST", db + "/_bulk_docs", {"docs": docs})
    api.ok("DELETE", db + "/north:2", rev=rows[2]["rev"])
    api.ok("PUT", db + "/_design/d", {})
    return db


def test_a_document_names_its_partition(api, db):
    assert api.ok("GET", db)["props"] == {"partitioned": True}
    for id, error in (("plain", "illegal_docid"), (":x", "illegal_partition"), ("a:", "illegal_docid")):
        api.refused(400, error, "PUT", f"{db}/{id}", {})
        api.refused(400, error, "POST", db, {"_id": id})
    api.refused(400, "illegal_docid", "POST", db, {"of": "no partition"})
    api.ok("PUT", db + "/a:b:c", {})
    api.ok("PUT", db + "/_design/d", {})
    api.ok("PUT", db + "/_local/l", {})
    assert api.send("PUT", db + "/a:b:c/file", raw=b"x", rev=api.ok("GET", db + "/a:b:c")["_rev"]).status_code == 201
    api.refused(400, "illegal_docid", "PUT", db + "/plain/file", raw=b"x")
    api.refused(400, "illegal_docid", "COPY", db + "/a:b:c", headers={"Destination": "plain"})
    assert [row["id"] for row in api.ok("GET", db + "/_all_docs")["rows"]] == ["_design/d", "a:b:c"]


def test_a_partition_is_listed_and_counted_by_itself(api, db):
    filled(api, db)
    north = api.ok("GET", db + "/_partition/north")
    assert (north["doc_count"], north["doc_del_count"], north["partition"]) == (2, 1, "north")
    assert api.ok("GET", db + "/_partition/nobody")["doc_count"] == 0
    listed = api.ok("GET", db + "/_partition/south/_all_docs")
    assert [row["id"] for row in listed["rows"]] == ["south:0", "south:1", "south:2"]
    page = api.ok("GET", db + "/_partition/south/_all_docs", limit=1, skip=1, descending="true", include_docs="true")
    assert [row["doc"]["age"] for row in page["rows"]] == [1]
    assert [row["id"] for row in api.ok("GET", db + "/_all_docs", partition="north")["rows"]] == ["north:0", "north:1"]


def test_a_query_of_a_partition_finds_nothing_of_another(api, db):
    filled(api, db)
    query = {"selector": {"age": {"$gte": 1}}}

    def ids(path, **more):
        return sorted(doc["_id"] for doc in api.ok("POST", db + path, {**query, **more})["docs"])

    for with_index in (False, True):
        if with_index:
            api.ok("POST", db + "/_index", {"index": {"fields": ["age"]}, "ddoc": "by-age", "name": "by-age"})
        assert ids("/_partition/south/_find") == ["south:1", "south:2"]
        assert ids("/_partition/south/_find", fields=["_id"]) == ["south:1", "south:2"]
        assert ids("/_partition/nobody/_find") == []
        assert ids("/_find") == ["north:1", "south:1", "south:2"]
        assert ids("/_find", partition="north") == ["north:1"]
    plan = api.ok("POST", db + "/_partition/south/_explain", {**query, "fields": ["_id", "age"]})
    assert (plan["index"]["name"], plan["covering"], plan["partitioned"]) == ("by-age", True, True)
    assert plan["opts"]["partition"] == "south"
    # An index of partitions serves no query of all documents; a global one serves no partition.
    assert api.ok("POST", db + "/_explain", query)["index"]["name"] == "_all_docs"
    api.ok("POST", db + "/_index", {"index": {"fields": ["age"]}, "ddoc": "all", "name": "all", "partitioned": False})
    assert api.ok("POST", db + "/_explain", query)["index"]["name"] == "all"
    assert api.ok("POST", db + "/_partition/south/_explain", query)["index"]["name"] == "by-age"
    assert ids("/_find") == ["north:1", "south:1", "south:2"]
    listed = {index["name"]: index.get("partitioned") for index in api.ok("GET", db + "/_index")["indexes"]}
    assert (listed["by-age"], listed["all"]) == (True, False)


def test_pages_of_a_partition_end_with_it(api, db):
    api.ok("POST", db + "/_bulk_docs", {"docs": [{"_id": f"p:{n:03}", "n": n} for n in range(60)]})
    api.ok("POST", db + "/_bulk_docs", {"docs": [{"_id": f"q:{n:03}", "n": n} for n in range(60)]})
    api.ok("POST", db + "/_index", {"index": {"fields": ["n"]}})
    for direction in ("asc", "desc"):
        found, bookmark = [], None
        while True:
            body = {"selector": {"n": {"$gt": 9}}, "sort": [{"n": direction}], "limit": 7, "bookmark": bookmark}
            page = api.ok("POST", db + "/_partition/p/_find", body)
            if not page["docs"]:
                break
            found += [doc["_id"] for doc in page["docs"]]
            bookmark = page["bookmark"]
        wanted = [f"p:{n:03}" for n in range(10, 60)]
        assert found == (wanted if direction == "asc" else wanted[::-1])


def test_only_a_partitioned_database_has_partitions(api, db):
    plain = f"/plain-{uuid.uuid4().hex}"
    assert api.send("PUT", plain).status_code in (201, 202)
    try:
        assert api.ok("GET", plain)["props"] == {}
        api.refused(400, "bad_request", "GET", plain + "/_partition/p")
        api.refused(400, "bad_request", "GET", plain + "/_partition/p/_all_docs")
        index = {"index": {"fields": ["a"]}, "partitioned": True}
        assert api.send("POST", plain + "/_index", index).status_code in (400, 500)
        api.refused(400, "illegal_partition", "GET", db + "/_partition/_x")
        api.refused(400, "bad_request", "GET", db + "/_partition/a/_all_docs", partition="b")
        api.refused(404, "not_found", "GET", db + "/_partition/a/_nothing")
    finally:
        api.send("DELETE", plain)


def test_a_replication_brings_no_document_without_a_partition(server):
    admin = as_admin(server)
    source = admin.fresh("unpartitioned")
    admin.ok("POST", source + "/_bulk_docs", {"docs": [{"_id": "p:1"}, {"_id": "plain"}]})
    target = f"/parts-{uuid.uuid4().hex}"
    admin.ok("PUT", target, partitioned="true")
    done = admin.ok("POST", "/_replicate", {"source": source[1:], "target": target[1:]})
    assert done["history"][0]["doc_write_failures"] == 1
    assert [row["id"] for row in admin.ok("GET", target + "/_all_docs")["rows"]] == ["p:1"]
