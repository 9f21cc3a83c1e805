"""The live feed: no gap and no repeat whatever breaks, nobody's secrets, and no memory for who does not read."""

import random
import threading
import time

import pytest

from event_stream import EventStream, open_and_never_read
from native_api import box, fix, now, polygon
from waiting import eventually

south, west = 52.5, 13.4


class Town:
    """Two teams with phones, and regions to cross."""

    def __init__(self, server):
        self.server = server
        admin = self.admin = server.admin()
        self.apis = {"admin": admin}
        for team in ("north", "south"):
            yard = box(west + 0.00005, south, west + 0.00505, south + 0.01)
            admin.make_team(team, [polygon(f"{team}-yard", yard, muster=True)])
            for index in range(2):
                name = f"{team}{index}"
                self.apis[name] = admin.make_user(name, "member", team)
                self.apis[f"{name}/phone"] = admin.make_device(name)
            self.apis[f"{team}-leader"] = admin.make_user(f"{team}-leader", "leader", team)
        self.apis["analyst"] = admin.make_user("analyst", "analyst")
        self.gateway = admin.make_user("gateway", "gateway")
        self.phones = [f"{team}{index}/phone" for team in ("north", "south") for index in range(2)]
        self.time = now() - 3_600_000

    def report(self, numbers):
        """Every phone moves a step."""
        self.time += 100
        self.gateway.ok("POST", "/positions", [
            fix(south + numbers.random() * 0.01, west + numbers.random() * 0.01, self.time, device=phone)
            for phone in self.phones])

    def feed(self, name, **more):
        return EventStream(self.server.address, self.apis[name].token, **more)


class Reader(threading.Thread):
    """Reads the feed through many connections, and resumes each time with the last id that it has."""

    def __init__(self, town, since, seed):
        super().__init__(daemon=True)
        self.town, self.last, self.numbers = town, since, random.Random(seed)
        self.events = []
        self.connections = 0
        self.until = None
        self.failure = None

    def run(self):
        try:
            while self.until is None or self.last < self.until:
                self._connect()
        except Exception as error:
            self.failure = repr(error)

    def _connect(self):
        # The header counts, also where the query says otherwise.
        since = self.last if not self.events else self.numbers.choice([None, 0])
        last_id = self.last if self.events else None
        patience = self.numbers.choice([0, 1, self.numbers.randrange(5, 200), self.numbers.randrange(200, 3000)])
        try:
            with self.town.feed("admin", since=since, last_id=last_id, timeout=5) as stream:
                self.connections += 1
                for count, event in enumerate(stream.events()):
                    self.events.append(event)
                    self.last = event[0]
                    if count >= patience or (self.until is not None and self.last >= self.until):
                        return
        except OSError:
            # Nobody listens just now, or nothing happens: again, a little later.
            time.sleep(0.05)


def test_resuming_leaves_no_gap_and_repeats_nothing_whatever_breaks(make_server):
    seed = 4711
    print(f"seed {seed}")
    numbers = random.Random(seed)
    server = make_server().start()
    town = Town(server)
    since = server.admin().last_sequence()
    readers = [Reader(town, since, numbers.random()) for _ in range(4)]
    for reader in readers:
        reader.start()
    for end in (None, server.stop, server.kill, server.stop, None):
        for _ in range(90):
            town.report(numbers)
        if end:
            end()
            time.sleep(0.2)
            server.start()
    last = server.admin().last_sequence()
    for reader in readers:
        reader.until = last
    expected = server.admin().changes(since)
    assert len(expected) > 500
    for reader in readers:
        reader.join(120)
        assert reader.failure is None, reader.failure
        # What time alone changes may have come since.
        expected = [change for change in expected if change["sequence"] <= last]
        told = [event for event in reader.events if event[0] <= last]
        assert [event[0] for event in told] == [change["sequence"] for change in expected]
        assert [event[1] for event in told] == [change["type"] for change in expected]
        assert [event[2] for event in told] == expected
    print(f"{len(expected)} changes over {[reader.connections for reader in readers]} connections")
    assert sum(reader.connections for reader in readers) > 40


@pytest.fixture(scope="module")
def town(server):
    return Town(server)


def test_a_feed_from_a_sequence_has_all_changes_since_and_then_later_ones(town):
    known = town.admin.changes(0)
    with town.feed("admin", since=0) as stream:
        events = stream.take(lambda found: len(found) >= len(known))
        assert [event[2] for event in events[:len(known)]] == known
        town.report(random.Random(1))
        assert stream.take(lambda found: found)[0][0] > known[-1]["sequence"]


def test_a_feed_without_a_sequence_has_only_later_changes(town):
    last = town.admin.last_sequence()
    with town.feed("admin") as stream:
        town.report(random.Random(2))
        reported = town.admin.last_sequence()
        told = [event[2] for event in stream.take(lambda found: found[-1][0] >= reported)]
    # What time alone changes may have come before the feed was open: nothing of that, and all from then on.
    assert told[0]["sequence"] > last
    assert told == town.admin.changes(told[0]["sequence"] - 1)[:len(told)]
    assert sum(change["type"] == "position" for change in told) >= len(town.phones)


def test_a_feed_from_a_sequence_of_another_log_begins_with_resync(town):
    with town.feed("admin", since=town.admin.last_sequence() + 1_000_000) as stream:
        assert [event[1] for event in stream.events()] == ["resync"]


visible = {
    "admin": {"north0", "north1", "south0", "south1"}, "analyst": {"north0", "north1", "south0", "south1"},
    "north-leader": {"north0", "north1"}, "south-leader": {"south0", "south1"}, "north0": {"north0"},
    "south1": {"south1"}, "north0/phone": {"north0"}}


@pytest.mark.parametrize("name", sorted(visible))
def test_a_feed_shows_what_its_reader_may_see_and_all_of_that(town, name):
    since = town.admin.last_sequence()
    numbers = random.Random(5)
    with town.feed(name, since=since) as stream:
        for _ in range(20):
            town.report(numbers)
        expected = [change for change in town.admin.changes(since) if change["user"] in visible[name]]
        events = stream.take(lambda found: len(found) >= len(expected))
    assert [event[2] for event in events] == expected
    assert {event[2]["user"] for event in events} == visible[name]
    assert town.apis[name].changes(since) == expected


def test_a_feed_is_refused_to_gateways_and_without_credentials(town):
    for token, status in ((town.gateway.token, 403), (None, 401)):
        assert town.server.api(token).send("GET", "/live").status_code == status


def test_the_feed_of_a_removed_user_ends(town):
    api = town.admin.make_user("passing", "leader", "north")
    with EventStream(town.server.address, api.token) as stream:
        town.admin.ok("DELETE", "/users/passing")
        town.report(random.Random(6))
        events = stream.await_end()
    assert not any("user" in event[2] for event in events), "it was told of others after it was removed"


def test_the_feed_of_a_removed_device_ends(town):
    token = town.admin.make_device("north0", "tablet").token
    with EventStream(town.server.address, token) as stream:
        town.admin.ok("DELETE", "/users/north0/devices/tablet")
        stream.await_end()


def test_the_feed_of_a_revoked_token_ends(town):
    token = town.admin.make_device("north0", "watch").token
    with EventStream(town.server.address, token) as stream:
        town.admin.ok("DELETE", "/users/north0/devices/watch/token")
        for _ in range(3):
            town.report(random.Random(7))
        stream.await_end()


def test_the_feed_of_a_session_ends_with_the_session(town):
    town.admin.ok("PUT", "/users/north1/password", {"password": "a first sound password"})
    session = town.server.api().ok("POST", "/session", {"name": "north1", "password": "a first sound password"})
    with EventStream(town.server.address, session["accessToken"]) as stream:
        town.server.api(session["accessToken"]).ok("DELETE", "/session", {"refreshToken": session["refreshToken"]})
        town.report(random.Random(8))
        stream.await_end()


def test_a_feed_follows_a_change_of_team(town):
    api = town.admin.make_user("mover", "leader", "north")
    with EventStream(town.server.address, api.token) as stream:
        town.report(random.Random(9))
        stream.take(lambda found: any(event[2].get("user") == "north0" for event in found))
        town.admin.ok("PATCH", "/users/mover", {"team": "south"})
        since = town.admin.last_sequence()
        town.report(random.Random(10))
        events = stream.take(lambda found: any(event[2].get("user") == "south1" for event in found))
        assert not [event for event in events if event[0] > since and event[2].get("user", "south").startswith("north")]


slow_readers = 20
flood = 20_000
flood_seconds = 300


def test_a_feed_that_is_not_read_is_dropped_without_memory_and_an_idle_one_gets_heartbeats(make_server):
    server = make_server().start()
    town = Town(server)
    quiet = town.apis["south0"]
    heard = []

    def wait_for_heartbeats():
        began = time.monotonic()
        with EventStream(server.address, quiet.token) as stream:
            while len(heard) < 2:
                if stream.response.readline().decode().strip().removeprefix(":").strip() == "heartbeat":
                    heard.append(time.monotonic() - began)

    waiting = threading.Thread(target=wait_for_heartbeats, daemon=True)
    waiting.start()
    since = town.admin.last_sequence()
    fast = []

    def read_all():
        with town.feed("north0", since=since) as stream:
            fast.extend(event[0] for event in stream.take(lambda found: len(found) >= flood, flood_seconds))

    reading = threading.Thread(target=read_all, daemon=True)
    reading.start()
    before = server.resident_bytes()
    sockets = server.open_sockets()
    slow = [open_and_never_read(server.address, town.admin.token, since) for _ in range(slow_readers)]
    phone = town.apis["north0/phone"]
    start = now() - 10_000_000
    note = {"note": "x" * 400}
    highest = 0
    for request in range(flood // 1000):
        phone.ok("POST", "/positions", [
            fix(10, 10, start + request * 1000 + index, attributes=note) for index in range(1000)])
        highest = max(highest, server.resident_bytes())
    bytes_told = flood * 700
    print(f"{(highest - before) >> 20} MiB more for {slow_readers} readers who left {bytes_told >> 20} MiB each")
    assert highest - before < 150 << 20, "what nobody reads is kept"
    reading.join(flood_seconds)
    assert len(fast) >= flood, "who reads must not suffer from who does not"
    eventually(lambda: server.open_sockets() <= sockets + 2, seconds=180, why="who takes nothing is not dropped")
    for reader in slow:
        assert rest(reader) < bytes_told / 2
    waiting.join(120)
    assert len(heard) == 2
    # One every 5 s, and none earlier; a busy machine reads them late.
    assert heard[1] > 9
    assert server.admin().ok("GET", "//health") is not None


def rest(reader):
    """How much still comes out of a connection that was given up."""
    received = 0
    reader.settimeout(5)
    try:
        while chunk := reader.recv(1 << 20):
            received += len(chunk)
    except OSError:
        pass
    reader.close()
    return received
