"""Check-in timers on the live page: a member starts one and checks in, a leader sees who does not."""

from datetime import datetime, timedelta, timezone

import pytest

from live_server import box, password, until

west, south = 10.7560, 59.8980


def crew(server, team, member):
    server.make_team(team, [box("shed", "Shed", west, south, muster=True)])
    server.make_user(f"{team}-lead", "leader", team)
    server.make_user(member, "member", team)


@pytest.fixture(autouse=True)
def no_timer_is_left(server):
    """Other tests share the server, and begin without a timer."""
    yield
    for team in server.ask("GET", "teams?limit=1000")["items"]:
        for member in server.ask("GET", f"teams/{team['name']}/safety")["members"]:
            if "checkInTimer" in member:
                server.ask("DELETE", f"users/{member['user']}/check-in-timer")


def timer_of(server, user):
    return server.ask("GET", f"users/{user}/check-in-timer")


def alarm(page):
    """What the page says of a check-in that is overdue."""
    return page.text('#alarms [data-kind="overdue"]')


def test_a_member_starts_a_timer_and_checks_in(page, server):
    crew(server, "kiln", "rosa")
    page.open().sign_in("rosa", password)
    page.find("#my-timer-start summary").click()
    page.find("#my-timer-note").fill("the kiln")
    page.find("#my-timer-form button").click()
    until(lambda: "next check-in due" in page.text("#my-timer-words"))
    first = timer_of(server, "rosa")
    assert (first["intervalSeconds"], first["note"]) == (1800, "the kiln")
    assert not page.is_shown("#my-timer-start")
    # A press within five seconds of the start is the same check-in.
    until(lambda: datetime.now(timezone.utc) > datetime.fromisoformat(first["lastWord"]) + timedelta(seconds=5.5))
    page.find("#my-check-in").click()
    until(lambda: timer_of(server, "rosa")["happened"] == "checkedIn")
    until(lambda: "your check-in" in page.text("#my-delivery"))


def test_a_person_with_an_overdue_check_in_is_reminded_and_the_leader_sees_since_when(page, server, tmp_path):
    crew(server, "silo", "silke")
    past = (datetime.now(timezone.utc) - timedelta(minutes=3)).strftime("%Y-%m-%dT%H:%M:%SZ")
    server.ask("PUT", "users/silke/check-in-timer", {
        "intervalSeconds": 60, "leaderAfterSeconds": 0, "sosAfterSeconds": 3600, "note": "inside silo 4",
        "sampleTime": past})
    page.open().sign_in("silke", password)
    until(lambda: "Your check-in is due since" in alarm(page))
    page.find("#sign-out").click()
    page.sign_in("silo-lead", password)
    until(lambda: "No word from silke since" in alarm(page))
    assert "“inside silo 4”" in alarm(page) and "nobody knows where" in alarm(page)
    until(lambda: page.row_has("silke", "no check-in since"))
    page.save_picture(tmp_path / "overdue.png")
    with page.answering():
        page.find('#alarms [data-kind="overdue"] button').click()
    until(lambda: timer_of(server, "silke")["happened"] == "checkedIn")
    assert timer_of(server, "silke")["by"] == "silo-lead"
    until(lambda: alarm(page) == "")
