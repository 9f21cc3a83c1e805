"""The clock of a leader's computer is an hour or a day off: every time on the page is by the server's."""

import re
import signal
import time
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from live_page import LivePage
from live_server import box, password, until
from other_clock import noon_zone, set_clock, shift_clock

west, south = 10.7460, 59.9380
inside = (west + 0.001, south + 0.0005)
hour, day = 3_600_000, 86_400_000
# What a busy machine may take for a step of a test, in seconds: a clock that counts is an hour off.
slack = 30
zone = noon_zone()
heard_lately = r"heard (now|\d+ s ago|\d min ago)"


@pytest.fixture(scope="module")
def quay(server):
    """A team with a leader, one who is safe, and one who works alone, with a timer."""
    server.make_team("quay", [box("sq", "Quay square", west, south, muster=True)])
    server.make_user("quay-lead", "leader", "quay")
    phone = server.make_member("quay-ann", "quay")
    server.make_member("quay-ben", "quay")
    server.ask("PUT", "users/quay-ben/check-in-timer", {"intervalSeconds": 1800})
    phone.stay(inside)
    return phone


def be_heard(phone):
    """Reports that the phone is where it was. However quick the tests are, no fix is far ahead of the clock."""
    phone.sampled = max(phone.sampled, datetime.now(timezone.utc) - timedelta(seconds=20))
    phone.report(inside, seconds_later=1)


@pytest.fixture
def off_page(browsers, server):
    """Opens pages of a computer whose clock is off, in a profile for each."""
    contexts = []

    def open_page(milliseconds):
        context = browsers.context(with_webgl=False, timezone_id=zone)
        contexts.append(context)
        shift_clock(context, milliseconds)
        return LivePage(context, server)
    yield open_page
    for context in contexts:
        context.close()


def clock_time(words, beside, pattern=r"(\d\d):(\d\d)(?::(\d\d))?"):
    """The seconds from now, by the true clock, of the time that follows these words; it has no day beside it."""
    found = re.search(re.escape(beside) + pattern, words)
    assert found, f"no time after {beside!r} in {words!r}"
    now = datetime.now(ZoneInfo(zone))
    told = now.replace(hour=int(found[1]), minute=int(found[2]), second=int(found[3] or 0), microsecond=0)
    return (told - now).total_seconds()


@pytest.mark.parametrize("off", [hour, -hour, day, -day], ids=["ahead-1h", "behind-1h", "ahead-1d", "behind-1d"])
def test_every_time_is_by_the_servers_clock(off_page, server, quay, off):
    be_heard(quay)
    number = server.ask("POST", "teams/quay/incidents", {"kind": "drill"})["number"]
    began = time.monotonic()
    server.ask("PUT", f"incidents/{number}/par", {"everySeconds": 900, "graceSeconds": 600})
    server.ask("POST", f"incidents/{number}/par", {})
    try:
        page = off_page(off)
        # The screen is opened by its address, before anything told the page the time.
        page.open(f"#/timeline/incident/{number}").sign_in("quay-lead", password)
        until(lambda: page.find("#replay-slider").count() == 1)
        length = float(page.find("#replay-slider").get_attribute("max"))
        assert 60 <= length <= 60 + time.monotonic() - began + slack, "the replay ends now, and begins a minute before"
        page.go("people")
        look_at_people(page, quay)
        page.go("incident", number)
        until(lambda: "due by" in page.text("#screen"))
        minutes, seconds = map(int, page.text("#muster-time").split(":"))
        assert abs(60 * minutes + seconds - (time.monotonic() - began)) < slack
        assert 300 < clock_time(page.text("#screen"), "due by ") < 601
        assert -300 < clock_time(page.text("#screen"), "Called at ") < 1
        look_at_a_link(page, off_page(off), server, number)
        page.go("timeline")
        until(lambda: page.texts("#timeline-events time"))
        assert all(re.fullmatch(r"\d\d:\d\d:\d\d", text) for text in page.texts("#timeline-events time")[:3])
        look_at_a_cut(page, server)
    finally:
        server.ask("POST", f"incidents/{number}/close", {"reason": "over"})


def look_at_people(page, phone):
    """Who was heard just now, since when they are safe, and when a check-in is due."""
    until(lambda: "Safe" in (page.row("quay-ann") or ""))
    assert re.search(heard_lately, page.row("quay-ann")), page.row("quay-ann")
    assert re.search(r"since \d\d:\d\d:\d\d", page.row("quay-ann")), page.row("quay-ann")
    due = clock_time(page.row("quay-ben"), "next check-in due ")
    assert -60 < due <= 1800
    # What comes later by the feed is of now, too.
    be_heard(phone)
    until(lambda: re.search(heard_lately, page.row("quay-ann") or ""))


def look_at_a_link(page, visitor, server, number):
    """A link says when it ends, and its page shows it until then."""
    made = server.ask("POST", "links", {"kind": "incident", "incident": number, "expiresSeconds": 3600})
    visitor.tab.goto(made["url"])
    until(lambda: "Drill" in visitor.text(".shared-incident") or visitor.text(".shared-incident"))
    assert abs(clock_time(visitor.text("#as-of"), "As of ")) < slack
    assert abs(clock_time(visitor.text(".link-foot"), "until ") - 3600) < 2 * slack
    assert ":" in visitor.text(".stopwatch") and visitor.text(".stopwatch").count(":") == 1
    assert not visitor.is_shown(".link-old")
    page.find("#links").click()
    until(lambda: "until " in page.text("#open-links"))
    assert abs(clock_time(page.text("#open-links"), "until ") - 3600) < 2 * slack
    page.tab.keyboard.press("Escape")


def look_at_a_cut(page, server):
    """A page that is cut off says since when, by the server's clock."""
    until(page.is_live)
    server.process.send_signal(signal.SIGSTOP)
    try:
        until(lambda: page.is_shown("#not-live"))
        assert -slack < clock_time(page.text("#not-live"), "Not live since ") < 1
        assert page.text("#connection").startswith("Not live since ")
    finally:
        server.process.send_signal(signal.SIGCONT)
    until(page.is_live)
    page.faults()


def test_a_clock_that_is_set_while_the_page_is_open_puts_nothing_off(off_page, quay):
    page = off_page(0).open().sign_in("quay-lead", password)
    for off in (hour, -day):
        set_clock(page, off)
        # Within a second the page asks the server for the time.
        until(lambda: abs(page.script("() => muster.serverNow") - datetime.now().timestamp() * 1000) < 3000)
        be_heard(quay)
        until(lambda: re.search(heard_lately, page.row("quay-ann") or ""))
    until(page.is_live)
    assert page.faults() == []


def test_a_day_that_ends_gives_the_times_of_the_day_before_their_day(off_page, server, quay):
    """The page takes the server's day, and with the next one draws what nobody else would draw again."""
    be_heard(quay)
    page = off_page(0)
    page.open().sign_in("quay-lead", password)
    until(lambda: page.texts("#events time"))
    assert all(re.fullmatch(r"\d\d:\d\d:\d\d", text) for text in page.texts("#events time")[:3])
    # The server's time comes with each answer about a team: it is a day later from now on.
    tomorrow = datetime.now() + timedelta(days=1)
    for worker in page.tab.workers:
        worker.evaluate("""() => { const ask = globalThis.fetch; globalThis.fetch = async (address, options) => {
            const response = await ask(address, options);
            if (!String(address).endsWith("/safety")) { return response; }
            const body = await response.json();
            body.at = new Date(Date.parse(body.at) + 86_400_000).toISOString();
            return Response.json(body); }; }""")
    set_clock(page, day)
    until(lambda: abs(page.script("() => muster.serverNow") - tomorrow.timestamp() * 1000) < 120_000)
    until(lambda: all(re.fullmatch(r"\d+ \w+ \d\d:\d\d:\d\d", text) for text in page.texts("#events time")[:3]))
    until(lambda: re.search(r"since \d+ \w+ \d\d:\d\d:\d\d", page.row("quay-ann") or ""))
    assert page.faults() == []
    assert server.process.poll() is None
