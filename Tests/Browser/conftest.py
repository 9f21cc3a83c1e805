"""One server and one browser for all tests; a tab for each."""

import sys

import pytest

from live_page import LivePage, chromium, driver, open_browser
from live_server import LiveServer, box, circle, root

sys.path.append(str(root / "Tests/Endpoints/support"))

west, south = 10.7460, 59.9080


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    server = LiveServer(tmp_path_factory.mktemp("muster"))
    server.start()
    server.make_team("north", [
        box("a", "Assembly point A", west, south, muster=True),
        circle("b", "Assembly point B", west + 0.008, south + 0.004, 60, muster=True),
        box("tank", "Tank farm", west + 0.003, south + 0.002),
    ])
    yield server
    server.stop()


@pytest.fixture(scope="session")
def browser():
    if not (chromium and driver):
        pytest.skip("chromium and chromedriver are not installed")
    browser = open_browser()
    yield browser
    browser.quit()


@pytest.fixture
def page(browser, server):
    """A tab. After each test: nothing went wrong in it, and it asked no other host."""
    page = LivePage(browser, server)
    page.faults(), browser.get_log("performance")
    yield page
    faults, foreign = page.faults(), page.foreign_requests()
    page.close()
    assert not faults
    assert not foreign
