"""Two admins change one rule: the second is told, keeps what they typed, and decides."""

from live_page import LivePage
from live_server import until
from operations_page import field, press, server, show

page_type = LivePage


def test_the_second_of_two_editors_keeps_what_they_typed(page, server):
    server.ask("POST", "rules", {"name": "shared", "pattern": {"source": ["muster"]}, "description": "first"})
    page.open().sign_in()
    show(page, "rules", "change", "shared")
    until(lambda: page.is_shown("main.screen .form"))
    field(page, "What it is for").fill("mine")
    server.ask("PATCH", "rules/shared", {"description": "hers"})
    press(page, "Save")
    until(lambda: "changed the rule shared" in page.text("main.screen .form"))
    until(lambda: "Save again" in page.text("main.screen .form"))
    assert server.ask("GET", "rules/shared")["description"] == "hers"
    assert field(page, "What it is for").input_value() == "mine"
    press(page, "Save")
    until(lambda: server.ask("GET", "rules/shared")["description"] == "mine")
    until(lambda: not page.is_shown("main.screen .form"))
    server.ask("DELETE", "rules/shared")
    page.faults()


def test_the_audit_log_says_what_an_edit_changed(page, server):
    server.ask("POST", "rules", {"name": "told", "pattern": {"source": ["muster"]}})
    server.ask("PATCH", "rules/told", {"enabled": False})
    page.open().sign_in()
    show(page, "audit")
    until(lambda: "told" in page.text("main.screen .part"))
    page.find("main.screen .part details summary").first.click()
    until(lambda: "on: on → off" in page.text("main.screen .part"))
    server.ask("DELETE", "rules/told")
