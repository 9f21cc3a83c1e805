"""Two teams whose leaders give links, and what tests of links ask of them."""

import secrets

from native_api import NativeApi, box, fix, now, polygon

password = "a good long password"
phone_number = "+44 7700 900777"


class Town:
    """Sue leads south with sam and mia; nora leads north with ned. Each member has a phone."""

    def __init__(self, server):
        admin = self.admin = server.admin()
        self.server = server
        for team in ("south", "north"):
            yard = polygon(f"{team}-yard", box(13.4, 52.5, 13.41, 52.51), name="The yard", muster=True)
            admin.make_team(team, [yard])
        # An admin's new collection is everyone's.
        admin.ok("PATCH", "/trackers/south", {"collections": ["south"]})
        self.sue = admin.make_user("sue", "leader", "south")
        self.nora = admin.make_user("nora", "leader", "north")
        self.phones = {}
        for name, team in (("sam", "south"), ("mia", "south"), ("ned", "north")):
            admin.ok("POST", "/users", {"name": name, "role": "member", "team": team})
            self.phones[name] = admin.make_device(name)
        admin.ok("PATCH", "/users/sam", {"phone": phone_number})
        self.phones["sam"].ok("POST", "/positions", fix(52.505, 13.405, now() - 2000, accuracy=4))

    def give(self, kind, by=None, seconds=86_400, **subject):
        """Gives a link. Returns the API with its token, and the link as its giver was shown it."""
        made = (by or self.sue).ok("POST", "/links", {"kind": kind, "expiresSeconds": seconds, **subject})
        page, token = made["url"].split("#")
        assert page.startswith(self.server.address + "/console/") and token.startswith("ms_")
        return NativeApi(self.server.address, token), made

    def start(self):
        return self.sue.ok("POST", "/teams/south/incidents", {"kind": "drill", "note": "fire in the hall"})["number"]


def audited(api):
    """What the audit log says of links, newest first: what was done, by whom, to which kind."""
    actions = [entry["change"] for entry in api.items("/audit") if entry["change"]["type"] == "action"]
    return [(action["kind"], action["author"], action["label"].split()[0]) for action in actions
            if action["kind"].startswith("link")]


def is_over(link):
    """Checks that a link is over, and that its answer is that of a token that never was."""
    answer = link.refused(401, "GET", "/shared")
    stranger = NativeApi(link.address, "ms_" + secrets.token_urlsafe(32))
    response = stranger.send("GET", "/shared")
    # After some guesses a stranger is told to wait.
    assert response.status_code == 429 or response.json() == answer
    return True
