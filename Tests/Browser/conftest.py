"""Browsers for all files of tests, a server for each file, and a profile for each test."""

import pathlib
import sys

import pytest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Endpoints/support"))

from live_page import Browsers, LivePage, chromium, whole_chromium  # noqa: E402
from live_server import LiveServer, box, circle  # noqa: E402

west, south = 10.7460, 59.9080
opened = Browsers()
longest = (
    "test_week_page", "test_operations_page", "test_outgoing_page", "test_accessible_page", "test_me_offline",
    "test_administration_accessible", "test_regions_page", "test_region_edits_page", "test_me_area",
    "test_incident_page", "test_roster_page", "test_live_page", "test_administration_users", "test_replay_page",
    "test_me_way", "test_page_track", "test_sureness", "test_me_accessible", "test_clock_off_page", "test_roll")
"""The files whose tests take longest."""


def pytest_configure(config):
    """Declares the markers."""
    config.addinivalue_line("markers", "soak: a seeded loop, short in `make test` and long in `make soak`")
    config.addinivalue_line("markers", "without_map: a test that needs no map, in a file whose others do")


def pytest_collection_modifyitems(items):
    """Begins with the longest files, so that none of them runs alone at the end while other processes idle."""
    ranks = {name: rank for rank, name in enumerate(longest)}
    items.sort(key=lambda item: ranks.get(item.path.stem, len(ranks)))


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


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Has what the page showed in the report of a test that failed: a busy machine elsewhere shows it only once."""
    report = yield
    page = item.funcargs.get("page") if call.when == "call" and report.failed else None
    if page is not None:
        try:
            report.sections.append(("What the page showed", f"{page.tab.url}\n{page.text('body')[:4000]}"))
        except Exception as error:  # pylint: disable=broad-exception-caught
            report.sections.append(("What the page showed", f"nothing: {error}"))
    return report


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(nextitem):
    """Closes the browsers behind the last test of this folder: tests of others have event loops of their own."""
    if nextitem is None or pathlib.Path(__file__).parent not in nextitem.path.parents:
        opened.close()


@pytest.fixture(scope="session")
def browsers():
    """The browsers of all tests. To start one takes as long as to show a page."""
    if not chromium:
        pytest.skip("chromium is not installed; Scripts/setup test installs it")
    return opened


@pytest.fixture
def own_server(tmp_path):
    """A server of one test alone, which the test may kill."""
    server = LiveServer(tmp_path)
    server.start()
    server.make_team("north", [box("a", "Assembly point A", west, south, muster=True)])
    yield server
    server.kill()


@pytest.fixture
def context(request, browsers):
    """The profile of a test, with the options that the test's file names in `profile`. Its browser draws the map where
    the file says `needs_map = True` and the test is not marked `without_map`: without a graphics card that is half of
    the work of such a test. It shows notifications where the file says `needs_notifications = True`."""
    module = request.module
    needs_notifications = getattr(module, "needs_notifications", False)
    if needs_notifications and not whole_chromium:
        pytest.skip("chromium is not installed; Scripts/setup test installs it")
    needs_map = getattr(module, "needs_map", False) and request.node.get_closest_marker("without_map") is None
    context = browsers.context(
        with_webgl=needs_map, is_whole=needs_notifications,
        **getattr(module, "profile", {}))
    yield context
    context.close()


@pytest.fixture
def page(request, context, server):
    """A tab, of the kind that the test's file names in `page_type`. After each test: nothing went wrong in it, and it
    asked no other host. Where the file says `is_server_killed = True`, each test begins with a running server, and what
    a dead server does to requests is no fault."""
    is_server_killed = getattr(request.module, "is_server_killed", False)
    if is_server_killed and server.process.poll() is not None:
        server.start()
    page = getattr(request.module, "page_type", LivePage)(context, server)
    yield page
    faults, foreign = page.faults(), page.foreign_requests()
    assert is_server_killed or not faults
    assert not foreign
