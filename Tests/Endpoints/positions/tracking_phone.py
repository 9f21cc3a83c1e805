"""A phone that runs `muster track`, the walks that it plays, and the locations that should arrive."""

import base64
import datetime
import json
import os
import subprocess
import urllib.request

from muster_process import binary, root, run
from waiting import eventually

password = "walkwalkwalk1"


def write_walk(path, count, seconds=20):
    """A GPX file of someone who walks north."""
    start = datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc)
    points = (
        f'<trkpt lat="{52 + index * 0.0003:.6f}" lon="13.1"><time>'
        f'{(start + datetime.timedelta(seconds=seconds * index)).strftime("%Y-%m-%dT%H:%M:%SZ")}</time></trkpt>'
        for index in range(count))
    path.write_text(f'<gpx version="1.1"><trk><trkseg>{"".join(points)}</trkseg></trk></gpx>')
    return path


class Phone:
    """A `muster track` that can be killed and started again."""

    def __init__(self, folder, address, walk, arguments=()):
        self.folder = folder
        self.folder.mkdir(parents=True, exist_ok=True)
        self.password = folder / "password"
        self.password.write_text(password + "\n")
        self.arguments = [
            "track", str(walk), "--server", address, "--user", "ann", "--password-file", str(self.password),
            "--store", str(folder / "store"), "--every-fix", "--read-every", "0.1", "--emit-every", "0.3",
            *arguments]
        self.process = None

    def start(self):
        self.log = open(self.folder / "track.log", "ab")
        self.process = subprocess.Popen(
            [binary, *self.arguments], cwd=root, stdout=self.log, stderr=self.log, stdin=subprocess.DEVNULL,
            env={name: value for name, value in os.environ.items() if name != "MUSTER_PASSWORD"})

    def sign_in(self):
        """Starts the program, and waits until it no longer needs the server."""
        self.start()
        self.wait_until(lambda: "Signed in" in self.text())

    def wait_until(self, holds, seconds=60):
        """Waits until something holds while the phone walks."""
        def holds_meanwhile():
            assert self.process.poll() is None, self.text()
            return holds()

        eventually(holds_meanwhile, seconds=seconds, why=self.text)

    def kill(self):
        self.process.kill()
        self.process.wait(60)

    def wait(self, seconds=300, status=0):
        assert self.process.wait(seconds) == status, self.text()
        return self.text()

    def missed(self):
        """How often the program has printed that it keeps locations that it could not send."""
        return self.text().count("kept here: ")

    def text(self):
        return (self.folder / "track.log").read_text(errors="replace")


def member(server):
    run("user", "add", "ann", "--password-stdin", data=server.data, text=password + "\n")


def locations(server):
    """Every location of ann's, as the database has it."""
    request = urllib.request.Request(f"{server.address}/lt_locations_user_ann/_all_docs?include_docs=true")
    request.add_header("Authorization", "Basic " + base64.b64encode(f"ann:{password}".encode()).decode())
    with urllib.request.urlopen(request, timeout=60) as answer:
        return [row["doc"] for row in json.load(answer)["rows"]]


def check(server, count):
    """Nothing is lost and nothing is doubled: in the database, and in the history that the page shows."""
    documents = locations(server)
    latitudes = sorted(round(document["geometry"]["coordinates"][1], 6) for document in documents)
    assert latitudes == [round(52 + index * 0.0003, 6) for index in range(count)]
    history = server.admin().history("ann/phone")
    assert len(history) == count


def await_positions(server, count, phone):
    """Waits until the server has so many of the phone's positions."""
    def has_them():
        answer = server.admin().send("GET", "/users/ann/devices/phone/positions?limit=1000")
        assert answer.status_code in (200, 404), answer.text  # No phone before its first position.
        return answer.ok and len(answer.json()["items"]) >= count

    phone.wait_until(has_them)
