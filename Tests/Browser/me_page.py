"""The member's app in a real browser, as somebody uses it on a phone."""

from live_page import LivePage
from live_server import box, until

app = "me/"
phone = {"width": 390, "height": 844}
password = "a long password"
west, south = 10.7460, 59.6880
inside, outside = (west + 0.001, south + 0.0005), (west + 0.01, south)


class MePage(LivePage):
    """One tab of the app."""

    def open(self, fragment=""):
        self.tab.goto(f"{self.server.address}/{app}{fragment}")
        return self

    def go(self, tab):
        """Presses one of the tabs at the foot."""
        self.find(".me-tabs").get_by_role("link", name=tab, exact=True).click()

    def status(self):
        return self.text("#status")

    def said(self):
        """The lines about the person's declarations: where each one is, and its text."""
        return self.script(
            "() => [...document.querySelectorAll('#my-deliveries li')].map((line) => "
            "[line.dataset.place, line.textContent])")

    def version(self):
        """Whether the app is on this phone: `kept`, or `ready` where a newer version waits."""
        return self.script("() => musterMe.state.version.state")

    def keep(self):
        """Waits until the app is on this phone, and opens it from there."""
        until(lambda: self.version() == "kept", seconds=120)
        self.reload()
        until(lambda: self.script("() => navigator.serviceWorker.controller !== null"))
        return self

    def is_off(self):
        return self.text("#connection") == "No connection"

    def sign_out(self):
        self.go("Phone")
        self.find("#sign-out").click()
        self.find(".dialog .primary").click()
        until(lambda: self.is_shown("#sign-in-form"))


def make_crew(server, team, *members):
    """A team with an assembly point, a leader and members who can sign in."""
    server.make_team(team, [box("field", "School field", west, south, muster=True),
                            box("tank", "Tank farm", west + 0.01, south)], policy="confident")
    for name, role in [(f"{team}-lead", "leader"), *[(name, "member") for name in members]]:
        server.ask("POST", "users", {"name": name, "role": role, "team": team, "password": password})


def state_of(server, team, user):
    members = server.ask("GET", f"teams/{team}/safety")["members"]
    return next(member["state"] for member in members if member["user"] == user)


def declared(server, user):
    """The kinds of a user's declarations on the server, oldest first."""
    return [each["kind"] for each in server.ask("GET", f"users/{user}/declarations")["items"]]
