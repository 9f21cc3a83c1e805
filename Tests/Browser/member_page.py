"""The member's app in a real browser, on a phone."""

import json
import os
import pathlib

from accessible import axe_script, long_texts, run_axe, small_targets, target_size
from live_page import LivePage
from live_server import until

phone = {"width": 390, "height": 844}


class MemberPage(LivePage):
    """One tab of the app."""

    def open(self, fragment=""):
        self.tab.goto(f"{self.server.address}/me/index.html{fragment}")
        return self

    def is_live(self):
        return self.text("#connection") == "Live"

    @property
    def state(self):
        return "globalThis.musterMe?.state"

    def show(self, tab):
        """Goes to a tab of the app."""
        self.find(f".me-tabs a[href='#/{tab}']").click()

    def track(self):
        """Turns the reports of this phone's place on."""
        self.show("phone")
        self.find("#tracking-switch").click()
        until(lambda: self.script(f"() => {self.state}.fix !== undefined"))

    def is_kept(self):
        """Whether the app opens without a server: its worker has the shell."""
        return self.script(
            "async () => (await navigator.serviceWorker?.getRegistration())?.active?.state === 'activated'")

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


def check_clean(page, name):
    """axe, targets and texts in the widths and themes of phones; a picture of each where somebody looks at them."""
    found = []
    if page.script("() => typeof axe === 'undefined'"):
        page.script(axe_script)
    folder = os.environ.get("MUSTER_SCREENSHOTS")
    for width, height in ((390, 844), (320, 568)):
        for dark in (False, True):
            # The view is so high that the bar of tabs covers nothing. On a phone the person scrolls.
            page.set_view(width, 2000, dark)
            page.script("() => new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)))")
            found += [f"{width}: {fault}" for fault in page.script(run_axe)]
            found += [f"{width}: too small: {each}" for each in page.script(small_targets, target_size)]
            found += [f"{width}: too long: {each}" for each in page.script(long_texts)]
            if page.script("() => document.documentElement.scrollWidth > innerWidth"):
                found.append(f"{width}: wider than the screen")
            if folder:
                page.set_view(width, height, dark)
                theme = "dark" if dark else "light"
                page.tab.screenshot(path=str(pathlib.Path(folder) / f"{name}-{width}-{theme}.png"), full_page=True)
    assert not found, json.dumps(found, indent=1)
