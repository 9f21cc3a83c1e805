"""The member's tracker in a real browser: a page with nothing else on it, and a member who walks."""

import mimetypes
import os
import pathlib
import signal
import subprocess
from datetime import datetime
from urllib.parse import urlparse

from live_page import LivePage, chromium
from live_server import root, until

password = "walkwalkwalk1"
start = (10.7460, 59.9080)
# A step of the walk, some 11 m north.
step = 1e-4


def serve_files(context, server):
    """Answers the app's files from the sources, also while the server is dead, as the app's service worker would."""
    folders = {"me": root / "Web/me", "console": root / "Web/console", "vendor": root / "Web/vendor",
               "trial": root / "Tests/Browser/trial"}

    def answer(route):
        path = urlparse(route.request.url).path.lstrip("/")
        first, _, rest = path.partition("/")
        file = folders[first] / rest if first in folders else root / "Web" / path
        if file.is_file():
            kind = "text/javascript" if file.suffix == ".js" else mimetypes.guess_type(file.name)[0] or "text/plain"
            route.fulfill(body=file.read_bytes(), content_type=kind)
        else:
            route.fulfill(status=404, body="")
    for folder in [*folders, "muster.svg"]:
        context.route(f"{server.address}/{folder}{'' if '.' in folder else '/**'}", answer)


class TrackingPage(LivePage):
    """A tab with the tracker."""

    def open(self, query="all&speed=20"):
        self.tab.goto(f"{self.server.address}/trial/tracking.html?{query}")
        self.tab.wait_for_function("() => globalThis.trial?.isReady")
        return self

    def sign_in(self, name):
        self.script("([name, password]) => trial.signIn(name, password)", [name, password])
        return self

    @property
    def tracking(self):
        return self.script("() => trial.state.tracking")

    @property
    def fix(self):
        return self.script("() => trial.state.fix ?? null")

    def recorded(self, user):
        """The place of the newest fix that is on the browser's disk, or was; none before the first."""
        notes = self.script("(user) => trial.database.get('settings', user, 'tracking.queue')", user)
        return notes["last"]["latitude"] if notes and notes.get("last") else None

    def kept(self, store, user):
        """What the browser's database has of a user."""
        return self.script(
            "([store, user]) => trial.database.read([store], (transaction) => transaction.entries(store, user))",
            [store, user])


def make_walker(server, name):
    server.ask("POST", "users", {"name": name, "role": "member", "team": "north", "password": password})


def place(number):
    return {"latitude": round(start[1] + number * step, 7), "longitude": start[0], "accuracy": 8}


def stored(server, name):
    """The history of the member's own device, oldest first."""
    devices = [each["name"] for each in server.ask("GET", f"devices?user={name}")["items"]]
    assert len(devices) <= 1, f"one browser is one device: {devices}"
    if not devices:
        return []
    found, cursor = [], ""
    while cursor is not None:
        answer = server.ask("GET", f"users/{name}/devices/{devices[0]}/positions?limit=1000{cursor}")
        found += answer["items"]
        cursor = f"&cursor={answer['nextCursor']}" if answer.get("nextCursor") else None
    return found


def committed(server, name):
    """The positions of the member's browser in the order in which the server heard of them."""
    changes = [change for change in server.changes(0) if change["type"] == "position" and change["user"] == name]
    assert not any(change["late"] for change in changes)
    return [change["position"] for change in changes]


def times(positions):
    return [datetime.fromisoformat(each["sampleTime"].replace("Z", "+00:00")).timestamp() for each in positions]


def without_repeats(values):
    """A place where somebody stands is read again and again."""
    return [value for index, value in enumerate(values) if index == 0 or value != values[index - 1]]


class OwnBrowser:
    """Chromium over a folder of its own, which may be killed as a phone's battery dies."""

    def __init__(self, playwright, folder, server):
        self.playwright, self.folder, self.server = playwright, folder, server
        self.context = None

    def start(self):
        self.context = self.playwright.chromium.launch_persistent_context(
            str(self.folder), executable_path=chromium, viewport={"width": 390, "height": 800}, locale="en-GB",
            args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--disable-3d-apis"],
            permissions=["geolocation"], service_workers="block")
        self.context.set_default_timeout(60_000)
        serve_files(self.context, self.server)
        return self.context

    def kill(self):
        """Ends the browser's main process at once; answers when its others have ended with it: one that still holds
        the profile would keep the next browser from it."""
        for pid in self._processes():
            if "--type=" not in self._command(pid):
                os.kill(pid, signal.SIGKILL)
        try:
            self.context.close()
        except Exception:  # pylint: disable=broad-except
            pass  # It is dead already, which is what was wanted.
        until(lambda: not [pid for pid in self._processes() if self._command(pid)])
        until(lambda: not (self.folder / "SingletonLock").is_symlink() or self._unlock())

    def _processes(self):
        found = subprocess.run(["pgrep", "-f", f"user-data-dir={self.folder}"], capture_output=True, text=True).stdout
        return [int(pid) for pid in found.split()]

    @staticmethod
    def _command(pid):
        """The command line of a process; empty once it has ended."""
        try:
            return pathlib.Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""

    def _unlock(self):
        (self.folder / "SingletonLock").unlink(missing_ok=True)
        return True
