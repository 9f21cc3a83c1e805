"""A member walks while server, tab and browser are killed: no point is lost, none is doubled, the order is kept."""

import random

import pytest
from playwright.sync_api import Error
from soak import rounds

from live_server import until
from me_tracking_page import (
    OwnBrowser, TrackingPage, committed, make_walker, place, stored, times, without_repeats,
)

user = "ann"


class Walk:
    """A member's walk: the places where the member was, and which of them the phone had on its disk."""

    def __init__(self, seed, server, browser):
        self.dice = random.Random(seed)
        self.server, self.browser = server, browser
        self.number, self.recorded = 0, []
        self.is_up = True
        self.context = browser.start()
        self.page = TrackingPage(self.context, server).open()

    def step(self, is_awaited=True):
        """Moves the member by a step; waits until the phone has the place on its disk, unless `is_awaited` is false."""
        self.number += 1
        self.context.set_geolocation(place(self.number))
        if is_awaited:
            latitude = place(self.number)["latitude"]
            until(lambda: self.page.recorded(user) == latitude)
            self.recorded.append(latitude)

    def kill(self):
        """Kills one of the three at a moment drawn from the seed. The app comes back at once, and often offline."""
        victim = self.dice.choice(["server", "tab", "browser"])
        self.step(is_awaited=False)
        self.page.script("(ms) => new Promise((done) => setTimeout(done, ms))", self.dice.randrange(400))
        if victim == "server":
            if self.is_up:
                self.server.kill()
            else:
                self.server.start()
            self.is_up = not self.is_up
            return victim
        if victim == "browser":
            self.browser.kill()
            self.context = self.browser.start()
        else:
            try:
                self.page.tab.goto("chrome://crash")
            except Error:
                pass  # That is what this address does.
            self.page.tab.close()
        self.context.set_geolocation(place(self.number))
        self.page = TrackingPage(self.context, self.server).open()
        return victim


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1, rounds(1, 2) + 1))
def test_no_point_is_lost_or_doubled_however_often_something_is_killed(tmp_path, browsers, own_server, seed):
    print(f"seed {seed}")
    make_walker(own_server, user)
    browser = OwnBrowser(browsers.playwright, tmp_path / "profile", own_server)
    walk = Walk(seed, own_server, browser)
    try:
        walk.page.sign_in(user)
        walk.page.find("#tracking-switch").click()
        for _ in range(3):
            walk.step()
        victims = []
        for _ in range(rounds(6, 50)):
            victims.append(walk.kill())
            for _ in range(walk.dice.randrange(1, 5)):
                walk.step()
        print(victims)
        if not walk.is_up:
            own_server.start()
        until(lambda: walk.page.tracking["waiting"] == 0, seconds=120)
    finally:
        browser.kill()
    found = stored(own_server, user)
    latitudes = without_repeats([each["latitude"] for each in found])
    assert latitudes == sorted(set(latitudes)), "each place once, in the order of the walk"
    heard = without_repeats([each["latitude"] for each in committed(own_server, user)])
    assert heard == latitudes, "the server heard of them in that order"
    assert set(walk.recorded) <= set(latitudes), "no point that was on the disk is lost"
    assert set(latitudes) <= {place(number)["latitude"] for number in range(walk.number + 1)}
    assert len(set(times(found))) == len(found) and times(found) == sorted(times(found))
