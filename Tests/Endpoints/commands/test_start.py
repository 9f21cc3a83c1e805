"""A server and commands that are started at the same moment over one folder."""

import fcntl
import os
import re
import signal
import subprocess
import threading

import pytest

from held_port import hold_port
from muster_process import binary, root, stop_seconds
from native_api import NativeApi
from page_commands import blocks


def without_password():
    return {name: value for name, value in os.environ.items() if name != "MUSTER_ADMIN_PASSWORD"}


def test_a_starting_server_waits_for_a_command_and_prints_the_password(tmp_path):
    data = tmp_path / "data"
    told = subprocess.run(
        [binary, "init", "--data", str(data)], cwd=root, capture_output=True, text=True, timeout=60,
        env=without_password(), check=True)
    assert "password" not in told.stdout + told.stderr
    told = subprocess.run(
        [binary, "team", "add", "walkers", "--data", str(data)], cwd=root, capture_output=True, text=True, timeout=60,
        env=without_password(), check=True)
    assert "password" not in told.stdout + told.stderr
    with open(data / "lock", "r+b") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        process = subprocess.Popen(
            [binary, "serve", "--data", str(data), "--port", "0"], cwd=root, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env=without_password())
        timer = threading.Timer(300, process.kill)
        timer.start()
        assert "waiting for a command to end" in process.stderr.readline()
    password = re.search(r"admin with the password: (\S+)", process.stdout.readline())[1]
    api = NativeApi(re.search(r"http://\S+", process.stdout.readline())[0])
    token = api.ok("POST", "/session", {"name": "admin", "password": password})["accessToken"]
    assert [team["name"] for team in NativeApi(api.address, token).items("/teams")] == ["walkers"]
    # Whoever has it to stay is not waited for.
    other = subprocess.run(
        [binary, "serve", "--data", str(data), "--port", "0"], cwd=root, capture_output=True, text=True, timeout=60)
    assert other.returncode == 1 and "is in use by another Muster" in other.stderr and "waiting" not in other.stderr
    process.send_signal(signal.SIGTERM)
    assert process.wait(stop_seconds) == 0
    timer.cancel()


@pytest.mark.parametrize("attempt", range(2))
def test_the_tutorial_of_a_walk_works_as_it_is_pasted(tmp_path, attempt):
    tutorial = blocks("docs/offline.md")[0].text
    held, port = hold_port()
    # Another port and a faster walk, and nothing else.
    tutorial = tutorial.replace("serve --data demo", f"serve --port {port} --data demo").replace(":8080", f":{port}")
    tutorial = tutorial.replace("--speed 30", "--speed 2000")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/muster").symlink_to(binary)
    done = subprocess.run(
        ["bash", "-c", tutorial + "status=$?; kill %1; wait; exit $status"], cwd=tmp_path, capture_output=True,
        text=True, timeout=300, env={**without_password(), "PATH": f"{tmp_path}/bin:{os.environ['PATH']}"})
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Added team walkers." in done.stdout and "locations, all of them at the server" in done.stdout
    assert done.stdout.count("Sign in as admin with the password") == 1
    held.close()
