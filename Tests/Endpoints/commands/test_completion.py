"""What TAB completes, in the shells themselves, with the scripts that the program prints and the package installs."""

import pathlib
import shutil
import subprocess

import pytest

from muster_process import binary, run
from terminal import Terminal, prompt


@pytest.fixture(scope="module")
def scripts(tmp_path_factory):
    """The folder with a script for each shell."""
    folder = tmp_path_factory.mktemp("completions")
    for shell, name in (("bash", "muster"), ("zsh", "_muster"), ("fish", "muster.fish")):
        (folder / name).write_text(run("--generate-completion-script", shell))
    return folder


@pytest.fixture
def bash(scripts, tmp_path):
    (tmp_path / "walk.gpx").touch()
    (tmp_path / "notes.txt").touch()
    terminal = Terminal(["bash", "--norc", "--noprofile", "-i"], tmp_path)
    terminal.type(f"source {scripts}/muster; PS1='{prompt}'; echo loa''ded\r", until=f"loaded\r\n{prompt}")
    yield terminal
    terminal.end()


@pytest.mark.parametrize("typed, completed", [
    ("muster us\t", "user "),
    ("muster user pass\t", "password "),
    ("muster user set ana --ro\t", "--role "),
    ("muster user add ana --role lea\t", "leader "),
    ("muster device token phone --user ana --ownt\t", "--owntracks "),
    ("muster replay wa\t", "walk.gpx ")])
def test_bash_completes(bash, typed, completed):
    shown = bash.type(typed, until=completed)
    assert shown.startswith(typed[:-1])
    assert shown.removeprefix(typed[:typed.rindex(" ") + 1]) == completed


def test_bash_lists_what_could_follow(bash):
    shown = bash.type("muster tracker \t\t", until="show")
    assert {"add", "set", "list", "show"} <= set(shown.split())


@pytest.mark.parametrize("shell, check", [("zsh", ["-n"]), ("fish", ["--no-execute"])])
def test_zsh_and_fish_parse_their_scripts(scripts, shell, check):
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed; Scripts/setup test installs it")
    script = scripts / {"zsh": "_muster", "fish": "muster.fish"}[shell]
    done = subprocess.run([shell, *check, script], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_fish_completes(scripts, tmp_path):
    if not shutil.which("fish"):
        pytest.skip("fish is not installed; Scripts/setup test installs it")
    path = f"{pathlib.Path(binary).parent}:/usr/bin:/bin"
    for line, word in (("muster us", "user"), ("muster user add ana --role lea", "leader")):
        done = subprocess.run(
            ["fish", "--no-config", "-c", f"source {scripts}/muster.fish; complete --do-complete '{line}'"],
            capture_output=True, text=True, timeout=60, env={"PATH": path, "HOME": str(tmp_path)})
        assert word in [each.split("\t")[0] for each in done.stdout.splitlines()], done


def test_zsh_completes(scripts, tmp_path):
    if not shutil.which("zsh"):
        pytest.skip("zsh is not installed; Scripts/setup test installs it")
    terminal = Terminal(["zsh", "-f", "-i"], tmp_path)
    try:
        loading = f"fpath=({scripts} $fpath); autoload -U compinit; compinit -u -D; PS1='{prompt}'; echo loa''ded\r"
        terminal.type(loading, until="loaded\r\n")
        terminal.type("muster us\t", until="user ")
    finally:
        terminal.end()
