"""The expected result of reported positions, computed slowly and without any of Muster's code.

The oracle follows the raw policy. A device moves by sample time. Its first fix inside a region is an enter, and its
first fix outside an exit. A position older than the newest known one is history and moves nothing. A known position
changes nothing.
"""

import copy
from dataclasses import dataclass, field

from native_api import milliseconds


@dataclass(frozen=True, eq=False)
class Region:
    """A region with straight edges."""

    id: str
    rings: tuple
    muster: bool = False
    dwell_seconds: float | None = None

    def contains(self, latitude, longitude):
        """Whether a point that is on no edge is inside, by ray casting: a ray from it crosses the rings an odd
        number of times."""
        crossed = False
        for ring in self.rings:
            for (x1, y1), (x2, y2) in zip(ring, ring[1:] + ring[:1]):
                if (y1 > latitude) != (y2 > latitude):
                    crossed ^= longitude < (x2 - x1) * (latitude - y1) / (y2 - y1) + x1
        return crossed


@dataclass
class DeviceOracle:
    """The expected state and log of one device, the only one of its user."""

    regions: list
    known: set = field(default_factory=set)
    evaluated: int | None = None
    inside: dict = field(default_factory=dict)
    """By region: [since, whether the dwell was reported]."""
    log: list = field(default_factory=list)
    """The expected entries of the log, in order. In a fork, only its additions."""
    origin: "DeviceOracle | None" = None

    def fork(self):
        """Returns a copy to try observations on. This oracle must not change until it adopts the fork or the fork is
        dropped."""
        other = copy.copy(self)
        other.origin = self
        other.known = set()
        other.inside = {region: list(presence) for region, presence in self.inside.items()}
        other.log = []
        return other

    def adopt(self, fork):
        """Takes over the state of a fork of this oracle."""
        self.known |= fork.known
        self.log += fork.log
        self.evaluated, self.inside = fork.evaluated, fork.inside

    def knows(self, key):
        return key in self.known or (self.origin is not None and self.origin.knows(key))

    def report(self, key):
        """Evaluates (time, latitude, longitude). Returns "accepted", "late" or "repeated"."""
        if self.knows(key):
            return "repeated"
        self.known.add(key)
        time, latitude, longitude = key
        if self.evaluated is not None and time <= self.evaluated:
            self.log.append(("position", *key, True))
            return "late"
        self.evaluated = time
        self.log.append(("position", *key, False))
        self._cross(time, latitude, longitude)
        return "accepted"

    def _cross(self, time, latitude, longitude):
        now = [region for region in self.regions if region.contains(latitude, longitude)]
        before = [region for region in self.regions if region in self.inside]
        for region in before:
            if region not in now:
                self.log.append(("exit", region.id, time))
                del self.inside[region]
        for region in now:
            if region not in self.inside:
                self.log.append(("enter", region.id, time))
                self.inside[region] = [time, False]
        for region in now:
            since, has_dwelt = self.inside[region]
            if region.dwell_seconds is not None and not has_dwelt and time - since >= region.dwell_seconds * 1000:
                self.inside[region][1] = True
                self.log.append(("dwell", region.id, time))


def told(changes):
    """Converts changes of the log to the oracle's form, by user."""
    found = {}
    for change in changes:
        if change["type"] == "position":
            position = change["position"]
            entry = ("position", *key_of(position), change["late"])
        elif change["type"] == "crossing":
            entry = (change["kind"], change["region"]["id"], milliseconds(change["sampleTime"]))
        else:
            continue
        found.setdefault(change["user"], []).append(entry)
    return found


def key_of(position):
    """Returns the identity of a position within its device."""
    return milliseconds(position["sampleTime"]), position["latitude"], position["longitude"]


def difference(expected, found):
    """Describes, for a person, where two lists first differ."""
    for index, (left, right) in enumerate(zip(expected, found)):
        if left != right:
            around = slice(max(0, index - 2), index + 3)
            return f"at {index}: expected {expected[around]}, found {found[around]}"
    rest = (expected if len(expected) > len(found) else found)[min(len(expected), len(found)):]
    return f"{len(expected)} expected, {len(found)} found; the longer goes on with {rest[:5]}"
