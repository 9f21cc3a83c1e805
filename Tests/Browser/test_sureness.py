"""The live page under the confident policy: how sure Muster is, and when it is not."""

import math
import random
import re

import pytest

from live_server import circle, until

needs_map = True
centre = (10.7800, 59.9200)
metres_north = 1 / 111_400
metres_east = metres_north / math.cos(math.radians(centre[1]))


def east_of_centre(metres, noise=(0, 0)):
    return (centre[0] + (metres + noise[0]) * metres_east, centre[1] + noise[1] * metres_north)


class Walker:
    """Someone with an honest receiver of 8 m: errors of their own each time, and a speed that is measured."""

    accuracy = 8

    def __init__(self, phone, seed):
        self.phone = phone
        self.chance = random.Random(seed)

    def report(self, metres_east_of_centre, speed):
        deviation = self.accuracy / 1.5096
        noise = (self.chance.gauss(0, deviation), self.chance.gauss(0, deviation))
        self.phone.report(east_of_centre(metres_east_of_centre, noise), accuracy=self.accuracy, speed=speed)

    def walk(self, start, end, speed=1.4, seconds=5):
        steps = math.ceil(abs(end - start) / (speed * seconds))
        for step in range(steps + 1):
            self.report(start + (end - start) * step / steps, speed)

    def stand(self, place, fixes):
        for _ in range(fixes):
            self.report(place, 0)


@pytest.fixture(scope="module")
def team(server):
    server.make_team("walkers", [
        circle("hall", "Assembly hall", *centre, 60, muster=True),
        circle("kiosk", "Kiosk", *east_of_centre(600), 8),
    ], policy="confident")
    return "walkers"


def plain(text):
    """With spaces that may break."""
    return text.replace("\u00a0", " ")


def presence(page, user):
    """What the list tells of someone's presence; none when they are not on it."""
    line = page.row(user, ".presence:not([data-kind='where'])")
    return None if line is None else plain(line)


def test_a_walker_is_inside_then_checked_then_inside_again(page, server, team):
    walker = Walker(server.make_member("wanda", team), seed=7)
    page.open().sign_in()
    until(lambda: presence(page, "wanda") == "")
    walker.walk(-150, 0)
    walker.stand(0, fixes=6)
    until(lambda: page.row_has("wanda", "Safe"))
    told = until(lambda: re.fullmatch(
        r"(> )?\d+ % sure inside Assembly hall since \d\d:\d\d", presence(page, "wanda") or ""))
    entered = until(lambda: [plain(text) for _, text in page.events() if text.startswith("wanda entered")])
    assert re.fullmatch(r"wanda entered Assembly hall, (> )?\d+ % sure", entered[0])
    until(lambda: [drawn["isChecking"] for drawn in page.drawn("wanda")] == [False])

    # A reflection: well measured as the phone sees it, 200 m off, and nobody walks.
    walker.phone.report(east_of_centre(200), accuracy=5, speed=0)
    checking = "checking… seems to be in no region, was inside Assembly hall"
    until(lambda: presence(page, "wanda") == checking)
    until(lambda: "Checking" in (row := page.row("wanda") or "") and "Safe" not in row and "%" not in row)
    until(lambda: [drawn["isChecking"] for drawn in page.drawn("wanda")] == [True])

    page.reload()
    until(lambda: presence(page, "wanda") == checking)

    walker.stand(0, fixes=2)
    until(lambda: re.fullmatch(told.re, presence(page, "wanda") or ""))
    assert not [text for _, text in page.events() if text.startswith("wanda left")]


@pytest.mark.without_map
def test_a_presence_is_there_after_a_reload_and_gone_once_outside(page, server, team):
    walker = Walker(server.make_member("wilma", team), seed=8)
    walker.walk(-150, 0)
    walker.stand(0, fixes=6)
    page.open().sign_in()
    until(lambda: "sure inside Assembly hall" in (presence(page, "wilma") or ""))
    walker.walk(0, -200)
    until(lambda: [text for _, text in page.events() if text.startswith("wilma left Assembly hall, ")])
    until(lambda: presence(page, "wilma") == "")
    until(lambda: page.row_has("wilma", "Located"))


@pytest.mark.without_map
def test_a_region_too_small_for_the_accuracy_is_shown_as_such_and_not_as_outside(page, server, team):
    walker = Walker(server.make_member("willy", team), seed=9)
    walker.accuracy = 40
    walker.stand(600, fixes=4)
    page.open().sign_in()
    until(lambda: presence(page, "willy") == "accuracy too poor for Kiosk")


@pytest.mark.without_map
def test_under_the_raw_policy_no_probability_is_shown(page, server):
    server.make_team("raw", [circle("yard", "Yard", *east_of_centre(2000), 60)])
    phone = server.make_member("rolf", "raw")
    page.open().sign_in()
    until(lambda: presence(page, "rolf") == "")
    phone.stay(east_of_centre(2000))
    until(lambda: re.fullmatch(r"inside Yard since \d\d:\d\d", presence(page, "rolf") or ""))
    page.reload()
    until(lambda: re.fullmatch(r"inside Yard since \d\d:\d\d", presence(page, "rolf") or ""))
    phone.stay(east_of_centre(2500))
    until(lambda: presence(page, "rolf") == "")


@pytest.mark.without_map
def test_a_row_keeps_its_height_whatever_it_shows(page, server, team):
    phone = server.make_member("wenda", team)
    page.open().sign_in()
    height = """() => document.querySelector("#list [data-user='wenda']").getBoundingClientRect().height"""
    until(lambda: presence(page, "wenda") == "")
    before = page.script(height)
    assert before > 80
    Walker(phone, seed=10).walk(-150, 0)
    until(lambda: "Assembly hall" in (presence(page, "wenda") or ""))
    assert page.script(height) == before
