"""Peers that a replication should not have turned to: they send too much, something else, half of it, or nothing."""

import base64
import hashlib
import http.server
import json
import random
import socket
import threading

import pytest

from bomb import gzip_bomb
from muster_process import MusterProcess
from replicating_servers import Couch, private
from waiting import eventually

draw = random.Random(17)
bomb_bytes = 512 << 20
"""What the bomb is, unpacked."""


@pytest.fixture(scope="module")
def bomb():
    """Half a gigabyte of blanks, in half a megabyte."""
    return gzip_bomb(bomb_bytes >> 20)


class HostilePeer:
    """Answers as a CouchDB does that has one document with a file, and one path as it should not."""

    def __init__(self, bomb=None, path=None, file=b"", promised=None, cuts=0, spoilt=None):
        self.bomb = bomb
        self.path = path
        self.file = file
        self.promised = promised or file
        self.digest = base64.b64encode(hashlib.md5(self.promised).digest()).decode()
        self.cuts = cuts
        """How often the file is cut off half-way."""
        self.spoilt = spoilt or {}
        """By path, what is answered first in the place of what is there: a status and a body."""
        peer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                path = self.path.split("?")[0]
                # It remembers nothing, whatever it is told.
                taken = self.command == "PUT" or path.endswith("/_ensure_full_commit")
                status, body = (201, b'{"ok":true,"rev":"0-1"}') if taken else peer.answers(path)
                self.send_response(status)
                if peer.bomb and body is peer.bomb:
                    self.send_header("Content-Encoding", "gzip")
                kind = "application/x-ndjson" if path.endswith("_snapshot") else "application/json"
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                if path == "/notes/a/big":
                    self.send_header("Content-MD5", peer.digest)
                self.end_headers()
                if peer.cuts and path == "/notes/a/big":
                    peer.cuts -= 1
                    self.close_connection = True
                    body = body[:len(body) // 2]
                self.wfile.write(body)

            do_GET = do_POST = do_PUT = answer

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            def handle_error(self, *_):
                """Whoever is sent a bomb hangs up."""

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/notes"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answers(self, path):
        if path == self.path:
            return 200, self.bomb
        if path in self.spoilt:
            return self.spoilt.pop(path)
        if path == "/notes/a/big":
            return 200, self.file
        found = {
            "/": {"couchdb": "Welcome", "uuid": "0" * 32}, "/notes": {"db_name": "notes", "doc_count": 1},
            "/notes/_changes": {"results": [{"seq": 1, "id": "a", "changes": [{"rev": "1-a"}]}], "last_seq": 1,
                                "pending": 0},
            "/notes/_bulk_get": {"results": [{"id": "a", "docs": [{"ok": {
                "_id": "a", "_rev": "1-a", "_attachments": {"big": {
                    "content_type": "application/octet-stream", "length": len(self.promised), "revpos": 1, "stub": True,
                    "digest": "md5-" + self.digest}}}}]}]},
        }.get(path)
        return (200, json.dumps(found).encode()) if found else (404, b'{"error":"not_found","reason":"missing"}')


def memory_peak(server):
    """The most memory that the server ever had, in bytes."""
    with open(f"/proc/{server.process.pid}/status", encoding="ascii") as status:
        line = next(line for line in status if line.startswith("VmHWM:"))
    return int(line.split()[1]) << 10


@pytest.fixture(scope="module")
def target(tmp_path_factory):
    """A server that may turn to peers on this machine, and the memory that it has at first."""
    with MusterProcess(tmp_path_factory.mktemp("muster"), arguments=private) as server:
        yield server, memory_peak(server)


@pytest.mark.parametrize("path", [
    "/notes", "/", "/notes/_changes", "/notes/_snapshot"])
def test_a_decompression_bomb_of_a_peer_is_an_error_and_never_whole_in_memory(target, bomb, path):
    assert len(bomb) < 1 << 20
    server, memory_at_first = target
    couch = Couch(server)
    name = "from" + path.replace("/", "-").lower()
    status, answer = couch.send("POST", "/_replicate", {
        "source": HostilePeer(bomb, path).url, "target": name, "create_target": True})
    told = json.loads(answer)
    assert status in (413, 500) and "67108864 bytes" in told["reason"], (status, answer)
    assert memory_peak(server) - memory_at_first < bomb_bytes
    assert couch.ok("GET", f"/{name}")["doc_count"] == 0
    assert couch.ok("GET", "/_active_tasks") == []


@pytest.mark.parametrize("path", ["/notes/_bulk_get", "/notes/a/big"])
def test_a_bomb_in_the_place_of_a_document_or_its_file_is_refused_with_it_and_never_in_memory_whole(
        target, bomb, path):
    server, memory_at_first = target
    couch = Couch(server)
    name = "of" + path.replace("/", "-").lower()
    done = couch.ok("POST", "/_replicate", {
        "source": HostilePeer(bomb, path).url, "target": name, "create_target": True})["history"][0]
    assert (done["docs_written"], done["doc_write_failures"]) == (0, 1)
    assert memory_peak(server) - memory_at_first < bomb_bytes
    assert couch.ok("GET", f"/{name}")["doc_count"] == 0


def test_a_file_that_is_cut_off_on_its_way_is_fetched_again(target):
    couch = Couch(target[0])
    file = draw.randbytes(1 << 20)
    peer = HostilePeer(file=file, cuts=2)
    couch.ok("POST", "/_replicate", {"source": peer.url, "target": "cut", "create_target": True})
    assert peer.cuts == 0 and couch.send("GET", "/cut/a/big")[1] == file


@pytest.mark.parametrize(("path", "answer"), [
    ("/notes", (200, b'{"db_name":"no')), ("/notes/_changes", (200, b'{"results":[{"seq":1,"id":"a"')),
    ("/notes/_bulk_get", (200, b'{"results":[{"id":"a","docs":[{"error":{"id":"a","error":"timeout"}}]}]}')),
    ("/notes/_bulk_get", (503, b"{}")), ("/notes/a/big", (404, b'{"error":"not_found","reason":"missing"}')),
])
def test_a_peers_failed_answer_is_requested_again_and_never_taken_as_empty(target, path, answer):
    couch = Couch(target[0])
    peer = HostilePeer(file=b"nine byte", spoilt={path: answer})
    name = f"again{path.replace('/', '-').lower()}{answer[0]}"
    done = couch.ok("POST", "/_replicate", {"source": peer.url, "target": name, "create_target": True})
    assert done["history"][0]["docs_written"] == 1 and not peer.spoilt
    assert couch.send("GET", f"/{name}/a/big")[1] == b"nine byte"


def test_a_file_that_is_promised_too_large_is_refused_and_not_fetched(target):
    couch = Couch(target[0])
    peer = HostilePeer(promised=bytes((64 << 20) + 1), spoilt={"/notes/a/big": (200, b"")})
    done = couch.ok("POST", "/_replicate", {"source": peer.url, "target": "large", "create_target": True})
    assert done["history"][0]["doc_write_failures"] == 1 and done["history"][0]["docs_written"] == 0
    assert peer.spoilt, "it was never asked for"
    assert couch.ok("GET", "/large")["doc_count"] == 0


def test_a_file_that_is_not_what_was_promised_is_not_stored(target):
    couch = Couch(target[0])
    promised = draw.randbytes(100_000)
    for file in (draw.randbytes(100_000), promised[:-1], promised + b"x"):
        peer = HostilePeer(file=file, promised=promised)
        order = {"source": peer.url, "target": "damaged", "create_target": True}
        done = couch.ok("POST", "/_replicate", order)["history"][0]
        assert (done["docs_written"], done["doc_write_failures"]) == (0, 1)
        assert couch.ok("GET", "/damaged")["doc_count"] == 0 and couch.send("GET", "/damaged/a/big")[0] == 404
    # Once it is, it comes.
    peer.file = promised
    done = couch.ok("POST", "/_replicate", order)["history"][0]
    assert (done["docs_written"], done["doc_write_failures"]) == (1, 0)
    assert couch.send("GET", "/damaged/a/big")[1] == promised


def test_a_server_that_replicates_from_itself_has_no_rights_without_credentials(target):
    server, _ = target
    couch = Couch(server)
    sam, mia = (server.admin().make_user(name).token for name in ("sam", "mia"))
    own = "lt_locations_user_sam"
    couch.authorization = f"Bearer {sam}"
    couch.ok("PUT", f"/{own}/doc", {"secret": "52.505"})
    couch = Couch(server)
    couch.ok("PUT", "/loop")
    host = server.address.removeprefix("http://")
    for way, expected in (("", 401), (f"mia:{mia}@", 403), ("sam:mk_guessed@", 401)):
        there = f"http://{way}{host}/{own}"
        for order in ({"source": there, "target": "loop"}, {"source": "loop", "target": there}):
            status, answer = couch.send("POST", "/_replicate", order)
            assert status == expected and mia.encode() not in answer and b"guessed" not in answer, (status, answer)
    assert couch.ok("GET", "/loop")["doc_count"] == 0 and couch.ok("GET", f"/{own}")["doc_count"] == 1
    order = {"source": f"http://sam:{sam}@{host}/{own}", "target": "loop"}
    assert couch.ok("POST", "/_replicate", order)["ok"] and couch.ok("GET", "/loop")["doc_count"] == 1


def test_a_replication_that_a_client_waits_for_counts_to_the_limit_of_jobs(make_server):
    server = make_server("left", arguments=private).start()
    couch = Couch(server)
    # The orders wait until they are cancelled, however long the rest takes.
    couch.timeout_seconds = 600
    couch.ok("PUT", "/notes")
    # It takes connections and never answers.
    silent = socket.create_server(("127.0.0.1", 0), backlog=512)
    order = {"source": f"http://127.0.0.1:{silent.getsockname()[1]}/notes", "target": "notes"}
    answers = []
    senders = [threading.Thread(target=lambda: answers.append(couch.send("POST", "/_replicate", order)))
               for _ in range(100)]
    for sender in senders:
        sender.start()
    jobs = eventually(lambda: (jobs := couch.ok("GET", "/_scheduler/jobs")) and jobs["total_rows"] == 100 and jobs)
    for continuous in (False, True):
        status, answer = couch.send("POST", "/_replicate", {**order, "continuous": continuous})
        assert status == 503 and b"100 replications" in answer, (status, answer)
    # A document waits for its turn.
    couch.ok("PUT", "/_replicator/later", {"source": "notes", "target": "copy", "create_target": True})
    assert couch.ok("GET", "/_scheduler/docs/_replicator/later")["state"] == "pending"
    assert couch.ok("POST", "/_replicate", {"replication_id": jobs["jobs"][0]["id"], "cancel": True})["ok"]
    for sender in senders:
        sender.join()
    assert {status for status, _ in answers} == {503} and len(answers) == 100
    eventually(lambda: couch.ok("GET", "/_scheduler/jobs")["total_rows"] == 0)
    silent.close()


def test_a_queued_replication_starts_when_there_is_room(make_server):
    server = make_server("left", arguments=private).start()
    couch = Couch(server)
    couch.fill("notes", 3)
    silent = socket.create_server(("127.0.0.1", 0), backlog=512)
    # Never done: it takes connections and never answers.
    orders = [{"source": f"http://127.0.0.1:{silent.getsockname()[1]}/n{index}", "target": "notes", "continuous": True}
              for index in range(100)]
    for order in orders:
        couch.ok("POST", "/_replicate", order)
    for index in range(3):
        couch.ok("PUT", f"/_replicator/later{index}", {
            "source": "notes", "target": f"copy{index}", "create_target": True})
    docs = couch.ok("GET", "/_scheduler/docs")["docs"]
    assert [document["state"] for document in docs] == ["pending"] * 3
    # Documents are touched no more: that there is room is what begins them, one after the other.
    couch.ok("POST", "/_replicate", {**orders[0], "cancel": True})
    eventually(lambda: all(
        couch.ok("GET", f"/_replicator/later{index}").get("_replication_state") == "completed" for index in range(3)))
    # A job ends after it has written so into its document.
    eventually(lambda: couch.ok("GET", "/_scheduler/jobs")["total_rows"] == 99)
    silent.close()
