"""What a person says on the live page reaches the server, and what a leader says of a person from the row."""

import pytest

from live_server import box, password, until

west, south = 10.7460, 59.8880


def crew(server, team, *members):
    """A team with a leader and members who can sign in."""
    server.make_team(team, [box("quay", "Quay", west, south, muster=True)])
    server.make_user(f"{team}-lead", "leader", team)
    for name in members:
        server.make_user(name, "member", team)


@pytest.fixture(autouse=True)
def no_call_is_left(server):
    """Other tests share the server, and begin without a call for help."""
    yield
    for user in ("nora", "olga", "pia", "quinn"):
        if any(known["name"] == user for known in server.ask("GET", "users?limit=1000")["items"]):
            server.ask("POST", f"users/{user}/declarations", {"kind": "clear"})


def state_of(server, team, user):
    members = server.ask("GET", f"teams/{team}/safety")["members"]
    return next(member["state"] for member in members if member["user"] == user)


def delivery(page):
    return page.text("#my-delivery")


def test_a_member_says_that_they_are_safe_and_the_page_says_that_the_server_has_it(page, server):
    crew(server, "slip", "nora")
    page.open().sign_in("nora", password)
    page.find("#my-safe").click()
    until(lambda: delivery(page).startswith("The server has “I am safe” since "))
    assert state_of(server, "slip", "nora") == "safe"
    page.find("#my-help").click()
    until(lambda: state_of(server, "slip", "nora") == "needsHelp")
    until(lambda: page.is_shown("#my-note"))
    page.find("#my-note").fill("my leg")
    page.find("#my-note-form button").click()
    until(lambda: "“my leg”" in (page.row("nora") or ""))


def test_an_sos_is_held_counted_down_and_can_be_cancelled(page, server):
    crew(server, "dock", "olga")
    page.stop_clock()
    page.open().sign_in("olga", password)
    page.find("#my-sos").click()
    until(lambda: "Hold" in delivery(page))
    assert not page.is_shown("#my-countdown")
    page.hold_sos()
    page.find("#my-cancel").click()
    until(lambda: "cancelled" in delivery(page))
    page.start_clock()
    assert state_of(server, "dock", "olga") == "unknown"
    page.hold_sos()
    page.reload()
    until(lambda: state_of(server, "dock", "olga") == "sos")
    until(lambda: delivery(page).startswith("The server has SOS since "))


def test_a_leader_marks_people_from_their_rows(page, server):
    crew(server, "jetty", "pia")
    page.open().sign_in("jetty-lead", password)
    until(lambda: page.row("pia"))
    page.row_of("pia").get_by_role("button", name="Mark pia").click()
    buttons = '#list [data-user="pia"] .row-actions [role=group]'
    until(lambda: page.texts(buttons + " button:not(.close)") == ["Mark safe", "Off site"])
    with page.answering() as asked:
        page.find(buttons).get_by_role("button", name="Mark safe").click()
    assert "Mark pia safe? The roll will say that you said so." in asked[0]
    until(lambda: page.row_has("pia", "Safe", "marked by jetty-lead"))


def test_the_page_shows_within_ten_seconds_that_it_is_not_live_and_keeps_declarations(page, server):
    crew(server, "mole", "quinn")
    page.open().sign_in("quinn", password)
    page.count_until_cut()
    server.process.send_signal(19)
    try:
        page.find("#my-help").click()
        assert page.seconds_until_cut() < 16
        until(lambda: page.is_shown("#not-live"))
        assert page.text("#not-live").startswith("Not live since ")
        until(lambda: "not sent yet: no connection" in delivery(page))
    finally:
        server.process.send_signal(18)
    until(lambda: not page.is_shown("#not-live"), seconds=60)
    until(lambda: delivery(page).startswith("The server has “I need help” since "), seconds=60)
    assert state_of(server, "mole", "quinn") == "needsHelp"
    page.faults()
