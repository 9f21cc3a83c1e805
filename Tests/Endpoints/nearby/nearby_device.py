"""A `muster nearby` that prints JSON, in this network or in a namespace of its own."""

import json
import signal
import subprocess
import threading

from muster_process import binary

wait_seconds = 120
silence_seconds = 25
"""After so long without a word a device counts as gone: longer than this machine pauses."""


class Device:
    """A running `muster nearby`. It can be stopped, killed and started again."""

    def __init__(self, folder, name, *arguments, namespace=None, timeout=silence_seconds):
        inside = ["ip", "netns", "exec", namespace] if namespace else []
        self.command = [*inside, binary, "nearby", "--json", "--name", name, "--store", str(folder), "--timeout",
                        str(timeout), *([] if "--discover" in arguments else ["--discover", "none"]),
                        *map(str, arguments)]
        self.events = []
        self.news = threading.Condition()
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        threading.Thread(target=self._read, args=(self.process,), daemon=True).start()

    def _read(self, process):
        for line in process.stdout:
            if line.endswith("\n"):
                with self.news:
                    self.events.append(json.loads(line))
                    self.news.notify_all()

    def wait(self, event, after=0, **members):
        """Waits for an event with these members. Returns it, and the number of events until then."""
        def index():
            return next((place for place in range(after, len(self.events)) if self.events[place]["event"] == event
                         and all(self.events[place].get(key) == value for key, value in members.items())), None)
        with self.news:
            assert self.news.wait_for(lambda: index() is not None, wait_seconds), (event, members, self.events[-10:])
            return self.events[index()], index() + 1

    def count(self, event):
        """The number of these events so far."""
        with self.news:
            return sum(each["event"] == event for each in self.events)

    def send(self, number):
        self.process.send_signal(number)

    def end(self):
        self.process.send_signal(signal.SIGCONT)
        self.process.kill()
        self.process.wait(wait_seconds)
