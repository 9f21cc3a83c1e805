"""Measured ranges: two `muster nearby` that report to a server, and who agreed to it."""

import hashlib
import os
import signal
import subprocess

import pytest

from held_port import hold_port
from muster_process import binary, run
from native_api import now, stamp
from waiting import eventually

wait_seconds = 120


class Device:
    """A `muster nearby` that reports as the device of a token."""

    def __init__(self, folder, name, token, server, *arguments):
        self.name = name
        self.command = [binary, "nearby", "--name", name, "--store", str(folder / name), "--discover", "none",
                        "--report", server.address, *map(str, arguments)]
        self.environment = {**os.environ, "MUSTER_TOKEN": token}
        self.output = folder / f"{name}.txt"
        self.process = None

    def start(self):
        with open(self.output, "a") as output:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=self.environment)
        return self

    def said(self):
        return self.output.read_text()

    def end(self, number=signal.SIGKILL):
        if self.process:
            self.process.send_signal(number)
            self.process.wait(wait_seconds)


def until(condition, words):
    return eventually(condition, seconds=wait_seconds, why=words)


@pytest.fixture
def pair(make_server, tmp_path):
    """A server with a team, and a function that makes the devices of two of its people, two metres apart."""
    server = make_server().start()
    admin = server.admin()
    admin.make_team("crew")
    people = {}
    for user in ("ana", "ben"):
        people[user] = admin.make_user(user, "member", "crew")
        people[user].device = admin.make_device(user)
    devices = []
    held, port = hold_port()

    def make_devices():
        address = f"127.0.0.1:{port}"
        devices.append(Device(tmp_path, "ana", people["ana"].device.token, server, "--listen", address,
                              "--simulate", "0,0,0"))
        devices.append(Device(tmp_path, "ben", people["ben"].device.token, server, "--connect", address,
                              "--simulate", "0,2,180"))
        return devices
    yield server, people, make_devices
    for device in devices:
        device.end()
    held.close()


def test_two_devices_report_how_far_they_are_also_what_they_measured_without_the_server(pair):
    server, people, make_devices = pair
    admin = server.admin()
    run("proximity", "fence", "crew", "close", "5", "--around-person", "ben", data=server.data)
    ana, ben = [device.start() for device in make_devices()]
    changes = until(lambda: [change for change in admin.changes() if change["type"] == "range"],
                    lambda: ana.said() + ben.said())
    measured = changes[0]["range"]
    assert measured["source"] == "simulated" and abs(measured["metres"] - 2) < 3
    assert {changes[0]["device"], measured["peer"]} == {"ana/phone", "ben/phone"}
    until(lambda: any(change["type"] == "proximity" and change["happened"] == "near" and change["source"] == "simulated"
                      for change in admin.changes()), "nobody is near")
    shown = run("proximity", "show", "crew", "close", data=server.data)
    assert "ana\t" in shown
    # While the server is gone, ranges are stored, and outlive the program.
    server.kill()
    gone = now()
    # One is stored every 10 s at least, and the machine may pause.
    until(lambda: "cannot be reached" in ana.said() and now() > gone + 32_000, ana.said)
    ana.end()
    ended = now()
    server.start()
    ana.start()
    listed = until(
        lambda: [item for item in server.admin().items(f"/users/ana/devices/phone/ranges?from={stamp(gone)}")
                 if item["sampleTime"] <= stamp(ended)], lambda: ana.said() + ben.said())
    assert all(item["peer"] == "ben/phone" for item in listed)
    number = server.admin().ok("POST", "/teams/crew/incidents", {"kind": "drill"})["number"]
    line = run("incident", "contacts", str(number), "ben", "--within-metres", "5", data=server.data).splitlines()[0]
    assert line.startswith("ana\t") and line.endswith(" by simulated")


def test_a_user_who_withdraws_is_not_measured_any_more(pair):
    server, people, make_devices = pair
    ana, ben = [device.start() for device in make_devices()]
    ranges = "/users/ana/devices/phone/ranges"
    until(lambda: server.admin().items(ranges), lambda: ana.said() + ben.said())
    assert people["ben"].ok("GET", "/users/ben/devices/phone")["agreesToRanges"]
    ben.end(signal.SIGTERM)
    result = subprocess.run([*ben.command, "--withdraw"], env=ben.environment, capture_output=True, text=True,
                            timeout=wait_seconds)
    assert result.returncode == 0 and "The server stores no more distances" in result.stdout, result.stderr
    assert "agreesToRanges" not in people["ben"].ok("GET", "/users/ben/devices/phone")
    before = len(server.admin().items(ranges))
    answer = people["ana"].device.ok("POST", "/ranges", {
        "peer": tag_of(secret_of(ben)), "sampleTime": stamp(now()),
        "metres": 2, "deviationMetres": 0.3, "source": "uwb"})
    assert (answer["accepted"], answer["unregistered"]) == (0, 1)
    assert len(server.admin().items(ranges)) == before


def secret_of(device):
    path = device.output.parent / device.name / "range-secret"
    assert path.stat().st_mode & 0o777 == 0o600
    return path.read_text().strip()


def tag_of(secret):
    return hashlib.sha256(b"muster range tag\0" + bytes.fromhex(secret)).hexdigest()[:32]


def test_a_peer_cannot_take_a_withdrawn_tag_and_its_owner_can_agree_again(pair):
    server, people, make_devices = pair
    ana, ben = [device.start() for device in make_devices()]
    ranges = "/users/ana/devices/phone/ranges"
    until(lambda: server.admin().items(ranges), lambda: ana.said() + ben.said())
    ben.end(signal.SIGTERM)
    ana.end(signal.SIGTERM)
    subprocess.run([*ben.command, "--withdraw"], env=ben.environment, capture_output=True, check=True,
                   timeout=wait_seconds)
    # Ana knows Ben's tag. Neither as a tag nor as a secret does it become her own.
    secret = secret_of(ben)
    tag = tag_of(secret)
    for body in ({"tag": tag}, {"secret": tag}, {"secret": tag, "tag": tag}, {"secret": tag * 2, "tag": tag}):
        people["ana"].device.refused(422, "PUT", "/users/ana/devices/phone/range-tag", body)
    people["ana"].device.ok("PUT", "/users/ana/devices/phone/range-tag", {"secret": tag * 2})
    measured = {"peer": tag, "sampleTime": stamp(now()), "metres": 2, "deviationMetres": 0.3, "source": "uwb"}
    assert people["ana"].device.ok("POST", "/ranges", measured)["unregistered"] == 1
    ben.start()
    until(lambda: people["ben"].ok("GET", "/users/ben/devices/phone").get("agreesToRanges"), ben.said)
    assert people["ana"].device.ok("POST", "/ranges", measured)["accepted"] == 1
    # The server stores the tag and nothing of the secret. It has stopped: its files are not replaced meanwhile.
    server.stop()
    for path in server.data.rglob("*"):
        if path.is_file():
            stored = path.read_bytes()
            assert secret.encode() not in stored and bytes.fromhex(secret) not in stored, path
    assert secret not in ana.said() + ben.said() + server.log()


def test_a_token_that_is_not_a_devices_is_reported_and_the_measuring_goes_on(pair):
    server, people, make_devices = pair
    ana, ben = make_devices()
    ben.environment["MUSTER_TOKEN"] = people["ben"].token
    ana.start()
    ben.start()
    until(lambda: "the token is not a device's" in ben.said() and "is measured" in ben.said(), ben.said)
    assert ben.process.poll() is None


def test_invalid_report_arguments_are_refused_at_once(tmp_path):
    environment = {name: value for name, value in os.environ.items() if name != "MUSTER_TOKEN"}
    for arguments, words in [(["--report-token-file", "x"], "--report"), (["--withdraw"], "--report"),
                             (["--report", "ftp://x"], ""), (["--report", "http://127.0.0.1:1"], "token")]:
        result = subprocess.run([binary, "nearby", "--name", "a", *arguments], cwd=tmp_path, capture_output=True,
                                text=True, timeout=wait_seconds, env=environment)
        assert result.returncode != 0 and words in result.stderr, (arguments, result.stderr)
