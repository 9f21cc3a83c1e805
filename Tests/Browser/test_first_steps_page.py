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
