"""The member's app: the own state, what one says and where that is, an incident's call, the check-in timer."""

from live_server import until
from me_page import MePage, declared, make_crew, password, phone_profile, state_of

page_type, profile = MePage, phone_profile


def test_a_member_sees_the_own_state_and_says_that_they_are_safe(page, server):
    make_crew(server, "elm", "elmo")
    page.open().sign_in("elmo", password)
    until(lambda: "Unknown" in page.status())
    until(lambda: page.text(".status-as-of") == "The server says:")
    page.find("#my-safe").click()
    until(lambda: page.said() and page.said()[0][0] == "server")
    assert page.said()[0][1].startswith("“I am safe”: at the server ")
    until(lambda: "Safe" in page.text(".status-state") and "You said so yourself" in page.status())
    assert state_of(server, "elm", "elmo") == "safe"


def test_a_call_for_help_has_a_note_and_says_who_has_seen_it_and_can_be_taken_back(page, server):
    make_crew(server, "oak", "olaf")
    page.open().sign_in("olaf", password)
    page.find("#my-help").click()
    until(lambda: state_of(server, "oak", "olaf") == "needsHelp")
    until(lambda: any("Nobody has answered yet." in line for _, line in page.said()))
    page.find("#my-note").fill("my leg, third floor")
    page.find("#my-note-form button").click()
    until(lambda: any("my leg, third floor" in line for _, line in page.said()))
    server.ask("POST", "users/olaf/declarations", {"kind": "acknowledge"})
    until(lambda: ["seen", f"“I need help”: {server.admin[0]} has seen it."] in page.said())
    page.find("#end-call").click()
    page.find(".dialog .primary").click()
    until(lambda: state_of(server, "oak", "olaf") == "unknown")
    until(lambda: not page.is_shown("#end-call"))


def test_an_sos_is_held_counted_down_cancelled_and_outlasts_a_reload(page, server):
    make_crew(server, "fir", "finn")
    page.stop_clock()
    page.open().sign_in("finn", password)
    page.find("#my-sos").click()
    until(lambda: page.text("#too-short") == "Hold the SOS button for one second.")
    page.hold_sos()
    page.find("#my-cancel").click()
    until(lambda: page.said() == [["cancelled", "SOS: cancelled, nothing was sent."]])
    until(lambda: not page.is_shown("#my-countdown"))
    page.hold_sos()
    page.reload()
    until(lambda: page.is_shown("#my-countdown"))
    assert declared(server, "finn") == []
    page.start_clock()
    until(lambda: state_of(server, "fir", "finn") == "sos")
    assert declared(server, "finn") == ["sos"]
    server.ask("POST", "users/finn/declarations", {"kind": "clear"})


def test_an_incident_calls_until_it_was_seen_and_again_where_it_is_opened_again(page, server):
    make_crew(server, "ash", "asta")
    page.open().sign_in("asta", password)
    until(lambda: "Unknown" in page.status())
    number = server.ask("POST", "teams/ash/incidents", {"kind": "real", "note": "smoke in the east stairs"})["number"]
    until(lambda: page.is_shown("#call"))
    assert page.text("#call-title") == "Evacuate"
    assert "smoke in the east stairs" in page.text("#call")
    page.tab.keyboard.press("Escape")
    # A browser may close it all the same; then the page opens it again.
    until(lambda: page.is_shown("#call"))
    page.find("#call-seen").click()
    until(lambda: not page.is_shown("#call"))
    until(lambda: page.text(".call-seen").startswith("You saw the call at "))
    assert page.is_shown("#my-safe")
    page.reload()
    until(page.is_live)
    until(lambda: page.is_shown("#called"))
    assert not page.is_shown("#call")
    server.ask("POST", f"incidents/{number}/close", {"reason": "over"})
    until(lambda: not page.is_shown("#called"))
    server.ask("POST", f"incidents/{number}/reopen", {"reason": "not over"})
    until(lambda: page.is_shown("#call"))
    page.find("#call-seen").click()
    page.find(".to-way").click()
    until(lambda: page.find(".me-tabs [aria-current]").inner_text() == "Way")
    server.ask("POST", f"incidents/{number}/close", {"reason": "over"})


def test_a_drill_is_said_to_be_one(page, server):
    make_crew(server, "yew", "yara")
    number = server.ask("POST", "teams/yew/incidents", {"kind": "drill"})["number"]
    page.open().sign_in("yara", password)
    until(lambda: page.text("#call-title") == "Drill: evacuate")
    assert "This is a drill." in page.text("#call")
    page.find("#call-seen").click()
    server.ask("POST", f"incidents/{number}/close", {"reason": "over"})
    until(lambda: not page.is_shown("#called"))


def test_the_check_in_timer_is_started_and_ended(page, server):
    make_crew(server, "box", "bodo")
    page.open().sign_in("bodo", password)
    page.find("#my-timer-start summary").click()
    page.find("#my-timer-note").fill("the kiln")
    page.find("#my-timer-form button").click()
    until(lambda: "next check-in due" in page.text("#my-timer-words"))
    assert server.ask("GET", "users/bodo/check-in-timer")["note"] == "the kiln"
    page.find("#my-check-in").click()
    until(lambda: any("your check-in" in line for _, line in page.said()))
    page.find("#my-timer-end").click()
    page.find(".dialog .primary").click()
    until(lambda: page.is_shown("#my-timer-start"))


def test_the_state_is_that_of_the_phones_reports(page, server):
    make_crew(server, "bay")
    mara = server.make_member("mara", "bay")
    kept = ["device-tokens", "tokens-for-others"]
    server.ask("PUT", "users/mara/password", {"password": password, "keep": kept})
    page.open().sign_in("mara", password)
    mara.stay((10.7470, 59.6885))
    until(lambda: "Safe" in page.text(".status-state"))
    until(lambda: "Your phone is inside School field" in (told := page.status())
          and "sure inside School field" in told)


def test_the_language_is_chosen_and_kept(page, server):
    make_crew(server, "ivy", "ivan")
    page.open().sign_in("ivan", password)
    page.show("phone")
    page.find("#language").select_option("es")
    until(lambda: page.find("#sign-out").inner_text() == "Cerrar sesión")
    page.reload()
    until(lambda: page.script("() => document.documentElement.lang") == "es")
