"""Fixtures of the tests of official warnings."""

import pytest

from warning_feed import WarningService


@pytest.fixture
def service():
    with WarningService() as service:
        yield service


@pytest.fixture
def follow(make_server, service):
    """Starts a server that follows the service's feed for the team north, which has a region of its own."""

    def start(*arguments, url=None):
        server = make_server().start()
        admin = server.admin()
        admin.make_team("north")
        server.end()
        server.arguments = [
            "--warnings", f"north={url or service.url}", "--warnings-seconds", "1", "--allow-private-targets",
            *arguments]
        return server.start()

    return start
