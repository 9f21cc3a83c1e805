"""A web server that receives webhooks. It records every request and answers as a test wants."""

import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from held_port import hold_port

wait_seconds = 60


@dataclass
class Call:
    """A received request."""

    path: str
    headers: dict
    body: bytes
    at: float

    @property
    def event(self):
        return self.headers.get("webhook-id")


class Receiver:
    """Listens on a port of its own. It can be closed, and opened again on the same port."""

    def __init__(self, answer=None, context=None):
        self.calls = []
        self.arrived = threading.Condition()
        self.answer = answer or (lambda call: 204)
        """Receives a call. Returns the status; or a status and header fields; or these and a body."""
        self.context = context
        """The TLS context; None for plain HTTP."""
        self.held, self.port = hold_port()
        self.server = None
        self.open()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/hook"

    def open(self):
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                call = Call(self.path, {k.lower(): v for k, v in self.headers.items()}, body, time.monotonic())
                with receiver.arrived:
                    receiver.calls.append(call)
                    receiver.arrived.notify_all()
                answer = receiver.answer(call)
                status, fields, content = (*(answer if isinstance(answer, tuple) else (answer, {})), b"")[:3]
                self.send_response(status)
                for name, value in {"Content-Length": str(len(content)), **fields}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_):
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            allow_reuse_address = True
            request_queue_size = 128

            def process_request(self, request, client_address):
                # On the thread that accepts: `close` knows every connection once that thread has ended.
                receiver.connections.add(request)
                super().process_request(request, client_address)

            def handle_error(self, *_):
                pass

        self.connections = set()
        self.server = Server(("127.0.0.1", self.port), Handler)
        if self.context:
            self.server.socket = self.context.wrap_socket(
                self.server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def close(self):
        """Refuses new connections, and breaks the open ones."""
        if self.server is None:
            return
        self.server.shutdown()
        self.server.server_close()
        self.server = None
        for connection in list(self.connections):
            try:
                connection.shutdown(2)
            except OSError:
                pass

    def wait(self, condition, seconds=wait_seconds):
        """Waits until a condition on the received calls is true. Fails when it does not become true in time."""
        with self.arrived:
            assert self.arrived.wait_for(lambda: condition(self.calls), seconds), (
                f"{len(self.calls)} calls: {[(call.event, call.path) for call in self.calls[-20:]]}")
            return list(self.calls)
