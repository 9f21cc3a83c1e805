"""How a command finds the server of a data folder, and keeps its rights."""

import base64
import hashlib
import json
import shutil

import pytest

from muster_process import run


@pytest.fixture
def running(make_server):
    server = make_server().start()
    server.admin()
    return server


def test_a_command_over_a_copy_of_a_folder_leaves_the_running_server_alone(running, tmp_path):
    copy = tmp_path / "copy"
    # The server writes this one anew and renames it, perhaps meanwhile.
    shutil.copytree(running.data, copy, ignore=shutil.ignore_patterns(".newest-change"))
    run("team", "add", "copied", data=copy)
    assert "copied" in run("team", "list", data=copy)
    assert "copied" not in run("team", "list", data=running.data)


@pytest.mark.parametrize("is_removed", [False, True], ids=["demoted", "removed"])
def test_the_command_line_survives_its_admin(running, is_removed):
    run("user", "add", "boss", "--role", "admin", data=running.data)
    if is_removed:
        boss = running.admin().ok("POST", "/keys", {"label": "boss", "user": "boss"})["key"]
        assert running.api(boss).send("DELETE", "/users/admin").status_code == 204
    else:
        run("user", "set", "admin", "--role", "member", data=running.data)
    assert "boss" in run("user", "list", data=running.data)
    run("team", "add", "harbour", data=running.data)
    assert "harbour" in run("team", "list", data=running.data)


def test_the_key_of_the_command_line_is_in_no_list_and_cannot_be_removed(running):
    keys = running.admin().ok("GET", "/keys")["items"]
    assert [key["label"] for key in keys] == ["tests"]
    before = json.loads((running.data / "control.json").read_text())["key"]
    digest = hashlib.sha256(before.encode()).digest()[:12]
    for key in (base64.urlsafe_b64encode(digest).decode(), digest.hex()):
        running.admin().refused(404, "DELETE", f"/keys/{key}")
    assert running.api(before).send("GET", "/session").status_code == 200
