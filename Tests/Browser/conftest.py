"""A server and a browser for each file of tests; a profile for each test."""

import sys

import pytest

from live_page import Browsers, LivePage, chromium
from live_server import LiveServer, box, circle, root

sys.path.append(str(root / "Tests/Endpoints/support"))

west, south = 10.7460, 59.9080


def pytest_configure(config):
    """Declares the marker `soak`, as Tests/Endpoints/conftest.py does."""
    config.addinivalue_line("markers", "soak: a seeded loop, short in `make test` and long in `make soak`")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server for each file: what one file leaves open, as a call for help, is not seen by the next."""
    server = LiveServer(tmp_path_factory.mktemp("muster"))
    server.start()
    server.make_team("north", [
        box("a", "Assembly point A", west, south, muster=True),
        circle("b", "Assembly point B", west + 0.008, south + 0.004, 60, muster=True),
        box("tank", "Tank farm", west + 0.003, south + 0.002),
    ])
    yield server
    server.stop()


@pytest.fixture(scope="module")
def browsers():
    """The browsers of a file's tests. Playwright runs an event loop in this thread until they are closed, and tests of
    other files have loops of their own."""
    if not chromium:
        pytest.skip("chromium is not installed; Scripts/setup test installs it")
    opened = Browsers()
    yield opened
    opened.close()


@pytest.fixture
def context(request, browsers):
    """The profile of a test. Its browser draws the map where the test's file says `needs_map = True`: without a
    graphics card that is half of the work of such a test."""
    context = browsers.context(with_webgl=getattr(request.module, "needs_map", False))
    yield context
    context.close()


@pytest.fixture
def page(context, server):
    """A tab. After each test: nothing went wrong in it, and it asked no other host."""
    page = LivePage(context, server)
    yield page
    faults, foreign = page.faults(), page.foreign_requests()
    assert not faults
    assert not foreign
