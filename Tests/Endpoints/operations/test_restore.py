"""`muster restore`: what a backup has, whatever the server left behind when it died."""

import stat

import pytest

from couch_api import as_admin
from muster_process import MusterProcess, run


def fill(couch, start, count):
    """Documents with numbers from one on, a thousand a request."""
    for first in range(start, start + count, 1000):
        ids = range(first, min(first + 1000, start + count))
        couch.ok("POST", "/notes/_bulk_docs", {"docs": [{"_id": f"n{number:06}", "text": "x" * 200} for number in ids]})


def died(make_server, tmp_path):
    """A server that died with 500 documents in its log, and a backup from before they came."""
    server = make_server().start()
    as_admin(server).ok("PUT", "/notes")
    file = tmp_path / "copy.sqlite"
    run("backup", file, data=server.data)
    fill(as_admin(server), 0, 500)
    server.kill()
    return server, file


@pytest.mark.parametrize("more", [300, 12_000], ids=["a short log behind it", "a long one"])
def test_a_backup_is_restored_after_a_crash_and_what_was_there_is_kept(make_server, tmp_path, more):
    server = make_server().start()
    as_admin(server).ok("PUT", "/notes")
    fill(as_admin(server), 0, 200)
    file = tmp_path / "copy.sqlite"
    said = run("backup", file, data=server.data)
    assert f"muster restore {file} --data {server.data}" in said
    fill(as_admin(server), 200, more)
    assert "in use" in run("restore", file, data=server.data, status=1)
    server.kill()
    said = run("restore", file, data=server.data)
    server.start()
    assert as_admin(server).ok("GET", "/notes")["doc_count"] == 200
    assert server.stop() == 0
    run("doctor", data=server.data)
    kept = next(server.data.glob("before-restore-*"))
    assert str(kept) in said and stat.S_IMODE(kept.stat().st_mode) == 0o700
    assert not list(server.data.glob(".muster*")) and file.exists()
    # What was there is a whole store, with all that the log had.
    other = MusterProcess(tmp_path / "other")
    other.data.mkdir(parents=True)
    for part in kept.iterdir():
        part.rename(other.data / part.name)
    with other:
        assert as_admin(other).ok("GET", "/notes")["doc_count"] == 200 + more


def test_the_log_of_a_dead_server_is_not_replayed_over_a_restored_backup(make_server, tmp_path):
    server, file = died(make_server, tmp_path)
    # Somebody moved the store away, and not what goes with it.
    (server.data / "muster.sqlite").rename(tmp_path / "away.sqlite")
    assert (server.data / "muster.sqlite-wal").stat().st_size > 0
    run("restore", file, data=server.data)
    with server:
        assert as_admin(server).ok("GET", "/notes")["doc_count"] == 0


def test_a_restore_can_be_undone_with_the_former_log(make_server, tmp_path):
    server, file = died(make_server, tmp_path)
    # Whoever names the store itself loses nothing either.
    run("restore", server.data / "muster.sqlite", data=server.data)
    run("restore", file, data=server.data)
    second = max(server.data.glob("before-restore-*"))
    run("restore", second / "muster.sqlite", data=server.data)
    with server:
        assert as_admin(server).ok("GET", "/notes")["doc_count"] == 500


def test_a_killed_restore_is_finished_when_the_store_is_opened(make_server, tmp_path):
    server, file = died(make_server, tmp_path)
    # As it stands once the backup was looked at, and the log was moved away.
    (server.data / "before-restore-17").mkdir()
    (server.data / "muster.sqlite-wal").rename(server.data / "before-restore-17" / "muster.sqlite-wal")
    file.rename(server.data / ".muster-restored-17.sqlite")
    with server:
        assert as_admin(server).ok("GET", "/notes")["doc_count"] == 0
    kept = server.data / "before-restore-17"
    assert (kept / "muster.sqlite").exists() and not (server.data / ".muster-restored-17.sqlite").exists()
    run("restore", kept / "muster.sqlite", data=server.data)
    with server:
        assert as_admin(server).ok("GET", "/notes")["doc_count"] == 500


def test_restoring_an_invalid_backup_changes_nothing(make_server, tmp_path):
    server = make_server().start()
    as_admin(server).ok("PUT", "/notes")
    server.kill()
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "text").write_text("no database\n" * 1000)
    run("backup", tmp_path / "damaged", data=server.data)
    content = bytearray((tmp_path / "damaged").read_bytes())
    for offset in range(8192, len(content), 4096):
        content[offset:offset + 64] = bytes(64)
    (tmp_path / "damaged").write_bytes(content)
    for name in ("empty", "text", "damaged", "nothing"):
        told = run("restore", tmp_path / name, data=server.data, status=1)
        assert str(tmp_path / name) in told
        assert sorted(path.name for path in server.data.glob("*restor*")) == []
    with server:
        assert as_admin(server).ok("GET", "/notes")["db_name"] == "notes"


def test_a_backup_is_restored_to_a_machine_that_has_nothing(tmp_path):
    run("init", data=tmp_path / "data")
    run("user", "add", "ann", data=tmp_path / "data")
    run("backup", tmp_path / "copy", data=tmp_path / "data")
    assert "before" not in run("restore", tmp_path / "copy", data=tmp_path / "fresh")
    assert stat.S_IMODE((tmp_path / "fresh" / "muster.sqlite").stat().st_mode) == 0o600
    assert "ann" in run("user", "list", data=tmp_path / "fresh")
