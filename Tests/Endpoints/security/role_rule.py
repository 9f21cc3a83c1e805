"""What the tables of rights are made of: who asks, and who may send a request."""

from dataclasses import dataclass

everyone = {
    "nobody", "admin", "other leader", "other member", "own leader", "own member", "analyst", "gateway",
    "other device", "own device"}
signed_in = everyone - {"nobody"}
persons = signed_in - {"own device", "other device"}
keepers = {"admin", "own leader", "own member"}
"""Who may change devices of sam."""
readers = everyone - {"nobody", "gateway"}
"""Who may read regions: they are places, not people."""
south_readers = {"admin", "analyst", "own leader"}

v1 = "/api/v1"
sam = v1 + "/users/sam"
phone = sam + "/devices/phone"


@dataclass
class Rule:
    """Who may send a request about sam, a member of team south, or about the server as a whole."""

    method: str
    route: str
    path: str
    allowed: set
    body: object = None
    refusals: tuple = (401, 403, 404)
    """How whoever is signed in and not allowed is refused. 422 where what is somebody else's is told as what is not."""
