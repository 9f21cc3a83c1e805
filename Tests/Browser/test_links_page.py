"""Links from the first to the last: a leader gives one, somebody without an account opens it, and it ends."""

from datetime import datetime, timezone

import pytest

from accessible import faults_of
from live_page import LivePage
from live_server import box, password, stamp, until

west, south = 10.7460, 59.9280
inside, outside = (west + 0.001, south + 0.0005), (west + 0.01, south)


@pytest.fixture(scope="module")
def weir(server):
    server.make_team("weir", [box("sq", "Weir square", west, south, muster=True)])
    for name, role in (("weir-lead", "leader"), ("weir-anna", "member")):
        server.make_user(name, role, "weir")
    phone = server.make_member("weir-ben", "weir")
    phone.stay(inside)
    return phone


@pytest.fixture
def leader(page, weir):
    page.open().sign_in("weir-lead", password)
    until(lambda: page.row("weir-ben"))
    return page


@pytest.fixture
def visitor(browsers, server):
    """Somebody else's browser, without an account."""
    context = browsers.context(with_webgl=False)
    page = LivePage(context, server)
    yield page
    page.faults()
    assert not page.foreign_requests()
    context.close()


def give(page, note):
    """Makes the link of the open dialog, and answers its address."""
    page.find("#link-note").fill(note)
    page.find("#new-link").get_by_role("button", name="Make the link").click()
    until(lambda: page.is_shown("#made-link"))
    return page.find("#link-address").input_value()


def withdraw(page, what):
    page.find("#open-links").get_by_role("button", name=f"Withdraw: {what}").first.click()


def test_a_person_is_shared_until_the_leader_withdraws_the_link(leader, visitor, server):
    leader.open_track("weir-ben")
    leader.find("#share-person").click()
    until(lambda: leader.text("dialog[open] h2") == "Share weir-ben by a link")
    assert faults_of(leader, is_desktop_only=True) == []
    leader.find("#link-seconds").select_option(label="1 hour")
    leader.find("#link-kml").check()
    address = give(leader, "his wife")
    map_address = leader.find("#link-kml-address").input_value()
    assert map_address.endswith(f"/shared/{address.split('#')[1]}/link.kml")
    assert "/console/share/#ms_" in address and address.split("#")[1] not in leader.tab.url
    assert "only this once" in leader.text("#made-link")
    assert "No other device reaches this server at 127.0.0.1" in leader.text("#made-link .warning")
    assert faults_of(leader, is_desktop_only=True) == []
    visitor.tab.goto(address)
    until(lambda: visitor.text("#who") == "weir-ben" and visitor.text(".shared-state").startswith("Safe"))
    assert visitor.tab.url.endswith("/console/share/")
    # The address is shown only once, so that leaving it asks.
    leader.find("dialog[open]").get_by_role("button", name="All links").click()
    until(lambda: "The link is shown only now" in leader.text("dialog[open] dialog[open]"))
    leader.find("dialog[open]").get_by_role("button", name="Close it").click()
    until(lambda: "his wife" in leader.text("#open-links"))
    assert "also for map programs" in leader.text("#open-links")
    assert address.split("#")[1] not in leader.tab.content()
    assert faults_of(leader, is_desktop_only=True) == []
    with leader.answering():
        withdraw(leader, "weir-ben: place and state")
    until(lambda: visitor.text("main") == "This link is no longer valid.")
    until(lambda: leader.is_shown("dialog[open]") and "his wife" not in leader.text("#open-links"))
    assert "weir" not in visitor.tab.content()
    leader.find("dialog[open]").get_by_role("button", name="Close").click()
    until(lambda: not leader.is_shown("dialog[open]"))


def test_visitors_enter_themselves_and_an_incident_is_shared(leader, visitor, server):
    leader.find("#links").click()
    leader.find("dialog[open]").get_by_role("button", name="List for visitors of weir").click()
    kiosk = give(leader, "gate")
    assert "muster serve --host 0.0.0.0" in leader.text("#made-link .warning")
    leader.find("dialog[open]").get_by_role("button", name="Close", exact=True).click()
    leader.find("dialog[open]").get_by_role("button", name="Close it").click()
    visitor.tab.goto(kiosk)
    until(lambda: visitor.text("#closed").startswith("There is no evacuation now."))
    number = server.ask("POST", "teams/weir/incidents", {"kind": "drill"})["number"]
    try:
        until(lambda: visitor.is_shown("#visit-name"))
        visitor.find("#visit-name").fill("Zoë Åström")
        visitor.find("#visit button[type=submit]").click()
        until(lambda: visitor.text(".done").startswith("Zoë Åström, you are on the list"))
        until(lambda: "Zoë Åström" in leader.find("#list").inner_text())
        leader.find("#links").click()
        leader.find("dialog[open]").get_by_role("button", name=f"Share incident {number} of weir by a link").click()
        shared = give(leader, "fire brigade")
        visitor.tab.goto(shared)
        until(lambda: visitor.text("#what") == "DRILL – evacuation of weir")
        until(lambda: "Zoë Åström" in visitor.text("main"))
        until(lambda: "of 4 accounted for" in visitor.text("#tally"))
    finally:
        server.ask("POST", f"incidents/{number}/close", {"reason": "over"})
    until(lambda: "all clear" in visitor.text(".shared-clock"))


def test_a_link_at_an_address_that_others_reach_has_no_warning(leader):
    url, over = "https://muster.example.org/console/share/#ms_secret12", stamp(datetime.now(timezone.utc))
    leader.context.route("**/api/v1/links", lambda route: route.fulfill(
        status=201, json={"link": "l", "kind": "person", "user": "weir-ben", "url": url, "expiresTime": over}))
    leader.open_track("weir-ben")
    leader.find("#share-person").click()
    assert give(leader, "his wife") == url
    assert not leader.is_shown("#made-link .warning")


def test_a_member_is_offered_no_link(page, weir):
    page.open().sign_in("weir-anna", password)
    until(lambda: page.row("weir-anna"))
    page.open_track("weir-anna")
    until(lambda: page.is_shown("#person"))
    assert not page.is_shown("#links") and not page.is_shown("#share-person")
