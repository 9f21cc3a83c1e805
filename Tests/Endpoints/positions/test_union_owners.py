"""The union of all users' locations: everybody's documents, each with its owner, whoever writes under whose id."""

import itertools
import json
import os
import random
import time
from urllib.parse import quote

import pytest
from ibmcloudant.cloudant_v1 import CloudantV1
from ibmcloudant.couchdb_session_authenticator import CouchDbSessionAuthenticator

from couch_api import as_admin, as_user, high, revisions
from muster_process import admin_password
from soak import rounds

union = "/lt_locations_all"
numbers = itertools.count(1)


class Person:
    """A user with a database of its own."""

    def __init__(self, server, name):
        self.name = name
        self.couch, self.path = as_user(server, name)
        # What stands before its ids where they are qualified: an id that looks so itself always is.
        probe = "user-0000000001:probe"
        rev = self.put(probe, {"of": name})
        rows = as_admin(server).ok("GET", union + "/_all_docs", include_docs=True)["rows"]
        (found,) = [row["id"] for row in rows if row["doc"].get("of") == name and row["id"].endswith(probe)]
        self.qualifier = found.removesuffix(probe)
        self.couch.ok("POST", self.path + "/_purge", {probe: [rev]})

    def put(self, id, body, **query):
        return self.couch.ok("PUT", f"{self.path}/{id}", body, **query)["rev"]


@pytest.fixture
def two(server):
    """Two members whose names no other test uses, and the analyst who reads everything."""
    names = [f"owner{next(numbers):07}" for _ in range(3)]
    first, second = Person(server, names[0]), Person(server, names[1])
    analyst, _ = as_user(server, names[2], "analyst")
    return first, second, analyst


def report(person):
    """Has a person's phone report a position; the id of its document."""
    message = {"_type": "location", "lat": 52.5, "lon": 13.4, "tst": int(time.time()), "acc": 5, "tid": "ph"}
    headers = {"X-Limit-U": person.name, "X-Limit-D": "phone"}
    person.couch.ok("POST", "/owntracks", message, headers=headers)
    (row,) = person.couch.ok("GET", person.path + "/_all_docs")["rows"]
    return row["id"]


def told(reader, *people):
    """What the union has of some people, by id, told alike by every way there is to read it."""
    names = {person.name for person in people}
    listed = {row["id"]: row["doc"] for row in reader.ok("GET", union + "/_all_docs", include_docs=True)["rows"]}
    changes = reader.ok("GET", union + "/_changes", include_docs=True, style="all_docs")["results"]
    assert len(changes) == len({row["id"] for row in changes}), "each once"
    assert listed == {row["id"]: row["doc"] for row in changes if not row.get("deleted")}
    found = {id: document for id, document in listed.items() if document["muster_owner"] in names}
    wanted = {"selector": {"muster_owner": {"$in": sorted(names)}}, "limit": 10_000}
    assert {document["_id"]: document for document in reader.ok("POST", union + "/_find", wanted)["docs"]} == found
    many = reader.ok("POST", union + "/_bulk_get", {"docs": [{"id": id} for id in found]})["results"]
    assert {row["id"]: row["docs"][0]["ok"] for row in many} == found
    for id, document in found.items():
        path = f"{union}/{quote(id, safe='')}"
        assert reader.ok("GET", path) == document
        assert reader.ok("GET", path, rev=document["_rev"]) == document
        leaves = reader.ok("GET", path, open_revs="all")
        assert [leaf["ok"]["muster_owner"] for leaf in leaves] == [document["muster_owner"]] * len(leaves)
    return found


def test_two_users_documents_of_one_id_are_both_there_each_with_its_owner(server, two):
    first, second, analyst = two
    id = f"notes-{first.name}"
    first.put(id, {"of": "first"})
    second.put(id, {"of": "second", "muster_owner": first.name})
    for reader in (analyst, as_admin(server)):
        found = told(reader, first, second)
        assert set(found) == {id, second.qualifier + id}
        assert (found[id]["of"], found[id]["muster_owner"]) == ("first", first.name)
        assert (found[second.qualifier + id]["of"], found[second.qualifier + id]["muster_owner"]) == (
            "second", second.name)
    # In one's own database nothing is told that one did not write.
    assert "muster_owner" not in first.couch.ok("GET", f"{first.path}/{id}")
    assert second.couch.ok("GET", f"{second.path}/{id}")["muster_owner"] == first.name


def test_a_documents_id_in_the_union_does_not_depend_on_other_users(server, two):
    first, second, analyst = two
    id = f"kept-{first.name}"
    rev = first.put(id, {"v": 1})
    since = analyst.ok("GET", union + "/_changes")["last_seq"]
    before = told(analyst, first)
    # More generations than the first has, a deletion of it, a purge, and once more.
    second.couch.ok("PUT", f"{second.path}/{id}", {**revisions(*[high] * 9), "v": 9}, new_edits=False)
    assert told(analyst, first) == before
    other = second.couch.ok("GET", f"{second.path}/{id}")["_rev"]
    second.couch.ok("DELETE", f"{second.path}/{id}", rev=other)
    assert told(analyst, first) == before
    second.couch.ok("POST", f"{second.path}/_purge", {id: [
        second.couch.ok("GET", f"{second.path}/_changes")["results"][-1]["changes"][0]["rev"]]})
    second.put(id, {"v": 2})
    assert told(analyst, first) == before
    rows = analyst.ok("GET", union + "/_changes", since=str(since))["results"]
    assert [row["id"] for row in rows] == [second.qualifier + id]
    # Who had it first keeps it, deleted and purged.
    first.couch.ok("DELETE", f"{first.path}/{id}", rev=rev)
    rows = analyst.ok("GET", union + "/_changes", since=str(since))["results"]
    assert [(row["id"], row.get("deleted")) for row in rows] == [(second.qualifier + id, None), (id, True)]
    gone = [row["changes"][0]["rev"] for row in rows if row["id"] == id]
    first.couch.ok("POST", f"{first.path}/_purge", {id: gone})
    rev = second.couch.ok("GET", f"{second.path}/{id}")["_rev"]
    second.couch.ok("PUT", f"{second.path}/{id}", {"v": 3, "_rev": rev})
    assert set(told(analyst, first, second)) == {second.qualifier + id}
    first.put(id, {"v": 4})
    assert told(analyst, first)[id]["v"] == 4


@pytest.mark.parametrize("is_first", [True, False], ids=["before", "after"])
def test_no_document_replaces_another_users_position(server, two, is_first):
    first, second, analyst = two
    position = report(first)
    # The id begins with the device's number, so whoever sees one id can forge another.
    next_id = position[:21] + "9" * (len(position) - 21) if is_first else position
    second.put(next_id, {"mine": True})
    document = told(analyst, first)[position]
    assert document["properties"]["username"] == document["muster_owner"] == first.name
    forged = told(analyst, second)
    assert set(forged) == {second.qualifier + next_id} and forged[second.qualifier + next_id]["mine"]
    # What its owner says of it counts.
    if is_first:
        first.put(next_id, {"mine": False})
        assert told(analyst, first)[next_id]["mine"] is False
    rev = first.couch.ok("GET", f"{first.path}/{position}")["_rev"]
    first.couch.ok("DELETE", f"{first.path}/{position}", rev=rev)
    analyst.refused(404, "not_found", "GET", f"{union}/{position}")
    assert set(told(analyst, second)) == {second.qualifier + next_id}


def test_an_id_that_looks_qualified_is_under_its_writers_number(server, two):
    first, second, analyst = two
    id = f"plan-{first.name}"
    first.put(id, {"of": "first"})
    second.put(id, {"of": "second"})
    forged = second.qualifier + id
    first.put(forged, {"of": "forger"})
    found = told(analyst, first, second)
    assert {id: document["of"] for id, document in found.items()} == {
        id: "first", forged: "second", first.qualifier + forged: "forger"}
    # Nor does anyone read one user's document under another's number.
    for wrong in (first.qualifier + id, second.qualifier + "nothing", first.qualifier + first.qualifier + id):
        analyst.refused(404, "not_found", "GET", f"{union}/{wrong}")


def test_design_documents_and_local_documents_are_not_in_the_union(server, two):
    first, second, analyst = two
    for person in (first, second):
        person.put("_design/shared", {"views": {}})
        person.couch.ok("PUT", f"{person.path}/_local/shared", {"of": person.name})
        # What a reader of the union keeps there lies beside its own locations, and changes nobody's.
        person.couch.ok("PUT", f"{person.path}/_local/lt_locations_all%2Fmark", {"of": person.name})
    assert told(analyst, first, second) == {}
    analyst.refused(404, "not_found", "GET", union + "/_design/shared")
    analyst.refused(404, "not_found", "GET", union + "/_local/shared")
    analyst.refused(404, "not_found", "GET", union + "/_local/mark")
    analyst.ok("PUT", union + "/_local/mark", {"of": "analyst"})
    assert analyst.ok("GET", union + "/_local/mark")["of"] == "analyst"
    assert as_admin(server).send("GET", union + "/_local/mark").status_code == 404


def test_writing_into_the_union_is_refused_under_any_id(server, two):
    first, second, analyst = two
    id = f"sealed-{first.name}"
    rev = first.put(id, {})
    for reader in (analyst, as_admin(server)):
        for name in (id, first.qualifier + id, second.qualifier + id):
            for method, path, body in (
                ("PUT", f"/{name}", {}), ("DELETE", f"/{name}?rev={rev}", None), ("POST", "", {"_id": name}),
                ("POST", "/_bulk_docs", {"docs": [{"_id": name, "_rev": rev}], "new_edits": False}),
                ("POST", "/_purge", {name: [rev]}), ("PUT", f"/{name}/file?rev={rev}", {})):
                reader.refused(403, "forbidden", method, union + path, body)
    assert set(told(analyst, first)) == {id}


def test_attachments_conflicts_and_missing_revisions_belong_to_each_owner(server, two):
    first, second, analyst = two
    id = f"filed-{first.name}"
    for person in (first, second):
        rev = person.put(id, {"of": person.name})
        person.couch.ok("PUT", f"{person.path}/{id}/f.txt", raw=person.name.encode(), rev=rev,
                        headers={"Content-Type": "text/plain"})
    second.couch.ok("PUT", f"{second.path}/{id}", {**revisions(high), "v": 2}, new_edits=False)
    theirs = second.qualifier + id
    assert analyst.send("GET", f"{union}/{id}/f.txt").content == first.name.encode()
    assert analyst.send("GET", f"{union}/{theirs}/f.txt").content == second.name.encode()
    assert "_conflicts" not in analyst.ok("GET", f"{union}/{id}", conflicts=True)
    assert analyst.ok("GET", f"{union}/{theirs}", conflicts=True)["_conflicts"] == [f"1-{high}"]
    revs = {name: [row["changes"][0]["rev"] for row in analyst.ok("GET", union + "/_changes")["results"]
                   if row["id"] == name] for name in (id, theirs)}
    missing = analyst.ok("POST", union + "/_revs_diff", {id: revs[theirs], theirs: revs[id] + revs[theirs]})
    assert {name: row["missing"] for name, row in missing.items()} == {id: revs[theirs], theirs: revs[id]}
    whole = analyst.ok("GET", f"{union}/{theirs}", attachments=True, revs=True)
    assert whole["_revisions"]["start"] == 2 and whole["muster_owner"] == second.name


def test_ids_are_listed_in_order_page_by_page(server, two):
    first, second, analyst = two
    names = [f"{letter}-{first.name}" for letter in "atuvz"] + ["user-", "user-1", "user-00000000000", "user-9:x"]
    for person in (first, second):
        person.couch.ok("POST", person.path + "/_bulk_docs", {"docs": [{"_id": name} for name in names]})
    rows = [row["id"] for row in analyst.ok("GET", union + "/_all_docs")["rows"]]
    assert rows == sorted(rows) and len(rows) == len(set(rows))
    assert {second.qualifier + name for name in names[:5]} <= set(rows)
    paged, start = [], None
    while True:
        query = {} if start is None else {"startkey": json.dumps(start), "skip": 1}
        page = [row["id"] for row in analyst.ok("GET", union + "/_all_docs", limit=2, **query)["rows"]]
        paged += page
        if len(page) < 2:
            break
        start = page[-1]
    assert paged == rows
    assert [row["id"] for row in analyst.ok("GET", union + "/_all_docs", descending=True)["rows"]] == rows[::-1]
    edges = {"startkey": json.dumps(second.qualifier), "endkey": json.dumps(second.qualifier + "\ufff0")}
    own = analyst.ok("GET", union + "/_all_docs", **edges)["rows"]
    assert {second.qualifier + name for name in names[:5]} <= {row["id"] for row in own}
    assert all(row["id"].startswith(second.qualifier) for row in own)
    by_id = {"selector": {"_id": {"$gte": second.qualifier, "$lt": second.qualifier + "\ufff0"}}, "limit": 999}
    assert [row["_id"] for row in analyst.ok("POST", union + "/_find", by_id)["docs"]] == [row["id"] for row in own]
    keys = [names[0], second.qualifier + names[0], first.qualifier + names[0]]
    found = analyst.ok("POST", union + "/_all_docs", {"keys": keys})["rows"]
    assert [row.get("error") for row in found] == [None, None, "not_found"]


def test_a_long_id_stands_qualified_too_and_is_replicated(server, two):
    first, second, analyst = two
    admin = as_admin(server)
    long = first.name + "i" * (2_048 - len(first.name))
    nested = second.qualifier + long
    for person in (first, second):
        person.put(long, {"of": person.name})
        person.put(nested, {"of": person.name})
        person.couch.refused(400, "illegal_docid", "PUT", f"{person.path}/{long}i", {})
    # A replica has room for what was qualified once. What an app called so itself may be left out, and stops nothing.
    target = f"long-{first.name}"
    ids = sorted(told(analyst, first, second))
    done = admin.ok("POST", "/_replicate", {
        "source": union[1:], "target": target, "create_target": True, "doc_ids": ids})
    kept = {row["id"] for row in admin.ok("GET", f"/{target}/_all_docs")["rows"]}
    assert {long, second.qualifier + long} <= kept
    assert len(ids) - len(kept) == done["history"][0]["doc_write_failures"]


@pytest.mark.soak
def test_a_replica_of_the_union_converges_whatever_happens_meanwhile(make_server):
    seed = int(os.environ.get("MUSTER_SEED", "23"))
    print("seed", seed)
    chance = random.Random(seed)
    server = make_server()
    server.start()
    people = [Person(server, name) for name in ("ann", "ben", "eve")]
    admin = as_admin(server)
    order = {"source": union[1:], "target": "replica", "create_target": True}
    ids = ["a", "b", "settings", people[0].qualifier + "a", "user-"]
    for round in range(rounds(4, 60)):
        for _ in range(20):
            person, id = chance.choice(people), chance.choice(ids)
            path = f"{person.path}/{id}"
            known = person.couch.send("GET", path)
            rev = known.json().get("_rev") if known.ok else None
            if rev and chance.random() < 0.3:
                person.couch.ok("DELETE", path, rev=rev)
            else:
                person.couch.ok("PUT", path, {"n": chance.random(), **({"_rev": rev} if rev else {})})
        if round % 4 == 1:
            server.kill()
            server.start()
            people[0].couch.address = people[1].couch.address = people[2].couch.address = server.address
            admin.address = server.address
        admin.ok("POST", "/_replicate", order)
        rows = {}
        for database in (union, "/replica"):
            found = admin.ok("GET", database + "/_changes", style="all_docs", include_docs=True)["results"]
            rows[database] = {
                row["id"]: (sorted(change["rev"] for change in row["changes"]), row["doc"]) for row in found}
        assert rows[union] == rows["/replica"]
        assert all(len(leaves) == 1 for leaves, _ in rows[union].values()), "nobody makes another's conflicts"
    owners = {id: document["muster_owner"] for id, (_, document) in rows[union].items() if "muster_owner" in document}
    assert set(owners.values()) == {"ann", "ben", "eve"}
    assert admin.ok("POST", "/_replicate", order)["no_changes"]


def test_an_unmodified_client_reads_each_owners_document(server, two):
    first, second, _ = two
    id = f"sdk-{first.name}"
    for person in (first, second):
        person.put(id, {"of": person.name})
    client = CloudantV1(authenticator=CouchDbSessionAuthenticator("admin", admin_password))
    client.set_service_url(server.address)
    theirs = second.qualifier + id
    assert client.get_document(db=union[1:], doc_id=theirs).get_result()["of"] == second.name
    found = client.post_find(db=union[1:], selector={"muster_owner": second.name}).get_result()["docs"]
    assert [document["_id"] for document in found] == [theirs]
    rows = client.post_all_docs(db=union[1:], keys=[id, theirs], include_docs=True).get_result()["rows"]
    assert [row["doc"]["muster_owner"] for row in rows] == [first.name, second.name]
