"""TAK clients for tests: data packages as `muster tak enroll` writes them, and connections that keep what they get."""

import datetime
import json
import pathlib
import socket
import ssl
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree as xml
import zipfile

import takproto
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, pkcs12

from muster_process import binary

wait_seconds = 60
enrollment_host = "127.0.0.2" if sys.platform == "linux" else "127.0.0.1"
"""Where clients enroll: an address that no other test uses, where the system has more than one of its own."""
end_of_event = b"</event>"


def tak_port(server):
    """Returns the port for TAK clients of a server that was started with --tak-port."""
    return int(server.arguments[server.arguments.index("--tak-port") + 1])


def enroll(server, folder, user, device="phone", *options):
    """Runs `muster tak enroll`. Returns the data package."""
    folder = pathlib.Path(folder)
    file = folder / f"{user}-{device}-{time.monotonic_ns()}.zip"
    answer = subprocess.run(
        [binary, "tak", "enroll", device, "--user", user, "--host", "127.0.0.1", "--port", str(tak_port(server)),
         "--file", str(file), "--json", "--data", str(server.data), *options],
        check=True, capture_output=True, timeout=wait_seconds, text=True)
    return Package(file, json.loads(answer.stdout), answer.stdout + answer.stderr)


def enrollment_link(server, user, device="phone", *options):
    """Runs `muster tak enroll --code`. Returns the link in its code."""
    answer = subprocess.run(
        [binary, "tak", "enroll", device, "--user", user, "--host", enrollment_host, "--port", str(tak_port(server)),
         "--code", "--json", "--data", str(server.data), *options],
        check=True, capture_output=True, timeout=wait_seconds, text=True)
    return json.loads(answer.stdout)["link"]


class Package:
    """A data package, with its files in a folder beside it."""

    def __init__(self, file, answer, output):
        self.file, self.answer, self.output = file, answer, output
        self.folder = file.with_suffix("")
        with zipfile.ZipFile(file) as archive:
            assert archive.testzip() is None
            archive.extractall(self.folder)
        entries = xml.parse(self.folder / "server.pref").getroot().iter("entry")
        self.settings = {entry.get("key"): entry.text for entry in entries}
        self.key, self.certificate, _ = pkcs12.load_key_and_certificates(
            self._read("certificateLocation"), self.settings["clientPassword"].encode())
        trusted = pkcs12.load_pkcs12(self._read("caLocation"), self.settings["caPassword"].encode())
        self.authority = trusted.additional_certs[0].certificate
        self.pem = self.folder / "client.pem"
        self.pem.write_bytes(
            self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
            + self.certificate.public_bytes(Encoding.PEM))

    def _read(self, setting):
        """Reads a file that the settings name, as clients do: they put all files in one folder."""
        return (self.folder / pathlib.Path(self.settings[setting]).name).read_bytes()

    def context(self):
        context = ssl.create_default_context(cadata=self.authority.public_bytes(Encoding.PEM).decode())
        context.load_cert_chain(self.pem)
        return context


def stamp(seconds=0.0):
    """Formats a time so many seconds from now as TAK clients do."""
    moment = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def event(uid, kind="a-f-G-U-C", latitude=43.5, longitude=-6.0, seconds=0.0, detail=None, how="m-g", error="5"):
    """Makes an event as ATAK sends it."""
    if detail is None:
        detail = ('<takv device="Pixel" platform="ATAK-CIV" os="35" version="5.3"/>'
                  f'<contact endpoint="*:-1:stcp" callsign="{uid}"/><__group name="Cyan" role="Team Member"/>'
                  '<status battery="77"/><track speed="1.5" course="90"/>')
    return (f'<?xml version="1.0" standalone="yes"?><event version="2.0" uid="{uid}" type="{kind}" how="{how}" '
            f'time="{stamp(seconds)}" start="{stamp(seconds)}" stale="{stamp(seconds + 60)}">'
            f'<point lat="{latitude}" lon="{longitude}" hae="12.5" ce="{error}" le="9999999"/>'
            f'<detail>{detail}</detail></event>')


def call(uid, **more):
    """Makes the event by which a person calls for help."""
    return event(f"{uid}-9-1-1", "b-a-o-tbl", detail=f'<link uid="{uid}" type="a-f-G-U-C" relation="p-p"/>'
                 f'<contact callsign="{uid}-Alert"/><emergency type="911 Alert">{uid}</emergency>', **more)


def end_of_call(uid, **more):
    """Makes the event by which a person ends their call."""
    return event(f"{uid}-9-1-1", "b-a-o-can", detail=f'<emergency cancel="true">{uid}</emergency>', **more)


class Client:
    """A connection that keeps every event that the server sends, in order.

    One thread at a time uses the connection: OpenSSL bears no two at once.
    """

    def __init__(self, server, package, reads=True, receive_bytes=None):
        plain = socket.socket()
        plain.settimeout(wait_seconds)
        if receive_bytes:
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        plain.connect(("127.0.0.1", tak_port(server)))
        self.socket = package.context().wrap_socket(plain, server_hostname="127.0.0.1")
        self._use = threading.Lock()
        self.events = []
        self.is_closed = threading.Event()
        self._changed = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        if reads:
            self.start_reading()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def start_reading(self):
        self._reader.start()

    def close(self):
        for direction in (socket.SHUT_WR, socket.SHUT_RDWR):
            try:
                socket.socket.shutdown(self.socket, direction)
            except OSError:
                pass
            if self._reader.is_alive():
                self._reader.join(5)
        with self._use:
            self.socket.close()

    def send(self, *events):
        self.send_bytes("".join(events).encode())

    def send_bytes(self, data):
        with self._use:
            self.socket.settimeout(wait_seconds)
            self.socket.sendall(data)

    def _read(self):
        pending = b""
        try:
            while data := self._receive():
                pending = self._take(pending + data)
        except OSError:
            pass
        self.is_closed.set()
        with self._changed:
            self._changed.notify_all()

    def _receive(self):
        """Returns the next bytes; none at the end."""
        while True:
            with self._use:
                self.socket.settimeout(0.02)
                try:
                    return self.socket.recv(65_536)
                except TimeoutError:
                    pass
            # Whoever wants to send gets a turn.
            time.sleep(0.002)

    def _take(self, pending):
        while pending:
            if pending[0] == 0xBF:
                length, start = varint(pending)
                if length is None or len(pending) < start + length:
                    return pending
                self._keep(Event.of_message(takproto.parse_proto(pending[:start + length])))
                pending = pending[start + length:]
            else:
                end = pending.find(end_of_event)
                if end < 0:
                    return pending
                self._keep(Event.of_xml(pending[:end + len(end_of_event)].strip()))
                pending = pending[end + len(end_of_event):].lstrip()
        return pending

    def _keep(self, found):
        with self._changed:
            self.events.append(found)
            self._changed.notify_all()

    def await_event(self, wanted, seconds=wait_seconds, after=0):
        """Waits for an event, counted from number `after` on, for which `wanted` holds. Returns it."""
        deadline = time.monotonic() + seconds
        with self._changed:
            while True:
                for found in self.events[after:]:
                    if wanted(found):
                        return found
                left = deadline - time.monotonic()
                assert left > 0 and not self.is_closed.is_set(), [f"{e.type} {e.uid}" for e in self.events[-30:]]
                self._changed.wait(min(left, 1))

    def await_end(self, seconds=wait_seconds):
        assert self.is_closed.wait(seconds), "the connection is still open"


class Event:
    """What a test looks at of an event, in XML or in protocol 1."""

    def __init__(self, uid, kind, latitude, longitude, start, stale, detail, is_message):
        self.uid, self.type, self.latitude, self.longitude = uid, kind, latitude, longitude
        self.start, self.stale, self.detail, self.is_message = start, stale, detail, is_message

    @classmethod
    def of_xml(cls, text):
        root = xml.fromstring(text)
        point = root.find("point")
        return cls(root.get("uid"), root.get("type"), float(point.get("lat")), float(point.get("lon")),
                   root.get("start"), root.get("stale"), root.find("detail"), False)

    @classmethod
    def of_message(cls, message):
        found = message.cotEvent
        return cls(found.uid, found.type, found.lat, found.lon, found.startTime, found.staleTime,
                   xml.fromstring(f"<detail>{found.detail.xmlDetail}</detail>"), True)

    @property
    def callsign(self):
        contact = self.detail.find("contact")
        return None if contact is None else contact.get("callsign")

    @property
    def group(self):
        return self.detail.find("__group").get("name")

    @property
    def remarks(self):
        return self.detail.findtext("remarks")


def varint(data):
    """Returns the length that a message of protocol 1 states, and where its payload begins; None where it is cut."""
    value = 0
    for index in range(1, min(len(data), 6)):
        value |= (data[index] & 0x7F) << (7 * (index - 1))
        if data[index] < 0x80:
            return value, index + 1
    return None, 0


def marker_of(name):
    return lambda found: found.type == "a-f-G-U-C" and found.callsign == name


def alert_of(name):
    return lambda found: found.type == "b-a-o-tbl" and found.callsign == f"{name}-Alert"


def end_of_alert_of(name):
    return lambda found: found.type == "b-a-o-can" and found.callsign == f"{name}-Alert"
