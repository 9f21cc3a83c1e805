"""Creates targets and reads the state of deliveries, as an admin."""

from waiting import eventually


def make(admin, name, url, **more):
    return admin.ok("POST", "/targets", {"name": name, "kind": "webhook", "url": url, **more})


def send(admin, name):
    """Sends a test event to a target. Returns the event's id."""
    return admin.ok("POST", f"/targets/{name}/test")["event"]


def settled(admin, seconds=60):
    """Waits until no delivery waits or is under way. Returns the state of deliveries."""
    return eventually(lambda: admin.ok("GET", "/deliveries"), lambda found: found["pending"] == 0, seconds)


def failures(admin):
    """Returns the latest failures, newest first, without those of other tests' targets."""
    return [failure for failure in admin.ok("GET", "/deliveries")["failures"] if "target" in failure]


def distinct(calls):
    """Returns the calls without repetitions: a call whose answer comes too late is repeated under its id."""
    first = {}
    for call in calls:
        first.setdefault(call.event or call.body, call)
    return list(first.values())
