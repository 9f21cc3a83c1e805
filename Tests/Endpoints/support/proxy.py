"""A TCP proxy whose subclasses decide which bytes pass."""

import socket
import threading
import time


class Proxy:
    """Listens on a port of its own and passes bytes on to another port, as `fate` decides."""

    piece_bytes = 65_536
    """The largest piece to judge at once."""

    def __init__(self, port):
        self.target = port
        self._open = set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"

    def close(self):
        # Ends the wait of the thread that accepts, too: it would take one more connection.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def fate(self):
        """Returns the treatment of the next connection: its delay in seconds, and a function that judges each piece.

        The function receives the piece, and whether the client sent it. It returns the bytes to pass on, the bytes to
        send back to the sender, and whether the connection continues.
        """
        raise NotImplementedError

    def end_all(self):
        """Ends the open connections. Returns their number."""
        ends = list(self._open)
        for end in ends:
            self._end(end)
        return len(ends)

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._pass, args=(client, *self.fate()), daemon=True).start()

    def _pass(self, client, delay_seconds, judge):
        # Later connections may overtake a delayed one.
        time.sleep(delay_seconds)
        with client:
            try:
                server = socket.create_connection(("127.0.0.1", self.target), 60)
            except OSError:
                return
            server.settimeout(None)
            with server:
                self._open.add(client)
                back = threading.Thread(
                    target=self._pump, args=(server, client, lambda data: judge(data, False)), daemon=True)
                back.start()
                self._pump(client, server, lambda data: judge(data, True))
                back.join()
                self._open.discard(client)

    def _pump(self, source, sink, judge):
        try:
            lasts = True
            while lasts and (data := source.recv(self.piece_bytes)):
                on, back, lasts = judge(data)
                if on:
                    sink.sendall(on)
                if back:
                    source.sendall(back)
        except OSError:
            pass
        self._end(source)
        self._end(sink)

    @staticmethod
    def _end(end):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
