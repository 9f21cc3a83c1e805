"""A rule that makes regions assembly points: the admin is asked first, and the page of such a region names the rule."""

from live_page import LivePage
from live_server import until
from operations_page import field, press, server, show

page_type = LivePage

pattern = '{"source": ["aws.geo"], "detail": {"GeofenceId": [{"prefix": "yard"}]}}'


def test_a_rule_that_makes_regions_assembly_points_asks_first_and_is_named_there(page, server):
    server.ask("POST", "targets", {"name": "bell", "kind": "log"})
    page.open().sign_in()
    show(page, "rules", "new")
    choice = field(page, "Add a target")
    until(lambda: choice.locator("option").count() == 3)
    # What makes people safe is the last choice, and says what it does.
    words = choice.locator("option").all_text_contents()
    assert words[1] == "bell" and "assembly points" in words[2]
    field(page, "Name").fill("points")
    field(page, "Pattern").fill(pattern)
    choice.select_option("safety")
    assert "count as safe while the rule is on" in page.text("main.screen .entry")
    page.find("main.screen .form").get_by_role("button", name="Save", exact=True).click()
    until(lambda: page.is_shown("dialog.dialog[open]"))
    asked = page.text("dialog.dialog[open]")
    assert "2 regions match now: Yard, Yard" in asked and "drawn later" in asked
    page.find("dialog.dialog[open]").get_by_role("button", name="Cancel").click()
    assert server.ask("GET", "rules")["items"] == []
    page.find("main.screen .form").get_by_role("button", name="Save", exact=True).click()
    until(lambda: page.is_shown("dialog.dialog[open]"))
    page.find("dialog.dialog[open] .primary").click()
    until(lambda: [rule["name"] for rule in server.ask("GET", "rules")["items"]] == ["points"])
    # Switching such a rule on again asks as well; switching it off does not.
    until(lambda: page.is_shown("main.screen .rows > li"))
    press(page, "Switch points off")
    until(lambda: server.ask("GET", "rules/points")["enabled"] is False)
    until(lambda: "off" in page.text("main.screen .badge"))
    page.find("main.screen").get_by_role("button", name="Switch points on").click()
    until(lambda: page.is_shown("dialog.dialog[open]"))
    assert "2 regions match now" in page.text("dialog.dialog[open]")
    page.find("dialog.dialog[open] .primary").click()
    until(lambda: server.ask("GET", "rules/points")["enabled"] is True)
    assert server.ask("GET", "collections/east-site/regions/yard")["musterRules"] == ["points"]
    page.go("regions", "east-site", "yard")
    until(lambda: page.is_shown(".settings .by-rule"))
    assert "By a rule it is an assembly point whatever is ticked here: points." in page.text(".settings .by-rule")
    # Saved for another reason, it does not become one by its own setting.
    assert not page.find("#region-muster").is_checked()
    page.find("#region-name").fill("The old yard")
    page.find("main.screen").get_by_role("button", name="Save", exact=True).click()
    yard = "collections/east-site/regions/yard"
    until(lambda: server.ask("GET", yard)["properties"]["name"] == "The old yard")
    assert server.ask("GET", yard)["properties"]["muster"] is True
    server.ask("DELETE", "rules/points")
    until(lambda: server.ask("GET", yard)["properties"]["muster"] is False)
    page.faults()
