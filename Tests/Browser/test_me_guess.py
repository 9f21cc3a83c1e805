"""What the phone itself computes, in the member's app: the same after a reload without a server, and never as if
somebody who calls for help were safe. And a member who walks into the assembly point, as their leader sees it."""

import itertools

from live_page import LivePage
from live_server import until
from me_page import MePage, inside, make_crew, outside, password, phone_profile, state_of


def geolocation(place):
    """A (longitude, latitude) as a browser takes it."""
    return {"longitude": place[0], "latitude": place[1], "accuracy": 5}


page_type, is_server_killed = MePage, True
profile = {**phone_profile, "geolocation": geolocation(inside), "permissions": ["geolocation"]}


# A browser that is told the same place twice has no new fix: the person steps to and fro.
steps = itertools.cycle([0, 1e-5])


def until_inside(page, what, seconds=120):
    """Waits for something while the person stands in the assembly point, and the phone goes on to be located."""
    def look():
        page.context.set_geolocation(geolocation((inside[0] + next(steps), inside[1])))
        return what()
    return until(look, seconds=seconds)


def is_believed(page):
    """Whether the phone's engine has the person inside an assembly point."""
    return page.script(f"() => {page.state}?.guess?.isInMuster === true")


def open_inside(page, name):
    """The app of a member who stands inside the assembly point, kept on the phone, with all that the guess needs."""
    page.open().sign_in(name, password).keep()
    until(page.is_live)
    page.track()
    page.show("now")
    until_inside(page, lambda: is_believed(page))


def test_after_a_reload_without_a_server_the_phone_guesses_what_it_guessed_before(page, server):
    make_crew(server, "reef", "rhea")
    open_inside(page, "rhea")
    server.kill()
    until(page.is_off)
    until_inside(page, lambda: page.text("#guess").startswith("This phone thinks you are inside School field."))
    # No fix comes any more, so that the guess after the reload is made from those of before.
    page.context.clear_permissions()
    page.reload()
    until(lambda: is_believed(page))
    assert page.script(f"() => {page.state}.guess.regions.map(({{ name, isInside }}) => [name, isInside])") \
        == [["School field", True]]
    assert page.script(f"() => {page.state}.fix") is None


def test_beside_a_call_for_help_nothing_reads_as_if_the_person_were_safe(page, server):
    make_crew(server, "sand", "sia")
    open_inside(page, "sia")
    until_inside(page, lambda: "Safe" in page.text(".status-state"))
    server.kill()
    until(page.is_off)
    # The page itself notes what it says while it counts down: a test on a busy machine may look too late.
    page.script("""() => {
        globalThis.saidInCountdown = "";
        new MutationObserver(() => { saidInCountdown += document.querySelector("#my-countdown")?.innerText ?? ""; })
            .observe(document.body, { characterData: true, childList: true, subtree: true });
    }""")
    page.hold_sos()
    said = page.script("() => saidInCountdown")
    assert "The SOS waits on this phone" in said and "Call the emergency number." in said
    page.end_countdown()
    until_inside(page, lambda: page.text("#guess").endswith("Your call for help stands, wherever you are."))
    until(lambda: "Your call for help is still on this phone" in page.status())
    assert page.find("#status").get_attribute("data-old") is not None
    server.start()
    until(lambda: "SOS" in page.text(".status-state"))
    until(lambda: "Your call for help is still on this phone" not in page.status())
    assert "Safe" not in page.status()
    assert not page.text("#guess") or page.text("#guess").endswith("wherever you are.")
    server.ask("POST", "users/sia/declarations", {"kind": "clear"})


def test_a_member_who_walks_into_the_assembly_point_turns_green_on_the_leaders_page(page, browsers, server):
    make_crew(server, "tide", "tove")
    page.context.set_geolocation(geolocation(outside))
    page.open().sign_in("tove", password)
    page.track()
    incident = server.ask("POST", "teams/tide/incidents", {"kind": "drill"})["number"]
    desk = browsers.context(with_webgl=False)
    try:
        leader = LivePage(desk, server).open().sign_in("tide-lead", password)
        state = leader.row_of("tove")
        until(lambda: leader.row("tove") and state.get_attribute("data-state") == "unsafe", seconds=120)
        until_inside(page, lambda: state_of(server, "tide", "tove") == "safe")
        until(lambda: state.get_attribute("data-state") == "safe")
        assert "Safe" in leader.row("tove")
        assert not leader.faults()
    finally:
        desk.close()
        server.ask("POST", f"incidents/{incident}/close", {"reason": "over"})
