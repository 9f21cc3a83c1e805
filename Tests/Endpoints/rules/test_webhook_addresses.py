"""Which addresses, headers and certificates a target may have."""

import shutil
import ssl

import pytest

from certificates import make_certificate
from waiting import eventually
from webhook_receiver import Receiver
from webhook_targets import distinct, failures, make, send


@pytest.fixture
def receiver():
    with Receiver() as receiver:
        yield receiver


@pytest.fixture
def admin(server):
    return server.admin()


@pytest.mark.parametrize("url", [
    "http://169.254.169.254/latest/meta-data/", "http://[fe80::1]/", "http://[fd00:ec2::254]/", "http://0.0.0.0/",
    "http://100.100.100.200/", "http://[::ffff:169.254.169.254]/", "http://2852039166/", "http://0251.0376.0251.0376/",
    "http://0xa9fea9fe/", "http://[64:ff9b::a9fe:a9fe]/", "http://224.0.0.1/", "http://255.255.255.255/",
    "ftp://example.org/", "http://user@example.org/", "http://example.org/#part", "http://exa mple.org/", "nonsense",
    "http://:80/", "file:///etc/passwd", "http://example.org:70000/"])
def test_forbidden_target_addresses_are_refused(admin, url):
    problem = admin.refused(422, "POST", "/targets", {"name": "bad", "kind": "webhook", "url": url})
    assert problem["errors"][0]["pointer"] == "/url"


def test_private_addresses_are_refused_unless_the_operator_allows_them(make_server, receiver):
    server = make_server().start()
    admin = server.admin()
    for host in ("127.0.0.1", "10.1.2.3", "192.168.0.1", "172.16.0.1", "[::1]", "[fd00::1]", "0177.0.0.1", "127.1"):
        admin.refused(422, "POST", "/targets", {"name": "bad", "kind": "webhook", "url": f"http://{host}/"})
    # A name is looked at when it is called: this one leads to this machine.
    make(admin, "hook", f"http://localhost:{receiver.port}/hook")
    send(admin, "hook")
    found = eventually(lambda: admin.ok("GET", "/deliveries"), lambda found: found["failures"])
    assert found["failures"][0]["reason"] == "a private or loopback address may not be reached"
    assert receiver.calls == []


@pytest.mark.parametrize("headers", [
    {"Host": "x"}, {"Content-Length": "1"}, {"webhook-id": "x"}, {"X-A": "a\r\nb: c"}, {"X A": "b"}, {"": "b"},
    {"X-A": "é"}, {f"X-{number}": "a" for number in range(21)}])
def test_headers_that_are_not_the_admins_to_set_are_refused(admin, headers):
    body = {"name": "bad", "kind": "webhook", "url": "http://example.org/", "headers": headers}
    assert admin.refused(422, "POST", "/targets", body)["errors"][0]["pointer"] == "/headers"


def test_a_certificate_must_be_the_targets_own(make_server, tmp_path):
    if shutil.which("openssl") is None:
        pytest.skip("openssl, which makes the certificate, is not installed; Scripts/setup test installs it")
    chain, key = make_certificate(tmp_path / "chain.pem", tmp_path / "key.pem", name="DNS:localhost")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain, key)
    arguments = ["--allow-private-targets", "--target-roots", str(chain)]
    admin = make_server(arguments=arguments).start().admin()
    stranger = make_server("stranger", arguments=["--allow-private-targets"]).start().admin()
    with Receiver(context=context) as receiver:
        for api in (admin, stranger):
            make(api, "named", f"https://localhost:{receiver.port}/hook")
            make(api, "other", f"https://127.0.0.1:{receiver.port}/hook")
        event = send(admin, "named")
        assert receiver.wait(lambda calls: calls)[0].event == event
        # Another authority's certificate, or another name's, is none.
        for api, name in ((admin, "other"), (stranger, "named")):
            refused = send(api, name)
            found = eventually(lambda: [failure for failure in failures(api) if failure["event"] == refused])
            assert found[0]["reason"].startswith("TLS failed")
        assert len(distinct(receiver.calls)) == 1
