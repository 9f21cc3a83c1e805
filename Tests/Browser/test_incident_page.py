"""An incident as a leader goes through it: from the button to the report, by crews, with PAR, a visitor and an SOS; and
what the page does while the server, another leader or the session stands against it."""

import contextlib
import csv
import io
import json
import signal
from datetime import datetime, timezone

import pytest

from live_page import LivePage
from live_server import box, password, until

west, south = 10.7460, 59.6980
inside = (west + 0.001, south + 0.0005)


def make_team(server, team, crews, leaders=("lea",), loose=()):
    """A team with leaders, and crews of people with a phone each; answers the phones by name."""
    server.make_team(team, [box("sq", "Mole square", west, south, muster=True)])
    for leader in leaders:
        server.make_user(f"{team}-{leader}", "leader", team)
    phones = {name: server.make_member(f"{team}-{name}", team) for name in loose}
    for crew, names in crews.items():
        server.ask("POST", f"teams/{team}/crews", {"name": crew})
        for name in names:
            phones[name] = server.make_member(f"{team}-{name}", team)
            server.ask("PATCH", f"users/{team}-{name}", {"crew": crew})
    return phones


# A tab that may notify, and is in the background once a test says so.
background = """window.shown = [];
window.Notification = class { static permission = "granted"; constructor(title) { window.shown.push(title); } };
Object.defineProperty(document, "hidden", { get: () => window.isAway === true });"""


def second_page(browsers, server, user, script=""):
    context = browsers.context(with_webgl=False)
    context.add_init_script(script)
    return context, LivePage(context, server).open("#/incident").sign_in(user, password)


def rows(page):
    """The rows of the roll, a line each."""
    return page.script(
        "() => [...document.querySelectorAll('#roll .roll-row')].sort((one, other) => one.ariaRowIndex - "
        "other.ariaRowIndex).map((row) => row.innerText.replaceAll('\\n', ' '))")


def row(page, text):
    return page.find("#roll .roll-row").filter(has_text=text)


def counts(page):
    return [int(text) for text in page.texts(".incident-counts dd")]


def open_roll(page, user, server, team, kind="real"):
    """Signs in on the roll of a new incident."""
    number = server.ask("POST", f"teams/{team}/incidents", {"kind": kind})["number"]
    page.open(f"#/incident/{number}").sign_in(user, password)
    until(lambda: page.is_shown("#muster-time") and rows(page))
    return number


def test_a_drill_from_the_button_to_the_report(page, server, tmp_path):
    phones = make_team(server, "mole", {"Engine 3": ["ann", "ben"], "Ladder 1": ["cem"]})
    page.open().sign_in("mole-lea", password)
    # Without an incident nobody is red for being at work.
    phones["cem"].stay((west + 0.02, south))
    until(lambda: "Located" in (page.row("mole-cem") or ""))
    with page.answering("practice") as asked:
        page.find("#orders").get_by_role("button", name="Drill…").click()
    assert "DRILL for mole" in asked[0] and "Start the drill for 4 people" in asked[0]
    page.find("#alarms").get_by_role("link", name="Open the roll").click()
    until(lambda: page.is_shown("#muster-time"))
    number = server.ask("GET", "teams/mole/incidents")["items"][0]["number"]
    until(lambda: page.text(".drill-mark") == "DRILL – this is an exercise")
    until(lambda: counts(page) == [0, 0, 4, 4])
    until(lambda: all(words in page.text(".incident-course") for words in ("Led by mole-lea", "“practice”")))

    run_par(page)
    put_a_visitor_on_the_roll(page)
    account_for_everybody(page, server, phones)
    until(lambda: page.find(".muster-time").get_attribute("data-state") == "whole")
    stands = page.text("#muster-time")
    page.press(".incident > .deeds", "All clear…", "back to work")
    until(lambda: page.find(".incident[data-open]").count() == 0)
    assert page.text("#muster-time") == stands, "the time of the last person stands"
    read_the_report(page, server, number, tmp_path)


def report_complete(page, crew, people):
    """Reports a crew as complete of which the roll misses somebody; answers what was asked before."""
    with page.answering() as asked:
        page.find("#roll").get_by_role("button", name=f"{crew}: complete, all {people} present").click()
    return asked[0]


def run_par(page):
    page.find(".par").get_by_role("button", name="Request a PAR now").click()
    until(lambda: "0 of 3 crews reported" in page.text(".par-course"))
    until(lambda: "PAR of 2, no report yet" in row(page, "Engine 3").inner_text())
    assert "does not account for" in report_complete(page, "Engine 3", 2)
    until(lambda: "PAR of 2, complete" in row(page, "Engine 3").inner_text())
    row(page, "Ladder 1").get_by_role("button", name="Ladder 1: fewer present…").click()
    page.find("#ask-present").fill("one")
    page.find(".dialog .primary").click()
    until(lambda: "whole number" in page.text(".dialog .fault[role=alert]"))
    page.find("#ask-present").fill("0")
    page.find("#ask-note").fill("cem is on the pier")
    page.find(".dialog .primary").click()
    until(lambda: "only 0 present" in row(page, "Ladder 1").inner_text())
    # A crew that is short comes first.
    until(lambda: rows(page)[0].startswith("Ladder 1") and "cem is on the pier" in rows(page)[0])
    until(lambda: all(words in page.text(".par-course") for words in ("2 of 3 crews reported", "1 crew short")))
    page.find(".par-timer").get_by_role("button", name="Every 15 min").click()
    until(lambda: page.texts(".par-timer [aria-pressed=true]") == ["Every 15 min"])
    until(lambda: "next at" in page.text(".par-timer"))


def put_a_visitor_on_the_roll(page):
    page.press(".incident > .deeds", "Add visitor…", "Zoë Å")
    until(lambda: counts(page) == [0, 0, 5, 5])
    until(lambda: row(page, "Zoë Å").count() == 1)
    # By the keyboard alone: to the row, and one key.
    row(page, "Zoë Å").locator(".person").focus()
    with page.answering() as asked:
        page.tab.keyboard.press("s")
    assert "Mark Zoë Å safe?" in asked[0]
    until(lambda: counts(page)[0] == 1)


def account_for_everybody(page, server, phones):
    phones["cem"].stay(inside)
    for name in ("ann", "ben"):
        server.ask("POST", f"users/mole-{name}/declarations", {"kind": "safe"}, token=phones[name].token)
    until(lambda: "said safe" in row(page, "mole-ann").inner_text())
    server.ask("POST", "users/mole-lea/declarations", {"kind": "offSite"})
    until(lambda: "marked off site by admin" in page.text('#roll [data-user="mole-lea"]'))
    until(lambda: counts(page) == [5, 0, 0, 5])


def read_the_report(page, server, number, folder):
    files = {}
    for name, button in (("csv", "As a table (CSV)"), ("json", "JSON"), ("html", "Full report as a page")):
        with page.tab.expect_download() as download:
            page.find(".report").get_by_role("button", name=button).click()
        assert download.value.suggested_filename == f"incident-{number}.{name}"
        download.value.save_as(folder / name)
        files[name] = (folder / name).read_text()
    lines = list(csv.DictReader(io.StringIO(files["csv"])))
    assert any(line["event"] == "visitor" and line["user"] == "Zoë Å" for line in lines)
    assert json.loads(files["json"])["reason"] == "back to work"
    assert "this was an exercise" in files["html"]
    page.find(".report").get_by_role("link", name="Print and sign").click()
    words = ("DRILL – this is an exercise", "Not accounted for: 0 people", "back to work", "Fire officer", "mole-lea")
    until(lambda: all(each in page.text(".sheet") for each in words))
    page.tab.emulate_media(media="print")
    assert not page.is_shown("header") and not page.is_shown("#alarms") and page.is_shown(".sheet-sign")
    page.tab.emulate_media(media="screen")


def test_an_incident_is_handed_over_and_both_see_who_leads(page, browsers, server):
    make_team(server, "quay", {}, leaders=("lea", "omar"))
    open_roll(page, "quay-lea", server, "quay")
    context, other = second_page(browsers, server, "quay-omar")
    try:
        until(lambda: "Led by admin" in other.text(".incident-course"))
        page.press(".incident > .deeds", "Hand over…", "quay-omar")
        for each in (page, other):
            until(lambda: "Led by quay-omar" in each.text(".incident-course"))
        assert other.faults() == []
    finally:
        context.close()


def test_an_sos_takes_the_screen_of_each_leader_until_one_acknowledges_it(page, browsers, server):
    phones = make_team(server, "dam", {"Engine 3": ["jon"]}, leaders=("lea", "omar"), loose=("kim",))
    open_roll(page, "dam-lea", server, "dam")
    context, other = second_page(browsers, server, "dam-omar", background)
    try:
        other.script("() => { window.isAway = true; }")
        page.find(".incident > .deeds").get_by_role("button", name="All clear…").click()
        until(lambda: page.script("() => document.activeElement.id") == "ask-reason")
        page.find("#ask-reason").press_sequentially("half a sen")
        server.ask("POST", "users/dam-jon/declarations", {"kind": "sos", "note": "below the stairs"},
                   token=phones["jon"].token)
        for each in (page, other):
            until(lambda: "below the stairs" in each.text("#distress"))
            until(lambda: each.title.startswith("SOS from dam-jon · "))
        until(lambda: other.script("() => window.shown") == ["SOS from dam-jon"])
        other.script("() => { window.isAway = false; }")
        # Who goes on typing acknowledges nothing, and Escape does not send it away.
        page.tab.keyboard.type("tence ")
        page.tab.keyboard.press("Enter")
        page.tab.keyboard.press("Escape")
        assert page.is_shown("#distress") and "acknowledgedBy" not in person(server, "dam", "dam-jon")
        server.ask("POST", "users/dam-kim/declarations", {"kind": "sos"}, token=phones["kim"].token)
        # A button that moves away under the mouse is not pressed.
        for each in (page, other):
            until(lambda: "SOS from dam-kim" in "".join(each.texts("#distress .caller")[:1]))
        other.find("#distress").get_by_role("button", name="Acknowledge dam-jon").click()
        other.find("#distress").get_by_role("button", name="Acknowledge dam-kim").click()
        for each in (page, other):
            until(lambda: not each.is_shown("#distress"))
            until(lambda: sum("heard by dam-omar" in text for text in each.texts("#alarms .what")) == 2)
        assert page.find("#ask-reason").input_value() == "half a sen", "what was typed stays"
        until(lambda: page.script("() => document.activeElement.id") == "ask-reason")
        assert other.faults() == []
    finally:
        context.close()
    page.find(".dialog").get_by_role("button", name="Cancel").click()


def person(server, team, user):
    return next(each for each in server.ask("GET", f"teams/{team}/safety")["members"] if each["user"] == user)


def test_who_called_sees_who_acknowledged(page, server):
    make_team(server, "weirs", {})
    server.make_user("weirs-ida", "member", "weirs")
    server.ask("POST", "users/weirs-ida/declarations", {"kind": "sos"})
    page.open().sign_in("weirs-ida", password)
    until(lambda: page.texts("#alarms .what"))
    assert not page.is_shown("#distress"), "one's own call does not take the screen"
    server.ask("POST", "users/weirs-ida/declarations", {"kind": "acknowledge"})
    until(lambda: any("heard by admin" in text for text in page.texts("#alarms .what")))


@contextlib.contextmanager
def frozen(page, server, path):
    """The server stands still, until the page has sent what it sends there a second time."""
    sent = []
    page.tab.on("request", lambda request: sent.append(request) if request.method == "POST"
                and request.url.endswith(path) else None)
    server.process.send_signal(signal.SIGSTOP)
    try:
        yield
        until(lambda: "Waiting for the server" in page.text(".pending") and not page.is_shown(".dialog"))
        assert "The server has it" not in page.text("#said")
        # The page must be asked meanwhile, so that it tells of its requests.
        until(lambda: page.title and len(sent) >= 2, seconds=60)
    finally:
        server.process.send_signal(signal.SIGCONT)
    until(lambda: not page.is_shown(".pending"), seconds=60)
    until(page.is_live, seconds=60)


def test_what_was_pressed_at_a_frozen_server_goes_through_once(page, server):
    make_team(server, "pond", {})
    number = open_roll(page, "pond-lea", server, "pond", kind="drill")
    with frozen(page, server, "/roll"):
        page.press(".incident > .deeds", "Add visitor…", "Yan")
    until(lambda: counts(page) == [0, 0, 2, 2])
    roll = server.ask("GET", f"incidents/{number}")["roll"]
    assert [each["user"] for each in roll if each["visitor"]] == ["Yan"]
    with frozen(page, server, "/close"):
        page.press(".incident > .deeds", "All clear…", "practice is over")
    until(lambda: page.text("#said").endswith("All clear for pond."))
    report = server.ask("GET", f"incidents/{number}/report?format=json")
    assert [line["event"] for line in report["changes"]].count("closed") == 1
    assert report["reason"] == "practice is over"
    page.faults()


def test_a_par_that_is_overdue_is_loud_for_every_leader(page, browsers, server):
    make_team(server, "berth", {"Engine 3": ["ann"], "Engine 5": ["ben"]}, leaders=("lea", "omar"))
    number = open_roll(page, "berth-lea", server, "berth")
    server.ask("PUT", f"incidents/{number}/par", {"everySeconds": None, "graceSeconds": 10})
    context, other = second_page(browsers, server, "berth-omar")
    try:
        page.find(".par").get_by_role("button", name="Request a PAR now").click()
        for each in (page, other):
            until(lambda: "0 of 3 crews reported" in each.text(".par-course"))
        report_complete(other, "Engine 5", 1)
        until(lambda: "PAR of 1, complete" in row(page, "Engine 5").first.inner_text())
        for each in (page, other):
            until(lambda: "Engine 3" in each.text(".par-overdue") and "Engine 5" not in each.text(".par-overdue"))
            until(lambda: rows(each)[0].startswith("Engine 3") and "OVERDUE" in rows(each)[0])
        report_complete(page, "Engine 3", 1)
        report_complete(page, "Without a crew", 2)
        for each in (page, other):
            until(lambda: not each.is_shown(".par-overdue") and "3 of 3 crews" in each.text(".par-course"))
        until(lambda: any("PAR complete" in text for _, text in page.events()))
        page.find(".par-rounds summary").click()
        until(lambda: "Engine 5: PAR of 1, complete" in page.text(".par-rounds"))
        assert other.faults() == []
    finally:
        context.close()


def test_what_is_typed_outlasts_a_session_that_ends(page, server):
    make_team(server, "slip", {})
    number = open_roll(page, "slip-lea", server, "slip")
    page.find(".incident > .deeds").get_by_role("button", name="All clear…").click()
    page.find("#ask-reason").fill("everyone was counted by hand")
    server.ask("PUT", "users/slip-lea/password", {"password": "another long password"})
    until(lambda: page.is_shown("#sign-in") and not page.is_shown(".dialog"))
    page.sign_in("slip-lea", "another long password")
    page.find(".incident > .deeds").get_by_role("button", name="All clear…").click()
    until(lambda: page.find("#ask-reason").input_value() == "everyone was counted by hand")
    page.find(".dialog .primary").click()
    until(lambda: not server.ask("GET", f"incidents/{number}")["open"])
    assert server.ask("GET", f"incidents/{number}")["reason"] == "everyone was counted by hand"
    page.faults()


def test_a_refusal_that_is_slow_to_come_is_said_in_the_dialog(page, server):
    make_team(server, "hawse", {})
    open_roll(page, "hawse-lea", server, "hawse", kind="drill")
    held = []
    page.tab.route("**/close", lambda route: held.append(route))  # pylint: disable=unnecessary-lambda
    # The page does not give up however slow the test is.
    page.script("() => { AbortSignal.timeout = () => new AbortController().signal; }")
    page.find(".incident > .deeds").get_by_role("button", name="All clear…").click()
    page.find("#ask-reason").fill("done")
    page.find(".dialog .primary").click()
    until(lambda: held and "Waiting for the server" in page.text(".pending"))
    assert page.is_shown(".dialog")
    held[0].fulfill(status=409, content_type="application/problem+json", body='{"detail": "somebody is missing"}')
    until(lambda: "somebody is missing" in page.text(".dialog"))
    assert page.find("#ask-reason").input_value() == "done"
    page.find(".dialog .plain").click()
    until(lambda: not page.is_shown(".dialog") and not page.is_shown(".pending"))
    assert all("409" in fault for fault in page.faults())


def test_two_leaders_who_act_at_once_are_told_what_stands(page, browsers, server):
    phones = make_team(server, "spar", {}, leaders=("lea", "omar"), loose=("ann",))
    number = open_roll(page, "spar-lea", server, "spar")
    context, other = second_page(browsers, server, "spar-omar")
    try:
        for each in (page, other):
            until(lambda: row(each, "spar-ann").count() == 1)
            row(each, "spar-ann").locator(".person").focus()
            each.tab.keyboard.press("s")
            until(lambda: each.is_shown(".dialog"))
        for each in (page, other):
            each.find(".dialog .primary").click()
        for each in (page, other):
            until(lambda: "marked safe by spar-" in row(each, "spar-ann").inner_text())
        # One closes what the other is about to close.
        other.find(".incident > .deeds").get_by_role("button", name="All clear…").click()
        other.find("#ask-reason").fill("mine")
        page.press(".incident > .deeds", "All clear…", "hers")
        until(lambda: "Meanwhile this is over" in other.text(".dialog"))
        assert other.find("#ask-reason").input_value() == "mine"
        assert server.ask("GET", f"incidents/{number}")["reason"] == "hers" and phones
        assert other.faults() == []
    finally:
        context.close()


def test_the_time_is_the_servers_on_a_device_whose_clock_is_an_hour_off(browsers, server):
    make_team(server, "kelp", {})
    context = browsers.context(with_webgl=False)
    context.add_init_script("const now = Date.now; Date.now = () => now() + 3_600_000;")
    try:
        page = LivePage(context, server)
        number = open_roll(page, "kelp-lea", server, "kelp")
        started = datetime.fromisoformat(server.ask("GET", f"incidents/{number}")["startedAt"].replace("Z", "+00:00"))
        elapsed = lambda: (datetime.now(timezone.utc) - started).total_seconds()

        def is_right():
            least, shown, most = elapsed(), page.text("#muster-time"), elapsed()
            hours, minutes, seconds = map(int, shown.split(":") if shown.count(":") == 2 else f"0:{shown}".split(":"))
            return least - 3 < 3600 * hours + 60 * minutes + seconds < most + 3
        until(is_right)
    finally:
        context.close()


def test_an_analyst_reads_the_roll_and_has_nothing_to_press(page, server):
    make_team(server, "reed", {"Engine 3": ["ann"]})
    server.make_user("reed-eye", "analyst")
    number = server.ask("POST", "teams/reed/incidents", {"kind": "real"})["number"]
    page.open(f"#/incident/{number}").sign_in("reed-eye", password)
    until(lambda: any(text.startswith("Engine 3") for text in rows(page)))
    assert page.find(".incident > .deeds").count() == 0 and page.find(".roll-row .row-actions button").count() == 0
    row(page, "reed-ann").locator(".person").focus()
    page.tab.keyboard.press("s")
    assert not page.is_shown(".dialog")
    server.ask("POST", f"incidents/{number}/close", {"reason": "over"})


@pytest.mark.parametrize("fragment", ["#/incident/999999", "#/incident/999999/print"])
def test_an_incident_that_is_not_there_is_said_so(page, server, fragment):
    page.open(fragment).sign_in()
    until(lambda: "no longer there" in page.text("main .fault"))
    page.faults()
