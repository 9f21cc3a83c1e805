"""The length of seeded loops: a few rounds in `make test`, many in `make soak`."""

import os

is_soak = "MUSTER_SOAK_SEEDS" in os.environ


def rounds(few, many):
    """Returns the number of rounds of a loop."""
    return many if is_soak else few
