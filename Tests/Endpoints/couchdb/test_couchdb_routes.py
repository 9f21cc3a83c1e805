"""Every route of CouchDB 3.3's API reference: answered as CouchDB answers it, or 501 in CouchDB's words."""

import pytest

from couch_api import as_user

route = """
GET / 200
GET /_active_tasks 200
GET /_all_dbs 200
GET /_dbs_info 200
POST /_dbs_info 200 {"keys":["{name}"]}
GET /_cluster_setup 200
POST /_cluster_setup 400 {"action":"finish_cluster"}
GET /_db_updates 200
GET /_membership 200
POST /_replicate 200 {"source":"{name}","target":"copy","create_target":true}
GET /_scheduler/jobs 200
GET /_scheduler/docs 200
GET /_scheduler/docs/_replicator 200
GET /_scheduler/docs/_replicator/none 404
GET /_node/_local 200
GET /_node/_local/_stats 501
GET /_node/_local/_stats/couchdb/request_time 501
GET /_node/_local/_prometheus 501
GET /_node/_local/_system 501
POST /_node/_local/_restart 501
GET /_node/_local/_versions 501
GET /_node/_local/_config 501
GET /_node/_local/_config/log 501
GET /_node/_local/_config/log/level 501
PUT /_node/_local/_config/log/level 501 "debug"
DELETE /_node/_local/_config/log/level 501
POST /_node/_local/_config/_reload 501
POST /_search_analyze 501 {"analyzer":"english","text":"running"}
GET /_utils 501
GET /_utils/ 501
GET /_utils/index.html 501
GET /_up 200
GET /_uuids 200
GET /_reshard 501
GET /_reshard/state 501
PUT /_reshard/state 501 {"state":"stopped"}
GET /_reshard/jobs 501
POST /_reshard/jobs 501 {"type":"split"}
GET /_reshard/jobs/1 501
DELETE /_reshard/jobs/1 501
GET /_reshard/jobs/1/state 501
PUT /_reshard/jobs/1/state 501 {"state":"stopped"}
GET /_session 200
POST /_session 401 {"name":"none","password":"none"}
DELETE /_session 200
HEAD {db} 200
GET {db} 200
PUT {db} 412
PUT /parted?partitioned=true 201
POST {db} 201 {"v":1}
GET {db}/_all_docs 200
POST {db}/_all_docs 200 {"keys":["a"]}
POST {db}/_all_docs/queries 200 {"queries":[{"keys":["a"]}]}
GET {db}/_design_docs 200
POST {db}/_design_docs 200 {"keys":["_design/d"]}
POST {db}/_design_docs/queries 200 {"queries":[{}]}
POST {db}/_bulk_get 200 {"docs":[{"id":"a"}]}
GET {db}/_bulk_get 405
POST {db}/_bulk_docs 201 {"docs":[{"_id":"b"}]}
POST {db}/_find 200 {"selector":{"v":1}}
POST {db}/_index 200 {"index":{"fields":["v"]},"ddoc":"i","name":"v"}
GET {db}/_index 200
POST {db}/_explain 200 {"selector":{"v":1}}
DELETE {db}/_index/i/json/v 200
POST {db}/_index/_bulk_delete 200 {"docids":["_design/none"]}
GET {db}/_shards 200
GET {db}/_shards/a 200
POST {db}/_sync_shards 202
GET {db}/_changes 200
POST {db}/_changes 200 {}
POST {db}/_compact 202 {}
POST {db}/_compact/d 202 {}
POST {db}/_ensure_full_commit 201
POST {db}/_view_cleanup 202 {}
POST {db}/_search_cleanup 501
POST {db}/_nouveau_cleanup 501
GET {db}/_security 200
PUT {db}/_security 200 {}
POST {db}/_purge 201 {"none":["1-00"]}
GET {db}/_purged_infos_limit 200
PUT {db}/_purged_infos_limit 200 1500
GET {db}/_purged_infos 501
GET {db}/_auto_purge 501
PUT {db}/_auto_purge 501 {}
POST {db}/_missing_revs 200 {"a":["1-00"]}
POST {db}/_revs_diff 200 {"a":["1-00"]}
GET {db}/_revs_limit 200
PUT {db}/_revs_limit 200 1000
HEAD {db}/a 200
GET {db}/a 200
PUT {db}/c 201 {}
COPY {db}/a 201
DELETE {db}/a?rev={rev} 200
HEAD {db}/d/file.txt 200
GET {db}/d/file.txt 200
PUT {db}/e/file.txt 201 {}
DELETE {db}/d/none.txt?rev={rev} 409
HEAD {db}/_design/d 200
GET {db}/_design/d 200
PUT {db}/_design/e 201 {}
COPY {db}/_design/d 201
DELETE {db}/_design/none?rev=1-00 404
GET {db}/_design/d/file.txt 200
PUT {db}/_design/f/file.txt 201 {}
GET {db}/_design/d/_info 501
GET {db}/_design/d/_view/v 501
POST {db}/_design/d/_view/v 501 {}
POST {db}/_design/d/_view/v/queries 501 {"queries":[{}]}
GET {db}/_design/d/_search/s?q=a 501
POST {db}/_design/d/_search/s 501 {"q":"a"}
GET {db}/_design/d/_search_info/s 501
GET {db}/_design/d/_search_disk_size/s 501
GET {db}/_design/d/_nouveau/s 501
GET {db}/_design/d/_nouveau_info/s 501
GET {db}/_design/d/_show/s 501
POST {db}/_design/d/_show/s/a 501 {}
GET {db}/_design/d/_list/l/v 501
POST {db}/_design/d/_list/l/other/v 501 {}
POST {db}/_design/d/_update/u 501 {}
PUT {db}/_design/d/_update/u/a 501 {}
GET {db}/_design/d/_rewrite/a/b 501
PUT {db}/_design/d/_rewrite/a/b 501 {}
DELETE {db}/_design/d/_rewrite/a/b 501
GET {db}/_partition/p 400
GET {db}/_partition/p/_all_docs 400
POST {db}/_partition/p/_all_docs 400 {}
POST {db}/_partition/p/_find 400 {"selector":{}}
POST {db}/_partition/p/_explain 400 {"selector":{}}
GET {db}/_partition/p/_design/d/_view/v 501
GET {db}/_local_docs 200
POST {db}/_local_docs 200 {"keys":["_local/l"]}
POST {db}/_local_docs/queries 200 {"queries":[{}]}
GET {db}/_local/l 200
PUT {db}/_local/m 201 {}
COPY {db}/_local/l 201
DELETE {db}/_local/l?rev=0-1 200
DELETE {db} 200
""".strip().splitlines()


@pytest.fixture
def filled(couch, db):
    """A database with a document of each kind; its revision of `a`."""
    revision = couch.ok("PUT", db + "/a", {"v": 1})["rev"]
    for id in ("d", "_design/d"):
        couch.ok("PUT", f"{db}/{id}/file.txt", raw=b"text")
    couch.ok("PUT", db + "/_local/l", {})
    couch.ok("POST", db + "/_index", {"index": {"fields": ["v"]}, "ddoc": "i", "name": "v"})
    yield db, revision
    for left in (db, "/copy", "/parted"):
        couch.send("DELETE", left)


@pytest.mark.parametrize("line", route)
def test_every_documented_route_has_its_documented_status(couch, filled, line):
    db, revision = filled
    method, path, status, *body = line.split(" ", 3)
    path = path.replace("{db}", db).replace("{rev}", revision)
    answer = couch.send(
        method, path, raw=body[0].replace("{name}", db[1:]) if body else None,
        headers={"Content-Type": "application/json", "Destination": "target"})
    assert answer.status_code == int(status), f"{answer.status_code} {answer.text}"
    if answer.status_code >= 400 and method != "HEAD":
        fault = answer.json()
        assert fault["error"] and fault["reason"]
        assert (fault["error"] == "not_implemented") == (int(status) == 501), fault


def test_databases_are_described_together_without_unreadable_ones(server, couch, filled):
    db, _ = filled
    name = db[1:]
    rows = couch.ok("POST", "/_dbs_info", {"keys": [name, "none"]})
    assert rows[0]["key"] == name and rows[0]["info"] == couch.ok("GET", db)
    assert rows[1] == {"key": "none", "error": "not_found"}
    assert {row["key"] for row in couch.ok("GET", "/_dbs_info")} == set(couch.ok("GET", "/_all_dbs"))
    assert [row["key"] for row in couch.ok("GET", "/_dbs_info", startkey=f'"{name}"', limit=1)] == [name]
    assert couch.ok("GET", "/_all_dbs", startkey=f'"{name}"', endkey=f'"{name}"') == [name]
    couch.refused(400, "bad_request", "POST", "/_dbs_info", {"keys": ["a"] * 101})
    couch.refused(400, "bad_request", "POST", "/_dbs_info", {})
    mia, own = as_user(server, "mia")
    assert [row["key"] for row in mia.ok("GET", "/_dbs_info")] == mia.ok("GET", "/_all_dbs")
    rows = mia.ok("POST", "/_dbs_info", {"keys": [name, "none", own[1:]]})
    assert [row.get("error") for row in rows] == ["not_found", "not_found", None]


def test_several_queries_in_one_request_answer_as_each_alone(couch, db):
    couch.ok("POST", db + "/_bulk_docs", {"docs": [{"_id": f"{n:04}"} for n in range(300)] + [{"_id": "_design/d"}]})
    queries = [{"keys": ["0001", "none"]}, {"startkey": "0100", "limit": 150, "include_docs": True}, {},
               {"descending": True, "skip": 2, "limit": 3}]
    alone = [couch.ok("POST", db + "/_all_docs", query) for query in queries]
    assert couch.ok("POST", db + "/_all_docs/queries", {"queries": queries})["results"] == alone
    assert couch.ok("POST", db + "/_all_docs/queries", {"queries": []}) == {"results": []}
    designs = couch.ok("POST", db + "/_design_docs/queries", {"queries": [{}]})["results"][0]["rows"]
    assert [row["id"] for row in designs] == ["_design/d"]
    couch.refused(400, "bad_request", "POST", db + "/_all_docs/queries", {"queries": [{}] * 101})
    couch.refused(400, "bad_request", "POST", db + "/_all_docs/queries", {})


def test_indexes_are_removed_together(couch, db):
    for ddoc, name in (("one", "a"), ("one", "b"), ("two", "c"), ("three", "d")):
        couch.ok("POST", db + "/_index", {"index": {"fields": [name]}, "ddoc": ddoc, "name": name})
    done = couch.ok("POST", db + "/_index/_bulk_delete", {"docids": ["_design/one", "_design/two", "_design/none"]})
    assert done == {"success": [{"id": "_design/one", "ok": True}, {"id": "_design/two", "ok": True}],
                    "fail": [{"id": "_design/none", "error": "not_found"}]}
    assert [row["name"] for row in couch.ok("GET", db + "/_index")["indexes"]] == ["_all_docs", "d"]
    couch.refused(400, "invalid_bulk_docs", "POST", db + "/_index/_bulk_delete", {"docids": "x"})
