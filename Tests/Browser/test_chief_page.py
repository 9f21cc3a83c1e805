"""What a leader asks of the console in the first minutes: who lies where, who is in a place, who is off site from
before, and who leads."""

from datetime import datetime, timezone

import pytest

from live_page import LivePage
from live_server import box, password, stamp, until

needs_map = True
west, south = 10.7460, 59.5980
dock = (west + 0.011, south + 0.0005)


@pytest.fixture(scope="module")
def quay(server):
    """A team with two leaders and four people, of whom three stand in the dock, at one place."""
    server.make_team("quay", [
        box("sq", "Quay square", west, south, muster=True), box("dock", "Dry dock", west + 0.010, south)])
    for leader in ("quay-lea", "quay-leo"):
        server.make_user(leader, "leader", "quay")
    phones = {name: server.make_member(f"quay-{name}", "quay") for name in ("ann", "ben", "cem", "dee")}
    for name in ("ann", "ben", "cem"):
        phones[name].stay(dock)
    phones["dee"].stay((west + 0.03, south + 0.03))
    return phones


@pytest.fixture
def lea(page, quay):
    page.open().sign_in("quay-lea", password)
    until(lambda: page.row("quay-dee"))
    return page


def look_at(page, place, zoom=18):
    """Brings the view to a place; answers when the map stands still."""
    until(lambda: page.script("() => Boolean(muster.map)"))
    page.script("([place, zoom]) => muster.map.jumpTo({ center: place, zoom })", [list(place), zoom])
    until(lambda: page.script("() => !muster.map.isMoving()"))


def pile(page):
    return page.texts("#pile .name")


def rows(page):
    return sorted(page.texts("#list .row .name"))


def test_people_at_one_place_are_counted_and_listed_by_a_click_and_by_the_keyboard(lea):
    look_at(lea, dock)
    until(lambda: lea.text("#piles") == "At one place: 3…")
    lea.find("#piles").focus()
    lea.tab.keyboard.press("Enter")
    until(lambda: pile(lea) == ["quay-ann", "quay-ben", "quay-cem"])
    assert "3 people at one place" in lea.text("#pile")
    assert lea.script("() => document.activeElement.closest('#pile') !== null")
    lea.tab.keyboard.press("Escape")
    until(lambda: not lea.is_shown("#pile"))
    assert lea.script("() => document.activeElement.tagName") == "CANVAS"
    # A click on those who lie on each other lists them, too.
    until(lambda: lea.script("() => muster.map.queryRenderedFeatures({ layers: ['pile-counts'] }).length") == 1)
    box_of_map = lea.find("#map canvas").bounding_box()
    lea.tab.mouse.click(box_of_map["x"] + box_of_map["width"] / 2, box_of_map["y"] + box_of_map["height"] / 2)
    until(lambda: len(pile(lea)) == 3)
    lea.find("#pile").get_by_role("button", name="quay-ben").click()
    until(lambda: lea.text("#person-name") == "quay-ben" and not lea.is_shown("#pile"))
    # From afar nobody is told apart anyway. The map may still be on its way to hold the track of who was chosen.
    until(lambda: look_at(lea, dock, 12) or not lea.is_shown("#piles"))


def test_the_list_and_a_regions_page_name_who_is_in_a_region(lea):
    until(lambda: "Dry dock (3)" in lea.texts("#inside-region option"))
    lea.find("#inside-region").select_option("quay-site/dock")
    until(lambda: [name.split()[0] for name in rows(lea)] == ["quay-ann", "quay-ben", "quay-cem"])
    lea.find("#inside-region").select_option("")
    until(lambda: len(rows(lea)) > 3)
    lea.go("regions", "quay-site", "dock")
    until(lambda: "In it now: 3 people" in lea.text("#inside"))
    assert lea.texts("#inside .name") == ["quay-ann", "quay-ben", "quay-cem"] and "since " in lea.text("#inside li")
    lea.find("#inside").get_by_role("button", name="Show them in the list of people").click()
    until(lambda: lea.find("#inside-region").input_value() == "quay-site/dock")


def test_the_search_finds_regions_and_own_places_and_moves_the_map_there(lea, server):
    server.ask("PUT", "../../couchdb/lt_places/mill", {
        "name": "Quay mill", "geometry": {"type": "Point", "coordinates": [west + 0.05, south + 0.05]}})
    until(lambda: lea.script("() => Boolean(muster.map)"))
    lea.tab.keyboard.press("/")
    lea.tab.keyboard.type("quay")
    until(lambda: lea.texts("#place-hits button") == ["Quay square region, quay-site", "Quay mill place"])
    lea.find("#place-hits").get_by_role("button", name="Quay mill").click()
    until(lambda: lea.script("() => muster.map.isMoving() ? undefined : muster.centre()") is not None
          and abs(lea.script("() => muster.centre()[0]") - (west + 0.05)) < 0.001)
    lea.find("#search").fill("q")
    until(lambda: not lea.is_shown("#place-hits"))


@pytest.mark.without_map
def test_who_is_off_site_from_before_is_named_and_brought_back_by_one_press(lea, server):
    server.ask("POST", "users/quay-dee/declarations", {
        "kind": "offSite", "id": "off-1", "sampleTime": stamp(datetime.now(timezone.utc))})
    until(lambda: "Off site" in (lea.row("quay-dee") or ""))
    lea.find("#orders").get_by_role("button", name="Evacuate…").click()
    until(lambda: "quay-dee (since" in lea.text(".aside"))
    assert lea.script("() => document.activeElement.closest('.aside') === null"), "Enter evacuates, as ever"
    lea.find(".aside").get_by_role("button", name="1 person is back: call them too").click()
    until(lambda: not lea.is_shown(".aside"))
    until(lambda: "Off site" not in (lea.row("quay-dee") or "Off site"))
    lea.find("dialog[open]").get_by_role("button", name="Cancel").click()


@pytest.mark.without_map
def test_who_leads_now_and_who_led_until_then_are_told_until_they_say_that_they_know(lea, server, browsers):
    token = server.ask("POST", "session", {"name": "quay-lea", "password": password})["accessToken"]
    incident = server.ask("POST", "teams/quay/incidents", {"kind": "drill"}, token)["number"]
    other = browsers.context(with_webgl=False)
    leo = LivePage(other, server).open().sign_in("quay-leo", password)
    until(lambda: "Open the roll" in leo.text("#alarms"))
    assert "You lead now" not in lea.text("#alarms"), "who started it knows"
    server.ask("POST", f"incidents/{incident}/handover", {"to": "quay-leo"}, token)
    until(lambda: "You lead now: DRILL – evacuation of quay. quay-lea handed it over to you" in leo.text("#alarms"))
    until(lambda: "quay-leo leads now" in lea.text("#alarms") and "You no longer lead it" in lea.text("#alarms"))
    leo.find("#alarms").get_by_role("button", name="I lead it").click()
    until(lambda: "You lead now" not in leo.text("#alarms"))
    lea.find("#alarms").get_by_role("button", name="Understood").click()
    until(lambda: "no longer lead" not in lea.text("#alarms"))
    leo.reload()
    until(leo.is_live)
    assert "You lead now" not in leo.text("#alarms")
    assert not leo.faults() and not leo.foreign_requests()
    server.ask("POST", f"incidents/{incident}/close", {"reason": "over"}, token)
    other.close()
