"""Datasets by the native API: all or nothing, one winner, and nobody else's."""

import concurrent.futures

import pytest

from event_stream import EventStream


@pytest.fixture(scope="module")
def people(server, admin):
    return {name: admin.make_user(name, role) for name, role in (
        ("ana", "member"), ("bo", "member"), ("lea", "leader"), ("zoe", "analyst"))}


def patch(key, value, count=0, **more):
    return {"key": key, "value": value, "syncCount": count, **more}


def test_an_update_is_read_by_its_count_and_reported_in_the_log(people):
    ana = people["ana"]
    before = ana.last_sequence()
    done = ana.ok("PATCH", "/datasets/settings", {
        "records": [patch("theme", "dark", deviceModifiedAt="2026-01-02T03:04:05Z"), patch("size", "12")],
        "pushDevice": "phone-1"})
    assert done["syncCount"] == 1
    assert [(record["key"], record["syncCount"]) for record in done["records"]] == [("theme", 1), ("size", 1)]
    ana.ok("PATCH", "/datasets/settings", {"records": [patch("size", None, 1)]})
    whole = ana.ok("GET", "/datasets/settings")
    assert (whole["syncCount"], whole["exists"], whole["deletedSince"]) == (2, True, False)
    assert [(record["key"], record["value"]) for record in whole["records"]] == [("theme", "dark"), ("size", None)]
    assert whole["records"][0]["deviceModifiedAt"] == "2026-01-02T03:04:05.000Z"
    assert [record["modifiedBy"] for record in whole["records"]] == ["phone-1", "ana"]
    newer = ana.ok("GET", "/datasets/settings?since=1")
    assert [record["key"] for record in newer["records"]] == ["size"]
    told = [change for change in ana.changes(before) if change["type"] == "dataset"]
    assert [(change["dataset"], change["syncCount"], change.get("pushDevice")) for change in told] == [
        ("settings", 1, "phone-1"), ("settings", 2, None)]
    assert ana.ok("GET", "/datasets")["items"][0]["records"] == 1


def test_no_other_user_reads_or_receives_a_dataset(people, admin):
    ana = people["ana"]
    before = ana.last_sequence()
    ana.ok("PATCH", "/datasets/secret", {"records": [patch("k", "of ana alone")]})
    for other in (people["bo"], people["lea"], people["zoe"], admin):
        assert other.ok("GET", "/datasets/secret")["exists"] is False
        assert "secret" not in [item["name"] for item in other.ok("GET", "/datasets")["items"]]
        assert not [change for change in other.changes(before) if change["type"] == "dataset"]
        other.refused(404, "DELETE", "/datasets/secret")


def test_two_devices_that_write_at_once_have_one_winner(people):
    ana = people["ana"]
    ana.ok("PATCH", "/datasets/race", {"records": [patch("k", "0")]})
    for turn in range(1, 20):
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(
                lambda number: ana.send("PATCH", "/datasets/race", {"records": [
                    patch("k", f"{turn} by {number}", turn), patch(f"only-{turn}-{number}", "1")]}).status_code,
                range(4)))
        assert sorted(answers) == [200, 409, 409, 409]
        whole = ana.ok("GET", "/datasets/race?limit=1000")
        assert whole["syncCount"] == turn + 1
        # Nothing of those that lost.
        assert len(whole["records"]) == turn + 1


def test_a_dataset_deleted_and_created_again_says_so(people):
    ana = people["ana"]
    ana.ok("PATCH", "/datasets/again", {"records": [patch("k", "1")]})
    ana.ok("DELETE", "/datasets/again")
    gone = ana.ok("GET", "/datasets/again?since=1")
    assert (gone["exists"], gone["deletedSince"], gone["records"]) == (False, True, [])
    ana.ok("PATCH", "/datasets/again", {"records": [patch("k", "2")]})
    again = ana.ok("GET", "/datasets/again?since=1")
    assert (again["exists"], again["deletedSince"], again["syncCount"]) == (True, True, 3)
    assert ana.ok("GET", "/datasets/again")["deletedSince"] is False


@pytest.mark.parametrize("body,words", [
    ({}, "required"),
    ({"records": "k"}, "array"),
    ({"records": [7]}, "object"),
    ({"records": [{"key": "k", "value": "v"}]}, "syncCount"),
    ({"records": [{"key": "k", "syncCount": 0}]}, "value"),
    ({"records": [{"key": "k", "value": 7, "syncCount": 0}]}, "string or null"),
    ({"records": [patch("k", "v", -1)]}, "whole number"),
    ({"records": [patch("k", "v", 0.5)]}, "whole number"),
    ({"records": [patch("", "v")]}, "1 to 1,024 bytes"),
    ({"records": [patch("k" * 1025, "v")]}, "1 to 1,024 bytes"),
    ({"records": [patch("k", "v"), patch("k", "w")]}, "Two patches"),
    ({"records": [patch("k", "v", deviceModifiedAt="yesterday")]}, "RFC 3339"),
    ({"records": [patch("k", "v")], "more": 1}, "means nothing"),
])
def test_bad_input_is_named_and_stores_nothing(people, body, words):
    ana = people["ana"]
    problem = ana.refused(422, "PATCH", "/datasets/bad", body)
    assert words in str(problem)
    assert ana.ok("GET", "/datasets/bad")["exists"] is False


def test_limits_refuse_the_whole_update(people, admin):
    ana = admin.make_user("greedy")
    ana.ok("PATCH", "/datasets/full", {"records": [patch(f"k{n}", "v") for n in range(1024)]})
    refusal = ana.refused(409, "PATCH", "/datasets/full", {"records": [patch("more", "v")]})
    assert "1024 records" in refusal["detail"]
    assert refusal["type"] == "urn:muster:problem:over-limit"
    assert ana.ok("GET", "/datasets")["items"][0]["records"] == 1024
    big = "x" * 1_048_575
    ana.ok("PATCH", "/datasets/large", {"records": [patch("k", big)]})
    assert "bytes" in ana.refused(409, "PATCH", "/datasets/large", {"records": [patch("l", "v")]})["detail"]
    for number in range(18):
        ana.ok("PATCH", f"/datasets/d{number}", {"records": [patch("k", "v")]})
    assert "20 datasets" in ana.refused(409, "PATCH", "/datasets/d20", {"records": [patch("k", "v")]})["detail"]
    ana.ok("DELETE", "/datasets/d0")
    ana.ok("PATCH", "/datasets/d20", {"records": [patch("k", "v")]})
    ana.refused(404, "GET", "/datasets/" + "n" * 129)
    ana.refused(413, "PATCH", "/datasets/large", {"records": [patch("k", "x" * (4 << 20))]})


def test_pages_hold_every_record_once(people):
    bo = people["bo"]
    bo.ok("PATCH", "/datasets/pages", {"records": [patch(f"ключ {n}", "v") for n in range(25)]})
    found, cursor = [], ""
    while cursor is not None:
        page = bo.ok("GET", f"/datasets/pages?limit=10{cursor}")
        found += [record["key"] for record in page["records"]]
        cursor = "&cursor=" + page["nextCursor"] if "nextCursor" in page else None
    assert sorted(found) == sorted(f"ключ {n}" for n in range(25))
    bo.refused(422, "GET", "/datasets/pages?cursor=abc")


def test_the_live_feed_reports_a_dataset_to_its_owner_alone_and_at_once(server, people):
    ana, bo = people["ana"], people["bo"]
    since = ana.last_sequence()
    with EventStream(server.address, ana.token, since=since) as mine, \
            EventStream(server.address, bo.token, since=since) as theirs:
        ana.ok("PATCH", "/datasets/live", {"records": [patch("k", "v")]})
        bo.ok("PATCH", "/datasets/live", {"records": [patch("k", "v")]})
        for stream, user in ((mine, "ana"), (theirs, "bo")):
            told = stream.take(lambda found: found[-1][1] == "dataset")
            assert [event["user"] for _, kind, event in told if kind == "dataset"] == [user]


def test_acknowledged_updates_survive_a_kill(server, people):
    ana = people["ana"]
    count = ana.ok("PATCH", "/datasets/durable", {"records": [patch("k", "0")]})["syncCount"]
    for _ in range(3):
        for _ in range(20):
            count = ana.ok("PATCH", "/datasets/durable", {"records": [patch("k", str(count), count)]})["syncCount"]
        server.kill()
        server.start()
        ana.address = server.address
        whole = ana.ok("GET", "/datasets/durable")
        assert (whole["syncCount"], whole["records"][0]["value"]) == (count, str(count - 1))
