"""A person who is tapped on the map of a phone: shown in a sheet over the map's lower part, without a scroll."""

import re

import pytest

from accessible import faults_of
from live_server import box, password, until

needs_map = True
# Moves of the map are jumps, so that a place is where the test looks for it.
profile = {"viewport": {"width": 390, "height": 844}, "reduced_motion": "reduce"}
west, south = 10.7460, 59.4980
inside, outside = (west + 0.001, south + 0.0005), (west + 0.006, south + 0.0005)

in_view = """(selector) => {
    const { left, right, top, bottom } = document.querySelector(selector).getBoundingClientRect();
    const at = [[left + 20, top + 8], [right - 20, top + 8], [left + 20, bottom - 8], [right - 20, bottom - 8]];
    return left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight
        && at.every(([x, y]) => document.elementFromPoint(x, y)?.closest(selector));
}"""
# Where somebody is drawn on the screen, once the map has drawn all that it will; undefined where it does not draw them.
on_screen = """async (user) => {
    await new Promise((drawn) => { muster.map.once("idle", drawn); muster.map.triggerRepaint(); });
    const [found] = muster.drawn(user);
    if (!found) { return undefined; }
    const { left, top } = muster.map.getCanvas().getBoundingClientRect();
    const { x, y } = muster.map.project(found.coordinates);
    return { x: left + x, y: top + y };
}"""


@pytest.fixture(scope="module")
def yard(server):
    """A team of forty, one of whom is in the school playing field and one outside, each with a number to call."""
    server.make_team("yard", [box("field", "School playing field", west, south, muster=True)])
    server.make_user("yard-lead", "leader", "yard")
    for number in range(38):
        server.ask("POST", "users", {"name": f"yard-{number}", "role": "member", "team": "yard"})
    phones = {name: server.make_member(f"yard-{name}", "yard") for name in ("zoe", "max")}
    for name, place in (("zoe", inside), ("max", outside)):
        server.ask("PATCH", f"users/yard-{name}", {"phone": "+47 22 33 44 55"})
        phones[name].stay(place)
    return phones


@pytest.fixture
def console(page, yard):
    page.open().sign_in("yard-lead", password)
    until(lambda: page.script("() => muster.map?.loaded()"))
    return page


def tap(page, user):
    """Taps somebody where the map draws them, until they are shown: a map that has not settled draws them elsewhere."""
    def shows_after_a_tap():
        if page.text("#person-name") == user:
            return True
        at = page.drawn(user) and page.script(on_screen, user)
        if at:
            page.tab.mouse.click(at["x"], at["y"])
        return page.text("#person-name") == user
    until(shows_after_a_tap)


def scroll(page):
    return page.script("() => [scrollX, scrollY]")


def test_a_tap_on_a_person_shows_them_in_sight_and_moves_nothing(console):
    page = console
    tap(page, "yard-max")
    until(lambda: page.script(in_view, "#person"))
    assert scroll(page) == [0, 0]
    assert re.match(r"Located.*, since \d", page.text("#person-state"))
    first = page.text("#person-first")
    assert "m east of School playing field" in first and "59.49850, 10.75200" in first
    assert page.find("#person-first a[href='tel:+4722334455']").is_visible()
    assert not page.is_shown("#person-rest")
    # The person is above the sheet, also once the map shows their track.
    until(lambda: page.text("#track-said") or page.script("() => muster.track?.isLoaded"))
    until(lambda: (page.script(on_screen, "yard-max") or {"y": 9999})["y"] < page.script(
        "() => document.querySelector('#person').getBoundingClientRect().top"))
    assert scroll(page) == [0, 0]
    # The sheet stays in sight where the foot of the map is not.
    page.set_view(390, 600)
    until(lambda: page.script("() => document.querySelector('#map').getBoundingClientRect().bottom > innerHeight"))
    until(lambda: page.script(in_view, "#person"))
    assert scroll(page) == [0, 0]


def test_the_sheet_has_the_focus_shows_all_and_is_closed_by_the_keyboard(console):
    page = console
    tap(page, "yard-zoe")
    until(lambda: page.script("() => document.activeElement.id") == "person")
    assert page.find("#person").get_attribute("aria-labelledby") == "person-name"
    assert page.find("#person").get_attribute("aria-describedby") == "person-state person-first"
    assert "in School playing field" in page.text("#person-first")
    page.tab.keyboard.press("Tab")
    assert page.script("() => document.activeElement.id") == "person-more"
    page.tab.keyboard.press("Enter")
    until(lambda: page.find("#person-more").get_attribute("aria-expanded") == "true")
    until(lambda: page.script(in_view, "#person-close") and "Accuracy" in page.text("#person-rest"))
    assert scroll(page) == [0, 0]
    page.tab.keyboard.press("Enter")
    until(lambda: not page.is_shown("#person-rest"))
    page.tab.keyboard.press("Escape")
    until(lambda: not page.is_shown("#person"))
    # The focus is where it was, and not at the row, which is far below.
    assert page.script("() => document.activeElement.closest('#map') !== null")
    assert scroll(page) == [0, 0]
    tap(page, "yard-zoe")
    page.find("#person-close").click()
    until(lambda: not page.is_shown("#person"))
    assert scroll(page) == [0, 0]


def test_the_sheet_is_clean_with_few_facts_and_with_all(console):
    page = console
    tap(page, "yard-max")
    assert faults_of(page) == []
    page.set_view(390, 844)
    page.find("#person-more").click()
    until(lambda: page.is_shown("#person-rest"))
    assert faults_of(page) == []


def test_on_a_desk_the_panel_stands_beside_the_map_with_all_facts(console):
    page = console
    page.set_view(1280, 800)
    tap(page, "yard-max")
    until(lambda: page.is_shown("#person-rest"))
    assert not page.is_shown("#person-more")
    sides = page.script("""() => [document.querySelector("#map").getBoundingClientRect().right,
        document.querySelector("#person").getBoundingClientRect().left]""")
    assert sides[0] <= sides[1] + 1
    assert page.script("() => document.activeElement.id") != "person", "the keyboard stays at the map"
