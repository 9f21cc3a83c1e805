"""A client of server-sent events (HTML standard) that parses the bytes itself."""

import http.client
import json
import socket
import time
from urllib.parse import urlsplit


class EventStream:
    """One connection to the live feed."""

    def __init__(self, address, token, since=None, last_id=None, timeout=60):
        place = urlsplit(address)
        self.connection = http.client.HTTPConnection(place.hostname, place.port, timeout=timeout)
        headers = {"Authorization": f"Bearer {token}", "Accept": "text/event-stream"}
        if last_id is not None:
            headers["Last-Event-ID"] = str(last_id)
        path = "/api/v1/live" + ("" if since is None else f"?since={since}")
        self.connection.request("GET", path, headers=headers)
        self.response = self.connection.getresponse()
        self.comments = []
        self.deadline = float("inf")
        """The time after which reading fails, even if events still arrive."""
        if self.response.status == 503:
            # A stopping server answers 503. Tests treat that like a refused connection.
            raise ConnectionRefusedError(self.response.read())
        assert self.response.status == 200, self.response.read()
        assert self.response.headers["Content-Type"].split(";")[0] == "text/event-stream"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.connection.close()
        self.response.close()

    def events(self):
        """Yields every event as (id, type, object), until the server ends the stream or the connection breaks."""
        fields = {}
        while True:
            try:
                line = self.response.readline()
            except TimeoutError:
                raise
            except (OSError, http.client.HTTPException):
                return
            if not line.endswith(b"\n"):
                return
            if time.monotonic() > self.deadline:
                raise TimeoutError("the stream goes on")
            text = line.decode().rstrip("\r\n")
            if text.startswith(":"):
                self.comments.append((time.monotonic(), text[1:].strip()))
            elif text:
                name, _, value = text.partition(":")
                assert name in ("id", "event", "data", "retry"), text
                assert name == "retry" or name not in fields, text
                fields[name] = value.removeprefix(" ")
            else:
                if "data" in fields:
                    yield int(fields["id"]) if "id" in fields else None, fields["event"], json.loads(fields["data"])
                fields = {}

    def take(self, enough, seconds=60):
        """Reads events until `enough` returns true for the list of those read. Returns that list."""
        found = []
        self.deadline = time.monotonic() + seconds
        for event in self.events():
            found.append(event)
            if enough(found):
                return found
        raise AssertionError(f"the stream ended: {found[-3:]}")

    def await_end(self, seconds=60):
        """Reads until the server ends the stream. Returns the events read."""
        self.deadline = time.monotonic() + seconds
        return list(self.events())


def open_and_never_read(address, token, since):
    """Opens the feed and reads nothing from it. Returns the socket."""
    place = urlsplit(address)
    reader = socket.socket()
    reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    reader.settimeout(60)
    reader.connect((place.hostname, place.port))
    reader.sendall(
        f"GET /api/v1/live?since={since} HTTP/1.1\r\nHost: muster\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
    return reader
