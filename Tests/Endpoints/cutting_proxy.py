"""A way to a server that is as bad as the seed says: it cuts connections after some bytes, and delays others."""

import random
import socket
import threading
import time


class CuttingProxy:
    """Listens on a port of its own and passes on to another; each connection has a fate."""

    def __init__(self, port, seed, cut=0.5, delay_seconds=0.2, most_bytes=20_000):
        self.target = port
        self.random = random.Random(seed)
        self.cut = cut
        self.delay_seconds = delay_seconds
        self.most_bytes = most_bytes
        self.cuts = 0
        self._open = set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"

    def worsen(self, cut):
        """From now on so many of all connections are cut; those that are open are, now."""
        self.cut = cut
        for end in list(self._open):
            self.cuts += 1
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def heal(self):
        """From now on everything passes."""
        self.cut = 0
        self.delay_seconds = 0

    def close(self):
        self._listener.close()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            left = self.random.randrange(1, self.most_bytes) if self.random.random() < self.cut else None
            delay = self.random.random() * self.delay_seconds
            threading.Thread(target=self._pass, args=(client, left, delay), daemon=True).start()

    def _pass(self, client, left, delay):
        # Later connections overtake one that is delayed.
        time.sleep(delay)
        try:
            server = socket.create_connection(("127.0.0.1", self.target), 5)
        except OSError:
            client.close()
            return
        budget = [left]
        self._open.add(client)
        lock = threading.Lock()

        def pump(source, sink):
            try:
                while data := source.recv(4_096):
                    with lock:
                        if budget[0] is not None:
                            data = data[:budget[0]]
                            budget[0] -= len(data)
                    if data:
                        sink.sendall(data)
                    if budget[0] == 0:
                        self.cuts += 1
                        break
            except OSError:
                pass
            for end in (source, sink):
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

        threads = [threading.Thread(target=pump, args=pair, daemon=True)
                   for pair in ((client, server), (server, client))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self._open.discard(client)
        client.close()
        server.close()
