"""TLS from files: what is served is encrypted, and the command line beside it still works."""

import shutil
import subprocess

import pytest
import requests

from muster_process import binary


@pytest.fixture
def certificate(tmp_path):
    """A certificate for this machine's loopback address, and its key, as PEM files."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl, which makes the certificate, is not installed")
    chain, key = tmp_path / "chain.pem", tmp_path / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", chain],
        check=True, capture_output=True, timeout=60)
    return chain, key


def test_a_server_with_a_certificate_speaks_tls_alone_and_the_command_line_reaches_it(make_server, certificate):
    chain, key = certificate
    server = make_server(arguments=["--tls-certificate", str(chain), "--tls-key", str(key)]).start()
    assert server.address.startswith("https://")
    answer = requests.get(server.address + "/health", verify=str(chain), timeout=20)
    assert answer.json()["status"] == "ok"
    # Browsers come by it alone from then on.
    assert answer.headers["Strict-Transport-Security"] == "max-age=31536000"
    with pytest.raises(requests.exceptions.RequestException):
        requests.get(server.address.replace("https", "http") + "/health", timeout=20)
    added = subprocess.run(
        [binary, "user", "add", "bob", "--data", server.data], capture_output=True, text=True, timeout=60)
    assert added.returncode == 0, added.stderr
    assert "bob" in added.stdout
