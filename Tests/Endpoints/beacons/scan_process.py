"""Runs `muster scan` as a process, and reads what it prints."""

import json
import os
import subprocess
import threading
import time

from muster_process import binary

wait_seconds = 60


class ScanProcess:
    """A scan that prints JSON. It can be killed and started again over its folder."""

    def __init__(self, folder, *arguments, token=None):
        self.folder = folder
        self.arguments = [str(argument) for argument in arguments]
        self.token = token
        """The token of the environment; None for none."""
        self.sightings = []
        """Every sighting that the scan printed, since its first start."""
        self.said = []
        """Every line of standard error."""
        self.process = None
        self.news = threading.Condition()

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.kill()

    def start(self):
        environment = {key: value for key, value in os.environ.items() if key != "MUSTER_TOKEN"}
        if self.token:
            environment["MUSTER_TOKEN"] = self.token
        self.process = subprocess.Popen(
            [binary, "scan", "--json", "--store", str(self.folder / "scan"), *self.arguments], env=environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.readers = [
            threading.Thread(target=self._read, args=(self.process.stdout, self.sightings, json.loads), daemon=True),
            threading.Thread(target=self._read, args=(self.process.stderr, self.said, str.rstrip), daemon=True)]
        for reader in self.readers:
            reader.start()
        return self

    def _read(self, stream, found, parse):
        for line in stream:
            # A process that is killed may leave half a line.
            if line.endswith("\n"):
                with self.news:
                    found.append(parse(line))
                    self.news.notify_all()

    def wait(self, condition):
        """Waits until a condition on the scan is true. Fails when it does not become true in time."""
        with self.news:
            assert self.news.wait_for(lambda: condition(self), wait_seconds), (self.said[-10:], self.sightings[-10:])

    def wait_for_words(self, words, after=0):
        """Waits for a line of standard error with these words, from one on. Returns the number of lines until then."""
        self.wait(lambda scan: any(words in line for line in scan.said[after:]))
        with self.news:
            return len(self.said)

    def kill(self):
        """Kills the process at once, like a crash, and reads what it had printed."""
        self.process.kill()
        self.process.wait(wait_seconds)
        for reader in self.readers:
            reader.join(wait_seconds)

    def end(self):
        """Waits until the scan ends by itself. Returns its exit status."""
        deadline = time.monotonic() + wait_seconds
        status = self.process.wait(wait_seconds)
        for reader in self.readers:
            reader.join(max(0, deadline - time.monotonic()))
        return status
