"""Standard output that cannot be written: a full device, a closed stream, a pipe that nobody reads."""

import os
import signal
import subprocess
import threading

from muster_process import admin_password, binary, run
from native_api import NativeApi
from waiting import eventually

with_password = {**os.environ, "MUSTER_ADMIN_PASSWORD": admin_password}
without_password = {name: value for name, value in os.environ.items() if name != "MUSTER_ADMIN_PASSWORD"}


def test_a_command_says_that_its_output_cannot_be_written_and_leaves_no_control_file(tmp_path):
    data = tmp_path / "data"
    run("init", data=data)
    command = [binary, "user", "list", "--data", str(data)]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, env=with_password, timeout=60)
    assert done.returncode == 1
    assert "standard output cannot be written: No space left on device" in done.stderr
    assert not (data / "control.json").exists()
    closed = subprocess.run(
        ["sh", "-c", '"$@" >&-', "sh", *command], stderr=subprocess.PIPE, text=True, env=with_password, timeout=60)
    assert closed.returncode == 1 and "standard output cannot be written" in closed.stderr
    assert "admin" in run("user", "list", data=data)


def test_a_command_ends_silently_when_nobody_reads_its_pipe(make_server):
    server = make_server().start()
    server.admin()
    process = subprocess.Popen(
        [binary, "changes", "--follow", "--since", "0", "--data", str(server.data)], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, env=with_password)
    timer = threading.Timer(300, process.kill)
    timer.start()
    process.stdout.readline()
    process.stdout.close()
    for number in range(3):
        server.admin().ok("POST", "/users", {"name": f"user{number}", "role": "member"})
    assert process.wait(60) == -signal.SIGPIPE
    timer.cancel()
    assert process.stderr.read() == ""


def test_a_server_that_cannot_show_the_first_password_stores_none_and_goes_on(tmp_path):
    data = tmp_path / "data"
    command = [binary, "serve", "--data", str(data), "--port", "0"]
    with open("/dev/full", "w") as full, open(tmp_path / "log", "w") as log:
        process = subprocess.Popen(command, stdout=full, stderr=log, env=without_password)
        try:
            eventually((data / "control.json").exists, why="the server is not ready")
            assert process.poll() is None
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0
    assert "muster user password admin" in (tmp_path / "log").read_text()
    again = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                             env=without_password)
    try:
        password = again.stdout.readline().strip().rpartition(": ")[2]
        address = again.stdout.readline().strip().rpartition(" ")[2]
        NativeApi(address).ok("POST", "/session", {"name": "admin", "password": password})
    finally:
        again.send_signal(signal.SIGTERM)
        assert again.wait(60) == 0
