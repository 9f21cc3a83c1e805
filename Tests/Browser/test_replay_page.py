"""The replay of a recorded hour, against its truth: who was where, and how, and what it says of itself."""

import random
from datetime import datetime, timedelta, timezone
from urllib.parse import parse_qs, urlsplit

import pytest

from accessible import faults_of
from live_server import box, password, stamp, until

needs_map = True
west, south = 10.7460, 59.9580
inside, outside = (west + 0.001, south + 0.0005), (west + 0.01, south)


@pytest.fixture(scope="module")
def hour(server):
    """What the phones of a team reported: by person, (time, longitude, latitude). Quay's has a gap of 20 minutes."""
    server.make_team("pier", [box("sq", "Pier square", west, south, muster=True)])
    server.make_user("pier-lead", "leader", "pier")
    server.ask("POST", "teams/pier/crews", {"name": "Boats"})
    begin = datetime.now(timezone.utc) - timedelta(minutes=55)
    seeded, tracks = random.Random(11), {}
    for name in ("pier-ann", "pier-ben", "pier-quay"):
        phone = server.make_member(name, "pier")
        track = []
        for second in range(0, 50 * 60, 20):
            if name == "pier-quay" and 10 * 60 < second < 30 * 60:
                continue
            moment = begin + timedelta(seconds=second + seeded.randrange(15))
            moment = moment.replace(microsecond=moment.microsecond // 1000 * 1000)
            track.append((moment, round(west + seeded.random() / 100, 6), round(south + seeded.random() / 100, 6)))
        server.ask("POST", "positions", [phone.fix(place, moment) for moment, *place in track], phone.token)
        tracks[name] = track
    server.ask("PATCH", "users/pier-ann", {"crew": "Boats"})
    return tracks


@pytest.fixture
def replay(page, server, hour):
    """A page of the leader; what it asks of the history is recorded."""
    page.asked = []
    page.tab.on("request", lambda request: "/history?" in request.url and page.asked.append(times_of(request.url)))
    page.open().sign_in("pier-lead", password)
    yield page


def times_of(address):
    query = parse_qs(urlsplit(address).query)
    return [datetime.fromisoformat(query[name][0].replace("Z", "+00:00")) for name in ("from", "to")]


def go_to(page, moment, span="hour"):
    # The page is where the address says: a second replay is another one.
    page.go("timeline", "at", stamp(moment), span, "pier")
    until(lambda: shown_time(page) == moment.replace(microsecond=0) and shown(page) is not None)


def shown_time(page):
    text = page.script("() => document.querySelector('.replay-banner time')?.dateTime")
    return text and datetime.fromisoformat(text.replace("Z", "+00:00")).replace(microsecond=0)


def shown(page):
    """Who stands where, and how, on the map: by person, (time of the fix, longitude, latitude); None while the moment
    is on its way."""
    return page.script("""() => {
        const state = document.querySelector(".replay-state");
        if (!state || state.dataset.isWaiting !== undefined) { return null; }
        return Object.fromEntries([...muster.shown?.members ?? []].map(([user, { positions, state, fade }]) => [user, {
            state, fade, at: [...positions.values()].map(({ sampleTime, longitude, latitude }) => (
                [sampleTime, longitude, latitude])) }]));
    }""")


def state_shown(page, user):
    """The state of a person in the moment that is shown; none while it is on its way."""
    return ((shown(page) or {}).get(user) or {}).get("state")


def truth(tracks, moment):
    """The last fix of each person that is not after the moment."""
    last = {name: [fix for fix in track if fix[0] <= moment][-1:] for name, track in tracks.items()}
    return {name: [[stamp(time), longitude, latitude] for time, longitude, latitude in fixes]
            for name, fixes in last.items()}


def matches(page, tracks, *moments):
    """Whether all stand where they stood at one of these moments."""
    found = shown(page)
    return found and {name: found[name]["at"] for name in tracks} in [truth(tracks, moment) for moment in moments]


def seek(page, seconds):
    """Moves the slider, and answers the time that is then shown."""
    page.find("#replay-slider").evaluate(
        "(slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input', { bubbles: true })); }",
        str(seconds))
    until(lambda: page.find("#replay-slider").input_value() == str(seconds))
    return until(lambda: shown_time(page))


def test_at_each_moment_everybody_stands_where_the_record_has_them(replay, hour):
    begin = hour["pier-ann"][0][0]
    opened = datetime.now(timezone.utc) - timedelta(seconds=5)
    for minutes in (1, 25, 49):
        moment = (begin + timedelta(minutes=minutes)).replace(microsecond=0)
        go_to(replay, moment)
        until(lambda: matches(replay, hour, moment))
    # Within the hour the slider goes anywhere, forward and back.
    first = moment.replace(minute=0, second=0)
    for seconds in (30, 1800, 900, 1799):
        at = first + timedelta(seconds=seconds)
        if at < opened:
            seek(replay, seconds)
            until(lambda: matches(replay, hour, at))
    assert replay.asked and all((end - start) <= timedelta(minutes=15) for start, end in replay.asked)


def test_a_gap_is_not_filled_and_the_mark_fades(replay, hour):
    gap = hour["pier-quay"][0][0] + timedelta(minutes=20)
    go_to(replay, gap.replace(microsecond=0))
    until(lambda: matches(replay, hour, gap.replace(microsecond=0)))
    found = until(lambda: shown(replay))
    assert found["pier-quay"]["fade"] < 0.6 and found["pier-ann"]["fade"] is None


def test_it_says_that_it_is_not_now_and_calls_of_now_stand_above_it(replay, server, hour):
    go_to(replay, (hour["pier-ann"][0][0] + timedelta(minutes=5)).replace(microsecond=0))
    words = ("Replay of", str(hour["pier-ann"][0][0].year), "the past")
    until(lambda: all(each in replay.text(".replay-banner") for each in words))
    server.ask("POST", "users/pier-ben/declarations", {"kind": "sos"})
    try:
        until(lambda: "pier-ben" in replay.text("#alarms"))
        box_of = lambda selector: replay.find(selector).bounding_box()
        assert box_of("#alarms")["y"] < box_of(".replay-banner")["y"]
        # The call of now is not in the past.
        assert until(lambda: state_shown(replay, "pier-ben")) == "unknown"
    finally:
        server.ask("POST", "users/pier-ben/declarations", {"kind": "clear"})
    replay.find(".replay-banner").get_by_role("link", name="End the replay").click()
    until(lambda: not replay.is_shown(".replay"))


def test_it_is_played_and_stepped_by_the_keyboard(replay, hour):
    start = (hour["pier-ann"][0][0] + timedelta(minutes=5)).replace(microsecond=0)
    # A replay of an hour ends with the hour, or now: some minutes of it are before the start, and many after it.
    while not 2 <= start.minute < 40:
        start += timedelta(minutes=1)
    go_to(replay, start)
    replay.tab.keyboard.press("ArrowRight")
    until(lambda: shown_time(replay) == start + timedelta(seconds=10))
    replay.tab.keyboard.press("Shift+ArrowLeft")
    until(lambda: shown_time(replay) == start - timedelta(seconds=50))
    replay.find("#replay-speed").select_option("30")
    replay.find(".replay-banner").click()
    replay.tab.keyboard.press("Space")
    until(lambda: shown_time(replay) > start + timedelta(seconds=30))
    until(lambda: replay.text("#replay-play") == "Pause")
    replay.tab.keyboard.press("Space")
    until(lambda: replay.text("#replay-play") == "Play")
    stopped = shown_time(replay)
    replay.tab.wait_for_timeout(300)
    assert shown_time(replay) == stopped
    # The page shows whole seconds.
    within = [moment for track in hour.values() for moment, *_ in track
              if stopped < moment < stopped + timedelta(seconds=1)]
    until(lambda: matches(replay, hour, stopped, *within))
    replay.tab.keyboard.press("Home")
    until(lambda: shown_time(replay).minute == 0 and shown_time(replay).second == 0)


def test_a_crew_is_shown_alone_and_a_person_is_drawn_and_told(replay, hour):
    moment = (hour["pier-ann"][0][0] + timedelta(minutes=40)).replace(microsecond=0)
    go_to(replay, moment)
    until(lambda: matches(replay, hour, moment))
    replay.find("#replay-crew").select_option(label="Boats")
    until(lambda: list(shown(replay) or []) == ["pier-ann"])
    [[_, longitude, latitude]] = truth(hour, moment)["pier-ann"]
    drawn = until(lambda: replay.drawn("pier-ann"))
    assert drawn[0]["coordinates"] == pytest.approx([longitude, latitude], abs=1e-4)


def test_an_incident_is_replayed_with_its_states(replay, server, hour):
    number = server.ask("POST", "teams/pier/incidents", {"kind": "drill"})["number"]
    server.ask("POST", "users/pier-ann/declarations", {"kind": "needsHelp"})
    server.ask("POST", "users/pier-ann/declarations", {"kind": "clear"})
    server.ask("POST", "users/pier-ann/declarations", {"kind": "offSite"})
    server.ask("POST", f"incidents/{number}/close", {"reason": "over"})
    until(lambda: replay.is_shown("#closed"))
    replay.go("timeline", "incident", number)
    until(lambda: "DRILL" in replay.text(".replay-banner") and shown(replay) is not None)
    replay.tab.keyboard.press("End")
    until(lambda: all(words in replay.text("#replay-happened")
                      for words in ("pier-ann: Off site", "DRILL – evacuation started")))
    until(lambda: state_shown(replay, "pier-ann") == "offSite")
    # A line goes to its moment, and chooses its person.
    replay.find("#replay-happened").get_by_role("button", name="pier-ann: Needs help").click()
    until(lambda: state_shown(replay, "pier-ann") == "needsHelp")
    until(lambda: "pier-ann" in replay.text("#replay-picked") and "Needs help" in replay.text("#replay-picked"))


def test_what_the_server_does_not_have_or_refuses_is_said(page, server, hour):
    answers = {"status": 503, "json": {"detail": "busy"}}
    page.tab.route("**/api/v1/teams/*/history*", lambda route: route.fulfill(**answers))
    page.open().sign_in("pier-lead", password)
    page.tab.goto(f"{server.address}/#/timeline/at/{stamp(hour['pier-ann'][5][0])}/hour/pier")
    until(lambda: "The server is busy" in page.text(".replay .fault"))
    answers.clear()
    now = hour["pier-ann"][5][0]
    answers.update(json={
        "from": stamp(now), "to": stamp(now + timedelta(minutes=5)), "people": ["pier-ann"], "devices": [], "start": [],
        "fixes": {name: [] for name in ("device", "t", "latitude", "longitude", "accuracy")},
        "states": {"start": [], "changes": []}, "isComplete": False, "gaps": ["What is older is deleted."]})
    page.find(".replay .fault").get_by_role("button", name="Try again").click()
    until(lambda: "What is older is deleted." in page.text(".replay-state"))
    assert "Nobody’s place is known" in page.text(".replay-state")
    page.faults()
    page.tab.goto(f"{server.address}/#/timeline/incident/99999")
    until(lambda: "no longer there" in page.text(".replay-side .fault"))
    page.faults()


def test_the_timeline_and_a_replay_are_clean(replay, hour):
    replay.tab.goto(f"{replay.server.address}/#/timeline")
    until(lambda: replay.texts("#timeline-events li"))
    assert faults_of(replay) == []
    replay.set_view(1280, 800)
    moment = (hour["pier-ann"][0][0] + timedelta(minutes=40)).replace(microsecond=0)
    go_to(replay, moment)
    until(lambda: matches(replay, hour, moment))
    assert faults_of(replay) == []
