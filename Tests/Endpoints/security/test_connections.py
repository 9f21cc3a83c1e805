"""Connections, byte by byte: what any client of HTTP/1 may do with one, and what none should."""

import json
import os
import random
import socket
import time

import pytest

from muster_process import stop_seconds
from wire import Wire, credentials, put, timeout_seconds


def test_requests_that_come_at_once_are_answered_in_turn(wire):
    wire.socket.sendall(b"".join(
        f"GET /{path} HTTP/1.1\r\nHost: muster\r\n\r\n".encode() for path in ["_uuids?count=3", "", "nope", "_up"]))
    answers = [wire.answer() for _ in range(4)]
    assert [status for status, _, _ in answers] == [200, 200, 401, 200]
    assert len(json.loads(answers[0][2])["uuids"]) == 3
    assert json.loads(answers[1][2])["couchdb"] == "Welcome"


@pytest.mark.parametrize("status, path", [
    (200, "/users"), (200, "/changes"), (200, "/positions"), (200, "/openapi.json"), (200, "//health"),
    (404, "/nowhere"), (422, "/users?limit=x"),
])
def test_head_answers_as_get_without_a_body(admin, status, path):
    get, head = admin.send("GET", path), admin.send("HEAD", path)
    assert (get.status_code, head.status_code) == (status, status)
    assert not head.content and int(head.headers["Content-Length"]) == len(get.content)
    assert {**head.headers, "Date": ""} == {**get.headers, "Date": ""}


@pytest.mark.parametrize("seed", range(3))
def test_a_request_may_come_in_any_pieces(wire, db, seed):
    pieces = random.Random(seed)
    print("seed", seed)
    for number in range(20):
        body = json.dumps({"text": "x" * pieces.randrange(3000)}).encode()
        chunks, rest = b"", body
        while rest:
            size = pieces.randrange(1, len(rest) + 1)
            chunks += b"%x\r\n%s\r\n" % (size, rest[:size])
            rest = rest[size:]
        chunked = pieces.random() < 0.5
        framing = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {len(body)}"
        head = f"PUT {db}/{number} HTTP/1.1\r\nHost: muster\r\nAuthorization: Basic {credentials}\r\n{framing}\r\n\r\n"
        request = head.encode() + (chunks + b"0\r\n\r\n" if chunked else body)
        while request:
            size = pieces.randrange(1, 400)
            wire.socket.sendall(request[:size])
            request = request[size:]
        status, _, answer = wire.answer()
        assert status == 201, answer
        wire.send(f"GET {db}/{number}")
        assert json.loads(wire.answer()[2])["text"] == json.loads(body)["text"]


def test_an_old_client_hears_where_an_answer_ends(server, db):
    with Wire(server) as wire:
        wire.send(f"GET {db}/_changes", version="1.0")
        head, _, body = wire.file.read().partition(b"\r\n\r\n")
        assert b"chunked" not in head and b"Connection: close" in head
        assert json.loads(body)["results"] == []
    with Wire(server) as wire:
        wire.send("GET /_up", "Connection: keep-alive\r\n", version="1.0")
        status, headers, _ = wire.answer()
        assert (status, headers["Connection"]) == (200, "keep-alive")
        wire.send("GET /_up", version="1.0")
        assert wire.answer()[1]["Connection"] == "close"
        assert wire.is_over()


def test_an_answer_to_head_has_no_body_even_without_a_known_length(wire, db):
    put(wire, f"{db}/a", {"b": 1})
    for path in [db, "/", f"{db}/a", f"{db}/a?open_revs=all"]:
        wire.send(f"HEAD {path}", "Accept: multipart/mixed, */*\r\n")
        status, headers, body = wire.answer("HEAD")
        assert (status, body) == (200, b""), path
        assert "Transfer-Encoding" not in headers
    wire.send("GET /_up")
    assert wire.answer()[0] == 200, "the next answer begins where the one before ended"


def test_close_is_obeyed(wire):
    wire.send("GET /_up", "Connection: close\r\n")
    status, headers, _ = wire.answer()
    assert (status, headers["Connection"]) == (200, "close")
    assert wire.is_over()


def test_a_half_closed_client_still_gets_the_answer(wire, db):
    put(wire, f"{db}/a", {"b": 1})
    wire.send(f"GET {db}/a")
    wire.socket.shutdown(socket.SHUT_WR)
    assert json.loads(wire.answer()[2])["b"] == 1
    assert wire.is_over()


@pytest.mark.parametrize("size", [7, 100_000])
def test_a_request_with_expect_is_answered_with_100_continue(wire, db, size):
    wire.send(f"PUT {db}/a", f"Content-Length: {size}\r\nExpect: 100-continue\r\n")
    assert wire.file.readline() == b"HTTP/1.1 100 Continue\r\n"
    assert wire.file.readline() == b"\r\n"
    wire.socket.sendall(b'{"b":1}' + b" " * (size - 7))
    assert wire.answer()[0] == 201


def test_an_unauthorized_request_is_not_answered_with_100_continue(server, db):
    for credential, status in [("", 401), ("Authorization: Basic YTpi\r\n", 401)]:
        with Wire(server) as wire:
            wire.socket.sendall(
                f"PUT {db}/a/file HTTP/1.1\r\nHost: muster\r\n{credential}Content-Length: 1000000\r\n"
                "Expect: 100-continue\r\n\r\n".encode())
            status_heard, headers, _ = wire.answer()
            assert (status_heard, headers["Connection"]) == (status, "close")
            assert wire.is_over()


def test_a_client_that_does_not_wait_for_100_continue_loses_nothing(wire, db):
    body = b'{"b":1}' + b" " * 100_000
    wire.send(f"PUT {db}/a", f"Content-Length: {len(body)}\r\nExpect: 100-continue\r\n", body)
    status = wire.answer()[0]
    if status == 100:
        status = wire.answer()[0]
    assert status == 201
    wire.send("GET /_up")
    assert wire.answer()[0] == 200


@pytest.mark.parametrize("garbage", [
    b"garbage\r\n\r\n", b"GET\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"GET / HTTP/1.1\r\nHost: a\r\nbad header\r\n\r\n", b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
    b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"POST /_session HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"y" * 200_000 + b"\r\n\r\n",
    b"GET /health HTTP/1.1\r\n\r\n", b"GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
], ids=["word", "method", "tls", "header", "length", "lengths", "framings", "chunk", "long", "no host", "two hosts"])
def test_a_malformed_request_is_answered_with_400_and_ends_the_connection(wire, garbage):
    wire.socket.sendall(garbage)
    status, headers, body = wire.answer()
    assert (status, headers["Connection"], body) == (400, "close", b"")
    assert wire.is_over()


@pytest.mark.parametrize("size", [1, 400])
@pytest.mark.parametrize("closes", [False, True])
def test_garbage_after_a_request_does_not_take_its_answer(wire, db, closes, size):
    body = b'{"a":1}'
    wire.send(
        f"PUT {db}/a", f"Content-Length: {len(body)}\r\n" + "Connection: close\r\n" * closes,
        body + b"hello, world\n" * size)
    assert wire.answer()[0] == 201
    if not closes:
        assert wire.answer()[0] == 400
    assert wire.is_over()


def test_a_large_refused_body_does_not_hide_the_answer(wire):
    body = b'{"x":"' + b"y" * (9 << 20) + b'"}'
    wire.send("POST /api/v1/positions", f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n", body)
    assert wire.answer()[0] == 413
    wire.send("GET /_up")
    assert wire.answer()[0] == 200, "the connection goes on after the whole body"


def test_an_upload_that_breaks_off_leaves_nothing(server, couch, db):
    rounds = [("Content-Length: 1000000\r\n", os.urandom(300_000)), ("Content-Length: 100\r\n", b"{"),
              ("Transfer-Encoding: chunked\r\n", b"5\r\n{\"a\":\r\n")]
    for number, (framing, sent) in enumerate(rounds):
        for path in [f"{db}/doc{number}", f"{db}/file{number}/attachment"]:
            with Wire(server) as wire:
                wire.send(f"PUT {path}", framing, sent)
    assert couch.ok("GET", db)["doc_count"] == 0
    assert "request failed" not in server.log()


def test_a_large_file_survives_the_way_there_and_back(wire, db):
    data = os.urandom(20 << 20)
    wire.send(f"PUT {db}/doc/file", f"Content-Length: {len(data)}\r\nContent-Type: a/b\r\n", data)
    assert wire.answer()[0] == 201
    wire.send(f"GET {db}/doc/file")
    assert wire.answer()[2] == data


def test_a_slow_reader_gets_the_whole_answer(server, db):
    data = os.urandom(8 << 20)
    with Wire(server) as wire:
        wire.send(f"PUT {db}/doc/file", f"Content-Length: {len(data)}\r\nContent-Type: a/b\r\n", data)
        assert wire.answer()[0] == 201
    slow = socket.socket()
    slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    slow.settimeout(timeout_seconds)
    slow.connect(("127.0.0.1", server.port))
    with slow:
        slow.sendall(
            f"GET {db}/doc/file HTTP/1.1\r\nHost: a\r\nAuthorization: Basic {credentials}\r\n"
            "Connection: close\r\n\r\n".encode())
        received = b"".join(iter(lambda: slow.recv(3000), b""))
    assert received.partition(b"\r\n\r\n")[2] == data


def test_requests_under_way_are_answered_before_the_server_stops(make_server):
    server = make_server(arguments=["--request-seconds", "3600"]).start()
    with Wire(server) as idle, Wire(server) as wire, Wire(server) as feed:
        wire.send("PUT /notes")
        assert wire.answer()[0] == 201
        feed.send("GET /notes/_changes?feed=longpoll&timeout=60000")
        feed.file.peek(1)
        wire.send("PUT /notes/a", "Content-Length: 7\r\nExpect: 100-continue\r\n")
        assert wire.file.readline() == b"HTTP/1.1 100 Continue\r\n"
        wire.file.readline()
        server.process.terminate()
        assert idle.is_over(), "who waits for nothing is sent home"
        assert json.loads(feed.answer()[2])["results"] == [], "a feed ends with what there is"
        assert server.process.poll() is None
        wire.socket.sendall(b'{"b":1}')
        status, headers, _ = wire.answer()
        assert headers["Connection"] == "close"
        assert status in (201, 503), "it was either stored or refused"
    assert server.process.wait(stop_seconds) == 0
    with server, Wire(server) as wire:
        wire.send("GET /notes/a")
        assert wire.answer()[0] == (200 if status == 201 else 404)


def test_a_reader_who_reads_nothing_does_not_delay_the_stop(make_server):
    server = make_server().start()
    with Wire(server) as wire:
        wire.send("PUT /notes")
        wire.answer()
        data = os.urandom(20 << 20)
        wire.send("PUT /notes/doc/file", f"Content-Length: {len(data)}\r\nContent-Type: a/b\r\n", data)
        assert wire.answer()[0] == 201
        wire.send("GET /notes/doc/file")
        assert wire.file.readline() == b"HTTP/1.1 200 OK\r\n"
        started = time.monotonic()
        assert server.stop() == 0
        print(f"ended after {time.monotonic() - started:.1f} s")
