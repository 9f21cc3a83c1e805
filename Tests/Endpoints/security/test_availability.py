"""What one member, or a stranger, may take of the server: never so much that the others wait."""

import base64
import contextlib
import http.client
import json
import re
import select
import socket
import statistics
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

many = 60
"""Queries of five seconds, two at a time: who had to wait for all of them would wait for longer than a client does."""


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


def hungry(server):
    """A member with a query that lasts as long as the server lets it: the API, the query's path, and its body."""
    member, own = as_user(server, "hungry")
    documents = [{"_id": f"d{number}", "text": "a" * 60 + "!"} for number in range(500)]
    assert all("rev" in row for row in member.ok("POST", own + "/_bulk_docs", {"docs": documents}))
    patterns = [{"text": {"$regex": f"(a|aa)+(b|c{number}|[d-z])"}} for number in range(300)]
    return member, own + "/_find", {"selector": {"$or": patterns}}


def send_query(wire, member, path, query):
    """Sends a member's query, and does not wait for the answer."""
    body = json.dumps(query).encode()
    head = (f"POST {path} HTTP/1.1\r\nHost: a\r\nAuthorization: {basic_header(*member.session.auth)}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n").encode()
    wire.socket.sendall(head + body)


def test_queries_of_one_member_end(make_server):
    server = make_server().start()
    member, path, selector = hungry(server)
    faults = []

    def query():
        answer = member.send("POST", path, selector)
        faults.append((answer.status_code, answer.json()))

    # The server runs two queries of one member at a time, so the third waits.
    queries = [threading.Thread(target=query, daemon=True) for _ in range(3)]
    for thread in queries:
        thread.start()
    for thread in queries:
        thread.join(2 * timeout_seconds)
    assert [status for status, _ in faults] == [400] * 3
    assert all(fault["error"] == "timeout" and "_index" in fault["reason"] for _, fault in faults)
    # The operator is told whose they were, and not what was asked.
    assert 'user=hungry' in server.log() and "POST /{db}/_find" in server.log() and "aa" not in server.log()
    shown = requests.get(f"{server.address}/metrics", timeout=timeout_seconds).text
    cut_off = re.findall(r'^muster_reads_cut_off_total{reason="(?:deadline|steps)"} (\d+)$', shown, re.M)
    assert sum(map(int, cut_off)) == 3


def test_queries_of_one_member_delay_no_other_user_and_no_stop(make_server):
    server = make_server().start()
    admin = server.admin()
    query = hungry(server)
    with contextlib.ExitStack() as open_connections:
        for _ in range(many):
            send_query(open_connections.enter_context(Wire(server)), *query)
        eventually(lambda: running_reads(server) >= 2)
        # Each ends within what its client waits for.
        for number in range(3):
            key = admin.ok("POST", "/keys", {"label": f"k{number}"})["key"]
            server.api().ok("POST", "/session", {"name": "admin", "password": admin_password})
            server.api(key).ok("GET", "/users")
            server.api(key).ok("GET", "/changes?since=0&limit=100")
            # It is answered, and may say that something had to wait.
            server.api().send("GET", "//health")
    with contextlib.ExitStack() as open_connections:
        for _ in range(4):
            send_query(open_connections.enter_context(Wire(server)), *query)
        eventually(lambda: running_reads(server) >= 2)
        assert server.stop() == 0


def test_a_query_ends_with_its_clients_connection(make_server):
    server = make_server().start()
    member, path, query = hungry(server)
    for _ in range(many):
        with Wire(server) as wire:
            send_query(wire, member, path, query)
    # The member's next request would have to wait for all of them, which is longer than its client waits.
    member.ok("GET", path.removesuffix("/_find"))


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
    server = make_server(arguments=["--body-memory", "16", "--request-seconds", "3600"]).start()
    couch = as_admin(server)
    couch.ok("PUT", "/notes")
    before = server.resident_bytes()
    head = (f"POST /notes/_bulk_docs HTTP/1.1\r\nHost: a\r\nAuthorization: Basic {credentials}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {60 << 20}\r\n\r\n").encode()
    connections = []
    refused = []
    for _ in range(20):
        connection = socket.create_connection(("127.0.0.1", server.port), timeout_seconds)
        connections.append(connection)
        try:
            connection.sendall(head)
            for _ in range(4):
                connection.sendall(b'{"docs":[' + b" " * (1 << 20))
        except ConnectionError:
            refused.append(connection)

    def all_refused():
        """The connections that are refused so far. Those whose bodies the server holds are not answered."""
        waiting = [connection for connection in connections if connection not in refused]
        for connection in select.select(waiting, [], [], 0)[0]:
            with contextlib.suppress(ConnectionError):
                answer = connection.recv(4_000)
                assert b" 429 " in answer and b"too_many_requests" in answer
            refused.append(connection)
        return refused

    eventually(all_refused, lambda found: len(found) >= 15)
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
    began = time.monotonic()
    with Wire(server) as wire:
        wire.socket.sendall(first)
        wire.socket.settimeout(0.2)

        def is_over():
            try:
                wire.socket.sendall(drop)
                received = wire.socket.recv(4_000)
                return received == b"" or b" 408 " in received
            except TimeoutError:
                return False
            except ConnectionError:
                return True

        eventually(is_over)
        assert time.monotonic() - began >= 1


def test_a_body_that_comes_steadily_is_taken_however_long_it_takes(make_server):
    server = make_server(arguments=["--request-seconds", "1"]).start()
    as_admin(server).ok("PUT", "/notes")
    body = b'{"text":"' + b"x" * 499_980 + b'"}'
    # The average of 500 bytes a second that the server asks for, for longer than any pause of this machine.
    ahead = 450_000
    with Wire(server) as wire:
        wire.send("PUT /notes/a", f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n", body[:ahead])
        for start in range(ahead, len(body), 2_000):
            wire.socket.sendall(body[start:start + 2_000])
            # A body that comes steadily takes its time.
            time.sleep(0.15)
        assert wire.answer()[0] == 201


def test_a_devices_token_opens_few_feeds_and_others_still_have_theirs(server, admin):
    as_user(server, "feeds")
    admin.ok("POST", "/users/feeds/devices", {"name": "phone"})
    token = admin.ok("POST", "/users/feeds/devices/phone/token")["token"]
    request = f"GET /api/v1/live HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\n\r\n".encode()
    with contextlib.ExitStack() as open_feeds:
        statuses = []
        for _ in range(11):
            feed = open_feeds.enter_context(Wire(server))
            feed.socket.sendall(request)
            statuses.append(feed.file.readline().split()[1])
        assert statuses == [b"200"] * 10 + [b"429"]
        headers = http.client.parse_headers(feed.file)
        assert "Retry-After" in headers
        assert b"close one first" in feed.file.read(int(headers["Content-Length"]))
        with Wire(server) as wire:
            wire.send("GET /api/v1/live")
            assert wire.file.readline() == b"HTTP/1.1 200 OK\r\n"


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
    # Typical ones, because any request may meet a pause of this machine.
    typical = statistics.median(took(lambda: admin.send("GET", "/positions?limit=1")) for _ in range(41))
    for feed in feeds:
        feed.close()
    assert typical < 2


def until_refused(ask):
    """The statuses of wrong tries up to the first that is refused; a slow machine gives some tries back by then."""
    statuses = []
    while len(statuses) < 300 and 429 not in statuses:
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
    sent, answered = [], []

    def storm(number):
        turn = 0
        while not isOver.is_set():
            turn += 1
            sent.append(number)
            try:
                sign_in(f"198.51.{number}.{turn % 250}", "admin", "a wrong one")
            except requests.RequestException:
                pass
            answered.append(number)

    def overtakes(request, count):
        """Whether a request is typically answered before half of the storm that was there before it."""
        def overtaken(turn):
            before = len(answered)
            assert request(turn).ok
            return len(answered) - before

        return statistics.median(overtaken(turn) for turn in range(count)) < len(threads) / 2

    threads = [threading.Thread(target=storm, args=(number,), daemon=True) for number in range(40)]
    for thread in threads:
        thread.start()
    try:
        # All of them ask, and some ask again by now.
        eventually(lambda: len(sent) > len(threads) + 4)
        assert overtakes(lambda _: sign_in("192.0.2.1", "admin", admin_password), rounds(5, 20))
        # A browser that signed in before is known at any address.
        assert overtakes(lambda turn: sign_in(f"203.0.113.{turn}", "admin", admin_password, Cookie=cookie), 5)
        # Who is not known waits for the storm that was there before, and is not refused.
        assert requests.post(
            f"{server.address}/api/v1/session", json={"name": "admin", "password": admin_password},
            headers={"X-Forwarded-For": "192.0.2.99"}, timeout=5 * timeout_seconds).ok
    finally:
        isOver.set()
        for thread in threads:
            thread.join(timeout_seconds)
