"""A server that pushes to apps by stand-ins of Apple's and Google's services: fixtures and helpers."""

import itertools
import shutil

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from apns_stand_in import APNs
from certificates import make_certificate
from fcm_stand_in import FCM
from muster_process import MusterProcess

key_id, team_id, topic = "ABC123DEFG", "DEF123GHIJ", "org.example.muster"

numbers = itertools.count(1)


def pem(key):
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    if shutil.which("openssl") is None:
        pytest.skip("openssl, which makes the certificate, is not installed; Scripts/setup test installs it")
    folder = tmp_path_factory.mktemp("tls")
    return make_certificate(folder / "chain.pem", folder / "key.pem", name="DNS:localhost")


@pytest.fixture(scope="module")
def apns(certificate):
    signing = ec.generate_private_key(ec.SECP256R1())
    with APNs(*certificate, public_key=signing.public_key(), key_id=key_id, team_id=team_id, topic=topic) as service:
        service.signing = signing
        yield service


@pytest.fixture(scope="module")
def fcm(certificate):
    signing = rsa.generate_private_key(65_537, 2_048)
    with FCM(*certificate, public_key=signing.public_key(), account="push@test.iam.example",
             project="muster-1") as service:
        service.signing = signing
        yield service


@pytest.fixture(scope="module")
def push_options(tmp_path_factory, certificate, apns, fcm):
    """What makes a server push by the two."""
    folder = tmp_path_factory.mktemp("credentials")
    (folder / "apns.p8").write_text(pem(apns.signing))
    (folder / "fcm.json").write_text(fcm.service_account(pem(fcm.signing)))
    return [
        "--allow-private-targets", "--target-roots", str(certificate[0]),
        "--apns-key", str(folder / "apns.p8"), "--apns-key-id", key_id, "--apns-team-id", team_id,
        "--apns-topic", topic, "--apns-url", apns.url, "--fcm-account", str(folder / "fcm.json"),
        "--fcm-url", fcm.url]


@pytest.fixture(scope="module")
def server(tmp_path_factory, store_of_files, push_options):
    server = MusterProcess(tmp_path_factory.mktemp("muster"), push_options)
    server.model = store_of_files
    with server:
        yield server


@pytest.fixture
def ana(admin, apns, fcm):
    apns.decide, apns.goes_away_after = (lambda notification: (200, None)), None
    fcm.answer, fcm.token_status = (lambda message: (200, None, {})), 200
    apns.notifications.clear()
    fcm.messages.clear()
    fcm.connections.clear()
    return admin.make_user(f"ana.{next(numbers)}")


def register(person, platform, device_token, dataset="settings"):
    device = person.ok("POST", "/push/devices", {"platform": platform, "token": device_token})["id"]
    person.ok("PUT", f"/datasets/{dataset}/subscriptions/{device}")
    return device


def fresh():
    """A token that no test has used."""
    return f"{next(numbers):064x}"
