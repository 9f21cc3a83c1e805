"""The console as a wall screen, in another language, and for somebody who wants less movement."""

import pytest

from accessible import texts_without_room
from live_page import LivePage
from live_server import box, password, until

west, south = 10.7460, 59.7580
inside = (west + 0.001, south + 0.0005)


@pytest.fixture(scope="module")
def ferry(server):
    server.make_team("ferry", [box("sq", "Ferry square", west, south, muster=True)])
    server.make_user("ferry-lead", "leader", "ferry")
    phone = server.make_member("ferry-ann", "ferry")
    phone.stay(inside)
    return phone


def visible_controls(page):
    """What can be seen and pressed or filled in."""
    return page.script("""() => [...document.querySelectorAll("button, select, input, summary")]
        .filter((each) => each.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
        .map((each) => each.id || each.className)""")


def test_a_wall_screen_shows_everything_and_offers_nothing_but_its_rows(page, server, ferry):
    page.open("?wall").sign_in("ferry-lead", password)
    number = server.ask("POST", "teams/ferry/incidents", {"kind": "drill"})["number"]
    until(lambda: "DRILL" in page.text("#alarms"))
    until(lambda: "Safe" in (page.row("ferry-ann") or "") and page.events())
    until(lambda: page.counts()["safe"] == 1 and page.is_live())
    assert set(visible_controls(page)) <= {"count", "person", "chip"}
    # A reload of the screen after a cut of its power is a wall screen again.
    page.reload()
    until(page.is_live)
    assert "sign-out" not in visible_controls(page)
    # The keyboard and the mouse find the way out.
    leave = page.find(".leave-wall")
    leave.focus()
    until(lambda: leave.evaluate("(button) => getComputedStyle(button).opacity") == "1")
    leave.press("Enter")
    until(lambda: page.is_shown("#sign-out"))
    until(lambda: {"search", "sign-out", "my-safe"} <= set(visible_controls(page)))
    page.find("#wall").click()
    until(lambda: not page.is_shown("#sign-out"))
    server.ask("POST", f"incidents/{number}/close", {"reason": "over"})
    until(lambda: not page.is_shown("#alarms"))


def test_another_language_is_shown_at_once_without_losing_anything(page, server, ferry):
    page.open()
    page.find("#name").fill("ferry")
    for language, words in (("Español", "Iniciar sesión"), ("English", "Sign in")):
        page.find("#sign-in").get_by_role("button", name=language).click()
        until(lambda: page.text("#sign-in button[type=submit]") == words)
    assert page.find("#name").input_value() == "ferry"
    page.sign_in("ferry-lead", password)
    until(lambda: "Safe" in (page.row("ferry-ann") or ""))
    page.find("#search").fill("ferry-ann")
    page.find("#sorting").select_option("name")
    page.open_track("ferry-ann")
    until(lambda: page.is_shown("#person"))
    page.script("() => { window.isTheSamePage = true; }")
    languages, seen = ["es", "ja", "zh", "en"], set()
    for language in languages:
        page.speak(language)
        texts = (page.text("#counts [data-state=safe] span:last-child"), page.text("#connection"),
                 page.text("#events-title"), page.find("#search").get_attribute("placeholder"))
        assert all(texts)
        seen.add(texts)
        assert page.find("#search").input_value() == "ferry-ann" and page.find("#sorting").input_value() == "name"
        until(lambda: page.row("ferry-ann") and page.text("#person-name") == "ferry-ann")
        assert until(page.events), "the events are told anew"
        assert texts_without_room(page) == []
        page.tab.set_viewport_size({"width": 1280, "height": 800})
    assert len(seen) == len(languages), "each language has words of its own"
    assert page.text("#connection") == "Live"
    assert page.script("() => window.isTheSamePage")
    # It is kept for this browser, also for the sign-in.
    page.speak("ja")
    page.find("#sign-out").click()
    until(lambda: page.is_shown("#sign-in"))
    page.reload()
    until(lambda: page.is_shown("#sign-in"))
    assert page.script("() => document.documentElement.lang") == "ja"


def test_the_browsers_own_language_comes_first(browsers, server):
    context = browsers.context(with_webgl=False, locale="es-MX")
    try:
        page = LivePage(context, server).open()
        until(lambda: page.text("#sign-in button[type=submit]") == "Iniciar sesión")
        assert page.script("() => document.documentElement.lang") == "es"
    finally:
        context.close()


def test_who_wants_less_movement_sees_none(browsers, server, ferry):
    context = browsers.context(with_webgl=True, reduced_motion="reduce")
    try:
        page = LivePage(context, server).open().sign_in("ferry-lead", password)
        until(lambda: page.script("() => muster.map?.loaded() && muster.drawn('ferry-ann').length > 0"))
        page.script("() => { window.moves = 0; muster.map.on('move', () => { window.moves += 1; }); }")
        page.script("() => muster.lookAt('ferry-ann')")
        assert page.script("() => window.moves") == 1, "the map jumps"
        assert page.script("() => muster.centre()") == pytest.approx(inside, abs=1e-6)
        page.find("#fit").click()
        assert page.script("() => muster.map.isMoving()") is False
        # While the SOS button is held.
        page.script("""() => new MutationObserver(([{ target }]) => {
            if (target.dataset.held !== undefined) { window.animations ??= document.getAnimations().length; }
        }).observe(document.querySelector("#my-sos"), { attributeFilter: ["data-held"] })""")
        page.find("#my-sos").hover()
        page.tab.mouse.down()
        until(lambda: page.script("() => window.animations !== undefined"))
        page.tab.mouse.up()
        assert page.script("() => window.animations") == 0
    finally:
        context.close()


def test_the_first_screen_is_small(page):
    """Before anybody is signed in, without the map: for a phone with a poor network. The form comes first."""
    sizes = []
    network = page.context.new_cdp_session(page.tab)
    network.on("Network.loadingFinished", lambda loaded: sizes.append(loaded["encodedDataLength"]))
    network.send("Network.enable")
    page.open()
    until(lambda: page.is_shown("#sign-in"))
    assert sum(sizes) < 100_000, "bytes as they came, compressed"
    until(lambda: page.script("() => 'muster' in globalThis"))
    assert not page.script("() => performance.getEntriesByType('resource').some(({ name }) => /maplibre/.test(name))")
    assert 50_000 < sum(sizes) < 300_000, "bytes as they came, compressed"
