"""A server with people who all move every five seconds, for measuring what a leader's browser makes of it."""

import csv
import http.client
import io
import json
import os
import pathlib
import random
import socket
import subprocess
import tempfile
import threading
import time
from base64 import b64encode
from datetime import datetime, timedelta, timezone

WEST, SOUTH, WIDTH, HEIGHT = -6.07, 43.56, 0.02, 0.012
PASSWORD = "a password for measuring"


class World:
    """`people` in one team with a muster region, each with a phone that reports every five seconds."""

    def __init__(self, binary, web, people):
        self.people = people
        self.folder = tempfile.TemporaryDirectory(prefix="muster-console-")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        environment = {**os.environ, "MUSTER_ADMIN_PASSWORD": PASSWORD}
        self.process = subprocess.Popen(
            [str(binary), "serve", "--data", self.folder.name, "--port", str(self.port), "--web", str(web)],
            env=environment, stdout=subprocess.DEVNULL, stderr=(pathlib.Path(self.folder.name) / "log").open("w"))
        self.address = f"http://127.0.0.1:{self.port}"
        self.stopped = threading.Event()
        self.random = random.Random(1)
        self.places = [[WEST + WIDTH * self.random.random(), SOUTH + HEIGHT * self.random.random()]
                       for _ in range(people)]

    def ask(self, method, path, body=None, kind="application/json", connection=None):
        """Sends a request as the admin, and returns the JSON of its answer."""
        connection = connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        token = b64encode(f"admin:{PASSWORD}".encode()).decode()
        data = body if isinstance(body, bytes) else json.dumps(body).encode() if body is not None else None
        connection.request(method, f"/api/v1/{path}", data,
                           {"Authorization": f"Basic {token}", "Content-Type": kind})
        answer = connection.getresponse()
        content = answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path}: {answer.status} {content[:300]!r}")
        return json.loads(content) if content else None

    def settle(self):
        """Makes the team, its people and its regions, and lets everybody report once."""
        deadline = time.monotonic() + 60
        while True:
            try:
                self.ask("GET", "health")
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)
        tracker = self.ask("POST", "teams", {"name": "town"})["tracker"]
        self.ask("POST", "collections", {"name": "town-site"})
        self.ask("PATCH", f"trackers/{tracker}", {"collections": ["town-site"]})
        self.ask("POST", "collections/town-site/regions", {"type": "FeatureCollection", "features": [
            {"type": "Feature", "id": f"point-{number}",
             "properties": {"name": f"Assembly point {number}", "muster": True, "radius": 120},
             "geometry": {"type": "Point", "coordinates": [WEST + WIDTH * (number + .5) / 5, SOUTH + HEIGHT / 2]}}
            for number in range(5)]})
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        for number in range(self.people):
            self.ask("POST", "users", {"name": self.name(number), "role": "member", "team": "town"},
                     connection=connection)
            self.ask("POST", f"users/{self.name(number)}/devices", {"name": "phone"}, connection=connection)
        for first in range(0, self.people, 1000):
            self.report(range(first, min(self.people, first + 1000)), connection)
        self.ask("POST", "teams/town/incidents", {"kind": "drill"})

    @staticmethod
    def name(number):
        return f"walker-{number:05d}"

    def report(self, numbers, connection, ago=0):
        moment = datetime.now(timezone.utc) - timedelta(seconds=ago)
        now = moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        positions = []
        for number in numbers:
            place = self.places[number]
            place[0] += self.random.uniform(-6e-5, 6e-5)
            place[1] += self.random.uniform(-4e-5, 4e-5)
            positions.append({"device": f"{self.name(number)}/phone", "longitude": place[0], "latitude": place[1],
                              "accuracy": 6, "sampleTime": now, "speed": 1.2, "heading": 90, "battery": 80})
        self.ask("POST", "positions", positions, connection=connection)

    def remember(self, seconds):
        """Lets everybody have moved every five seconds for so long."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        for ago in range(seconds, 0, -5):
            for first in range(0, self.people, 1000):
                self.report(range(first, min(self.people, first + 1000)), connection, ago)

    def walk(self):
        """Lets everybody move every five seconds, a fiftieth of them each 100 ms, until `stop`."""
        threading.Thread(target=self._walk, daemon=True).start()

    def _walk(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        share = max(1, self.people // 50)
        first = 0
        due = time.monotonic()
        while not self.stopped.is_set():
            self.report([number % self.people for number in range(first, first + share)], connection)
            first = (first + share) % self.people
            due += 0.1
            self.stopped.wait(max(0, due - time.monotonic()))

    def stop(self):
        self.stopped.set()
        self.process.terminate()
        self.process.wait(timeout=30)
        self.folder.cleanup()
