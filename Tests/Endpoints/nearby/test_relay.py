"""The relay: who is shown to whom, that bytes arrive and nothing else, and what one can take from others."""

import re
import signal

import pytest

from nearby_device import Device, wait_seconds
from relay_client import Refused, Relay, connected
from waiting import eventually


@pytest.fixture(scope="module")
def team(admin):
    """Two teams, and somebody of every role."""
    for name in ("north", "south"):
        admin.ok("POST", "/teams", {"name": name})
    people = {name: admin.make_user(name, role, team).token for name, role, team in [
        ("ana", "member", "north"), ("ben", "member", "north"), ("lena", "leader", "north"),
        ("nils", "analyst", "north"), ("eve", "member", "south"), ("ann", "analyst", None), ("gus", "gateway", None)]}
    people["device"] = admin.make_device("ana").token
    people["admin"] = admin.token
    return people


def gauge(admin, name):
    """A metric's value."""
    return float(re.search(rf"^{name} (\S+)$", admin.send("GET", "//metrics").text, re.M)[1])


@pytest.fixture(autouse=True)
def alone(admin):
    """Waits until the relay has forgotten the connections of the test before: a new one would be shown them."""
    eventually(lambda: gauge(admin, "muster_relay_connections") == 0)


def refusal(server, token):
    with pytest.raises(Refused) as caught:
        Relay(server, token)
    return caught.value.status


def test_every_role_is_let_in_or_refused(server, team):
    for name in ("ana", "lena", "nils", "eve"):
        Relay(server, team[name], name).close()
    assert refusal(server, None) == refusal(server, "mk_guess") == 401
    assert refusal(server, team["gus"]) == refusal(server, team["device"]) == 403
    # Who belongs to no team is shown to nobody, and sees nobody.
    assert refusal(server, team["ann"]) == refusal(server, team["admin"]) == 409


def test_a_request_without_an_upgrade_is_answered_with_426(server, admin):
    response = admin.send("GET", "/nearby/relay")
    assert response.status_code == 426 and response.headers["Upgrade"] == "websocket"


def test_people_of_one_team_see_account_name_and_nothing_of_another_team(server, team):
    with Relay(server, team["ana"], "Anas Handy", "0a") as ana, Relay(server, team["eve"], "Eve") as eve:
        with Relay(server, team["ben"], "Ben", "0b") as ben:
            seen = ana.wait("appeared")
            assert seen[2:] == ("ben", "Ben", "0b")
            assert ben.wait("appeared")[2:] == ("ana", "Anas Handy", "0a")
            # A number that somebody of another team guesses leads nowhere, as one that does not exist.
            eve.open(1, seen[1])
            assert eve.next() == ("close", 1, "absent")
            eve.open(1, 4_000_000)
            assert eve.next() == ("close", 1, "absent")
        assert ana.next() == ("gone", seen[1])
        eve.ping()
        assert eve.next() == ("pong",)


def test_bytes_arrive_at_the_other_end_unchanged(server, team):
    with Relay(server, team["ana"], "Ana") as ana, Relay(server, team["ben"], "Ben") as ben:
        number = connected(ana, ben, ana.peers("ben")["ben"])
        sent = bytes(range(256)) * 40
        for start in range(0, len(sent), 1_000):
            ana.data(1, sent[start:start + 1_000])
        received = b""
        while len(received) < len(sent):
            frame = ben.wait("data")
            assert frame[1] == number
            received += frame[2]
        assert received == sent
        ben.data(number, b"back")
        assert ana.wait("data") == ("data", 1, b"back")
        ben.close_stream(number)
        assert ana.wait("close") == ("close", 1, "done")


def test_a_slow_reader_ends_its_senders_stream_and_no_other(server, team):
    with Relay(server, team["ana"], "Ana") as ana, Relay(server, team["ben"], "Ben", receive_bytes=4_096) as ben, \
            Relay(server, team["lena"], "Lena") as lena:
        peers = ana.peers("ben", "lena")
        window = 32_768
        number = connected(ana, lena, peers["lena"], stream=1_000)
        for stream in range(1, 41):
            connected(ana, ben, peers["ben"], stream)
        closed = 0
        for stream in range(1, 41):
            for _ in range(2):
                ana.data(stream, b"x" * (window // 2))
        ana.data(1_000, b"still here")
        assert lena.wait("data") == ("data", number, b"still here")
        ana.ping()
        while (frame := ana.next()) != ("pong",):
            assert frame[0] == "close" and frame[2] == "slow"
            closed += 1
        # A mebibyte may be on its way to one device.
        assert closed == 40 - (1 << 20) // window
        ben.credit(ben.wait("data")[1], 1)


def test_more_than_the_credit_ends_the_connection(server, team):
    with Relay(server, team["ana"], "Ana") as ana, Relay(server, team["ben"], "Ben") as ben:
        connected(ana, ben, ana.peers("ben")["ben"])
        for _ in range(3):
            ana.data(1, b"x" * 16_000)
        assert ana.wait("farewell") == ("farewell", "fault")
        assert ana.next() is None
        assert ben.wait("close")[2] == "gone"


@pytest.mark.parametrize("payload", [
    b"\x00\x01\x63", b"\xff\xff", b"\x00\x01\x0a", b"\x00\x08\x01\x02\x03ana\x02\x30\x61",
    b"\x00\x06\x01\x01\x01\x1b\x01\x30"], ids=["kind", "length", "before hello", "version", "control character"])
def test_malformed_frames_end_the_connection(server, team, payload):
    with Relay(server, team["ana"]) as ana:
        ana.send_payload(payload)
        assert ana.next() == ("farewell", "fault")
        assert ana.next() is None


def test_a_text_frame_ends_the_connection(server, team):
    with Relay(server, team["ana"], "Ana") as ana:
        ana.send_payload(b"hello", opcode=1)
        assert ana.next() is None


def test_a_flood_is_read_more_slowly_and_others_go_on(server, admin, team):
    # Somebody whose rate no other test needs.
    token = admin.make_user("flo", "member", "north").token
    with Relay(server, token, "Flo") as flo, Relay(server, team["ben"], "Ben") as ben, \
            Relay(server, team["lena"], "Lena") as lena:
        peers = lena.peers("ben")
        # A frame costs at least 64 bytes of the user's rate: 8 MiB at once, and 1 MiB a second. Once the buffers of the
        # operating system are full, the server reads 10 KB in a tenth of a second.
        flo.socket.settimeout(0.2)
        with pytest.raises(TimeoutError):
            for _ in range(4_000):
                flo.send_payload(b"\x00\x05\x06\x00\x00\x00\x09" * 2_000)
        number = connected(lena, ben, peers["ben"])
        lena.data(1, b"x")
        assert ben.wait("data") == ("data", number, b"x")
        flo.abort()


def test_the_ninth_connection_of_one_user_is_refused(server, team):
    connections = [Relay(server, team["nils"], f"phone {place}", f"{place:02x}") for place in range(8)]
    assert refusal(server, team["nils"]) == 429
    Relay(server, team["lena"], "Lena").close()
    for connection in connections:
        connection.close()


@pytest.mark.parametrize("end", ["key", "team", "user"])
def test_a_right_that_ends_ends_the_connection_at_once(server, admin, team, end):
    name = f"gone-{end}"
    token = admin.make_user(name, "member", "north").token
    with Relay(server, token, "Gone") as gone, Relay(server, team["ben"], "Ben") as ben:
        number = connected(gone, ben, gone.peers("ben")["ben"])
        if end == "key":
            key = next(item["id"] for item in admin.items(f"/keys?user={name}"))
            admin.ok("DELETE", f"/keys/{key}")
        elif end == "team":
            admin.ok("PATCH", f"/users/{name}", {"team": "south"})
        else:
            admin.ok("DELETE", f"/users/{name}")
        assert gone.wait("farewell") == ("farewell", "rightEnded")
        assert gone.next() is None
        assert ben.wait("close") == ("close", number, "gone")
        assert ben.wait("gone")


def test_metrics_count_connections_and_the_log_names_nobody(server, admin, team):
    with Relay(server, team["ana"], "Quite a name") as ana, Relay(server, team["ben"], "Ben") as ben:
        connected(ana, ben, ana.peers("ben")["ben"])
        assert gauge(admin, "muster_relay_connections") >= 2
        assert gauge(admin, "muster_relay_open_streams") >= 1
    assert "Quite a name" not in server.log()


# Two programs that find each other through the relay alone.


@pytest.fixture
def start(tmp_path, server, team):
    devices = []

    def start(name, *arguments, folder=None):
        token = tmp_path / f"{name}.token"
        token.write_text(team[name] + "\n")
        devices.append(Device(
            tmp_path / (folder or name), name, "--listen", "127.0.0.1:0", "--relay", server.address,
            "--token-file", token, *arguments))
        return devices[-1]
    yield start
    for device in devices:
        device.end()


def test_two_programs_meet_at_the_relay_and_one_is_killed_and_started_again(start):
    ana = start("ana", "--simulate", "0,0,90")
    ben = start("ben", "--simulate", "4,0,90")
    assert ana.wait("found", peer="ben")[0]["account"] == "ben"
    first, count = ana.wait("connected", peer="ben")
    seen, count = ana.wait("measured", count, peer="ben")
    assert abs(seen["distance"] - 4) < 3 and abs(seen["horizontalAngle"]) < 30
    ben.wait("measured", peer="ana")

    ben.send(signal.SIGKILL)
    gone, count = ana.wait("disconnected", count, peer="ben")
    assert "gone without a goodbye" in gone["reason"]
    ben.process.wait(wait_seconds)
    ben.start()
    again, count = ana.wait("connected", count, peer="ben")
    assert again["key"] == first["key"] and int(again["run"]) > int(first["run"])
    _, count = ana.wait("measured", count, peer="ben")

    ben.send(signal.SIGSTOP)
    silence, count = ana.wait("disconnected", count, peer="ben")
    assert "silent" in silence["reason"]
    ben.send(signal.SIGCONT)
    _, count = ana.wait("measured", count, peer="ben")

    ben.send(signal.SIGTERM)
    goodbye, count = ana.wait("disconnected", count, peer="ben")
    assert goodbye["reason"] == "said goodbye"
    assert ben.process.wait(wait_seconds) == 0
    ana.wait("lost", peer="ben")


def test_another_key_under_a_known_name_is_refused_through_the_relay_too(start):
    ana = start("ana")
    ben = start("ben")
    _, count = ana.wait("connected", peer="ben")
    ben.end()
    start("ben", folder="other")
    # Either of the two may open the channel, by their keys.
    with ana.news:
        assert ana.news.wait_for(
            lambda: any("someone may be in the middle" in event.get("reason", "") for event in ana.events[count:]),
            wait_seconds)
    assert not any(event["event"] == "connected" for event in ana.events[count:])


def test_a_device_without_a_team_receives_the_reason(start, team, tmp_path, server):
    stranger = start("ann")
    assert "belong to no team" in stranger.wait("discoveryFailed")[0]["reason"]


def test_a_relay_that_stops_and_returns_is_reported(make_server, tmp_path):
    server = make_server().start()
    admin = server.admin()
    admin.ok("POST", "/teams", {"name": "north"})
    devices = []
    for name in ("ana", "ben"):
        token = tmp_path / f"{name}.token"
        token.write_text(admin.make_user(name, "member", "north").token)
        devices.append(Device(
            tmp_path / name, name, "--listen", "127.0.0.1:0", "--relay", server.address, "--token-file", token))
    ana, ben = devices
    try:
        _, count = ana.wait("measured", peer="ben")
        server.kill()
        gone, _ = ana.wait("discoveryInterrupted", count)
        assert "is gone" in gone["reason"] and "trying again" in gone["reason"]
        assert ana.wait("disconnected", count, peer="ben")
        server.start()
        _, count = ana.wait("discoveryResumed", count)
        ana.wait("measured", count, peer="ben")
    finally:
        for device in devices:
            device.end()
