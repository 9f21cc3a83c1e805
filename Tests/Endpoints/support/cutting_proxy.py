"""A proxy that cuts connections and delays them, as a seed determines."""

import random
import threading

from proxy import Proxy


class CuttingProxy(Proxy):
    """Cuts a part of the connections after a random number of bytes of both directions, and delays all of them."""

    piece_bytes = 4_096

    def __init__(self, port, seed, cut=0.5, delay_seconds=0.2, most_bytes=20_000):
        self.random = random.Random(seed)
        self.cut = cut
        self.delay_seconds = delay_seconds
        self.most_bytes = most_bytes
        self.cuts = 0
        super().__init__(port)

    def worsen(self, cut):
        """Cuts this part of all connections from now on, and cuts every open one."""
        self.cut = cut
        self.cuts += self.end_all()

    def heal(self):
        """Lets everything pass without delay from now on."""
        self.cut = 0
        self.delay_seconds = 0

    def fate(self):
        left = self.random.randrange(1, self.most_bytes) if self.random.random() < self.cut else None
        lock = threading.Lock()

        def judge(data, _):
            nonlocal left
            with lock:
                if left is None:
                    return data, b"", True
                data = data[:left]
                left -= len(data)
                if left == 0:
                    self.cuts += 1
                return data, b"", left > 0

        return self.random.random() * self.delay_seconds, judge
