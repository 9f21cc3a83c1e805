"""PouchDB's own suites, unmodified, against the server.

`POUCHDB_SUITE` names a checkout of PouchDB (git tag 9.0.0) that was built as its TESTING.md says. Databases that are
not the server's are kept in memory. Whatever fails is explained by its name in docs/couchdb.md, and whatever is named
there fails.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess

from elsewhere import pouchdb_suite
from muster_process import admin_password, root

preload = pathlib.Path(__file__).parent / "pouchdb/suite.cjs"
suite_seconds = 900
test_milliseconds = 10_000


def explained():
    """The tests that the page explains."""
    page = (root / "docs/couchdb.md").read_text()
    section = page.split("## PouchDB's own suites", 1)[1].split("\n## ", 1)[0]
    return {name for line in section.splitlines() if line.startswith("- ") for name in re.findall("`(.+?)`", line)}


def title(row):
    """A test's own title, also where one of its hooks failed."""
    hook = re.fullmatch(r'".+" hook for "(.+)"', row["title"])
    return hook[1] if hook else row["title"]


def run(server, folder, files, report, **settings):
    """Runs files of a suite; mocha's report."""
    mocha = folder / "node_modules/.bin/mocha"
    program = str(mocha) if mocha.exists() else shutil.which("mocha")
    assert program, "mocha is not installed"
    scheme, host = server.address.split("://")
    environment = {
        **os.environ, "COUCH_HOST": f"{scheme}://admin:{admin_password.replace(' ', '%20')}@{host}",
        "SERVER": "couchdb-master", "VIEW_ADAPTERS": "memory", **settings}
    ended = subprocess.run(
        [program, "--exit", "--timeout", str(test_milliseconds), "--require", preload,
         "--require", "./tests/integration/node.setup.js",
         "--reporter", "json", "--reporter-option", f"output={report}", *map(str, files)],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=suite_seconds)
    assert report.exists(), ended.stdout[-5_000:] + ended.stderr[-5_000:]
    return json.loads(report.read_text())


def test_pouchdbs_suites_pass_but_for_what_is_explained(server, tmp_path):
    folder = pouchdb_suite()
    built = folder / "packages/node_modules/pouchdb/lib/index.js"
    assert built.exists(), f"{built} is not there: build PouchDB first"
    # These hooks would end the whole run at the first assertion that fails inside a callback.
    core = sorted((folder / "tests/integration").glob("test.*.js"))
    core = [path for path in core if "global_hooks" not in path.name]
    found = [
        run(server, folder, core, tmp_path / "core.json", ADAPTERS="memory"),
        run(server, folder, sorted((folder / "tests/find").glob("*/test.*.js")), tmp_path / "find.json",
            ADAPTERS="http", PLUGINS="pouchdb-find"),
    ]
    for report in found:
        counts = report["stats"]
        print(f"{counts['passes']} passed, {counts['failures']} failed, {counts['pending']} skipped by the suite")
    failed = {title(row): row for report in found for row in report["failures"]}
    names = explained()
    unexplained = {name: row["err"].get("message") for name, row in failed.items() if name not in names}
    assert not unexplained
    assert not names - failed.keys(), "explained, and passes"
    assert [report["stats"]["tests"] > least for report, least in zip(found, (1_900, 400))] == [True, True]
