"""Raw connections to a server."""

import base64
import http.client
import io
import json
import socket

from muster_process import admin_password

credentials = base64.b64encode(f"admin:{admin_password}".encode()).decode()
timeout_seconds = 60


class Wire:
    """A TCP connection to a server, on which a test writes and reads the bytes."""

    def __init__(self, server):
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout_seconds)
        self.file = self.socket.makefile("rb")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()
        self.socket.close()

    def send(self, line, headers="", body=b"", version="1.1"):
        """Sends a request as admin."""
        head = f"{line} HTTP/{version}\r\nHost: muster\r\nAuthorization: Basic {credentials}\r\n{headers}\r\n"
        self.socket.sendall(head.encode() + body)

    def answer(self, method="GET"):
        """Reads one response. Returns its status, headers and body."""
        response = http.client.HTTPResponse(self, method=method)
        response.begin()
        body = response.read()
        return response.status, response.headers, body

    def makefile(self, *_):
        """Returns the file that `http.client` reads from: always the same buffer, which it cannot close."""
        return Unclosed(self.file)

    def is_over(self):
        """Whether the server has closed the connection without sending anything more."""
        try:
            return self.file.read(1) == b""
        except ConnectionError:
            return True


class Unclosed(io.BufferedIOBase):
    """A file that `http.client` cannot close."""

    def __init__(self, file):
        self.file = file

    def readable(self):
        return True

    def read(self, size=-1):
        return self.file.read(size)

    def readline(self, size=-1):
        return self.file.readline(size)

    def readinto(self, buffer):
        return self.file.readinto(buffer)


def put(wire, path, document):
    """Stores a document."""
    body = json.dumps(document).encode()
    wire.send(f"PUT {path}", f"Content-Length: {len(body)}\r\n", body)
    status, _, answer = wire.answer()
    assert status == 201, answer
    return json.loads(answer)["rev"]
