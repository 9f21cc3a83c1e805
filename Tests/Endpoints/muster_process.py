"""`muster serve` as a process of its own over a folder of its own, and the other commands beside it."""

import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import threading
import time

from native_api import NativeApi

root = pathlib.Path(__file__).resolve().parents[2]
binary = str(pathlib.Path(os.environ.get("MUSTER_BINARY", root / ".build/debug/muster")).resolve())
admin_password = "a sound password for tests"
start_seconds = 60
stop_seconds = 30


class MusterProcess:
    """A server that can be killed, stopped and started again, on the port that it got first."""

    def __init__(self, folder, arguments=()):
        self.folder = pathlib.Path(folder)
        self.data = self.folder / "data"
        self.model = None
        """A stopped server whose store this one begins with, where it has none yet."""
        self.arguments = list(arguments)
        self.port = 0
        self.process = None
        self.address = None
        self.output = []
        self._key = None
        self._ready = threading.Event()

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.end()

    def launch(self, before_exec=None):
        """Starts the process and does not wait for it to accept."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.model is not None and self.data.parent.is_dir() and not self.data.exists():
            self.copy_store(self.model)
        self._ready.clear()
        self.output = []
        with open(self.folder / "server.log", "ab") as log:
            self.process = subprocess.Popen(
                [binary, "serve", "--data", str(self.data), "--host", "127.0.0.1", "--port", str(self.port)]
                + self.arguments,
                cwd=root, stdout=subprocess.PIPE, stderr=log, stdin=subprocess.DEVNULL, preexec_fn=before_exec,
                env={**os.environ, "MUSTER_ADMIN_PASSWORD": admin_password})
        threading.Thread(target=self._read, args=(self.process,), daemon=True).start()

    def copy_store(self, other):
        """Takes over what a stopped server has stored, and the key of its admin."""
        shutil.copytree(other.data, self.data, ignore=shutil.ignore_patterns("lock", "reserve"))
        self._key = other._key

    def _read(self, process):
        """Keeps the pipe empty, and notes the line that says ready."""
        for line in process.stdout:
            text = line.decode(errors="replace").rstrip()
            self.output.append(text)
            ready = re.match(r"Muster is ready at (https?://\S+)$", text)
            if ready and process is self.process:
                self.address = ready[1]
                self.port = int(self.address.rsplit(":", 1)[1])
                self._ready.set()

    def start(self, before_exec=None):
        """Starts it and waits until it accepts."""
        self.launch(before_exec)
        self.await_ready()
        return self

    def await_ready(self):
        deadline = time.monotonic() + start_seconds
        while not self._ready.wait(0.02):
            ended = self.process.poll()
            if ended is not None or time.monotonic() > deadline:
                self.kill()
                raise AssertionError(f"no server; status {ended}; {self.log()[-2000:]}")

    def kill(self):
        """Ends it as a crash would: at once, wherever it is."""
        if self.process is not None:
            self.process.kill()
            self.process.wait(stop_seconds)

    def stop(self):
        """Asks it to end, and returns its status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(stop_seconds)

    def end(self):
        """Ends it gracefully if it still runs; by force when it does not obey."""
        if self.process is None or self.process.poll() is not None:
            return
        try:
            self.stop()
        except subprocess.TimeoutExpired:
            self.kill()
            raise

    def log(self):
        """What it said on standard error since the first start."""
        file = self.folder / "server.log"
        return file.read_text(errors="replace") if file.exists() else ""

    def resident_bytes(self):
        """How much memory it has in use."""
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", text)[1]) * 1024

    def open_sockets(self):
        """How many sockets it has open; whether the other side heard of the end of one does not matter."""
        return sum(map(self._is_socket, pathlib.Path(f"/proc/{self.process.pid}/fd").iterdir()))

    @staticmethod
    def _is_socket(link):
        try:
            return os.readlink(link).startswith("socket:")
        except FileNotFoundError:
            return False  # It was closed meanwhile.

    def limit_files(self, size):
        """Keeps it from writing beyond that many bytes into any file; None lets it write again."""
        resource.prlimit(
            self.process.pid, resource.RLIMIT_FSIZE,
            (resource.RLIM_INFINITY if size is None else size, resource.RLIM_INFINITY))

    def api(self, token=None):
        """The API as the holder of a token, or as nobody."""
        return NativeApi(self.address, token)

    def admin(self):
        """The API as admin, by a key that outlives restarts."""
        if self._key is None:
            session = self.api().ok("POST", "/session", {"name": "admin", "password": admin_password})
            key = self.api(session["accessToken"]).ok("POST", "/keys", {"label": "tests"})
            self._key = key["key"]
        return self.api(self._key)


def run(*arguments, data=None, text=None, status=0, seconds=120, environment=None):
    """Runs a command of `muster` to its end.

    Returns what it wrote to standard output; with a status other than 0 expected, what it wrote to standard error.
    """
    command = [binary, *map(str, arguments)] + (["--data", str(data)] if data else [])
    done = subprocess.run(
        command, cwd=root, input=text or "", capture_output=True, text=True, timeout=seconds,
        env={**os.environ, "MUSTER_ADMIN_PASSWORD": admin_password, **(environment or {})})
    assert done.returncode == status, f"{command[1:]} ended with {done.returncode}: {done.stdout} {done.stderr}"
    return done.stdout if status == 0 else done.stderr
