"""Waits for what a test expects to become true."""

import time


def eventually(look, condition=bool, seconds=60, why=None):
    """Looks again and again until the condition holds of what is found. Returns what was found.

    Fails after `seconds` with what was found last, or with `why`, which is words or a function that returns them.
    """
    deadline = time.monotonic() + seconds
    while not condition(found := look()):
        assert time.monotonic() < deadline, (why() if callable(why) else why) or found
        time.sleep(0.05)
    return found
