"""Connections of those who mean no good, or whose network does not: they cost little, and hold nothing up."""

import json
import resource
import socket
import time

import pytest

from muster_process import stop_seconds
from waiting import eventually
from wire import Wire, credentials, put, timeout_seconds

patience_seconds = 40
"""So long a server may take to end though somebody is silent. It takes 2 seconds, and the machine may pause; a server
that serves on lets a client read nothing for 45."""


def test_unread_answers_do_not_pile_up(make_server):
    server = make_server().start()
    with Wire(server) as wire:
        wire.send("PUT /notes")
        wire.answer()
        put(wire, "/notes/large", {"text": "x" * 1_000_000})
        before = server.resident_bytes()
        request = f"GET /notes/large HTTP/1.1\r\nHost: a\r\nAuthorization: Basic {credentials}\r\n\r\n".encode()
        count = 200
        wire.socket.sendall(request * count)
        assert wire.file.readline() == b"HTTP/1.1 200 OK\r\n"
        # The server is well while somebody leaves two hundred answers.
        with Wire(server) as other:
            other.send("GET /notes")
            assert other.answer()[0] == 200
        assert server.resident_bytes() - before < 60 << 20
        # And whoever begins to read gets every one of them.
        while wire.file.readline() != b"\r\n":
            pass
        assert len(wire.file.read(1_000_000)) == 1_000_000
    with Wire(server) as wire:
        wire.socket.sendall(request * 20)
        texts = [len(json.loads(wire.answer()[2])["text"]) for _ in range(20)]
        assert texts == [1_000_000] * 20


def test_unread_answers_of_one_users_connections_are_bounded_in_memory(make_server):
    server = make_server().start()
    admin = server.admin()
    (member, other), count, size = (admin.make_user("member"), admin.make_user("other")), 64, 8_000_000
    document = "//lt_locations_user_member/large"
    member.ok("PUT", document, {"text": "x" * size})
    before = server.resident_bytes()
    request = f"GET {document[1:]} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {member.token}\r\n\r\n".encode()
    readers = []
    for _ in range(count):
        reader = socket.socket()
        # The operating system of the client takes little of the answer.
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        reader.settimeout(timeout_seconds)
        reader.connect(("127.0.0.1", server.port))
        reader.sendall(request)
        readers.append(reader)
    statuses = [reader.recv(12) for reader in readers]
    assert statuses.count(b"HTTP/1.1 200") >= 2
    assert statuses.count(b"HTTP/1.1 429") == count - statuses.count(b"HTTP/1.1 200")
    # The limit of 96 MiB of answers, and the memory of two requests under way. All answers would take 512 MB.
    assert server.resident_bytes() - before < 300 << 20
    assert other.send("GET", "/positions").ok
    for reader in readers:
        reader.close()

    def is_served():
        with member.send("GET", document) as answer:
            return answer.ok and len(answer.content) > size

    eventually(is_served, seconds=timeout_seconds)


@pytest.mark.parametrize("line, headers", [
    ("GET /_up", "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n"),
    ("GET /_up", "Connection: Upgrade\r\nUpgrade: websocket\r\n"),
    ("CONNECT a:80", ""),
], ids=["h2c", "websocket", "connect"])
def test_a_request_for_another_protocol_is_answered_and_closes_the_connection(wire, line, headers):
    wire.send(line, headers)
    _, answered, _ = wire.answer()
    assert answered["Connection"] == "close"
    assert wire.is_over()


def test_connections_beyond_the_file_limit_wait_and_end_no_other(make_server):
    server = make_server().start()
    with Wire(server) as wire:
        wire.send("GET /_up")
        assert wire.answer()[0] == 200
    soft = hard = 200
    server.kill()
    server.launch(before_exec=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard)))
    server.await_ready()
    many = [socket.create_connection(("127.0.0.1", server.port), timeout_seconds) for _ in range(250)]
    many[0].sendall(b"GET /_up HTTP/1.1\r\nHost: a\r\n\r\n")
    assert many[0].recv(12) == b"HTTP/1.1 200"
    for connection in many:
        connection.close()
    with Wire(server) as wire:
        wire.send("GET /_up")
        assert wire.answer()[0] == 200
    assert server.stop() == 0


@pytest.mark.parametrize("sent", [
    b"GET /_up HT",
    b"POST /_session HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n",
    b"PUT /notes/a HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\nConnection: close\r\n\r\n{",
], ids=["head", "body", "refused"])
def test_a_silent_client_does_not_delay_the_stop(make_server, sent):
    server = make_server(arguments=["--request-seconds", "3600"]).start()
    with Wire(server) as wire:
        wire.socket.sendall(sent)
        with Wire(server) as other:
            other.send("GET /_up")
            assert other.answer()[0] == 200
        assert server.stop() == 0


def test_an_unread_feed_does_not_delay_the_stop(make_server):
    server = make_server().start()
    with Wire(server) as wire:
        wire.send("PUT /notes")
        wire.answer()
        slow = socket.socket()
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.settimeout(timeout_seconds)
        slow.connect(("127.0.0.1", server.port))
        slow.sendall(
            f"GET /notes/_changes?feed=continuous&include_docs=true HTTP/1.1\r\nHost: a\r\n"
            f"Authorization: Basic {credentials}\r\n\r\n".encode())
        assert slow.recv(12) == b"HTTP/1.1 200"
        for number in range(150):
            put(wire, f"/notes/{number}", {"text": "x" * 40_000})
    with slow:
        began = time.monotonic()
        assert server.stop() == 0
        assert time.monotonic() - began < patience_seconds < stop_seconds


def test_a_slow_clients_answer_is_sent_whole_before_the_server_stops(make_server):
    server = make_server().start()
    with Wire(server) as wire:
        wire.send("PUT /notes")
        wire.answer()
        put(wire, "/notes/large", {"text": "x" * 7_000_000})
    slow = socket.socket()
    slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 << 10)
    slow.settimeout(timeout_seconds)
    slow.connect(("127.0.0.1", server.port))
    with slow:
        slow.sendall(
            f"GET /notes/large HTTP/1.1\r\nHost: a\r\nAuthorization: Basic {credentials}\r\n\r\n".encode())
        received = slow.recv(1000)
        server.process.terminate()
        while piece := slow.recv(1 << 20):
            received += piece
    head, _, body = received.partition(b"\r\n\r\n")
    assert int(head.split(b"Content-Length: ")[1].split(b"\r\n")[0]) == len(body)
    assert server.process.wait(stop_seconds) == 0


def test_a_bad_chunk_after_the_answer_ends_the_connection(wire):
    wire.socket.sendall(
        b"PUT /notes/a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n")
    assert wire.answer()[0] == 401
    wire.socket.sendall(b"zz\r\n")
    assert wire.is_over()


def test_header_fields_are_bounded_as_a_whole(wire):
    wire.socket.sendall(
        b"GET /_up HTTP/1.1\r\nHost: a\r\n" + b"".join(b"X%d: %s\r\n" % (number, b"y" * 1000) for number in range(200))
        + b"\r\n")
    assert wire.answer()[0] == 400
