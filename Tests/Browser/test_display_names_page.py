"""People by their display names, in a real browser: roster, person, roll, SOS, administration, and the member's app."""

import os
import pathlib

import pytest

from accessible import faults_of
from administration_page import screen  # noqa: F401
from live_server import box, password, until
from me_page import MePage

west, south = 10.9460, 59.4980
inside = (west + 0.001, south + 0.0005)
long_name = "Wolfeschlegelsteinhausenbergerdorff " * 2 + "Maximilian Theodor Alexander"
people = {"aruiz": "Ana Ruiz", "ana2": "Ana Ruiz", "dana": "דנה כהן", "long": long_name, "plain": None}


@pytest.fixture(scope="module")
def pier(server):
    """A team with names of all kinds: two alike, one from right to left, one as long as may be, and none."""
    server.make_team("pier", [box("field", "School field", west, south, muster=True)])
    server.make_user("pier-lead", "leader", "pier")
    server.ask("PATCH", "users/pier-lead", {"displayName": "Lena Prado"})
    phones = {}
    for name, display_name in people.items():
        phones[name] = server.make_member(f"pier-{name}", "pier")
        server.ask("PATCH", f"users/pier-{name}", {"displayName": display_name})
    phones["aruiz"].stay(inside)
    server.ask("PUT", "users/pier-aruiz/password", {"password": password, "keep": ["device-tokens"]})
    return phones


def picture(page, name, width, height):
    """Pictures of a page, light and dark, where somebody looks at them."""
    folder = os.environ.get("MUSTER_SCREENSHOTS")
    for theme in ("light", "dark") if folder else ():
        page.tab.emulate_media(color_scheme=theme)
        page.tab.set_viewport_size({"width": width, "height": height})
        page.tab.wait_for_timeout(300)
        path = pathlib.Path(folder) / f"names-{name}-{width}-{theme}.png"
        page.tab.screenshot(path=str(path), full_page=width < 1000)


def names(page, selector="#list .row .name"):
    return [name.strip() for name in page.texts(selector)]


def has_no_overflow(page):
    return page.script("() => document.documentElement.scrollWidth <= innerWidth")


def test_roster_person_and_search_name_people_as_they_are_called(page, server, pier):
    page.open().sign_in("pier-lead", password)
    until(lambda: set(names(page)) == {
        "Ana Ruiz (pier-aruiz)", "Ana Ruiz (pier-ana2)", "\u2068דנה כהן\u2069", long_name, "pier-plain", "Lena Prado"})
    assert page.text("#who") == "Lena Prado"
    for width, height in ((1280, 800), (390, 844), (320, 568)):
        page.tab.set_viewport_size({"width": width, "height": height})
        # The rows in sight are drawn anew after the view has its size.
        until(lambda: has_no_overflow(page))
        picture(page, "roster", width, height)
    page.tab.set_viewport_size({"width": 1280, "height": 800})
    assert page.find('[data-user="pier-long"] .name').get_attribute("title") == f"{long_name} (pier-long)"
    page.find("#search").fill("pier-dana")
    until(lambda: names(page) == ["\u2068דנה כהן\u2069"])
    page.find("#search").fill("דנה")
    until(lambda: names(page) == ["\u2068דנה כהן\u2069"])
    page.find("#search").fill("")
    page.find('[data-user="pier-dana"] .person').click()
    until(lambda: page.text("#person-name") == "\u2068דנה כהן\u2069")
    facts = page.text("#person")
    assert "Signs in as" in facts and "pier-dana" in facts
    picture(page, "person", 1280, 800)
    # An admin's change is there at once, without a reload.
    server.ask("PATCH", "users/pier-plain", {"displayName": "Plain Jane"})
    until(lambda: "Plain Jane" in names(page))
    server.ask("PATCH", "users/pier-ana2", {"displayName": "Ana Ruiz Soto"})
    until(lambda: {"Ana Ruiz", "Ana Ruiz Soto"} <= set(names(page)))
    server.ask("PATCH", "users/pier-plain", {"displayName": None})
    server.ask("PATCH", "users/pier-ana2", {"displayName": "Ana Ruiz"})
    until(lambda: {"pier-plain", "Ana Ruiz (pier-ana2)"} <= set(names(page)))


def test_the_roll_the_call_and_the_sheet_name_people_and_leaders(page, server, pier):
    number = server.ask("POST", "teams/pier/incidents", {"kind": "drill"})["number"]
    try:
        page.open().sign_in("pier-lead", password)
        server.ask("POST", f"incidents/{number}/handover", {"to": "pier-lead"})
        server.ask("POST", "users/pier-dana/declarations", {"kind": "safe"})
        page.go("incident", number)
        until(lambda: {"Ana Ruiz (pier-aruiz)", "\u2068דנה כהן\u2069", long_name} <= set(names(page, "#roll .name")))
        until(lambda: "Lena Prado" in page.text(".incident-course"))
        for width, height in ((1280, 800), (390, 844), (320, 568)):
            page.tab.set_viewport_size({"width": width, "height": height})
            until(lambda: has_no_overflow(page))
            picture(page, "roll", width, height)
        page.tab.set_viewport_size({"width": 1280, "height": 800})
        assert faults_of(page) == []
        page.find("#roll-search").fill("pier-long")
        until(lambda: names(page, "#roll .name") == [long_name])
        server.ask("POST", "users/pier-dana/declarations", {"kind": "sos", "note": "under the pier"})
        until(lambda: "דנה כהן" in page.text("#distress .caller"))
        picture(page, "sos", 390, 844)
        picture(page, "sos", 1280, 800)
        page.tab.set_viewport_size({"width": 1280, "height": 800})
        page.find("#distress").get_by_role("button", name="Acknowledge").first.click()
        until(lambda: "heard by Lena Prado" in page.text("#alarms"))
        server.ask("POST", "users/pier-dana/declarations", {"kind": "clear"})
        server.ask("POST", f"incidents/{number}/close", {"reason": "the test is over"})
        page.go("incident", number, "print")
        until(lambda: "Ana Ruiz (pier-aruiz)" in page.text(".sheet-missing")
              or "Ana Ruiz (pier-aruiz)" in page.script("() => document.body.innerText"))
        assert "Lena Prado (pier-lead)" in page.script("() => document.body.innerText")
        picture(page, "sheet", 1280, 800)
    finally:
        if server.ask("GET", f"incidents/{number}")["open"]:
            server.ask("POST", f"incidents/{number}/close", {"reason": "the test is over"})


def test_an_admin_enters_changes_and_removes_a_display_name(page, screen, server, pier):
    page.open().sign_in()
    page.go("administration", "people", "pier-plain")
    field = page.find("#person-title ~ * input[name=displayName], input[name=displayName]").first
    until(lambda: field.is_visible())
    field.fill("a" * 101)
    page.find("form button[type=submit]").first.click()
    screen.shows("Needs 1 to 100 characters on one line")
    screen.refused(422)
    field.fill("  Plain Jane ")
    page.find("form button[type=submit]").first.click()
    until(lambda: server.ask("GET", "users/pier-plain").get("displayName") == "Plain Jane")
    picture(page, "administration", 1280, 800)
    picture(page, "administration", 390, 844)
    page.tab.set_viewport_size({"width": 1280, "height": 800})
    until(lambda: field.input_value() == "Plain Jane")
    field.fill("")
    page.find("form button[type=submit]").first.click()
    until(lambda: "displayName" not in server.ask("GET", "users/pier-plain"))


def test_the_member_reads_who_they_are_and_who_has_heard_them(browsers, server, pier):
    with browsers.context(viewport={"width": 390, "height": 844}) as context:
        page = MePage(context, server).open().sign_in("pier-aruiz", password)
        page.show("phone")
        until(lambda: "Ana Ruiz (pier-aruiz)" in page.text("#who"))
        page.show("now")
        server.ask("POST", "users/pier-aruiz/declarations", {"kind": "sos"})
        token = server.ask("POST", "keys", {"user": "pier-lead", "label": "test"})["key"]
        server.ask("POST", "users/pier-aruiz/declarations", {"kind": "acknowledge"}, token)
        until(lambda: "Lena Prado" in page.script("() => document.body.innerText"))
        picture(page, "me", 390, 844)
        # The name is also there when the app is opened without a server.
        server.ask("POST", "users/pier-aruiz/declarations", {"kind": "clear"})
        assert has_no_overflow(page)
        assert page.faults() == []
