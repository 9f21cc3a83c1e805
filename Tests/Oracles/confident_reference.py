"""The confident policy in Python, on a plane in metres: the oracle of confident_vectors.py.

`Device` takes fixes, `standing_after` decides for one round region. Written apart from the Swift code, from the rules
in docs/truth.md; nothing here is fast.
"""

import math

MODES = {  # enter, exit, margin; the same for who moves across the boundary
    "standard": (0.85, 0.05, 5.0, 0.55, 0.45, 0.0),
    "inside is safe": (0.95, 0.15, 0.0, 0.80, 0.40, 0.0),
    "inside is danger": (0.70, 0.05, 8.0, 0.50, 0.20, 4.0),
}

OFFSET = 1.5  # deviations
SURPRISES_OFFSET = 2.25


def probability_below(z):
    return 0.5 * math.erfc(-z / math.sqrt(2))


def fine_deviation(error):
    return min(math.sqrt(error), 1.6 * 200 / 1.5096)


class Device:
    def __init__(self):
        self.time = None
        self.fixes = 0
        self.anchors = []  # (time, x, y, accuracy), the newest last, at most two
        self.anchor_speed = 0.0
        self.speed = 0.0
        self.surprises = []  # (time, x, y, variance) of the candidate in hand
        self.steady = []  # (time, x, y) of the accurate surprises that lie together
        self.waypoints = []  # (time, x, y), the newest last, at most three
        self.moving = 0
        self.doubts_standing = False
        self.offset = (0.0, 0.0)  # the mean innovation of the last minutes, in deviations
        self.path = (0.0, 0.0)  # the velocity of the path that the last fixes form, in metres a second
        self.usual = 0.0  # the mean deviation of the last minutes' fixes, in metres

    @property
    def deviation(self):
        return math.sqrt(self.variance + self.lasting)

    def speed_at(self, t, x, y, accuracy, fine, said):
        if not fine:
            return 0.0
        speed, since_anchor = 0.0, 0.0
        if self.anchors:
            at, ax, ay, anchor_accuracy = self.anchors[-1]
            slack = 0.5 * (accuracy + anchor_accuracy)
            since_anchor = max(math.hypot(x - ax, y - ay) - slack, 0) / max(t - at, 0.5)
            if len(self.anchors) == 2:
                at, ax, ay, _ = self.anchors[0]
                since_earlier = max(math.hypot(x - ax, y - ay) - slack, 0) / max(t - at, 0.5)
                speed = min(since_anchor, self.anchor_speed, since_earlier)
        if not self.anchors or t - self.anchors[-1][0] >= 20:
            self.begin_path(t, x, y, accuracy, said)
            self.anchors = (self.anchors + [(t, x, y, accuracy)])[-2:]
            self.anchor_speed = since_anchor
        if self.is_on_path(said):
            speed = max(speed, math.hypot(*self.path))
        if said is not None:
            if said >= 0.7:
                self.doubts_standing = False
            if not self.doubts_standing:
                speed = said
        return speed if speed >= 0.7 else 0.0

    def fix(self, t, x, y, accuracy, said=None):
        if self.time is not None and t <= self.time:
            return False
        known = accuracy is not None and accuracy > 0
        accuracy = max(accuracy if known else 100.0, 5.0)
        fine = known and accuracy <= 200
        error = (1.6 * (1.5 if accuracy > 200 else 1.0) * accuracy / 1.5096) ** 2
        speed = self.speed_at(t, x, y, accuracy, fine, said)
        if self.fixes == 0:
            self.x, self.y, self.variance, self.lasting = x, y, error, 0.4 * error
            self.fitted = t
            self.usual = fine_deviation(error)
            self.waypoints = [(t, x, y)]
        else:
            elapsed = t - self.time
            reach = max(speed, self.speed) * elapsed
            predicted = self.variance + 0.1 * elapsed + reach**2
            far = math.hypot(x - self.x, y - self.y)
            unshared = max(self.lasting - 0.4 * error, 0)
            deviation = math.sqrt(predicted + unshared + error)
            weight = min(elapsed / (elapsed + 180), 1 / 3)
            unit = max(deviation, far / 3)
            kept = 1 - min(weight * max(self.usual**2 / error, 1), 1)
            self.offset = tuple(
                kept * mean + weight * metres / unit
                for mean, metres in zip(self.offset, (x - self.x, y - self.y)))
            self.usual += weight * (fine_deviation(error) - self.usual)
            if far > 3 * deviation:
                self.surprise(t, x, y, error, accuracy, fine, said, far)
            elif self.lies_with_offset(x, y, OFFSET, OFFSET * deviation):
                self.restart(t, x, y, error, fine)
            else:
                self.follow(t, x, y, error, fine, said, speed, predicted, unshared)
            self.note_motion(t)
        self.speed, self.time = speed, t
        self.fixes += 1
        return True

    def lies_with_offset(self, x, y, least, metres):
        size = math.hypot(*self.offset)
        along = (x - self.x) * self.offset[0] + (y - self.y) * self.offset[1]
        return size >= least and along >= metres * size

    def restart(self, t, x, y, error, fine):
        self.x, self.y, self.variance, self.lasting = x, y, error, 0.4 * error
        self.surprises = []
        self.offset, self.usual = (0.0, 0.0), fine_deviation(error)
        if fine:
            self.fitted = t

    def surprise(self, t, x, y, error, accuracy, fine, said, far):
        elapsed = t - self.time
        self.path = (0.0, 0.0)
        if fine and elapsed >= 240:
            return self.restart(t, x, y, error, fine)
        if not self.surprises:
            self.gap = t - self.fitted
        last_error = self.surprises[-1][3] if self.surprises else self.last_surprise_error
        spread = 3 * math.sqrt(error + last_error)
        if self.surprises and math.hypot(x - self.surprises[-1][1], y - self.surprises[-1][2]) <= spread + 40 * elapsed:
            self.surprises.append((t, x, y, error))
        else:
            self.surprises, self.steady = [(t, x, y, error)], []
        if fine and accuracy <= 20:
            if self.steady and math.hypot(x - self.steady[0][1], y - self.steady[0][2]) <= spread + 2 * elapsed:
                self.steady.append((t, x, y))
            else:
                self.steady = [(t, x, y)]
        self.last_surprise_error = error
        self.variance += 0.1 * elapsed
        first = self.surprises[0]
        moved = math.hypot(x - first[1], y - first[2]) > 3 * math.sqrt(error + first[3])
        says_stands = said is not None and (said < 0.7 or self.speed == 0)
        if moved and says_stands:
            self.doubts_standing = True
        if moved and fine and accuracy <= 50 and self.take_path(t, x, y, error, fine):
            return
        if self.lies_with_offset(x, y, SURPRISES_OFFSET, 0):
            return self.restart(t, x, y, error, fine)
        if len(self.surprises) < 2:
            return
        arrived = self.gap >= 30 and far <= 40 * self.gap
        agreed = len(self.steady) >= 3 and t - self.steady[0][0] >= 20
        wanted = 180 if says_stands and not moved and not arrived and elapsed <= 30 else 45
        if (arrived and agreed) or t - first[0] >= wanted:
            self.restart(t, x, y, error, fine)

    last_surprise_error = 0.0

    def follow(self, t, x, y, error, fine, said, speed, predicted, unshared):
        elapsed = t - self.time
        self.continue_path(x - self.x, y - self.y, max(elapsed, 0.5), error, fine)
        self.surprises = []
        if fine:
            self.fitted = t
        if speed > 0:
            lag = 1.5 if self.is_on_path(said) else 0.5
            gain = speed * elapsed / (speed * elapsed + lag * math.sqrt(error))
            if elapsed > 10:
                gain = max(gain, (predicted + unshared) / (predicted + unshared + error))
            self.variance = max((1 - gain) * (self.variance + 0.1 * elapsed), 0.7 * error)
        else:
            weight = max(math.tanh(elapsed / 60), 1e-3)
            gain = (predicted + unshared) / (predicted + unshared + error / weight)
            self.variance = (1 - gain) * predicted
        self.x += gain * (x - self.x)
        self.y += gain * (y - self.y)
        self.lasting += gain * (0.4 * error - self.lasting)

    def is_on_path(self, said):
        return self.path != (0.0, 0.0) and (said is None or self.doubts_standing)

    def take_path(self, t, x, y, error, fine):
        """Two legs: from the estimate to the first surprise, and from there to this one."""
        if len(self.surprises) < 2:
            return False
        at, first_x, first_y, first_error = self.surprises[0]
        first = (first_x - self.x, first_y - self.y)
        way = (x - first_x, y - first_y)
        speed, length = math.hypot(*way) / (t - at), math.hypot(*first)
        along = first[0] * way[0] + first[1] * way[1]
        if not 0.7 <= speed <= 40 or along < 0.7 * length * math.hypot(*way):
            return False
        if length > 2 * speed * self.gap + 3 * math.sqrt(first_error):
            return False
        self.restart(t, x, y, error, fine)
        self.path = (way[0] / (t - at), way[1] / (t - at))
        return True

    def begin_path(self, t, x, y, accuracy, said):
        """Three places in a row, 20 s or more apart: the two anchors, and this fix."""
        if len(self.anchors) < 2 or self.path != (0.0, 0.0) or accuracy > 50 or t - self.time > 10:
            return
        if said is not None and not self.doubts_standing:
            return
        (first, fx, fy, _), (middle, mx, my, middle_accuracy) = self.anchors
        errors = 1.6 / 1.5096 * (accuracy + middle_accuracy) / 2
        seconds, length = t - first, math.hypot(x - fx, y - fy)
        if seconds > 90 or length < 3.3 * math.sqrt(2) * errors or not 0.7 * seconds <= length <= 40 * seconds:
            return
        rest = (t - middle) / seconds
        bend = math.hypot(mx - (x - (x - fx) * rest), my - (y - (y - fy) * rest))
        if bend <= 3.3 * errors:
            self.path = ((x - fx) / seconds, (y - fy) / seconds)

    def continue_path(self, dx, dy, elapsed, error, fine):
        if self.path == (0.0, 0.0) or not fine:
            return
        speed = math.hypot(*self.path)
        progress = (dx * self.path[0] + dy * self.path[1]) / speed
        if progress < 0.5 * speed * elapsed - math.sqrt(error):
            self.path = (self.path[0] / 2, self.path[1] / 2)
        else:
            share = elapsed / (elapsed + 15)
            self.path = tuple(v + share * (d / elapsed - v) for v, d in zip(self.path, (dx, dy)))
        if math.hypot(*self.path) * 15 < math.sqrt(error):
            self.path = (0.0, 0.0)

    def past(self, t):
        """The newest waypoint that is 20 s old or more; None where that is older than 90 s."""
        for at, x, y in reversed(self.waypoints):
            if t - at >= 20:
                return (x, y, t - at) if t - at <= 90 else None
        return None

    def note_motion(self, t):
        if not self.surprises:
            past = self.past(t)
            metres = math.hypot(past[0] - self.x, past[1] - self.y) if past else 0
            moves = past and metres >= 0.7 * past[2] and metres >= 1.5 * self.deviation
            self.moving = self.moving + 1 if moves else 0
        if t - self.waypoints[-1][0] >= 10:
            self.waypoints = (self.waypoints + [(t, self.x, self.y)])[-3:]

    def motion(self):
        past = self.past(self.time)
        if self.moving < 3 or self.surprises or not past:
            return None
        return past[0], past[1], math.hypot(past[0] - self.x, past[1] - self.y)


def standing_after(standing, device, distance, mode):
    """The standing (None, 0 outside, 1 inside) and the probability, by the distance of a place to the boundary."""
    enter, leave, margin, moving_enter, moving_leave, moving_margin = mode
    d, sd, motion = distance(device.x, device.y), device.deviation, device.motion()
    p = probability_below(d / sd)
    inwards = motion is not None and d - distance(*motion[:2]) >= 0.6 * motion[2]
    outwards = motion is not None and distance(*motion[:2]) - d >= 0.6 * motion[2]
    if standing == 1:
        left = probability_below((d + margin) / sd) < leave
        left = left or outwards and probability_below((d + moving_margin) / sd) < moving_leave
        return (0 if left else 1), p
    if standing == 0:
        return (1 if p > enter or inwards and p > moving_enter else 0), p
    if device.fixes < 2 or device.surprises:
        return None, p
    return (1 if p > enter else 0 if p < leave else None), p
