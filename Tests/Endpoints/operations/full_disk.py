"""Disks with little room: a small mounted disk or, where the tests may not mount one, a limit on the size of files."""

import contextlib
import ctypes
import os

import pytest

from native_api import fix
from waiting import eventually

room = 24 << 20


@contextlib.contextmanager
def small_disk(folder):
    """Mounts a small disk on a folder. Skips the test where it may not mount one."""
    folder.mkdir()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"muster", os.fsencode(folder), b"tmpfs", 0, b"size=%d" % room) != 0:
        pytest.skip(f"root mounts a small disk; here it cannot be: {os.strerror(ctypes.get_errno())}")
    try:
        yield folder
    finally:
        eventually(lambda: libc.umount(os.fsencode(folder)) == 0,
                   why=lambda: f"{folder} stays mounted: {os.strerror(ctypes.get_errno())}")


def fill(disk, but=0):
    """Fills the disk up to the last `but` bytes."""
    with open(disk / "filler", "ab", buffering=0) as filler, contextlib.suppress(OSError):
        while os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize > but:
            filler.write(bytes(1 << 16 if but else 1 << 12))


class SmallDisk:
    """A server whose data folder is on a small disk."""

    def __init__(self, server, folder):
        self.server = server
        self.disk = folder
        server.data = folder / "data"
        self.restarts = True

    def start(self):
        self.server.start()

    def take_room(self):
        fill(self.disk)

    def give_room(self):
        (self.disk / "filler").unlink()


class LimitedFiles:
    """A server whose process can be kept from writing files. It cannot start under the limit, because SQLite must
    write its WAL index."""

    def __init__(self, server):
        self.server = server
        self.restarts = False

    def start(self):
        self.server.start()

    def take_room(self):
        self.server.limit_files(4096)

    def give_room(self):
        self.server.limit_files(None)


def report_until_refused(device, at):
    """Reports fixes one by one until the server refuses one. Returns the times of the acknowledged ones, and the
    refusal."""
    stored = []
    for number in range(20_000):
        answer = device.send("POST", "/positions", fix(52.5, 13.4, at + number))
        if answer.status_code != 200:
            return stored, answer
        stored.append(at + number)
    raise AssertionError("there is always room")
