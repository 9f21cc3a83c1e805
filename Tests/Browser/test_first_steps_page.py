"""A server on which there is nobody yet: the console shows its admin the first steps, until there is somebody."""

import pytest

from accessible import faults_of
from live_page import LivePage
from live_server import LiveServer, password, until


@pytest.fixture
def empty(tmp_path):
    server = LiveServer(tmp_path)
    server.start()
    yield server
    server.stop()


def done(page):
    """The steps that are marked as done, by what they are called."""
    return page.texts("#first-steps li[data-done] > a:first-child")


def test_the_first_steps_lead_to_people_and_then_go_away(context, empty):
    page = LivePage(context, empty).open().sign_in()
    until(lambda: page.is_shown("#first-steps"))
    assert "Nobody to show" not in page.text(".people") and done(page) == []
    assert faults_of(page) == []
    ways = {"Make a team": "teams", "Import people from a table": "import", "or add them one by one": "people",
            "Get their phones in": "people", "Draw an assembly point": "regions"}
    for name, part in ways.items():
        page.find("#first-steps").get_by_role("link", name=name, exact=True).click()
        until(lambda: page.find("main.screen h2, main.screen .buttons").count() > 0
              and page.script("() => location.hash").endswith(part))
        page.go("people")
        until(lambda: page.is_shown("#first-steps"))

    empty.make_team("north", [])
    page.go("administration", "teams")
    until(lambda: "north" in page.text(".administration"))
    page.go("people")
    until(lambda: done(page) == ["Make a team"])
    empty.make_user("ann", "member", "north")
    until(lambda: page.find("#list [data-user=ann]").count() == 1 and not page.is_shown("#first-steps"))
    assert page.faults() == []


def test_nobody_else_is_told_to_set_up_the_server(context, empty):
    empty.make_user("vera", "analyst")
    page = LivePage(context, empty).open().sign_in("vera", password)
    until(lambda: "Nobody to show" in page.text(".people"))
    assert not page.is_shown("#first-steps")


def test_a_page_that_is_still_loading_shows_no_numbers_and_calls_nobody_absent(context, empty):
    empty.make_team("north", [])
    empty.make_user("ann", "member", "north")
    page = LivePage(context, empty).open()
    held = []
    page.tab.route("**/api/v1/positions?*", lambda route: held.append(route), times=1)
    page.try_to_sign_in(*empty.admin)
    until(lambda: page.text("#list-empty") == "Loading…" and held)
    assert not page.is_shown("#counts") and not page.is_shown("#first-steps")
    for route in held:
        route.continue_()
    until(lambda: page.is_shown("#counts") and page.find("#list [data-user=ann]").count() == 1)
    assert page.faults() == []


def test_before_a_team_is_called_out_it_is_said_whom_that_does_not_call(context, empty):
    for team, people in (("north", ["ann"]), ("south", ["bo", "cy"])):
        empty.make_team(team, [])
        for name in people:
            empty.make_user(name, "member", team)
    # A collection that an admin makes is linked to every team's tracker.
    empty.ask("PATCH", f"trackers/{empty.ask('GET', 'teams/north')['tracker']}", {"collections": ["north-site"]})
    page = LivePage(context, empty).open().sign_in()
    until(lambda: page.find("#list [data-user=cy]").count() == 1)
    page.find("#orders").get_by_role("button", name="Drill…").first.click()
    until(lambda: "Not called: south (2 people)." in page.text("dialog[open]"))
    assert "north has no assembly point: nobody can become safe by being at a place" in page.text("dialog[open]")
    # An assembly point of the other team is none of this one.
    box_of_south = {"type": "Feature", "properties": {"muster": True}, "geometry": {
        "type": "Polygon", "coordinates": [[[10, 59], [10.1, 59], [10.1, 59.1], [10, 59.1], [10, 59]]]}}
    empty.ask("PUT", "collections/south-site/regions/yard", box_of_south)
    empty.ask("PUT", "collections/north-site/regions/hall", {**box_of_south, "properties": {}})
    until(lambda: page.script("() => [...muster.state.regions.keys()].length") == 2)
    assert "north has no assembly point" in page.text("dialog[open]")
    empty.ask("PUT", "collections/north-site/regions/hall", box_of_south)
    until(lambda: "north has no assembly point" not in page.text("dialog[open]"))
    assert page.faults() == []
