"""Push to apps: Apple's and Google's services, as stand-ins that check what the real ones check."""

import itertools
import shutil
import ssl
import subprocess

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

import amazon
from apns_stand_in import APNs
from fcm_stand_in import FCM
from muster_process import MusterProcess, binary
from push_person import update, wait_until

key_id, team_id, topic = "ABC123DEFG", "DEF123GHIJ", "org.example.muster"

numbers = itertools.count(1)


def pem(key):
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    if shutil.which("openssl") is None:
        pytest.skip("openssl, which makes the certificate, is not installed")
    folder = tmp_path_factory.mktemp("tls")
    chain, key = folder / "chain.pem", folder / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", chain], check=True, capture_output=True)
    return chain, key


@pytest.fixture(scope="module")
def apns(certificate):
    signing = ec.generate_private_key(ec.SECP256R1())
    with APNs(*certificate, public_key=signing.public_key(), key_id=key_id, team_id=team_id, topic=topic) as service:
        service.signing = signing
        yield service


@pytest.fixture(scope="module")
def fcm(certificate):
    signing = rsa.generate_private_key(65_537, 2_048)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    with FCM(context, public_key=signing.public_key(), account="push@test.iam.example", project="muster-1") as service:
        service.signing = signing
        yield service


@pytest.fixture(scope="module")
def server(tmp_path_factory, store_of_files, certificate, apns, fcm):
    folder = tmp_path_factory.mktemp("muster")
    (folder / "apns.p8").write_text(pem(apns.signing))
    (folder / "fcm.json").write_text(fcm.service_account(pem(fcm.signing)))
    server = MusterProcess(folder, [
        "--allow-private-targets", "--target-roots", str(certificate[0]),
        "--apns-key", str(folder / "apns.p8"), "--apns-key-id", key_id, "--apns-team-id", team_id,
        "--apns-topic", topic, "--apns-url", apns.url, "--fcm-account", str(folder / "fcm.json"),
        "--fcm-url", fcm.url])
    server.model = store_of_files
    with server:
        yield server


@pytest.fixture
def ana(admin, apns, fcm):
    apns.answer, apns.goes_away_after = (lambda notification: (200, None)), None
    fcm.answer, fcm.token_status = (lambda message: (200, None, {})), 200
    apns.notifications.clear()
    fcm.messages.clear()
    return admin.make_user(f"ana.{next(numbers)}")


def register(person, platform, device_token, dataset="settings"):
    device = person.ok("POST", "/push/devices", {"platform": platform, "token": device_token})["id"]
    person.ok("PUT", f"/datasets/{dataset}/subscriptions/{device}")
    return device


def fresh():
    """A token that no test has used."""
    return f"{next(numbers):064x}"


def test_an_app_of_apple_is_told_in_the_background(ana, apns):
    phone = fresh()
    register(ana, "apns", phone)
    count = update(ana, "settings", "dark")
    [told] = apns.wait(lambda told: told)
    assert told.token == phone
    assert told.payload["data"]["source"] == "cognito-sync"
    assert (told.payload["data"]["datasetName"], told.payload["data"]["syncCount"]) == ("settings", count)
    assert told.headers["apns-push-type"] == "background" and told.headers["apns-topic"] == topic
    assert int(told.headers["apns-expiration"]) > 0


def test_an_alert_is_shown_and_a_test_says_so(ana, apns):
    register(ana, "apns-sandbox", fresh())
    [result] = ana.ok("POST", "/push/test", {})["devices"]
    assert (result["platform"], result["outcome"]) == ("apns-sandbox", "delivered")
    [told] = apns.wait(lambda told: told)
    assert told.headers["apns-push-type"] == "alert"
    assert told.payload["aps"]["alert"]["title"] == "Muster reaches this device"


def test_messages_share_a_connection_and_survive_one_that_goes_away(ana, apns):
    register(ana, "apns", fresh())
    update(ana, "settings", "0")
    apns.wait(lambda told: len(told) == 1)
    apns.goes_away_after = 1
    for number in range(1, 6):
        wanted = update(ana, "settings", str(number))
        apns.wait(lambda told: told[-1].payload["data"]["syncCount"] == wanted)
    assert len({told.connection for told in apns.notifications}) > 1


@pytest.mark.parametrize("answer", [(410, "Unregistered"), (400, "BadDeviceToken"), (410, "ExpiredToken")], ids=str)
def test_a_token_that_apple_no_longer_knows_is_removed(ana, apns, answer):
    apns.answer = lambda notification: answer
    register(ana, "apns", fresh())
    update(ana, "settings", "1")
    wait_until(lambda: ana.ok("GET", "/push/devices")["items"] == [])


@pytest.mark.parametrize("answer", [
    (429, "TooManyRequests"), (500, "InternalServerError"), (503, "ServiceUnavailable", {"retry-after": "1"}),
    (403, "ExpiredProviderToken"), (403, "InvalidProviderToken"), (429, "TooManyProviderTokenUpdates"),
    (503, "Shutdown"), (400, "IdleTimeout")], ids=str)
def test_what_apple_cannot_take_now_is_sent_again(ana, apns, answer):
    answers = iter([answer])
    apns.answer = lambda notification: next(answers, (200, None))
    register(ana, "apns", fresh())
    count = update(ana, "settings", "1")
    told = apns.wait(lambda told: len(told) == 2)
    assert [one.payload["data"]["syncCount"] for one in told] == [count, count]
    assert len(ana.ok("GET", "/push/devices")["items"]) == 1


def test_what_apple_refuses_is_not_sent_again_and_named(ana, apns, server):
    apns.answer = lambda notification: (400, "BadTopic")
    register(ana, "apns", fresh())
    [result] = ana.ok("POST", "/push/test", {})["devices"]
    assert (result["outcome"], result["reason"]) == ("refused", "answered 400 BadTopic")
    assert "BadTopic" in server.log()


def test_an_app_of_firebase_is_told_with_data_alone(ana, fcm):
    register(ana, "fcm", "token:" + fresh())
    count = update(ana, "settings", "dark")
    [told] = fcm.wait(lambda told: told)
    assert told["data"]["source"] == "cognito-sync" and told["data"]["syncCount"] == str(count)
    assert "notification" not in told and told["android"]["priority"] == "NORMAL"
    assert told["android"]["ttl"].endswith("s") and len(told["android"]["collapse_key"]) == 32


def test_one_access_token_serves_many_messages_and_is_renewed_when_refused(ana, fcm):
    register(ana, "fcm", "token:" + fresh())
    update(ana, "settings", "0")
    fcm.wait(lambda told: len(told) == 1)
    exchanged = len(fcm.tokens)
    update(ana, "settings", "1")
    fcm.wait(lambda told: len(told) == 2)
    assert len(fcm.tokens) == exchanged
    fcm.expire_tokens()
    count = update(ana, "settings", "2")
    fcm.wait(lambda told: told[-1]["data"]["syncCount"] == str(count))
    assert len(fcm.tokens) == 1


@pytest.mark.parametrize("answer", [(404, "UNREGISTERED"), (403, "SENDER_ID_MISMATCH")], ids=str)
def test_a_token_that_firebase_no_longer_knows_is_removed(ana, fcm, answer):
    fcm.answer = lambda message: (*answer, {})
    register(ana, "fcm", "token:" + fresh())
    update(ana, "settings", "1")
    wait_until(lambda: ana.ok("GET", "/push/devices")["items"] == [])


@pytest.mark.parametrize("answer", [
    (429, "QUOTA_EXCEEDED", {"Retry-After": "1"}), (503, "UNAVAILABLE", {"Retry-After": "1"}), (500, "INTERNAL", {})],
    ids=str)
def test_what_firebase_cannot_take_now_is_sent_again(ana, fcm, answer):
    answers = iter([answer])
    fcm.answer = lambda message: next(answers, (200, None, {}))
    register(ana, "fcm", "token:" + fresh())
    update(ana, "settings", "1")
    fcm.wait(lambda told: len(told) == 2)
    assert len(ana.ok("GET", "/push/devices")["items"]) == 1


def test_what_firebase_refuses_is_named(ana, fcm):
    fcm.answer = lambda message: (400, "INVALID_ARGUMENT", {})
    register(ana, "fcm", "token:" + fresh())
    [result] = ana.ok("POST", "/push/test", {})["devices"]
    assert (result["outcome"], result["reason"]) == ("refused", "answered 400 INVALID_ARGUMENT")


# MARK: Amazon Cognito Sync


@pytest.fixture
def cognito(server, ana, apns):
    """A client of Cognito Sync as ana, and the ids by which it names her."""
    register(ana, "apns", fresh(), "ids")
    update(ana, "ids", "1")
    data = apns.wait(lambda told: told)[-1].payload["data"]
    apns.notifications.clear()
    ids = {"IdentityPoolId": data["identityPoolId"], "IdentityId": data["identityId"]}
    return amazon.client(server, ana.ok("GET", "/session")["user"]["name"], "cognito-sync"), ids


def test_a_device_of_cognito_sync_is_told_like_any_other(cognito, ana, apns, fcm):
    sync, ids = cognito
    phone = sync.register_device(**ids, Platform="APNS", Token=fresh())["DeviceId"]
    other = sync.register_device(**ids, Platform="GCM", Token="token:" + fresh())["DeviceId"]
    for device in (phone, other):
        sync.subscribe_to_dataset(**ids, DatasetName="prefs", DeviceId=device)
    session = sync.list_records(**ids, DatasetName="prefs")["SyncSessionToken"]
    sync.update_records(
        **ids, DatasetName="prefs", SyncSessionToken=session, DeviceId=phone,
        RecordPatches=[{"Op": "replace", "Key": "k", "Value": "v", "SyncCount": 0}])
    [told] = fcm.wait(lambda told: told)
    assert (told["data"]["datasetName"], told["data"]["syncCount"]) == ("prefs", "1")
    assert told["data"]["identityId"] == ids["IdentityId"]
    sync.unsubscribe_from_dataset(**ids, DatasetName="prefs", DeviceId=other)
    update(ana, "prefs", "w")
    [told] = apns.wait(lambda told: told)
    assert told.payload["data"]["syncCount"] == 2
    assert len(fcm.messages) == 1


def test_cognito_sync_refuses_in_its_own_words(cognito, admin, server):
    sync, ids = cognito
    amazon.refused("InvalidParameterException", 400, sync.register_device, **ids, Platform="ADM", Token="x")
    amazon.refused("InvalidParameterException", 400, sync.register_device, **ids, Platform="APNS", Token="no token")
    subscription = {**ids, "DatasetName": "prefs", "DeviceId": "none"}
    amazon.refused("ResourceNotFoundException", 404, sync.subscribe_to_dataset, **subscription)
    amazon.refused("ResourceNotFoundException", 404, sync.unsubscribe_from_dataset, **subscription)
    admin.make_user("bo.of.push")
    other = amazon.client(server, "bo.of.push", "cognito-sync")
    device = sync.register_device(**ids, Platform="APNS", Token=fresh())["DeviceId"]
    amazon.refused("NotAuthorizedException", 403, other.register_device, **ids, Platform="APNS", Token=fresh())
    amazon.refused(
        "NotAuthorizedException", 403, other.subscribe_to_dataset, **{**subscription, "DeviceId": device})


@pytest.mark.parametrize("options,words", [
    (["--apns-key", "none.p8"], "go together"),
    (["--apns-key", "none.p8", "--apns-key-id", "A", "--apns-team-id", "B", "--apns-topic", "C"], "no file none.p8"),
    (["--fcm-account", "none.json"], "no file none.json"),
    (["--fcm-account", "pyproject"], "no project_id"),
    (["--push-contact", "me"], "mailto:"),
])
def test_options_that_cannot_be_used_are_named(tmp_path, options, words):
    (tmp_path / "pyproject").write_text("{}")
    done = subprocess.run(
        [binary, "serve", "--data", str(tmp_path / "data"), "--port", "0", *options], cwd=tmp_path,
        capture_output=True, text=True, timeout=60)
    assert done.returncode != 0 and words in done.stderr
