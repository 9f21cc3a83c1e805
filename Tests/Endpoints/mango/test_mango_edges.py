"""What a CouchDB answers at the edges of Mango. Each expectation holds for Muster, and for the real CouchDB that
`COUCHDB_URL` names, as in `test_couchdb_edges.py`.
"""

import pytest

import either_couchdb

api, db = either_couchdb.api, either_couchdb.db


def found(api, db, selector, **more):
    return sorted(document["_id"] for document in api.ok("POST", f"{db}/_find", {"selector": selector, **more})["docs"])


def made(api, db, name, **more):
    index = {"index": {"fields": ["v"]}, "name": name, **more}
    return api.ok("POST", f"{db}/_index", index)


@pytest.mark.parametrize("operand", [None, True, 7, [], ["z"], {}, {"z": 1}])
@pytest.mark.parametrize("sort", [None, [{"_id": "desc"}]])
def test_every_id_sorts_behind_values_that_are_not_text(api, db, operand, sort):
    api.ok("POST", f"{db}/_bulk_docs", {"docs": [{"_id": "a"}, {"_id": "b"}]})
    more = {"sort": sort} if sort else {}
    for operator, expected in (("$lt", []), ("$lte", []), ("$gt", ["a", "b"]), ("$gte", ["a", "b"])):
        assert found(api, db, {"_id": {operator: operand}}, **more) == expected, operator
    assert found(api, db, {"_id": {"$eq": operand}}, **more) == []


def test_conflicts_are_found_with_an_index_and_without(api, db):
    leaves = [{"_id": "a", "_rev": "1-" + digit * 32, "v": 1} for digit in "ab"]
    api.ok("POST", f"{db}/_bulk_docs", {"docs": [*leaves, {"_id": "b", "_rev": "1-" + "a" * 32, "v": 1}],
                                        "new_edits": False})
    made(api, db, "by-v")
    for selector in ({"_conflicts": {"$exists": True}}, {"v": 1, "_conflicts": {"$exists": True}}):
        answer = api.ok("POST", f"{db}/_find", {"selector": selector, "conflicts": True})
        assert [(one["_id"], one["_conflicts"]) for one in answer["docs"]] == [("a", ["1-" + "a" * 32])]


def test_the_design_document_of_an_index_shows_its_definition(api, db):
    for name in ("one", "two"):
        made(api, db, name, ddoc="both")
    design = api.ok("GET", f"{db}/_design/both")
    assert (design["_id"], design["language"], sorted(design["views"])) == ("_design/both", "query", ["one", "two"])
    assert design["views"]["one"]["map"] == {"fields": {"v": "asc"}, "partial_filter_selector": {}}
    api.ok("DELETE", f"{db}/_index/both/json/one")
    assert sorted(api.ok("GET", f"{db}/_design/both")["views"]) == ["two"]
    api.ok("DELETE", f"{db}/_index/both/json/two")
    api.refused(404, "not_found", "GET", f"{db}/_design/both")


@pytest.mark.parametrize("design", [{}, {"views": {"n": {"map": "function () {}"}}}, {"language": "javascript"}])
def test_no_index_is_made_in_a_design_document_of_programs(api, db, design):
    api.ok("PUT", f"{db}/_design/programs", design)
    reason = api.refused(400, "invalid_ddoc_lang", "POST", f"{db}/_index", {
        "index": {"fields": ["v"]}, "ddoc": "programs", "name": "n"})
    assert reason.startswith("Existing design doc has an invalid language: ")
    revision = api.ok("GET", f"{db}/_design/programs")["_rev"]
    assert len(api.ok("GET", f"{db}/_index")["indexes"]) == 1
    api.ok("DELETE", f"{db}/_design/programs", rev=revision)
    assert made(api, db, "n", ddoc="programs")["result"] == "created"


def test_indexes_that_differ_by_their_names_are_in_two_design_documents(api, db):
    first, second = made(api, db, "one"), made(api, db, "two")
    assert (first["result"], second["result"]) == ("created", "created") and first["id"] != second["id"]
    assert made(api, db, "one") == {**first, "result": "exists"}


def test_paths_that_name_no_index_are_not_found(api, db):
    made(api, db, "n", ddoc="d")
    for method, path in (("GET", "x"), ("PUT", "x"), ("POST", "x/y"), ("DELETE", "d/text/n"), ("DELETE", "none/json/n"),
                         ("DELETE", "d/json"), ("DELETE", "_design/d/what/n"), ("DELETE", "_design/d/json"),
                         ("POST", "_bulk_delete/x")):
        api.refused(404, "not_found", method, f"{db}/_index/{path}", {})
    assert len(api.ok("GET", f"{db}/_index")["indexes"]) == 2


def test_a_plan_has_the_same_members(api, db):
    made(api, db, "n", ddoc="d")
    plan = api.ok("POST", f"{db}/_explain", {"selector": {"v": 1}})
    assert sorted(plan) == [
        "covering", "dbname", "fields", "index", "index_candidates", "limit", "mrargs", "opts", "partitioned",
        "selector", "selector_hints", "skip"]
    assert sorted(plan["mrargs"]) == [
        "conflicts", "direction", "end_key", "include_docs", "partition", "reduce", "stable", "start_key", "update",
        "view_type"]


def test_a_long_id_is_stored_and_followed(api, db):
    ids = [letter * 1_300 for letter in "abc"]
    api.ok("POST", f"{db}/_bulk_docs", {"docs": [{"_id": id} for id in ids]})
    rows = api.ok("POST", f"{db}/_changes", {"doc_ids": ids[1:]}, filter="_doc_ids")["results"]
    assert sorted(row["id"] for row in rows) == ids[1:]
