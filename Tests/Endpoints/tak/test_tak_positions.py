"""TAK clients report where their device is, by the certificate that `muster tak enroll` made."""

import asyncio
import base64
import configparser
import os
import socket
import ssl
import stat
import subprocess
import xml.etree.ElementTree as xml

import pytak
import pytest
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding

from certificates import make_certificate
from muster_process import MusterProcess, binary
from soak import rounds
from tak_client import Client, call, end_of_call, enroll, event, tak_port
from waiting import eventually


@pytest.fixture(scope="module")
def server(tmp_path_factory, store_of_files):
    """A server with a port for TAK clients."""
    server = MusterProcess(tmp_path_factory.mktemp("tak"), ["--tak-port", "0", "--tak-host", "muster.example.org"])
    server.model = store_of_files
    with server:
        yield server


@pytest.fixture(scope="module")
def make_user(admin):
    admin.make_team("north")
    made = 0

    def make(role="member"):
        nonlocal made
        made += 1
        name = f"person{made}"
        return name, admin.make_user(name, role, "north")

    return make


def history(admin, user, device="phone"):
    return admin.history(f"{user}/{device}")


# MARK: Enrolling


def test_a_data_package_holds_what_clients_need_and_only_its_owner_reads_it(server, admin, make_user, tmp_path):
    user, _ = make_user()
    package = enroll(server, tmp_path, user)
    assert stat.S_IMODE(os.stat(package.file).st_mode) == 0o600
    assert package.settings["connectString0"] == f"127.0.0.1:{tak_port(server)}:ssl"
    manifest = xml.parse(package.folder / "manifest.xml").getroot()
    assert {entry.get("zipEntry") for entry in manifest.iter("Content")} == {
        "server.pref", "client.p12", "authority.p12"}
    for secret in (package.settings["clientPassword"], package.settings["caPassword"], "PRIVATE"):
        assert secret not in package.output and secret not in server.log()
    assert package.certificate.not_valid_after_utc.year - package.certificate.not_valid_before_utc.year == 1
    tokens = admin.ok("GET", f"/users/{user}/devices/phone/token")["items"]
    assert len(tokens) == 1


def test_openssl_reads_both_files(server, make_user, tmp_path):
    user, _ = make_user()
    package = enroll(server, tmp_path, user)
    for file, password in (("client", "clientPassword"), ("authority", "caPassword")):
        read = subprocess.run(
            ["openssl", "pkcs12", "-in", str(package.folder / f"{file}.p12"), "-nodes", "-passin", "stdin"],
            input=package.settings[password], capture_output=True, text=True, timeout=60)
        assert read.returncode == 0 and "BEGIN CERTIFICATE" in read.stdout, read.stderr
        assert ("BEGIN PRIVATE KEY" in read.stdout) == (file == "client")


def test_a_file_that_exists_is_not_overwritten(server, make_user, tmp_path):
    user, _ = make_user()
    (tmp_path / "there.zip").write_text("mine")
    refused = subprocess.run(
        [binary, "tak", "enroll", "phone", "--user", user, "--host", "127.0.0.1", "--file", str(tmp_path / "there.zip"),
         "--data", str(server.data)], capture_output=True, timeout=60)
    assert refused.returncode != 0
    assert (tmp_path / "there.zip").read_text() == "mine"


def test_only_the_user_or_an_admin_lets_a_device_read_what_the_user_may(server, admin, make_user):
    user, own = make_user()
    _, leader = make_user("leader")
    _, stranger = make_user()
    admin.make_device(user)
    request = {"request": "no request", "readsAsUser": True}
    path = f"/users/{user}/devices/phone/certificate"
    leader.refused(403, "POST", path, request)
    stranger.refused(404, "POST", path, request)
    own.refused(422, "POST", path, request)
    leader.refused(422, "POST", path, {"request": "no request"})


# MARK: Reporting


def test_a_position_is_that_of_the_certificates_device(server, admin, make_user, tmp_path):
    user, _ = make_user()
    with Client(server, enroll(server, tmp_path, user)) as phone:
        phone.send(event("ANDROID-1", latitude=43.25, longitude=-6.5))
        found = eventually(lambda: history(admin, user))[0]
    assert (found["latitude"], found["longitude"]) == (43.25, -6.5)
    assert (found["accuracy"], found["altitude"], found["battery"]) == (5, 12.5, 77)
    assert (found["speed"], found["heading"], found["source"]) == (1.5, 90, "tak")
    assert found["attributes"]["uid"] == "ANDROID-1"


def test_pytak_with_the_data_package_reports(server, admin, make_user, tmp_path):
    user, _ = make_user()
    package = enroll(server, tmp_path, user)
    settings = configparser.ConfigParser()
    settings["app"] = {key: value for key, value in pytak.read_pref_package(str(package.file)).items() if value}
    settings["app"]["PYTAK_NO_HELLO"] = "1"

    class Sender(pytak.QueueWorker):
        async def run(self, _=-1):
            await self.put_queue(pytak.gen_cot(lat=43.75, lon=-6.25, uid="pytak-1", cot_type="a-f-G-U-C"))
            await asyncio.sleep(60)

    async def work():
        tool = pytak.CLITool(settings["app"])
        await tool.setup()
        tool.add_task(Sender(tool.tx_queue, settings["app"]))
        running = asyncio.create_task(tool.run())
        for _ in range(600):
            if await asyncio.to_thread(history, admin, user):
                break
            await asyncio.sleep(0.1)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    asyncio.run(work())
    assert history(admin, user)[0]["latitude"] == 43.75


def test_a_uid_that_moves_to_another_device_moves_no_position(server, admin, make_user, tmp_path):
    (first, _), (second, _) = make_user(), make_user()
    packages = enroll(server, tmp_path, first), enroll(server, tmp_path, second)
    with Client(server, packages[0]) as one, Client(server, packages[1]) as two:
        one.send(event("ANDROID-7", latitude=43.1))
        eventually(lambda: history(admin, first))
        two.send(event("ANDROID-7", latitude=43.2))
        eventually(lambda: history(admin, second))
    assert [found["latitude"] for found in history(admin, first)] == [43.1]
    assert [found["latitude"] for found in history(admin, second)] == [43.2]


def test_what_a_client_draws_or_passes_on_is_no_position_of_its_device(server, admin, make_user, tmp_path):
    user, _ = make_user()
    with Client(server, enroll(server, tmp_path, user)) as phone:
        phone.send(
            event("marker", how="h-g-i-g-o", detail="", latitude=1),
            event("ANDROID-1", latitude=43),
            event("aircraft", latitude=2),
            event("ANDROID-1", "b-t-f", latitude=3),
            event("ANDROID-1", latitude=44, seconds=0.5))
        eventually(lambda: len(history(admin, user)) == 2)
    assert [found["latitude"] for found in history(admin, user)] == [43, 44]


def test_what_flies_is_never_the_client_and_who_names_its_software_is(server, admin, make_user, tmp_path):
    """Also where a receiver on the phone speaks first after each connection."""
    user, _ = make_user()
    with Client(server, enroll(server, tmp_path, user)) as phone:
        phone.send(
            event("aircraft", "a-n-A-C-F", latitude=1, detail=""),
            event("drone", "a-f-A-M-H-Q", latitude=2, detail=""),
            event("ANDROID-1", latitude=43),
            event("drone", "a-f-A-M-H-Q", latitude=3, detail=""),
            event("ANDROID-1", latitude=44, seconds=0.5))
        eventually(lambda: len(history(admin, user)) == 2)
    assert [found["latitude"] for found in history(admin, user)] == [43, 44]


def test_who_names_its_software_takes_the_place_of_who_does_not(server, admin, make_user, tmp_path):
    user, _ = make_user()
    with Client(server, enroll(server, tmp_path, user)) as phone:
        phone.send(
            event("vehicle", latitude=42, detail=""), event("ANDROID-1", latitude=43, seconds=0.1),
            event("vehicle", latitude=45, detail="", seconds=0.2), event("ANDROID-1", latitude=44, seconds=0.3))
        eventually(lambda: len(history(admin, user)) == 3)
    assert [found["latitude"] for found in history(admin, user)] == [42, 43, 44]


def test_a_place_that_a_person_set_by_hand_is_no_position(server, admin, make_user, tmp_path):
    user, _ = make_user()
    with Client(server, enroll(server, tmp_path, user)) as phone:
        phone.send(event("A", latitude=42, how="h-e"), event("A", latitude=43, seconds=0.1))
        eventually(lambda: history(admin, user))
    assert [found["latitude"] for found in history(admin, user)] == [43]


def test_a_place_that_is_unknown_is_no_position(server, admin, make_user, tmp_path):
    user, _ = make_user()
    with Client(server, enroll(server, tmp_path, user)) as phone:
        phone.send(event("A", latitude=0, longitude=0, error="9999999.0"), event("A", error="9999999.0"))
        eventually(lambda: history(admin, user))
    found = history(admin, user)
    assert len(found) == 1 and "accuracy" not in found[0]


def test_a_clock_that_is_ahead_moves_nothing_and_one_far_behind_is_left_out(server, admin, make_user, tmp_path):
    user, _ = make_user()
    with Client(server, enroll(server, tmp_path, user)) as phone:
        phone.send(event("A", latitude=43.1), event("A", latitude=10, seconds=3600), event("A", latitude=11,
                   seconds=-40 * 86_400), event("A", latitude=43.2, seconds=1))
        eventually(lambda: len(history(admin, user)) == 3)
    current = admin.ok("GET", f"/users/{user}/devices/phone")["position"]
    assert current["latitude"] == 43.2


def test_events_that_cannot_be_read_are_kept_and_the_next_one_counts(server, admin, make_user, tmp_path):
    user, _ = make_user()
    bomb = '<!DOCTYPE event [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>' + event("A").replace(
        '<?xml version="1.0" standalone="yes"?>', "").replace("77", "&b;")
    with Client(server, enroll(server, tmp_path, user)) as phone:
        phone.send(bomb, event("A").replace("uid=", "no="), event("A").replace("lat=\"43.5\"", "lat=\"143.5\""),
                   event("A", latitude=43))
        eventually(lambda: history(admin, user))
        refused = eventually(
            lambda: [found for found in admin.items("/refused-reports") if found.get("device") == f"{user}/phone"],
            lambda found: len(found) == 3)
    assert [found["latitude"] for found in history(admin, user)] == [43]
    assert any("document type" in found["reason"] for found in refused)


def test_an_event_of_more_than_64_kb_is_left_out_and_the_next_one_counts(server, admin, make_user, tmp_path):
    user, _ = make_user()
    with Client(server, enroll(server, tmp_path, user)) as phone:
        phone.send("<event><detail>" + "x" * 200_000 + "</detail></event>", event("A", latitude=43))
        eventually(lambda: history(admin, user))
        refused = eventually(
            lambda: [found for found in admin.items("/refused-reports") if found.get("device") == f"{user}/phone"])
    assert [found["latitude"] for found in history(admin, user)] == [43]
    assert [found["reason"] for found in refused] == ["more than 65536 bytes."]


@pytest.mark.soak
def test_positions_and_calls_that_were_shown_are_there_after_each_kill(make_server, tmp_path):
    """TAK acknowledges nothing, so what counts is what others saw. The certificate holds, and so does the client's
    right to end its call."""
    server = make_server("killed", arguments=["--tak-port", "0"]).start()
    admin = server.admin()
    admin.make_team("north")
    admin.make_user("ann", "member", "north")
    package = enroll(server, tmp_path, "ann")
    shown, said = [], []
    for turn in range(rounds(3, 20)):
        with Client(server, package) as phone:
            phone.send(*(event("A", latitude=turn + part / 10, seconds=part / 1000) for part in range(1, 6)))
            shown += [turn + part / 10 for part in range(1, 6)]
            eventually(lambda: len(history(admin, "ann")) == len(shown))
            phone.send(call("A") if turn % 2 == 0 else end_of_call("A"))
            said.append("sos" if turn % 2 == 0 else "clear")
            eventually(lambda: len(admin.items("/users/ann/declarations")) == len(said))
            server.kill()
            phone.await_end()
        server.start()
        admin = server.admin()
        assert [found["latitude"] for found in history(admin, "ann")] == shown
        assert [found["kind"] for found in admin.items("/users/ann/declarations")] == said


# MARK: Certificates


def test_a_stranger_is_refused(server, certificate):
    chain, key = certificate
    for mine in (None, (chain, key)):
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        if mine:
            context.load_cert_chain(*mine)
        with pytest.raises(OSError):
            with socket.create_connection(("127.0.0.1", tak_port(server)), timeout=60) as plain:
                with context.wrap_socket(plain) as connection:
                    connection.sendall(event("A").encode())
                    while connection.recv(4096):
                        pass
                    raise ConnectionError("closed without a word")


def test_a_certificate_that_is_withdrawn_ends_its_connection_at_once(server, admin, make_user, tmp_path):
    user, _ = make_user()
    package = enroll(server, tmp_path, user)
    with Client(server, package) as phone:
        phone.send(event("A"))
        eventually(lambda: history(admin, user))
        admin.ok("DELETE", f"/users/{user}/devices/phone/token")
        phone.await_end()
    with Client(server, package) as again:
        again.await_end()


def test_a_certificate_ends_with_its_user(server, admin, make_user, tmp_path):
    user, _ = make_user()
    with Client(server, enroll(server, tmp_path, user)) as phone:
        phone.await_event(lambda found: found.type == "t-x-takp-v")
        admin.ok("DELETE", f"/users/{user}")
        phone.await_end()


def test_a_certificate_is_no_token(server, admin, make_user, tmp_path):
    user, _ = make_user()
    package = enroll(server, tmp_path, user)
    der = package.certificate.public_bytes(Encoding.DER)
    with Client(server, package) as phone:
        phone.await_event(lambda found: found.type == "t-x-takp-v")
        digest = package.certificate.fingerprint(SHA256())
        for text in (der.hex(), base64.urlsafe_b64encode(der).decode(), digest.hex()):
            for token in (text, f"md_{text[:43]}"):
                admin.refused(401, "GET", "/positions", token=token)


def test_of_two_phones_with_one_certificate_the_newer_is_connected(server, make_user, tmp_path):
    user, _ = make_user()
    package = enroll(server, tmp_path, user)
    with Client(server, package) as first:
        first.await_event(lambda found: found.type == "t-x-takp-v")
        with Client(server, package) as second:
            second.await_event(lambda found: found.type == "t-x-takp-v")
            first.await_end()
            assert not second.is_closed.is_set()


def test_strangers_of_one_address_cannot_open_any_number_of_connections(server, make_user, tmp_path):
    held = []
    try:
        for _ in range(80):
            held.append(socket.create_connection(("127.0.0.1", tak_port(server)), timeout=60))
        closed = 0
        for connection in held:
            connection.settimeout(0.2)
            try:
                closed += connection.recv(1) == b""
            except TimeoutError:
                pass
            except OSError:
                closed += 1
        assert 16 <= closed < 80
    finally:
        for connection in held:
            connection.close()
    # Those who did nothing have not kept a client out.
    user, _ = make_user()
    package = enroll(server, tmp_path, user)
    with Client(server, package) as phone:
        phone.await_event(lambda found: found.type == "t-x-takp-v")


def test_a_client_that_shows_no_certificate_in_time_is_closed(server):
    with socket.create_connection(("127.0.0.1", tak_port(server)), timeout=60) as silent:
        assert silent.recv(1) == b""
