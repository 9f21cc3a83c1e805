"""The member's app before a server of another version: what only a newer one knows is shown as unknown or in doubt and
never as safe, an older one leaves out what it does not have, and no page is blank."""

import json

import pytest

from accessible import texts_without_room
from live_server import until
from me_page import MePage, make_crew, password, phone_profile

page_type = MePage
# Without the worker of the app every request passes the test.
profile = {**phone_profile, "service_workers": "block"}
tabs = ("now", "way", "seen", "phone")
says_more = "the server says more than this version of the page knows"


class OtherServer:
    """Makes the answers of the server those of another version, for one profile."""

    def __init__(self, context):
        self.context = context

    def changing(self, pattern, change):
        """Has a function change the JSON of the answers of an API path."""
        def answer(route):
            response = route.fetch()
            route.fulfill(response=response, json=change(response.json()))
        self.context.route(f"**/api/v1/{pattern}", answer)

    def telling(self, *changes):
        """Has the feed tell of changes after those that the page knows, and then be silent."""
        told = []

        def answer(route):
            if told:
                return
            told.append(route)
            since = int(route.request.url.rsplit("since=", 1)[1].split("&")[0])
            events = "".join(
                f"data: {json.dumps({'sequence': since + number, **change})}\n\n"
                for number, change in enumerate(changes, start=1))
            route.fulfill(status=200, content_type="text/event-stream", body=events)
        self.context.route("**/api/v1/live?*", answer)

    def without(self, *patterns):
        """Has paths that an older server does not know."""
        for pattern in patterns:
            self.context.route(f"**/api/v1/{pattern}", lambda route: route.fulfill(
                status=404, json={"type": "about:blank", "title": "Not found", "status": 404}))


@pytest.fixture
def other(context):
    return OtherServer(context)


def with_member(user, **said):
    """Changes what the server says of a member's safety."""
    def change(body):
        for member in body["members"]:
            if member["user"] == user:
                member.update(said)
        return body
    return change


def check_tabs(page):
    """Every tab shows its parts, none of which failed, and cuts off no text."""
    for tab in tabs:
        if page.find(f".me-tabs a[href='{'#/' if tab == 'now' else f'#/{tab}'}']").count() == 0:
            continue
        page.show(tab)
        until(lambda: page.find("#main > *").count() > 0 and "Loading" not in page.text("#main"))
        assert page.find("#main .card.fault").count() == 0, page.text("#main")
        assert texts_without_room(page) == []
    page.show("now")
    until(lambda: page.is_shown("#status"))


def test_a_state_that_only_a_newer_server_knows_is_unknown(page, server, other):
    make_crew(server, "newt", "nell")
    region = {"collection": "newt-site", "id": "field", "name": "School field", "muster": True, "floor": 3}
    other.changing("teams/newt/safety*", with_member(
        "nell", state="sheltered", source="thermalCamera", region=region, confidenceBand=[0.9, 1]))
    page.open().sign_in("nell", password)
    until(lambda: page.text(".status-state").startswith("Unknown"))
    assert says_more in page.status()
    assert "Safe" not in page.status() and "School field" not in page.text(".status-state")
    check_tabs(page)


def test_safe_with_a_doubt_that_only_a_newer_server_knows_is_checking(page, server, other):
    make_crew(server, "nuthatch", "nora")
    other.changing("teams/nuthatch/safety*", with_member("nora", state="safe", doubt="phoneSwapped"))
    page.open().sign_in("nora", password)
    until(lambda: page.text(".status-state").startswith("Checking"))
    assert says_more in page.status()
    check_tabs(page)


def test_changes_that_only_a_newer_server_tells_make_nobody_safe_and_break_nothing(page, server, other):
    make_crew(server, "gull", "gwen")
    at = "2026-03-26T12:00:00Z"
    region = {"collection": "gull-site", "id": "field", "name": "School field", "muster": True}
    other.telling(
        {"type": "telepathy", "at": at, "user": "gwen", "state": "safe", "thought": {"of": ["home"]}},
        {"type": "presence", "at": at, "user": "gwen", "device": "gwen/phone", "region": region,
         "standing": "upstairs", "probability": 0.99, "since": at, "sampleTime": at},
        {"type": "checkInTimer", "at": at, "user": "gwen", "happened": "postponed", "lastWord": at, "dueAt": at},
        {"type": "incident", "at": at, "team": "gull", "number": 900, "open": True, "kind": "shelter",
         "startedAt": at, "happened": "phaseTwo", "phase": 2},
        {"type": "pause", "at": at, "user": "gwen", "happened": "extended", "since": at, "until": at},
        {"type": "safety", "at": at, "user": "gwen", "state": "sheltered", "since": at, "region": region})
    page.open().try_to_sign_in("gwen", password)
    # What calls its people somewhere calls them, whatever it is.
    until(lambda: page.text("#call-title") == "Evacuate")
    page.find("#call-seen").click()
    until(lambda: page.text(".status-state").startswith("Unknown"))
    assert says_more in page.status() and "Safe" not in page.text(".status-state")
    until(lambda: "check-in timer: in a state that this version" in page.text("#timer"))
    check_tabs(page)
    # The server has no incident 900.
    assert all("404" in fault for fault in page.faults())


def test_an_older_server_leaves_out_what_it_does_not_have(page, server, other):
    make_crew(server, "wren", "wilma")
    other.without("presences*", "users/wilma/viewers*", "incidents*", "teams/wren/incidents*", "health", "push*")

    def older(body):
        for member in body["members"]:
            for name in ("heard", "located", "checkInTimer", "pause", "source", "since"):
                member.pop(name, None)
        return {"team": body["team"], "sequence": body["sequence"], "members": body["members"]}
    other.changing("teams/wren/safety*", older)
    page.open().sign_in("wilma", password)
    until(lambda: page.text(".status-state").startswith("Unknown"))
    page.find("#my-safe").click()
    until(lambda: page.text(".status-state").startswith("Safe"))
    check_tabs(page)
    assert all("404" in fault for fault in page.faults())


def test_an_older_server_that_does_not_say_how_somebody_is_makes_nobody_safe(page, server, other):
    make_crew(server, "lark", "lotte")
    other.changing("teams/lark/safety*", with_member("lotte", state=None, source=None, since=None, doubt=None))
    page.open().sign_in("lotte", password)
    until(lambda: page.text(".status-state").startswith("Unknown"))
    check_tabs(page)
