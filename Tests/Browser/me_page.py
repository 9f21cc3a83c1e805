"""The member's app in a real browser, as somebody uses it on a phone."""

import json
import os
import pathlib

from accessible import faults_in_view, put_axe_in
from live_page import LivePage
from live_server import box, password, until

app = "me/"
# The options of a phone's browser profile.
phone_profile = {"viewport": {"width": 390, "height": 844}}
west, south = 10.7460, 59.6880
inside, outside = (west + 0.001, south + 0.0005), (west + 0.01, south)


class MePage(LivePage):
    """One tab of the app."""

    def open(self, fragment=""):
        self.tab.goto(f"{self.server.address}/{app}{fragment}")
        return self

    def show(self, tab):
        """Presses one of the tabs at the foot: `now`, `way`, `seen` or `phone`."""
        self.find(f".me-tabs a[href='{'#/' if tab == 'now' else f'#/{tab}'}']").click()

    @property
    def state(self):
        """What the page knows, as an expression for `script`."""
        return "globalThis.musterMe?.state"

    def status(self):
        return self.text("#status")

    def said(self):
        """The lines about the person's declarations: where each one is, and its text."""
        return self.script(
            "() => [...document.querySelectorAll('#my-deliveries li')].map((line) => "
            "[line.dataset.place, line.textContent])")

    def track(self):
        """Turns the reports of this phone's place on."""
        self.show("phone")
        self.find("#tracking-switch").click()
        until(lambda: self.script(f"() => {self.state}.fix !== undefined"))

    def version(self):
        """Whether the app is on this phone: `kept`, or `ready` where a newer version waits."""
        return self.script(f"() => {self.state}?.version.state")

    def is_kept(self):
        """Whether the app opens without a server: its worker has the shell."""
        return self.version() == "kept"

    def keep(self):
        """Waits until the app is on this phone, and opens it from there."""
        until(self.is_kept, seconds=120)
        self.reload()
        until(lambda: self.script("() => navigator.serviceWorker.controller !== null"))
        return self

    def is_off(self):
        return self.text("#connection") == "No connection"

    def sign_out(self):
        self.show("phone")
        self.find("#sign-out").click()
        self.find(".dialog .primary").click()
        until(lambda: self.is_shown("#sign-in-form"))

    def open_map(self):
        """Shows the map; answers when it is drawn."""
        if not self.script(f"() => {self.state}.isMapShown === true"):
            self.find("#way-map-button").click()
        until(self.is_map_drawn, seconds=60)

    def is_map_drawn(self):
        return self.script("() => globalThis.musterMap?.library.isStyleLoaded() === true"
                           " && musterMap.library.areTilesLoaded() && musterMap.drawn.me !== undefined")

    def tile_states(self, source):
        """The states of a source's tiles, by their zoom."""
        return self.script("(name) => Object.values(musterMap.library.style.sourceCaches[name]?._tiles ?? {})"
                           ".map(({ tileID, state }) => [tileID.canonical.z, state])", source)


def check_clean(page, name, is_translation=False):
    """axe, targets and texts in the widths and themes of phones; a picture of each where somebody looks at them. Of a
    page that was looked at in another language the colours are known, so that the dark theme is left out."""
    found = []
    put_axe_in(page)
    folder = os.environ.get("MUSTER_SCREENSHOTS")
    for width, height in ((390, 844), (320, 568)):
        for dark in (False,) if is_translation and not folder else (False, True):
            # The view is so high that the bar of tabs covers nothing. On a phone the person scrolls.
            page.set_view(width, 2000, dark)
            found += [f"{width}: {fault}" for fault in faults_in_view(page, dark)]
            if folder:
                page.set_view(width, height, dark)
                theme = "dark" if dark else "light"
                page.tab.screenshot(path=str(pathlib.Path(folder) / f"{name}-{width}-{theme}.png"), full_page=True)
    assert not found, json.dumps(found, indent=1)


def make_crew(server, team, *members):
    """A team with an assembly point, a leader and members who can sign in."""
    server.make_team(team, [box("field", "School field", west, south, muster=True),
                            box("tank", "Tank farm", west + 0.01, south)], policy="confident")
    for name, role in [(f"{team}-lead", "leader"), *[(name, "member") for name in members]]:
        server.make_user(name, role, team)


def state_of(server, team, user):
    members = server.ask("GET", f"teams/{team}/safety")["members"]
    return next(member["state"] for member in members if member["user"] == user)


def declared(server, user):
    """The kinds of a user's declarations on the server, oldest first."""
    return [each["kind"] for each in server.ask("GET", f"users/{user}/declarations")["items"]]
