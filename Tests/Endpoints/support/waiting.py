"""Waits until a condition that a test expects becomes true."""

import time


def eventually(look, condition=bool, seconds=60, why=None):
    """Calls `look` again and again until the condition holds for its result. Returns that result.

    Fails after `seconds` with what was found last, or with `why`, which is words or a function that returns them.
    """
    deadline = time.monotonic() + seconds
    while not condition(found := look()):
        assert time.monotonic() < deadline, (why() if callable(why) else why) or found
        time.sleep(0.05)
    return found
