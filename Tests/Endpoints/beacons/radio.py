"""A virtual Bluetooth controller, by bumble: it sends H4 over TCP as an adapter would, and hears what a device next to
it advertises. No radio is needed."""

import asyncio
import contextlib
import socket
import struct
import threading

from bumble import hci
from bumble.controller import Controller
from bumble.device import Device
from bumble.hci import Address
from bumble.host import Host
from bumble.link import LocalLink
from bumble.snoop import BtSnooper, Snooper
from bumble.transport.common import AsyncPipeSink
from bumble.transport.tcp_server import open_tcp_server_transport_with_socket

wait_seconds = 60


def ibeacon(uuid, major, minor, power=-59):
    """Returns the payload of an iBeacon, as Apple's document has it."""
    return bytes.fromhex("02011a1aff4c000215" + uuid.replace("-", "")) + struct.pack(">HHb", major, minor, power)


class Radio:
    """A controller behind a TCP port, and a tag that it hears. Each `with` has an event loop of its own."""

    def __init__(self, payload, is_extended=True, capture=None):
        self.payload = payload
        self.is_extended = is_extended
        """Whether the controller reports in the newer form."""
        self.capture = capture
        """A file for what the controller sends, as a btsnoop capture; None for none."""
        self.port = None
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)

    def __enter__(self):
        self.thread.start()
        self._call(self._open())
        return self

    def __exit__(self, *_):
        self._call(self._close())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(wait_seconds)

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"

    def advertise(self):
        """Lets the tag send, some ten times a second."""
        self._call(self.tag.start_advertising(
            advertising_data=self.payload, advertising_interval_min=100, advertising_interval_max=100))

    def fall_silent(self):
        self._call(self.tag.stop_advertising())

    def unplug(self):
        """Ends the connection of whoever listens, as if the adapter were pulled out."""
        def end():
            if self.transport.sink.transport:
                self.transport.sink.transport.close()
        self.loop.call_soon_threadsafe(end)

    def _call(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(wait_seconds)

    async def _open(self):
        listener = socket.create_server(("127.0.0.1", 0))
        self.port = listener.getsockname()[1]
        self.transport = await open_tcp_server_transport_with_socket(listener)
        link = LocalLink()
        self.scanner = Controller("scanner", self.transport.source, Recorder(self.transport.sink, self.capture), link)
        if not self.is_extended:
            self.scanner.le_features = hci.LeFeatureMask(0)
        else:
            self.scanner.supported_commands = self.scanner.supported_commands | {
                hci.HCI_LE_SET_EXTENDED_SCAN_PARAMETERS_COMMAND, hci.HCI_LE_SET_EXTENDED_SCAN_ENABLE_COMMAND}
        controller = Controller("tag", link=link)
        controller.le_features = hci.LeFeatureMask(0)
        self.tag = Device(
            name="tag", address=Address("CB:B8:33:4C:88:4F"), host=Host(controller, AsyncPipeSink(controller)))
        await self.tag.power_on()

    async def _close(self):
        await self.tag.power_off()
        self.transport.server.close()
        self.unplug()
        for task in asyncio.all_tasks(self.loop) - {asyncio.current_task()}:
            task.cancel()


class Recorder:
    """Hands packets on to the host, and writes them into a capture."""

    def __init__(self, sink, capture):
        self.sink = sink
        self.snooper = BtSnooper(capture) if capture else None

    def on_packet(self, packet):
        if self.snooper:
            self.snooper.snoop(packet, Snooper.Direction.CONTROLLER_TO_HOST)
        self.sink.on_packet(packet)


class BareController:
    """A controller by its bytes alone, with the faults of real ones: it stops scanning without a word, tells that
    another program changed the scan, or answers nothing any more. It knows the older form of reports."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.listener.getsockname()[1]}"
        self.peer = None
        self.is_scanning = False
        self.is_mute = False
        # Set once it has refused the parameters of a scan: by that a scan knows what its later answers mean.
        self.has_refused = threading.Event()

    def __enter__(self):
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.close()

    def tell_completion(self, opcode, status=0, values=b""):
        body = b"\x01" + struct.pack("<HB", opcode, status) + values
        self.peer.sendall(bytes([4, 0x0E, len(body)]) + body)

    def _serve(self):
        while True:
            try:
                self.peer, _ = self.listener.accept()
            except OSError:
                return
            # A scanner that ends with an event unread resets the connection.
            with contextlib.suppress(ConnectionResetError), self.peer, self.peer.makefile("rb") as commands:
                while head := commands.read(4):
                    self._follow(struct.unpack("<xHB", head)[0], commands.read(head[3]))

    def _follow(self, opcode, parameters):
        if self.is_mute:
            return
        if opcode == 0x200C:
            self.is_scanning = parameters[0] == 1
        # The parameters of a scan cannot be set while it runs.
        status = 0x0C if opcode == 0x200B and self.is_scanning else 0
        self.tell_completion(opcode, status, bytes(64) if opcode == 0x1002 else b"")
        if status:
            self.has_refused.set()
