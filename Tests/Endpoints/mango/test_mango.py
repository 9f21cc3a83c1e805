"""Mango over HTTP: indexes, plans, pages and what is refused, in CouchDB's words."""

import pytest
import requests

from couch_api import as_admin, as_user
from muster_process import MusterProcess, admin_password
from native_api import fix, now

timeout_seconds = 60


@pytest.fixture(scope="module")
def films(tmp_path_factory):
    with MusterProcess(tmp_path_factory.mktemp("mango")) as server:
        films = Films(server.address)
        assert films.send("PUT", "").status_code == 201
        documents = [
            {"_id": f"f{number:03}", "year": 1950 + number % 60, "rating": number % 11 / 2, "tags": ["a", f"t{number}"],
             "director": {"name": f"d{number % 7}"}} for number in range(300)]
        documents.append({"_id": "plain", "title": "no year"})
        assert films.send("POST", "/_bulk_docs", {"docs": documents}).status_code == 201
        films.documents = documents
        yield films


class Films:
    """One database."""

    def __init__(self, address):
        self.address = address
        self.session = requests.Session()
        self.session.trust_env = False
        self.session.auth = ("admin", admin_password)

    def send(self, method, path, body=None):
        return self.session.request(method, self.address + "/films" + path, json=body, timeout=timeout_seconds)

    def find(self, selector, **more):
        answer = self.send("POST", "/_find", {"selector": selector, **more})
        assert answer.status_code == 200, answer.text
        return answer.json()

    def refused(self, path, body):
        answer = self.send("POST", path, body)
        assert answer.status_code >= 400, answer.text
        return answer.status_code, answer.json()["error"]


@pytest.fixture(scope="module")
def by_year(films):
    body = {"index": {"fields": ["year", "rating"]}, "ddoc": "years", "name": "by-year"}
    made = films.send("POST", "/_index", body)
    assert made.json() == {"result": "created", "id": "_design/years", "name": "by-year"}
    assert films.send("POST", "/_index", body).json()["result"] == "exists"
    return films


def ids(answer):
    return [document["_id"] for document in answer["docs"]]


def test_a_query_without_an_index_is_answered_and_warned_of(films):
    answer = films.find({"director.name": "d3"}, limit=1000)
    assert ids(answer) == [d["_id"] for d in films.documents if d.get("director", {}).get("name") == "d3"]
    assert "No matching index" in answer["warning"]
    assert "warning" not in films.find({"_id": {"$gt": None}})


def test_pages_go_on_at_the_bookmark_while_documents_come(by_year):
    found, bookmark = [], None
    while True:
        page = by_year.find({"year": {"$gte": 1990, "$lt": 2000}}, limit=7, bookmark=bookmark, sort=["year", "rating"])
        if not page["docs"]:
            break
        found += page["docs"]
        bookmark = page["bookmark"]
        # What comes before the bookmark is not seen any more, and shifts nothing.
        by_year.send("PUT", f"/early{len(found)}", {"year": 1950, "rating": 0})
    expected = sorted(
        ((d["year"], d["rating"], d["_id"]) for d in by_year.documents if 1990 <= d.get("year", 0) < 2000))
    assert [(d["year"], d["rating"], d["_id"]) for d in found] == expected
    backwards = by_year.find({"year": 1990}, sort=[{"year": "desc"}, {"rating": "desc"}], limit=100)
    assert ids(backwards) == [row[2] for row in reversed(expected) if row[0] == 1990]


def test_an_index_narrows_what_is_looked_at(by_year):
    answer = by_year.find({"year": 1999, "rating": {"$gt": 2}}, execution_stats=True, limit=100)
    assert "warning" not in answer
    statistics = answer["execution_stats"]
    assert statistics["total_docs_examined"] <= 5 and statistics["results_returned"] == len(answer["docs"]) > 0
    plan = by_year.send("POST", "/_explain", {"selector": {"year": 1999, "rating": {"$gt": 2}}}).json()
    assert plan["index"]["name"] == "by-year"
    assert plan["index"]["def"] == {"fields": [{"year": "asc"}, {"rating": "asc"}]}
    plan = by_year.send("POST", "/_explain", {"selector": {"title": "x"}}).json()
    assert plan["index"] == {
        "ddoc": None, "name": "_all_docs", "type": "special",
        "def": {"fields": [{"_id": "asc"}]}}


def test_only_the_fields_that_are_asked_for_come(films):
    answer = films.find({"_id": "f007"}, fields=["_id", "director.name", "none"])
    assert answer["docs"] == [{"_id": "f007", "director": {"name": "d0"}}]


def test_a_partial_index_is_used_where_it_is_named(films):
    body = {"index": {"fields": ["rating"], "partial_filter_selector": {"year": {"$gt": 2000}}}, "ddoc": "late"}
    assert films.send("POST", "/_index", body).status_code == 200
    named = films.find({"rating": {"$gte": 0}}, use_index="late", limit=1000)
    assert sorted(ids(named)) == [d["_id"] for d in films.documents if d.get("year", 0) > 2000]
    assert len(ids(films.find({"rating": {"$gte": 0}}, limit=1000))) >= 300
    assert "was not used" in films.find({"title": "no year"}, use_index="late")["warning"]


def test_an_index_is_listed_and_removed(films):
    films.send("POST", "/_index", {"index": {"fields": ["title"]}, "ddoc": "gone", "name": "soon"})
    listed = films.send("GET", "/_index").json()
    assert listed["total_rows"] == len(listed["indexes"])
    assert listed["indexes"][0]["name"] == "_all_docs"
    assert "soon" in [index["name"] for index in listed["indexes"]]
    assert films.send("DELETE", "/_index/gone/json/soon").json() == {"ok": True}
    assert films.send("DELETE", "/_index/_design/gone/json/soon").status_code == 404


@pytest.mark.parametrize("path, body, expected", [
    ("/_find", {}, (400, "missing_required_key")),
    ("/_find", {"selector": {"a": {"$what": 1}}}, (400, "invalid_operator")),
    ("/_find", {"selector": {"a": {"$in": 1}}}, (400, "bad_arg")),
    ("/_find", {"selector": {}, "sort": ["title"]}, (400, "no_usable_index")),
    ("/_find", {"selector": {}, "sort": [{"a": "asc"}, {"b": "desc"}]}, (400, "unsupported_mixed_sort")),
    ("/_find", {"selector": 3}, (400, "invalid_selector_json")),
    ("/_find", {"selector": {}, "limit": -1}, (400, "invalid_non_neg_integer")),
    ("/_find", {"selector": {}, "skip": "x"}, (400, "invalid_non_neg_integer")),
    ("/_find", {"selector": {}, "fields": 3}, (400, "invalid_fields")),
    ("/_find", {"selector": {}, "fields": [3]}, (400, "invalid_field")),
    ("/_find", {"selector": {}, "sort": 3}, (400, "invalid_sort_json")),
    ("/_find", {"selector": {}, "use_index": 3}, (400, "invalid_index_name")),
    ("/_find", {"selector": {}, "use_index": "a/b/c"}, (400, "invalid_index_name")),
    ("/_find", {"selector": {}, "conflicts": "x"}, (400, "invalid_boolean")),
    ("/_find", {"selector": {}, "execution_stats": 1}, (400, "invalid_boolean")),
    ("/_find", {"selector": {}, "bookmark": 5}, (400, "invalid_bookmark")),
    ("/_find", {"selector": {}, "bookmark": "nonsense"}, (400, "invalid_bookmark")),
    ("/_find", {"selector": {"a": {"$regex": "("}}}, (400, "bad_arg")),
    ("/_find", {"selector": {"a": {"$regex": 1}}}, (400, "invalid_operator")),
    ("/_find", {"selector": {"a": {"$near": 1}}}, (400, "not_supported")),
    ("/_find", {"selector": {"$eq": 1}}, (400, "invalid_selector")),
    ("/_find", {"selector": {}, "foo": 1}, (400, "invalid_key")),
    ("/_find", {"selector": {}, "selectors": {}}, (400, "invalid_key")),
    ("/_explain", {"selector": {}, "foo": 1}, (400, "invalid_key")),
    ("/_find", {"selector": {}, "r": 0}, (400, "invalid_pos_integer")),
    ("/_find", {"selector": {}, "update": 1}, (400, "invalid_boolean")),
    ("/_find", {"selector": {}, "stable": 1}, (400, "invalid_boolean")),
    ("/_find", {"selector": {}, "stale": "x"}, (400, "invalid_ok_or_false_value")),
    ("/_find", {"selector": {}, "partition": "x"}, (400, "bad_request")),
    ("/_find", {"selector": {"title": "x"}, "allow_fallback": False}, (400, "invalid_index")),
    ("/_find", {"selector": {}, "allow_fallback": False, "use_index": "none"}, (400, "invalid_index")),
    ("/_find", {"selector": {}, "sort": [""]}, (400, "invalid_sort_field")),
    ("/_index", {"index": {}}, (400, "missing_required_key")),
    ("/_index", {"index": 1}, (400, "invalid_index")),
    ("/_index", {"index": {"fields": 1}}, (400, "invalid_sort_json")),
    ("/_index", {"index": {"fields": ["a"]}, "foo": 1}, (400, "invalid_key")),
    ("/_index", {"index": {"fields": ["a"], "selector": {"b": 1}}}, (400, "invalid_key")),
    ("/_index", {"index": {"fields": ["a"]}, "partial_filter_selector": {"b": 1}}, (400, "invalid_key")),
    ("/_index", {"index": {"fields": ["a"], "partial_filter_selector": 1}}, (400, "invalid_selector_json")),
    # The writer would have to look for the pattern in every document that anybody writes.
    ("/_index", {"index": {"fields": ["a"], "partial_filter_selector": {
        "$or": [{"a": 1}, {"b": {"$not": {"$regex": "(a|aa)+b"}}}]}}}, (400, "invalid_selector")),
    ("/_index", {"index": {"fields": ["a"]}, "name": 1}, (400, "invalid_string")),
    ("/_index", {"index": {"fields": ["a"]}, "ddoc": ""}, (400, "invalid_empty_string")),
    ("/_index", {"index": {"fields": ["a"]}, "partitioned": True}, (400, "bad_request")),
    ("/_index", {"index": {"fields": ["a"]}, "w": 0}, (400, "invalid_pos_integer")),
    ("/_index", {"index": {"fields": ["a"]}, "type": "foo"}, (400, "invalid_index")),
    ("/_index", {"index": {"fields": []}}, (400, "invalid_index_fields")),
    ("/_index", {"index": {"fields": ["a"]}, "type": "text"}, (503, "required index service unavailable")),
])
def test_bad_queries_have_couchdbs_errors(films, path, body, expected):
    assert films.refused(path, body) == expected


def test_parameters_without_effect_are_accepted(films):
    assert len(films.find({}, r=2, update=False, stable=True, stale="ok", partition="", limit=3)["docs"]) == 3


def test_without_fallback_only_the_named_index_may_be_used(by_year):
    asked = {"selector": {"year": 1999, "rating": {"$gt": 2}}, "allow_fallback": False}
    assert len(by_year.send("POST", "/_find", asked).json()["docs"]) > 0
    assert len(by_year.send("POST", "/_find", {**asked, "use_index": "years"}).json()["docs"]) > 0
    assert by_year.refused("/_find", {**asked, "use_index": ["years", "none"]}) == (400, "invalid_index")


def test_indexes_are_listed_page_by_page(films):
    for name in ("la", "lb", "lc"):
        films.send("POST", "/_index", {"index": {"fields": [name]}, "ddoc": name, "name": name})
    whole = films.send("GET", "/_index").json()
    listed, total = [], whole["total_rows"]
    while len(listed) < 100:
        page = films.send("GET", f"/_index?limit=2&skip={len(listed)}").json()
        assert page["total_rows"] == total and len(page["indexes"]) <= 2
        if not page["indexes"]:
            break
        listed += page["indexes"]
    assert listed == whole["indexes"] and len(listed) == total >= 4
    for query in ("limit=0", "limit=x", "skip=-1"):
        answer = films.send("GET", f"/_index?{query}")
        assert (answer.status_code, answer.json()["error"]) == (400, "invalid_list_index_params")


def test_the_plan_of_a_query_that_no_index_can_sort_has_no_index(films):
    plan = films.send("POST", "/_explain", {"selector": {"title": "x"}, "sort": ["never"]})
    assert plan.status_code == 200 and plan.json()["index"] is None and plan.json()["fields"] == []


def test_an_index_that_an_empty_selector_narrows_has_everything(films):
    body = {"index": {"fields": ["director.name"], "partial_filter_selector": {}}, "ddoc": "all", "name": "all"}
    assert films.send("POST", "/_index", body).json()["result"] == "created"
    plan = films.send("POST", "/_explain", {"selector": {"director.name": "d3"}}).json()
    assert plan["index"]["name"] == "all" and "partial_filter_selector" not in plan["index"]["def"]
    assert films.send("DELETE", "/_index/all/json/all").json() == {"ok": True}


def test_a_document_that_was_found_can_be_sent_back(films):
    """Its files stay, and its numbers are those that were written."""
    made = films.session.put(
        films.address + "/films/kept", headers={"Content-Type": "application/json"},
        data='{"big":100000000000000000001,"point":2.0,"_attachments":{"a":{"data":"AAEC","content_type":"x/y"}}}')
    assert made.status_code == 201
    text = films.send("POST", "/_find", {"selector": {"_id": "kept"}}).text
    assert '"big":100000000000000000001' in text and '"point":2.0' in text
    assert ids(films.find({"_attachments.a.length": 3})) == ["kept"]
    found = films.find({"_id": "kept"})["docs"][0]
    assert found["_attachments"]["a"]["stub"] is True
    found["point"] = 3
    assert films.send("PUT", "/kept", found).status_code == 201
    assert films.session.get(films.address + "/films/kept/a").content == b"\0\1\2"
    assert films.session.delete(films.address + "/films/kept", params={
        "rev": films.send("GET", "/kept").json()["_rev"]}).status_code == 200


def test_a_selector_filter_of_changes_is_checked_as_in_couchdb_and_projects_its_fields(films):
    path = "/_changes?filter=_selector&include_docs=true"
    for body in ({"selector": {"a": {"$what": 1}}}, {"selector": 3}, {}, {"selector": {"$eq": 1}},
                 {"selector": {}, "fields": 3}, {"selector": {}, "fields": [3]}, {"selector": {}, "fields": ["a..b"]}):
        assert films.refused(path, body) == (400, "bad_request")
    asked = {"selector": {"_id": "f007"}, "fields": ["_id", "director.name", "none"]}
    rows = films.send("POST", path, asked).json()["results"]
    assert [row["doc"] for row in rows] == [{"_id": "f007", "director": {"name": "d0"}}]
    rows = films.send("POST", path, {"selector": {"_id": "f007"}, "fields": []}).json()["results"]
    assert rows[0]["doc"]["year"] == 1957
    # A query finds nothing by what combines nothing; a filter lets everything through.
    assert films.find({"$and": []})["docs"] == []
    assert len(films.send("POST", "/_changes?filter=_selector", {"selector": {"$and": []}}).json()["results"]) > 300


def test_a_selector_filter_of_changes_applies_to_each_listed_leaf(films):
    leaves = [{"_id": "torn", "_rev": f"1-{word * 32}", "word": word} for word in "ab"]
    films.send("POST", "/_bulk_docs", {"new_edits": False, "docs": leaves})
    for word in "ab":
        asked = {"selector": {"word": word}}
        rows = films.send("POST", "/_changes?filter=_selector&style=all_docs", asked).json()["results"]
        assert [row["changes"] for row in rows] == [[{"rev": f"1-{word * 32}"}]]
    rows = films.send("POST", "/_changes?filter=_selector", {"selector": {"word": "a"}}).json()["results"]
    assert rows == []


def test_a_long_track_is_found(films):
    films.send("PUT", "/track", {"kind": "track", "points": [[n / 7, n / 3] for n in range(60_000)]})
    assert ids(films.find({"kind": "track"}, fields=["_id"])) == ["track"]


def test_an_index_outlives_a_crash_in_the_middle(make_server):
    server = make_server()
    with server:
        films = Films(server.address)
        films.send("PUT", "")
        films.send("POST", "/_index", {"index": {"fields": ["n"]}, "ddoc": "n"})
        films.send("POST", "/_bulk_docs", {"docs": [{"_id": f"{n:04}", "n": n} for n in range(1000)]})
        server.kill()
        server.start()
        films = Films(server.address)
        answer = films.find({"n": {"$gte": 990}}, execution_stats=True)
        assert len(answer["docs"]) == 10 and answer["execution_stats"]["total_docs_examined"] <= 11


def test_a_location_database_takes_the_tracker_apps_index_and_walks_positions_by_it(make_server):
    with make_server() as server:
        mia, own = as_user(server, "mia")
        _, others = as_user(server, "ned")
        phone = server.admin().make_device("mia")
        start = now() - 3_600_000
        phone.ok("POST", "/positions", [fix(46 + n / 1000, 14.5, start + n * 1000) for n in range(40)])
        body = {"index": {"fields": ["created_at"]}, "ddoc": "created", "name": "at"}
        assert mia.ok("POST", own + "/_index", body) == {
            "result": "created", "id": "_design/created", "name": "at"}
        assert mia.ok("POST", own + "/_index", body)["result"] == "exists"
        mia.ok("PUT", own + "/later", {"created_at": start + 38_500})
        query = {"selector": {"created_at": {"$gt": None}}, "sort": [{"created_at": "desc"}], "limit": 5}
        found = mia.ok("POST", own + "/_find", {**query, "execution_stats": True})
        times = [document["created_at"] - start for document in found["docs"]]
        assert times == [39_000, 38_500, 38_000, 37_000, 36_000]
        assert "warning" not in found and found["execution_stats"]["total_docs_examined"] == 5
        more = mia.ok("POST", own + "/_find", {**query, "bookmark": found["bookmark"]})
        assert more["docs"][0]["created_at"] - start == 35_000
        assert mia.ok("POST", own + "/_explain", query)["index"]["name"] == "at"
        server.kill()
        server.start()
        mia.address = server.address
        listed = mia.ok("GET", own + "/_index")
        assert [index["name"] for index in listed["indexes"]] == ["_all_docs", "at"]
        mia.refused(403, "forbidden", "POST", others + "/_index", body)
        mia.refused(403, "forbidden", "GET", others + "/_index")
        assert mia.ok("DELETE", own + "/_index/created/json/at") == {"ok": True}
        assert len(mia.ok("GET", own + "/_index")["indexes"]) == 1
        assert len(mia.ok("POST", own + "/_find", query)["docs"]) == 5
        as_admin(server).refused(403, "forbidden", "POST", "/lt_locations_all/_index", body)
