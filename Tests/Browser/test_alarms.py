"""Calls for help and incidents on the live page: what is seen, and what a leader can do about it."""


from live_server import box, until

west, south = 10.7460, 59.8980
inside = (west + 0.001, south + 0.0005)


def alarms(page):
    """The lines as they are at one moment: the page may replace them at any time."""
    return page.texts("#alarms .alarm .what")


def press(page, name, answer=None):
    """Presses the button of that name, and answers the question it asks."""
    page.press("#alarms, #orders", name, answer)


def test_a_leader_runs_a_drill_and_answers_a_call_for_help(page, server):
    server.make_team("harbour", [box("quay", "Quay", west, south, muster=True)])
    server.make_user("lea", "leader", "harbour")
    ida, jon = server.make_member("ida", "harbour"), server.make_member("jon", "harbour")
    page.open().sign_in("lea", "a long password")
    assert alarms(page) == [] and not page.is_shown("#alarms")

    press(page, "Drill…")
    until(lambda: "".join(alarms(page)[:1]).startswith(
        "DRILL – evacuation of harbour, 0 of 3 accounted for"))
    # A team has one open incident at most.
    until(lambda: not page.is_shown("#orders"))
    until(lambda: any(text == "harbour DRILL – evacuation started" for _, text in page.events()))
    ida.stay(inside)
    until(lambda: any("1 of 3 accounted for" in text for text in alarms(page)))

    server.ask("POST", "users/jon/declarations", {"kind": "sos"}, token=jon.token)
    until(lambda: len(alarms(page)) == 2 and any(text.startswith("SOS from jon, ") for text in alarms(page)))
    until(lambda: "SOS" in (page.row("jon") or "") and page.counts()["sos"] == 1)
    until(lambda: page.title.startswith("SOS from jon · 1 need help, "))
    page.press("#distress", "Acknowledge jon")
    until(lambda: any(text.endswith("heard by lea") for text in alarms(page)))
    until(lambda: any(text == "jon calls SOS, heard by lea" for _, text in page.events()))
    press(page, "Clear", "")
    until(lambda: len(alarms(page)) == 1)
    server.ask("POST", "users/jon/declarations", {"kind": "offSite"})
    until(lambda: all(words in (page.row("jon") or "") for words in ("Off site", "marked by admin")))
    press(page, "All clear…", "enough for today")
    until(lambda: alarms(page) == [])
    until(lambda: any(text == "harbour DRILL – evacuation ended: closed by hand, by lea" for _, text in page.events()))
    until(lambda: page.is_shown("#orders"))


def test_a_member_sees_that_there_is_an_incident_and_orders_nothing(page, server):
    server.make_team("pier", [])
    server.make_user("max", "member", "pier")
    server.ask("POST", "teams/pier/incidents", {"kind": "real"})
    page.open().sign_in("max", "a long password")
    until(lambda: any(text.startswith("Evacuation of pier, since ") for text in alarms(page)))
    assert page.texts("#alarms button") == [] and not page.is_shown("#orders")
    server.ask("POST", "incidents/%d/close" % server.ask("GET", "incidents")["items"][0]["number"], {"reason": "over"})
    until(lambda: alarms(page) == [])


def test_a_late_visitor_sees_what_stands(page, server):
    ulf = server.make_member("ulf", "north")
    server.ask("POST", "users/ulf/declarations", {"kind": "needsHelp"}, token=ulf.token)
    page.open().sign_in()
    until(lambda: any(words.startswith("ulf needs help, ") for words in alarms(page)))
    server.ask("POST", "users/ulf/declarations", {"kind": "clear"})
    until(lambda: alarms(page) == [])
