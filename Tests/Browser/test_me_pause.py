"""A pause in the member's app: the phone's receiver is off while it lasts, and the app says so."""

import pytest

from live_server import until
from me_page import MePage, check_clean, make_crew, password, phone_profile, south, west

profile = {**phone_profile, "permissions": ["geolocation"]}
# Where the member goes, one place after the other.
places = [{"latitude": round(south + number * 0.001, 6), "longitude": west, "accuracy": 8} for number in range(4)]


@pytest.fixture
def paused(context, own_server):
    """A member whose phone reports, and who pauses."""
    server = own_server
    page = MePage(context, server)
    make_crew(server, "rest", "rut")
    server.ask("PATCH", "teams/rest", {"allowsPause": True})
    page.context.set_geolocation(places[0])
    page.open().sign_in("rut", password)
    until(page.is_live)
    page.track()
    until(lambda: places[0]["latitude"] in latitudes(server))
    page.show("seen")
    page.find("#pause .choices button").first.click()
    until(lambda: state(page) == "paused")
    yield page
    # After a reload the app makes its device again, which there is.
    faults = [fault for fault in page.faults() if "409" not in fault]
    assert not faults and not page.foreign_requests()


def state(page):
    return page.script(f"() => {page.state}?.tracking.state")


def latitudes(server):
    """Where the server was told that the member is."""
    found = [change["position"] for change in server.changes(0)
             if change["type"] == "position" and change["user"] == "rut"]
    return {round(each["latitude"], 6) for each in found}


def test_a_pause_records_nothing_until_it_is_ended_also_after_a_reload(paused):
    page, server = paused, paused.server
    until(lambda: page.text("#pause").count("This app records no position until then."))
    until(lambda: page.text("#said").startswith("The server has it since ") and "since :" not in page.text("#said"))
    page.show("phone")
    until(lambda: page.text("#tracking-state").startswith("Paused until "))
    assert not page.is_shown("#tracking-fix")
    page.context.set_geolocation(places[1])
    page.reload()
    until(lambda: page.is_live() and state(page) == "paused")
    page.context.set_geolocation(places[2])
    page.show("seen")
    page.find("#pause-end").click()
    until(lambda: places[2]["latitude"] in latitudes(server))
    assert places[1]["latitude"] not in latitudes(server)
    until(lambda: state(page) == "on")


def test_a_call_for_help_ends_the_silence_of_a_pause_and_the_words_say_so(paused):
    page, server = paused, paused.server
    page.show("now")
    until(lambda: page.text("#tracking-summary").startswith("Paused until "))
    check_clean(page, "pause-now")
    page.show("seen")
    check_clean(page, "pause-seen")
    page.show("now")
    page.context.set_geolocation(places[3])
    page.find("#my-help").click()
    until(lambda: places[3]["latitude"] in latitudes(server))
    page.show("seen")
    until(lambda: "This app reports your position all the same" in page.text("#pause"))
