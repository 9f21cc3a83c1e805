"""Check-in timers on the live page: a member starts one and checks in, a leader sees who does not."""

from datetime import datetime, timedelta, timezone

import pytest
from selenium.webdriver.common.by import By

from live_server import box, until

west, south = 10.7560, 59.8980
password = "a long password"


def crew(server, team, member):
    server.make_team(team, [box("shed", "Shed", west, south, muster=True)])
    server.ask("POST", "users", {"name": f"{team}-lead", "role": "leader", "team": team, "password": password})
    server.ask("POST", "users", {"name": member, "role": "member", "team": team, "password": password})


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
    lines = page.browser.find_elements(By.CSS_SELECTOR, '#alarms [data-kind="overdue"]')
    return lines[0] if lines else None


def test_a_member_starts_a_timer_and_checks_in(page, server):
    crew(server, "kiln", "rosa")
    page.open().sign_in("rosa", password)
    page.find("#my-timer-start summary").click()
    page.find("#my-timer-note").send_keys("the kiln")
    page.find("#my-timer-form button").click()
    until(lambda: "next check-in due" in page.find("#my-timer-words").text)
    first = timer_of(server, "rosa")
    assert (first["intervalSeconds"], first["note"]) == (1800, "the kiln")
    assert not page.find("#my-timer-start").is_displayed()
    # A press within five seconds of the start is the same check-in.
    until(lambda: datetime.now(timezone.utc) > datetime.fromisoformat(first["lastWord"]) + timedelta(seconds=5.5))
    page.find("#my-check-in").click()
    until(lambda: timer_of(server, "rosa")["happened"] == "checkedIn")
    assert "your check-in" in page.find("#my-delivery").text


def test_a_person_with_an_overdue_check_in_is_reminded_and_the_leader_sees_since_when(page, server, tmp_path):
    crew(server, "silo", "silke")
    past = (datetime.now(timezone.utc) - timedelta(minutes=3)).strftime("%Y-%m-%dT%H:%M:%SZ")
    server.ask("PUT", "users/silke/check-in-timer", {
        "intervalSeconds": 60, "leaderAfterSeconds": 0, "sosAfterSeconds": 3600, "note": "inside silo 4",
        "sampleTime": past})
    page.open().sign_in("silke", password)
    until(lambda: alarm(page) and "Your check-in is due since" in alarm(page).text)
    page.browser.find_element(By.ID, "sign-out").click()
    page.sign_in("silo-lead", password)
    until(lambda: alarm(page) and "No word from silke since" in alarm(page).text)
    assert "“inside silo 4”" in alarm(page).text and "nobody knows where" in alarm(page).text
    assert "no check-in since" in page.row("silke")
    page.save_picture(tmp_path / "overdue.png")
    alarm(page).find_element(By.TAG_NAME, "button").click()
    page.browser.switch_to.alert.accept()
    until(lambda: timer_of(server, "silke")["happened"] == "checkedIn")
    assert timer_of(server, "silke")["by"] == "silo-lead"
    until(lambda: alarm(page) is None)
