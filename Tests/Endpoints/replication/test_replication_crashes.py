"""kill -9 in the middle of replications between servers: afterwards both sides are equal, nothing lost or doubled."""

import base64
import http.client
import json
import os
import random
import threading
import time
import urllib.parse

import pytest

import soak
from replicating_servers import Couch, private
from waiting import eventually

ways = ("pulled", "pushed", "passed")
"""A database each: pulled by its target, pushed by its source, passed on by a third server."""
rounds = soak.rounds(1, 10)
"""How often each of three servers is killed."""
first_documents = 300
converge_seconds = 240


class Edits(threading.Thread):
    """Writes into databases of one server until it is told to end: new documents, edits, deletions, conflicts, files.

    Every revision has its name from here (`new_edits=false`), so that what was sent again after a crash is the same.
    """

    def __init__(self, couch, databases, seed):
        super().__init__(daemon=True)
        self.couch = couch
        self.databases = databases
        self.random = random.Random(seed)
        self.paths = {database: {} for database in databases}
        """By database, the revisions of every document, newest first, of its branch that is edited."""
        self.leaves = {database: {} for database in databases}
        """By database, what was acknowledged: the leaves of every document."""
        self.files = {database: {} for database in databases}
        self.is_over = False
        self.fault = None

    def run(self):
        while not self.is_over and self.fault is None:
            for database in self.databases:
                self.send(database, self.batch(database, self.random.randrange(1, 60)))

    def batch(self, database, count):
        """New revisions of as many documents, no document twice."""
        documents = {}
        for _ in range(count):
            known = list(self.paths[database])
            is_new = not known or self.random.random() < 0.5
            id = f"d{len(known):05}-{self.hash()[:6]}" if is_new else self.random.choice(known)
            if id not in documents:
                documents[id] = self.revision(database, id)
        return documents

    def revision(self, database, id):
        before = self.paths[database].get(id, [])
        chance = self.random.random()
        if before and chance < 0.15:
            # Of the same parent as the last: a conflict.
            before = before[1:]
        path = [self.hash()] + before
        document = {
            "_id": id, "_revisions": {"start": len(path), "ids": path}, "text": self.hash() * 4,
            "created_at": self.random.randrange(1 << 40)}
        if before and chance > 0.9:
            document["_deleted"] = True
        elif chance > 0.8:
            # The larger go as parts of their own, the smaller within the document.
            data = self.random.randbytes(self.random.choice([10, 3_000, 90_000]))
            document["_attachments"] = {"file": {
                "content_type": "image/jpeg", "data": base64.b64encode(data).decode()}}
        return document

    def hash(self):
        return f"{self.random.getrandbits(128):032x}"

    def send(self, database, documents):
        """Sends until it is acknowledged, also to a server that is being started again."""
        body = {"new_edits": False, "docs": list(documents.values())}
        while True:
            try:
                status, answer = self.couch.send("POST", f"/{database}/_bulk_docs", body)
                break
            except (OSError, ValueError, http.client.HTTPException):
                if self.is_over:
                    return
                time.sleep(0.05)
        if status != 201 or json.loads(answer) != []:
            self.fault = (status, answer)
            return
        for id, document in documents.items():
            path = document["_revisions"]["ids"]
            revision = f"{len(path)}-{path[0]}"
            leaves = self.leaves[database].setdefault(id, set())
            leaves.add(revision)
            if len(path) > 1:
                leaves.discard(f"{len(path) - 1}-{path[1]}")
            self.paths[database][id] = path
            for file in document.get("_attachments", {}).values():
                self.files[database][(id, revision)] = base64.b64decode(file["data"])


def common_mark(source, target, database):
    """Up to where both remember that all is well, as a replication finds it when it begins."""
    logs = []
    for couch in (source, target):
        rows = couch.ok("GET", f"/{database}/_local_docs?include_docs=true")["rows"]
        assert len(rows) <= 1, "a replication has one log"
        sessions = rows[0]["doc"]["history"] if rows else []
        logs.append({session["session_id"]: int(session["recorded_seq"]) for session in sessions})
    shared = [session for session in logs[0] if session in logs[1]]
    return min(logs[0][shared[0]], logs[1][shared[0]]) if shared else 0


def open_leaves(couch, database, ids):
    """All leaves of documents with their ancestors and all they say, files as digests."""
    found = {}
    for id in ids:
        rows = couch.ok("GET", f"/{database}/{id}?open_revs=all&revs=true")
        found[id] = sorted((row["ok"] for row in rows), key=lambda leaf: leaf["_rev"])
    return found


def last_change(couch):
    """The number of the last change in any of the databases."""
    return max(int(couch.ok("GET", f"/{database}")["update_seq"]) for database in ways)


def check(edits, source, target, database):
    """Both sides hold what was acknowledged, and nothing else; every revision came once."""
    expected = {id: sorted(leaves) for id, leaves in edits.leaves[database].items()}
    assert source.outcome(database) == expected
    assert target.outcome(database) == expected
    sizes = [couch.ok("GET", f"/{database}") for couch in (source, target)]
    assert sizes[0]["doc_count"] == sizes[1]["doc_count"] and sizes[0]["doc_del_count"] == sizes[1]["doc_del_count"]
    chance = random.Random(database)
    several = [id for id, leaves in expected.items() if len(leaves) > 1]
    ids = chance.sample(sorted(expected), 25) + several[:10]
    assert open_leaves(target, database, ids) == open_leaves(source, database, ids)
    files = edits.files[database]
    standing = sorted(key for key in files if key[1] in expected[key[0]])
    for id, revision in chance.sample(standing, min(20, len(standing))):
        status, data = target.send("GET", f"/{database}/{id}/file?rev={revision}")
        assert status == 200 and data == files[(id, revision)], (id, revision)
    return sum(map(len, expected.values())), len(several), len(standing)


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["_replicator", "_replicate"])
def test_both_sides_are_equal_after_any_server_is_killed(make_server, kind):
    seed = int(os.environ.get("MUSTER_SEED", "20261122"))
    print(f"seed {seed}")
    chance = random.Random(f"{seed} {kind}")
    servers = {name: make_server(name, arguments=private).start() for name in ("source", "target", "third")}
    source, target, third = (Couch(servers[name]) for name in ("source", "target", "third"))
    for couch in (source, target):
        for database in ways:
            couch.ok("PUT", f"/{database}")
    orders = {
        "pulled": (target, {"source": source.url("pulled"), "target": "pulled"}),
        "pushed": (source, {"source": "pushed", "target": target.url("pushed")}),
        "passed": (third, {"source": source.url("passed"), "target": target.url("passed")})}

    def order(couch):
        for database, (orderer, body) in orders.items():
            if orderer is not couch:
                continue
            if kind == "_replicate":
                # Those are until the server stops; what runs already is left as it is.
                couch.ok("POST", "/_replicate", {**body, "continuous": True})
            elif couch.send("GET", f"/_replicator/{database}")[0] == 404:
                couch.ok("PUT", f"/_replicator/{database}", {**body, "continuous": True})

    edits = Edits(source, ways, f"{seed} edits {kind}")
    for database in ways:
        edits.send(database, edits.batch(database, first_documents))
    edits.start()
    for couch in (source, target, third):
        order(couch)
    marks = {database: 0 for database in ways}
    for name in ("target", "source", "third") * rounds:
        before = {database: int(target.ok("GET", f"/{database}")["update_seq"]) for database in ways}
        # All three get on, and then it is in the middle of something.
        eventually(lambda: edits.fault or all(
            int(target.ok("GET", f"/{database}")["update_seq"]) > before[database] for database in ways),
            seconds=converge_seconds)
        time.sleep(chance.random() * 0.4)
        servers[name].kill()
        time.sleep(chance.random() * 0.2)
        servers[name].start()
        order({"target": target, "source": source, "third": third}[name])
        for database in ways:
            mark = common_mark(source, target, database)
            assert mark >= marks[database], (database, mark, marks)
            marks[database] = mark
    edits.is_over = True
    edits.join(converge_seconds)
    assert edits.fault is None and not edits.is_alive()
    for database in ways:
        eventually(lambda: target.outcome(database) == source.outcome(database), seconds=converge_seconds)
        print(database, check(edits, source, target, database))
    # Each revision that arrived is one change, so the target has no more of them than the source. The numbers count
    # all changes of a server: the 10 leave room for the target's own, such as its order in `_replicator`.
    numbers = [row["seq"] for database in ways for row in target.ok("GET", f"/{database}/_changes")["results"]]
    assert len(set(numbers)) == len(numbers)
    made, arrived = (last_change(couch) for couch in (source, target))
    assert arrived <= made + 10, (arrived, made)
    # Nothing is left to do once both remember it, and doing it again changes nothing.
    for database in ways:
        newest = source.ok("GET", f"/{database}/_changes")["results"][-1]["seq"]
        eventually(lambda: common_mark(source, target, database) >= int(newest))
    for database, (orderer, body) in orders.items():
        done = orderer.ok("POST", "/_replicate", body)
        assert done.get("no_changes") or done["history"][0]["docs_written"] == 0, done
    assert last_change(target) == arrived
    for name, server in servers.items():
        assert urllib.parse.quote("a sound password") not in server.log(), name
