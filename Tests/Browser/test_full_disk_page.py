"""A server whose disk is full: people sign in and see who is where, and the page says that nothing is stored."""

import ctypes
import os
import time

import pytest
import requests

from live_page import LivePage
from live_server import LiveServer, until

room = 16 << 20


@pytest.fixture
def small_server(tmp_path):
    """A server on a small disk of its own."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"muster", os.fsencode(tmp_path), b"tmpfs", 0, b"size=%d" % room) != 0:
        pytest.skip(f"root mounts a small disk; here it cannot be: {os.strerror(ctypes.get_errno())}")
    server = LiveServer(tmp_path)
    try:
        server.start()
        yield server
    finally:
        server.stop()
        for _ in range(50):
            if libc.umount(os.fsencode(tmp_path)) == 0:
                break
            time.sleep(0.1)


def fill(server):
    """Takes all room, and what is left in the database's own files."""
    with open(server.folder / "filler", "ab", buffering=0) as filler:
        try:
            while True:
                filler.write(bytes(4096))
        except OSError:
            pass
    for _ in range(5000):
        answer = requests.post(
            f"{server.address}/api/v1/keys", json={"label": "x" * 100}, auth=server.admin, timeout=60)
        if answer.status_code == 507:
            return
        answer.raise_for_status()
        key = answer.json()["id"]
        requests.delete(f"{server.address}/api/v1/keys/{key}", auth=server.admin, timeout=60)
    raise AssertionError("there is always room")


def test_the_page_says_that_nothing_can_be_stored_until_it_can(context, small_server):
    small_server.ask("POST", "teams", {"name": "north"})
    small_server.ask("POST", "users", {"name": "mia", "role": "member", "team": "north", "password": "mia's password"})
    fill(small_server)
    page = LivePage(context, small_server)
    try:
        page.open().sign_in("mia", "mia's password")
        until(lambda: "can store nothing" in page.text("#storage"))
        page.find("#my-safe").click()
        # While it is sent again, the reason is not told.
        until(lambda: "not sent yet" in (told := page.text("#my-delivery")) and "nothing of this was stored" in told)
        (small_server.folder / "filler").unlink()
        until(lambda: "The server has" in page.text("#my-delivery"), seconds=60)
        until(lambda: not page.is_shown("#storage"), seconds=60)
    finally:
        page.close()
