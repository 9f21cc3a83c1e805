"""Every part of the screen `administration` is clean by axe-core (WCAG 2.2 AA) in light and dark, on a desk and on a
phone, also with its forms open and faulty; and it is whole in every language."""

import pytest

from accessible import faults_of
from administration_page import screen, two_teams
from live_server import box, password, until

west, south = 10.7460, 59.4080


@pytest.fixture(scope="module")
def fair(server):
    """A team with something on every part of the screen."""
    leaders = two_teams(server, "fair")
    server.ask("POST", "teams/fair-east/crews", {"name": "Night shift"})
    server.ask("PATCH", "users/fair-east-ann", {"crew": "Night shift", "phone": "+47 22 33 44 55"})
    server.ask("POST", "collections", {"name": "fair-site"})
    server.ask("PATCH", "trackers/fair-east", {"collections": ["fair-site"]})
    server.ask("POST", "collections/fair-site/regions",
               {"type": "FeatureCollection", "features": [box("gate", "Gate", west, south)]})
    server.ask("PUT", "teams/fair-east/attendance-rules/post",
               {"collection": "fair-site", "region": "gate", "minimum": 1})
    server.ask("PUT", "users/fair-east-ann/check-in-timer", {"intervalSeconds": 3600})
    server.ask("POST", "users/fair-east-ann/devices/phone/token")
    return leaders


parts = {
    ("people",): "fair-east-ann", ("people", "fair-east-ann"): "End the timer", ("invitations",): "An invitation is",
    ("teams",): "Add a team…", ("teams", "fair-east"): "at least 1 of everyone", ("crews", "fair-east"): "Night shift",
    ("crews", "fair-east", "Night shift"): "fair-east-ann", ("devices",): "fair-east-ann/phone",
    ("devices", "fair-east-ann", "phone"): "by admin", ("import",): "Look for faults", ("export",): "devices",
}


def test_every_part_is_clean(screen, server, fair):
    screen.open("people", user=server.admin)
    for part, words in parts.items():
        screen.go(*part).shows(words)
        assert faults_of(screen.page) == [], part


def test_dialogs_are_clean_also_where_they_are_faulty(screen, server, fair):
    screen.open("people", user=server.admin).press("Add a user…").press("Create").shows("This is needed.")
    assert faults_of(screen.page) == []
    screen.page.tab.keyboard.press("Escape")
    screen.hides("This is needed.")
    screen.press("Give them phones, invitations or passwords…").shows("What")
    assert faults_of(screen.page) == []
    screen.page.tab.keyboard.press("Escape")
    screen.go("devices", "fair-east-ann", "phone").shows("Tokens")
    screen.press("Set up OwnTracks…").press("Make the code").shows("shown only now")
    assert faults_of(screen.page) == []
    screen.press("Close").press("Set up another app…").press("Make the token").shows("Or enter these in the app")
    assert faults_of(screen.page) == []
    screen.press("Close")
    screen.go("people", "fair-east-ann").shows("New password…")
    screen.press("New password…").shows("Set the password")
    assert faults_of(screen.page) == []


def test_it_is_whole_in_every_language_and_narrow_enough_for_a_phone(screen, server, fair):
    screen.open("people", user=fair[0])
    for language in ("es", "ja", "zh"):
        screen.page.set_view(1280, 800)
        screen.page.speak(language)
        screen.page.set_view(390, 844)
        for part in (("people",), ("teams",), ("crews",), ("devices",), ("export",), ("people", "fair-east-ann")):
            screen.go(*part)
            until(lambda: screen.page.find(".administration h2").count() == 1)
            assert not screen.page.script("() => document.documentElement.scrollWidth > innerWidth"), (language, part)
            assert password not in screen.text
