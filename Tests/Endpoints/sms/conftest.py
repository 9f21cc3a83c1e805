"""Fixtures of the tests of texts by SMS."""

import itertools

import pytest

from muster_process import MusterProcess
from sms_gateway import SMSGateway, arguments, public_url, token

numbers = itertools.count(600_000_000)


@pytest.fixture(scope="module")
def server(tmp_path_factory, store_of_files):
    folder = tmp_path_factory.mktemp("sms")
    server = MusterProcess(folder / "muster", arguments(folder))
    server.model = store_of_files
    with server:
        yield server


@pytest.fixture(scope="module")
def gateway(server, admin):
    admin.make_team("north")
    key = admin.make_user("texts", "gateway").token
    return SMSGateway(server, key, token, public_url)


@pytest.fixture
def person(admin, gateway):
    """A member with a number of their own."""
    number = next(numbers)
    name = f"p{number}"
    api = admin.make_user(name, "member", "north")
    admin.ok("PATCH", f"/users/{name}", {"phone": f"{number:,}".replace(",", " ")})
    api.name, api.number = name, f"+34{number}"
    return api
