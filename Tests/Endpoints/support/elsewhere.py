"""What some tests need and no Debian or Python package has. Each function finds it, or skips the test and says what to
install and which variable names it. CONTRIBUTING.md lists them: "What a plain `make test` leaves out"."""

import os
import pathlib
import shutil

import pytest

from muster_process import root


def couchdb_url():
    """The address of a real CouchDB, with the name and password of an admin of it."""
    if url := os.environ.get("COUCHDB_URL", "").rstrip("/"):
        return url
    pytest.skip("install Apache CouchDB 3.4 and set COUCHDB_URL=http://admin:secret@127.0.0.1:5984, with an admin's "
                "name and password")


def couchdb_source():
    """A checkout of CouchDB, with the Mango suite that it has of itself."""
    if source := os.environ.get("COUCHDB_SOURCE"):
        return pathlib.Path(source).resolve()
    pytest.skip("check out Apache CouchDB 3.4.3, which need not be built, and set COUCHDB_SOURCE to its folder")


def pouchdb_builds():
    """The folder of PouchDB's browser builds, `pouchdb.js` and `pouchdb.memory.js` among them."""
    if named := os.environ.get("POUCHDB_DIST"):
        return pathlib.Path(named).resolve()
    installed = root / "node_modules/pouchdb/dist"
    if installed.is_dir():
        return installed
    pytest.skip("run `npm install --no-save pouchdb@9.0.0` beside Package.swift, or set POUCHDB_DIST to the folder of "
                "pouchdb.js and pouchdb.memory.js")


def pouchdb_suite():
    """A checkout of PouchDB that was built, with the suites that it has of itself."""
    if source := os.environ.get("POUCHDB_SUITE"):
        return pathlib.Path(source).resolve()
    pytest.skip("check out PouchDB 9.0.0, build it as its TESTING.md says, and set POUCHDB_SUITE to its folder")


def node():
    """The program of Node.js: the system's, or else the one that Scripts/setup put beside the tests' Python."""
    if found := shutil.which("node", path=f"{root / '.venv/node'}:{os.environ['PATH']}"):
        return found
    pytest.skip("Node.js is not installed; Scripts/setup test installs it")
