"""`muster scan`, a gateway: from a radio to a message, with a virtual controller of bumble, and with captures."""

import errno
import json
import socket
import struct

import pytest

from muster_process import binary, run
from native_api import now
from radio import BareController, Radio, ibeacon
from scan_process import ScanProcess
from terminal import shown
from waiting import eventually
from webhook_receiver import Receiver
from webhook_targets import distinct

uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
beacon = f"{uuid}:1:2"
address = "CB:B8:33:4C:88:4F"


def crossings(admin):
    return [(change["kind"], change["region"]["id"]) for change in admin.changes() if change["type"] == "crossing"]


def make_hall(admin):
    """A gateway in the hall, and Ann who carries a tag. Returns the gateway's token."""
    admin.make_team("crew", policy="confident")
    admin.make_user("ann", "member", "crew")
    admin.ok("POST", "/users/ann/devices", {"name": "keys", "beacon": beacon})
    admin.make_user("gates", "gateway")
    token = admin.make_device("gates", "hall").token
    admin.ok("PUT", "/collections/crew/regions/hall", {
        "type": "Feature", "id": "hall", "geometry": {"type": "Point", "coordinates": [8.5, 47.5]},
        "properties": {"name": "Hall", "radius": 10, "beacon": {"scanner": "gates/hall"}}})
    return token


def token_file(folder, token):
    file = folder / "token"
    file.write_text(token + "\n")
    return file


def record(at, packet):
    """A record of a btsnoop capture: a packet of the controller, at a time in milliseconds since 1970."""
    return struct.pack(">IIIIQ", len(packet), len(packet), 3, 0, at * 1000 + 0x00DCDDB30F2F8000) + packet


def capture(*records):
    return b"btsnoop\0" + struct.pack(">II", 1, 1002) + b"".join(record(at, packet) for at, packet in records)


def report(payload, rssi=-60, sender=address):
    """An event of a controller: LE Advertising Report of one advertisement."""
    body = bytes([2, 1, 0, 1]) + bytes.fromhex(sender.replace(":", ""))[::-1] + bytes([len(payload)]) + payload
    body += struct.pack("b", rssi)
    return bytes([4, 0x3E, len(body)]) + body


def test_a_beacon_of_the_air_becomes_a_message_in_slack(make_server, tmp_path):
    with Receiver(lambda call: (200, {}, b"ok")) as slack, Radio(ibeacon(uuid, 1, 2)) as radio:
        server = make_server(arguments=["--allow-private-targets"]).start()
        admin = server.admin()
        file = token_file(tmp_path, make_hall(admin))
        admin.ok("POST", "/targets", {"name": "slack", "kind": "slack", "url": slack.url})
        admin.ok("POST", "/rules", {
            "name": "hall", "pattern": {"detail": {"EventType": ["ENTER", "EXIT"], "GeofenceId": ["hall"]}},
            "targets": [{"id": "1", "target": "slack"}]})
        radio.advertise()
        scan = ScanProcess(tmp_path, "--h4", radio.address, "--server", server.address, "--token-file", file)
        with scan:
            (entered,) = distinct(slack.wait(lambda calls: calls))
            assert "hall" in json.loads(entered.body)["text"].lower()
            # The probability falls when the machine has no time for the radio, and rises with what is heard next.
            (presence,) = eventually(
                lambda: admin.items("/presences?user=ann"), lambda found: found[0]["probability"] > 0.9)
            assert presence["standing"] == "inside"
            # The scan goes on listening, so the silence of the tag is believed, and not that of a scanner.
            radio.fall_silent()
            slack.wait(lambda calls: len(distinct(calls)) == 2)
        assert crossings(admin) == [("enter", "hall"), ("exit", "hall")]
        # Nothing of the address that the tag keeps, which is nobody's device.
        stored = admin.items("/users/gates/devices/hall/sightings")
        assert {item["uuid"] for item in stored} == {uuid}
        # Its own log and the server's hold no token.
        token = file.read_text().strip()
        assert token not in server.log() and not any(token in line for line in scan.said)


@pytest.mark.parametrize("is_extended", [True, False])
def test_both_forms_of_reports_are_heard(tmp_path, is_extended):
    with Radio(ibeacon(uuid, 7, 9), is_extended) as radio:
        with ScanProcess(tmp_path, "--h4", radio.address, "--every", 0.2) as scan:
            scan.wait_for_words(f"Listening to {radio.address}")
            assert not scan.sightings
            radio.advertise()
            scan.wait(lambda scan: len(scan.sightings) >= 4)
        assert {sighting["beacon"] for sighting in scan.sightings} == {f"{uuid}:7:9", address}
        (first, *_) = [sighting for sighting in scan.sightings if sighting["beacon"] != address]
        assert first["signalStrength"] == -50 and abs(first["distance"] - 10 ** (-9 / 27)) < 0.01


def test_a_kill_while_the_server_is_away_loses_no_sighting(make_server, tmp_path):
    server = make_server().start()
    file = token_file(tmp_path, make_hall(server.admin()))
    with Radio(ibeacon(uuid, 1, 2)) as radio:
        arguments = ["--h4", radio.address, "--server", server.address, "--token-file", file, "--every", 0.2]
        scan = ScanProcess(tmp_path, *arguments)
        with scan:
            radio.advertise()
            scan.wait(lambda scan: len(scan.sightings) >= 6)
            server.kill()
            for _ in range(4):
                count = len(scan.sightings)
                scan.wait(lambda scan: len(scan.sightings) >= count + 6)
                scan.kill()
                scan.start()
            scan.wait_for_words("Kept here: the server cannot be reached")
            scan.kill()
            told = [item["sampleTime"] for item in scan.sightings if item["beacon"] == beacon]
            server.start()
            scan.start()
            admin = server.admin()
            missing = eventually(
                lambda: set(told) - {item["sampleTime"] for item in admin.items("/users/gates/devices/hall/sightings")},
                lambda missing: not missing)
    assert not missing and len(told) >= 15
    stored = [item["sampleTime"] for item in admin.items("/users/gates/devices/hall/sightings")]
    assert len(stored) == len(set(stored))


def test_with_a_withdrawn_token_sightings_are_kept_until_there_is_another(make_server, tmp_path):
    server = make_server().start()
    admin = server.admin()
    file = token_file(tmp_path, make_hall(admin))
    with Radio(ibeacon(uuid, 1, 2)) as radio:
        radio.advertise()
        arguments = ["--h4", radio.address, "--server", server.address, "--token-file", file, "--every", 0.2]
        with ScanProcess(tmp_path, *arguments) as scan:
            eventually(lambda: admin.items("/users/gates/devices/hall/sightings"), bool)
            admin.ok("DELETE", "/users/gates/devices/hall/token")
            scan.wait_for_words("the server refuses the token")
            before = len(scan.sightings)
            scan.wait(lambda scan: len(scan.sightings) > before)
            file.write_text(admin.ok("POST", "/users/gates/devices/hall/token")["token"])
            scan.wait_for_words("The server has everything again")
            told = [item["sampleTime"] for item in scan.sightings[:before] if item["beacon"] == beacon]
            stored = {item["sampleTime"] for item in admin.items("/users/gates/devices/hall/sightings")}
            assert set(told) <= stored


def test_an_adapter_that_is_pulled_out_is_listened_to_again(tmp_path):
    with Radio(ibeacon(uuid, 1, 2)) as radio:
        radio.advertise()
        with ScanProcess(tmp_path, "--h4", radio.address, "--every", 0.2) as scan:
            scan.wait(lambda scan: scan.sightings)
            lines = len(scan.said)
            radio.unplug()
            lines = scan.wait_for_words("ended the connection; trying again", lines)
            scan.wait_for_words("Listening to", lines)
            before = len(scan.sightings)
            scan.wait(lambda scan: len(scan.sightings) > before)


def test_a_controller_that_stops_hearing_is_set_up_again(tmp_path):
    with BareController() as controller:
        with ScanProcess(tmp_path, "--h4", controller.address, "--every", 0.2) as scan:
            lines = scan.wait_for_words("Listening to")
            assert controller.has_refused.wait(60)

            def turn_deaf(words, lines):
                lines = scan.wait_for_words(words, lines)
                lines = scan.wait_for_words("Listening to", lines)
                assert controller.is_scanning
                return lines

            controller.is_scanning = False
            lines = turn_deaf("the controller stopped scanning", lines)
            controller.is_scanning = False
            controller.tell_completion(0x200C)
            lines = turn_deaf("another program changed the scan", lines)
            # The connection stays open, but nothing arrives on it.
            controller.is_mute = True
            lines = scan.wait_for_words("does not answer; trying again", lines)
            controller.is_mute = False
            scan.wait_for_words("Listening to", lines)


def test_a_capture_is_entered_and_left_as_if_it_were_heard_now(make_server, tmp_path):
    server = make_server().start()
    admin = server.admin()
    token = make_hall(admin)
    tag, other = report(ibeacon(uuid, 1, 2)), report(bytes.fromhex("02010603ff9904"), sender="C0:00:00:00:00:01")
    stranger = report(bytes([2, 1, 6]), sender="45:00:00:00:00:01")
    begin = 1_700_000_000_000
    file = tmp_path / "hall.btsnoop"
    file.write_bytes(capture(*(
        (begin + 500 * step, packet) for step in range(160)
        for packet in ([tag, other, stranger] if step < 60 else [other, stranger]))))
    scan = ScanProcess(tmp_path, "--btsnoop", file, "--move-to-now", "--server", server.address, token=token)
    with scan:
        assert scan.end() == 0, scan.said
    # That the tag left is decided by the server's clock, some seconds after the scanner said that it listened.
    both = eventually(lambda: crossings(admin), lambda found: len(found) > 1)
    assert both == [("enter", "hall"), ("exit", "hall")]
    assert {item["beacon"] for item in scan.sightings} == {beacon, address, "C0:00:00:00:00:01"}
    assert scan.said[-1] == f"Done: {len(scan.sightings)} sightings, {len(scan.sightings)} sent to the server"
    assert len(admin.items("/users/gates/devices/hall/sightings")) == 30
    # The times of the file itself are years old: the server keeps none of them, and says so.
    again = ScanProcess(tmp_path, "--btsnoop", file, "--server", server.address, token=token)
    with again:
        assert again.end() == 0, again.said
    assert any("The server refused" in line and "oldest stored time" in line for line in again.said)


def test_a_capture_that_bumble_wrote_is_read(tmp_path):
    file = tmp_path / "air.btsnoop"
    with open(file, "wb") as air, Radio(ibeacon(uuid, 1, 2), capture=air) as radio:
        radio.advertise()
        with ScanProcess(tmp_path, "--h4", radio.address, "--every", 0.2) as scan:
            scan.wait(lambda scan: len(scan.sightings) >= 4)
    with ScanProcess(tmp_path, "--btsnoop", file) as scan:
        assert scan.end() == 0
    assert {item["beacon"] for item in scan.sightings} == {beacon, address}


def test_a_terminal_shows_a_table(tmp_path):
    file = tmp_path / "hall.btsnoop"
    at = now()
    file.write_bytes(capture((at - 900, report(ibeacon(uuid, 1, 2))), (at, report(b"\x02\x01\x06", -81))))
    text, rest = shown([binary, "scan", "--btsnoop", file], tmp_path)
    assert beacon in text and "-60 dBm" in text and "1.1 m" in text and "2 frames" in text
    assert not rest


def expected_words():
    """What a scan of hci9 must say on this system, by what the system says to a socket of ours."""
    try:
        with socket.socket(31, socket.SOCK_RAW, 1) as radio:
            radio.bind((9,))
    except OSError as error:
        return {
            errno.EAFNOSUPPORT: "this system has no Bluetooth", errno.ENODEV: "there is no Bluetooth adapter hci9",
            errno.EPERM: "may not use hci9", errno.EACCES: "may not use hci9"}.get(error.errno)
    return None


def test_a_missing_adapter_is_reported(tmp_path):
    words = expected_words()
    if words is None:
        pytest.skip("this system has an adapter hci9, or Python here knows no Bluetooth")
    said = run("scan", "--adapter", 9, status=1)
    assert words in said and "Traceback" not in said and "Fatal" not in said


def test_a_wrong_scan_command_is_refused_with_the_reason(server, tmp_path):
    def refused(*arguments, status=1, token="md_x"):
        return run("scan", *arguments, "--store", tmp_path / "store", status=status,
                   environment={"MUSTER_TOKEN": token})

    file = tmp_path / "a.btsnoop"
    file.write_bytes(b"GIF89a")
    assert "is not a btsnoop capture" in refused("--btsnoop", file)
    assert "No such file" in refused("--btsnoop", tmp_path / "none")
    assert "no controller answers at 127.0.0.1:1: Connection refused" in refused("--h4", "127.0.0.1:1")
    assert "HOST:PORT" in refused("--h4", "nowhere", status=64)
    assert "one of them" in refused("--h4", "a:1", "--btsnoop", file, status=64)
    file.write_bytes(capture((now(), report(ibeacon(uuid, 1, 2)))))
    with_server = ["--btsnoop", file, "--server", server.address]
    assert "there is no token" in refused(*with_server, token="")
    assert "a user, a password" in refused("--btsnoop", file, "--server", "http://a:b@127.0.0.1:1")
    # The second is the flag's former name.
    for flag in "--wait-seconds", "--patience":
        assert "the server does not have everything" in refused(*with_server, flag, 0.1)
    # An admin's key is no gateway's.
    assert "the token is not a device's" in refused(*with_server, token=server.admin().token)
    # Someone who sends something else than a controller does.
    with socket.create_server(("127.0.0.1", 0)) as web:
        port = web.getsockname()[1]
        scan = ScanProcess(tmp_path, "--h4", f"127.0.0.1:{port}")
        with scan:
            peer, _ = web.accept()
            with peer:
                peer.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                assert scan.end() == 1
        assert "no packet of a Bluetooth controller begins with the byte 72" in scan.said[-1]
