"""The member's tracker in a browser: what is recorded and sent, and what the person is told when it cannot be."""

import os
import time

import pytest

from accessible import faults_of
from live_page import LivePage
from live_server import until
from me_tracking_page import (
    TrackingPage, committed, make_walker, place, serve_files, stored, times, without_repeats,
)

phone = {"width": 390, "height": 800}
pictures = os.environ.get("MUSTER_SCREENSHOTS")


@pytest.fixture
def walker(request, server):
    """A member of this test alone."""
    name = request.node.name.removeprefix("test_").replace("_", "-")[:60]
    make_walker(server, name)
    return name


@pytest.fixture
def phone_context(browsers, server):
    context = browsers.context(with_webgl=False, viewport=phone, permissions=["geolocation"], service_workers="block")
    serve_files(context, server)
    yield context
    context.close()


@pytest.fixture
def app(phone_context, server):
    page = TrackingPage(phone_context, server)
    yield page
    # A server that is dead, or refuses, is told by the browser's console as well.
    faults = [fault for fault in page.faults() if "Failed to load resource" not in fault]
    assert not faults
    assert not page.foreign_requests()


def walk(app, name, numbers):
    """Goes from place to place, as soon as the one before is on the disk."""
    for number in numbers:
        app.context.set_geolocation(place(number))
        until(lambda: app.recorded(name) == place(number)["latitude"])  # pylint: disable=cell-var-from-loop


def turn_on(app, name, query="all&speed=20"):
    app.open(query).sign_in(name)
    app.find("#tracking-switch").click()
    return app


def latitudes(positions):
    return without_repeats([each["latitude"] for each in positions])


def places(numbers):
    return [place(number)["latitude"] for number in numbers]


def nothing_waits(app):
    until(lambda: app.tracking["waiting"] == 0, seconds=120)


def test_the_browsers_database_keeps_its_promises(app):
    app.open()
    broken = app.script("""async () => {
        const { brokenPromises } = await import("./databasesuite.js");
        return await brokenPromises(trial.database);
    }""")
    assert broken == []


def test_a_walk_is_at_the_server_with_accuracy_and_battery(app, server, walker):
    began = time.time()
    turn_on(app, walker)
    until(lambda: app.text("#tracking-switch") == "Stop reporting")
    walk(app, walker, range(8))
    nothing_waits(app)
    found = stored(server, walker)
    assert latitudes(found) == latitudes(committed(server, walker)) == places(range(8))
    # A browser's accuracy of 8 m holds the true place with 95 %; the server's holds it with 68 %.
    assert abs(found[0]["accuracy"] - 8 / 1.62) < 1e-9 and found[0]["battery"] == 100
    assert all(began - 10 < sampled < time.time() + 10 for sampled in times(found))
    until(lambda: app.text("#tracking-state").startswith("Your position is reported while this page is open"))
    until(lambda: "to within 8 m" in app.text("#tracking-fix"))
    until(lambda: app.text("#tracking-waiting").startswith("Nothing waits for the server, last sent at "))


def test_the_walk_of_a_day_is_sent_in_batches_once(app, server, walker):
    app.open("all&speed=20").sign_in(walker)
    app.script("""async (user) => {
        const { Queue } = await import("/me/tracking/queue.js");
        const queue = new Queue({ database: trial.database, user });
        await queue.open();
        const now = Date.now();
        const fix = (number) => ({
            latitude: 59.9 + number * 1e-5, longitude: 10.7, accuracy95: 8, speed: 1.4, heading: 1, altitude: 20,
            battery: 80, wallMs: now - (5760 - number) * 5000, monotonicMs: number, run: "before", offsetMs: 0,
        });
        for (let start = 0; start < 5760; start += 960) {
            await queue.append(Array.from({ length: 960 }, (_, number) => fix(start + number)));
        }
    }""", walker)
    asked, answered = [], []
    app.tab.on("request", lambda request: asked.append((request.url.rsplit("/", 1)[-1], time.monotonic())))
    app.tab.on("response", lambda response: answered.append(time.monotonic()))
    app.open("all&speed=20")
    until(lambda: app.tracking["waiting"] == 0 and app.tracking.get("sentAt"), seconds=120)
    batches = [at for path, at in asked if path == "positions"]
    print(f"sent in {answered[-1] - batches[0]:.1f} s")
    found = stored(server, walker)
    assert len(found) == 5760 and len(batches) == 6
    assert len(set(times(found))) == 5760 and latitudes(found) == latitudes(committed(server, walker))


def test_a_denied_position_is_told_and_allowed_later(app, server, walker):
    app.context.clear_permissions()
    turn_on(app, walker)
    until(lambda: app.tracking["state"] == "denied")
    until(lambda: "the browser does not let this page know it" in app.text("#tracking-state"))
    app.context.grant_permissions(["geolocation"])
    walk(app, walker, range(2))
    until(lambda: app.tracking["state"] == "on")
    nothing_waits(app)
    assert latitudes(stored(server, walker)) == places(range(2))


def test_coarse_and_frozen_positions_are_told(app, walker):
    turn_on(app, walker)
    walk(app, walker, range(2))
    for number in range(2, 6):
        app.context.set_geolocation({**place(number), "accuracy": 3000})
        until(lambda: app.recorded(walker) == place(number)["latitude"])  # pylint: disable=cell-var-from-loop
    until(lambda: app.tracking["state"] == "coarse")
    until(lambda: "never that you are safe" in app.text("#tracking-state"))
    walk(app, walker, [6])
    until(lambda: app.tracking["state"] == "on")
    app.script("() => trial.skip(31_000)")
    until(lambda: app.tracking["state"] == "frozen" and app.fix["isStale"])
    until(lambda: "nothing newer has come" in app.text("#tracking-fix"))
    walk(app, walker, [7])
    until(lambda: app.tracking["state"] == "on" and not app.fix["isStale"])


@pytest.mark.parametrize("off", [-86_400, 86_400])
def test_a_clock_a_day_off_is_corrected_also_after_a_walk_offline(phone_context, own_server, off):
    began = time.time()
    make_walker(own_server, "ann")
    serve_files(phone_context, own_server)
    app = turn_on(TrackingPage(phone_context, own_server), "ann", f"all&speed=20&off={off}")
    walk(app, "ann", range(3))
    nothing_waits(app)
    own_server.kill()
    app.open(f"all&speed=20&off={off}")
    again = time.time()
    walk(app, "ann", range(3, 8))
    assert again - 10 < app.fix["sampleTime"] / 1000 < time.time() + 10, "by the error that was known"
    own_server.start()
    nothing_waits(app)
    found = stored(own_server, "ann")
    assert latitudes(found) == latitudes(committed(own_server, "ann")) == places(range(8))
    assert all(began - 10 < sampled < time.time() + 10 for sampled in times(found))
    assert times(found) == sorted(times(found))


def test_a_session_that_ended_elsewhere_stops_the_sending_with_words(app, server, walker):
    turn_on(app, walker)
    walk(app, walker, range(3))
    nothing_waits(app)
    server.ask("PUT", f"users/{walker}/password", {"password": "another password"})
    walk(app, walker, range(3, 6))
    until(lambda: "Your session has ended. Positions are still kept here." in app.text("#tracking-problem"))
    until(lambda: app.tracking["waiting"] >= 3)
    app.script("""async (name) => {
        await trial.session.signIn(name, "another password");
        trial.tracking.retry();
    }""", walker)
    nothing_waits(app)
    until(lambda: app.text("#tracking-problem") == "")
    assert latitudes(stored(server, walker)) == places(range(6))


def test_two_tabs_are_one_tracker(app, server, walker):
    turn_on(app, walker)
    other = TrackingPage(app.context, server).open()
    until(lambda: other.tracking["state"] == "elsewhere")
    walk(app, walker, range(4))
    until(lambda: (other.fix or {}).get("latitude") == place(3)["latitude"])
    until(lambda: "Another tab of this browser reports your position" in other.text("#tracking-state"))
    app.close()
    until(lambda: other.tracking["state"] in ("asking", "on"))
    walk(other, walker, range(4, 8))
    nothing_waits(other)
    assert latitudes(stored(server, walker)) == latitudes(committed(server, walker)) == places(range(8))


def test_a_tab_that_is_asleep_loses_the_lock_to_the_one_that_is_looked_at(app, server, walker):
    turn_on(app, walker)
    walk(app, walker, range(3))
    # A dialog that nobody answers stops all scripts of its tab.
    app.tab.on("dialog", lambda question: None)
    with app.tab.expect_event("dialog") as question:
        app.script("() => { setTimeout(() => alert('asleep')); }")
    other = TrackingPage(app.context, server).open()
    until(lambda: other.tracking["state"] in ("asking", "on"))
    walk(other, walker, range(3, 6))
    question.value.accept()
    until(lambda: app.tracking["state"] == "elsewhere")
    walk(other, walker, range(6, 8))
    nothing_waits(other)
    assert latitudes(stored(server, walker)) == latitudes(committed(server, walker)) == places(range(8))


def test_a_full_disk_is_told_and_nothing_is_lost(app, server, walker):
    app.open()
    protocol = app.context.new_cdp_session(app.tab)
    # The quota is set before the first write, because the browser caches for a while how much room there is.
    protocol.send("Storage.overrideQuotaForOrigin", {"origin": server.address, "quotaSize": 1})
    app.sign_in(walker)
    app.find("#tracking-switch").click()
    for number in range(5):
        app.context.set_geolocation(place(number))
        latitude = place(number)["latitude"]
        until(lambda: (app.fix or {}).get("latitude") == latitude)  # pylint: disable=cell-var-from-loop
    until(lambda: "This phone has no room left" in app.text("#tracking-problem"))
    until(lambda: app.tracking["waiting"] >= 3)
    protocol.send("Storage.overrideQuotaForOrigin", {"origin": server.address})
    until(lambda: app.recorded(walker) == place(4)["latitude"])
    nothing_waits(app)
    until(lambda: app.text("#tracking-problem") == "")
    assert latitudes(stored(server, walker)) == places(range(5))


def test_what_a_page_cannot_do_leads_to_the_code_of_owntracks(app, server, walker):
    app.open().sign_in(walker)
    app.find("#tracking-limits summary").click()
    assert "It does nothing once it is closed." in app.text("#tracking-limits")
    app.find("#tracking-owntracks").click()
    until(lambda: app.is_shown("#tracking-code .qr"))
    assert app.find(".tracking-link").get_attribute("href").startswith("owntracks:///config?inline=")
    # The test's server is at 127.0.0.1, without https.
    assert app.texts("#tracking-code .warning")[1].startswith("No other device reaches this server at 127.0.0.1")
    assert app.texts("#tracking-code .warning")[2].startswith("Without https")
    assert [each["name"] for each in server.ask("GET", f"devices?user={walker}")["items"]] == ["phone"]
    for language in ("en", "es", "ja", "zh"):
        app.script("(language) => trial.speak(language)", language)
        assert faults_of(app, is_translation=language != "en") == [], language
        if pictures:
            app.set_view(**phone)
            app.save_picture(f"{pictures}/me-tracking-{language}.png")


def test_the_leaders_page_shows_the_member_where_they_are(app, context, server, walker):
    page = LivePage(context, server).open().sign_in()
    turn_on(app, walker)
    walk(app, walker, range(3))
    nothing_waits(app)
    until(lambda: page.row_has(walker, "heard ") and not page.row_has(walker, "never heard"))
