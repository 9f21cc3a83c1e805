"""`muster nearby`: two programs measure each other without a server; one is stopped, killed and started again."""

import secrets
import signal
import subprocess
import threading

import pytest

from held_port import hold_port
from muster_process import binary
from nearby_device import Device, wait_seconds
from terminal import Terminal, prompt


@pytest.fixture
def start(tmp_path):
    devices = []

    def start(name, *arguments, folder=None):
        devices.append(Device(tmp_path / (folder or name), name, *arguments))
        return devices[-1]
    yield start
    for device in devices:
        device.end()


def listening(start, name, *arguments):
    device = start(name, "--listen", "127.0.0.1:0", *arguments)
    event, _ = device.wait("listening")
    return device, f"127.0.0.1:{event['port']}"


def test_stopping_killing_and_restarting_a_peer_is_reported_by_the_other(start):
    ana, address = listening(start, "ana", "--simulate", "0,0,90")
    ben = start("ben", "--connect", address, "--simulate", "4,0,90")
    seen, count = ana.wait("measured", peer="ben")
    assert abs(seen["distance"] - 4) < 3 and abs(seen["horizontalAngle"]) < 30
    first, _ = ana.wait("connected", peer="ben")
    # Ana is behind ben, where no antenna looks.
    other, _ = ben.wait("measured", peer="ana")
    assert other["noDirection"] == "outsideFieldOfView"

    ben.send(signal.SIGSTOP)
    silence, count = ana.wait("disconnected", count, peer="ben")
    assert "silent" in silence["reason"]
    assert ana.wait("removed", peer="ben")[0]["reason"] == "timeout"
    ben.send(signal.SIGCONT)
    again, count = ana.wait("connected", count, peer="ben")
    assert again["key"] == first["key"] and again["run"] == first["run"]
    _, count = ana.wait("measured", count, peer="ben")

    ben.send(signal.SIGKILL)
    gone, count = ana.wait("disconnected", count, peer="ben")
    assert "gone without a goodbye" in gone["reason"]
    ben.process.wait(wait_seconds)
    ben.start()
    restarted, count = ana.wait("connected", count, peer="ben")
    assert restarted["key"] == first["key"] and int(restarted["run"]) > int(first["run"])
    _, count = ana.wait("measured", count, peer="ben")

    ben.send(signal.SIGTERM)
    goodbye, count = ana.wait("disconnected", count, peer="ben")
    assert goodbye["reason"] == "said goodbye"
    assert ben.process.wait(wait_seconds) == 0


def test_two_programs_of_one_machine_find_each_other(start):
    names = [f"nearby-test-{secrets.token_hex(4)}" for _ in range(2)]
    arguments = "--discover", "loopback", "--listen", "127.0.0.1:0"
    first = start(names[0], *arguments)
    first.wait("listening")
    second = start(names[1], *arguments)
    first.wait("measured", peer=names[1])
    second.wait("measured", peer=names[0])
    # The second may connect before the first has heard its announcement, and says goodbye only for an announcement.
    first.wait("found", peer=names[1])
    second.send(signal.SIGTERM)
    assert first.wait("disconnected", peer=names[1])[0]["reason"] == "said goodbye"
    first.wait("lost", peer=names[1])


def test_another_key_under_a_known_name_is_refused_until_it_is_forgotten(start, tmp_path):
    held, port = hold_port()
    address = f"127.0.0.1:{port}"
    ana = start("ana", "--listen", address)
    ben = start("ben", "--connect", address)
    _, count = ana.wait("connected", peer="ben")
    ben.end()
    impostor = start("ben", "--connect", address, folder="other")
    refused, _ = ana.wait("turnedAway", count, peer="ben")
    assert "someone may be in the middle" in refused["reason"]
    assert impostor.wait("failed")[0]["reason"] == "does not accept this device"
    ana.end()
    ana = start("ana", "--listen", address, "--forget", "ben")
    ana.wait("connected", peer="ben")
    held.close()


def test_a_peer_needs_the_teams_secret(start, tmp_path):
    (tmp_path / "secret").write_text("0123456789abcdef0123456789abcdef\n")
    ana, address = listening(start, "ana", "--team-secret-file", tmp_path / "secret")
    start("eve", "--connect", address)
    assert "secret" in ana.wait("turnedAway", peer="eve")[0]["reason"]
    start("ben", "--connect", address, "--team-secret-file", tmp_path / "secret")
    ana.wait("measured", peer="ben")


def test_two_fixes_give_a_distance_and_a_bearing(start):
    ana, address = listening(start, "ana", "--source", "gps", "--position", "-43.5,-6,3,90")
    start("ben", "--source", "gps", "--position", "-43.5,-5.99,4", "--connect", address)
    seen, _ = ana.wait("measured", peer="ben")
    assert abs(seen["distance"] - 809) < 1 and abs(seen["bearing"] - 90) < 0.1 and abs(seen["horizontalAngle"]) < 0.1
    assert seen["distanceError"] >= 5 and "x" not in seen


@pytest.mark.parametrize("source, words", [
    (["--simulate", "-1,0,0"], "(simulated)"),
    (["--source", "fused", "--simulate", "0,0,0", "--position", "43.5,-6,3"], "(fused, simulated in part)")])
def test_lines_say_that_a_distance_is_simulated(start, tmp_path, source, words):
    other = ["--source", "fused", "--position", "43.5,-6,3"] if "fused" in source else []
    _, address = listening(start, "ana", "--simulate", "0,10,0", *other)
    process = subprocess.Popen(
        [binary, "nearby", "--name", "ben", "--store", str(tmp_path / "ben"), "--discover", "none",
         "--connect", address, *source],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    end = threading.Timer(wait_seconds, process.kill)
    end.start()
    try:
        found = next((line for line in process.stdout if "is measured" in line), "nothing")
        assert found.startswith("ana is measured, ") and found.rstrip().endswith(words), found
    finally:
        end.cancel()
        process.kill()
        process.wait(wait_seconds)


def test_a_terminal_shows_the_distance_and_an_arrow(start, tmp_path):
    _, address = listening(start, "ana", "--simulate", "0,10,0")
    terminal = Terminal(["bash", "--norc", "--noprofile", "-i"], tmp_path)
    try:
        terminal.type("", until=prompt)
        shown = terminal.type(
            f"muster nearby --name ben --simulate 0,0,0 --discover none --connect {address}\n", until="s ago")
        shown += terminal.type("", until="± 4°")
        assert "ana" in shown and any("\u2800" <= character <= "\u28ff" for character in shown)
        terminal.type("\x03", until=prompt)
    finally:
        terminal.end()


def test_invalid_nearby_arguments_are_refused_at_once(tmp_path):
    for arguments, words in [
            (["--name", "a\x1b[2J"], "--name"), (["--name", "a", "--connect", "b"], "--connect"),
            (["--name", "a", "--simulate", "1"], "--simulate"), (["--name", "a", "--source", "gps"], "--position"),
            (["--name", "a", "--timeout", "0"], "--timeout"), ([], "--name")]:
        result = subprocess.run([binary, "nearby", *arguments], cwd=tmp_path, capture_output=True, text=True,
                                timeout=wait_seconds)
        assert result.returncode != 0 and words in result.stderr
    (tmp_path / "short").write_text("password\n")
    result = subprocess.run([binary, "nearby", "--name", "a", "--team-secret-file", "short"], cwd=tmp_path,
                            capture_output=True, text=True, timeout=wait_seconds)
    assert result.returncode == 1 and "at least 16 bytes" in result.stderr
