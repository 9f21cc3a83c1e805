"""Official warnings on the screen of regions: in the list and at the region, with their severity and their end."""

import os
import re

import pytest

from live_server import LiveServer, until
from regions_page import open_regions
from warning_feed import WarningService, alert, at, box

needs_map = True
headline = "Flood warning <b>for the coast</b>"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with WarningService() as service:
        service.publish("/1.cap", alert("w1", at(-60), expires=at(36_000), headline=headline, severity="Extreme"))
        server = LiveServer(tmp_path_factory.mktemp("muster"), [
            "--warnings", f"coast={service.url}", "--warnings-seconds", "1", "--allow-private-targets"])
        server.start()
        server.ask("POST", "teams", {"name": "coast"})
        server.make_user("coast-lena", "leader", "coast")
        until(lambda: any(one["name"] == "warnings-coast" for one in server.ask("GET", "collections")["items"]))
        yield server
        server.stop()


def test_a_leader_sees_what_a_warning_says_and_until_when_and_cannot_change_it(page):
    open_regions(page, "warnings-coast", user="coast-lena")
    until(lambda: headline in page.text(".region-list"))
    assert re.search(r"extreme\s+until .*\d", page.text(".region-list"))
    assert "An official warning" in page.text(".region-list")
    page.find(".region-list .region").click()
    until(lambda: "Leave the banks." in page.text(".panel"))
    shown = page.text(".panel")
    assert "Warning of Example Weather Service" in shown and "North coast" in shown and "until " in shown
    assert page.find(".save").count() == 0
    if folder := os.environ.get("MUSTER_SCREENSHOTS"):
        page.tab.screenshot(path=f"{folder}/warning.png")
