"""How long the seeded loops are: a few rounds in `make test`, many in `make soak`."""

import os

is_soak = "MUSTER_SOAK_SEEDS" in os.environ


def rounds(few, many):
    """How often a loop is to run."""
    return many if is_soak else few
