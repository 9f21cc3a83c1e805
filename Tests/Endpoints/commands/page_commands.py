"""Finds the command blocks of a page in Markdown, and runs them in a shell as a reader would.

A block in `sh`, `bash` or `console` is run. A comment right before it may change that:

    <!-- not run: REASON -->          the block needs something that tests do not have
    <!-- stays running: TEXT -->      the block continues in the background once it has printed TEXT
    <!-- given                        the page's assumption: these lines run before the block
    COMMANDS
    -->
    <!-- output -->                   before a `text` block: lines that the last block printed; … stands for anything
"""

import dataclasses
import os
import pathlib
import re
import shlex
import subprocess
import sys
import textwrap

from muster_process import binary, root

shells = ("sh", "bash", "console")
languages = shells + ("text", "json", "python", "js", "swift", "xml", "html", "ini", "yaml")
start_seconds = 120
page_seconds = 900

_fence = re.compile(
    r"(?P<comments>(?:^[ \t]*<!--(?:(?!-->).)*-->[ \t]*\n\s*)*)"
    r"^(?P<indent>[ \t]*)```(?P<language>[^\n`]*)\n(?P<text>.*?)^[ \t]*```[ \t]*$", re.S | re.M)
_comment = re.compile(r"<!--\s*(.*?)\s*-->", re.S)


@dataclasses.dataclass
class Block:
    """A fenced block of a page, with the page's comments about it."""
    page: str
    line: int
    language: str
    text: str
    not_run: str | None = None
    ready: str | None = None
    given: str = ""
    is_output: bool = False

    @property
    def name(self):
        return f"{self.page}:{self.line}"

    @property
    def is_command(self):
        return self.language in shells


def blocks(page):
    """Returns every fenced block of a page of the repository, in order."""
    return parse((root / page).read_text(), page)


def parse(text, page):
    """Returns every fenced block of a page's text, in order.

    Raises `ValueError` where a comment before a block begins like one of the known comments and is none of them.
    """
    found = []
    for match in _fence.finditer(text):
        line = text[:match.start("indent")].count("\n") + 1
        block = Block(page, line, match["language"].strip(), textwrap.dedent(match["text"]))
        for comment in _comment.findall(match["comments"]):
            _read_comment(comment, block)
        found.append(block)
    return found


def _read_comment(comment, block):
    kind, _, rest = comment.partition("\n" if comment.startswith("given\n") else ":")
    if kind == "not run" and rest.strip():
        block.not_run = " ".join(rest.split())
    elif kind == "stays running" and rest.strip():
        block.ready = rest.strip()
    elif kind == "given" and rest.strip():
        block.given = rest + "\n"
    elif kind == "output" and not rest:
        block.is_output = True
    else:
        raise ValueError(f"{block.name}: no test knows the comment <!-- {comment} -->")


def isolated():
    """Returns the command that runs a process in a network of its own and ends its children. None where the system
    does not allow that."""
    for mapping in ([], ["--map-root-user"]):
        # libdispatch finds its threads in /proc, so /proc must belong to their namespace.
        command = ["unshare", *mapping, "--net", "--pid", "--mount-proc", "--fork", "--kill-child"]
        try:
            if subprocess.run([*command, "true"], capture_output=True, timeout=60).returncode == 0:
                return command
        except (OSError, subprocess.TimeoutExpired):
            return None
    return None


def check_page(page, folder, isolation, afterwards=()):
    """Runs the commands of a page as `run_page` does, and holds what they print against what the page says."""
    outputs = run_page(page, folder, isolation, afterwards)
    for block, lines in claims(page):
        line = missing(lines, outputs[block.name])
        assert line is None, f"{block.name} does not print {line!r}, but:\n{outputs[block.name]}"


def run_page(page, folder, isolation, afterwards=()):
    """Runs the commands of a page, in order, in one shell over an empty folder.

    - `isolation`: the result of `isolated()`.
    - `afterwards`: further commands, run behind the page's.

    Returns each block's output, by the block's name. Fails with the end of the output where a command fails.
    """
    home, work = folder / "home", folder / "work"
    home.mkdir()
    work.mkdir()
    script = folder / "page.sh"
    script.write_text(_script(page, folder, afterwards))
    programs = [pathlib.Path(binary).parent, root / ".venv/bin"]
    environment = {
        "HOME": str(home), "LANG": "C.UTF-8", "TERM": "dumb",
        "PATH": ":".join([*map(str, programs), os.environ.get("PATH", os.defpath)]),
    }
    with open(folder / "output", "wb") as output:
        done = subprocess.Popen(
            [*isolation, "bash", str(script)], cwd=work, env=environment, stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.STDOUT)
        try:
            status = done.wait(page_seconds)
        finally:
            done.kill()
            done.wait()
    printed = (folder / "output").read_text(errors="replace")
    assert status == 0, f"{page} ended with {status}:\n{printed[-3000:]}"
    outputs = dict(zip(*[iter(re.split(r"^== (\S+) ==$", printed, flags=re.M)[1:])] * 2))
    for block in blocks(page):
        if block.ready:
            outputs[block.name] = (folder / f"background-{block.line}").read_text(errors="replace")
    return outputs


def _script(page, folder, afterwards):
    lines = [
        # In a new network namespace the loopback interface is down.
        f"{shlex.quote(sys.executable)} - <<'END_OF_LOOPBACK'",
        "import fcntl, socket, struct",
        "fcntl.ioctl(socket.socket(), 0x8914, struct.pack('16sh14x', b'lo', 0x41))  # SIOCSIFFLAGS: up, running",
        "END_OF_LOOPBACK",
        "set -Eeuo pipefail",
        "trap 'echo \"failed with $?: $BASH_COMMAND\"' ERR",
        "await() {",
        f"    for _ in $(seq {start_seconds * 10}); do if grep -qF -- \"$1\" \"$2\"; then return; fi; sleep 0.1; done",
        "    cat \"$2\"; echo \"never printed: $1\"; return 1",
        "}",
    ]
    for block in blocks(page):
        if not block.is_command or block.not_run:
            continue
        lines += [f"printf '\\n== %s ==\\n' {block.name}", block.given, ]
        if block.ready:
            file = shlex.quote(str(folder / f"background-{block.line}"))
            lines += [f"( {commands(block)}\n) >{file} 2>&1 &", f"await {shlex.quote(block.ready)} {file}"]
        else:
            lines.append(commands(block))
    return "\n".join([*lines, *afterwards]) + "\n"


def commands(block):
    """Returns the commands of a block: all of it, or the text after the prompts of a console."""
    if block.language != "console":
        return block.text
    typed, goes_on = [], False
    for line in block.text.splitlines():
        if line.startswith("$ ") or goes_on:
            typed.append(line if goes_on else line[2:])
            goes_on = line.endswith("\\")
    return "\n".join(typed) + "\n"


def claims(page):
    """Returns pairs of a block that runs and the lines that the page says it prints."""
    pairs, last = [], None
    for block in blocks(page):
        if block.is_command:
            last = block
            if block.language == "console" and not block.not_run:
                typed = set(commands(block).splitlines())
                lines = [line for line in block.text.splitlines() if line.removeprefix("$ ") not in typed]
                pairs.append((block, lines))
        elif block.is_output:
            if last is None:
                raise ValueError(f"{block.name}: there is no command before this output")
            if not last.not_run:
                pairs.append((last, block.text.splitlines()))
    return pairs


def missing(lines, printed):
    """Returns the first of these lines that an output lacks, in this order, or None. … stands for anything."""
    rest = iter(printed.splitlines())
    for line in filter(str.strip, lines):
        # The widths of columns do not matter.
        words = [r"\s+".join(map(re.escape, part.split())) for part in line.strip().split("…")]
        pattern = re.compile(r"\s*" + r".*?".join(r"\s*" + word + r"\s*" for word in words))
        if not any(pattern.fullmatch(other) for other in rest):
            return line
    return None
