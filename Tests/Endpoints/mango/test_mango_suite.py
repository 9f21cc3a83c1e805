"""CouchDB's own Mango suite, unmodified. `COUCHDB_SOURCE` names a checkout of Apache CouchDB 3.4 (git tag 3.4.3).

Whatever fails is explained by its name in docs/mango.md, and whatever is named there fails.
"""

import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree

from elsewhere import couchdb_source
from muster_process import admin_password, root

suite_seconds = 600


def explained():
    """The classes and tests that the page explains."""
    page = (root / "docs/mango.md").read_text()
    section = page.split("## CouchDB's own suite", 1)[1].split("\n## ", 1)[0]
    return set(re.findall(r"`(test_\w+|\w+Tests\w*)`", section))


def outcomes(report):
    """By class and name, whether a test passed; those that were skipped are left out. A test of which one part failed
    is one that failed."""
    found = {}
    for case in xml.etree.ElementTree.parse(report).iter("testcase"):
        name = case.get("classname").rsplit(".", 1)[-1], case.get("name")
        if case.find("skipped") is None:
            passed = case.find("failure") is None and case.find("error") is None
            found[name] = passed and found.get(name, True)
    return found


def test_couchdbs_mango_suite_passes_but_for_what_is_explained(server, tmp_path):
    folder = couchdb_source() / "src/mango/test"
    files = sorted(folder.glob("[0-9]*.py"))
    assert files, f"{folder} has no suite: CouchDB 3.4 has one"
    report = tmp_path / "report.xml"
    environment = {
        **os.environ, "COUCH_HOST": server.address, "COUCH_USER": "admin", "COUCH_PASS": admin_password,
        "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--tb=line", "-c", os.devnull, f"--rootdir={folder}",
         "-p", "no:cacheprovider", "--import-mode=importlib", f"--junitxml={report}", *map(str, files)],
        env=environment, capture_output=True, text=True, timeout=suite_seconds)
    assert report.exists(), run.stdout + run.stderr
    found = outcomes(report)
    failed = {name for name, passed in found.items() if not passed}
    print(f"{len(found) - len(failed)} of {len(found)} passed")
    names = explained()
    unexplained = {name for name in failed if not names & set(name)}
    assert not unexplained, f"{sorted(unexplained)}\n{run.stdout[-20_000:]}"
    assert not names - {part for name in failed for part in name}, "explained, and passes"
    assert len(found) >= 240, "the suite did not run whole"
