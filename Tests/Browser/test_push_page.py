"""The live page's pushes in Chromium: what arrives while the page sleeps is shown, and what cannot be is said."""

import json

import pytest

from live_page import LivePage
from live_server import LiveServer, until
from push_browser import Browser
from push_worker import PushWorker
from webhook_receiver import Receiver

needs_notifications = True


@pytest.fixture
def granted(context, server):
    context.grant_permissions(["notifications"], origin=server.address)


def run(page, script):
    """What an asynchronous function in the page returns."""
    return page.script(f"async () => {{ {script} }}")


def start_worker(page):
    """Registers the page's service worker."""
    run(page, 'await navigator.serviceWorker.register("push-worker.js");')
    return PushWorker(page)


def shown(worker):
    """The notifications on the screen: titles and bodies."""
    return [[each["title"], each["body"]] for each in worker.shown()]


def end_worker(page):
    run(page, """
        const registration = await navigator.serviceWorker.ready;
        for (const notification of await registration.getNotifications()) { notification.close(); }
        await registration.unregister();
    """)


def test_a_push_is_shown_by_the_pages_worker_and_replaces_the_incidents_former_one(page, server, granted):
    page.open().sign_in()
    worker = start_worker(page)
    assert worker.scope == server.address + "/"

    def notice(title, state):
        return {
            "web_push": 8030,
            "notification": {"title": title, "body": "north", "tag": "incident-1", "navigate": worker.scope},
            "data": {"source": "muster", "kind": "incident", "state": state}}

    worker.deliver(json.dumps(notice("Evacuate", "open")))
    assert shown(worker) == [["Evacuate", "north"]]
    worker.deliver(json.dumps(notice("All clear", "closed")))
    assert shown(worker) == [["All clear", "north"]]
    # What is for an app alone shows nothing.
    worker.deliver(json.dumps({"data": {"source": "cognito-sync"}}))
    assert shown(worker) == [["All clear", "north"]]
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
        worker = start_worker(page)
        server.ask("POST", "users", {"name": "ana", "role": "member"})
        server.ask("POST", "users/ana/declarations", {"kind": "sos"})
        [call] = service.wait(lambda calls: calls)
        worker.deliver(json.dumps(subscription.read(call)))
        assert [title for title, _ in shown(worker)] == ["SOS: ana"]
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
    until(lambda: page.text("#notify") == "Notify me on this device")
    button.click()
    until(lambda: page.text("#notify") == "Notified on this device")
    until(lambda: "also while this page is closed" in page.text("#said"))
    assert page.script("() => window.subscribedWith") == server.ask("GET", "push/key")["key"]
    [device] = server.ask("GET", "push/devices")["items"]
    assert device["service"] == "webpush https://push.example"
    button.click()
    until(lambda: page.text("#notify") == "Notify me on this device")
    until(lambda: server.ask("GET", "push/devices")["items"] == [])
    # Whoever uses this browser next hears nothing that is another's.
    button.click()
    until(lambda: page.text("#notify") == "Notified on this device")
    assert len(server.ask("GET", "push/devices")["items"]) == 1
    page.find("#sign-out").click()
    until(lambda: server.ask("GET", "push/devices")["items"] == [])


def test_a_browser_that_blocks_the_page_shows_what_to_do(page, server):
    page.context.new_cdp_session(page.tab).send("Browser.setPermission", {
        "origin": server.address, "permission": {"name": "notifications"}, "setting": "denied"})
    page.open().sign_in()
    page.find("#notify").click()
    until(lambda: "blocked" in page.text("#said"))
    assert page.text("#notify") == "Notify me on this device"
