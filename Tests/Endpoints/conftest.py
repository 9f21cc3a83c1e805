"""Servers for the tests: each a process over a fresh folder, ended with the test or the file that asked for it."""

import os
import pathlib

import pytest

from couch_api import as_admin
from muster_process import MusterProcess, root
from wire import Wire


def pytest_configure(config):
    config.addinivalue_line("markers", "soak: a seeded loop, short in `make test` and long in `make soak`")


def made_store(folder):
    """A stopped server whose store holds admin and the key of the tests.

    Both begin with a password that is hashed, which takes a processor longer than all the rest of a start.
    """
    with MusterProcess(folder) as server:
        server.admin()
    return server


@pytest.fixture(scope="session")
def store_of_files(tmp_path_factory):
    """The store that the servers of whole files begin with."""
    return made_store(tmp_path_factory.mktemp("store"))


@pytest.fixture(scope="session")
def store_of_tests(tmp_path_factory):
    """The store that the first server of a test begins with; another one than its file's, so that both may meet."""
    return made_store(tmp_path_factory.mktemp("store"))


@pytest.fixture(scope="module")
def server(tmp_path_factory, store_of_files):
    """One server for all tests of a file."""
    server = MusterProcess(tmp_path_factory.mktemp("muster"))
    server.model = store_of_files
    with server:
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
def make_server(tmp_path, store_of_tests):
    """Makes servers that are not started yet; whatever of them runs when the test ends is killed.

    The first has a store with admin and a key as soon as it starts. The others make their own: no two are one store.
    """
    made = []

    def make(name="muster", **more):
        server = MusterProcess(tmp_path / name, **more)
        if not made:
            server.model = store_of_tests
        made.append(server)
        return server

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
