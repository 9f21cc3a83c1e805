"""Every screen of the member's app is clean by axe-core (WCAG 2.2 AA), in light and dark, and has room for its texts in
every language, on a small phone, too."""

import pytest

from accessible import faults_of, long_texts, small_targets, target_size
from live_server import until
from me_page import MePage, make_crew, password, phone_profile, state_of

page_type, profile = MePage, phone_profile
is_server_killed = True
tabs = ["#/", "#/way", "#/phone"]


@pytest.fixture(scope="module")
def crew(server):
    make_crew(server, "quay", "quinn", "rosa")


def show(page, tab):
    """Goes to a tab, and waits until its parts are there."""
    page.open(tab)
    until(lambda: page.script("""(href) => document.querySelector(".card")?.checkVisibility() === true
        && document.querySelector(".me-tabs [aria-current]")?.getAttribute("href") === href""", tab))


def test_the_sign_in_is_clean(page, crew):
    page.open().try_to_sign_in("nobody", "wrong")
    until(lambda: page.text("#sign-in-error"))
    assert faults_of(page) == []


def test_each_tab_is_clean(page, crew):
    page.open().sign_in("quinn", password)
    for tab in tabs:
        show(page, tab)
        until(page.is_live)
        assert faults_of(page) == [], tab


def test_a_call_for_help_is_clean(page, server, crew):
    page.open().sign_in("quinn", password)
    page.find("#my-help").click()
    until(lambda: page.is_shown("#my-note"))
    assert faults_of(page) == []
    page.hold_sos()
    assert faults_of(page) == []
    until(lambda: not page.is_shown("#my-countdown") and state_of(server, "quay", "quinn") == "sos")
    server.ask("POST", "users/quinn/declarations", {"kind": "clear"})


@pytest.mark.parametrize("kind", ["real", "drill"])
def test_an_incident_is_clean(page, server, crew, kind):
    page.open().sign_in("quinn", password)
    number = server.ask("POST", "teams/quay/incidents", {"kind": kind, "note": "smoke"})["number"]
    try:
        until(lambda: page.is_shown("#call"))
        assert faults_of(page) == []
        page.find("#call-seen").click()
        until(lambda: page.is_shown("#called"))
        assert faults_of(page) == []
    finally:
        server.ask("POST", f"incidents/{number}/close", {"reason": "over"})


@pytest.mark.parametrize("language", ["en", "es", "ja", "zh"])
def test_the_buttons_to_call_for_help_are_in_sight_below_a_call_on_a_small_phone(page, server, language):
    # A name about as long as the server takes one, and a note that a leader may well write.
    team = f"quay-{language}-".ljust(59, "n")
    make_crew(server, team, f"quentin-{language}")
    page.tab.set_viewport_size({"width": 320, "height": 568})
    page.open().sign_in(f"quentin-{language}", password)
    page.open("#/phone")
    page.find("#language").select_option(language)
    until(lambda: page.script("() => document.documentElement.lang") == language)
    page.open("#/")
    number = server.ask("POST", f"teams/{team}/incidents", {"kind": "real", "note": "Smoke in hall 3. " * 12})["number"]
    try:
        until(lambda: page.is_shown("#call"))
        page.find("#call-seen").click()
        until(lambda: page.is_shown("#called"))
        hidden = page.script("""() => [...document.querySelectorAll(".say button")].filter((button) => {
            const { left, top, right, bottom } = button.getBoundingClientRect();
            return [[left + 8, top + 8], [right - 8, bottom - 8]].some(([x, y]) =>
                document.elementFromPoint(x, y)?.closest("button") !== button);
        }).map((button) => button.textContent)""")
        assert hidden == [] and page.find(".say button").count() == 3
        # What does not fit is scrolled to, by a finger or by the keyboard.
        assert "Smoke in hall 3." in page.text("#called")
        assert faults_of(page) == []
    finally:
        server.ask("POST", f"incidents/{number}/close", {"reason": "over"})


def test_each_language_has_room_on_a_small_phone(page, server, crew):
    page.tab.set_viewport_size({"width": 320, "height": 568})
    page.open().sign_in("rosa", password)
    faults = []
    for language in ("en", "es", "ja", "zh"):
        page.open("#/phone")
        page.find("#language").select_option(language)
        until(lambda: page.script("() => document.documentElement.lang") == language)
        for tab in tabs:
            show(page, tab)
            faults += [f"{language} {tab}: {fault}" for fault in page.script(long_texts)]
            faults += [f"{language} {tab}: too small: {target}" for target in page.script(small_targets, target_size)]
            if page.script("() => document.documentElement.scrollWidth > innerWidth"):
                faults.append(f"{language} {tab}: the page is wider than the screen")
    assert faults == []


def test_the_app_without_a_server_is_clean(page, server, crew):
    page.open().sign_in("rosa", password).keep()
    until(page.is_live)
    server.kill()
    try:
        until(page.is_off)
        page.find("#my-safe").click()
        until(lambda: any(place == "phone" for place, _ in page.said()))
        assert faults_of(page) == []
    finally:
        server.start()
