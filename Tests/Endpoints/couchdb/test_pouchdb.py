"""An unmodified PouchDB, in Node: replication in both directions, live, with conflicts and filters.

`POUCHDB_DIST` names the folder of its browser builds, with `pouchdb.js` and `pouchdb.memory.js`; without it, they are
where npm puts them.
"""

import json
import os
import pathlib
import random
import subprocess
import tempfile
import time

import pytest

from couch_api import as_admin
from elsewhere import node, pouchdb_builds
from muster_process import admin_password
from soak import rounds

here = pathlib.Path(__file__).parent / "pouchdb"
expected = {
    "pushAndPull": {"written": 250, "pulled": 250, "again": 0, "same": True, "deep": True},
    "conflicts": {"same": True, "winner": "ben again", "losers": 2, "left": []},
    "live": {"there": True, "here": True, "gone": True},
    "filters": {"selector": ["b", "c"], "ids": ["a"]},
}


def begin(server, db, scenario):
    """Starts a scenario in Node."""
    program = [node(), here / "run.cjs", pouchdb_builds(), scenario]
    environment = {
        **os.environ, "POUCHDB_URL": server.address + db, "POUCHDB_USER": "admin", "POUCHDB_PASSWORD": admin_password}
    # A pipe that nobody reads meanwhile would stop it once it is full.
    errors = tempfile.TemporaryFile("w+")
    return errors, subprocess.Popen(
        program, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True)


def end(begun, said=""):
    """Says something to a scenario; what it returned."""
    errors, run = begun
    try:
        output, _ = run.communicate(said, timeout=300)
    finally:
        run.kill()
    errors.seek(0)
    assert run.returncode == 0, errors.read()[-20_000:]
    return json.loads(output)


@pytest.mark.parametrize("scenario", expected)
def test_pouchdb_replicates(server, db, scenario):
    assert end(begin(server, db, scenario)) == expected[scenario]


@pytest.mark.soak
def test_live_clients_that_retry_go_on_after_every_crash(make_server):
    """None stays behind, whatever it was being answered when the server was killed."""
    seed = random.randrange(1 << 32)
    print("seed", seed)
    chance = random.Random(seed)
    server = make_server().start()
    couch = as_admin(server)
    for round in range(rounds(1, 20)):
        couch.ok("PUT", f"/live-{round}")
        begun = begin(server, f"/live-{round}", "throughCrashes")
        try:
            for _ in range(6):
                time.sleep(chance.uniform(0.5, 2))
                server.kill()
                server.start()
            assert end(begun, "stop writing") == {"same": True, "documents": 20}
        finally:
            begun[1].kill()
