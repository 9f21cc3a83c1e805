"""An admin sees on the live page what waits to be run by hand, and runs it."""


from live_server import box, password, until

west, south = 10.7860, 59.8680


def waiting(page):
    return dict(page.script(
        "() => [...document.querySelectorAll('#actions p')].map((line) =>"
        " [line.dataset.target, line.innerText.replaceAll('\\n', ' ')])"))


def test_an_admin_runs_the_actions_that_wait_and_nobody_else_sees_them(page, server, tmp_path):
    server.make_team("depot", [box("shed", "Shed", west, south)])
    server.make_user("bea", "leader", "depot")
    server.ask("POST", "users/bea/devices", {"name": "trigger-1"})
    for name, by_hand in (("siren", True), ("lamp", False)):
        server.ask("POST", "targets", {"name": name, "kind": "log", "byHand": by_hand})
        server.ask("POST", "rules", {
            "name": f"pressed-{name}", "targets": [{"target": name}],
            "pattern": {"detail-type": ["Muster Signal"], "detail": {"Name": ["pressed"]}}})
    page.open().sign_in()
    assert not page.is_shown("#actions")
    for _ in range(3):
        server.ask("POST", "signals", {"device": "bea/trigger-1", "name": "pressed"})
    # The rules look at signals after the server has answered.
    until(lambda: server.ask("GET", "targets/siren/deliveries")["pending"] == 3)
    page.reload()
    until(lambda: page.is_live() and waiting(page) == {"siren": "siren: 3 waiting Run now"})
    page.save_picture(tmp_path / "actions.png")
    page.find("#actions button").click()
    until(lambda: page.text("#said") == "siren: 3 run")
    until(lambda: not page.is_shown("#actions"))
    assert server.ask("GET", "targets/siren/deliveries") == {"pending": 0, "deadLetters": 0}
    # A leader may not run them, and is shown none.
    server.ask("POST", "signals", {"device": "bea/trigger-1", "name": "pressed"})
    page.find("#sign-out").click()
    page.sign_in("bea", password)
    assert waiting(page) == {}
