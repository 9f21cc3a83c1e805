"""Writes Tests/MusterCoreTests/Golden/confident.txt: what the reference of the confident policy says, fix by fix.

    python3 Tests/Oracles/confident_vectors.py

The tests read only the file that is written. The reference is confident_reference.py beside this. Everything here is
seeded; times are multiples of 1/8 s, which are exact in floating point, and coordinates are rounded before either side
sees them.

A sequence is a line `sequence NAME LATITUDE LONGITUDE RADIUS`: the middle of a frame of metres and of a round region.
Its lines are fixes: time (ms), latitude and longitude (nanodegrees), accuracy (cm, - when unknown), speed (cm/s, -
when not said); and after it: whether it was taken (1) or late (0), the estimate east and north (mm), the deviation
(mm), the surprises in hand (2: two or more), and for the default, for "inside is safe" and for "inside is danger" the
standing (u, i, o); last the probability (1e-5).
"""

import math
import random
from pathlib import Path

from confident_reference import MODES, Device, standing_after

GOLDEN = Path(__file__).resolve().parent.parent / "MusterCoreTests" / "Golden" / "confident.txt"


class Frame:
    """Metres east and north of a place, with the lengths of a degree on WGS-84 there."""

    def __init__(self, latitude, longitude):
        self.latitude, self.longitude = latitude, longitude
        square = 0.00669437999014131699614
        sine = math.sin(math.radians(latitude))
        w2 = 1 - square * sine * sine
        normal = 6378137 / math.sqrt(w2)
        self.north = math.radians(normal * (1 - square) / w2)
        self.east = math.radians(normal * math.cos(math.radians(latitude)))

    def nanodegrees(self, x, y):
        longitude = self.longitude + x / self.east
        longitude = (longitude + 180) % 360 - 180
        return round((self.latitude + y / self.north) * 1e9), round(longitude * 1e9)

    def metres(self, latitude, longitude):
        east = (longitude / 1e9 - self.longitude + 180) % 360 - 180
        return east * self.east, (latitude / 1e9 - self.latitude) * self.north


class Phone:
    """Draws fixes: the error drifts, and now and then something goes wrong."""

    def __init__(self, seed, accuracy, jumps=0.0, coarse=0.0, unknown=0.0, speed=False):
        self.chance = random.Random(seed)
        self.accuracy, self.jumps, self.coarse, self.unknown, self.speed = accuracy, jumps, coarse, unknown, speed
        self.drift = (0.0, 0.0)
        self.jump, self.jump_end = (0.0, 0.0), -1.0

    def vector(self, length):
        angle = self.chance.uniform(0, 2 * math.pi)
        return length * math.cos(angle), length * math.sin(angle)

    def fix(self, t, x, y, v):
        c, sigma = self.chance, self.accuracy / 1.5096
        self.drift = tuple(0.9 * d + math.sqrt(0.19) * c.gauss(0, 0.9 * sigma) for d in self.drift)
        a = self.accuracy * math.exp(c.gauss(-0.1, 0.2))
        dx, dy = self.drift[0] + c.gauss(0, 0.45 * sigma), self.drift[1] + c.gauss(0, 0.45 * sigma)
        if t >= self.jump_end and c.random() < self.jumps:
            self.jump, self.jump_end = self.vector(math.exp(c.uniform(4, 6.2))), t + c.expovariate(1 / 60) + 2
        if t < self.jump_end:
            dx, dy = dx + self.jump[0], dy + self.jump[1]
        said = abs(v + c.gauss(0, 0.3)) if self.speed else None
        if c.random() < self.coarse:
            a = math.exp(c.uniform(math.log(210), math.log(20000)))
            dx, dy, said = c.gauss(0, a / 1.5), c.gauss(0, a / 1.5), None
        if c.random() < self.unknown:
            shift = self.vector(c.uniform(0, 800))
            a, dx, dy = None, dx + shift[0], dy + shift[1]
        return x + dx, y + dy, a, said


def still(x, y):
    return lambda t: (x, y, 0.0)


def there_and_back(reach, speed, pause, offset):
    """From the west to the middle, a pause there, and on to the east; then back."""

    def at(t):
        leg = reach / speed
        whole = 2 * leg + pause
        turn, t = divmod(t, whole)
        sign = 1 if turn % 2 == 0 else -1
        if t < leg:
            return sign * (speed * t - reach), offset, speed
        if t < leg + pause:
            return 0.0, offset, 0.0
        return sign * speed * (t - leg - pause), offset, speed

    return at


def eighths(t):
    return round(t * 8) / 8


def times(chance, count, interval, gap_share=0.0):
    t, result = 0.0, []
    for _ in range(count):
        t += eighths(interval * chance.uniform(0.8, 1.2)) or 0.125
        if chance.random() < gap_share:
            t += eighths(chance.uniform(200, 1800))
        result.append(t)
    return result


def drawn(seed, count, interval, path, accuracy, gap_share=0.0, late_share=0.0, **noise):
    chance, phone = random.Random(seed), Phone(seed + 1, accuracy, **noise)
    rows = []
    for t in times(chance, count, interval, gap_share):
        x, y, v = path(t)
        rows.append((t, *phone.fix(t, x, y, v)))
        if chance.random() < late_share:
            rows.append((max(0.125, t - eighths(chance.uniform(0, 20))), *rows[-1][1:]))
    return rows


def told(*parts):
    """Fixes as written: (from, to, every, x, y, accuracy, speed)."""
    return [
        (start + index * every, x, y, a, v)
        for start, end, every, x, y, a, v in parts
        for index in range(int((end - start) / every))
    ]


def sequences():
    walk = there_and_back(300, 1.4, 240, 20)
    drive = there_and_back(1500, 14, 60, 30)
    yield "still-open", (46.05, 14.5), 40, drawn(1, 220, 5, still(12, 30), 5)
    yield "still-hostile", (46.05, 14.5), 60, drawn(
        2, 320, 15, still(50, 22), 12, jumps=0.02, coarse=0.02, unknown=0.02)
    yield "still-speed-hostile", (59.91, 10.75), 100, drawn(
        3, 320, 10, still(-80, 50), 25, jumps=0.03, coarse=0.02, unknown=0.02, speed=True)
    yield "walk-speed", (0.0, 0.0), 100, drawn(4, 320, 5, walk, 12, jumps=0.01, speed=True)
    yield "walk-no-speed", (0.0, 100.0), 100, drawn(5, 320, 5, walk, 12, jumps=0.01, coarse=0.01)
    yield "walk-sparse", (59.91, 10.75), 100, drawn(6, 220, 60, walk, 8, gap_share=0.05)
    yield "drive-speed", (46.05, 14.5), 150, drawn(7, 220, 5, drive, 12, coarse=0.02, unknown=0.02, speed=True)
    yield "drive-no-speed", (46.05, 14.5), 150, drawn(8, 220, 15, drive, 25, coarse=0.02, unknown=0.02)
    yield "antimeridian", (-16.8, 179.9998), 100, drawn(9, 220, 5, walk, 12, jumps=0.01)
    yield "far-north", (78.2, 15.6), 100, drawn(10, 220, 5, walk, 12, jumps=0.01, speed=True)
    yield "silences", (46.05, 14.5), 60, drawn(11, 220, 30, still(0, 0), 12, gap_share=0.2, jumps=0.1)
    yield "late-and-repeated", (46.05, 14.5), 100, drawn(12, 220, 5, walk, 12, late_share=0.2)
    yield "every-second", (46.05, 14.5), 60, drawn(13, 400, 1, still(30, 40), 12, jumps=0.01)
    yield "lie-with-speed", (46.05, 14.5), 100, told(
        (5, 605, 5, 0, 0, 8, 0.0), (605, 725, 5, 300, 0, 8, 0.0), (725, 1205, 5, 0, 0, 8, 0.0))
    yield "lie-without-speed", (46.05, 14.5), 100, told(
        (5, 605, 5, 0, 0, 8, None), (605, 725, 5, 300, 0, 8, None), (725, 1205, 5, 0, 0, 8, None))
    yield "arrival-after-a-gap", (46.05, 14.5), 100, told(
        (5, 605, 5, 400, 0, 8, 0.0), (665, 1000, 5, 3, 2, 4, 0.0))
    yield "lie-after-a-gap", (46.05, 14.5), 100, told(
        (5, 605, 5, 0, 0, 8, 0.0), (665, 785, 5, 300, 0, 8, 0.0), (785, 1205, 5, 0, 0, 8, 0.0))
    yield "always-zero", (46.05, 14.5), 100, [
        (t, max(0, 300 - 3.3 * max(0, t - 300)), 0, 4, 0.0) for t in range(5, 700, 5)]
    yield "poor-and-off", (46.05, 14.5), 50, told(
        (5, 605, 5, 0, 0, 8, None), (635, 1535, 30, 300, 0, 100, None), (1540, 1640, 5, 0, 0, 8, None))
    yield "poor-and-off-drawn", (46.05, 14.5), 50, drawn(14, 60, 5, still(0, 10), 8) + [
        (t + 360, *rest) for t, *rest in drawn(16, 60, 30, still(-220, 120), 100, jumps=0.05)]
    yield "surprises-in-turn", (46.05, 14.5), 100, told((5, 605, 5, 0, 0, 8, 0.0)) + [
        (t, *place, 50, None) for t, place in zip(range(610, 1210, 10), [(0, 6000), (2000, 11000)] * 30)]
    yield "good-among-poor", (46.05, 14.5), 60, told((5, 605, 5, 0, 0, 8, None)) + [
        (t, 0, 0, 8, None) if t % 120 == 0 else (t, 240, 0, 100, None) for t in range(630, 3630, 30)]
    yield "only-coarse", (46.05, 14.5), 100, told((60, 660, 60, 0, 0, 10, None), (660, 1260, 60, 8000, 0, 1500, None))


def lines(frame, radius, rows):
    device, standings = Device(), [None, None, None]
    for t, x, y, a, v in rows:
        latitude, longitude = frame.nanodegrees(x, y)
        x, y = frame.metres(latitude, longitude)
        a = None if a is None else round(a * 100)
        v = None if v is None else round(v * 100)
        taken = device.fix(t, x, y, None if a is None else a / 100, None if v is None else v / 100)
        if taken:
            for index, mode in enumerate(MODES.values()):
                standings[index], probability = standing_after(
                    standings[index], device, lambda x, y: radius - math.hypot(x, y), mode)
        yield " ".join(
            str(cell)
            for cell in (
                round(t * 1000), latitude, longitude, "-" if a is None else a, "-" if v is None else v, int(taken),
                round(device.x * 1000), round(device.y * 1000), round(device.deviation * 1000),
                min(len(device.surprises), 2), "".join("u" if s is None else "oi"[s] for s in standings),
                round(probability * 1e5),
            )
        )


def main():
    text = []
    for name, (latitude, longitude), radius, rows in sequences():
        text.append(f"sequence {name} {latitude} {longitude} {radius}")
        text += lines(Frame(latitude, longitude), radius, rows)
    GOLDEN.parent.mkdir(exist_ok=True)
    GOLDEN.write_text("\n".join(text) + "\n")


if __name__ == "__main__":
    main()
