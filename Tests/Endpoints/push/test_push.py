"""Push: a dataset's change reaches the person's other devices, encrypted and in order."""

import threading
import time

import pytest

from cognito import sign_in, unsigned
from push_browser import Browser, verified_claims
from push_person import ana, counts, paths, server, service, subscribed, update  # noqa: F401
from waiting import eventually
from webhook_receiver import Receiver


def test_the_other_device_gets_a_push_that_a_library_decrypts(server, service, ana, admin):
    phone, tablet = subscribed(ana, service), subscribed(ana, service)
    count = update(ana, "settings", "dark", device=phone.id)
    [message] = tablet.wait(lambda messages: messages)
    assert message == {"data": {
        "source": "cognito-sync", "identityPoolId": message["data"]["identityPoolId"],
        "identityId": message["data"]["identityId"], "datasetName": "settings", "syncCount": count}}
    assert message["data"]["identityId"].startswith("us-east-1:")
    [call] = tablet.calls()
    assert call.headers["content-encoding"] == "aes128gcm"
    assert 0 < int(call.headers["ttl"]) <= 86_400
    assert call.headers["urgency"] == "normal"
    assert len(call.headers["topic"]) == 32 and "settings" not in call.headers["topic"]
    key = ana.ok("GET", "/push/key")["key"]
    claims = verified_claims(call, key, f"http://127.0.0.1:{service.port}")
    assert claims["sub"] == "mailto:ops@muster.example"
    # The writer hears of the tablet's change, and never of its own.
    second = update(ana, "settings", "light", device=tablet.id)
    assert counts(phone.wait(lambda messages: messages)) == [second]
    assert counts(tablet.messages()) == [count]


def test_no_other_user_gets_the_push_or_changes_the_device(service, ana, admin):
    other = admin.make_user("other.of.push")
    mine = subscribed(ana, service)
    theirs = subscribed(other, service)
    other.refused(404, "PUT", f"/datasets/settings/subscriptions/{mine.id}")
    other.refused(404, "DELETE", f"/datasets/settings/subscriptions/{mine.id}")
    other.refused(404, "DELETE", f"/push/devices/{mine.id}")
    admin.refused(404, "DELETE", f"/push/devices/{mine.id}")
    other.refused(422, "POST", "/push/test", {"user": "ana.test_no_other_user_gets_the_push_or_changes_the_device"})
    assert [item["id"] for item in other.ok("GET", "/push/devices")["items"]] == [theirs.id]
    assert admin.ok("GET", "/push/devices")["items"] == []
    update(ana, "settings", "1")
    mine.wait(lambda messages: messages)
    update(other, "settings", "1")
    theirs.wait(lambda messages: messages)
    assert len(mine.messages()) == 1 and len(theirs.messages()) == 1


def test_changes_during_a_push_are_pushed_once_with_the_newest_count(server, ana):
    gate = threading.Event()
    slow = Receiver(lambda call: 201 if gate.wait(300) else 500)
    with slow:
        browser = subscribed(ana, slow)
        began = time.monotonic()
        first = update(ana, "settings", "0")
        slow.wait(lambda calls: calls)
        last = [update(ana, "settings", str(number)) for number in range(1, 30)][-1]
        gate.set()
        told = counts(browser.wait(lambda messages: counts(messages)[-1:] == [last]))
        # An attempt without an answer ends after 15 s, and another follows.
        assert told[0] == first and told == sorted(told) and len(told) <= 2 + (time.monotonic() - began) // 15


def test_datasets_reach_a_device_in_the_order_of_their_changes(service, ana):
    browser = Browser(service, next(paths))
    browser.register(ana)
    names = [f"set{number}" for number in range(12)]
    for name in names:
        ana.ok("PUT", f"/datasets/{name}/subscriptions/{browser.id}")
    for name in names:
        update(ana, name, "1")
    messages = browser.wait(lambda messages: len(messages) >= len(names))
    assert [message["data"]["datasetName"] for message in messages] == names


@pytest.mark.parametrize("status", [404, 410])
def test_a_subscription_that_ended_is_removed(ana, status):
    with Receiver(lambda call: status) as service:
        browser = subscribed(ana, service)
        update(ana, "settings", "1")
        service.wait(lambda calls: calls)
        eventually(lambda: ana.ok("GET", "/push/devices")["items"] == [])
        ana.refused(404, "PUT", f"/datasets/settings/subscriptions/{browser.id}")


def test_a_local_push_endpoint_is_refused_where_local_targets_are(make_server):
    with Receiver() as service, make_server() as server:
        ana = server.admin().make_user("ana")
        problem = ana.refused(422, "POST", "/push/devices", Browser(service, "/x").registration)
        assert "https" in str(problem["errors"])
        inside = Browser(service, "/x").registration
        inside["subscription"]["endpoint"] = "https://127.0.0.1/x"
        problem = ana.refused(422, "POST", "/push/devices", inside)
        assert problem["errors"][0]["pointer"] == "/subscription"
        assert service.calls == []


def test_a_redirect_is_not_followed(ana, service):
    with Receiver(lambda call: (307, {"Location": f"http://127.0.0.1:{service.port}/redirected"})) as liar:
        browser = Browser(liar, "/liar")
        browser.register(ana)
        [result] = ana.ok("POST", "/push/test", {})["devices"]
        assert result["outcome"] == "refused" and "redirect" in result["reason"]
        assert not [call for call in service.calls if call.path == "/redirected"]


def test_a_test_push_reports_the_outcome_of_each_device(ana, admin, service):
    with Receiver(lambda call: 410) as gone, Receiver(lambda call: 500) as broken:
        good = Browser(service, next(paths), page="http://127.0.0.1/muster")
        good.register(ana)
        Browser(gone, "/gone").register(ana)
        Browser(broken, "/broken").register(ana)
        unreachable = Browser(broken, "/unreachable")
        results = ana.ok("POST", "/push/test", {})
        assert [(result["outcome"], result["platform"]) for result in results["devices"]] == [
            ("delivered", "webpush"), ("gone", "webpush"), ("failed", "webpush")]
        assert results["devices"][2]["reason"] == "answered 500"
        [message] = good.messages()
        assert message["web_push"] == 8030
        assert message["notification"]["title"] == "Muster reaches this device"
        assert message["notification"]["navigate"] == "http://127.0.0.1/muster"
        assert len(ana.ok("GET", "/push/devices")["items"]) == 2
    broken.close()
    unreachable.register(ana)
    again = admin.ok("POST", "/push/test", {"user": ana.ok("GET", "/session")["user"]["name"]})
    assert [result["outcome"] for result in again["devices"]] == ["delivered", "failed", "failed"]


def test_a_members_test_pushes_are_limited(ana):
    """Each makes the server call addresses that the member chose."""
    began = time.monotonic()
    taken = 0
    while (answer := ana.send("POST", "/push/test", {})).status_code == 200:
        taken += 1
        # 10 at once, and one more in 10 s.
        assert taken <= 11 + (time.monotonic() - began) / 10
    assert taken >= 10 and answer.status_code == 429 and 1 <= int(answer.headers["Retry-After"]) <= 10


def test_services_of_one_member_that_refuse_do_not_fill_the_log(ana, server):
    """A member chooses the services, and how often they are called."""
    with Receiver(lambda call: 400) as refusing:
        began = time.monotonic()
        for number in range(20):
            Browser(refusing, f"/refusing/{number}").register(ana)
        for _ in range(3):
            results = ana.ok("POST", "/push/test", {})["devices"]
            assert [result["outcome"] for result in results] == ["refused"] * 20
        lines = server.log().count(f"service=webpush http://127.0.0.1:{refusing.port} ")
        # 3 at once, and one more in a minute.
        assert 1 <= lines <= 4 + (time.monotonic() - began) / 60


def test_the_same_subscription_is_one_device_and_belongs_to_its_last_user(ana, admin, service):
    browser = Browser(service, next(paths))
    first = browser.register(ana)
    ana.ok("PUT", f"/datasets/settings/subscriptions/{first}")
    assert browser.register(ana) == first
    assert ana.ok("GET", "/push/devices")["items"][0]["datasets"] == ["settings"]
    other = admin.make_user("next.user")
    assert browser.register(other) == first
    assert ana.ok("GET", "/push/devices")["items"] == []
    assert other.ok("GET", "/push/devices")["items"][0]["datasets"] == []
    update(ana, "settings", "1")
    update(other, "settings", "1")
    other.ok("DELETE", f"/push/devices/{first}")
    assert browser.calls() == []


def test_a_twenty_first_device_and_nonsense_are_refused(ana, service):
    for number in range(20):
        Browser(service, f"/many/{number}").register(ana)
    problem = ana.refused(409, "POST", "/push/devices", Browser(service, "/many/20").registration)
    assert "20 push devices" in problem["detail"]
    good = Browser(service, "/nonsense").registration
    for wrong, pointer in [
        ({}, "/platform"),
        ({"platform": "pigeon"}, "/platform"),
        ({"platform": "webpush"}, "/subscription"),
        ({"platform": "webpush", "token": "x"}, "/token"),
        ({"platform": "webpush", "subscription": {}}, "/subscription"),
        ({"platform": "webpush", "subscription": {**good["subscription"], "endpoint": "x"}}, "/subscription"),
        ({"platform": "webpush", "subscription": {
            **good["subscription"], "keys": {**good["subscription"]["keys"], "auth": "AAAA"}}}, "/subscription"),
        ({"platform": "webpush", "subscription": {
            **good["subscription"], "keys": {**good["subscription"]["keys"], "p256dh": "AAAA"}}}, "/subscription"),
        ({**good, "page": "javascript:alert(1)"}, "/page"),
        ({"platform": "fcm", "subscription": good["subscription"]}, "/subscription"),
        ({"platform": "fcm"}, "/token"),
        ({"platform": "apns", "token": "not hexadecimal"}, "/token"),
        # Without credentials from its operator the server cannot send there, and says so at once.
        ({"platform": "apns", "token": "ab" * 32}, "/platform"),
        ({"platform": "fcm", "token": "token"}, "/platform"),
    ]:
        problem = ana.refused(422, "POST", "/push/devices", wrong)
        assert [error["pointer"] for error in problem["errors"]] == [pointer], (wrong, problem)
    ana.refused(404, "PUT", "/datasets/settings/subscriptions/none")
    ana.refused(404, "DELETE", "/push/devices/none")


def test_a_removed_device_and_a_removed_user_hear_nothing_more(ana, admin, service):
    browser, witness = subscribed(ana, service), subscribed(ana, service)
    ana.ok("DELETE", f"/datasets/settings/subscriptions/{browser.id}")
    update(ana, "settings", "1")
    # Once this update is told to someone, a device that subscribes later hears nothing of it.
    witness.wait(lambda messages: messages)
    other = subscribed(ana, service)
    last = update(ana, "settings", "2")
    assert counts(other.wait(lambda messages: messages)) == [last]
    assert browser.calls() == []


def test_a_password_reset_removes_the_push_devices_unless_kept_and_a_users_own_change_keeps_them(
        ana, admin, service, server):
    name = ana.ok("GET", "/session")["user"]["name"]
    path = f"/users/{name}/password"
    phone = subscribed(ana, service)
    keys = ["api-keys"]
    admin.ok("PUT", path, {"password": "the first one", "keep": [*keys, "push-devices"]})
    ana.ok("PUT", path, {"password": "the second one", "currentPassword": "the first one"})
    assert [device["id"] for device in ana.items("/push/devices")] == [phone.id]
    update(ana, "settings", "dark")
    phone.wait(lambda messages: len(messages) == 1)
    admin.ok("PUT", path, {"password": "the third one", "keep": keys})
    assert ana.items("/push/devices") == []
    # The same browser hears of what it subscribes to anew, and of nothing else.
    update(ana, "settings", "light")
    phone.register(ana)
    assert ana.items("/push/devices")[0]["datasets"] == []
    count = update(ana, "other", "1")
    ana.ok("PUT", f"/datasets/other/subscriptions/{phone.id}")
    count = update(ana, "other", "2")
    # The server may read the first update of "other" after the subscription; then it tells of both.
    told = phone.wait(lambda messages: counts(messages)[-1:] == [count] and len(messages) > 1)[1:]
    assert {message["data"]["datasetName"] for message in told} == {"other"}


def test_a_sign_out_everywhere_removes_the_devices(ana, admin, service, server):
    name = ana.ok("GET", "/session")["user"]["name"]
    admin.ok("PUT", f"/users/{name}/password", {"password": "a good password", "keep": ["api-keys"]})
    tokens = sign_in(server, name, "a good password")
    subscribed(ana, service)
    unsigned(server, "cognito-idp").global_sign_out(AccessToken=tokens["AccessToken"])
    assert ana.items("/push/devices") == []


def test_metrics_count_push_attempts(make_server, service):
    # A server of its own: the shared one may still count a push of another test.
    admin = make_server(arguments=["--allow-private-targets"]).start().admin()
    ana = admin.make_user("ana")

    def delivered():
        lines = admin.send("GET", "//metrics").text.splitlines()
        (line,) = [line for line in lines if line.startswith('muster_push_attempts_total{outcome="delivered"}')]
        return float(line.split(" ")[1])

    assert delivered() == 0
    browser = subscribed(ana, service)
    update(ana, "settings", "1")
    browser.wait(lambda messages: messages)
    eventually(lambda: delivered() == 1)
