"""Writes Tests/MusterKitTests/Golden/location-filter.json: fixes, and which of them a filter admits.

The expectations are worked out here from the rules of docs/kit.md and `LocationMonitor`'s comments, apart from both
implementations: MusterKit's (Tests/MusterKitTests/LocationFilterCasesTests.swift) and the member's app
(Tests/Browser/me_filter.test.mjs). A place is so many metres north of another by the series of the meridian's arc.
"""

import json
import math
import pathlib
import random

axis, flattening = 6_378_137.0, 1 / 298.257223563
squared = flattening * (2 - flattening)
filters = {
    "foreground": (25, 15, 15), "background": (100, 100, 15), "everything": (math.inf, 0, -math.inf),
}
noon = 1_700_000_000_000


def metres_per_degree(latitude):
    return math.radians(1) * axis * (1 - squared) / (1 - squared * math.sin(math.radians(latitude)) ** 2) ** 1.5


def north(latitude, metres):
    """The latitude so many metres north, found in steps that are small enough to ignore the curvature."""
    for _ in range(200):
        latitude += metres / 200 / metres_per_degree(latitude + metres / 400 / 111_000)
    return latitude


class Expected:
    """Which fixes are admitted, said in the plainest way. Places are metres north of the start."""

    def __init__(self):
        self.last = self.ahead = None

    def admits(self, filter_name, fix, now):
        accuracy, distance, seconds = filters[filter_name]
        if fix["accuracy"] is not None and fix["accuracy"] > accuracy:
            return False
        is_ahead = fix["sampled"] - now > 60_000
        before = self.ahead if is_ahead else self.last
        if before and before["sampled"] - (fix["sampled"] if is_ahead else now) > 60_000:
            before = None
        if before and not (fix["sampled"] - before["sampled"] > seconds * 1000 and
                           abs(fix["north"] - before["north"]) >= distance):
            return False
        if is_ahead:
            self.ahead = fix
        else:
            self.last = fix
        return True


def case(name, steps, latitude=52.0):
    """Steps are (filter, now, seconds, metres north, accuracy)."""
    expected, made = Expected(), []
    for filter_name, now, seconds, metres, accuracy in steps:
        # No place is so near to a limit that the method of computing a distance would decide.
        befores = [each["north"] for each in (expected.last, expected.ahead) if each]
        if any(abs(abs(metres - before) - filters[filter_name][1]) < 0.005 for before in befores):
            metres += 0.02
        fix = {"sampled": noon + round(seconds * 1000), "north": metres, "accuracy": accuracy}
        now = noon + round(now * 1000)
        made.append({
            "filter": filter_name, "nowMilliseconds": now, "sampleMilliseconds": fix["sampled"],
            "latitude": north(latitude, metres), "longitude": 13.0,
            **({} if accuracy is None else {"accuracyMetres": accuracy}),
            "isAdmitted": expected.admits(filter_name, fix, now),
        })
    return {"name": name, "fixes": made}


def walk(seed):
    """A walk with receivers' errors, dead zones, a mode that changes, and clocks that are off now and then."""
    dice, steps, metres = random.Random(seed), [], 0.0
    now, mode = 0.0, "foreground"
    for _ in range(80):
        now += dice.choice([5, 5, 5, 6.5, 40])
        metres += dice.uniform(-1, 8)
        if dice.random() < 0.05:
            mode = dice.choice(["foreground", "background"])
        error = dice.choice([0] * 12 + [-30, 20, 70, 3_600, 86_400, 31_536_000])
        accuracy = dice.choice([None, 4, 12, 24.9, 25, 25.1, 60, 100, 100.1, 900])
        steps.append((mode, now, round(now + error, 3), round(metres, 1), accuracy))
        if dice.random() < 0.02:
            now -= dice.choice([5, 100, 4_000])
    return steps


def cases():
    year = 365 * 86_400
    yield case("the first fix is admitted, with an accuracy at the limit and without one", [
        ("foreground", 0, 0, 0, 25), ("foreground", 20, 20, 20, None)])
    yield case("a poorer first fix is not", [("foreground", 0, 0, 0, 25.001), ("background", 1, 1, 0, 100.1)])
    yield case("seconds at the limit are not enough", [
        ("foreground", 0, 0, 0, 5), ("foreground", 15, 15, 50, 5), ("foreground", 15.001, 15.001, 50, 5)])
    yield case("distance at the limit is enough", [
        ("foreground", 0, 0, 0, 5), ("foreground", 60, 60, 14.99, 5), ("foreground", 61, 61, 15.01, 5)])
    yield case("an older fix is not admitted, however far", [
        ("foreground", 60, 60, 0, 5), ("foreground", 61, 0, 500, 5)])
    yield case("in the background a poorer fix is admitted and a nearer one is not", [
        ("background", 0, 0, 0, 100), ("background", 60, 60, 99.9, 100), ("background", 61, 61, 100.1, 100)])
    yield case("the mode selects the filter", [
        ("foreground", 0, 0, 0, None), ("background", 20, 20, 50, None), ("foreground", 20, 20, 50, None)])
    yield case("everything is admitted, the same once more too", [
        ("everything", 0, 0, 0, 9_999), ("everything", 0, 0, 0, 9_999), ("everything", 0, -5, 0, None)])
    yield case("a fix dated next year does not block later ones", [
        ("foreground", 0, 0, 0, None), ("foreground", 0, year, 100, None), ("foreground", 20, 20, 10, None),
        ("foreground", 20, 20, 20, None), ("foreground", 20, year + 10, 200, None),
        ("foreground", 20, year / 2, 200, None), ("foreground", 20, 80, 100, None),
        ("foreground", 20, 40, 200, None)])
    yield case("a minute ahead is the clock's own error, more is not", [
        ("foreground", 0, 0, 0, 5), ("foreground", 0, 60, 20, 5), ("foreground", 0, 60.001, 40, 5),
        ("foreground", 0, 70, 60, 5)])
    yield case("what was right by a clock that was set back does not block", [
        ("foreground", year, year, 0, 5), ("foreground", 60, 60, 20, 5), ("foreground", 80, 80, 40, 5)])
    yield case("near the pole a metre is a metre", [
        ("foreground", 0, 0, 0, 5), ("foreground", 20, 20, 14.99, 5), ("foreground", 40, 40, 15.01, 5)], latitude=89.99)
    for seed in range(1, 9):
        yield case(f"a walk, seed {seed}", walk(seed))


if __name__ == "__main__":
    target = pathlib.Path(__file__).parents[1] / "MusterKitTests/Golden/location-filter.json"
    lines = []
    for each in cases():
        fixes = ",\n    ".join(json.dumps(fix) for fix in each["fixes"])
        lines.append(f'  {{"name": {json.dumps(each["name"])}, "fixes": [\n    {fixes}]}}')
    target.write_text("[\n" + ",\n".join(lines) + "\n]\n")
