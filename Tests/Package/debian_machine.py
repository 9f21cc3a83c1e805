"""A Debian in a folder, and Muster's server in it, started as its unit of systemd says."""

import pathlib
import re
import signal
import subprocess
import threading

from native_api import NativeApi

start_seconds = 60
stop_seconds = 30
password = "a sound password for tests"


def debian_release():
    """The name of this machine's Debian, as bookworm; None where it is another system."""
    try:
        text = pathlib.Path("/etc/os-release").read_text()
    except FileNotFoundError:
        return None
    fields = dict(re.findall(r'^(\w+)="?([^"\n]*)"?$', text, re.M))
    return fields.get("VERSION_CODENAME") if fields.get("ID") == "debian" else None


class Machine:
    """A root folder with a Debian. One server runs in it at a time."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.process = None
        self.address = None
        self.lines = []

    def path(self, path):
        """Where a file of the machine lies on this one."""
        return self.folder / path.lstrip("/")

    def command(self, *arguments):
        """The command that runs another in the machine, with /proc and without anything of this environment."""
        return [
            "unshare", "--mount", "--pid", "--fork", "--kill-child", f"--mount-proc={self.folder}/proc",
            "chroot", str(self.folder), "/usr/bin/env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8",
            *map(str, arguments)]

    def run(self, *arguments, status=0, text=None, seconds=600):
        """Runs a command to its end; what it printed, on either stream."""
        done = subprocess.run(
            self.command(*arguments), input=text or "", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            timeout=seconds)
        assert done.returncode == status, f"{arguments} ended with {done.returncode}: {done.stdout[-3000:]}"
        return done.stdout

    def install(self, deb):
        """Installs a Debian package and what it depends on, as `apt install ./muster.deb` does."""
        self.path("/srv/muster.deb").write_bytes(pathlib.Path(deb).read_bytes())
        if not list(self.path("/var/lib/apt/lists").glob("*Packages*")):
            self.run("apt-get", "update", "-qq")
        return self.run(
            "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "--no-install-recommends",
            "-o", "APT::Sandbox::User=root", "/srv/muster.deb")

    def muster(self, *arguments, **more):
        """Runs a command of Muster as the service's user."""
        return self.run(
            "runuser", "-u", "muster", "--", "muster", *arguments, "--data", "/var/lib/muster", **more)

    def start_service(self):
        """Starts the server with the command, the environment file and the user of its unit."""
        unit = self.path("/lib/systemd/system/muster.service").read_text()
        fields = dict(re.findall(r"^(\w+)=(.*)$", unit, re.M))
        start = f". {fields['EnvironmentFile'].lstrip('-')}; export MUSTER_ADMIN_PASSWORD; " \
            f"exec runuser -u {fields['User']} -- {fields['ExecStart']}"
        return self.start("/bin/sh", "-c", start)

    def start(self, *command):
        """Starts a server by a command, and waits until it is ready."""
        return self.start_here(self.command(*command))

    def start_here(self, command, environment=None, preexec_fn=None):
        """Starts a server on this machine, and waits until it is ready."""
        self.lines, self.address, ready = [], None, threading.Event()
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env=environment, preexec_fn=preexec_fn)

        def read(process):
            for line in process.stdout:
                self.lines.append(line.rstrip())
                found = re.match(r"Muster is ready at (https?://\S+)$", line)
                if found:
                    self.address = found[1]
                    ready.set()
            ready.set()

        threading.Thread(target=read, args=(self.process,), daemon=True).start()
        assert ready.wait(start_seconds) and self.address, f"no server: {self.lines}"
        return NativeApi(self.address)

    def sign_in(self):
        """The API as admin."""
        session = NativeApi(self.address).ok("POST", "/session", {"name": "admin", "password": password})
        return NativeApi(self.address, session["accessToken"])

    def server_id(self):
        """The process of the server itself, as this machine numbers it."""
        waiting = [self.process.pid]
        while waiting:
            process = waiting.pop()
            if pathlib.Path(f"/proc/{process}/comm").read_text() == "muster\n":
                return process
            waiting += map(int, pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split())
        raise AssertionError("no process of the server")

    def stop(self):
        """Asks the server to end, as `systemctl stop` does, and waits until it did."""
        subprocess.run(["kill", "-TERM", str(self.server_id())], check=True)
        assert self.process.wait(stop_seconds) == 0, self.lines

    def end(self):
        """Ends the server by force where one still runs, and with it all that it started."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait(stop_seconds)
