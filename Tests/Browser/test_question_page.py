"""A leader asks "where are you now?", and the person answers on the live page."""

from selenium.webdriver.common.by import By

from live_server import box, until

west, south = 10.7760, 59.8780
password = "a long password"


def alarm(page):
    lines = page.browser.find_elements(By.CSS_SELECTOR, '#alarms [data-kind="asked"]')
    return lines[0] if lines else None


def test_a_person_who_is_asked_for_their_location_sees_it_and_answers_with_the_devices_position(page, server, tmp_path):
    server.make_team("quay", [box("hall", "Hall", west, south, muster=True)])
    server.ask("POST", "users", {"name": "odd", "role": "member", "team": "quay", "password": password})
    page.browser.execute_cdp_cmd("Browser.grantPermissions", {
        "origin": server.address, "permissions": ["geolocation"]})
    page.open().sign_in("odd", password)
    assert alarm(page) is None
    server.ask("POST", "users/odd/location-request")
    until(lambda: alarm(page) and "admin asks where you are now" in alarm(page).text)
    page.save_picture(tmp_path / "asked.png")
    # A reload keeps it.
    page.browser.refresh()
    until(lambda: page.is_live() and alarm(page))
    # The browser dates the fix when it is set.
    page.browser.execute_cdp_cmd("Emulation.setGeolocationOverride", {
        "latitude": south + 0.0002, "longitude": west + 0.0002, "accuracy": 9})
    alarm(page).find_element(By.TAG_NAME, "button").click()
    until(lambda: "The server has where you were at" in page.find("#said").text)
    assert "within 9 m" in page.find("#said").text
    until(lambda: alarm(page) is None)
    question = server.ask("GET", "users/odd/location-request")
    assert question["state"] == "answered" and "live" in [channel["channel"] for channel in question["channels"]]
    [device] = server.ask("GET", "devices?user=odd")["items"]
    assert (device["name"], device["position"]["accuracy"]) == ("browser", 9)
