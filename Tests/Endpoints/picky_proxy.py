"""A way to a server that looks at what is asked: it passes on, sooner or later, or answers itself."""

import socket
import threading


class PickyProxy:
    """Listens on a port of its own and passes on to another what it does not answer.

    `decide` is given how a request begins; it returns what is to be answered instead, and then the connection ends, or
    None: then the request goes on, once it has returned.
    """

    def __init__(self, port, decide):
        self.target = port
        self.decide = decide
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"

    def close(self):
        self._listener.close()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._pass, args=(client,), daemon=True).start()

    def _pass(self, client):
        with client, socket.create_connection(("127.0.0.1", self.target), 5) as server:
            server.settimeout(None)
            back = threading.Thread(target=self._pump, args=(server, client, lambda _: None), daemon=True)
            back.start()
            self._pump(client, server, self.decide)
            back.join()

    def _pump(self, source, sink, decide):
        try:
            while data := source.recv(65_536):
                answer = decide(data)
                if answer is not None:
                    source.sendall(answer)
                    break
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
