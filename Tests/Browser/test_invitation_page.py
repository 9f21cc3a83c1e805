"""Invitations: made on the screen `administration`, shown once, listed, withdrawn; and the page that one opens."""

import pytest

from accessible import faults_of
from administration_page import Administration, screen, two_teams
from live_page import LivePage
from live_server import password, until


@pytest.fixture(scope="module")
def leaders(server):
    return two_teams(server, "inn")


@pytest.fixture
def phone(browsers):
    """A browser of somebody who is invited."""
    context = browsers.context(with_webgl=False, viewport={"width": 390, "height": 844})
    yield context
    context.close()


def invite(server, user, seconds=3600):
    return server.ask("POST", "links", {"kind": "invitation", "user": user, "expiresSeconds": seconds})


def invited(page):
    """The name of who is invited, as the page shows it."""
    return page.script("() => document.querySelector('#user')?.value ?? ''")


def opened(phone, server, url):
    """The page of an invitation in a new tab."""
    page = LivePage(phone, server)
    page.tab.goto(url)
    return page


def test_an_invited_member_sets_a_password_and_is_signed_in(screen, server, leaders, phone):
    screen.open("people", "inn-east-ann", user=leaders[0]).press("Invite by a link…")
    screen.field("It works for").select_option("3600")
    screen.field("Note").fill("by letter <b>")
    screen.press("Make the link").shows("shown only now")
    assert "No other device reaches this server at 127.0.0.1" in screen.dialog
    url = screen.secret()
    token = url.split("#")[1]
    assert url.startswith(f"{server.address}/console/invite/#")
    assert screen.page.find("dialog[open] .qr path").count() == 1
    screen.press("Close").hides("shown only now")
    screen.go("invitations")
    until(lambda: "inn-east-ann" in screen.rows())
    assert "by letter <b>" in screen.text and token not in screen.page.script("() => document.body.outerHTML")

    page = opened(phone, server, url)
    until(lambda: invited(page) == "inn-east-ann")
    assert page.text("#team") == "inn-east" and token not in page.tab.url
    assert token not in page.script("() => document.body.outerHTML + location.href")
    assert faults_of(page) == []
    page.set_view(390, 844)
    # A phone reloads a tab when it wants to.
    page.reload()
    until(lambda: invited(page) == "inn-east-ann")
    page.find("#password").fill("short")
    page.find("button[type=submit]").click()
    until(lambda: page.text("#fault") == "Needs at least 8 characters.")
    page.find("#password").fill("a password of my own")
    page.find("button[type=submit]").click()
    page.tab.wait_for_url(f"{server.address}/", timeout=60_000)
    until(lambda: page.text("#my-safe"))
    assert page.tab.url.split("#")[0] == f"{server.address}/"
    assert page.script("() => sessionStorage.getItem('muster.link.invite')") is None
    asked = page._asked
    assert not any(token in address for address in asked), "the secret is in no address that was asked"
    assert page.faults() == []

    # It is used up: on the list, and for whoever finds it.
    screen.go("people").go("invitations").shows("No invitation is open.")
    again = opened(phone, server, url)
    until(lambda: "This invitation is no longer valid" in again.text(".sign-in"))
    assert faults_of(again, is_desktop_only=True) == []


def test_an_invitation_is_withdrawn_and_another_teams_leader_does_not_see_it(screen, server, leaders, browsers, phone):
    url = invite(server, "inn-west-ann")["url"]
    screen.open("invitations", user=leaders[1])
    until(lambda: "inn-west-ann" in screen.rows())
    context = browsers.context(with_webgl=False)
    try:
        other = Administration(LivePage(context, server)).open("invitations", user=leaders[0])
        other.shows("No invitation is open.")
    finally:
        context.close()
    page = opened(phone, server, url)
    until(lambda: invited(page) == "inn-west-ann")
    screen.press("Withdraw the invitation for inn-west-ann").shows("The link ends at once.")
    screen.press("Withdraw").shows("No invitation is open.")
    # Also for somebody whose page is open.
    page.find("#password").fill("a password of my own")
    page.find("button[type=submit]").click()
    until(lambda: "This invitation is no longer valid" in page.text(".sign-in"))


def test_an_address_that_is_not_whole_and_a_server_that_is_gone_are_said(server, leaders, phone):
    base = f"{server.address}/console/invite/"
    page = opened(phone, server, base)
    until(lambda: "This address is incomplete" in page.text(".sign-in"))
    page = opened(phone, server, f"{base}#<script>alert(1)</script>")
    until(lambda: "This address is incomplete" in page.text(".sign-in"))
    assert page.tab.url == base
    page = opened(phone, server, f"{base}#nobody-made-this")
    until(lambda: "This invitation is no longer valid" in page.text(".sign-in"))
    url = invite(server, "inn-west-lead")["url"]
    page = opened(phone, server, url)
    until(lambda: invited(page) == "inn-west-lead")
    server.kill()
    page.find("#password").fill(password)
    page.find("button[type=submit]").click()
    server.start()
    page.tab.wait_for_url(f"{server.address}/", timeout=60_000)
    until(lambda: page.text("#my-safe"))


def test_a_password_whose_answer_is_lost_is_set_all_the_same(server, leaders, phone):
    server.ask("POST", "users", {"name": "inn-lost", "role": "member", "team": "inn-west"})
    page = opened(phone, server, invite(server, "inn-lost")["url"])
    until(lambda: invited(page) == "inn-lost")
    lost = []

    def lose(route):
        if lost:
            route.continue_()
            return
        lost.append(route.fetch().status)
        route.abort()
    page.tab.route("**/shared/password", lose)
    page.find("#password").fill(password)
    page.find("button[type=submit]").click()
    page.tab.wait_for_url(f"{server.address}/", timeout=60_000)
    until(lambda: page.text("#my-safe"))
    assert lost == [204]
