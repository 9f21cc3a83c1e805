"""Damage on the disk: what is gone, or is not what was written, is refused or said, and never told as the truth."""

import os
import random
import shutil
import sqlite3
import subprocess
from contextlib import closing

import pytest

from muster_process import MusterProcess, binary, run
from native_api import fix, now
from page_checksums import page_size
from soak import rounds

flips = int(os.environ.get("MUSTER_DAMAGE_FLIPS", rounds(5, 200)))


def doctor(server):
    done = subprocess.run([binary, "doctor", "--data", str(server.data)], capture_output=True, text=True, timeout=120)
    assert "Fatal" not in done.stderr
    return done.returncode, done.stdout + done.stderr


def refusal(server):
    """What a server says that does not start."""
    before = len(server.log())
    server.launch()
    assert server.await_exit() == 1
    return server.log()[before:]


def furnish(server, positions=400):
    """Gives a server a store with history, log and a few things more, and stops it."""
    server.start()
    admin = server.admin()
    start = now() - 20_000_000
    for name in ("ann", "bob"):
        admin.make_user(name)
        device = admin.make_device(name)
        for first in range(0, positions, 200):
            device.ok("POST", "/positions", [
                fix(52.5 + step / 10_000, 13.4, start + step * 1000, attributes={"note": "x" * 30})
                for step in range(first, first + 200)])
    assert server.stop() == 0


@pytest.fixture(scope="module")
def furnished(tmp_path_factory):
    """Gives a server that was never started a furnished store, which is made once."""
    made = {}

    def copy_to(server, positions=400):
        if positions not in made:
            made[positions] = MusterProcess(tmp_path_factory.mktemp("furnished"))
            furnish(made[positions], positions)
        server.copy_store(made[positions])

    return copy_to


def pages_of(file, table):
    """The leaf pages of a table or an index, in order."""
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as database:
        found = database.execute("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf'", (table,))
        return [number for (number,) in found]


def flip(file, page, offset=100):
    with open(file, "r+b") as content:
        content.seek((page - 1) * page_size + offset)
        byte = content.read(1)
        content.seek(-1, os.SEEK_CUR)
        content.write(bytes([byte[0] ^ 0x40]))


# MARK: A database that was lost


@pytest.mark.parametrize("loss", ["emptied", "missing"])
@pytest.mark.parametrize("left", ["both", "secrets.key", "newest-change"])
def test_a_lost_database_beside_its_other_files_is_refused(make_server, furnished, loss, left):
    server = make_server()
    furnished(server, 200)
    file = server.data / "muster.sqlite"
    if loss == "emptied":
        file.write_bytes(b"")
    else:
        file.unlink()
    for name in ("secrets.key", "newest-change"):
        if left not in ("both", name):
            (server.data / name).unlink()
    said = refusal(server)
    assert f"{file} was lost" in said and "muster restore" in said and "--accept-loss" in said, said
    assert ("it is empty" if loss == "emptied" else "it is not there") in said
    assert left == "both" or left in said
    assert left == "secrets.key" or "changes, the newest of" in said
    status, said = doctor(server)
    assert status != 0 and "was lost" in said
    assert "was lost" in run("backup", server.folder / "copy", data=server.data, status=1)
    assert not (server.folder / "copy").exists()
    assert not file.exists() or file.stat().st_size == 0
    # Somebody who knows goes on.
    server.arguments = ["--accept-loss"]
    server.start()
    server.kill()
    server.arguments = []
    server.start()


def test_an_older_database_in_place_of_a_newer_is_refused(make_server, furnished, tmp_path):
    server = make_server()
    furnished(server, 200)
    file = server.data / "muster.sqlite"
    shutil.copy(file, tmp_path / "older.sqlite")
    backup = tmp_path / "backup.sqlite"
    run("backup", backup, data=server.data)
    server.start()
    server.admin().make_user("cleo")
    assert server.stop() == 0
    shutil.copy(tmp_path / "older.sqlite", file)
    said = refusal(server)
    assert "acknowledged changes are missing: its newest is" in said and "--accept-loss" in said
    assert "acknowledged changes are missing" in doctor(server)[1]
    assert "acknowledged changes are missing" in run("backup", tmp_path / "copy", data=server.data, status=1)
    # A restore says that it is meant.
    run("restore", backup, data=server.data)
    server.start()
    assert server.stop() == 0
    assert doctor(server)[0] == 0


def test_another_store_in_place_of_the_served_one_is_refused(make_server, furnished):
    server, other = make_server("one"), make_server("two")
    furnished(server, 200)
    furnish(other, 200)
    shutil.copy(other.data / "muster.sqlite", server.data / "muster.sqlite")
    assert "it is another store than the one served here" in refusal(server)


def test_a_crash_does_not_count_as_damage(make_server):
    server = make_server().start()
    admin = server.admin()
    admin.make_user("ann")
    device = admin.make_device("ann")
    for round in range(5):
        start = now() - 1000
        for step in range(20):
            device.ok("POST", "/positions", fix(50 + round, 8 + step / 100, start + step))
        server.kill()
        server.start()
    assert len(admin.history("ann/phone")) == 100


# MARK: Damaged pages


def test_a_damaged_block_of_the_history_is_reported_and_the_rest_is_served(make_server, furnished, tmp_path):
    server = make_server()
    furnished(server)
    file = server.data / "muster.sqlite"
    pages = pages_of(file, "history")
    assert len(pages) > 4
    flip(file, pages[1])
    status, said = doctor(server)
    assert status == 1
    assert "of the history of positions: positions of ann/phone from " in said and "muster restore" in said, said
    server.start()
    admin = server.admin()
    assert admin.ok("GET", "//health")["status"] == "damaged"
    assert "DAMAGED" in server.log() and "history of positions" in server.log()
    assert admin.send("GET", "/users/ann/devices/phone/positions").status_code == 503
    assert len(admin.history("bob/phone")) == 400
    assert server.api(admin.make_device("bob", "watch").token).send(
        "POST", "/positions", fix(1, 1, now())).status_code == 200
    said = run("backup", tmp_path / "copy.sqlite", data=server.data, status=1)
    assert "history of positions" in said and not (tmp_path / "copy.sqlite").exists()


@pytest.mark.parametrize("table", ["users", "devices", "history_of_device", "counters", "meta"])
def test_damage_to_what_the_server_cannot_do_without_is_refused(make_server, furnished, tmp_path, table):
    server = make_server()
    furnished(server, 200)
    flip(server.data / "muster.sqlite", pages_of(server.data / "muster.sqlite", table)[0], 4000)
    said = refusal(server)
    assert table in said and "muster restore" in said, said
    status, said = doctor(server)
    assert status == 1 and table in said
    said = run("backup", tmp_path / "copy.sqlite", data=server.data, status=1)
    assert table in said and not (tmp_path / "copy.sqlite").exists()


def test_a_damaged_backup_is_not_restored(make_server, furnished, tmp_path):
    server = make_server()
    furnished(server, 200)
    backup = tmp_path / "backup.sqlite"
    run("backup", backup, data=server.data)
    flip(backup, pages_of(backup, "history")[0])
    before = (server.data / "muster.sqlite").read_bytes()
    assert "is damaged" in run("restore", backup, data=server.data, status=1)
    assert (server.data / "muster.sqlite").read_bytes() == before
    assert doctor(server)[0] == 0


@pytest.mark.parametrize("damage", ["a page of zeros", "a page in another's place", "cut"])
def test_misplaced_and_missing_pages_are_found(make_server, furnished, damage):
    server = make_server()
    furnished(server, 200)
    file = server.data / "muster.sqlite"
    content = bytearray(file.read_bytes())
    first, second = pages_of(file, "history")[:2]
    begin, other = (first - 1) * page_size, (second - 1) * page_size
    if damage == "a page of zeros":
        content[begin:begin + page_size] = bytes(page_size)
    elif damage == "a page in another's place":
        content[begin:begin + page_size] = content[other:other + page_size]
    else:
        del content[-3 * page_size - 100:]
    file.write_bytes(content)
    status, said = doctor(server)
    assert status == 1 and "damaged" in said


@pytest.mark.soak
def test_every_flipped_run_of_bytes_is_found_by_doctor_and_never_served(make_server, furnished):
    seed = int(os.environ.get("MUSTER_SEED", 14))
    print(f"seed {seed}")
    numbers = random.Random(seed)
    server = make_server()
    furnished(server)
    file = server.data / "muster.sqlite"
    sound = file.read_bytes()
    server.start()
    truth = everything(server)
    assert [path for path, (status, _) in truth.items() if status != 200] == []
    assert server.stop() == 0
    sound = file.read_bytes()
    refused = partly = whole = 0
    for number in range(flips):
        place, run_of_bytes = numbers.randrange(len(sound) - 4), numbers.randbytes(4)
        content = bytearray(sound)
        content[place:place + 4] = run_of_bytes
        if content == sound:
            continue
        (server.data / "muster.sqlite-wal").unlink(missing_ok=True)
        file.write_bytes(content)
        status, said = doctor(server)
        assert status == 1, f"flip {number} at {place} is not found: {said}"
        server.launch()
        try:
            server.await_ready()
        except AssertionError:
            assert "is damaged" in server.log()
            refused += 1
            continue
        told = everything(server)
        for path, answer in told.items():
            assert answer == truth[path] or answer[0] == 503, f"flip {number} at {place}: {path} tells {answer}"
        if told == truth:
            whole += 1
        else:
            partly += 1
        server.kill()
    print(f"{refused} refused, {partly} served in part, {whole} that nothing read")


def everything(server):
    """What the API answers to what can be read, by path."""
    admin = server.admin()
    paths = ["/users", "/teams", "/collections", "/devices", "/positions", "/changes?since=0&limit=1000"]
    paths += [f"/users/{name}/devices/phone/positions?limit=1000" for name in ("ann", "bob")]
    answers = {}
    for path in paths:
        answer = admin.send("GET", path)
        answers[path] = (answer.status_code, answer.json() if answer.status_code == 200 else None)
    return answers
