"""The server sends the pages' scripts and style sheets without their comments: what it sends is the same code."""

import json
import pathlib
import shutil
import subprocess

import pytest
import requests

from live_server import root

here = pathlib.Path(__file__).parent
# Comments within a template stay.
may_stay = 0.01


@pytest.fixture(scope="module")
def served(server):
    """The text of each script and style sheet of ours, by its path, as the server sends it."""
    web = root / "Web"
    paths = sorted(str(path.relative_to(web)) for path in web.rglob("*") if path.suffix in (".js", ".css"))
    with requests.Session() as session:
        answers = {path: session.get(f"{server.address}/{path}", timeout=60) for path in paths
                   if not path.startswith("vendor/")}
    assert all(answer.status_code == 200 for answer in answers.values())
    return {path: answer.content.decode() for path, answer in answers.items()}


def is_comment(line):
    """Whether a line of our sources looks like a comment of its own, or like a part of one."""
    return line.lstrip().startswith(("//", "/*", "* ", "*/")) and not line.startswith("* {")


def test_the_comments_are_not_sent(served):
    for suffix in (".js", ".css"):
        sources = {path: (root / "Web" / path).read_text() for path in served if path.endswith(suffix)}
        written = sum(is_comment(line) for text in sources.values() for line in text.splitlines())
        sent = sum(is_comment(line) for path in sources for line in served[path].splitlines())
        assert written > 20 and sent < written * may_stay, f"{suffix}: {sent} of {written} lines"


def test_only_comments_are_left_out(served):
    """Each line that is sent is one of the source, in its order, and each line left out looks like a comment."""
    for path, text in served.items():
        sent = iter(text.splitlines())
        expected = next(sent, None)
        is_open = False
        for line in (root / "Web" / path).read_text().splitlines():
            if line == expected and not is_open:
                expected = next(sent, None)
                continue
            is_open = "*/" not in line and (is_open or line.lstrip().startswith("/*"))
            assert is_open or is_comment(line) or line.rstrip().endswith("*/"), f"{path}: {line}"
        assert expected is None, f"{path}: {expected}"


def test_what_is_sent_can_be_parsed(served):
    node = shutil.which("node")
    if not node:
        pytest.skip("Node.js is not installed; Scripts/setup test installs it")
    scripts = {path: text for path, text in served.items() if path.endswith(".js")}
    done = subprocess.run([node, "--no-warnings", "--experimental-vm-modules", here / "parse.mjs"],
                          input=json.dumps(scripts), capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_licence_of_others_is_sent(server):
    for path in sorted((root / "Web/vendor").rglob("*.js")):
        sent = requests.get(f"{server.address}/{path.relative_to(root / 'Web')}", timeout=60)
        assert sent.content == path.read_bytes(), path
