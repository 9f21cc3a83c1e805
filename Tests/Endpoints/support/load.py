"""Phones and a gateway that report without pause and check each acknowledgement against an oracle."""

import gzip
import http.client
import json
import threading
import time
from urllib.parse import urlsplit

from native_api import fix
from oracle import DeviceOracle

west, south, size = 13.4001, 52.5001, 0.01
timeout_seconds = 60


class Walker:
    """A device on a random walk. Its random numbers determine its path."""

    def __init__(self, name, regions, random, start):
        self.name = name
        self.user = name.split("/")[0]
        self.random = random
        self.time = start
        self.place = [south + random.random() * size, west + random.random() * size]
        self.oracle = DeviceOracle(regions)
        self.sent = []

    def next(self):
        """Returns the next position to report: usually a new one, sometimes a repeated one or a late one."""
        chance = self.random.random()
        if self.sent and chance < 0.06:
            return self.random.choice(self.sent)
        self.place = [
            self._inside(value + self.random.gauss(0, size / 20), least)
            for value, least in zip(self.place, (south, west))]
        if self.sent and chance < 0.12:
            # A late fix. It lies usually between two other fixes, and sometimes at the same time as one.
            behind = self.random.randint(1, 5000)
            key = (self.time - behind, round(self.place[0], 7), round(self.place[1], 7))
        else:
            self.time += self.random.choice((500, 1000, 2000))
            key = (self.time, round(self.place[0], 7), round(self.place[1], 7))
        self.sent.append(key)
        return key

    @staticmethod
    def _inside(value, least):
        over = value - least
        if over < 0:
            over = -over
        if over > size:
            over = 2 * size - over
        return least + min(max(over, 0.0), size)


class Request:
    """A request that reports positions, with its encoding."""

    def __init__(self, walkers, keys, lines=False, packed=False, single=False):
        self.entries = list(zip(walkers, keys))
        named = not single
        objects = [
            fix(latitude, longitude, time, **({"device": walker.name} if named else {}))
            for walker, (time, latitude, longitude) in self.entries]
        if lines:
            text = "\n".join(json.dumps(each) for each in objects)
        else:
            text = json.dumps(objects[0] if single else objects)
        self.body = gzip.compress(text.encode()) if packed else text.encode()
        self.headers = {"Content-Type": "application/x-ndjson" if lines else "application/json"}
        if packed:
            self.headers["Content-Encoding"] = "gzip"

    def foretold(self):
        """Returns forks of the devices' oracles after this request, and the receipt that the server must send."""
        oracles, receipt = {}, {"accepted": 0, "late": 0, "repeated": 0, "filtered": 0}
        for walker, key in self.entries:
            oracle = oracles.setdefault(walker, walker.oracle.fork())
            receipt[oracle.report(key)] += 1
        return oracles, receipt


class Sender(threading.Thread):
    """A thread that reports for its own devices, one request after the other. It pauses while the gate is closed."""

    def __init__(self, server, token, walkers, make, gate):
        super().__init__(daemon=True)
        self.server, self.token, self.walkers, self.make, self.gate = server, token, walkers, make, gate
        self.parked = threading.Event()
        self.closing = False
        self.pending = None
        """The request that was sent without an answer. The thread sends it again, unless the test sets it to None."""
        self.acknowledged = self.busy = 0
        self.last_sequence = 0
        self.failures = []

    def run(self):
        try:
            self._send_until_closed()
        except Exception as error:
            self.failures.append(repr(error))
        finally:
            self.closing = True
            self.parked.set()

    def _send_until_closed(self):
        connection = None
        while not self.closing:
            if not self.gate.is_set():
                connection = None
                self.parked.set()
                self.gate.wait()
                continue
            self.pending = self.pending or self.make(self.walkers)
            try:
                connection = connection or self._connect()
                status, answer = self._exchange(connection)
            except (OSError, http.client.HTTPException):
                connection = None
                continue
            if status == 503:
                self.busy += 1
                time.sleep(0.01)
            elif status == 200:
                self._acknowledge(json.loads(answer))
            else:
                self.failures.append(f"{status}: {answer[:500]}")
                self.pending = None

    def _connect(self):
        return http.client.HTTPConnection("127.0.0.1", urlsplit(self.server.address).port, timeout=timeout_seconds)

    def _exchange(self, connection):
        headers = {**self.pending.headers, "Authorization": f"Bearer {self.token}"}
        connection.request("POST", "/api/v1/positions", self.pending.body, headers)
        response = connection.getresponse()
        return response.status, response.read()

    def _acknowledge(self, answer):
        entries = self.pending.entries
        oracles, receipt = self.pending.foretold()
        for walker, oracle in oracles.items():
            walker.oracle.adopt(oracle)
        sequence = answer.pop("sequence")
        # A request of repeated positions appends nothing, so the sequence number may stay the same.
        if answer != receipt or sequence < self.last_sequence:
            self.failures.append(f"answered {answer} {sequence} after {self.last_sequence}, expected {receipt}")
        self.last_sequence = sequence
        self.acknowledged += 1
        self.pending = None
        # The oracle is slower than the server. The pause bounds its work.
        time.sleep(0.005 if len(entries) > 1 else 0)


def one_each(walkers):
    """Makes a phone's request: one fix."""
    return Request(walkers, [walkers[0].next()], single=True)


def batch(walkers):
    """Makes a gateway's request: a hundred fixes of several devices."""
    chosen = [walkers[0].random.choice(walkers) for _ in range(100)]
    return Request(chosen, [walker.next() for walker in chosen])


def packed_lines(walkers):
    """Makes a gateway's request with one fix on each line, compressed."""
    chosen = [walkers[0].random.choice(walkers) for _ in range(100)]
    return Request(chosen, [walker.next() for walker in chosen], lines=True, packed=True)
