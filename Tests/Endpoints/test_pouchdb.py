"""An unmodified PouchDB, in Node: replication in both directions, live, with conflicts and filters.

`POUCHDB_DIST` names the folder of its browser builds, with `pouchdb.js` and `pouchdb.memory.js`.
"""

import json
import os
import pathlib
import shutil
import subprocess

import pytest

from muster_process import admin_password

folder = os.environ.get("POUCHDB_DIST")
here = pathlib.Path(__file__).parent / "pouchdb"
expected = {
    "pushAndPull": {"written": 250, "pulled": 250, "again": 0, "same": True, "deep": True},
    "conflicts": {"same": True, "winner": "ben again", "losers": 2, "left": []},
    "live": {"there": True, "here": True, "gone": True},
    "filters": {"selector": ["b", "c"], "ids": ["a"]},
}


@pytest.mark.parametrize("scenario", expected)
def test_pouchdb_replicates(server, db, scenario):
    if not folder:
        pytest.skip("POUCHDB_DIST names no folder with a PouchDB")
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    environment = {
        **os.environ, "POUCHDB_URL": server.address + db, "POUCHDB_USER": "admin", "POUCHDB_PASSWORD": admin_password}
    run = subprocess.run(
        ["node", here / "run.cjs", folder, scenario], env=environment, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == expected[scenario]
