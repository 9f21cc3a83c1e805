"""Servers for the tests: each a process over a fresh folder, ended with the test or the file that asked for it."""

import os
import pathlib

import pytest

from couch_api import as_admin
from muster_process import MusterProcess, root
from wire import Wire


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """One server for all tests of a file."""
    with MusterProcess(tmp_path_factory.mktemp("muster")) as server:
        yield server


@pytest.fixture(scope="module")
def admin(server):
    """The server's API as admin."""
    return server.admin()


@pytest.fixture(scope="module")
def couch(server):
    """The server's CouchDB protocol as admin."""
    return as_admin(server)


@pytest.fixture
def db(couch):
    """The path of a fresh database."""
    return couch.fresh()


@pytest.fixture
def wire(server):
    """A connection to it, byte by byte."""
    with Wire(server) as wire:
        yield wire


@pytest.fixture
def make_server(tmp_path):
    """Makes servers that are not started yet; whatever of them runs when the test ends is killed."""
    made = []

    def make(name="muster", **more):
        made.append(MusterProcess(tmp_path / name, **more))
        return made[-1]

    yield make
    for server in made:
        server.kill()


@pytest.fixture(scope="session")
def test_data():
    """The folder with data that others made."""
    folder = pathlib.Path(os.environ.get("MUSTER_TEST_DATA", root.parent / "shared/data"))
    if not folder.is_dir():
        pytest.skip("the test data is not there; MUSTER_TEST_DATA names its folder")
    return folder
