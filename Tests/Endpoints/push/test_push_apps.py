"""Push to apps: Apple's and Google's services, as stand-ins that check what the real ones check."""

import subprocess
import time

import pytest
import requests

import amazon
from muster_process import MusterProcess, binary
from push_apps import ana, apns, certificate, fcm, fresh, push_options, register, server, team_id, topic  # noqa: F401
from push_person import update
from waiting import eventually


def test_an_update_is_pushed_to_apple_in_the_background(ana, apns):
    phone = fresh()
    register(ana, "apns", phone)
    count = update(ana, "settings", "dark")
    [told] = apns.wait(lambda told: told)
    assert told.token == phone
    assert told.payload["data"]["source"] == "cognito-sync"
    assert (told.payload["data"]["datasetName"], told.payload["data"]["syncCount"]) == ("settings", count)
    assert told.headers["apns-push-type"] == "background" and told.headers["apns-topic"] == topic
    assert int(told.headers["apns-expiration"]) > 0


def test_a_test_push_is_an_alert(ana, apns):
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
    apns.decide = lambda notification: answer
    register(ana, "apns", fresh())
    update(ana, "settings", "1")
    eventually(lambda: ana.ok("GET", "/push/devices")["items"] == [])


def test_a_token_registered_after_apple_ended_it_is_kept_and_gets_pushes(ana, apns):
    phone = fresh()
    device = register(ana, "apns", phone)
    an_hour_ago = int((time.time() - 3_600) * 1_000)
    answers = iter([(410, "Unregistered", {}, {"timestamp": an_hour_ago})])
    apns.decide = lambda notification: next(answers, (200, None))
    count = update(ana, "settings", "1")
    told = apns.wait(lambda told: len(told) == 2)
    assert [one.payload["data"]["syncCount"] for one in told] == [count, count]
    assert [one["id"] for one in ana.ok("GET", "/push/devices")["items"]] == [device]
    # A test message says so too, and removes nothing.
    apns.decide = lambda notification: (410, "Unregistered", {}, {"timestamp": an_hour_ago})
    [result] = ana.ok("POST", "/push/test", {})["devices"]
    assert (result["outcome"], "earlier registration" in result["reason"]) == ("failed", True)
    assert [one["id"] for one in ana.ok("GET", "/push/devices")["items"]] == [device]


def test_a_token_that_apple_ended_after_it_was_registered_is_removed(ana, apns):
    phone = fresh()
    register(ana, "apns", phone)
    apns.decide = lambda notification: (410, "Unregistered", {}, {"timestamp": int(time.time() * 1_000)})
    update(ana, "settings", "1")
    eventually(lambda: ana.ok("GET", "/push/devices")["items"] == [])
    # The app registers again, and is told from then on.
    apns.decide = lambda notification: (200, None)
    register(ana, "apns", phone)
    count = update(ana, "settings", "2")
    apns.wait(lambda told: told[-1].payload["data"]["syncCount"] == count)


def test_a_token_registered_again_while_apple_answers_is_kept_and_gets_pushes(ana, apns):
    phone = fresh()
    register(ana, "apns", phone)

    def decide(notification):
        if len(apns.notifications) > 1:
            return 200, None
        ended = int(time.time() * 1_000) - 1
        register(ana, "apns", phone)
        return 410, "Unregistered", {}, {"timestamp": ended}

    apns.decide = decide
    count = update(ana, "settings", "1")
    told = apns.wait(lambda told: len(told) == 2)
    assert [one.payload["data"]["syncCount"] for one in told] == [count, count]
    assert len(ana.ok("GET", "/push/devices")["items"]) == 1


@pytest.mark.parametrize("answer", [
    (429, "TooManyRequests"), (500, "InternalServerError"), (503, "ServiceUnavailable", {"retry-after": "1"}),
    (403, "ExpiredProviderToken"), (403, "InvalidProviderToken"), (403, "BadCertificate"), (400, "BadTopic"),
    (429, "TooManyProviderTokenUpdates"),
    (503, "Shutdown"), (400, "IdleTimeout")], ids=str)
def test_a_push_that_apple_cannot_take_now_is_sent_again(ana, apns, answer):
    answers = iter([answer])
    apns.decide = lambda notification: next(answers, (200, None))
    register(ana, "apns", fresh())
    count = update(ana, "settings", "1")
    told = apns.wait(lambda told: len(told) == 2)
    assert [one.payload["data"]["syncCount"] for one in told] == [count, count]
    assert len(ana.ok("GET", "/push/devices")["items"]) == 1


def test_a_push_that_apple_refuses_is_not_sent_again_and_logged(ana, apns, server):
    apns.decide = lambda notification: (400, "PayloadEmpty")
    register(ana, "apns", fresh())
    [result] = ana.ok("POST", "/push/test", {})["devices"]
    assert (result["outcome"], result["reason"]) == ("refused", "answered 400 PayloadEmpty")
    eventually(server.log, lambda text: "PayloadEmpty" in text)


def test_an_update_is_pushed_to_firebase_as_data_alone(ana, fcm):
    register(ana, "fcm", "token:" + fresh())
    count = update(ana, "settings", "dark")
    [told] = fcm.wait(lambda told: told)
    assert told["data"]["source"] == "cognito-sync" and told["data"]["syncCount"] == str(count)
    assert "notification" not in told and told["android"]["priority"] == "NORMAL"
    assert told["android"]["ttl"].endswith("s") and len(told["android"]["collapse_key"]) == 32


def test_messages_of_firebase_share_a_connection_of_http2(ana, fcm):
    for _ in range(8):
        register(ana, "fcm", "token:" + fresh())
    for number in range(3):
        update(ana, "settings", str(number))
        fcm.wait(lambda told: len(told) == 8 * (number + 1))
    assert None not in fcm.connections and len(set(fcm.connections)) == 1, fcm.connections


def test_a_push_service_without_http2_is_called_over_http1(tmp_path, fcm, push_options):
    options = push_options[:-1] + [fcm.http1_url]
    fcm.connections.clear()
    with MusterProcess(tmp_path, options) as server:
        ana = server.admin().make_user("ana")
        register(ana, "fcm", "token:" + fresh())
        before = len(fcm.messages)
        update(ana, "settings", "1")
        fcm.wait(lambda told: len(told) > before)
    assert fcm.connections == [None]


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


@pytest.mark.parametrize("answer", [(404, "UNREGISTERED"), (410, "UNREGISTERED")], ids=str)
def test_a_token_that_firebase_no_longer_knows_is_removed(ana, fcm, answer):
    fcm.answer = lambda message: (*answer, {})
    register(ana, "fcm", "token:" + fresh())
    update(ana, "settings", "1")
    eventually(lambda: ana.ok("GET", "/push/devices")["items"] == [])


def faults(server):
    return requests.get(f"{server.address}/health", timeout=60).json().get("pushFaults", [])


@pytest.mark.parametrize("platform,answer,option", [
    ("fcm", (403, "SENDER_ID_MISMATCH"), "--fcm-account"), ("fcm", (403, "PERMISSION_DENIED"), "--fcm-account"),
    ("fcm", (404, "NOT_FOUND"), "--fcm-account"), ("apns", (403, "InvalidProviderToken"), "--apns-key"),
    ("apns", (400, "DeviceTokenNotForTopic"), "--apns-topic"), ("apns", (410, "SomethingNew"), None)], ids=str)
def test_a_refusal_of_the_operators_account_keeps_every_device(ana, apns, fcm, server, platform, answer, option):
    service = {"fcm": fcm, "apns": apns}[platform]
    fcm.answer = lambda message: (*answer, {})
    apns.decide = lambda notification: answer
    devices = {register(ana, platform, fresh() if platform == "apns" else "token:" + fresh()) for _ in range(3)}
    before = server.log()
    for _ in range(2):
        results = ana.ok("POST", "/push/test", {})["devices"]
        assert {result["outcome"] for result in results} == {"failed" if option else "refused"}
    assert {one["id"] for one in ana.ok("GET", "/push/devices")["items"]} == devices
    words = "refuses this server's configuration"
    if option:
        # The operator is told, and what to do; once, not for every device and message.
        [fault] = faults(server)
        assert fault["platform"] == platform and answer[1] in fault["reason"] and option in fault["advice"]
        assert server.log()[len(before):].count(words) <= 1 <= server.log().count(words)
        update(ana, "settings", "1")
        asked = len(fcm.messages if platform == "fcm" else apns.notifications)
        fcm.answer = lambda message: (200, None, {})
        apns.decide = lambda notification: (200, None)
        # Once it is mended, what waited arrives, and the fault is gone.
        service.wait(lambda told: len(told) > asked)
        eventually(lambda: faults(server) == [])


@pytest.mark.parametrize("answer", [
    (429, "QUOTA_EXCEEDED", {"Retry-After": "1"}), (503, "UNAVAILABLE", {"Retry-After": "1"}), (500, "INTERNAL", {})],
    ids=str)
def test_a_push_that_firebase_cannot_take_now_is_sent_again(ana, fcm, answer):
    answers = iter([answer])
    fcm.answer = lambda message: next(answers, (200, None, {}))
    register(ana, "fcm", "token:" + fresh())
    update(ana, "settings", "1")
    fcm.wait(lambda told: len(told) == 2)
    assert len(ana.ok("GET", "/push/devices")["items"]) == 1


def test_a_push_that_firebase_refuses_is_reported_with_the_reason(ana, fcm):
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


def test_a_device_of_cognito_sync_gets_pushes_like_any_other(cognito, ana, apns, fcm):
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


def test_cognito_syncs_errors_for_devices_are_amazons(cognito, admin, server):
    sync, ids = cognito
    amazon.refused("InvalidParameterException", 400, sync.register_device, **ids, Platform="ADM", Token="x")
    amazon.refused("InvalidParameterException", 400, sync.register_device, **ids, Platform="APNS", Token="no token")
    subscription = {**ids, "DatasetName": "prefs", "DeviceId": "none"}
    amazon.refused("ResourceNotFoundException", 404, sync.subscribe_to_dataset, **subscription)
    amazon.refused("ResourceNotFoundException", 404, sync.unsubscribe_from_dataset, **subscription)
    admin.make_user("bo.of.push")
    other = amazon.client(server, "bo.of.push", "cognito-sync")
    device = sync.register_device(**ids, Platform="APNS", Token=fresh())["DeviceId"]
    # Somebody else's identity is nobody's business, an admin's neither.
    for stranger in (other, amazon.client(server, service="cognito-sync")):
        amazon.refused(
            "NotAuthorizedException", 403, stranger.register_device, **ids, Platform="APNS", Token=fresh())
        for call in (stranger.subscribe_to_dataset, stranger.unsubscribe_from_dataset):
            amazon.refused("NotAuthorizedException", 403, call, **{**subscription, "DeviceId": device})


def test_the_app_that_gets_the_pushes_may_open_links_to_the_server(server):
    answer = requests.get(f"{server.address}/.well-known/apple-app-site-association", timeout=60)
    assert (answer.status_code, answer.headers["Content-Type"].split(";")[0]) == (200, "application/json")
    app = f"{team_id}.{topic}"
    assert answer.json() == {
        "applinks": {"details": [{"appIDs": [app], "components": [{"/": "/me/*"}, {"/": "/console/invite*"}]}]},
        "webcredentials": {"apps": [app]}}


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
        capture_output=True, text=True, timeout=120)
    assert done.returncode != 0 and words in done.stderr
