"""kill -9 while documents are written: what was acknowledged is there once, batches are there whole or not at all."""

import http.client
import json
import random
import threading
import time
import urllib.parse
import urllib.request

import pytest

from soak import rounds
from waiting import eventually

crashes = rounds(2, 40)
batch_size = 40
databases = ("crashes", "lt_locations_user_ann")


def call(server, method, path, body=None):
    """An answer of CouchDB's endpoint, as the holder of the admin's key."""
    request = urllib.request.Request(
        server.address + "/couchdb" + path, method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {server.admin().token}", "Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read())


class Writer(threading.Thread):
    """Puts batches of new documents, one after the other, and edits those of the batch before."""

    def __init__(self, server, database, seed):
        super().__init__(daemon=True)
        self.server = server
        self.database = urllib.parse.quote(database, safe="")
        self.random = random.Random(seed)
        self.batches = {}
        """By batch, the revisions that were acknowledged, by id."""
        self.tried = []
        self.count = 0
        self.is_over = False
        self.fault = None

    def run(self):
        while not self.is_over and self.fault is None:
            name = f"{self.random.randrange(1 << 40):010x}"
            ids = [f"{name}-{number}" for number in range(batch_size)]
            self.tried.append((name, ids))
            docs = [{"_id": id, "batch": name, "n": number} for number, id in enumerate(ids)]
            try:
                rows = call(self.server, "POST", f"/{self.database}/_bulk_docs", {"docs": docs})
            except (OSError, http.client.HTTPException):
                # The server is down, or went down; it comes again at the same place.
                time.sleep(0.05)
                continue
            if any("rev" not in row for row in rows):
                self.fault = rows
                return
            self.batches[name] = {row["id"]: row["rev"] for row in rows}
            self.count += 1


def check(server, writer):
    """Compares what is stored with what was acknowledged."""
    told = call(server, "GET", f"/{writer.database}/_changes?include_docs=true")
    stored = {}
    for row in told["results"]:
        assert row["id"] not in stored, "a document is told once"
        stored[row["id"]] = row
    sequences = [row["seq"] for row in told["results"]]
    assert len(set(map(str, sequences))) == len(sequences)
    for revisions in list(writer.batches.values()):
        for id, revision in revisions.items():
            assert stored[id]["changes"][0]["rev"] == revision
            assert stored[id]["doc"]["_rev"] == revision
    for name, ids in writer.tried:
        there = sum(id in stored for id in ids)
        assert there in (0, batch_size), f"batch {name} is there by halves: {there}"
    assert call(server, "GET", f"/{writer.database}")["doc_count"] == len(stored)
    return set(stored)


@pytest.mark.soak
def test_acknowledged_documents_are_there_after_every_crash(make_server):
    seed = random.SystemRandom().randrange(1 << 32)
    print("seed", seed)
    chance = random.Random(seed)
    server = make_server()
    server.start()
    server.admin().make_user("ann", "member")
    call(server, "PUT", "/crashes")
    writers = [Writer(server, database, chance.random()) for database in databases]
    for writer in writers:
        writer.start()
    for _ in range(crashes):
        before = [writer.count for writer in writers]
        eventually(lambda: any(writer.fault for writer in writers) or all(
            writer.count > count for writer, count in zip(writers, before)))
        assert all(writer.fault is None for writer in writers)
        time.sleep(chance.random() * 0.3)
        server.kill()
        server.start()
    for writer in writers:
        writer.is_over = True
    for writer in writers:
        writer.join(60)
        assert writer.fault is None and not writer.is_alive()
        assert len(writer.batches) >= crashes
    stored = [check(server, writer) for writer in writers]
    # The union has what its users have, in the same transaction.
    union = call(server, "GET", "/lt_locations_all/_all_docs")["rows"]
    assert {row["id"] for row in union} == stored[1]
    server.end()
