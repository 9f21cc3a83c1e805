"""The live page's pushes in Chromium: what arrives while the page sleeps is shown, and what cannot be is said."""

import json

import pytest

from live_page import LivePage
from live_server import LiveServer, until
from push_browser import Browser
from webhook_receiver import Receiver


@pytest.fixture
def granted(context, server):
    context.grant_permissions(["notifications"], origin=server.address)


def run(page, script):
    """What an asynchronous function in the page returns."""
    return page.script(f"async () => {{ {script} }}")


def start_worker(page):
    """Registers the page's service worker. Returns its scope."""
    page.protocol = page.context.new_cdp_session(page.tab)
    page.protocol.send("ServiceWorker.enable")
    return run(page, """
        await navigator.serviceWorker.register("push-worker.js");
        return (await navigator.serviceWorker.ready).scope;
    """)


def deliver(page, text):
    """Gives the service worker what its browser would have decrypted."""
    # The driver tells no registration's number; a browser counts them from 0, and a wrong one reaches nobody.
    for number in range(10):
        page.protocol.send("ServiceWorker.deliverPushMessage", {
            "origin": page.server.address, "registrationId": str(number), "data": text})


def shown(page):
    """The notifications on the screen: titles and bodies."""
    return run(page, """
        const registration = await navigator.serviceWorker.ready;
        return (await registration.getNotifications()).map(({ title, body }) => [title, body]);
    """)


def end_worker(page):
    run(page, """
        const registration = await navigator.serviceWorker.ready;
        for (const notification of await registration.getNotifications()) { notification.close(); }
        await registration.unregister();
    """)


def test_a_push_is_shown_by_the_pages_worker_and_replaces_the_incidents_former_one(page, server, granted):
    page.open().sign_in()
    scope = start_worker(page)
    assert scope == server.address + "/"

    def notice(title, state):
        return {
            "web_push": 8030,
            "notification": {"title": title, "body": "north", "tag": "incident-1", "navigate": scope},
            "data": {"source": "muster", "kind": "incident", "state": state}}

    deliver(page, json.dumps(notice("Evacuate", "open")))
    until(lambda: shown(page) == [["Evacuate", "north"]])
    deliver(page, json.dumps(notice("All clear", "closed")))
    until(lambda: shown(page) == [["All clear", "north"]])
    # What is for an app alone shows nothing.
    deliver(page, json.dumps({"data": {"source": "cognito-sync"}}))
    assert shown(page) == [["All clear", "north"]]
    end_worker(page)


def test_a_call_for_help_is_pushed_encrypted_and_shown(context, tmp_path):
    """A library decrypts in place of the browser, whose push service is elsewhere."""
    server = LiveServer(tmp_path, ["--allow-private-targets"])
    server.start()
    context.grant_permissions(["notifications"], origin=server.address)
    page = LivePage(context, server)
    with Receiver(lambda call: 201) as service:
        subscription = Browser(service, "/leader")
        server.ask("POST", "push/devices", subscription.registration)
        page.open().sign_in()
        start_worker(page)
        server.ask("POST", "users", {"name": "ana", "role": "member"})
        server.ask("POST", "users/ana/declarations", {"kind": "sos"})
        [call] = service.wait(lambda calls: calls)
        deliver(page, json.dumps(subscription.read(call)))
        until(lambda: [title for title, _ in shown(page)] == ["SOS: ana"])
        end_worker(page)
    page.close()
    server.stop()


def test_the_button_subscribes_registers_and_ends_it(page, server, granted):
    """The browser's own push service needs the internet, so that the page is given one that answers as it would."""
    page.open().sign_in()
    key = run(page, """
        const pair = await crypto.subtle.generateKey({ name: "ECDH", namedCurve: "P-256" }, true, ["deriveBits"]);
        const point = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey));
        const text = (bytes) => btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_")
            .replaceAll("=", "");
        let current = null;
        PushManager.prototype.getSubscription = async () => current;
        PushManager.prototype.subscribe = async (options) => {
            const keys = { p256dh: text(point), auth: text(new Uint8Array(16)) };
            current = {
                options: { applicationServerKey: options.applicationServerKey.buffer },
                toJSON: () => ({ endpoint: "https://push.example/one", keys }),
                unsubscribe: async () => { current = null; return true; },
            };
            window.subscribedWith = text(options.applicationServerKey);
            return current;
        };
        return text(point);
    """)
    assert len(key) == 87
    button = page.find("#notify")
    assert button.inner_text() == "Notify me on this device"
    button.click()
    until(lambda: page.text("#notify") == "Notified on this device")
    assert "also while this page is closed" in page.text("#said")
    assert page.script("() => window.subscribedWith") == server.ask("GET", "push/key")["key"]
    [device] = server.ask("GET", "push/devices")["items"]
    assert device["service"] == "webpush https://push.example"
    page.find("#notify").click()
    until(lambda: page.text("#notify") == "Notify me on this device" and page.find("#notify").is_enabled())
    assert server.ask("GET", "push/devices")["items"] == []
    # Whoever uses this browser next hears nothing that is another's.
    page.find("#notify").click()
    until(lambda: len(server.ask("GET", "push/devices")["items"]) == 1)
    page.find("#sign-out").click()
    until(lambda: server.ask("GET", "push/devices")["items"] == [])


def test_a_browser_that_blocks_the_page_shows_what_to_do(page, server):
    page.context.new_cdp_session(page.tab).send("Browser.setPermission", {
        "origin": server.address, "permission": {"name": "notifications"}, "setting": "denied"})
    page.open().sign_in()
    page.find("#notify").click()
    until(lambda: "blocked" in page.text("#said"))
    assert page.text("#notify") == "Notify me on this device"
