"""The member's app without a server: it opens signed in, loses nothing that was said, goes from one version to the next
as a whole, and leaves nothing of who signed out."""

import json
import pathlib
import shutil
import signal

import pytest
from playwright.sync_api import Error

from live_server import LiveServer, root, until
from me_page import MePage, declared, make_crew, password, phone_profile, state_of

page_type, profile = MePage, phone_profile
is_server_killed = True


@pytest.fixture
def own_web(tmp_path):
    """A server whose pages a test may change."""
    web = tmp_path / "Web"
    shutil.copytree(root / "Web", web)
    server = LiveServer(tmp_path, ["--web", str(web)])
    server.web = web
    server.start()
    yield server
    server.stop()


def test_the_app_opens_signed_in_without_a_server_and_says_how_old_its_state_is(page, server):
    make_crew(server, "ford", "fay")
    server.ask("POST", "users/fay/declarations", {"kind": "safe"})
    page.open().sign_in("fay", password).keep()
    until(page.is_live)
    until(lambda: "Safe" in page.text(".status-state") and r'\"state\":\"safe\"' in page.script(stored))
    server.kill()
    try:
        page.reload()
        until(lambda: "Safe" in page.text(".status-state"))
        until(page.is_off)
        until(lambda: page.text("#not-live").startswith("No connection to the server since "))
        until(lambda: page.text(".status-as-of").startswith("The server said "))
        until(lambda: "It may be different now" in page.status())
        for tab, part in (("way", ".way"), ("phone", "#tracking-limits"), ("now", "#my-safe")):
            page.show(tab)
            until(lambda: page.is_shown(part))  # pylint: disable=cell-var-from-loop
            # What a part that could not be loaded is shown as.
            assert page.find(".me-main .card.fault").count() == 0, tab
    finally:
        server.start()
    until(page.is_live)
    until(lambda: page.text(".status-as-of") == "The server says:")


def test_what_is_said_without_a_server_outlasts_reloads_and_arrives_once_in_order(page, server):
    make_crew(server, "gate", "gil")
    page.open().sign_in("gil", password).keep()
    until(page.is_live)
    server.kill()
    try:
        until(page.is_off)
        page.find("#my-help").click()
        page.hold_sos()
        page.end_countdown()
        until(lambda: len([place for place, _ in page.said() if place == "phone"]) == 2)
        page.reload()
        until(lambda: len([place for place, _ in page.said() if place == "phone"]) == 2)
        page.find("#my-note").fill("below the stairs")
        page.find("#my-note-form button").click()
        page.reload()
        until(lambda: any("below the stairs" in line for _, line in page.said()))
    finally:
        server.start()
    until(lambda: state_of(server, "gate", "gil") == "sos")
    until(lambda: not any(place == "phone" for place, _ in page.said()))
    assert declared(server, "gil") == ["needsHelp", "sos", "sos"]
    server.ask("POST", "users/gil/declarations", {"kind": "clear"})


def test_without_a_server_what_was_said_waits_on_the_phone_also_after_a_reload(page, server):
    make_crew(server, "iron", "ida")
    page.open().sign_in("ida", password).keep()
    until(page.is_live)
    page.show("seen")
    until(lambda: page.is_shown("#viewers"))
    assert not page.is_shown("#viewers-before")
    server.kill()
    try:
        until(page.is_off)
        until(lambda: page.text("#viewers-before").startswith("This is what the server said before"))
        page.show("now")
        page.find("#my-help").click()
        until(lambda: page.said())

        def waits():
            [[place, line]] = page.said() or [["phone", ""]]
            assert place == "phone" and "being sent" not in line
            return "It is sent as soon as" in line and "call the emergency number" in line
        until(waits)
        assert page.text("#no-place").startswith("This app does not know where you are now.")
        page.reload()
        until(waits)
        until(lambda: waits() and "not sent yet" in page.said()[0][1])
    finally:
        server.start()
    until(lambda: state_of(server, "iron", "ida") == "needsHelp")
    server.ask("POST", "users/ida/declarations", {"kind": "clear"})


def test_a_session_that_the_server_ended_keeps_what_waits_for_the_same_person(page, server):
    make_crew(server, "hall", "hal", "hugo")
    page.open().sign_in("hal", password)
    # The page does not hear the server; meanwhile an admin ends the session.
    page.tab.route("**/api/v1/**", lambda route: route.abort())
    page.find("#my-help").click()
    until(lambda: any(place == "phone" for place, _ in page.said()))
    server.ask("PUT", "users/hal/password", {"password": password + " two"})
    page.tab.unroute("**/api/v1/**")
    until(lambda: "1 message wait on this phone" in page.text("#sign-in-error"))
    assert not page.is_shown("#status")
    page.try_to_sign_in("hugo", password)
    until(lambda: "hal was signed in on this phone" in page.text("#sign-in-error"))
    page.sign_in("hal", password + " two")
    until(lambda: state_of(server, "hall", "hal") == "needsHelp")
    assert declared(server, "hal") == ["needsHelp"]
    server.ask("POST", "users/hal/declarations", {"kind": "clear"})


stored = """async () => {
    const found = [Object.entries(localStorage), Object.entries(sessionStorage)];
    for (const { name } of await indexedDB.databases()) {
        const database = await new Promise((resolve, reject) => {
            const request = indexedDB.open(name);
            request.onsuccess = () => resolve(request.result);
            request.onerror = () => reject(request.error);
        });
        for (const store of database.objectStoreNames) {
            const objects = database.transaction(store).objectStore(store);
            const all = (request) => new Promise((resolve) => { request.onsuccess = () => resolve(request.result); });
            found.push(await all(objects.getAllKeys()));
            found.push(JSON.stringify(await all(database.transaction(store).objectStore(store).getAll())));
        }
        database.close();
    }
    for (const name of await caches.keys()) {
        found.push(name);
        if (name.startsWith("muster-me-shell-")) { continue; }
        for (const request of await (await caches.open(name)).keys()) { found.push(request.url); }
    }
    const folder = await navigator.storage.getDirectory();
    for await (const name of folder.keys()) { found.push(`file ${name}`); }
    return JSON.stringify(found);
}"""


def test_signing_out_leaves_nothing_of_the_person(page, server):
    make_crew(server, "isle", "ilsebill")
    page.open().sign_in("ilsebill", password).keep()
    until(page.is_live)
    page.find("#my-safe").click()
    until(lambda: [place for place, _ in page.said()][:1] == ["server"])
    page.script("""async () => {
        const folder = await navigator.storage.getDirectory();
        await folder.getFileHandle("area-of-ilsebill", { create: true });
        await (await caches.open("muster-of-a-person")).put("/ilsebill", new Response("x"));
    }""")
    until(lambda: "ilsebill" in page.script(stored))
    page.sign_out()
    left = page.script(stored)
    assert "ilsebill" not in left and "muster-of-a-person" not in left and "refresh" not in left
    assert json.loads(left)[0] == []
    page.reload()
    until(lambda: page.is_shown("#sign-in-form"))
    assert server.ask("GET", "users/ilsebill")["name"] == "ilsebill"


def test_signing_out_in_one_tab_empties_the_other(page, context, server):
    make_crew(server, "june", "jun")
    page.open().sign_in("jun", password)
    other = MePage(context, server)
    other.open()
    until(other.is_live)
    page.sign_out()
    until(lambda: other.is_shown("#sign-in-form"))
    assert "jun" not in page.script(stored).replace("june", "")
    other.close()


def change(web, old, new):
    """Makes another version of the app: its style sheet says so."""
    path = pathlib.Path(web) / "me/me.css"
    path.write_text(path.read_text().replace(old, new) if old else path.read_text() + new)


def colour(page):
    """The version that the page's style sheet names; empty while the page is loading."""
    try:
        return page.script("() => getComputedStyle(document.documentElement).getPropertyValue('--version')")
    except Error:
        return ""


def test_a_new_version_is_used_as_a_whole_when_the_person_wishes(context, own_web):
    make_crew(own_web, "kiln", "kim")
    page = MePage(context, own_web)
    change(own_web.web, "", ":root { --version: one; }\n")
    own_web.stop()
    own_web.start()
    page.open().sign_in("kim", password).keep()
    until(page.is_live)
    assert colour(page) == "one"
    change(own_web.web, "--version: one", "--version: two")
    own_web.stop()
    own_web.start()
    page.reload()
    until(lambda: page.version() == "ready")
    assert colour(page) == "one"
    until(lambda: page.text("#new-version").startswith("A new version is ready."))
    page.reload()
    until(lambda: page.version() == "ready")
    assert colour(page) == "one", "nothing of the new version is used before the person wishes"
    other = MePage(context, own_web).open()
    until(other.is_live)
    page.find("#new-version button").click()
    until(lambda: colour(page) == "two")
    until(lambda: colour(other) == "two")
    until(page.is_live)
    until(lambda: page.version() == "kept")
    until(lambda: [name.startswith("muster-me-shell-") for name in page.script("() => caches.keys()")].count(True) == 1)
    page.close()
    other.close()


def test_a_new_version_is_used_also_in_a_page_that_came_from_the_network(context, own_web):
    make_crew(own_web, "loft", "lux")
    page = MePage(context, own_web)
    change(own_web.web, "", ":root { --version: one; }\n")
    own_web.stop()
    own_web.start()
    page.open().sign_in("lux", password)
    until(page.is_kept)
    change(own_web.web, "--version: one", "--version: two")
    own_web.stop()
    own_web.start()
    until(page.is_live)
    # The page asks once an hour; another tab asks when it is opened.
    other = MePage(context, own_web).open()
    until(lambda: page.version() == "ready")
    page.find("#new-version button").click()
    until(lambda: colour(page) == "two")
    until(lambda: colour(other) == "two")
    page.close()
    other.close()


def test_a_page_whose_server_is_replaced_before_a_version_is_kept_is_loaded_anew(context, own_web):
    make_crew(own_web, "loom", "lou")
    page = MePage(context, own_web)
    change(own_web.web, "", ":root { --version: one; }\n")
    own_web.stop()
    own_web.start()
    page.open()
    until(lambda: colour(page) == "one" and page.is_shown("#sign-in-form"))
    change(own_web.web, "--version: one", "--version: two")
    own_web.stop()
    own_web.start()
    page.sign_in("lou", password)
    until(lambda: colour(page) == "two")
    until(page.is_live)
    until(page.is_kept)
    page.close()


def test_a_page_whose_first_files_are_of_two_versions_is_loaded_anew(context, own_web):
    page = MePage(context, own_web)
    answered = []

    def answer(route):
        answered.append(route)
        if len(answered) == 1:
            route.fulfill(content_type="text/javascript", body="export const anotherVersion = 1;")
        else:
            route.continue_()
    context.route("**/me/cache.js", answer)
    page.open()
    until(lambda: page.is_shown("#sign-in-form"))
    assert len(answered) == 2
    page.close()


def test_a_new_version_waits_for_no_request_that_the_server_does_not_answer(context, own_web):
    make_crew(own_web, "lathe", "lis")
    page = MePage(context, own_web)
    page.open().sign_in("lis", password).keep()
    change(own_web.web, "", ":root { --version: two; }\n")
    own_web.stop()
    own_web.start()
    page.reload()
    until(lambda: page.version() == "ready")
    own_web.process.send_signal(signal.SIGSTOP)
    try:
        # The version in use asks the server for whatever it does not keep.
        page.script("() => { fetch('../no-file-of-the-app').catch(() => {}); }")
        page.find("#new-version button").click()
        until(lambda: colour(page) == "two")
    finally:
        own_web.process.send_signal(signal.SIGCONT)
    until(page.is_live)
    page.close()


def test_an_update_that_fails_keeps_the_version_that_is_there(context, own_web):
    make_crew(own_web, "lane", "lea")
    page = MePage(context, own_web)
    page.open().sign_in("lea", password).keep()
    until(page.is_live)
    change(own_web.web, "", ":root { --version: broken; }\n")
    (own_web.web / "me/status/panel.js").rename(own_web.web / "me/status/panel.gone")
    own_web.stop()
    own_web.start()
    page.reload()
    until(page.is_live)
    until(lambda: "Unknown" in page.status())
    assert colour(page) == ""
    own_web.kill()
    page.reload()
    until(lambda: "Unknown" in page.status() and page.version() == "kept")
    own_web.start()
    page.close()


def test_a_browser_that_keeps_nothing_sends_all_the_same_and_says_so(page, server):
    make_crew(server, "mill", "max")
    page.context.add_init_script("""
        const denied = { get() { throw new DOMException("denied", "SecurityError"); } };
        Object.defineProperty(window, "localStorage", denied);
        Object.defineProperty(window, "sessionStorage", denied);
        IDBFactory.prototype.open = () => { throw new DOMException("denied", "SecurityError"); };
    """)
    page.open().sign_in("max", password)
    server.kill()
    try:
        until(page.is_off)
        page.find("#my-help").click()
        until(lambda: any("leave this page open until it is sent" in line for _, line in page.said()))
    finally:
        server.start()
    until(lambda: state_of(server, "mill", "max") == "needsHelp")
    page.sign_out()
    server.ask("POST", "users/max/declarations", {"kind": "clear"})
