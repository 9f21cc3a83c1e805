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
def browsers():
    """The browsers of this process, by whether they have WebGL."""
    if not (chromium and driver):
        pytest.skip("chromium and chromedriver are not installed; Scripts/setup test installs them")
    opened = {}
    yield opened
    for browser in opened.values():
        browser.quit()


@pytest.fixture(scope="module")
def browser(request, browsers):
    """The browser of a file's tests. It draws the map where the file says `needs_map = True`: without a graphics card
    that is half of the work of such a test."""
    needs_map = getattr(request.module, "needs_map", False)
    if needs_map not in browsers:
        browsers[needs_map] = open_browser(with_webgl=needs_map)
    return browsers[needs_map]


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
