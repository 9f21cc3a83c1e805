"""What one member, or a stranger, may take of the server: never so much that the others wait."""

import base64
import json
import re
import socket
import threading
import time

import pytest
import requests

from couch_api import as_admin, as_user
from muster_process import admin_password
from native_api import fix, now
from soak import rounds
from waiting import eventually
from wire import Wire, credentials, timeout_seconds

others_seconds = 5
"""So long a request of somebody else may take meanwhile; on a machine that does nothing else it takes milliseconds."""
stop_seconds = 15


def basic_header(name, password):
    return "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()


def took(request):
    """Seconds that a request took which must succeed."""
    began = time.monotonic()
    answer = request()
    assert answer is None or answer.ok, f"{answer.status_code} {answer.text[:500]}"
    return time.monotonic() - began


def running_reads(server):
    """The number of reads of the store that are under way."""
    shown = requests.get(f"{server.address}/metrics", timeout=timeout_seconds).text
    return int(re.search(r'^muster_work_running{queue="readers"} (\d+)$', shown, re.M)[1])


def test_queries_of_one_member_end_and_delay_no_other_user(make_server):
    server = make_server().start()
    admin = server.admin()
    member, own = as_user(server, "hungry")
    documents = [{"_id": f"d{number}", "text": "a" * 60 + "!"} for number in range(500)]
    assert all("rev" in row for row in member.ok("POST", own + "/_bulk_docs", {"docs": documents}))
    patterns = [{"text": {"$regex": f"(a|aa)+(b|c{number}|[d-z])"}} for number in range(300)]
    faults = []

    def query():
        answer = member.send("POST", own + "/_find", {"selector": {"$or": patterns}})
        faults.append((answer.status_code, answer.json()))

    # The server runs two queries of one member at a time, so the third waits.
    queries = [threading.Thread(target=query, daemon=True) for _ in range(3)]
    for thread in queries:
        thread.start()
    eventually(lambda: running_reads(server) >= 2)
    assert not faults, "the queries are to last"
    worst = 0
    for number in range(5):
        key = admin.ok("POST", "/keys", {"label": f"k{number}"})["key"]
        sign_in = {"name": "admin", "password": admin_password}
        worst = max(
            worst,
            took(lambda: server.api().send("POST", "/session", sign_in)),
            took(lambda: server.api(key).send("GET", "/users")),
            took(lambda: server.api(key).send("GET", "/changes?since=0&limit=100")),
            took(lambda: server.api().send("GET", "//health")))
    assert worst < others_seconds
    for thread in queries:
        thread.join(60)
    assert [status for status, _ in faults] == [400] * 3
    assert all(fault["error"] == "timeout" and "_index" in fault["reason"] for _, fault in faults)
    # The operator is told whose they were, and not what was asked.
    assert 'user=hungry' in server.log() and "POST /{db}/_find" in server.log() and "aa" not in server.log()
    shown = requests.get(f"{server.address}/metrics", timeout=20).text
    cut_off = re.findall(r'^muster_reads_cut_off_total{reason="(?:deadline|steps)"} (\d+)$', shown, re.M)
    assert sum(map(int, cut_off)) == 3

    def hang():
        try:
            member.send("POST", own + "/_find", {"selector": {"$or": patterns}})
        except requests.RequestException:
            pass

    for _ in range(4):
        threading.Thread(target=hang, daemon=True).start()
    eventually(lambda: running_reads(server) >= 2)
    began = time.monotonic()
    assert server.stop() == 0
    assert time.monotonic() - began < stop_seconds


def test_a_query_ends_with_its_clients_connection(make_server):
    server = make_server().start()
    member, own = as_user(server, "leaves")
    documents = [{"_id": f"d{number}", "text": "a" * 60 + "!"} for number in range(500)]
    member.ok("POST", own + "/_bulk_docs", {"docs": documents})
    patterns = [{"text": {"$regex": f"(a|aa)+(b|c{number}|[d-z])"}} for number in range(300)]
    body = json.dumps({"selector": {"$or": patterns}}).encode()
    head = (f"POST {own}/_find HTTP/1.1\r\nHost: a\r\nAuthorization: {basic_header(*member.session.auth)}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n").encode()
    for _ in range(40):
        with Wire(server) as wire:
            wire.socket.sendall(head + body)
    # Forty queries of five seconds, two at a time, would be in the way for a hundred.
    began = time.monotonic()
    member.ok("GET", own)
    assert time.monotonic() - began < 30


def test_a_key_that_is_not_there_is_refused_before_the_body_comes(server):
    scope = "AKIAIOSFODNN7EXAMPLE/20260101/us-east-1/geo/aws4_request"
    with Wire(server) as wire:
        wire.socket.sendall(
            b"POST /tracking/v0/trackers/t/positions HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n"
            b"X-Amz-Date: 20260101T000000Z\r\nAuthorization: AWS4-HMAC-SHA256 Credential=" + scope.encode()
            + b", SignedHeaders=host;x-amz-date, Signature=" + b"0" * 64 + b"\r\n\r\n")
        status, headers, body = wire.answer()
        assert status == 403
        assert headers["Connection"] == "close"
        assert headers["x-amzn-ErrorType"] == "UnrecognizedClientException"


def test_bodies_under_way_are_bounded_in_memory(make_server):
    server = make_server(arguments=["--body-memory", "16"]).start()
    couch = as_admin(server)
    couch.ok("PUT", "/notes")
    before = server.resident_bytes()
    head = (f"POST /notes/_bulk_docs HTTP/1.1\r\nHost: a\r\nAuthorization: Basic {credentials}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {60 << 20}\r\n\r\n").encode()
    connections = []
    refused = 0
    for _ in range(20):
        connection = socket.create_connection(("127.0.0.1", server.port), timeout_seconds)
        connections.append(connection)
        connection.sendall(head)
        try:
            for _ in range(4):
                connection.sendall(b'{"docs":[' + b" " * (1 << 20))
                time.sleep(0.02)
            connection.settimeout(0.3)
            answer = connection.recv(4_000)
            assert b" 429 " in answer and b"too_many_requests" in answer
            refused += 1
        except TimeoutError:
            pass
        except ConnectionError:
            refused += 1
    assert refused >= 15
    assert server.resident_bytes() - before < 64 << 20
    for connection in connections:
        connection.close()
    # What was held is given back.
    documents = [{"_id": f"d{number}", "text": "x" * 1_000_000} for number in range(3)]
    eventually(lambda: couch.send("POST", "/notes/_bulk_docs", {"docs": documents}).status_code == 201)


@pytest.mark.parametrize("first, drop", [
    (b"GET /_up HTTP/1.1\r\nHost: a\r\nX-A: ", b"b"),
    (b"POST /_session HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{", b" "),
    (f"PUT /notes/a HTTP/1.1\r\nHost: a\r\nAuthorization: Basic {credentials}\r\nContent-Type: application/json\r\n"
     "Content-Length: 900000\r\n\r\n{".encode(), b" "),
], ids=["head", "small body", "large body"])
def test_a_request_sent_drop_by_drop_is_disconnected(make_server, first, drop):
    server = make_server(arguments=["--request-seconds", "1"]).start()
    as_admin(server).ok("PUT", "/notes")
    with Wire(server) as wire:
        wire.socket.settimeout(0.2)
        wire.socket.sendall(first)
        began = time.monotonic()
        is_over = False
        while not is_over and time.monotonic() - began < 15:
            try:
                wire.socket.sendall(drop)
                received = wire.socket.recv(4_000)
                is_over = received == b"" or b" 408 " in received
            except TimeoutError:
                pass
            except ConnectionError:
                is_over = True
        assert is_over
        assert 0.5 < time.monotonic() - began < 10


def test_a_body_that_comes_steadily_is_taken_however_long_it_takes(make_server):
    server = make_server(arguments=["--request-seconds", "1"]).start()
    as_admin(server).ok("PUT", "/notes")
    body = b'{"text":"' + b"x" * 99_980 + b'"}'
    with Wire(server) as wire:
        wire.send("PUT /notes/a", f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n")
        for start in range(0, len(body), 4_000):
            wire.socket.sendall(body[start:start + 4_000])
            time.sleep(0.15)
        assert wire.answer()[0] == 201


def test_a_devices_token_opens_few_feeds_and_others_still_have_theirs(server, admin):
    as_user(server, "feeds")
    admin.ok("POST", "/users/feeds/devices", {"name": "phone"})
    token = admin.ok("POST", "/users/feeds/devices/phone/token")["token"]
    request = f"GET /api/v1/live HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\n\r\n".encode()
    feeds = []
    statuses = []
    for _ in range(11):
        feed = socket.create_connection(("127.0.0.1", server.port), timeout_seconds)
        feeds.append(feed)
        feed.sendall(request)
        statuses.append(feed.recv(12).split()[1])
    assert statuses == [b"200"] * 10 + [b"429"]
    rest = feeds[-1].recv(4_000)
    assert b"close one first" in rest and b"retry-after" in rest.lower()
    with Wire(server) as wire:
        wire.send("GET /api/v1/live")
        assert wire.file.readline() == b"HTTP/1.1 200 OK\r\n"
    for feed in feeds:
        feed.close()


def test_feeds_of_one_member_that_begin_far_back_delay_no_other_user(make_server):
    """What the log has after a feed's beginning is read and rendered where users take turns."""
    server = make_server().start()
    admin = server.admin()
    admin.make_user("walker")
    admin.make_device("walker")
    start = now() - 86_400_000
    for page in range(20):
        admin.ok("POST", "/positions", [
            fix(43 + index * 1e-5, -6 - page * 1e-3, start + (page * 1_000 + index) * 1_000, device="walker/phone")
            for index in range(1_000)])
    stranger = admin.make_user("stranger").token
    request = (f"GET /api/v1/live?since=1 HTTP/1.1\r\nHost: a\r\n"
               f"Authorization: Bearer {stranger}\r\n\r\n").encode()
    feeds = [socket.create_connection(("127.0.0.1", server.port), timeout_seconds) for _ in range(200)]
    for feed in feeds:
        feed.sendall(request)
    end = time.monotonic() + 4
    longest = 0
    while time.monotonic() < end:
        longest = max(longest, took(lambda: admin.send("GET", "/positions?limit=1")))
    for feed in feeds:
        feed.close()
    assert longest < 2


def until_refused(ask):
    """The statuses of wrong tries up to the first that is refused; a slow machine gives some tries back by then."""
    statuses = []
    while len(statuses) < 60 and 429 not in statuses:
        statuses.append(ask(len(statuses)).status_code)
    return statuses


@pytest.mark.soak
def test_guesses_by_strangers_lock_no_user_out(make_server):
    server = make_server(arguments=["--trusted-proxy", "127.0.0.1"]).start()
    api = server.api()

    def sign_in(address, password):
        return api.send(
            "POST", "/session", {"name": "admin", "password": password},
            headers={"X-Forwarded-For": f"203.0.113.77, {address}"})

    # The server suspects who tries a name after thirty tries from anywhere; one address has ten.
    for stranger in range(rounds(4, 20)):
        statuses = until_refused(lambda _: sign_in(f"198.51.100.{stranger}", "a wrong one"))
        assert statuses[:10] == [401] * 10 and statuses[-1] == 429
    assert sign_in("192.0.2.1", admin_password).ok
    # One household is one address.
    assert until_refused(lambda turn: sign_in(f"2001:db8:0:1::{turn + 1:x}", "a wrong one"))[-1] == 429
    assert sign_in("2001:db8:0:2::1", admin_password).ok


def test_forwarding_headers_count_from_trusted_proxies_only(server):
    statuses = until_refused(lambda turn: server.api().send(
        "POST", "/session", {"name": "nobody-here", "password": "a wrong one"},
        headers={"X-Forwarded-For": f"192.0.2.{turn}", "Forwarded": f"for=192.0.2.{turn}"}))
    assert statuses[-1] == 429


def test_a_sign_in_leaves_a_proof_in_the_browser_that_opens_nothing(server):
    api = server.api()
    answer = api.send("POST", "/session", {"name": "admin", "password": admin_password})
    field = answer.headers["Set-Cookie"]
    assert field.startswith("MusterKnown=") and "; Path=/api/v1/session; HttpOnly; SameSite=Strict" in field
    cookie = {"Cookie": field.split(";")[0]}
    assert api.send("GET", "/session", headers=cookie).status_code == 401
    assert api.send("POST", "/session", {"name": "admin", "password": "a wrong one"}, headers=cookie).status_code == 401
    for cookie in (cookie, {"Cookie": "MusterKnown=forged"}, {"Cookie": "MusterKnown=" + "A" * 5_000}):
        assert api.send("POST", "/session", {"name": "admin", "password": admin_password}, headers=cookie).ok


@pytest.mark.soak
def test_a_storm_of_sign_ins_leaves_room_for_known_addresses(make_server):
    server = make_server(arguments=["--trusted-proxy", "127.0.0.1"]).start()

    def sign_in(address, name, password, **headers):
        return server.api().send(
            "POST", "/session", {"name": name, "password": password},
            headers={"X-Forwarded-For": address, **headers})

    first = sign_in("192.0.2.1", "admin", admin_password)
    assert first.ok
    cookie = f"MusterKnown={first.cookies['MusterKnown']}"
    isOver = threading.Event()
    sent = []

    def storm(number):
        turn = 0
        while not isOver.is_set():
            turn += 1
            sent.append(number)
            try:
                sign_in(f"198.51.{number}.{turn % 250}", "admin", "a wrong one")
            except requests.RequestException:
                pass

    threads = [threading.Thread(target=storm, args=(number,), daemon=True) for number in range(40)]
    for thread in threads:
        thread.start()
    try:
        # All of them ask, and some ask again by now.
        eventually(lambda: len(sent) > len(threads) + 4)
        worst = max(took(lambda: sign_in("192.0.2.1", "admin", admin_password)) for _ in range(rounds(3, 20)))
        assert worst < others_seconds
        # A browser that signed in before is known at any address.
        worst = max(took(lambda: sign_in(f"203.0.113.{turn}", "admin", admin_password, Cookie=cookie))
                    for turn in range(3))
        assert worst < others_seconds
        assert took(lambda: sign_in("192.0.2.99", "admin", admin_password)) < 4 * others_seconds
    finally:
        isOver.set()
        for thread in threads:
            thread.join(30)
