"""`_db_updates` and `_local_docs`: which databases come and go, and what is never replicated."""

import json

from couch_api import CouchApi, as_user
from native_api import now, stamp


def events(answer):
    """What an answer tells, without numbers."""
    return [(row["db_name"], row["type"]) for row in answer["results"]]


def newest(couch):
    return couch.ok("GET", "/_db_updates", since="now")["last_seq"]


def test_creation_change_and_deletion_of_databases_are_reported(couch):
    since = newest(couch)
    db = couch.fresh("told")
    name = db[1:]
    couch.ok("PUT", db + "/a", {})
    first = couch.ok("GET", "/_db_updates", since=since)
    assert events(first) == [(name, "created"), (name, "updated")]
    assert first["results"][1]["seq"] == couch.ok("GET", db)["update_seq"]
    sequences = [int(row["seq"]) for row in first["results"]]
    assert sequences == sorted(sequences)
    couch.ok("PUT", db + "/b", {})
    couch.ok("PUT", db + "/_security", {})
    second = couch.ok("GET", "/_db_updates", since=first["last_seq"])
    assert events(second) == [(name, "updated")] and int(second["last_seq"]) > int(first["last_seq"])
    couch.ok("DELETE", db)
    assert events(couch.ok("GET", "/_db_updates", since=second["last_seq"])) == [(name, "deleted")]
    told = events(couch.ok("GET", "/_db_updates", since=since))
    assert told == [(name, "created"), (name, "deleted")]
    assert set(told) <= set(events(couch.ok("GET", "/_db_updates")))
    assert couch.ok("GET", "/_db_updates", since="now")["results"] == []


def test_a_database_created_again_is_reported_as_deleted_and_created(couch):
    since = newest(couch)
    for method in ("PUT", "DELETE", "PUT"):
        couch.ok(method, "/anew")
    told = couch.ok("GET", "/_db_updates", since=since)
    assert events(told) == [("anew", "deleted"), ("anew", "created")]
    assert events(couch.ok("GET", "/_db_updates", since=since, descending=True)) == events(told)[::-1]
    page = couch.ok("GET", "/_db_updates", since=since, limit=1)
    assert events(page) == [("anew", "deleted")] and page["last_seq"] == page["results"][0]["seq"]
    assert events(couch.ok("GET", "/_db_updates", since=page["last_seq"])) == [("anew", "created")]
    couch.ok("DELETE", "/anew")


def test_changes_of_a_users_locations_are_reported_with_the_unions_and_end_with_the_user(server, couch):
    since = newest(couch)
    mia, own = as_user(server, "told-mia")
    assert events(couch.ok("GET", "/_db_updates", since=since)) == [(own[1:], "created")]
    made = newest(couch)
    mia.ok("PUT", own + "/a", {})
    assert set(events(couch.ok("GET", "/_db_updates", since=made))) == {
        (own[1:], "updated"), ("lt_locations_all", "updated")}
    # Both have one number, and a page does not end between them: the second would never be told.
    page = couch.ok("GET", "/_db_updates", since=made, limit=1)
    assert len(page["results"]) == 2 and page["last_seq"] == page["results"][0]["seq"]
    couch.ok("PUT", own + "/_design/d", {})
    server.admin().ok("DELETE", "/users/told-mia")
    assert "told-mia" not in json.dumps(couch.ok("GET", "/_db_updates"))


def test_a_position_is_reported_however_it_arrived(server, couch):
    as_user(server, "walker")
    token = server.admin().ok("POST", "/users/walker/devices", {"name": "phone"}) and server.admin().ok(
        "POST", "/users/walker/devices/phone/token")["token"]
    since = newest(couch)
    CouchApi(server.address, token=token).ok(
        "POST", "/api/v1/positions", [{"latitude": 52.5, "longitude": 13.4, "sampleTime": stamp(now())}])
    told = events(couch.ok("GET", "/_db_updates", since=since))
    assert ("lt_locations_user_walker", "updated") in told and ("lt_locations_all", "updated") in told


def test_a_reader_far_behind_gets_each_database_once(couch):
    since = newest(couch)
    db = couch.fresh("far")
    for _ in range(3):
        couch.ok("POST", db + "/_bulk_docs", {"docs": [{}] * 8_000})
    told = couch.ok("GET", "/_db_updates", since=since)
    assert events(told) == [(db[1:], "created"), (db[1:], "updated")]
    assert told["results"][1]["seq"] == couch.ok("GET", db)["update_seq"]
    couch.ok("DELETE", db)


def test_a_feed_of_databases_goes_on(couch):
    since = newest(couch)
    answer = couch.send("GET", "/_db_updates", feed="continuous", since=since, heartbeat=200, stream=True)
    lines = answer.iter_lines()
    assert next(lines) == b"", "a heartbeat"
    couch.ok("PUT", "/coming")
    assert events({"results": [json.loads(next(line for line in lines if line))]}) == [("coming", "created")]
    couch.ok("PUT", "/coming/a", {})
    assert events({"results": [json.loads(next(line for line in lines if line))]}) == [("coming", "updated")]
    answer.close()
    ended = couch.send("GET", "/_db_updates", feed="continuous", since=since, timeout=200).text.splitlines()
    assert json.loads(ended[-1]) == {"last_seq": newest(couch)} and len(ended) == 3
    limited = couch.send("GET", "/_db_updates", feed="continuous", since=since, limit=1, heartbeat=10_000)
    assert len(limited.text.splitlines()) == 2
    told = couch.send("GET", "/_db_updates", feed="eventsource", since=since, timeout=200)
    assert told.headers["Content-Type"] == "text/event-stream"
    parts = told.text.strip().split("\n\n")
    assert json.loads(parts[0].split("\n")[0].removeprefix("data: "))["type"] == "created"
    resumed = couch.send("GET", "/_db_updates", feed="eventsource", timeout=200,
                         headers={"Last-Event-ID": parts[0].split("\n")[1].removeprefix("id: ")})
    assert '"updated"' in resumed.text and '"created"' not in resumed.text
    couch.ok("DELETE", "/coming")


def test_a_longpoll_for_databases_answers_with_the_first(couch):
    since = newest(couch)
    empty = couch.ok("GET", "/_db_updates", feed="longpoll", since=since, timeout=200)
    assert empty == {"results": [], "last_seq": since}
    # The head of the answer is there once the feed is open.
    answer = couch.send("GET", "/_db_updates", feed="longpoll", since=since, heartbeat=10_000, stream=True)
    couch.ok("PUT", "/polled")
    assert events(answer.json()) == [("polled", "created")]
    answer = couch.send("GET", "/_db_updates", feed="longpoll", since=since, heartbeat=True)
    assert events(answer.json()) == [("polled", "created")]
    assert events(couch.ok("GET", "/_db_updates", feed="longpoll", since=since)) == [("polled", "created")]
    couch.ok("DELETE", "/polled")


def test_only_an_admin_follows_databases(server, couch):
    user, _ = as_user(server, "curious")
    for feed in ("normal", "longpoll", "continuous", "eventsource"):
        user.refused(401, "unauthorized", "GET", "/_db_updates", feed=feed)
    couch.refused(400, "bad_request", "GET", "/_db_updates", feed="sometimes")
    couch.refused(400, "bad_request", "GET", "/_db_updates", since="yesterday")
    couch.refused(400, "query_parse_error", "GET", "/_db_updates", limit="-1")


def ids(answer):
    return [row.get("id", row.get("error")) for row in answer["rows"]]


def test_documents_that_are_never_replicated_are_listed_by_id(couch, db):
    for number in range(230):
        couch.ok("PUT", f"{db}/_local/{number:03}", {"n": number})
    path = db + "/_local_docs"
    every = [f"_local/{number:03}" for number in range(230)]
    whole = couch.ok("GET", path)
    assert ids(whole) == every and whole["total_rows"] is None and whole["offset"] is None
    assert whole["rows"][0] == {"id": "_local/000", "key": "_local/000", "value": {"rev": "0-1"}}
    assert ids(couch.ok("GET", path, descending=True)) == every[::-1]
    assert ids(couch.ok("GET", path, startkey='"_local/100"', endkey='"_local/104"')) == every[100:105]
    assert ids(couch.ok("GET", path, start_key='"_local/100"', end_key='"_local/104"', inclusive_end=False)) == (
        every[100:104])
    assert ids(couch.ok("GET", path, startkey='"_local/104"', endkey='"_local/100"', descending=True)) == (
        every[100:105][::-1])
    assert ids(couch.ok("GET", path, skip=150, limit=60)) == every[150:210]
    assert ids(couch.ok("GET", path, skip=229)) == every[229:] and ids(couch.ok("GET", path, limit=0)) == []
    assert ids(couch.ok("GET", path, key='"_local/007"')) == ["_local/007"]
    for nothing in ('"007"', '"_local"', "7", '"_local/zzz"'):
        assert ids(couch.ok("GET", path, key=nothing)) == []
    assert ids(couch.ok("GET", path, startkey='"a"')) == []
    assert ids(couch.ok("GET", path, endkey='"A"')) == [] and ids(couch.ok("GET", path, startkey='"A"')) == every
    documents = couch.ok("GET", path, key='"_local/007"', include_docs=True)["rows"]
    assert documents[0]["doc"] == {"_id": "_local/007", "_rev": "0-1", "n": 7}
    keys = {"keys": ["_local/009", "none", "_local/none", "_local/001"]}
    assert ids(couch.ok("POST", path, keys)) == ["_local/009", "not_found", "not_found", "_local/001"]
    assert ids(couch.ok("GET", path, keys=keys["keys"])) == ids(couch.ok("POST", path, keys))
    queries = [keys, {"limit": 120}, {"descending": True, "skip": 228}, {}]
    alone = [couch.ok("POST", path, query) for query in queries]
    assert couch.ok("POST", path + "/queries", {"queries": queries})["results"] == alone
    assert couch.ok("GET", path, update_seq=True, limit=0)["update_seq"] == couch.ok("GET", db)["update_seq"]
    couch.refused(400, "bad_request", "POST", path + "/queries", {"queries": [{}] * 101})
    couch.refused(400, "bad_request", "POST", path, {"keys": 3})


def test_documents_are_copied_to_and_from_those_that_are_never_replicated(couch, db):
    couch.ok("PUT", db + "/_local/a", {"v": 1})

    def copy(source, target):
        return couch.send("COPY", f"{db}/{source}", headers={"Destination": target})

    assert copy("_local/a", "_local/b").json() == {"ok": True, "id": "_local/b", "rev": "0-1"}
    assert couch.ok("GET", db + "/_local/b") == {"_id": "_local/b", "_rev": "0-1", "v": 1}
    assert copy("_local/a", "_local/b").status_code == 409
    assert copy("_local%2Fa", "_local%2Fb?rev=0-1").json()["rev"] == "0-2"
    made = copy("_local/a", "plain")
    assert made.status_code == 201 and couch.ok("GET", db + "/plain")["v"] == 1
    assert made.json()["rev"] == couch.ok("GET", db + "/plain")["_rev"]
    assert copy("plain", "_local/c").json()["rev"] == "0-1" and couch.ok("GET", db + "/_local/c")["v"] == 1
    assert copy("_local/none", "_local/d").status_code == 404
    assert copy("_local/a", "_local/").status_code == 400 and copy("_local/a", "_odd").status_code == 400
    couch.ok("PUT", db + "/filed/file.txt", raw=b"text")
    assert copy("filed", "_local/e").status_code == 400
    couch.refused(400, "bad_request", "COPY", db + "/_local/a")
