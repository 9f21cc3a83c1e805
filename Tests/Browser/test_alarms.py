"""Calls for help and incidents on the live page: what is seen, and what a leader can do about it."""

import re

import pytest

from live_server import box, until

west, south = 10.7460, 59.8980
inside = (west + 0.001, south + 0.0005)


def alarms(page):
    """The lines as they are at one moment: the page may replace them at any time."""
    return page.texts("#alarms .alarm .what")


def press(page, name, answer=None):
    """Presses the button of that name, and answers the question it asks."""
    page.press("#alarms, #orders", name, answer)


def test_a_leader_runs_a_drill_and_answers_a_call_for_help(page, server):
    server.make_team("harbour", [box("quay", "Quay", west, south, muster=True)])
    server.make_user("lea", "leader", "harbour")
    ida, jon = server.make_member("ida", "harbour"), server.make_member("jon", "harbour")
    page.open().sign_in("lea", "a long password")
    assert alarms(page) == [] and not page.is_shown("#alarms")

    press(page, "Drill…")
    until(lambda: "".join(alarms(page)[:1]).startswith(
        "DRILL – evacuation of harbour, 0 of 3 accounted for"))
    # A team has one open incident at most.
    until(lambda: not page.is_shown("#orders"))
    until(lambda: any(text == "harbour DRILL – evacuation started" for _, text in page.events()))
    ida.stay(inside)
    until(lambda: any("1 of 3 accounted for" in text for text in alarms(page)))

    server.ask("POST", "users/jon/declarations", {"kind": "sos"}, token=jon.token)
    until(lambda: len(alarms(page)) == 2 and any(text.startswith("SOS from jon, ") for text in alarms(page)))
    until(lambda: "SOS" in (page.row("jon") or "") and page.counts()["sos"] == 1)
    until(lambda: page.title.startswith("SOS from jon · 1 need help, "))
    page.press("#distress", "Acknowledge jon")
    until(lambda: any(text.endswith("heard by lea") for text in alarms(page)))
    until(lambda: any(text == "jon calls SOS, heard by lea" for _, text in page.events()))
    press(page, "Clear", "")
    until(lambda: len(alarms(page)) == 1)
    server.ask("POST", "users/jon/declarations", {"kind": "offSite"})
    until(lambda: all(words in (page.row("jon") or "") for words in ("Off site", "marked by admin")))
    press(page, "All clear…", "enough for today")
    until(lambda: alarms(page) == [])
    until(lambda: any(text == "harbour DRILL – evacuation ended: closed by hand, by lea" for _, text in page.events()))
    until(lambda: page.is_shown("#orders"))


def test_a_member_sees_that_there_is_an_incident_and_orders_nothing(page, server):
    server.make_team("pier", [])
    server.make_user("max", "member", "pier")
    server.ask("POST", "teams/pier/incidents", {"kind": "real"})
    page.open().sign_in("max", "a long password")
    until(lambda: any(text.startswith("Evacuation of pier, since ") for text in alarms(page)))
    assert page.texts("#alarms button") == [] and not page.is_shown("#orders")
    server.ask("POST", "incidents/%d/close" % server.ask("GET", "incidents")["items"][0]["number"], {"reason": "over"})
    until(lambda: alarms(page) == [])


def test_a_late_visitor_sees_what_stands(page, server):
    ulf = server.make_member("ulf", "north")
    server.ask("POST", "users/ulf/declarations", {"kind": "needsHelp"}, token=ulf.token)
    page.open().sign_in()
    until(lambda: any(words.startswith("ulf needs help, ") for words in alarms(page)))
    server.ask("POST", "users/ulf/declarations", {"kind": "clear"})
    until(lambda: alarms(page) == [])


def make_callers(server, team):
    """A team with a leader, forty people, and one of them who calls SOS; answers the phone of the one."""
    server.make_team(team, [box("quay", "Quay", west, south, muster=True)])
    server.make_user(f"{team}-lead", "leader", team)
    for number in range(40):
        server.ask("POST", "users", {"name": f"{team}-{number}", "role": "member", "team": team})
    phone = server.make_member(f"{team}-zoe", team)
    phone.stay(inside)
    server.ask("POST", f"users/{team}-zoe/declarations", {"kind": "sos", "note": "below the stairs"}, token=phone.token)
    return phone


# Whether the middle and each corner of the map are in sight, with nothing above them but the sheet of a person.
map_in_sight = """() => {
    const { left, right, top, bottom } = document.querySelector(".map-frame").getBoundingClientRect();
    const points = [[left + 5, top + 5], [right - 5, top + 5], [left + 5, bottom - 5], [right - 5, bottom - 5],
        [(left + right) / 2, (top + bottom) / 2]];
    return points.every(([x, y]) => document.elementFromPoint(x, y)?.closest(".map-frame, #person"))
        && document.querySelector("#person-close").checkVisibility();
}"""


@pytest.mark.parametrize("screen", ["people", "incident"])
def test_acknowledge_and_show_brings_the_map_in_sight_of_a_phone(page, server, screen):
    team = f"sight-{screen}"
    make_callers(server, team)
    page.set_view(390, 844)
    page.open(page.fragment(screen)).sign_in(f"{team}-lead", "a long password")
    until(lambda: "below the stairs" in page.text("#distress"))
    place = re.compile(r"last seen in Quay \(59\.89850, 10\.74700\) at \d")
    until(lambda: place.search(page.text("#distress .where")))
    page.find("#distress").get_by_role("button", name="Acknowledge, and show on the map").click()
    until(lambda: any("heard by" in text for text in alarms(page)) and not page.is_shown("#distress"))
    until(lambda: page.text("#person-name") == f"{team}-zoe" and page.script(map_in_sight))
    until(lambda: any(place.search(text) for text in alarms(page)))
    assert "in Quay" in page.text("#person-first")


def test_a_call_from_a_person_whom_nobody_located_says_so(page, server):
    team = "blind"
    server.make_team(team, [box("quay", "Quay", west, south, muster=True)])
    server.make_user(f"{team}-lead", "leader", team)
    phone = server.make_member(f"{team}-zoe", team)
    server.ask("POST", f"users/{team}-zoe/declarations", {"kind": "sos"}, token=phone.token)
    page.open().sign_in(f"{team}-lead", "a long password")
    until(lambda: page.text("#distress .where").startswith("nobody knows where, "))
    assert page.find("#distress").get_by_role("button", name="Acknowledge, and show on the map").count() == 0
    page.press("#distress", f"Acknowledge {team}-zoe")
    until(lambda: not page.is_shown("#distress"))
    page.open_track(f"{team}-zoe")
    until(lambda: f"Nobody knows yet where {team}-zoe is." in page.text("#person-first"))


def test_a_refused_acknowledgement_is_said_in_the_takeover_which_stays(page, server):
    make_callers(server, "refuse")
    page.open().sign_in("refuse-lead", "a long password")
    until(lambda: page.is_shown("#distress"))
    page.context.route("**/declarations", lambda route: route.fulfill(
        status=409, content_type="application/problem+json",
        body='{"title": "Conflict", "detail": "Somebody else leads now.", "status": 409}'))
    page.find("#distress").get_by_role("button", name="Acknowledge refuse-zoe").click()
    until(lambda: "Somebody else leads now." in page.text("#distress"))
    page.context.unroute("**/declarations")
    page.find("#distress").get_by_role("button", name="Acknowledge refuse-zoe").click()
    until(lambda: not page.is_shown("#distress"))
    assert all("409" in fault for fault in page.faults())
