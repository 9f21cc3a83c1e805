"""`_changes`, once and in the feeds that go on, as Apache CouchDB 3 tells them."""

import base64
import json
import socket

from couch_api import as_user, high, low, revisions, timeout_seconds
from waiting import eventually


def rows(changes):
    return [(row["id"], row["seq"]) for row in changes["results"]]


def test_changes_once(couch, db):
    for id in ("a", "b", "c"):
        couch.ok("PUT", f"{db}/{id}", {"id": id})
    couch.ok("PUT", db + "/a", {"_rev": couch.ok("GET", db + "/a")["_rev"], "v": 2})
    couch.ok("DELETE", db + "/b", rev=couch.ok("GET", db + "/b")["_rev"])
    changes = couch.ok("GET", db + "/_changes", include_docs=True)
    assert [row["id"] for row in changes["results"]] == ["c", "a", "b"]
    assert changes["results"][2]["deleted"] and changes["results"][2]["doc"]["_deleted"]
    assert changes["results"][1]["doc"]["v"] == 2
    assert changes["pending"] == 0 and changes["last_seq"] == changes["results"][-1]["seq"]
    page = couch.ok("GET", db + "/_changes", limit=1)
    assert page["pending"] == 2 and page["last_seq"] == page["results"][0]["seq"]
    rest = couch.ok("GET", db + "/_changes", since=page["last_seq"])
    assert rows(page) + rows(rest) == rows(changes)
    assert rows(couch.ok("GET", db + "/_changes", descending=True)) == rows(changes)[::-1]
    newest = couch.ok("GET", db + "/_changes", descending=True, limit=1)
    assert newest["last_seq"] == changes["last_seq"]
    assert couch.ok("GET", db + "/_changes", since="now")["results"] == []
    by_id = couch.ok("POST", db + "/_changes", {"doc_ids": ["a", "none"]}, filter="_doc_ids")
    assert [row["id"] for row in by_id["results"]] == ["a"] and by_id["last_seq"] == changes["last_seq"]
    selected = couch.ok("POST", db + "/_changes", {"selector": {"id": "c"}}, filter="_selector")
    assert [row["id"] for row in selected["results"]] == ["c"]
    couch.refused(400, "bad_request", "GET", db + "/_changes", since="yesterday")
    couch.refused(400, "bad_request", "GET", db + "/_changes", feed="sometimes")


def test_the_style_all_docs_lists_all_leaves(couch, db):
    couch.ok("PUT", db + "/a", {"v": 1})
    couch.ok("PUT", db + "/a", revisions(high, low), new_edits=False)
    row = couch.ok("GET", db + "/_changes", style="all_docs", include_docs=True, conflicts=True)["results"][0]
    assert [change["rev"] for change in row["changes"]] == ["2-" + high, "1-7a7e4b29f3af401e69b6f86e4c26b727"]
    assert row["doc"]["_conflicts"] == ["1-7a7e4b29f3af401e69b6f86e4c26b727"]


def test_a_longpoll_waits_for_the_first_change(couch, db):
    since = couch.ok("GET", db)["update_seq"]
    empty = couch.ok("GET", db + "/_changes", feed="longpoll", since=since, timeout=200)
    assert empty == {"results": [], "last_seq": since, "pending": 0}
    # The head of the answer is there once the feed is open.
    feed = couch.send("GET", db + "/_changes", feed="longpoll", since=since, heartbeat=10_000, stream=True)
    couch.ok("PUT", db + "/new", {})
    found = feed.json()
    assert [row["id"] for row in found["results"]] == ["new"]
    at_once = couch.ok("GET", db + "/_changes", feed="longpoll", since=since)
    assert at_once == found


def test_a_longpoll_hears_nothing_of_other_databases(couch, db):
    other = couch.fresh()
    feed = couch.send("GET", db + "/_changes", feed="longpoll", heartbeat=10_000, stream=True)
    couch.ok("PUT", other + "/new", {})
    couch.ok("PUT", db + "/own", {})
    assert [row["id"] for row in feed.json()["results"]] == ["own"]


def test_a_continuous_feed_goes_on(couch, db):
    couch.ok("PUT", db + "/a", {"v": 1})
    answer = couch.send("GET", db + "/_changes", feed="continuous", heartbeat=200, include_docs=True, stream=True)
    lines = answer.iter_lines()
    assert json.loads(next(lines))["doc"]["v"] == 1
    assert next(lines) == b"", "a heartbeat"
    couch.ok("PUT", db + "/b", {"v": 2})
    line = next(line for line in lines if line)
    assert json.loads(line)["id"] == "b"
    answer.close()
    ended = couch.send("GET", db + "/_changes", feed="continuous", timeout=200).text.splitlines()
    assert [json.loads(line).get("id") for line in ended] == ["a", "b", None]
    assert json.loads(ended[-1])["pending"] == 0
    limited = couch.send("GET", db + "/_changes", feed="continuous", limit=1, heartbeat=10_000).text.splitlines()
    assert json.loads(limited[0])["id"] == "a" and json.loads(limited[1])["pending"] == 1


def test_an_event_source_receives_changes(couch, db):
    couch.ok("PUT", db + "/a", {})
    couch.ok("PUT", db + "/b", {})
    answer = couch.send("GET", db + "/_changes", feed="eventsource", timeout=200)
    assert answer.headers["Content-Type"] == "text/event-stream"
    events = [event.split("\n") for event in answer.text.strip().split("\n\n")]
    assert [json.loads(event[0].removeprefix("data: "))["id"] for event in events] == ["a", "b"]
    first = events[0][1].removeprefix("id: ")
    resumed = couch.send(
        "GET", db + "/_changes", feed="eventsource", timeout=200, headers={"Last-Event-ID": first})
    assert '"id":"b"' in resumed.text and '"id":"a"' not in resumed.text


def test_a_feed_ends_with_its_database(couch, db):
    feed = couch.send("GET", db + "/_changes", feed="longpoll", heartbeat=200, stream=True)
    lines = feed.iter_lines()
    begun = next(lines)
    assert next(lines) == b"", "a heartbeat: it waits"
    couch.ok("DELETE", db)
    assert json.loads(begun + b"".join(lines))["results"] == []


def test_a_broken_feed_no_longer_counts_to_the_users_feeds(server):
    """A user's feeds are counted, and one whose connection is gone is none."""
    member, own = as_user(server, "breaks-off")
    member.ok("GET", own)
    sign_in = base64.b64encode(":".join(member.session.auth).encode()).decode()
    head = f"GET {own}/_changes?feed=longpoll&since=now&timeout=600000 HTTP/1.1\r\nHost: x\r\n"
    request = f"{head}Authorization: Basic {sign_in}\r\n\r\n".encode()

    def opened():
        connection = socket.create_connection(("127.0.0.1", server.port), timeout_seconds)
        connection.sendall(request)
        return connection

    def status(connection):
        return int(connection.recv(12).split()[1])

    feeds = [opened() for _ in range(200)]
    assert {status(feed) for feed in feeds} == {200}
    with opened() as one_too_many:
        assert status(one_too_many) == 429
    # What was not read makes a close a reset; who has read everything ends in good order.
    for number, feed in enumerate(feeds):
        if number % 2:
            received = b""
            while b"results" not in received:
                received += feed.recv(1000)
        feed.close()

    def status_of_one_more():
        with opened() as next_one:
            return status(next_one)

    eventually(status_of_one_more, lambda found: found == 200, why="the feeds of closed connections are still counted")


def test_a_sequence_is_a_text_of_digits_and_is_taken_in_every_form(couch, db):
    """Typed clients of CouchDB expect texts; checkpoints of before have numbers, and some clients send JSON."""
    for name in "abc":
        couch.ok("PUT", f"{db}/{name}", {})
    changes = couch.ok("GET", db + "/_changes")
    since = changes["results"][0]["seq"]
    told = [row["seq"] for row in changes["results"]]
    told += [changes["last_seq"], couch.ok("GET", db)["update_seq"]]
    told += [couch.ok("GET", db + "/_all_docs", update_seq=True)["update_seq"]]
    told += [couch.ok("GET", "/_db_updates", limit=1)["last_seq"]]
    assert all(isinstance(sequence, str) and sequence.isdigit() for sequence in told), told
    for text in (since, f'"{since}"', f"{since}-g1AAAAB"):
        assert [row["id"] for row in couch.ok("GET", db + "/_changes", since=text)["results"]] == ["b", "c"], text
    assert couch.ok("GET", db + "/_changes", since=int(since))["results"] == changes["results"][1:]
    for text in ("now", '"now"'):
        assert couch.ok("GET", db + "/_changes", since=text)["results"] == []
    lines = couch.send("GET", db + "/_changes", feed="continuous", timeout=100).text.splitlines()
    assert [json.loads(line).get("seq") for line in lines] == told[:3] + [None]
    assert json.loads(lines[-1])["last_seq"] == changes["last_seq"]
