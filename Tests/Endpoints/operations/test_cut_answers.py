"""Answers that the end of the server cuts off: no client may take one for a whole answer, or wait for the rest."""

import fcntl
import json
import os
import socket
import struct
import termios

import pytest

from couch_api import as_admin
from waiting import eventually
from wire import Wire

read_bytes = 1 << 16


def small_window(server):
    """A connection on which the server gets rid of little while nobody reads."""
    wire = Wire(server)
    wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, read_bytes)
    return wire


@pytest.fixture
def started(make_server):
    return make_server().start()


@pytest.fixture
def couch(started):
    couch = as_admin(started)
    couch.ok("PUT", "/cut")
    return couch


def begin(wire, line):
    """Sends a request and reads the head of its answer."""
    wire.send(line)
    head = []
    while (field := wire.file.readline()) not in (b"\r\n", b""):
        head.append(field.decode().strip().lower())
    assert head[0] == "http/1.1 200 ok", head
    return head


def arrived_bytes(wire):
    """The number of bytes that have arrived and were not read yet."""
    def waiting():
        return struct.unpack("i", fcntl.ioctl(wire.socket, termios.FIONREAD, bytes(4)))[0]

    # `peek` would wait for bytes where none have arrived.
    return len(wire.file.peek()) + waiting() if waiting() else 0


def test_a_body_of_known_length_that_a_crash_cuts_off_ends_in_a_reset(started, couch):
    """With a regular end, `node-fetch`, and so PouchDB in Node, waits for the rest for ever."""
    length = 40 << 20
    content = os.urandom(1 << 20) * (length >> 20)
    couch.ok("PUT", "/cut/a/f", raw=content, headers={"Content-Type": "application/x-a"})
    with small_window(started) as wire:
        assert f"content-length: {length}" in begin(wire, "GET /cut/a/f")
        wire.file.read(read_bytes)
        started.kill()
        with pytest.raises(ConnectionResetError):
            while wire.file.read(read_bytes):
                pass


def test_an_answer_sent_before_a_crash_arrives_whole(started, couch):
    couch.ok("PUT", "/cut/a", {"text": "x" * 30_000})
    for path, length in (("/cut/a", 30_000), ("/cut/a/f", 20_000)):
        couch.ok("PUT", "/cut/a/f", raw=b"y" * 20_000, rev=couch.ok("GET", "/cut/a")["_rev"])
        with Wire(started) as wire:
            head = begin(wire, f"GET {path}")
            told, = (int(field.split(": ")[1]) for field in head if field.startswith("content-length: "))
            eventually(lambda: arrived_bytes(wire), lambda count: count == told)
            started.kill()
            assert len(wire.file.read()) == told >= length
        started.start()


def test_a_longpoll_that_a_crash_cuts_off_has_no_end(started, couch):
    since = couch.ok("GET", "/cut")["update_seq"]
    with Wire(started) as wire:
        assert "transfer-encoding: chunked" in begin(wire, f"GET /cut/_changes?feed=longpoll&since={since}")
        started.kill()
        assert not wire.file.read().endswith(b"0\r\n\r\n")


def test_a_longpoll_ended_by_a_stop_is_a_whole_answer_without_changes(started, couch):
    couch.ok("PUT", "/cut/a", {})
    since = couch.ok("GET", "/cut")["update_seq"]
    with Wire(started) as wire:
        wire.send(f"GET /cut/_changes?feed=longpoll&since={since}")
        assert wire.file.peek(1)
        assert started.stop() == 0
        _, _, body = wire.answer()
        assert json.loads(body) == {"results": [], "last_seq": since, "pending": 0}
