"""Pushes to the member's app: its own worker shows them, and a call to evacuate leads to its acknowledgement."""

import json

import pytest

from live_server import until
from me_page import MePage, make_crew, password, phone_profile
from push_worker import PushWorker

page_type, profile = MePage, phone_profile
is_server_killed = True
needs_notifications = True


@pytest.fixture
def granted(context, server):
    context.grant_permissions(["notifications"], origin=server.address)


def press(push):
    """Presses the notification that is shown."""
    push.worker.evaluate("""async () => {
        const [notification] = await self.registration.getNotifications();
        self.dispatchEvent(new NotificationEvent("notificationclick", { notification }));
    }""")


def test_a_call_to_evacuate_is_shown_and_leads_to_its_acknowledgement(page, server, granted):
    make_crew(server, "mole", "mia")
    page.open().sign_in("mia", password).keep()
    until(page.is_live)
    page.show("phone")
    number = server.ask("POST", "teams/mole/incidents", {"kind": "real"})["number"]
    push = PushWorker(page)
    push.deliver(json.dumps({
        "notification": {"title": "Evacuate", "body": "mole", "tag": f"incident-{number}"},
        "data": {"source": "muster", "kind": "incident", "incident": number, "team": "mole", "state": "open"}}))
    [found] = push.shown()
    assert (found["title"], found["fragment"]) == ("Evacuate", f"#/call/{number}")
    assert found["icon"] == f"{server.address}/muster.svg"
    press(push)
    until(lambda: page.script("() => location.hash") == f"#/call/{number}")
    until(lambda: page.is_shown("#call-seen"))
    page.find("#call-seen").click()
    until(lambda: page.text(".call-seen").startswith("You saw the call at "))
    server.ask("POST", f"incidents/{number}/close", {"reason": "over"})


def test_a_notification_says_what_is_known_before_the_server_and_after_the_end(page, server):
    make_crew(server, "nook", "nia")
    page.open().sign_in("nia", password).keep()
    until(page.is_live)
    page.open("#/call/99")
    until(lambda: page.text("#call-asked") == "The call that you were notified of is over.")
    server.kill()
    try:
        page.reload()
        until(lambda: page.text("#call-asked").startswith("Your team was called to evacuate."))
    finally:
        server.start()


def test_the_phone_says_why_it_is_not_notified(page, server):
    make_crew(server, "pond", "pia")
    page.context.new_cdp_session(page.tab).send("Browser.setPermission", {
        "origin": server.address, "permission": {"name": "notifications"}, "setting": "denied"})
    page.open().sign_in("pia", password)
    page.show("phone")
    page.find("#notify").click()
    until(lambda: "blocked" in page.text("#notify-refused"))
    assert page.text("#notify-state") == "This phone is not notified while this page is closed."
