"""Targets and deliveries, as an admin makes and watches them."""

import time


def make(admin, name, url, **more):
    return admin.ok("POST", "/targets", {"name": name, "kind": "webhook", "url": url, **more})


def send(admin, name):
    """Sends a target a test event; its id."""
    return admin.ok("POST", f"/targets/{name}/test")["event"]


def settled(admin, seconds=60):
    """Waits until nothing is on its way; what is then said of deliveries."""
    return eventually(lambda: admin.ok("GET", "/deliveries"), lambda found: found["pending"] == 0, seconds)


def failures(admin):
    """What failed of late, the newest first; what failed at targets of other tests left out."""
    return [failure for failure in admin.ok("GET", "/deliveries")["failures"] if "target" in failure]


def eventually(look, condition, seconds=60):
    deadline = time.monotonic() + seconds
    while True:
        found = look()
        if condition(found):
            return found
        assert time.monotonic() < deadline, found
        time.sleep(0.05)
