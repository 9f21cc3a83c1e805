"""Fixtures that run Muster servers. Each is a process over a fresh folder, and ends with the test or file that uses
it."""

import os
import pathlib
import shutil
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent / "support"))

from certificates import make_certificate  # noqa: E402
from couch_api import as_admin  # noqa: E402
from muster_process import MusterProcess, root  # noqa: E402
from wire import Wire  # noqa: E402


longest = (
    "test_command_line", "test_track", "test_availability", "test_scan", "test_live", "test_command_page",
    "test_docs_commands", "test_push_apps", "test_full_disk", "test_start", "test_refused_documents",
    "test_first_start", "test_relay", "test_push_faults", "test_late_crossings", "test_replication_crashes",
    "test_nearby", "test_ranges", "test_nearby_network", "test_tls", "test_links", "test_webhooks", "test_replicate",
    "test_hostile_connections", "test_beacons", "test_tak_picture", "test_mqtt_bridge", "test_faults", "test_crash",
    "test_warnings", "test_hostile_feeds")
"""The files whose tests take longest, the longest first."""


def pytest_configure(config):
    config.addinivalue_line("markers", "soak: a seeded loop, short in `make test` and long in `make soak`")


def pytest_collection_modifyitems(items):
    """Begins with the longest files, so that none of them runs alone at the end while other processes idle."""
    ranks = {name: rank for rank, name in enumerate(longest)}
    items.sort(key=lambda item: ranks.get(item.path.stem, len(ranks)))


def made_store(folder):
    """Returns a stopped server whose store holds admin and the API key of the tests.

    Creating them hashes a password, which takes longer than the rest of a server's start.
    """
    with MusterProcess(folder) as server:
        server.admin()
    return server


@pytest.fixture(scope="session")
def store_of_files(tmp_path_factory):
    """The store that each test file's shared server starts with."""
    return made_store(tmp_path_factory.mktemp("store"))


@pytest.fixture(scope="session")
def store_of_tests(tmp_path_factory):
    """The store that the first server of a test starts with. It differs from the store of the file's shared server,
    because a test may connect both."""
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
    """The shared server's native API, as admin."""
    return server.admin()


@pytest.fixture(scope="module")
def couch(server):
    """The shared server's CouchDB protocol, as admin."""
    return as_admin(server)


@pytest.fixture
def db(couch):
    """The path of a new database."""
    return couch.fresh()


@pytest.fixture
def wire(server):
    """A raw connection to the shared server."""
    with Wire(server) as wire:
        yield wire


@pytest.fixture
def make_server(tmp_path, store_of_tests):
    """Makes servers that the test starts itself. Kills those that still run when the test ends.

    The first server starts with a store that holds admin and a key. Each other server makes a store of its own, so that
    no two servers have the same.
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


@pytest.fixture
def certificate(tmp_path):
    """A certificate for this machine's loopback address, and its key, as PEM files."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl, which makes the certificate, is not installed; Scripts/setup test installs it")
    return make_certificate(tmp_path / "chain.pem", tmp_path / "key.pem")


@pytest.fixture(scope="session")
def test_data():
    """The folder with test data from other sources. Skips the test where it does not exist."""
    folder = pathlib.Path(os.environ.get("MUSTER_TEST_DATA", root.parent / "shared/data"))
    if not folder.is_dir():
        pytest.skip("the test data is not there; MUSTER_TEST_DATA names its folder")
    return folder
