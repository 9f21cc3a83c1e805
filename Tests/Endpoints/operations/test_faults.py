"""Faults of the machine: a damaged file, a full disk, a second server, a newer file, an end under load."""

import contextlib
import random
import resource
import signal
import sqlite3
import subprocess
import threading
import time

import pytest

from full_disk import fill, small_disk
from load import Sender, Walker, batch, one_each, timeout_seconds
from muster_process import binary, run
from native_api import fix, now, problem
from oracle import difference, key_of, told
from page_checksums import seal
from soak import rounds
from waiting import eventually


def furnished(server):
    """A running server with a device that has told a few positions; the device's API."""
    server.start()
    admin = server.admin()
    admin.make_user("ann")
    device = admin.make_device("ann")
    start = now() - 60_000
    device.ok("POST", "/positions", [fix(52.5, 13.4 + step / 1000, start + step) for step in range(100)])
    return device


def refusal(server):
    """What a server says that does not start; it must end by itself, in failure."""
    server.launch()
    status = server.await_exit()
    assert status not in (0, None) and status > 0, f"ended with {status}"
    assert not any("ready" in line for line in server.output)
    return server.log()


# MARK: Files that cannot be served


def test_an_orderly_end_leaves_everything_in_one_file(make_server):
    server, copy = make_server("one"), make_server("copy")
    furnished(server)
    assert server.stop() == 0
    left = {file.name: file.stat().st_size for file in server.data.iterdir()}
    assert "control.json" not in left
    assert left.get("muster.sqlite-wal", 0) == 0
    copy.data.mkdir(parents=True)
    (copy.data / "muster.sqlite").write_bytes((server.data / "muster.sqlite").read_bytes())
    copy.start()
    assert len(copy.admin().history("ann/phone")) == 100


@pytest.mark.parametrize("damage", ["header", "middle", "text", "cut"])
def test_a_damaged_file_is_refused_with_a_message_that_names_the_backup(make_server, damage):
    server = make_server()
    furnished(server)
    assert server.stop() == 0
    file = server.data / "muster.sqlite"
    content = bytearray(file.read_bytes())
    if damage == "header":
        content[:100] = random.Random(1).randbytes(100)
    elif damage == "middle":
        for offset in range(4096, len(content), 4096):
            content[offset:offset + 512] = random.Random(offset).randbytes(512)
    elif damage == "text":
        content = bytearray(b"This is no database.\n" * 1000)
    else:
        del content[len(content) // 2:]
    file.write_bytes(content)
    before = server.log()
    words = refusal(server)[len(before):]
    assert "muster.sqlite" in words
    assert "muster backup" in words, words
    assert file.read_bytes() == content, "the damaged file was changed"


def test_a_file_of_a_newer_version_is_refused(make_server):
    server = make_server()
    furnished(server)
    assert server.stop() == 0
    with contextlib.closing(sqlite3.connect(server.data / "muster.sqlite")) as database:
        database.execute("UPDATE meta SET version = version + 1")
        database.commit()
    seal(server.data / "muster.sqlite")
    before = server.log()
    assert "newer" in refusal(server)[len(before):]


def test_a_database_of_another_program_is_refused_and_left_alone(make_server):
    server = make_server()
    server.data.mkdir(parents=True)
    file = server.data / "muster.sqlite"
    with contextlib.closing(sqlite3.connect(file)) as database:
        database.execute("CREATE TABLE songs (title TEXT)")
        database.commit()
    content = file.read_bytes()
    assert "muster.sqlite" in refusal(server)
    assert file.read_bytes() == content


def test_a_second_server_over_the_same_folder_is_refused(make_server):
    first, second = make_server("one"), make_server("two")
    device = furnished(first)
    second.data = first.data
    words = refusal(second)
    assert str(first.data) in words
    assert "Fatal" not in words
    # The first is none the worse, and still reached by the command line.
    assert device.ok("POST", "/positions", fix(52.5, 13.5, now()))["accepted"] == 1
    assert "ann" in run("user", "list", data=first.data)


def test_a_folder_that_cannot_be_made_is_refused(make_server, tmp_path):
    (tmp_path / "file").write_text("in the way")
    server = make_server()
    server.data = tmp_path / "file" / "data"
    assert "file" in refusal(server)


def test_a_port_that_is_taken_is_refused(make_server):
    first, second = make_server("one"), make_server("two")
    furnished(first)
    second.port = first.port
    words = refusal(second)
    assert "Fatal" not in words


# MARK: No room


def report_until_refused(device, random, stored, start):
    """Reports until there is no room; the answer that says so. What was acknowledged is added to `stored`."""
    for request in range(3000):
        keys = [
            (start + len(stored) + index, round(random.uniform(-80, 80), 7), round(random.uniform(-170, 170), 7))
            for index in range(200)]
        padding = {"note": random.randbytes(400).hex()}
        answer = device.send("POST", "/positions", [fix(y, x, time, attributes=padding) for time, y, x in keys])
        if answer.status_code != 200:
            return answer
        stored += keys
    raise AssertionError("there is always room")


def require_refusal_for_now(answer):
    assert answer.status_code == 507, answer.text
    assert int(answer.headers["Retry-After"]) >= 1
    problem(answer)


def require_soundness(server):
    """Has `muster doctor` verify the store. That the disk of a test is small is the only trouble that it may find."""
    done = subprocess.run([binary, "doctor", "--data", server.data], capture_output=True, text=True, timeout=120)
    assert "Verified: " in done.stdout, done
    troubles = [line for line in done.stdout.splitlines() if line.startswith("TROUBLE")]
    assert all("of disk are free" in trouble for trouble in troubles) and done.returncode == bool(troubles), done


def test_a_full_disk_refuses_for_now_and_loses_nothing(make_server, tmp_path):
    with small_disk(tmp_path / "disk") as disk:
        server = make_server()
        server.data = disk / "data"
        try:
            check_no_room(server, lambda: fill(disk, but=3 << 20), lambda: (disk / "filler").unlink())
        finally:
            server.kill()


def test_a_file_that_may_not_grow_refuses_for_now_and_loses_nothing(make_server):
    server = make_server()

    def ignore_signal():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    check_no_room(
        server, lambda: server.limit_files(3 << 20), lambda: server.limit_files(None), before_exec=ignore_signal)


def check_no_room(server, take_room, give_room, before_exec=None):
    """Reports until the disk refuses, then sees that the server lives, remembers, and goes on when there is room."""
    server.start(before_exec)
    admin = server.admin()
    admin.make_user("ann")
    device = admin.make_device("ann")
    seed = 7
    print(f"seed {seed}")
    numbers, stored, start = random.Random(seed), [], now() - 10_000_000
    device.ok("POST", "/positions", fix(1, 1, start - 1))
    stored_first = (start - 1, 1, 1)
    take_room()
    require_refusal_for_now(report_until_refused(device, numbers, stored, start))
    print(f"{len(stored)} positions until there was no room")
    for _ in range(3):
        time.sleep(0.3)
        answer = device.send("POST", "/positions", [
            fix(5, 5, start - 1000 - index, attributes={"note": "x" * 4000}) for index in range(100)])
        require_refusal_for_now(answer)
        assert server.process.poll() is None
        assert admin.ok("GET", "//health") is not None
    newest = max([stored_first] + stored)
    latest = [each for each in admin.items("/positions") if each["device"] == "ann/phone"]
    assert list(map(key_of, latest)) == [newest]
    expected = sorted([stored_first] + stored)
    found = list(map(key_of, admin.history("ann/phone")))
    assert found == expected, difference(expected, found)
    give_room()

    def report():
        answer = device.send("POST", "/positions", fix(2, 2, now()))
        if answer.status_code != 200:
            require_refusal_for_now(answer)
        return answer.status_code == 200

    eventually(report, seconds=120, why="it does not recover")
    assert len(admin.history("ann/phone")) == len(expected) + 1
    server.kill()
    server.start()
    assert len(admin.history("ann/phone")) == len(expected) + 1
    require_soundness(server)


# MARK: The end


@pytest.mark.soak
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_an_end_under_load_answers_what_it_took_and_loses_nothing(make_server, name):
    seed = 11
    print(f"seed {seed}")
    numbers = random.Random(seed)
    server = make_server().start()
    admin = server.admin()
    admin.make_team("walkers")
    gateway = admin.make_user("gateway", "gateway").token
    gate, senders, walkers = threading.Event(), [], []
    for index in range(4):
        walker = Walker(f"walker{index}/phone", [], random.Random(numbers.random()), now() - 5 * 24 * 3_600_000)
        admin.ok("POST", "/users", {"name": walker.user, "role": "member"})
        token = admin.make_device(walker.user).token
        senders.append(
            Sender(server, token if index % 2 else gateway, [walker], one_each if index % 2 else batch, gate))
        walkers.append(walker)
    gate.set()
    for sender in senders:
        sender.start()
    feed = admin.send("GET", "/live", stream=True)
    feed.iter_content(1)
    for _ in range(rounds(2, 20)):
        wanted = [sender.acknowledged + 4 for sender in senders]
        eventually(lambda: all(sender.acknowledged >= count for sender, count in zip(senders, wanted)))
        time.sleep(numbers.uniform(0.3, 0.8))
        server.process.send_signal(getattr(signal, name))
        assert server.await_exit() == 0
        for sender in senders:
            sender.parked.clear()
        gate.clear()
        assert all(sender.parked.wait(2 * timeout_seconds) for sender in senders)
        server.start()
        found = told(admin.changes(0))
        for sender in senders:
            assert not sender.failures, sender.failures[0]
            # A connection may break before its request was taken; then nothing of it is there. But whatever was
            # stored is part of what was sent, and what was acknowledged is there.
            if sender.pending is not None:
                forks, _ = sender.pending.foretold()
                for walker, fork in forks.items():
                    both = without_safety(walker.oracle.log + fork.log)
                    assert not fork.log or without_safety(found[walker.user]) != both, "stored, and never answered"
        for walker in walkers:
            entries = without_safety(found[walker.user])
            assert entries == without_safety(walker.oracle.log), difference(walker.oracle.log, entries)
            expected = sorted(walker.oracle.known)
            stored = list(map(key_of, admin.history(walker.name)))
            assert sorted(stored) == expected, difference(expected, stored)
        gate.set()
    for sender in senders:
        sender.closing = True
    assert sum(sender.acknowledged for sender in senders) > 20


def without_safety(entries):
    return [entry for entry in entries if entry[0] != "safety"]


def test_a_signal_while_it_starts_ends_it(make_server):
    server = make_server()
    furnished(server)
    server.stop()
    for wait in (0.0, 0.02, 0.05, 0.1, 0.2):
        server.launch()
        time.sleep(wait)
        server.process.send_signal(signal.SIGTERM)
        assert server.await_exit() in (0, -signal.SIGTERM)
    server.start()
    assert len(server.admin().history("ann/phone")) == 100


def test_a_server_that_cannot_write_at_the_start_fails_with_one_sentence(make_server):
    server = make_server().start()
    server.stop()

    def leave_no_room():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))

    server.launch(leave_no_room)
    assert server.await_exit() == 1
    assert "What is stored is safe" in server.log() and "unavailable(" not in server.log()
