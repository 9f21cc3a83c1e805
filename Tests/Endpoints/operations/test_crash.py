"""kill -9 at any moment: what was acknowledged is there once, and the log says what it would have said without."""

import os
import random
import threading
import time

import pytest

import load
from load import Sender, Walker, batch, one_each, packed_lines
from native_api import now, polygon, stamp
from oracle import Region, difference, key_of, told
from soak import rounds
from waiting import eventually

crashes = rounds(6, 200)
requests_of_crash, crossings_of_crash = 6, 21
"""What happens at least before each crash."""
retried = 0.7
"""How often a request that was never answered is sent again."""


def place(east, north):
    """A corner, in parts of the area that devices walk in; between the places that they report."""
    return load.west + east * load.size + 3e-8, load.south + north * load.size + 4e-8


def corners(west, south, east, north):
    """The corners of a rectangle, counterclockwise."""
    return [place(west, south), place(east, south), place(east, north), place(west, north)]


regions = [
    Region("assembly", (corners(0.051, 0.049, 0.423, 0.397),), muster=True),
    Region("shelter", (corners(0.311, 0.293, 0.679, 0.701),), muster=True),
    Region("yard", (corners(0.203, 0.207, 0.953, 0.947), corners(0.449, 0.451, 0.749, 0.653)), dwell_seconds=20),
    Region("strip", (corners(0.003, 0.489, 0.991, 0.513),)),
    Region("wedge", ([place(0.013, 0.017), place(0.971, 0.113), place(0.517, 0.337), place(0.887, 0.971)],)),
]


def feature(region):
    dwell = {} if region.dwell_seconds is None else {"dwell": region.dwell_seconds}
    return polygon(region.id, *region.rings, muster=region.muster, **dwell)


class Trial:
    """A server under load, crashed again and again."""

    def __init__(self, server, seed):
        self.server = server
        self.random = random.Random(seed)
        self.gate = threading.Event()
        self.checked = 0
        """The last sequence of the log that was compared."""
        self.lengths = {}
        self.walkers = []
        self.senders = []
        self.stored_unanswered = self.lost_unanswered = self.changes = 0
        admin = server.admin()
        admin.make_team("walkers", [feature(region) for region in regions])
        gateway = admin.make_user("gateway", "gateway").token
        for index in range(3):
            walker = self._walker(f"walker{index}")
            self.senders.append(Sender(server, admin.make_device(walker.user).token, [walker], one_each, self.gate))
        for index, make in enumerate((batch, packed_lines)):
            walkers = [self._walker(f"crowd{index}-{number}") for number in range(6)]
            for walker in walkers:
                admin.ok("POST", f"/users/{walker.user}/devices", {"name": "phone"})
            self.senders.append(Sender(server, gateway, walkers, make, self.gate))
        self.checked = admin.last_sequence()

    def _walker(self, user):
        self.server.admin().ok("POST", "/users", {"name": user, "role": "member", "team": "walkers"})
        # Sample times run ahead of the clock's pace: they begin long enough ago.
        walker = Walker(f"{user}/phone", regions, random.Random(self.random.random()), now() - 5 * 24 * 3_600_000)
        self.walkers.append(walker)
        return walker

    def begin(self):
        self.gate.set()
        for sender in self.senders:
            sender.start()

    def pause(self):
        """Waits until nobody sends."""
        for sender in self.senders:
            sender.parked.clear()
        self.gate.clear()
        for sender in self.senders:
            assert sender.closing or sender.parked.wait(load.timeout_seconds * 2), "a sender hangs"

    def acknowledged(self):
        return sum(sender.acknowledged for sender in self.senders)

    def new_crossings(self):
        """The number of acknowledged crossings since the last check."""
        return sum(entry[0] in ("enter", "exit") for walker in self.walkers for entry in self._new(walker))

    def crash(self):
        # However slow the machine is, some requests are acknowledged before, and people cross boundaries.
        wanted = self.acknowledged() + requests_of_crash
        eventually(lambda: self.acknowledged() >= wanted and self.new_crossings() >= crossings_of_crash,
                   why=lambda: f"too little happens: {self.new_crossings()} crossings")
        time.sleep(self.random.uniform(0.0, 0.3))
        self.server.kill()
        self.pause()
        if self.random.random() < 0.15:
            # Once more, while it is starting.
            self.server.launch()
            time.sleep(self.random.uniform(0.0, 0.25))
            self.server.kill()
        self.server.start()
        self.check()
        self.gate.set()

    def check(self):
        """Compares the log since the last check, and the part of the histories that it touched."""
        changes = self.server.admin().changes(self.checked)
        sequences = [change["sequence"] for change in changes]
        assert sequences == sorted(set(sequences)), "sequences are not strictly increasing"
        assert not sequences or sequences[0] > self.checked
        for sender in self.senders:
            assert not sender.failures, sender.failures[0]
            assert sender.last_sequence <= max(sequences, default=self.checked)
        found = told(changes)
        for sender in self.senders:
            self._settle(sender, found)
        touched = {}
        for walker in self.walkers:
            new = self._new(walker)
            entries = found.get(walker.user, [])
            assert entries == new, f"{walker.name} {difference(new, entries)}"
            self.lengths[walker] = len(walker.oracle.log)
            touched[walker] = min((entry[1] for entry in new if entry[0] == "position"), default=None)
        for walker, since in touched.items():
            if since is not None:
                self.compare_history(walker, since)
        self.checked = max(sequences, default=self.checked)
        self.changes += len(changes)

    def _new(self, walker):
        """What the oracle says that the log holds since the last check."""
        return walker.oracle.log[self.lengths.get(walker, 0):]

    def _settle(self, sender, found):
        """Finds out whether a request that was never answered was stored: all of it, or nothing."""
        if sender.pending is None:
            return
        forks, _ = sender.pending.foretold()
        changed = [walker for walker in forks if forks[walker].log]
        if changed and all(found.get(each.user, []) == self._new(each) + forks[each].log for each in changed):
            self.stored_unanswered += 1
            for walker, fork in forks.items():
                walker.oracle.adopt(fork)
        else:
            # Then nothing of it may be there, which the comparison with the oracle finds out.
            self.lost_unanswered += 1
        if self.random.random() > retried:
            sender.pending = None

    def compare_history(self, walker, since=0):
        positions = self.server.admin().history(walker.name, f"?from={stamp(since)}")
        expected = sorted(key for key in walker.oracle.known if key[0] >= since)
        stored = sorted(map(key_of, positions))
        assert stored == expected, f"history of {walker.name}: {difference(expected, stored)}"

    def finish(self):
        """All of it once more, after an orderly end."""
        self.pause()
        self.check()
        before = self.server.admin().ok("GET", "/teams/walkers/safety")["members"]
        assert self.server.stop() == 0
        self.server.start()
        for walker in self.walkers:
            self.compare_history(walker)
        everything = told(self.server.admin().changes(0))
        # A restart changes nothing of who is safe, where, since when, and where they are believed to be.
        assert self.server.admin().ok("GET", "/teams/walkers/safety")["members"] == before
        for walker in self.walkers:
            entries = everything.get(walker.user, [])
            assert entries == walker.oracle.log, difference(walker.oracle.log, entries)
            self.require_alternation(entries)
        for sender in self.senders:
            sender.closing = True
        self.gate.set()
        for sender in self.senders:
            sender.join(load.timeout_seconds)

    @staticmethod
    def require_alternation(entries):
        for region in regions:
            kinds = [entry[0] for entry in entries if entry[0] in ("enter", "exit") and entry[1] == region.id]
            assert kinds == [("enter", "exit")[index % 2] for index in range(len(kinds))]


@pytest.mark.soak
def test_nothing_acknowledged_is_lost_and_no_crossing_doubled_by_crashes(make_server):
    seed = int(os.environ.get("MUSTER_TEST_SEED", "20261121"))
    print(f"seed {seed}")
    trial = Trial(make_server().start(), seed)
    trial.begin()
    for _ in range(crashes):
        trial.crash()
    trial.finish()
    acknowledged = trial.acknowledged()
    crossings = sum(entry[0] in ("enter", "exit") for walker in trial.walkers for entry in walker.oracle.log)
    print(
        f"{acknowledged} requests acknowledged, {trial.changes} changes, {crossings} crossings; of those cut off "
        f"{trial.stored_unanswered} were stored and {trial.lost_unanswered} not")
    assert acknowledged >= requests_of_crash * crashes
    assert crossings >= crossings_of_crash * crashes
    assert trial.lost_unanswered > 0
