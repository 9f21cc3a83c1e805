"""Runs `mdns-probe`, which advertises and browses with our multicast DNS, and reads what it prints."""

import json
import os
import pathlib
import subprocess
import threading
import time

root = pathlib.Path(__file__).resolve().parents[3]
binary = pathlib.Path(os.environ.get("MUSTER_MDNS_PROBE", root / ".build/debug/mdns-probe")).resolve()
wait_seconds = 120


class MDNSProbe:
    """A process that advertises, or browses, or both. It says goodbye when the block ends."""

    def __init__(self, *arguments, interfaces="lo", namespace=None):
        inside = ["ip", "netns", "exec", namespace] if namespace else []
        self.command = [*inside, str(binary), "--interfaces", interfaces, "--rescan", "300", *map(str, arguments)]
        self.events = []
        """What it printed, in order."""
        self.news = threading.Condition()

    def __enter__(self):
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        return self

    def __exit__(self, *_):
        self.end()

    def _read(self):
        for line in self.process.stdout:
            with self.news:
                self.events.append({**json.loads(line), "time": time.monotonic()})
                self.news.notify_all()

    def wait(self, event, **fields):
        """Waits for an event with these fields, after the last one that was waited for. Returns it."""
        def matching():
            return [each for each in self.events[self.seen:]
                    if each["event"] == event and all(each.get(key) == value for key, value in fields.items())]

        with self.news:
            assert self.news.wait_for(matching, wait_seconds), (event, fields, self.events)
            found = matching()[0]
            self.seen = self.events.index(found) + 1
            return found

    seen = 0

    def end(self):
        """Lets it say goodbye, and waits until it has ended."""
        if not self.process.stdin.closed:
            self.process.stdin.close()
        try:
            self.process.wait(wait_seconds)
        finally:
            self.process.kill()
            self.reader.join(wait_seconds)

    def kill(self):
        """Ends it without a word."""
        self.process.kill()
        self.process.wait(wait_seconds)
