"""A TAK client gets its certificate with the code of `muster tak enroll --code`, as PyTAK does, unmodified."""

import asyncio
import contextlib
import json
import ssl
import subprocess
import threading
import time
import xml.etree.ElementTree as xml
import zipfile
from urllib.parse import parse_qs, urlsplit

import pytak
import pytest
import requests
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, pkcs12
from pytak.crypto_classes import CertificateEnrollment

from certificates import make_certificate
from muster_process import MusterProcess, binary, run
from tak_client import enrollment_host, enrollment_link, event, tak_port
from waiting import eventually

host = enrollment_host
"""The port there, 8446, is fixed in the clients."""
root = "/Marti/api/tls"


@pytest.fixture(scope="module")
def server(tmp_path_factory, store_of_files):
    server = MusterProcess(tmp_path_factory.mktemp("tak"), ["--tak-port", "0", "--tak-host", host])
    server.model = store_of_files
    with server:
        yield server


@pytest.fixture(scope="module")
def proxy(server, tmp_path_factory):
    """A proxy with TLS on the port where clients enroll, as docs/tak.md has it."""
    folder = tmp_path_factory.mktemp("proxy")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(*make_certificate(folder / "chain.pem", folder / "key.pem", name=f"IP:{host}"))

    async def pass_on(reader, writer):
        with contextlib.suppress(OSError):
            while piece := await reader.read(65_536):
                writer.write(piece)
                await writer.drain()
        writer.close()

    async def accept(reader, writer):
        from_server, to_server = await asyncio.open_connection("127.0.0.1", server.port)
        await asyncio.gather(pass_on(reader, to_server), pass_on(from_server, writer))

    loop = asyncio.new_event_loop()
    listening = loop.run_until_complete(asyncio.start_server(accept, host, 8446, ssl=context))
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    yield folder / "chain.pem"
    loop.call_soon_threadsafe(listening.close)
    loop.call_soon_threadsafe(loop.stop)
    thread.join()


@pytest.fixture
def user(admin):
    name = f"person{time.monotonic_ns()}"
    admin.ok("POST", "/users", {"name": name, "role": "member"})
    return name


def parts(link):
    """What a client takes from the link."""
    assert link.startswith("tak://com.atakmap.app/enroll?")
    return {name: value for name, (value,) in parse_qs(urlsplit(link).query, strict_parsing=True).items()}


def request_for(key):
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "somebody else")])
    made = x509.CertificateSigningRequestBuilder().subject_name(subject).sign(key, SHA256())
    return made.public_bytes(Encoding.PEM).decode()


def sign(server, token, body, **headers):
    return requests.post(f"{server.address}{root}/signClient/v2?clientUid=ANDROID-1", data=body, headers=headers,
                         auth=("anybody", token), timeout=60)


def test_pytak_enrolls_by_the_link_and_reports(server, proxy, admin, user, tmp_path):
    link = parts(enrollment_link(server, user))
    assert link["host"] == f"{host}:{tak_port(server)}" and link["username"] == f"{user}/phone"
    file = tmp_path / "client.p12"
    asyncio.run(CertificateEnrollment().begin_enrollment(
        host, link["username"], link["token"], trust_all=True, output_path=str(file), passphrase="secret"))
    key, certificate, authorities = pkcs12.load_key_and_certificates(file.read_bytes(), b"secret")
    assert certificate.subject.rfc4514_string() == f"CN={user}/phone,O=Muster"
    config = {"COT_URL": f"tls://127.0.0.1:{tak_port(server)}", "PYTAK_TLS_CLIENT_CERT": str(file),
              "PYTAK_TLS_CERT_ENROLLMENT_PASSPHRASE": "secret", "PYTAK_TLS_DONT_VERIFY": "1",
              "PYTAK_TLS_DONT_CHECK_HOSTNAME": "1"}

    async def report():
        _, writer = await pytak.protocol_factory(config)
        writer.write(event("PYTAK-1", latitude=43.25).encode())
        await writer.drain()
        await asyncio.to_thread(eventually, lambda: admin.history(f"{user}/phone"))
        writer.close()

    asyncio.run(report())
    assert admin.history(f"{user}/phone")[0]["latitude"] == 43.25
    assert authorities[0].subject == certificate.issuer
    assert link["token"] not in server.log() + "".join(server.output)


def test_a_token_works_once_and_opens_nothing_else(server, admin, user):
    token = parts(enrollment_link(server, user))["token"]
    for path in ("/api/v1/positions", "/osmand"):
        for proof in ({"auth": (user, token)}, {"headers": {"Authorization": f"Bearer {token}"}}):
            # Tracker apps are told of a wrong token by 503.
            answer = requests.post(f"{server.address}{path}", json={}, timeout=60, **proof)
            assert answer.status_code == (401 if path.startswith("/api") else 503)
    config = requests.get(f"{server.address}{root}/config", auth=("", token), timeout=60)
    assert xml.fromstring(config.text).find(".//{*}nameEntry").get("value") == "Muster"
    key = rsa.generate_private_key(65537, 2048)
    assert sign(server, token, "no request").status_code == 400
    assert sign(server, token, request_for(rsa.generate_private_key(65537, 1024))).status_code == 400
    assert sign(server, token, request_for(key)).status_code == 200
    assert sign(server, token, request_for(key)).status_code == 401
    assert requests.get(f"{server.address}{root}/config", auth=("", token), timeout=60).status_code == 401
    assert len(admin.ok("GET", f"/users/{user}/devices/phone/token")["items"]) == 1


@pytest.mark.parametrize("accept, form", [
    ("application/xml", "xml"), ("text/plain", "json"), ("application/json", "json"), ("*/*", "json")])
def test_each_client_is_answered_in_its_form(server, user, accept, form):
    token = parts(enrollment_link(server, user, "tablet"))["token"]
    # ATAK leaves out the first and the last line, and others break lines elsewhere.
    text = "".join(request_for(ec.generate_private_key(ec.SECP256R1())).splitlines()[1:-1])
    width = {"application/xml": 76, "text/plain": len(text)}.get(accept, 64)
    lines = [text[start:start + width] for start in range(0, len(text), width)]
    answer = sign(server, token, "\r\n".join(lines), Accept=accept)
    assert answer.status_code == 200
    if form == "json":
        told = answer.json()
        certificate, authority = told["signedCert"], told["ca0"]
    else:
        enrollment = xml.fromstring(answer.text)
        certificate, authority = enrollment.findtext("signedCert"), enrollment.findtext("ca")
    made, maker = [x509.load_pem_x509_certificate(
        f"-----BEGIN CERTIFICATE-----\n{text}\n-----END CERTIFICATE-----\n".encode())
        for text in (certificate, authority)]
    made.verify_directly_issued_by(maker)


def test_a_token_ends_with_its_device_and_its_makers_right(server, admin, user):
    admin.make_team("west")
    leader = admin.make_user("lead", "leader", "west")
    admin.ok("PATCH", f"/users/{user}", {"team": "west"})
    admin.ok("POST", f"/users/{user}/devices", {"name": "phone"})
    made = leader.ok("POST", f"/users/{user}/devices/phone/enrollment", {})
    assert set(made) == {"device", "token", "expiresAt", "port", "hosts"}
    assert made["port"] == tak_port(server) and host in made["hosts"]
    body = request_for(ec.generate_private_key(ec.SECP256R1()))
    admin.ok("PATCH", "/users/lead", {"role": "member"})
    assert sign(server, made["token"], body).status_code == 401
    token = parts(enrollment_link(server, user))["token"]
    admin.ok("DELETE", f"/users/{user}/devices/phone/token")
    assert sign(server, token, body).status_code == 401


def test_a_leader_makes_no_token_that_reads_as_somebody_else(admin, user):
    admin.make_team("east")
    leader = admin.make_user("lead-east", "leader", "east")
    admin.ok("PATCH", f"/users/{user}", {"team": "east"})
    admin.ok("POST", f"/users/{user}/devices", {"name": "phone"})
    leader.refused(403, "POST", f"/users/{user}/devices/phone/enrollment", {"readsAsUser": True})


def test_strangers_are_slowed_down(server):
    answers = [sign(server, f"me_{index:043}", "x").status_code for index in range(40)]
    assert answers[0] == 401 and answers[-1] == 429


def told(data, user, host, file):
    """What `muster tak enroll` writes beside its answer."""
    order = [binary, "tak", "enroll", "phone", "--user", user, "--host", host, "--file", file, "--data", data]
    file.unlink(missing_ok=True)
    return subprocess.run([*map(str, order)], check=True, capture_output=True, text=True, timeout=120).stderr


def test_enrolling_says_where_the_client_would_not_reach_the_server(server, make_server, user, tmp_path):
    file = tmp_path / "package.zip"
    words = told(server.data, user, "muster.example", file)
    assert "muster.example is none of the names" in words and "--tak-host muster.example" in words and host in words
    with zipfile.ZipFile(file) as archive:
        assert f"muster.example:{tak_port(server)}:ssl" in archive.read("server.pref").decode()
    assert "warning" not in told(server.data, user, "LOCALHOST", file)
    assert "warning" not in told(server.data, user, "::1", file)
    with zipfile.ZipFile(file) as archive:
        assert f">[::1]:{tak_port(server)}:ssl<" in archive.read("server.pref").decode()
    without = make_server().start()
    assert "no port for TAK clients" in told(without.data, "admin", host, file)
    # Which port the server will have is not known while none runs.
    without.stop()
    assert "warning" not in told(without.data, "admin", host, file)


def test_a_host_with_a_port_is_refused(tmp_path):
    for command in (["serve", "--tak-host"], ["tak", "enroll", "phone", "--user", "ana", "--host"]):
        order = [binary, *command, "muster.example:8089", "--data", str(tmp_path)]
        refused = subprocess.run(order, capture_output=True, text=True, timeout=120)
        assert refused.returncode == 64
        assert "'muster.example:8089' is neither a name nor an address, without a port" in refused.stderr


def test_the_list_of_tokens_tells_their_kinds_and_ends(server, admin, user):
    run("device", "token", "phone", "--user", user, data=server.data)
    token = parts(enrollment_link(server, user, "phone", "--reads", "--days", "2"))["token"]
    lines = [line.split("\t") for line in run("token", "list", "phone", "--user", user, data=server.data).splitlines()]
    assert [line[3] for line in lines] == ["token", "enrollment, reads"]
    assert lines[0][4] == "" and lines[1][4].startswith("until ")
    assert sign(server, token, request_for(ec.generate_private_key(ec.SECP256R1()))).status_code == 200
    items = json.loads(run("token", "list", "phone", "--user", user, "--json", data=server.data))
    assert [(each["kind"], each.get("readsAsUser")) for each in items] == [("token", None), ("certificate", True)]
    assert "expiresAt" in items[1] and "expiresAt" not in items[0]
