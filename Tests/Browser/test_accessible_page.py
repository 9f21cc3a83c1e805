"""Every view of the console is clean by axe-core (WCAG 2.2 AA), in light and dark, on a desk and on a phone; and its
targets are large enough."""

import pytest

from accessible import faults_of, texts_without_room
from live_page import LivePage
from live_server import box, circle, password, until

west, south = 10.7460, 59.7680
inside, outside = (west + 0.001, south + 0.0005), (west + 0.01, south)


@pytest.fixture(scope="module")
def mill(server):
    """A team in which everything happens that the console can show."""
    server.make_team("mill", [box("sq", "Mill square", west, south, muster=True),
                              circle("tank", "Tank", west + 0.01, south, 60)])
    server.make_user("mill-lead", "leader", "mill")
    server.ask("POST", "teams/mill/crews", {"name": "Night shift"})
    phones = {name: server.make_member(f"mill-{name}", "mill") for name in ("ann", "ben", "cem", "dee", "eli")}
    for name in ("ann", "ben"):
        server.ask("PATCH", f"users/mill-{name}", {"crew": "Night shift", "phone": "+47 22 33 44 55"})
    phones["ann"].stay(inside)
    phones["ben"].stay(outside)
    phones["cem"].report(outside, battery=7)
    return phones


@pytest.fixture(scope="module")
def mill_incident(server, mill):
    """The same team in an incident with calls for help, a visitor and marks."""
    number = server.ask("POST", "teams/mill/incidents", {"kind": "real"})["number"]
    server.ask("POST", f"incidents/{number}/roll", {"name": "Zoë Åström", "note": "red coat", "state": "safe"})
    server.ask("POST", "users/mill-cem/declarations", {"kind": "sos", "note": "below the stairs"})
    # Heard, it does not take the screen.
    server.ask("POST", "users/mill-cem/declarations", {"kind": "acknowledge"})
    server.ask("POST", "users/mill-dee/declarations", {"kind": "needsHelp"})
    server.ask("POST", "users/mill-eli/declarations", {"kind": "offSite"})
    yield number
    for name in ("cem", "dee"):
        server.ask("POST", f"users/mill-{name}/declarations", {"kind": "clear"})
    server.ask("POST", f"incidents/{number}/close", {"reason": "over"})


def test_the_sign_in_is_clean(page):
    page.open().try_to_sign_in("nobody", "wrong")
    until(lambda: page.text("#sign-in-error"))
    assert faults_of(page) == []
    page.faults()


def test_an_empty_team_is_clean(page, server):
    server.make_team("void", [])
    server.make_user("void-lead", "leader", "void")
    page.open().sign_in("void-lead", password)
    until(lambda: page.row("void-lead"))
    assert faults_of(page) == []


def test_a_calm_team_with_its_map_is_clean(browsers, server, mill):
    context = browsers.context(with_webgl=True)
    try:
        page = LivePage(context, server).open().sign_in("mill-lead", password)
        until(lambda: page.row("mill-ann") and page.is_shown("#fit"))
        assert faults_of(page) == []
        page.find("#search").fill("nobody of that name")
        until(lambda: page.is_shown("#list-empty"))
        page.find("#my-timer-start summary").click()
        assert faults_of(page, is_desktop_only=True) == []
    finally:
        context.close()


def test_an_incident_is_clean(page, mill_incident):
    page.open().sign_in("mill-lead", password)
    until(lambda: len(page.texts("#alarms .alarm")) == 3)
    page.find("#counts [data-state='unknown']").click()
    assert faults_of(page) == []


def test_a_selected_person_and_what_may_be_said_of_them_are_clean(page, mill_incident):
    page.open().sign_in("mill-lead", password)
    until(lambda: page.row("mill-ben"))
    page.open_track("mill-ben")
    until(lambda: page.text("#track-words").startswith("5 points"))
    page.row_of("mill-ben").get_by_role("button", name="Mark mill-ben").click()
    assert faults_of(page) == []


def test_the_texts_of_an_incident_fit_in_every_language(page, mill_incident):
    page.open().sign_in("mill-lead", password)
    until(lambda: len(page.texts("#alarms .alarm")) == 3)
    page.open_track("mill-ben")
    for language in ("es", "ja", "zh", "en"):
        page.set_view(1280, 800)
        page.speak(language)
        until(lambda: page.is_shown("#person") and len(page.texts("#alarms .alarm")) == 3)
        assert texts_without_room(page) == [], language
    # What is asked of the page here is seen where it is not so.
    page.script("() => { document.getElementById('sign-out').style.width = '20px'; }")
    assert any("BUTTON" in fault for fault in texts_without_room(page))


def test_the_dialog_of_a_visitor_is_clean(page, mill_incident):
    page.open().sign_in("mill-lead", password)
    until(lambda: page.texts("#alarms .alarm"))
    page.find("#alarms").get_by_role("button", name="Add visitor…").click()
    until(lambda: page.is_shown("#ask-name"))
    assert page.script("() => document.activeElement.id") == "ask-name"
    assert faults_of(page) == []


def test_the_screen_of_an_incident_is_clean_and_its_texts_fit(page, mill_incident):
    page.open(f"#/incident/{mill_incident}").sign_in("mill-lead", password)
    until(lambda: page.is_shown("#muster-time") and page.find("#roll .roll-row").count() > 3)
    assert faults_of(page) == []
    for language in ("es", "ja", "zh"):
        page.set_view(1280, 800)
        page.speak(language)
        until(lambda: page.find("#roll .roll-row").count() > 3)
        assert texts_without_room(page) == [], language


def test_the_sheet_to_sign_and_the_list_of_incidents_are_clean(page, mill_incident):
    page.open(f"#/incident/{mill_incident}/print").sign_in("mill-lead", password)
    until(lambda: page.is_shown(".sheet"))
    assert faults_of(page) == []
    # Nobody writes on a phone's screen: the columns for that are on paper, and where there is room.
    remarks, boxes = page.find(".sheet-missing th:last-child"), page.find(".sheet-crew th:first-child").first
    said = page.find(".sheet-crew th:last-child").first
    for width, media, is_shown in ((1280, "screen", True), (390, "screen", False), (390, "print", True)):
        page.set_view(width, 844)
        page.tab.emulate_media(media=media)
        assert remarks.is_visible() == boxes.is_visible() == is_shown, (width, media)
        assert said.is_visible(), "why somebody was taken off the roll, and what was said of them"
    page.tab.emulate_media(media="screen")
    page.go("incident", "all")
    until(lambda: page.is_shown(".incidents .cards li"))
    assert faults_of(page) == []


def test_an_sos_that_takes_the_screen_is_clean(page, server, mill_incident):
    page.open().sign_in("mill-lead", password)
    until(page.is_live)
    server.ask("POST", "users/mill-ben/declarations", {"kind": "sos", "note": "smoke below the stairs"})
    try:
        until(lambda: "smoke below the stairs" in page.text("#distress"))
        assert page.script("() => document.activeElement.id") == "distress-title"
        assert faults_of(page) == []
    finally:
        server.ask("POST", "users/mill-ben/declarations", {"kind": "clear"})
    until(lambda: not page.is_shown("#distress"))


def test_the_questions_before_an_order_are_clean(page, mill_incident):
    page.open().sign_in("mill-lead", password)
    until(lambda: page.texts("#alarms .alarm"))
    page.find("#alarms").get_by_role("button", name="All clear…").click()
    until(lambda: page.is_shown("#ask-reason"))
    assert page.script("() => document.activeElement.id") == "ask-reason"
    assert faults_of(page) == []


def test_a_wall_screen_is_clean(page, mill_incident):
    page.open("?wall").sign_in("mill-lead", password)
    until(lambda: page.texts("#alarms .alarm"))
    assert faults_of(page, is_desktop_only=True) == []


def test_a_page_that_is_not_live_is_clean(page, server, mill_incident):
    # A server may die before the map's library has come whole.
    page.tab.route("**/maplibre-gl.css", lambda route: route.abort())
    page.open().sign_in("mill-lead", password)
    until(lambda: page.texts("#alarms .alarm"))
    server.kill()
    try:
        until(lambda: page.is_shown("#not-live"))
        assert faults_of(page) == []
    finally:
        server.start()
    until(page.is_live, seconds=60)
    page.faults()
