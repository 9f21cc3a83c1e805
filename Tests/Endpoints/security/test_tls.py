"""TLS from files: what is served is encrypted, and the command line beside it still works."""

import functools
import hashlib
import json
import re
import shutil
import signal
import socket
import ssl
import subprocess
import time

import pytest
import requests

from certificates import make_certificate
from mqtt_client import mqtt_port
from muster_process import admin_password, binary
from waiting import eventually
from wire import credentials


def test_a_server_with_a_certificate_speaks_tls_alone_and_the_command_line_reaches_it(make_server, certificate):
    chain, key = certificate
    server = make_server(arguments=["--tls-certificate", str(chain), "--tls-key", str(key)]).start()
    assert server.address.startswith("https://")
    answer = requests.get(server.address + "/health", verify=str(chain), timeout=60)
    assert answer.json()["status"] == "ok"
    assert "certificate" not in requests.get(
        server.address + "/health", verify=str(chain), timeout=60,
        headers={"X-Forwarded-For": "198.51.100.1"}).json()
    assert answer.json()["certificate"]["ending"], "it ends within two days"
    # Browsers come by it alone from then on.
    assert answer.headers["Strict-Transport-Security"] == "max-age=31536000"
    with pytest.raises(requests.exceptions.RequestException):
        requests.get(server.address.replace("https", "http") + "/health", timeout=60)
    added = subprocess.run(
        [binary, "user", "add", "bob", "--data", server.data], capture_output=True, text=True, timeout=120)
    assert added.returncode == 0, added.stderr
    assert "bob" in added.stdout


class Client:
    """A TLS connection that stays open, and the certificate that it was given."""

    def __init__(self, port, receive_bytes=None):
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        plain = socket.socket()
        if receive_bytes:
            # The operating system of the client takes little of an answer.
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        plain.settimeout(60)
        plain.connect(("127.0.0.1", port))
        self.socket = context.wrap_socket(plain)
        self.certificate = hashlib.sha256(self.socket.getpeercert(binary_form=True)).hexdigest()

    def status(self):
        self.socket.sendall(b"HEAD /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            piece = self.socket.recv(65536)
            assert piece, head
            head += piece
        return int(head.split()[1])

    def fetch(self, path):
        """Reads an answer, and returns the bytes of its body."""
        self.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        answer = self.socket.makefile("rb")
        assert b" 200 " in answer.readline()
        headers = dict(line.decode().lower().strip().split(": ", 1) for line in iter(answer.readline, b"\r\n"))
        return len(answer.read(int(headers["content-length"])))


def await_log(server, words):
    """Waits until the server has said something."""
    eventually(lambda: words in server.log(), why=server.log)


def test_sighup_gives_new_connections_the_renewed_certificate_and_ends_no_open_one(make_server, certificate, tmp_path):
    chain, key = certificate
    server = make_server(arguments=["--tls-certificate", str(chain), "--tls-key", str(key)]).start()
    before = Client(server.port)
    assert before.status() == 200
    make_certificate(chain, key)
    renewed = shutil.copy(chain, tmp_path / "renewed.pem")
    server.process.send_signal(signal.SIGHUP)
    await_log(server, "read again")
    after = Client(server.port)
    assert after.certificate != before.certificate
    assert (before.status(), after.status()) == (200, 200)
    # A file that is of no use is told, and changes nothing.
    chain.write_text("no certificate\n")
    server.process.send_signal(signal.SIGHUP)
    await_log(server, f"{chain} holds no certificate in PEM")
    assert Client(server.port).certificate == after.certificate
    # So is a key of another certificate.
    make_certificate(chain, tmp_path / "other.pem")
    server.process.send_signal(signal.SIGHUP)
    await_log(server, f"{key} is not the key of the certificate in {chain}")
    assert Client(server.port).certificate == after.certificate
    assert (before.status(), after.status()) == (200, 200)
    shown = requests.get(
        f"{server.address}/metrics", verify=str(renewed), auth=("admin", admin_password), timeout=60).text
    ends = float(re.search(r"^muster_tls_certificate_expiry_timestamp_seconds (\S+)$", shown, re.M)[1])
    assert 86_400 < ends - time.time() < 3 * 86_400
    assert "muster_tls_reload_failures_total 2" in shown


def test_a_connection_does_not_keep_the_memory_of_a_large_answer(make_server, certificate):
    chain, key = certificate
    server = make_server(arguments=["--tls-certificate", str(chain), "--tls-key", str(key)]).start()
    clients, size = [Client(server.port) for _ in range(100)], 0
    assert clients[0].fetch("/api/v1/openapi.json") > 1_000_000
    before = server.resident_bytes()
    for client in clients:
        size += client.fetch("/api/v1/openapi.json")
    assert size > 100_000_000
    assert server.resident_bytes() - before < 60 << 20


def hello():
    """The first message of a client's handshake."""
    given, sent = ssl.MemoryBIO(), ssl.MemoryBIO()
    handshake = ssl.create_default_context().wrap_bio(given, sent, server_hostname="localhost")
    with pytest.raises(ssl.SSLWantReadError):
        handshake.do_handshake()
    return sent.read()


@pytest.mark.parametrize("port_of", ["https", "mqtts"])
def test_a_handshake_that_does_not_end_is_ended(make_server, certificate, port_of):
    chain, key = certificate
    server = make_server(arguments=["--tls-certificate", str(chain), "--tls-key", str(key), "--request-seconds", "2",
                                    "--mqtt-port", "0"]).start()
    port = server.port if port_of == "https" else mqtt_port(server)
    whole, patience = hello(), 60
    # Nothing, one byte, all but the last byte, and a message that the client never goes on from.
    for sent in (b"", whole[:1], whole[:-1], whole):
        with socket.create_connection(("127.0.0.1", port), timeout=patience) as client:
            client.sendall(sent)
            while client.recv(65_536):
                pass
    # A byte at a time never takes longer than all at once.
    done = Client(server.port)
    with socket.create_connection(("127.0.0.1", port), timeout=patience) as client:
        client.settimeout(0.25)
        ended, began = False, time.monotonic()
        for byte in whole[:-1]:
            try:
                client.sendall(bytes([byte]))
                ended = client.recv(65_536) == b""
            except TimeoutError:
                pass
            except OSError:
                ended = True
            if ended:
                break
        assert ended and time.monotonic() - began < patience
    # A connection whose handshake ended may be silent for longer.
    assert done.status() == 200


def test_readers_who_read_nothing_by_tls_are_bounded_in_memory_and_dropped(make_server, certificate):
    chain, key = certificate
    server = make_server(arguments=["--tls-certificate", str(chain), "--tls-key", str(key), "--mqtt-port", "0"]).start()
    requests_of = functools.partial(requests.request, verify=str(chain), auth=("admin", admin_password), timeout=60)
    assert requests_of("PUT", server.address + "/notes").ok
    sign_in = f"Host: a\r\nAuthorization: Basic {credentials}\r\n\r\n"
    feeds = [f"GET /notes/_changes?feed=continuous&include_docs=true HTTP/1.1\r\n{sign_in}".encode()] * 20
    before, sockets = server.resident_bytes(), server.open_sockets()
    readers = []
    for feed in feeds:
        plain = socket.socket()
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        plain.settimeout(60)
        plain.connect(("127.0.0.1", server.port))
        context = ssl.create_default_context(cafile=str(chain))
        readers.append(context.wrap_socket(plain, server_hostname="127.0.0.1"))
        readers[-1].sendall(feed)
        assert readers[-1].recv(12) == b"HTTP/1.1 200"
    # 12 MB for each of them: 240 MB.
    for _ in range(60):
        documents = [{"text": "x" * 40_000} for _ in range(5)]
        assert requests_of("POST", server.address + "/notes/_bulk_docs", json={"docs": documents}).ok
    assert server.resident_bytes() - before < 120 << 20
    # A reader who reads nothing for 45 seconds is dropped.
    eventually(lambda: server.open_sockets() <= sockets + 2, seconds=180)
    for reader in readers:
        reader.close()


def test_strangers_who_read_nothing_by_tls_take_little_each_from_however_many_addresses(make_server, certificate):
    chain, key = certificate
    server = make_server(arguments=["--tls-certificate", str(chain), "--tls-key", str(key),
                                    "--trusted-proxy", "127.0.0.1"]).start()
    count, before, strangers = 150, server.resident_bytes(), []
    for number in range(count):
        client = Client(server.port, receive_bytes=4_096)
        # The description of the API, 1.2 MB, is in memory once. Encrypted it would be there for each of them.
        client.socket.sendall(f"GET /api/v1/openapi.json HTTP/1.1\r\nHost: a\r\n"
                              f"X-Forwarded-For: 2001:db8:0:{number:x}::1\r\n\r\n".encode())
        strangers.append(client)
    assert {client.socket.recv(12) for client in strangers} == {b"HTTP/1.1 200"}
    assert server.resident_bytes() - before < count * 300_000
    assert Client(server.port).fetch("/api/v1/openapi.json") > 1_000_000
    # Whoever begins to read gets all of it.
    answer = strangers[0].socket.makefile("rb")
    lines = list(iter(answer.readline, b"\r\n"))
    length = next(int(line.split(b": ")[1]) for line in lines if line.lower().startswith(b"content-length"))
    assert json.loads(answer.read(length))["openapi"]
