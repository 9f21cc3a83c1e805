"""What a person says on the live page reaches the server, and what a leader says of a person from the row."""

import time

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

from live_server import box, until

west, south = 10.7460, 59.8880
password = "a long password"


def crew(server, team, *members):
    """A team with a leader and members who can sign in."""
    server.make_team(team, [box("quay", "Quay", west, south, muster=True)])
    server.ask("POST", "users", {"name": f"{team}-lead", "role": "leader", "team": team, "password": password})
    for name in members:
        server.ask("POST", "users", {"name": name, "role": "member", "team": team, "password": password})


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
    return page.find("#my-delivery").text


def hold_sos(page, seconds):
    ActionChains(page.browser).click_and_hold(page.find("#my-sos")).pause(seconds).release().perform()


def test_a_member_says_that_they_are_safe_and_the_page_says_that_the_server_has_it(page, server):
    crew(server, "slip", "nora")
    page.open().sign_in("nora", password)
    page.find("#my-safe").click()
    until(lambda: delivery(page).startswith("The server has “I am safe” since "))
    assert state_of(server, "slip", "nora") == "safe"
    page.find("#my-help").click()
    until(lambda: state_of(server, "slip", "nora") == "needsHelp")
    until(lambda: page.find("#my-note").is_displayed())
    page.find("#my-note").send_keys("my leg")
    page.find("#my-note-form button").click()
    until(lambda: "“my leg”" in (page.row("nora") or ""))


def test_an_sos_is_held_counted_down_and_can_be_cancelled(page, server):
    crew(server, "dock", "olga")
    page.open().sign_in("olga", password)
    page.find("#my-sos").click()
    until(lambda: "Hold" in delivery(page))
    assert not page.find("#my-countdown").is_displayed()
    hold_sos(page, 1.3)
    until(lambda: page.find("#my-countdown").is_displayed())
    page.find("#my-cancel").click()
    until(lambda: "cancelled" in delivery(page))
    assert state_of(server, "dock", "olga") == "unknown"
    hold_sos(page, 1.3)
    until(lambda: page.find("#my-countdown").is_displayed())
    page.browser.refresh()
    until(lambda: state_of(server, "dock", "olga") == "sos")
    until(lambda: delivery(page).startswith("The server has SOS since "))


def test_a_leader_marks_people_from_their_rows(page, server):
    crew(server, "jetty", "pia")
    page.open().sign_in("jetty-lead", password)
    row = until(lambda: page.row("pia") and page.find('#list li[data-user="pia"]'))
    row.find_element(By.CSS_SELECTOR, ".row-actions > button").click()
    buttons = row.find_elements(By.CSS_SELECTOR, ".row-actions [role=group] button")
    assert [button.text for button in buttons] == ["Mark safe", "Off site"]
    buttons[0].click()
    page.browser.switch_to.alert.accept()
    until(lambda: "Safe" in page.row("pia") and "marked by jetty-lead" in page.row("pia"))


def test_the_page_shows_within_ten_seconds_that_it_is_not_live_and_keeps_declarations(page, server):
    crew(server, "mole", "quinn")
    page.open().sign_in("quinn", password)
    server.process.send_signal(19)
    try:
        stopped = time.monotonic()
        page.find("#my-help").click()
        until(lambda: page.find("#not-live").is_displayed(), seconds=12)
        assert time.monotonic() - stopped < 11
        assert page.find("#not-live").text.startswith("Not live since ")
        until(lambda: "not sent yet: no connection" in delivery(page))
    finally:
        server.process.send_signal(18)
    until(lambda: not page.find("#not-live").is_displayed(), seconds=40)
    until(lambda: delivery(page).startswith("The server has “I need help” since "), seconds=30)
    assert state_of(server, "mole", "quinn") == "needsHelp"
    page.faults()
