"""Targets and deliveries, against a receiver that knows only HTTP and Standard Webhooks."""

import base64
import json
import random
import re
import threading
import time

import pytest
import standardwebhooks

from muster_process import MusterProcess, run
from native_api import box, fix, now, polygon
from waiting import eventually
from webhook_receiver import Receiver
from webhook_targets import distinct, failures, make, send, settled


@pytest.fixture
def receiver():
    with Receiver() as receiver:
        yield receiver


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server that may call this machine, for all tests that do not want one of their own."""
    with MusterProcess(tmp_path_factory.mktemp("muster"), ["--allow-private-targets"]) as server:
        yield server


@pytest.fixture
def admin(server):
    """The API as admin, with no target left from another test."""
    admin = server.admin()
    for target in admin.items("/targets"):
        admin.ok("DELETE", f"/targets/{target['name']}")
    return admin


@pytest.fixture
def own_server(make_server):
    """A server that may be killed."""
    return make_server(arguments=["--allow-private-targets"]).start()


def test_a_webhook_delivery_is_signed_and_has_the_documented_headers(admin, receiver):
    made = make(admin, "hook", receiver.url + "?to=us", headers={"X-Tenant": "seven", "Authorization": "Bearer t"})
    assert made["secret"].startswith("whsec_") and made["server"] == f"http://127.0.0.1:{receiver.port}"
    before = int(time.time())
    event = send(admin, "hook")
    call = receiver.wait(lambda calls: calls)[0]
    assert call.path == "/hook?to=us" and call.event == event
    assert call.headers["x-tenant"] == "seven" and call.headers["authorization"] == "Bearer t"
    assert call.headers["content-type"] == "application/json"
    body = standardwebhooks.Webhook(made["secret"]).verify(call.body, call.headers)
    assert body["id"] == event and body["detail-type"] == "Muster Test" and body["source"] == "muster"
    assert before <= int(call.headers["webhook-timestamp"]) <= time.time()
    with pytest.raises(standardwebhooks.WebhookVerificationError):
        standardwebhooks.Webhook(made["secret"]).verify(call.body + b" ", call.headers)
    found = settled(admin)
    assert failures(admin) == [] and found["targets"][0]["deadLetters"] == 0
    assert re.search(r'muster_delivery_attempts_total{outcome="delivered"} [1-9]', admin.send("GET", "//metrics").text)


def test_a_replaced_secret_stays_good_for_a_while(admin, receiver):
    own = "whsec_" + base64.b64encode(b"q" * 32).decode()
    assert make(admin, "hook", receiver.url, secret=own)["secret"] == own
    second = admin.ok("POST", "/targets/hook/secret?hours=1")["secret"]
    assert admin.ok("GET", "/targets/hook")["secretsInUse"] == 2
    send(admin, "hook")
    call = receiver.wait(lambda calls: calls)[0]
    for secret in (own, second):
        standardwebhooks.Webhook(secret).verify(call.body, call.headers)
    third = admin.ok("POST", "/targets/hook/secret?hours=0")["secret"]
    send(admin, "hook")
    call = receiver.wait(lambda calls: len(calls) == 2)[1]
    standardwebhooks.Webhook(third).verify(call.body, call.headers)
    for secret in (own, second):
        with pytest.raises(standardwebhooks.WebhookVerificationError):
            standardwebhooks.Webhook(secret).verify(call.body, call.headers)


def test_secrets_are_never_shown_again_nor_logged_nor_stored_in_the_open(own_server, receiver):
    server, admin = own_server, own_server.admin()
    token = "t0ps3cr3t-in-the-path"
    made = make(admin, "hook", f"{receiver.url}/{token}", headers={"X-Key": "k3y-of-the-header"})
    admin.ok("POST", "/targets", {"name": "slack", "kind": "slack", "url": f"{receiver.url}/{token}"})
    send(admin, "hook")
    receiver.wait(lambda calls: calls)
    settled(admin)
    receiver.close()
    send(admin, "hook")
    eventually(lambda: admin.ok("GET", "/deliveries"), lambda found: found["failures"])
    shown = json.dumps([admin.ok("GET", path) for path in ("/targets", "/targets/hook", "/targets/slack",
                                                           "/deliveries", "/changes")])
    shown += server.log() + admin.send("GET", "//metrics").text
    server.end()
    stored = b"".join(path.read_bytes() for path in server.data.iterdir() if path.is_file())
    for secret in (token, "k3y-of-the-header", made["secret"], made["secret"][6:]):
        assert secret not in shown
        assert secret.encode() not in stored


def test_a_failed_attempt_is_repeated_under_the_same_id(admin, receiver):
    refusals = iter([500, 503, 429, 408])
    receiver.answer = lambda call: next(refusals, 204)
    make(admin, "hook", receiver.url)
    event = send(admin, "hook")
    calls = receiver.wait(lambda calls: len(calls) == 5)
    assert {call.event for call in calls} == {event}
    assert len({call.body for call in calls}) == 1
    settled(admin)
    assert [failure["reason"] for failure in failures(admin)] == [
        f"answered {status}" for status in (408, 429, 503, 500)]
    assert [failure["attempts"] for failure in failures(admin)] == [4, 3, 2, 1]


def test_retry_after_is_obeyed(admin, receiver):
    answers = iter([(503, {"Retry-After": "2"})])
    receiver.answer = lambda call: next(answers, 204)
    make(admin, "hook", receiver.url)
    send(admin, "hook")
    first, second = receiver.wait(lambda calls: len(calls) == 2)
    assert second.at - first.at >= 1.9


def test_each_delivery_that_waits_is_listed_with_its_attempts_and_what_was_answered(admin, receiver):
    receiver.answer = lambda call: (503, {"Retry-After": "600"})
    make(admin, "hook", receiver.url)
    events = [send(admin, "hook") for _ in range(3)]
    path = "/targets/hook/deliveries/waiting"
    # Attempts are made side by side, so that the answer to a later one may be stored first.
    tried = eventually(lambda: admin.items(f"{path}?state=retrying"),
                       lambda found: found and found[0]["event"] == events[0])[0]
    assert (tried["rule"], tried["attempts"]) == ("test", 1)
    assert tried["reason"] == "answered 503" and tried["nextAttemptAt"] > tried["createdAt"]
    # A target that asks for ten minutes is left alone for them.
    rest = admin.items(f"{path}?state=new")
    assert {each["event"] for each in rest} <= set(events[1:]) and all("reason" not in each for each in rest)
    first = admin.ok("GET", f"{path}?limit=2")
    page = admin.ok("GET", f"{path}?limit=2&cursor={first['nextCursor']}")
    assert [each["event"] for each in first["items"] + page["items"]] == events and "nextCursor" not in page
    assert len(admin.items(f"{path}?rule=test")) == 3 and admin.items(f"{path}?rule=tes") == []
    admin.refused(422, "GET", f"{path}?state=dead")
    admin.refused(422, "GET", f"{path}?cursor=nonsense")
    admin.refused(404, "GET", "/targets/none/deliveries/waiting")


def test_a_permanently_refused_delivery_is_a_dead_letter_that_can_be_redriven(own_server, receiver):
    server, admin = own_server, own_server.admin()
    receiver.answer = lambda call: 400
    make(admin, "hook", receiver.url)
    make(admin, "other", receiver.url)
    events = [send(admin, "hook") for _ in range(5)] + [send(admin, "other")]
    receiver.wait(lambda calls: len(calls) == 6)
    letters = eventually(lambda: admin.items("/deadletters"), lambda found: len(found) == 6)
    assert {letter["event"] for letter in letters} == set(events)
    assert {letter["reason"] for letter in letters} == {"answered 400"}
    first = admin.ok("GET", "/deadletters?target=hook&limit=2")
    rest = admin.ok("GET", f"/deadletters?target=hook&cursor={first['nextCursor']}")
    numbers = [letter["number"] for letter in first["items"] + rest["items"]]
    assert len(admin.items("/deadletters?rule=test")) == 6 and admin.items("/deadletters?rule=other") == []
    assert len(numbers) == 5 and numbers == sorted(numbers)
    whole = admin.ok("GET", f"/deadletters/{numbers[0]}")
    assert json.loads(whole["body"])["id"] == whole["event"]
    # They outlive a crash.
    server.kill()
    server.start()
    assert [letter["number"] for letter in admin.items("/deadletters?target=hook")] == numbers
    receiver.answer = lambda call: 204
    del receiver.calls[:]
    admin.ok("POST", f"/deadletters/{numbers[0]}/redrive")
    assert receiver.wait(lambda calls: calls)[0].event == whole["event"]
    admin.refused(404, "POST", f"/deadletters/{numbers[0]}/redrive")
    assert "Redrove 4" in run("deadletter", "redrive", "--target", "hook", data=server.data)
    receiver.wait(lambda calls: len(calls) == 5)
    assert len(run("deadletter", "list", data=server.data).splitlines()) == 1
    assert "Discarded 1" in run("deadletter", "discard", "--all", data=server.data)
    assert admin.items("/deadletters") == []


def test_a_redirect_is_not_followed(admin, receiver):
    with Receiver() as elsewhere:
        receiver.answer = lambda call: (307, {"Location": elsewhere.url})
        make(admin, "hook", receiver.url)
        send(admin, "hook")
        letter = eventually(lambda: admin.items("/deadletters"), lambda found: found)[0]
        assert "redirects are not followed" in letter["reason"]
        assert elsewhere.calls == []


def test_a_target_that_answers_410_is_disabled_and_later_deliveries_wait(admin, receiver):
    receiver.answer = lambda call: 410
    make(admin, "hook", receiver.url)
    send(admin, "hook")
    eventually(lambda: admin.ok("GET", "/targets/hook"), lambda target: not target["enabled"])
    event = send(admin, "hook")
    with Receiver() as other:
        # Once a later event arrives at another target, the dispatcher has passed over the event that waits.
        make(admin, "other", other.url)
        send(admin, "other")
        other.wait(lambda calls: len(calls) == 1)
    assert len(distinct(receiver.calls)) == 1
    receiver.answer = lambda call: 204
    admin.ok("PATCH", "/targets/hook", {"enabled": True})
    assert distinct(receiver.wait(lambda calls: len(distinct(calls)) == 2))[1].event == event


def test_everything_arrives_after_the_receiver_was_down_and_muster_was_killed(own_server, receiver):
    server, admin = own_server, own_server.admin()
    make(admin, "hook", receiver.url)
    receiver.close()
    events = {send(admin, "hook") for _ in range(50)}
    eventually(lambda: admin.ok("GET", "/deliveries"), lambda found: found["targets"][0]["failing"])
    server.kill()
    server.start()
    assert eventually(lambda: admin.ok("GET", "/deliveries"), lambda found: found["pending"])["pending"] == 50
    receiver.open()
    receiver.wait(lambda calls: {call.event for call in calls} >= events, 300)
    settled(admin)
    assert admin.items("/deadletters") == []


def test_each_devices_crossings_arrive_in_order_whatever_fails(own_server, receiver):
    server, admin = own_server, own_server.admin()
    dice = random.Random(7)
    taken = []

    def answer(call):
        if dice.random() < 0.3:
            return 500
        taken.append(json.loads(call.body))
        return 204

    receiver.answer = answer
    admin.make_team("crew", [polygon("yard", box(13, 52, 14, 53))])
    people = ["ana", "bea", "cia", "dan"]
    phones = {}
    for name in people:
        admin.make_user(name, team="crew")
        phones[name] = admin.make_device(name)
    make(admin, "hook", receiver.url)
    admin.ok("POST", "/rules", {
        "name": "crossings", "pattern": {"detail-type": ["Location Geofence Event"]}, "targets": [{"target": "hook"}]})
    rounds = 12
    start = now() - 1000 * rounds
    for turn in range(rounds):
        for name in people:
            phones[name].ok("POST", "/positions", fix(52.5 if turn % 2 == 0 else 54, 13.5, start + 1000 * turn))
        if turn == rounds // 2:
            server.kill()
            server.start()
    eventually(lambda: len({event["id"] for event in taken}), lambda count: count == rounds * len(people), 300)
    for name in people:
        first = {}
        for event in taken:
            if event["detail"]["DeviceId"] in (name, f"{name}/phone"):
                first.setdefault(event["id"], event["detail"])
        details = list(first.values())
        assert [detail["EventType"] for detail in details] == ["ENTER", "EXIT"] * (rounds // 2)
        times = [detail["SampleTime"] for detail in details]
        assert times == sorted(times)
    assert admin.items("/deadletters") == []


def test_waiting_deliveries_about_a_removed_user_are_not_sent(admin, receiver):
    admin.make_team("gone", [polygon("yard", box(13, 52, 14, 53))])
    admin.make_user("sam", team="gone")
    phone = admin.make_device("sam")
    make(admin, "hook", receiver.url)
    admin.ok("PATCH", "/targets/hook", {"enabled": False})
    admin.ok("POST", "/rules", {
        "name": "crossings", "pattern": {"detail-type": ["Location Geofence Event"]}, "targets": [{"target": "hook"}]})
    phone.ok("POST", "/positions", fix(52.5, 13.5, now() - 1000))
    eventually(lambda: admin.ok("GET", "/deliveries"), lambda found: found["pending"] == 1)
    admin.ok("DELETE", "/users/sam")
    admin.ok("PATCH", "/targets/hook", {"enabled": True})
    settled(admin)
    assert receiver.calls == []
    admin.ok("DELETE", "/rules/crossings")


def test_a_slow_target_holds_up_no_other(admin, receiver):
    release = threading.Event()
    with Receiver(lambda call: 204 if release.wait(300) else 500) as slow:
        make(admin, "slow", slow.url)
        make(admin, "hook", receiver.url)
        began = time.monotonic()
        for _ in range(40):
            send(admin, "slow")
        slow.wait(lambda calls: len(calls) >= 16)
        events = {send(admin, "hook") for _ in range(20)}
        receiver.wait(lambda calls: {call.event for call in calls} == events)
        # The dispatcher has passed over the other 24, which were sent before. It gives up an attempt after 15 s.
        attempts = len(slow.calls)
        assert attempts == 16 or time.monotonic() - began > 15, "one target has at most 16 attempts under way"
        release.set()
        slow.wait(lambda calls: len({call.event for call in calls}) == 40, 300)


def test_a_delivery_is_given_up_when_its_time_is_over(make_server):
    # 29 s: long enough for a first attempt on any machine.
    server = make_server(arguments=["--allow-private-targets", "--delivery-hours", "0.008"]).start()
    admin = server.admin()
    with Receiver(lambda call: 500) as receiver:
        make(admin, "hook", receiver.url)
        event = send(admin, "hook")
        letter = eventually(lambda: admin.items("/deadletters"), lambda found: found)[0]
        assert letter["event"] == event and letter["reason"] == "answered 500" and letter["attempts"] >= 1


def test_a_removed_target_is_forgotten(admin, receiver):
    receiver.answer = lambda call: 500
    make(admin, "hook", receiver.url)
    send(admin, "hook")
    receiver.wait(lambda calls: calls)
    admin.ok("DELETE", "/targets/hook")
    assert settled(admin)["targets"] == []
    admin.refused(404, "GET", "/targets/hook")
    assert admin.items("/deadletters") == []


def test_slack_receives_plain_text(admin, receiver):
    admin.ok("POST", "/targets", {"name": "slack", "kind": "slack", "url": receiver.url})
    send(admin, "slack")
    call = receiver.wait(lambda calls: calls)[0]
    message = json.loads(call.body)
    assert set(message) == {"text"} and message["text"].startswith("Muster Test at ")
    assert "webhook-signature" not in call.headers


def test_a_log_target_writes_events_without_coordinates(server, admin):
    admin.ok("POST", "/targets", {"name": "journal", "kind": "log"})
    event = send(admin, "journal")
    eventually(server.log, lambda text: event in text)
    admin.ok("POST", "/rules", {
        "name": "journal", "pattern": {"detail": {"EventType": ["ENTER"]}}, "targets": [{"target": "journal"}]})
    admin.make_team("journalists", [polygon("newsroom", box(13.37, 52.47, 13.38, 52.48))])
    admin.make_user("reporter", team="journalists")
    phone = admin.make_device("reporter")
    phone.ok("POST", "/positions", fix(52.4747123, 13.3747123, now()))
    text = eventually(server.log, lambda text: "newsroom" in text)
    told = next(line for line in text.splitlines() if "newsroom" in line)
    assert "event-type=ENTER" in told and "device=reporter" in told, told
    assert "52.47" not in text and "13.37" not in text, "the log tells a position"
    admin.ok("DELETE", "/rules/journal")
    settled(admin)


def test_the_command_line_does_it_all(server, admin, receiver):
    made = run("target", "add", "hook", "--kind", "webhook", "--url", receiver.url, "--json", data=server.data)
    secret = json.loads(made)["secret"]
    assert re.match(r"hook\twebhook\thttp://127.0.0.1:\d+\t", run("target", "list", data=server.data))
    event = json.loads(run("target", "test", "hook", "--json", data=server.data))["event"]
    call = receiver.wait(lambda calls: calls)[0]
    assert call.event == event
    standardwebhooks.Webhook(secret).verify(call.body, call.headers)
    assert run("target", "rotate", "hook", data=server.data).strip().startswith("whsec_")
    run("target", "remove", "hook", data=server.data)
    assert run("target", "list", data=server.data) == ""
