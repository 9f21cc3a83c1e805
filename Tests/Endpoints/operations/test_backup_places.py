"""What `muster backup` leaves where, and what `muster restore` says of files that are no backups."""

import os
import stat
import subprocess

import pytest

from muster_process import binary, run


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "data"
    run("init", data=folder)
    return folder


def test_a_backup_leaves_one_file_and_a_private_mark(data, tmp_path):
    place = tmp_path / "backups"
    place.mkdir()
    run("backup", place / "b.sqlite", data=data)
    assert os.listdir(place) == ["b.sqlite"]
    assert stat.S_IMODE(os.stat(data / "last-backup").st_mode) == 0o600
    refused = run("backup", place / "b.sqlite", data=data, status=1)
    assert "File exists" in refused and os.listdir(place) == ["b.sqlite"]


def test_the_name_of_a_backup_is_no_uri(data, tmp_path):
    subprocess.run(
        [binary, "backup", "file:b.sqlite", "--data", str(data)], cwd=tmp_path, check=True, capture_output=True,
        timeout=60)
    assert (tmp_path / "file:b.sqlite").stat().st_size > 0 and not (tmp_path / "b.sqlite").exists()


def test_a_restore_names_what_is_no_backup(data, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    refused = run("restore", pipe, data=data, status=1)
    assert f"{pipe} cannot be read: it is no regular file" in refused
    refused = run("restore", tmp_path, data=data, status=1)
    assert f"{tmp_path} cannot be read: it is a folder" in refused


def test_a_pipe_that_nobody_writes_is_no_file_of_regions(data, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    refused = run("region", "import", pipe, "--collection", "c", "--new-collection", data=data, status=1)
    assert f"{pipe} cannot be read: it is a pipe" in refused


def test_a_lost_store_is_called_lost_by_every_command(data):
    run("user", "list", data=data)
    (data / "muster.sqlite").unlink()
    for suffix in ("-wal", "-shm"):
        (data / f"muster.sqlite{suffix}").unlink(missing_ok=True)
    assert "was lost: it is not there" in run("user", "list", data=data, status=1)


def test_an_unknown_user_is_named(data):
    for command in (["device", "positions"], ["device", "presences"], ["trigger", "list"]):
        assert "there is no user 'nobody'" in run(*command, "--user", "nobody", data=data, status=1)
