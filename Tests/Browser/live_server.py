"""A running Muster and what the tests ask of it over its own API."""

import os
import pathlib
import re
import subprocess
import threading
import time
from datetime import datetime, timedelta, timezone
from urllib.parse import quote

import requests

from held_port import hold_port

root = pathlib.Path(__file__).resolve().parents[2]
start_seconds = 120
# The password of every user whom a test creates to sign in.
password = "a long password"


class LiveServer:
    """`muster serve` over a folder. It can be killed and started again on the same port, which nobody else gets while
    the server is down."""

    admin = ("admin", "a sound password for tests")

    def __init__(self, folder, arguments=()):
        self.folder = pathlib.Path(folder)
        self.arguments = list(arguments)
        self.held, self.port = hold_port()
        self.process = None
        self.address = None

    def start(self):
        binary = os.environ.get("MUSTER_BINARY", str(root / ".build/debug/muster"))
        with open(self.folder / "server.log", "ab") as log:
            self.process = subprocess.Popen(
                [binary, "serve", "--data", str(self.folder / "data"), "--host", "127.0.0.1", "--port", str(self.port),
                 *self.arguments],
                cwd=root, stdout=subprocess.PIPE, stderr=log, text=True,
                env={**os.environ, "MUSTER_ADMIN_PASSWORD": self.admin[1]},
            )
        # A server that says nothing is ended, which ends the reading below.
        watchdog = threading.Timer(start_seconds, self.process.kill)
        watchdog.start()
        try:
            for line in self.process.stdout:
                ready = re.search(r"Muster is ready at (http://\S+)", line)
                if ready:
                    self.address = ready[1].rstrip("/")
                    return
        finally:
            watchdog.cancel()
        raise AssertionError(f"the server did not start: {(self.folder / 'server.log').read_text()[-2000:]}")

    def kill(self):
        """Ends it as a power cut would."""
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.kill()
            raise

    def ask(self, method, path, body=None, token=None):
        """The JSON that an API path answers, to the admin or to whoever holds the token."""
        response = requests.request(
            method, f"{self.address}/api/v1/{path}", json=body, timeout=60,
            auth=None if token else self.admin, headers={"Authorization": f"Bearer {token}"} if token else {},
        )
        assert response.ok, f"{method} {path}: {response.status_code} {response.text}"
        return response.json() if response.content else None

    def make_team(self, team, regions, policy="raw"):
        """A team whose people are watched against these GeoJSON features."""
        tracker = self.ask("POST", "teams", {"name": team})["tracker"]
        self.ask("POST", "collections", {"name": f"{team}-site", "policy": policy})
        self.ask("PATCH", f"trackers/{tracker}", {"collections": [f"{team}-site"]})
        features = {"type": "FeatureCollection", "features": regions}
        self.ask("POST", f"collections/{team}-site/regions", features)

    def make_user(self, name, role, team=None):
        """Creates a user who can sign in with `password`."""
        of = {"team": team} if team else {}
        self.ask("POST", "users", {"name": name, "role": role, **of, "password": password})

    def make_member(self, name, team):
        """A member with a phone."""
        self.ask("POST", "users", {"name": name, "role": "member", "team": team})
        self.ask("POST", f"users/{quote(name, safe='')}/devices", {"name": "phone"})
        token = self.ask("POST", f"users/{quote(name, safe='')}/devices/phone/token")["token"]
        return Phone(self, name, token)

    def changes(self, since):
        """Every change after that sequence."""
        found = []
        while True:
            answer = self.ask("GET", f"changes?since={since}&limit=1000")
            found += answer["items"]
            if not answer["more"]:
                return found
            since = answer["lastSequence"]


class Phone:
    """A device that reports positions, each sampled after the one before."""

    def __init__(self, server, user, token):
        self.server = server
        self.user = user
        self.token = token
        self.sampled = datetime.now(timezone.utc) - timedelta(minutes=5)

    def report(self, place, seconds_later=5, **measured):
        """Reports a (longitude, latitude), well measured unless told; answers what the server says."""
        self.sampled += timedelta(seconds=seconds_later)
        return self.server.ask("POST", "positions", {**self.fix(place, self.sampled), **measured}, self.token)

    def stay(self, place, fixes=5):
        """Reports a place, after a gap in which one may have come there, often enough that no policy doubts it."""
        for number in range(fixes):
            self.report(place, seconds_later=8 if number else 40)

    @staticmethod
    def fix(place, sampled, accuracy=5):
        longitude, latitude = place
        return {"longitude": longitude, "latitude": latitude, "sampleTime": stamp(sampled), "accuracy": accuracy}


def box(region, name, west, south, width=0.002, height=0.001, muster=False):
    """A rectangle as a GeoJSON feature."""
    east, north = west + width, south + height
    ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    return {
        "type": "Feature", "id": region, "properties": {"name": name, "muster": muster},
        "geometry": {"type": "Polygon", "coordinates": [ring]},
    }


def circle(region, name, longitude, latitude, radius, muster=False):
    """A circle as a GeoJSON feature, its radius in metres."""
    return {
        "type": "Feature", "id": region, "properties": {"name": name, "muster": muster, "radius": radius},
        "geometry": {"type": "Point", "coordinates": [longitude, latitude]},
    }


def stamp(moment):
    """A time as the API has it, to the millisecond."""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def until(what, seconds=60):
    """What `what` answers, as soon as that is true; the last answer is in the failure."""
    deadline = time.monotonic() + seconds
    while True:
        answer = what()
        if answer:
            return answer
        assert time.monotonic() < deadline, f"not within {seconds} s; the last answer was {answer!r}"
        time.sleep(0.05)
