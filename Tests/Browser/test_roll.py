"""The roll of an incident on the live page: visitors, what each row tells, and what stays true after a reload."""

import time
from datetime import datetime, timezone

import pytest

from live_server import Phone, box, password, until

west, south = 10.7460, 59.8680
inside = (west + 0.001, south + 0.0005)


def crew(server, team, *members):
    """A team with a leader, and members with a phone each."""
    server.make_team(team, [box("quay", "Quay", west, south, muster=True)])
    server.make_user(f"{team}-lead", "leader", team)
    return [server.make_member(name, team) for name in members]


@pytest.fixture
def evacuate(server):
    """Starts an incident of a team; closed after the test, as others share the server."""
    started = []

    def start(team):
        started.append(server.ask("POST", f"teams/{team}/incidents", {"kind": "real"})["number"])
        return started[-1]
    yield start
    for number in started:
        if server.ask("GET", f"incidents/{number}")["open"]:
            server.ask("POST", f"incidents/{number}/close", {"reason": "the test is over"})


def alarms(page):
    return page.texts("#alarms .alarm .what")


def has_alarm(page, words):
    """Whether the first alarm says this."""
    return any(words in first for first in alarms(page)[:1])


def said(page):
    return page.text("#said")


def row_of(page, name):
    """The text of someone's row by the name that is shown; none where they are not on the list."""
    return page.script(
        "(name) => [...document.querySelectorAll('#list .row')].find("
        "(row) => row.querySelector('.name').textContent.trim() === name)?.innerText", name)


def press_in_row(page, name, button, answer=None):
    """Opens the buttons of someone's row, presses one, and answers the question."""
    row = page.find("#list .row").filter(has_text=name)
    row.get_by_role("button", name=f"Mark {name}", exact=True).click()
    with page.answering(answer):
        row.get_by_role("group").get_by_role("button", name=button, exact=True).click()


def press_alarm(page, name):
    page.find("#alarms").get_by_role("button", name=name, exact=True).click()


def test_a_leader_puts_a_visitor_on_the_roll_marks_them_and_takes_them_off(page, server, evacuate):
    crew(server, "yard")
    number = evacuate("yard")
    page.open().sign_in("yard-lead", password)
    until(lambda: has_alarm(page, "0 of 1 accounted for"))
    press_alarm(page, "Add visitor…")
    page.find("#ask-name").fill("Zoë <b>Å</b>")
    page.find("#ask-note").fill("red coat")
    page.find("#ask-note").press("Enter")
    until(lambda: said(page).endswith(": Zoë <b>Å</b> on the roll."))
    until(lambda: "red coat" in (row := row_of(page, "Zoë <b>Å</b>") or "") and "visitor, no phone" in row)
    until(lambda: has_alarm(page, "0 of 2 accounted for"))
    until(lambda: page.counts()["unknown"] == 2)
    press_in_row(page, "Zoë <b>Å</b>", "Mark safe")
    until(lambda: said(page).startswith("The server has it since ") and "marked safe" in said(page))
    until(lambda: "marked by yard-lead" in (row_of(page, "Zoë <b>Å</b>") or "") and has_alarm(page, "1 of 2"))
    page.reload()
    until(lambda: row_of(page, "Zoë <b>Å</b>") and has_alarm(page, "1 of 2"))
    press_in_row(page, "Zoë <b>Å</b>", "Take off the roll…", "went home")
    until(lambda: not row_of(page, "Zoë <b>Å</b>") and has_alarm(page, "0 of 1 accounted for"))
    roll = server.ask("GET", f"incidents/{number}")["roll"]
    assert [person["takenOff"]["reason"] for person in roll if person["visitor"]] == ["went home"]


def test_a_visitor_who_could_not_be_added_stays_in_the_dialog(page, server, evacuate):
    crew(server, "lock")
    number = evacuate("lock")
    page.open().sign_in("lock-lead", password)
    until(lambda: alarms(page))
    press_alarm(page, "Add visitor…")
    server.ask("POST", f"incidents/{number}/close", {"reason": "over"})
    page.find("#ask-name").fill("Yan")
    page.find("#ask-name").press("Enter")
    until(lambda: page.text(".dialog .fault").startswith("Meanwhile this is over"))
    assert page.find("#ask-name").input_value() == "Yan"
    page.faults()


def test_a_row_shows_when_a_person_was_heard_and_located_and_a_low_battery_in_words(page, server):
    ada, = crew(server, "weir", "ada")
    # Fixes of now: those of five minutes ago would be told so.
    for _ in range(2):
        server.ask("POST", "positions", {**Phone.fix(inside, datetime.now(timezone.utc)), "battery": 12}, ada.token)
        time.sleep(0.05)
    page.open().sign_in("weir-lead", password)
    until(lambda: page.row_has("ada", "heard ", "located ")
          and "battery 12\u00a0%, low" in page.row("ada").replace("12 %", "12\u00a0%"))


def test_a_person_taken_off_the_roll_is_shown_as_such_and_not_counted(page, server, evacuate):
    crew(server, "sluice", "eli")
    number = evacuate("sluice")
    page.open().sign_in("sluice-lead", password)
    until(lambda: has_alarm(page, "0 of 2 accounted for"))
    press_in_row(page, "eli", "Take off the roll…", "on leave")
    until(lambda: page.row_has("eli", "taken off the roll by sluice-lead", "on leave"))
    until(lambda: has_alarm(page, "0 of 1 accounted for"))
    assert server.ask("GET", f"incidents/{number}")["counts"]["people"] == 1


def test_the_note_of_an_old_call_for_help_is_shown_after_a_reload(page, server):
    fay, gus = crew(server, "ford", "fay", "gus")
    server.ask("POST", "users/fay/declarations", {"kind": "needsHelp", "note": "under the crane"}, token=fay.token)
    begun = datetime.now(timezone.utc).timestamp()
    fixes = [Phone.fix((west + 0.05 + step / 1e5, south), datetime.fromtimestamp(begun - 1200 + step, timezone.utc))
             for step in range(1100)]
    for first in range(0, len(fixes), 100):
        server.ask("POST", "positions", fixes[first:first + 100], gus.token)
    page.open().sign_in("ford-lead", password)
    until(lambda: "“under the crane”" in (page.row("fay") or ""))
    until(lambda: any("“under the crane”" in words for words in alarms(page)))
    server.ask("POST", "users/fay/declarations", {"kind": "clear"})


def test_a_page_that_is_not_live_says_neither_all_accounted_nor_all_clear(page, server, evacuate):
    crew(server, "levee")
    evacuate("levee")
    server.ask("POST", "users/levee-lead/declarations", {"kind": "safe"})
    page.open().sign_in("levee-lead", password)
    until(lambda: has_alarm(page, "All accounted for since"))
    server.process.send_signal(19)
    try:
        until(lambda: page.is_shown("#not-live"))
        until(lambda: has_alarm(page, "not known"))
        assert not has_alarm(page, "ccounted for since")
        assert "All clear…" not in page.texts("#alarms button") and page.title.startswith("Not live")
    finally:
        server.process.send_signal(18)
    until(lambda: has_alarm(page, "All accounted for since"), seconds=60)
    page.faults()


@pytest.mark.parametrize("name", [
    "<img src=x onerror=alert(1)>", "\u202egnp.exe נועה", "W" * 190, "👩🏽‍🚒" * 7, "Z\u0351\u0352\u0353\u0354" * 15,
])
def test_no_name_and_no_note_breaks_the_page(page, server, evacuate, name):
    team = f"wharf-{abs(hash(name)) % 10_000_000}"
    crew(server, team)
    number = evacuate(team)
    server.ask("POST", f"incidents/{number}/roll", {"name": name, "note": name * 2, "state": "needsHelp"})
    page.set_view(375, 700)
    page.open().sign_in(f"{team}-lead", password)
    until(lambda: len(alarms(page)) == 2)
    assert page.script("() => document.documentElement.scrollWidth <= innerWidth")
    assert page.find("#live :is(#list, #alarms, #events) img").count() == 0
    assert "\u202e" not in page.text("#live")


# What of the buttons of PAR, and of the crews' words, is cut, covered or too small for a thumb.
cut_par = """() => [...document.querySelectorAll(".par button, .crew-acts button, .crew-row .person > span")]
    .filter((each) => {
        const { left, right, width, height } = each.getBoundingClientRect();
        const isSmall = each.matches("button") && (width < 43.5 || height < 43.5);
        return isSmall || left < 0 || right > innerWidth || each.scrollWidth > each.clientWidth + 1
            || each.scrollHeight > each.clientHeight + 2;
    }).map((each) => each.outerHTML)"""


def test_par_and_where_to_look_have_room_on_a_narrow_phone_in_every_language(page, server, evacuate):
    server.make_team("strait", [box("quay", "Quay", west, south, muster=True)])
    server.make_user("strait-lead", "leader", "strait")
    for name in ("Engine 3", "Ladder 1"):
        server.ask("POST", "teams/strait/crews", {"name": name})
        for number in range(2):
            server.ask("POST", "users", {
                "name": f"strait-{name[0]}{number}", "role": "member", "team": "strait", "crew": name})
    far = server.make_member("strait-zoe", "strait")
    far.stay((west + 0.001, south + 0.01))
    number = evacuate("strait")
    server.ask("POST", f"incidents/{number}/par", {"id": "par-of-a-narrow-phone"})
    page.open(f"#/incident/{number}").sign_in("strait-lead", password)
    until(lambda: page.find("#roll .crew-row .crew-acts button").count() == 6)
    until(lambda: "north of Quay, " in page.text("#roll [data-user=strait-zoe] .seen"))
    for language in ("en", "es", "ja", "zh"):
        page.set_view(1280, 800)
        page.find("#language").select_option(language)
        until(lambda: page.script("() => document.documentElement.lang") == language)
        page.set_view(375, 812)
        until(lambda: page.find("#roll .crew-row .crew-acts button").count() == 6)
        until(lambda: page.script(cut_par) == [])
        assert not page.script("() => document.documentElement.scrollWidth > innerWidth"), language
