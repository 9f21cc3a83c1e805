"""Beside a real CouchDB under load: edits of documents with files on both sides at once, while Muster is killed.

`COUCHDB_URL` names the CouchDB, as in `test_couchdb_peer.py`.
"""

import hashlib
import random
import threading
import time

import pytest
import requests

from couchdb_peer import at, leaves

documents = 24
load_seconds = 8
converge_seconds = 25
"""After the last write, while nobody is killed: sooner than a CouchDB tries a job that failed again."""
recover_seconds = 120
"""After a kill: a CouchDB tries a job that failed again after half a minute."""


class Writer(threading.Thread):
    """Edits documents with files in one server until it is told to end; asks again while the server is gone."""

    def __init__(self, server, name, word, seed):
        super().__init__(daemon=True)
        self.server = server
        self.name = name
        self.word = word
        self.random = random.Random(seed)
        self.is_over = threading.Event()
        self.acknowledged = []
        """(id, revision) of every edit that was answered."""
        self.fault = None

    def run(self):
        turn = 0
        while not self.is_over.is_set() and self.fault is None:
            turn += 1
            try:
                self.edit(f"d{self.random.randrange(documents)}", turn)
            except requests.RequestException:
                self.is_over.wait(0.1)
            except AssertionError as fault:
                self.fault = fault

    def edit(self, id, turn):
        """A new body; every third time a file as well, of the same name on both sides."""
        path = f"/{self.name}/{id}"
        read = self.server.send("GET", path)
        document = read.json() if read.status_code == 200 else {}
        if read.status_code not in (200, 404):
            assert read.status_code in (500, 503), read.text
            return
        document |= {"by": self.word, "turn": turn}
        written = self.server.send("PUT", path, document)
        if written.status_code in (409, 500, 503):
            # The other side's edit came in between; the next turn reads again.
            return
        assert written.status_code in (201, 202), written.text
        self.acknowledged.append((id, written.json()["rev"]))
        if turn % 3 == 0:
            content = self.random.randbytes(self.random.choice([20, 4_000, 120_000]))
            put = self.server.send(
                "PUT", f"{path}/photo.bin", raw=content, headers={"Content-Type": "image/jpeg"},
                rev=written.json()["rev"])
            assert put.status_code in (201, 202, 409, 500, 503), put.text
            if put.status_code in (201, 202):
                self.acknowledged.append((id, put.json()["rev"]))

    def end(self):
        self.is_over.set()
        self.join(60)
        assert self.fault is None and not self.is_alive(), self.fault


def files(server, name, found):
    """The bytes of every leaf's files."""
    told = {}
    for id, (revisions, _, _) in found.items():
        for revision in revisions:
            for file, stub in server.ok("GET", f"/{name}/{id}", rev=revision).get("_attachments", {}).items():
                content = server.send("GET", f"/{name}/{id}/{file}", rev=revision).content
                told[id, revision, file] = (
                    hashlib.sha256(content).hexdigest(), stub["content_type"], stub["length"], stub["revpos"])
    return told


def differences(muster, couch, name):
    ours, theirs = leaves(muster, name), leaves(couch, name)
    return sorted(id for id in ours.keys() | theirs.keys() if ours.get(id) != theirs.get(id))


def converge(muster, couch, name, seconds):
    """Waits until both sides tell the same leaves, ancestors and winners; returns how long that took."""
    start = time.monotonic()
    while (apart := differences(muster, couch, name)) and time.monotonic() - start < seconds:
        time.sleep(0.2)
    took = time.monotonic() - start
    assert not apart, f"after {took:.1f} s these differ: {apart}"
    return took


@pytest.mark.parametrize("driver", ["muster", "couchdb"])
def test_edits_with_files_on_both_sides_converge_through_kills(started, both, driver, record_property):
    muster, couch, name, url = both
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    ours = name if driver == "muster" else at(muster, name)
    orders = {"pull": {"source": url, "target": ours}, "push": {"source": ours, "target": url}}
    replicator = muster if driver == "muster" else couch
    made = {}
    for word, order in orders.items():
        made[word] = replicator.ok("PUT", f"/_replicator/{name}-{word}", {**order, "continuous": True})["rev"]
    try:
        acknowledged = load(started, muster, couch, name, seed, kills=3)
        converge(muster, couch, name, recover_seconds)
        acknowledged += load(started, muster, couch, name, seed + 1, kills=0)
        took = converge(muster, couch, name, converge_seconds)
        record_property("seconds to converge", took)
        print(f"{driver} replicates: {len(acknowledged)} edits, the same {took:.1f} s after the last")
        found = leaves(muster, name)
        assert files(muster, name, found) == files(couch, name, found)
        for id, revision in acknowledged:
            known = [f"{path['start'] - n}-{hash}" for path in found[id][2] for n, hash in enumerate(path["ids"])]
            assert revision in known, f"{id} {revision} was acknowledged"
    finally:
        for word in made:
            order = replicator.ok("GET", f"/_replicator/{name}-{word}")
            replicator.ok("DELETE", f"/_replicator/{name}-{word}", rev=order["_rev"])


def load(server, muster, couch, name, seed, kills):
    """Edits on both sides for some seconds, in which Muster is killed and started again; what was acknowledged."""
    writers = [Writer(muster, name, "muster", seed), Writer(couch, name, "couch", seed + 7)]
    for writer in writers:
        writer.start()
    for _ in range(kills):
        time.sleep(load_seconds / (kills + 1))
        server.kill()
        server.start()
    time.sleep(load_seconds / (kills + 1))
    for writer in writers:
        writer.end()
    return [edit for writer in writers for edit in writer.acknowledged]
