"""Mango beside a real CouchDB: the same documents in both, the same selectors asked of both, the same documents found.

`COUCHDB_URL` names one, with an admin's credentials in it: `http://admin:secret@127.0.0.1:5984`. Without it, the tests
run that hold Muster against itself, or against what CouchDB 3.4.3 is known to answer. `MANGO_SEED` draws other
selectors than usual. What differs on purpose (docs/mango.md) is not drawn: numbers written with a point, texts
that ICU orders otherwise than code points, `$nor` inside of elements.
"""

import json
import os
import random
import uuid

import pytest

from couch_api import real_couchdb

seed = int(os.environ.get("MANGO_SEED", "20240611"))
drawn_selectors = 400

values = [
    None, False, True, -7, -1, 0, 1, 2, 1.5, 10**20, "", "a", "ab", "b", [], [1], [1, 2], [2, "a"], [[1]], [[1], 2],
    [None], [{}], [{"x": 1}], [{"x": 1}, {"y": 2}], {}, {"x": 1}, {"x": None}, {"x": {"y": 1}}, {"x": [1, 2]},
    {"y": 2, "x": 1}, {"x": 1, "y": 2}, {"$x": 1, "a.b": 2}]
fields = ["v"] * 5 + ["w", "w", "v.x", "v.x.y", "v.0", "v.1", "v.0.x", "v.\\$x", "v.a\\.b", "\\$x", "gone", "gone.x"]
kinds = ["null", "boolean", "number", "string", "array", "object", "date"]
of_no_field = [
    {}, {"$eq": 1}, {"$exists": True}, {"$elemMatch": {"x": 1}}, {"$not": {}}, {"$gt": 1, "$lt": 2},
    {"$type": "object"}, {"$type": "object", "$ne": 1}, {"$and": [1]}, {"$nor": [{}]}, {"$or": [{}]},
    {"$not": {"$and": []}}]
patterns = ["a", "^a", "b$", "^(a|b)$", "(?i)A", ""]
indexes = [["v"], ["w"], ["v", "w"], ["w", "v.x"], ["v.x"], ["v.0"], ["gone"], ["_id", "v"]]


path = f"/muster-mango-{uuid.uuid4().hex}"


def fill(server):
    """Makes the database of these tests."""
    server.ok("PUT", path)
    server.ok("POST", path + "/_bulk_docs", {"docs": list(documents_of_all_types())})
    file = {"content_type": "application/x-track", "data": "AAECAw=="}
    server.ok("PUT", path + "/with-file", {"v": "a", "_attachments": {"a.bin": file}})


@pytest.fixture(scope="module")
def muster(couch):
    """Muster, with the documents of these tests."""
    fill(couch)
    return couch


@pytest.fixture(scope="module")
def real():
    """The CouchDB, with the same documents."""
    server = real_couchdb()
    try:
        fill(server)
        yield server
    finally:
        server.send("DELETE", path)


@pytest.fixture(params=["muster", "couchdb"])
def api(request):
    return request.getfixturevalue("muster" if request.param == "muster" else "real")


def documents_of_all_types():
    draw = random.Random(seed)
    for number, value in enumerate(values):
        yield {"_id": f"v{number:02}", "v": value}
        yield {"_id": f"b{number:02}", "v": value, "w": draw.choice(values)}
        yield {"_id": f"w{number:02}", "w": value, "$x": number % 3}
    yield {"_id": "bare"}


class Drawing:
    """Selectors of every operator."""

    def __init__(self, number):
        self.random = random.Random(f"{seed} {number}")

    def selector(self, depth=2):
        kind = self.random.randrange(24) if depth else 0
        if kind < 14:
            return {self.random.choice(fields): self.condition(depth) for _ in range(self.random.choice([1, 1, 1, 2]))}
        if kind < 17:
            return {self.random.choice(["v", "w"]): {self.random.choice(["x", "0", "y"]): self.condition(depth - 1)}}
        if kind == 17:
            return {"$not": self.selector(depth - 1)}
        if kind == 18:
            return self.random.choice(of_no_field)
        operator = self.random.choice(["$and", "$or", "$nor"])
        parts = [self.selector(depth - 1) for _ in range(self.random.choice([0, 1, 2, 2, 3]))]
        return {operator: parts, **(self.selector(0) if self.random.random() < 0.3 else {})}

    def condition(self, depth, inside=False):
        draw = self.random
        several = [draw.choice(values) for _ in range(draw.choice([0, 1, 1, 2, 3]))]
        kind = draw.randrange(16 if depth else 11)
        if kind < 2:
            return {draw.choice(["$lt", "$lte", "$eq", "$ne", "$gte", "$gt"]): draw.choice(values)}
        if kind == 2:
            return {"$gte": draw.choice(values), "$lt": draw.choice(values)}
        if kind == 3:
            return draw.choice(values)
        if kind == 4:
            return {draw.choice(["$in", "$nin"]): several}
        if kind == 5:
            return {"$all": several}
        if kind == 6:
            return {"$exists": draw.random() < 0.4}
        if kind == 7:
            return {"$type": draw.choice(kinds)}
        if kind == 8:
            return {"$size": draw.randrange(3)}
        if kind == 9:
            return {"$mod": [draw.choice([-3, -1, 1, 2, 3]), draw.randrange(-1, 3)]}
        if kind == 10:
            if draw.random() < 0.5:
                return {"$beginsWith": draw.choice(["", "a", "ab"])}
            return {"$regex": draw.choice(patterns)}
        if kind == 11:
            return {"$not": self.negatable(depth, inside)}
        if kind == 12:
            operators = ["$and", "$or"] if inside else ["$and", "$or", "$nor"]
            parts = [self.condition(depth - 1, inside) for _ in range(draw.randrange(3))]
            return {draw.choice(operators): parts}
        operator = draw.choice(["$elemMatch", "$allMatch", "$keyMapMatch"])
        if draw.random() < 0.3:
            return {operator: {draw.choice(["x", "y", "0"]): self.condition(depth - 1, True)}}
        return {operator: self.negatable(depth, True)}

    def negatable(self, depth, inside):
        condition = self.condition(depth - 1, inside)
        return condition if isinstance(condition, dict) else {"$eq": condition}


def found(server, path, selector, **more):
    """The ids that a selector finds, or in which words it is refused."""
    answer = server.send("POST", path + "/_find", {"selector": selector, "limit": 1000, **more})
    body = answer.json()
    if answer.status_code != 200:
        return answer.status_code, body["error"]
    return sorted(document["_id"] for document in body["docs"])


def drawn():
    return [Drawing(number).selector() for number in range(drawn_selectors)]


def test_both_servers_find_the_same_documents(muster, real):
    different = []
    outcomes = set()
    for selector in drawn():
        ours, theirs = found(muster, path, selector), found(real, path, selector)
        outcomes.add(str(theirs))
        if ours != theirs:
            different.append(f"{json.dumps(selector)}\n  CouchDB {theirs}\n  Muster  {ours}")
    assert not different, f"seed {seed}, {len(different)} differ:\n" + "\n".join(different[:20])
    assert len(outcomes) > drawn_selectors / 6, "the selectors tell too few documents apart"


def test_both_servers_filter_changes_alike(muster, real):
    for selector in drawn()[:100]:
        rows = []
        for server in (muster, real):
            answer = server.send("POST", path + "/_changes", {"selector": selector, "fields": ["_id", "v.x"]},
                                 filter="_selector", include_docs=True)
            body = answer.json()
            rows.append(sorted((row["id"], json.dumps(row["doc"])) for row in body["results"])
                        if answer.status_code == 200 else (answer.status_code, body["error"]))
        assert rows[0] == rows[1], f"seed {seed}: {json.dumps(selector)}"


def test_both_servers_return_whole_documents(muster, real):
    for more in ({}, {"fields": ["_id", "v.x", "_attachments"]}):
        asked = {"selector": {"_id": {"$gt": None}}, "limit": 1000, **more}
        ours, theirs = (server.ok("POST", path + "/_find", asked)["docs"] for server in (muster, real))
        assert len(ours) == 3 * len(values) + 2
        by_id = {document["_id"]: document for document in theirs}
        assert {document["_id"]: document for document in ours} == by_id
        assert by_id["with-file"]["_attachments"]["a.bin"]["stub"] is True


def refusal(server, method, body):
    """The error that a body is refused with."""
    answer = server.send("POST", path + method, body)
    assert answer.status_code == 400, answer.text
    return answer.json()["error"]


refused_queries = [
    ({}, "missing_required_key"), ({"foo": 1}, "missing_required_key"), ({"selector": 3}, "invalid_selector_json"),
    ({"selector": {}, "foo": 1}, "invalid_key"),
    ({"selector": {}, "limit": -1, "foo": 1}, "invalid_non_neg_integer"),
    ({"selector": {}, "r": 0}, "invalid_pos_integer"), ({"selector": {}, "update": "x"}, "invalid_boolean"),
    ({"selector": {}, "stable": 1}, "invalid_boolean"), ({"selector": {}, "partition": "x"}, "bad_request"),
    ({"selector": {}, "allow_fallback": 1}, "invalid_boolean"),
    ({"selector": {}, "allow_fallback": False}, "invalid_index"),
    ({"selector": {}, "allow_fallback": False, "use_index": "x"}, "invalid_index"),
    ({"selector": {}, "sort": [""]}, "invalid_sort_field"), ({"selector": {}, "sort": ["gone"]}, "no_usable_index"),
    ({"selector": {"v": {"$regex": 1}}}, "invalid_operator"), ({"selector": {"v": {"$regex": "("}}}, "bad_arg"),
    ({"selector": {"v": {"$beginsWith": 1}}}, "invalid_operator"),
    ({"selector": {"v": {"$near": 1}}}, "not_supported"), ({"selector": {"$where": "x"}}, "not_supported"),
    ({"selector": {"v": {"$type": 1}}}, "bad_arg"), ({"selector": {"v": {"$elemMatch": []}}}, "bad_arg"),
    ({"selector": {"$eq": 1}}, "invalid_selector"), ({"selector": {"$not": {}}}, "invalid_selector"),
    ({"selector": {"a..b": 1}}, "invalid_field_name"),
]
refused_indexes = [
    ({}, "missing_required_key"), ({"index": {}}, "missing_required_key"), ({"index": 1}, "invalid_index"),
    ({"index": {"fields": ["a"]}, "foo": 1}, "invalid_key"),
    ({"index": {"fields": ["a"], "selector": {}}}, "invalid_key"),
    ({"index": {"fields": ["a"]}, "partial_filter_selector": {}}, "invalid_key"),
    ({"index": {"fields": ["a"]}, "name": 1}, "invalid_string"),
    ({"index": {"fields": ["a"]}, "type": 1}, "invalid_string"),
    ({"index": {"fields": ["a"]}, "ddoc": ""}, "invalid_empty_string"),
    ({"index": {"fields": ["a"]}, "type": "foo"}, "invalid_index"),
    ({"index": {"fields": ["a"]}, "w": 0}, "invalid_pos_integer"), ({"index": {"fields": [""]}}, "invalid_sort_field"),
    ({"index": {"fields": ["a"], "partial_filter_selector": 1}}, "invalid_selector_json"),
]


def test_either_server_refuses_a_query_with_the_known_error(api):
    told = [(body, refusal(api, "/_find", body)) for body, _ in refused_queries]
    assert told == refused_queries


def test_either_server_refuses_an_index_with_the_known_error(api):
    told = [(body, refusal(api, "/_index", body)) for body, _ in refused_indexes]
    assert told == refused_indexes


def test_each_index_finds_the_same_documents(muster):
    """The last one here, for it makes indexes."""
    selectors = drawn()
    scanned = [found(muster, path, selector) for selector in selectors]
    names = [f"i{number}" for number in range(len(indexes))]
    for name, listed in zip(names, indexes):
        muster.ok("POST", path + "/_index", {"index": {"fields": listed}, "ddoc": name, "name": name})
    used = set()
    for selector, expected in zip(selectors, scanned):
        assert found(muster, path, selector) == expected, json.dumps(selector)
        if isinstance(expected, tuple):
            continue
        used.add(muster.ok("POST", path + "/_explain", {"selector": selector})["index"]["name"])
        for name in names:
            assert found(muster, path, selector, use_index=name) == expected, f"{name}: {json.dumps(selector)}"
    assert len(used) > 4, f"only {used} were used"
