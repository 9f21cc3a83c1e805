"""Runs `muster serve` as a process over a folder of its own, and other commands of `muster`."""

import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import threading
import time

from held_port import hold_port
from native_api import NativeApi

root = pathlib.Path(__file__).resolve().parents[3]
binary = str(pathlib.Path(os.environ.get("MUSTER_BINARY", root / ".build/debug/muster")).resolve())
admin_password = "a sound password for tests"
start_seconds = 120
stop_seconds = 60


class MusterProcess:
    """A server that can be killed, stopped and started again. It keeps its port, also while it does not run."""

    def __init__(self, folder, arguments=()):
        self.folder = pathlib.Path(folder)
        self.data = self.folder / "data"
        self.model = None
        """A stopped server whose store this one copies at its first start; None for a new store."""
        self.arguments = list(arguments)
        self.port = 0
        self.held = []
        self.process = None
        self.address = None
        self.output = []
        """The lines of standard output since the last start, as far as `reader`, the thread that reads it, has come."""
        self.reader = None
        self._key = None
        self._ready = threading.Event()

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.end()

    def launch(self, before_exec=None):
        """Starts the process. Does not wait until the server accepts connections."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.model is not None and self.data.parent.is_dir() and not self.data.exists():
            self.copy_store(self.model)
        self._hold_ports()
        self._ready.clear()
        self.output = []
        with open(self.folder / "server.log", "ab") as log:
            self.process = subprocess.Popen(
                [binary, "serve", "--data", str(self.data), "--host", "127.0.0.1", "--port", str(self.port)]
                + self.arguments,
                cwd=root, stdout=subprocess.PIPE, stderr=log, stdin=subprocess.DEVNULL, preexec_fn=before_exec,
                env={**os.environ, "MUSTER_ADMIN_PASSWORD": admin_password})
        self.reader = threading.Thread(target=self._read, args=(self.process, self.output), daemon=True)
        self.reader.start()

    def _hold_ports(self):
        """Names a port wherever the server would pick one: nobody else gets it while the server is down."""
        if self.port == 0:
            self.port = self._held_port()
        for index, option in enumerate(self.arguments[:-1]):
            if option.endswith("-port") and self.arguments[index + 1] == "0":
                self.arguments[index + 1] = str(self._held_port())

    def _held_port(self):
        held, port = hold_port()
        self.held.append(held)
        return port

    def copy_store(self, other):
        """Copies the store of a stopped server, and the API key of its admin."""
        shutil.copytree(other.data, self.data, ignore=shutil.ignore_patterns("lock", "reserve"))
        self._key = other._key

    def _read(self, process, output):
        """Reads standard output, so that the pipe never fills, and finds the line with the server's address."""
        for line in process.stdout:
            text = line.decode(errors="replace").rstrip()
            output.append(text)
            ready = re.match(r"Muster is ready at (https?://\S+)$", text)
            if ready and process is self.process:
                self.address = ready[1]
                self._ready.set()

    def start(self, before_exec=None):
        """Starts the server and waits until it accepts connections."""
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
        """Kills the process at once, like a crash."""
        if self.process is not None:
            self.process.kill()
            self.await_exit()

    def stop(self):
        """Asks the server to stop, and returns its exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.await_exit()

    def await_exit(self, seconds=stop_seconds):
        """Waits until the process has ended and all of its output is read. Returns its exit status."""
        status = self.process.wait(seconds)
        self.reader.join(seconds)
        return status

    def end(self):
        """Stops the server if it runs. Kills it, and raises, when it does not stop in time."""
        if self.process is None or self.process.poll() is not None:
            return
        try:
            self.stop()
        except subprocess.TimeoutExpired:
            self.kill()
            raise

    def log(self):
        """Returns everything that the server has written to standard error since its first start."""
        file = self.folder / "server.log"
        return file.read_text(errors="replace") if file.exists() else ""

    def resident_bytes(self):
        """Returns the resident memory of the process, in bytes."""
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", text)[1]) * 1024

    def processor_seconds(self):
        """Returns the time for which the process has occupied processors: other than a clock's, it is its own work
        alone."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def open_sockets(self):
        """Returns the number of sockets that the process has open. Counts a socket until the server closes it, even
        if the client has closed its end."""
        return sum(map(self._is_socket, pathlib.Path(f"/proc/{self.process.pid}/fd").iterdir()))

    @staticmethod
    def _is_socket(link):
        try:
            return os.readlink(link).startswith("socket:")
        except FileNotFoundError:
            return False  # It was closed meanwhile.

    def limit_files(self, size):
        """Keeps the process from writing beyond `size` bytes into any file. None removes the limit."""
        resource.prlimit(
            self.process.pid, resource.RLIMIT_FSIZE,
            (resource.RLIM_INFINITY if size is None else size, resource.RLIM_INFINITY))

    def api(self, token=None):
        """Returns the native API with this token, or without a credential."""
        return NativeApi(self.address, token)

    def admin(self):
        """Returns the native API as admin, with an API key that survives restarts."""
        if self._key is None:
            session = self.api().ok("POST", "/session", {"name": "admin", "password": admin_password})
            key = self.api(session["accessToken"]).ok("POST", "/keys", {"label": "tests"})
            self._key = key["key"]
        return self.api(self._key)


def run(*arguments, data=None, text=None, status=0, seconds=120, environment=None):
    """Runs a command of `muster` to its end.

    Returns its standard output or, where a `status` other than 0 is expected, its standard error.
    """
    command = [binary, *map(str, arguments)] + (["--data", str(data)] if data else [])
    done = subprocess.run(
        command, cwd=root, input=text or "", capture_output=True, text=True, timeout=seconds,
        env={**os.environ, "MUSTER_ADMIN_PASSWORD": admin_password, **(environment or {})})
    assert done.returncode == status, f"{command[1:]} ended with {done.returncode}: {done.stdout} {done.stderr}"
    return done.stdout if status == 0 else done.stderr
