"""The live page's pushes in Chromium: what arrives while the page sleeps is shown, and what cannot be is said."""

import json

import pytest

from live_server import until


@pytest.fixture
def granted(browser, server):
    browser.execute_cdp_cmd(
        "Browser.grantPermissions", {"origin": server.address, "permissions": ["notifications"]})
    yield
    browser.execute_cdp_cmd("Browser.resetPermissions", {})


def run(page, script):
    """What an asynchronous function in the page returns."""
    return page.browser.execute_async_script(
        "const done = arguments[arguments.length - 1];"
        f"(async () => {{ {script} }})().then(done, (error) => done(String(error)));")


def test_what_arrives_is_shown_by_the_pages_worker_and_the_newest_of_an_incident_is_left(page, server, granted):
    page.open().sign_in()
    page.browser.execute_cdp_cmd("ServiceWorker.enable", {})
    scope = run(page, """
        await navigator.serviceWorker.register("push-worker.js");
        return (await navigator.serviceWorker.ready).scope;
    """)
    assert scope == server.address + "/"

    def deliver(message, number):
        page.browser.execute_cdp_cmd("ServiceWorker.deliverPushMessage", {
            "origin": server.address, "registrationId": str(number), "data": json.dumps(message)})

    def notice(title, state):
        return {
            "web_push": 8030,
            "notification": {"title": title, "body": "north", "tag": "incident-1", "navigate": scope},
            "data": {"source": "muster", "kind": "incident", "state": state}}

    def shown():
        return run(page, """
            const registration = await navigator.serviceWorker.ready;
            return (await registration.getNotifications()).map(({ title, body }) => [title, body]);
        """)

    # The driver tells no registration's number; a browser counts them from 0, and a wrong one reaches nobody.
    for number in range(10):
        deliver(notice("Evacuate", "open"), number)
    until(lambda: shown() == [["Evacuate", "north"]])
    for number in range(10):
        deliver(notice("All clear", "closed"), number)
    until(lambda: shown() == [["All clear", "north"]])
    # What is for an app alone shows nothing.
    for number in range(10):
        deliver({"data": {"source": "cognito-sync"}}, number)
    assert shown() == [["All clear", "north"]]
    run(page, """
        const registration = await navigator.serviceWorker.ready;
        for (const notification of await registration.getNotifications()) { notification.close(); }
        await registration.unregister();
    """)


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
    assert button.text == "Notify me on this device"
    button.click()
    until(lambda: page.find("#notify").text == "Notified on this device")
    assert "also while this page is closed" in page.find("#said").text
    assert page.browser.execute_script("return window.subscribedWith") == server.ask("GET", "push/key")["key"]
    [device] = server.ask("GET", "push/devices")["items"]
    assert device["service"] == "webpush https://push.example"
    page.find("#notify").click()
    until(lambda: page.find("#notify").text == "Notify me on this device")
    assert server.ask("GET", "push/devices")["items"] == []
    # Whoever uses this browser next hears nothing that is another's.
    page.find("#notify").click()
    until(lambda: len(server.ask("GET", "push/devices")["items"]) == 1)
    page.find("#sign-out").click()
    until(lambda: server.ask("GET", "push/devices")["items"] == [])


def test_a_browser_whose_page_is_blocked_is_told_what_to_do(page, server, browser):
    browser.execute_cdp_cmd("Browser.setPermission", {
        "origin": server.address, "permission": {"name": "notifications"}, "setting": "denied"})
    page.open().sign_in()
    page.find("#notify").click()
    until(lambda: "blocked" in page.find("#said").text)
    assert page.find("#notify").text == "Notify me on this device"
    browser.execute_cdp_cmd("Browser.resetPermissions", {})
