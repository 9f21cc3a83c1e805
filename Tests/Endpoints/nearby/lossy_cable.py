"""A cable between two network namespaces that delays and loses packets: by `tc netem` where the kernel has it, and by a
program that carries the packets from one TUN device to the other."""

import ctypes
import fcntl
import heapq
import itertools
import os
import random
import select
import shutil
import struct
import subprocess
import sys
import time
import uuid

addresses = ["10.78.0.1", "10.78.0.2"]
interface = "cable"
waiting_limit = 10_000
"""How many packets are on their way at most; more are lost, as in any queue."""


class NoCable(Exception):
    """This system cannot make such a cable."""


def run(*words):
    """Runs a command. Returns its output; raises `NoCable` with what it says when it fails."""
    if not shutil.which(words[0]):
        raise NoCable(f"there is no command {words[0]}")
    result = subprocess.run(words, capture_output=True, text=True)
    if result.returncode:
        raise NoCable(f"{' '.join(words[:4])}…: {(result.stderr or result.stdout).strip()}")
    return result.stdout


class Hosts:
    """Two network namespaces, each with the address of its number on the interface `cable`."""

    def __init__(self):
        self.names = [f"cable-{uuid.uuid4().hex[:8]}" for _ in range(2)]
        self.relay = None

    def __enter__(self):
        try:
            for name in self.names:
                run("ip", "netns", "add", name)
            self.connect()
            for name, address in zip(self.names, addresses):
                run("ip", "-n", name, "addr", "add", f"{address}/30", "dev", interface)
                run("ip", "-n", name, "link", "set", interface, "up")
            self.degrade()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.relay:
            self.relay.kill()
            self.relay.wait()
        for name in self.names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True)

    def connect(self):
        """Makes the interfaces."""

    def degrade(self, delay=0.0, loss=0.0):
        """Sets by how many seconds each packet is late, and which share of them is lost: 1 cuts the cable."""


class NetemHosts(Hosts):
    """Connected by a virtual cable with `tc netem` at both ends."""

    def connect(self):
        run("ip", "link", "add", interface, "netns", self.names[0], "type", "veth", "peer", "name", interface,
            "netns", self.names[1])

    def degrade(self, delay=0.0, loss=0.0):
        for name in self.names:
            run("ip", "netns", "exec", name, "tc", "qdisc", "replace", "dev", interface, "root", "netem",
                "delay", f"{delay * 1000:.0f}ms", "loss", f"{loss * 100:.0f}%", "limit", str(waiting_limit))


class RelayHosts(Hosts):
    """Connected by this program, which carries each packet."""

    def connect(self):
        self.relay = subprocess.Popen(
            [sys.executable, __file__, *self.names], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        if self.relay.stdout.readline() != "ready\n":
            raise NoCable(f"no TUN devices: {self.relay.communicate()[1].strip().splitlines()[-1:]}")

    def degrade(self, delay=0.0, loss=0.0):
        self.relay.stdin.write(f"{delay} {loss}\n")
        self.relay.stdin.flush()
        assert self.relay.stdout.readline() == "set\n"


def open_tun(namespace):
    """Opens a new TUN device in a namespace. The process stays in its own."""
    library = ctypes.CDLL(None, use_errno=True)
    own, other = (os.open(path, os.O_RDONLY) for path in ("/proc/self/ns/net", f"/run/netns/{namespace}"))
    new_network, without_header, is_tun, set_interface = 0x4000_0000, 0x1000, 0x0001, 0x4004_54CA
    if library.setns(other, new_network):
        raise OSError(ctypes.get_errno(), "setns")
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, set_interface, struct.pack("16sH22x", interface.encode(), is_tun | without_header))
    if library.setns(own, new_network):
        raise OSError(ctypes.get_errno(), "setns")
    return device


def carry(namespaces):
    """Carries packets between two namespaces until the standard input ends, each line of which sets delay and loss."""
    devices = [open_tun(namespace) for namespace in namespaces]
    print("ready", flush=True)
    (delay, loss), waiting, numbers = (0.0, 0.0), [], itertools.count()
    while True:
        seconds = max(0, waiting[0][0] - time.monotonic()) if waiting else None
        for source in select.select([*devices, sys.stdin], [], [], seconds)[0]:
            if source is sys.stdin:
                line = sys.stdin.readline()
                if not line:
                    return
                delay, loss = map(float, line.split())
                print("set", flush=True)
                continue
            packet = os.read(source, 65_536)
            if random.random() >= loss and len(waiting) < waiting_limit:
                target = devices[1 - devices.index(source)]
                heapq.heappush(waiting, (time.monotonic() + delay, next(numbers), target, packet))
        while waiting and waiting[0][0] <= time.monotonic():
            _, _, target, packet = heapq.heappop(waiting)
            try:
                os.write(target, packet)
            except OSError:
                pass  # The interface is down, or its queue full: the packet is lost.


if __name__ == "__main__":
    carry(sys.argv[1:])
