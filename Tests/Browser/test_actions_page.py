"""An admin sees on the live page what waits to be run by hand, and runs it."""

from selenium.webdriver.common.by import By

from live_server import box, until

west, south = 10.7860, 59.8680
password = "a long password"


def waiting(page):
    return {line.get_attribute("data-target"): line.text.replace("\n", " ")
            for line in page.browser.find_elements(By.CSS_SELECTOR, "#actions p")}


def test_an_admin_runs_the_actions_that_wait_and_nobody_else_sees_them(page, server, tmp_path):
    server.make_team("depot", [box("shed", "Shed", west, south)])
    server.ask("POST", "users", {"name": "bea", "role": "leader", "team": "depot", "password": password})
    server.ask("POST", "users/bea/devices", {"name": "trigger-1"})
    for name, by_hand in (("siren", True), ("lamp", False)):
        server.ask("POST", "targets", {"name": name, "kind": "log", "byHand": by_hand})
        server.ask("POST", "rules", {
            "name": f"pressed-{name}", "targets": [{"target": name}],
            "pattern": {"detail-type": ["Muster Signal"], "detail": {"Name": ["pressed"]}}})
    page.open().sign_in()
    assert not page.find("#actions").is_displayed()
    for _ in range(3):
        server.ask("POST", "signals", {"device": "bea/trigger-1", "name": "pressed"})
    page.browser.refresh()
    until(lambda: page.is_live() and waiting(page))
    assert waiting(page) == {"siren": "siren: 3 waiting Run now"}
    page.save_picture(tmp_path / "actions.png")
    page.find("#actions button").click()
    until(lambda: page.find("#said").text == "siren: 3 run")
    until(lambda: not page.find("#actions").is_displayed())
    assert server.ask("GET", "targets/siren/deliveries") == {"pending": 0, "deadLetters": 0}
    # A leader may not run them, and is shown none.
    server.ask("POST", "signals", {"device": "bea/trigger-1", "name": "pressed"})
    page.find("#sign-out").click()
    page.sign_in("bea", password)
    assert waiting(page) == {}
