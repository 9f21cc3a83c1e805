"""What a command says when a file, a port or a server is not as it must be: which one, and why, in words."""

import os
import resource
import signal
import socket
import subprocess

import pytest

from muster_process import admin_password, binary, run

absent = "No such file or directory|there is no"
# Words of frameworks that say nothing to a person.
noise = ("not an error", "Error(", "NSCocoa", "Domain=", "IOError", "The operation could not be completed",
         "The operation couldn’t be completed", "Fatal error")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("errors") / "data"
    run("init", data=folder)
    return folder


def told(words, *, cause, names):
    """Checks that a message names the file and the cause, and holds no words of frameworks."""
    assert words.startswith("Error: "), words
    assert any(each in words for each in cause.split("|")), words
    for name in names:
        assert str(name) in words, words
    assert not [each for each in noise if each in words], words


@pytest.mark.parametrize("command", [
    "region import {file} --collection places", "places import {file}", "restore {file}",
    "replay {file} --server http://127.0.0.1:1 --token none", "track {file} --server http://127.0.0.1:1 --user ann",
    "serve --port 0 --tls-certificate {file} --tls-key {file}"])
def test_a_file_that_is_not_there_is_named_with_the_cause(data, tmp_path, command):
    path = tmp_path / "absent.file"
    words = command.format(file=path).split()
    folder = {} if words[0] in ("replay", "track") else {"data": data}
    told(run(*words, status=1, **folder), cause=absent, names=[path])


def test_a_backup_that_cannot_be_written_fails_with_the_reason(data, tmp_path):
    path = tmp_path / "absent" / "copy.sqlite"
    told(run("backup", path, data=data, status=1), cause=absent, names=[path])
    there = tmp_path / "there.sqlite"
    there.write_text("something else")
    told(run("backup", there, data=data, status=1), cause="File exists", names=[there])
    assert there.read_text() == "something else"


def test_a_backup_without_room_fails_and_leaves_no_partial_file(data, tmp_path):
    path = tmp_path / "copy.sqlite"

    def leave_little_room():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (64 << 10, resource.RLIM_INFINITY))

    done = subprocess.run(
        [binary, "backup", str(path), "--data", str(data)], capture_output=True, text=True, timeout=60,
        preexec_fn=leave_little_room, env={**os.environ, "MUSTER_ADMIN_PASSWORD": admin_password})
    assert done.returncode == 1, done
    told(done.stderr, cause="disk I/O error|database or disk is full", names=[path])
    assert not path.exists()


def test_a_file_that_is_not_a_database_is_not_restored(data, tmp_path):
    path = tmp_path / "text.sqlite"
    path.write_text("no database\n")
    told(run("restore", path, data=data, status=1), cause="file is not a database", names=[path])


def test_an_unusable_data_folder_is_named(tmp_path):
    path = tmp_path / "file"
    path.write_text("")
    words = run("serve", "--port", "0", data=path / "data", status=1)
    told(words, cause="Not a directory", names=[path])


def test_an_unreachable_server_is_named_with_its_address(tmp_path):
    gpx = tmp_path / "walk.gpx"
    gpx.write_text('<gpx xmlns="http://www.topografix.com/GPX/1/1" version="1.1" creator="t"><trk><trkseg>'
                   '<trkpt lat="1" lon="1"><time>2026-01-01T00:00:00Z</time></trkpt></trkseg></trk></gpx>')
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        words = run("replay", gpx, "--server", address, "--token", "none", "--at-once", status=1)
    told(words, cause="cannot be reached|Connection refused|connection", names=[address.removeprefix("http://")])


@pytest.mark.parametrize("name", ["..", ".", ""])
def test_an_impossible_name_removes_and_shows_nothing(tmp_path, name):
    data = tmp_path / "data"
    run("init", data=data)
    run("team", "add", "fire", data=data)
    run("user", "add", "ana", "--team", "fire", data=data)
    run("device", "add", "phone", "--user", "ana", data=data)
    for command in (["device", "remove", name, "--user", "ana"], ["device", "show", name, "--user", "ana"],
                    ["attendance", "remove", "fire", name], ["user", "remove", name], ["team", "show", name]):
        assert run(*command, data=data, status=1) == f"Error: '{name}' is not a name\n", command
    assert run("device", "list", data=data).startswith("ana/phone")


def test_no_region_gets_an_id_that_a_url_cannot_hold(tmp_path):
    data = tmp_path / "data"
    run("init", data=data)
    file = tmp_path / "regions.geojson"
    file.write_text('{"type":"Feature","id":"..","properties":{"radius":9},'
                    '"geometry":{"type":"Point","coordinates":[1,2]}}')
    words = run("region", "import", file, "--collection", "town", "--new-collection", data=data, status=1)
    assert "must not be . or .." in words


def test_a_configuration_file_with_other_line_ends_and_a_byte_order_mark_is_read(tmp_path):
    file = tmp_path / "muster.conf"
    file.write_bytes(b"\xef\xbb\xbf# mine\r\nMUSTER_RETENTION_DAYS=7\r\nMUSTER_TYPO=1\r\n")
    words = run("config", "check", "--config", file, status=1)
    assert "line 3" in words and "MUSTER_TYPO" in words
    file.write_bytes(b"MUSTER_RETENTION_DAYS=7\r\nMUSTER_LOG_LEVEL=debug\r\n")
    assert "2 of " in run("config", "check", "--config", file)


def test_a_note_forges_no_lines_and_sends_no_escape_sequence(tmp_path):
    data = tmp_path / "data"
    run("init", data=data)
    run("user", "add", "bob", data=data)
    run("person", "help", "bob", "--note", "x\nFAKE\tROW\x1b[31m", data=data)
    lines = run("person", "declarations", "bob", data=data).splitlines()
    assert len(lines) == 1 and lines[0].endswith("\tx FAKE ROW [31m")
