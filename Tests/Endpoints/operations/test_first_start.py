"""The first start, the demo, the benches, and a command beside a server that starts."""

import os
import pathlib
import re
import signal
import subprocess
import threading
import time

import pytest

from muster_process import binary, root, run, stop_seconds
from native_api import NativeApi
from waiting import eventually


kill_seconds = 300
"""After so long a program is killed that does not do what a test waits for."""


def test_the_first_start_prints_a_password_once_and_it_is_good(tmp_path):
    environment = {name: value for name, value in os.environ.items() if name != "MUSTER_ADMIN_PASSWORD"}
    outputs = []
    for _ in range(2):
        process = subprocess.Popen(
            [binary, "serve", "--data", str(tmp_path / "data"), "--port", "0"], cwd=root, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, env=environment)
        timer = threading.Timer(kill_seconds, process.kill)
        timer.start()
        lines = []
        for line in process.stdout:
            lines.append(line.strip())
            if "ready at" in line:
                break
        address = re.search(r"http://\S+", lines[-1])[0]
        outputs.append(lines)
        password = re.search(r"password: (\S+)", outputs[0][0])[1]
        session = NativeApi(address).ok("POST", "/session", {"name": "admin", "password": password})
        assert session["user"] == {"name": "admin", "role": "admin"}
        process.send_signal(signal.SIGTERM)
        assert process.wait(stop_seconds) == 0
        timer.cancel()
    assert len(outputs[1]) == 1, outputs[1]


def test_a_demo_shows_the_way_in_moves_and_ends_on_a_signal(tmp_path):
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    environment.pop("MUSTER_ADMIN_PASSWORD", None)
    process = subprocess.Popen(
        [binary, "demo", "--port", "0", "--people", "12"], cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, env=environment)
    timer = threading.Timer(kill_seconds, process.kill)
    timer.start()
    printed = []
    for line in process.stdout:
        printed.append(line.rstrip())
        if "#demo=" in line:
            break
    link = re.search(r"(http://\S+?)/#demo=(\S+)", "\n".join(printed))
    assert link, printed
    address, code = link.groups()
    assert f"Muster is ready at {address}" in printed
    api = NativeApi(address)
    session = api.ok("POST", "/session", {"code": code})
    assert session["user"]["role"] in ("admin", "leader")
    assert api.send("POST", "/session", {"code": code}).status_code == 401, "a code is good once"
    demo = api.session.get(address + "/", headers={"Accept": "text/html"}, timeout=60)
    assert demo.ok and "text/html" in demo.headers["Content-Type"]
    signed_in = NativeApi(address, session["accessToken"])
    first = signed_in.last_sequence()

    def moved():
        return {change["device"] for change in signed_in.changes(first) if change["type"] == "position"}

    eventually(moved, lambda devices: len(devices) >= 6)
    heard = eventually(
        lambda: signed_in.ok("GET", "/users/porter/devices/phone/sightings")["items"], lambda found: len(found) > 2)
    assert {sighting["minor"] for sighting in heard} <= {1, 2, 3, 4, 5}
    process.send_signal(signal.SIGINT)
    rest, errors = process.communicate(timeout=stop_seconds)
    timer.cancel()
    assert process.returncode == 0, errors
    assert list(tmp_path.iterdir()) == [], "the demo left something behind"


@pytest.mark.parametrize("seconds", [-1, 3])
def test_a_demo_ends_by_itself(tmp_path, seconds):
    """Before it is ready, or perhaps after."""
    environment = {**os.environ, "DEMO_SECONDS": str(seconds), "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [binary, "demo", "--port", "0", "--people", "2"], cwd=root, capture_output=True, text=True,
        timeout=kill_seconds, env=environment)
    assert done.returncode == 0 and "The demo is over" in done.stdout, done.stderr
    assert list(tmp_path.iterdir()) == [], "the demo left something behind"


def test_the_benches_run_and_print_figures(tmp_path):
    bench = pathlib.Path(binary).resolve().with_name("muster-bench")
    if not bench.exists():
        pytest.skip(f"{bench} is not built")

    def measured(*arguments):
        done = subprocess.run(
            [bench, *arguments], env={**os.environ, "TMPDIR": str(tmp_path)}, capture_output=True, text=True,
            timeout=kill_seconds)
        assert done.returncode == 0, f"{arguments}: {done.stdout} {done.stderr}"
        return done.stdout

    said = measured("ingest", "--thousands", "1", "--people", "64", "--only", "mixed")
    assert re.search(r"^64 × 100, devices mixed +\d+ .* 0$", said, re.M)
    said = measured("live", "--background", "50", "--probes", "20")
    assert re.search(r"probes heard: 20 of 20\n.*p99 \d", said)
    said = measured("edits", "--people", "100")
    assert re.search(r"all are decided anew after \d+ ms", said)
    assert list(tmp_path.iterdir()) == []


def test_a_command_waits_for_a_server_that_is_starting(make_server):
    # It has a store: the command waits for one that is not there yet for 3 seconds only.
    server = make_server()
    server.launch()
    # Not by `eventually`: the server would become ready in one of its pauses.
    deadline = time.monotonic() + kill_seconds
    while not (server.data / "lock").exists():
        assert time.monotonic() < deadline
        time.sleep(0.001)
    # The folder is the server's by now, or in a moment; it has not said where it is.
    told = run("user", "add", "eve", "--password-stdin", data=server.data, text="a sound password\n")
    assert "Added member eve" in told
    # Where the command was first, the server has said so and ended.
    server.await_ready() if server.process.poll() is None else server.start()
    assert "eve" in [user["name"] for user in server.admin().items("/users")]


def test_a_demo_says_that_its_limit_is_not_a_number(tmp_path):
    wrong = subprocess.run(
        [binary, "demo", "--port", "0"], cwd=root, capture_output=True, text=True, timeout=kill_seconds,
        env={**os.environ, "DEMO_SECONDS": "abc", "TMPDIR": str(tmp_path)})
    assert wrong.returncode != 0 and "DEMO_SECONDS: 'abc' is not a number" in wrong.stderr
