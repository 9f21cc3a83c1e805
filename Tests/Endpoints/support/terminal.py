"""Terminals: a shell that a person types into, and what a command shows a person."""

import os
import pathlib
import pty
import select
import signal
import subprocess
import time

from muster_process import binary

prompt = "ready> "
answer_seconds = 60


class Terminal:
    """A shell that believes a person types into it."""

    def __init__(self, command, folder):
        self.process, self.leader = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            path = f"{pathlib.Path(binary).parent}:/usr/bin:/bin"
            os.execvpe(command[0], command, {
                "PATH": path, "HOME": str(folder), "TERM": "dumb", "PS1": prompt, "LANG": "C.UTF-8",
                "INPUTRC": "/dev/null", "HISTFILE": ""})

    def type(self, text, until):
        """Types a text; what the terminal shows from then on, as soon as that holds another text."""
        os.write(self.leader, text.encode())
        shown, deadline = "", time.monotonic() + answer_seconds
        while until not in shown:
            ready, _, _ = select.select([self.leader], [], [], deadline - time.monotonic())
            assert ready, f"after {text!r} the terminal shows {shown!r} and never {until!r}"
            shown += os.read(self.leader, 65536).decode(errors="replace")
        return shown

    def end(self):
        os.close(self.leader)
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)


def shown(command, folder, stream="stdout"):
    """Runs a command to its end with a terminal as a stream; what that shows, and what the other stream held."""
    leader, follower = pty.openpty()
    other = "stderr" if stream == "stdout" else "stdout"
    with subprocess.Popen(
            list(map(str, command)), cwd=folder, stdin=subprocess.DEVNULL,
            **{stream: follower, other: subprocess.PIPE}) as process:
        os.close(follower)
        text = b""
        try:
            while piece := os.read(leader, 65536):
                text += piece
        except OSError:
            pass  # Linux: the other side is closed.
        os.close(leader)
        rest = getattr(process, other).read().decode()
        assert process.wait(answer_seconds) == 0, rest
    return text.decode(), rest
