"""A local service of official warnings: it publishes a feed and alerts in CAP 1.2, and records what is asked of it."""

import hashlib
import threading
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from xml.sax.saxutils import escape

from held_port import hold_port

sender = "https://meteo.example/warnings"


def at(seconds=0):
    """Returns the time so many seconds from now as CAP writes it."""
    moment = datetime.now(timezone.utc) + timedelta(seconds=seconds)
    return moment.strftime("%Y-%m-%dT%H:%M:%S+00:00")


def box(south, west, north, east):
    """Returns the polygon of a rectangle as CAP writes it: latitude first."""
    corners = [(south, west), (south, east), (north, east), (north, west), (south, west)]
    return "<polygon>" + " ".join(f"{latitude},{longitude}" for latitude, longitude in corners) + "</polygon>"


def alert(identifier, sent, *, kind="Alert", references=(), expires=None, status="Actual", headline="Flood warning",
          area=None, severity="Severe", more=""):
    """Returns an alert as a national service publishes it. `references` are pairs of an identifier and its `sent`."""
    area = box(43, -7, 44, -6) if area is None else area
    named = " ".join(f"{sender},{one},{time}" for one, time in references)
    end = f"<expires>{expires}</expires>" if expires else ""
    return f"""<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<alert xmlns="urn:oasis:names:tc:emergency:cap:1.2">
    <identifier>{escape(identifier)}</identifier><sender>{sender}</sender><sent>{sent}</sent>
    <status>{status}</status><msgType>{kind}</msgType><scope>Public</scope>
    <references>{named}</references>
    <info>
        <language>en-GB</language><category>Met</category><event>Flood</event>
        <responseType>Prepare</responseType><urgency>Expected</urgency><severity>{severity}</severity>
        <certainty>Likely</certainty><effective>{sent}</effective>{end}
        <senderName>Example Weather Service</senderName><headline>{escape(headline)}</headline>
        <description>The river rises.</description><instruction>Leave the banks.</instruction>
        <area><areaDesc>North coast</areaDesc>{area}
            <geocode><valueName>EMMA_ID</valueName><value>ES331</value></geocode></area>
    </info>{more}
</alert>""".encode()


class WarningService:
    """Listens on a port of its own, which it keeps while it is closed."""

    def __init__(self):
        self.documents = {}
        """By path: the body; or a function that makes status, header fields and body."""
        self.entries = []
        """The entries of the feed: a path, and a time."""
        self.requests = []
        """The requests so far: a path, and the header fields."""
        self.lock = threading.Lock()
        self.held, self.port = hold_port()
        self.server = None
        self.open()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def url(self):
        return self.address + "/feed.atom"

    def publish(self, path, document, time=None):
        """Adds an alert to the feed."""
        with self.lock:
            self.documents[path] = document
            self.entries.append((path, time or at()))

    def feed(self):
        entries = "".join(
            f"<entry><id>{self.address}{path}</id><updated>{time}</updated><title>Warning</title>"
            f'<link rel="alternate" type="application/cap+xml" href="{path}"/></entry>'
            for path, time in self.entries)
        return ('<?xml version="1.0" encoding="UTF-8"?><feed xmlns="http://www.w3.org/2005/Atom">'
                f"<id>{self.url}</id><title>Warnings</title>{entries}</feed>").encode()

    def count(self, path):
        """How often a document was asked for."""
        with self.lock:
            return sum(asked == path for asked, _ in self.requests)

    def _answer(self, path, fields):
        with self.lock:
            self.requests.append((path, fields))
            document = self.documents.get(path, self.feed() if path == "/feed.atom" else None)
        if callable(document):
            return document()
        if document is None:
            return 404, {}, b""
        tag = f'"{hashlib.sha256(document).hexdigest()}"'
        if fields.get("if-none-match") == tag:
            return 304, {"ETag": tag}, b""
        return 200, {"ETag": tag, "Content-Type": "application/xml"}, document

    def open(self):
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                status, fields, body = service._answer(
                    self.path, {name.lower(): value for name, value in self.headers.items()})
                self.send_response(status)
                for name, value in {**fields, "Content-Length": str(len(body))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            allow_reuse_address = True

            def handle_error(self, *_):
                pass

        self.server = Server(("127.0.0.1", self.port), Handler)
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def close(self):
        if self.server is not None:
            self.server.shutdown()
            self.server.server_close()
            self.server = None
