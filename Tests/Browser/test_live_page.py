"""The live page against a real server, from signing in to a cut connection."""

import os
import pathlib
import re
import time
from datetime import datetime, timedelta, timezone

import pytest
import requests

from live_page import LivePage
from live_server import box, password, until

needs_map = True

inside_a = (10.7470, 59.9085)
inside_tank = (10.7500, 59.9105)
outside = (10.7440, 59.9075)


def test_people_turn_green_and_neutral_as_they_cross_without_an_incident(page, server):
    alice = server.make_member("alice", "north")
    page.open().sign_in()
    assert "Unknown" in until(lambda: page.row("alice"))
    before = page.counts()

    alice.stay(inside_a)
    until(lambda: page.row_has("alice", "Safe", "Assembly point A", "since", "heard"))
    until(lambda: page.counts()["safe"] == before["safe"] + 1)
    until(lambda: ["alice entered Assembly point A" for _, text in page.events() if text.startswith("alice entered")])
    until(lambda: any(drawn["state"] == "safe" for drawn in page.drawn("alice")))

    alice.stay(outside)
    until(lambda: "Located" in (page.row("alice") or ""))
    until(lambda: any(text == "alice left Assembly point A" for _, text in page.events()))
    until(lambda: [drawn["coordinates"] for drawn in page.drawn("alice") if drawn["state"] == "located"]
          == [pytest.approx(outside, abs=1e-4)])


def test_a_marker_moves_with_its_device(page, server):
    bob = server.make_member("bob", "north")
    page.open().sign_in()
    for place in (inside_tank, inside_a):
        bob.stay(place)
        # A map that has just opened is seen from afar, where places are rounded.
        until(lambda: [drawn["coordinates"] for drawn in page.drawn("bob")] == [pytest.approx(place, abs=1e-4)])


def test_a_late_position_moves_nobody(page, server):
    late = server.make_member("late", "north")
    late.stay(inside_a)
    page.open().sign_in()
    until(lambda: "Safe" in (page.row("late") or ""))
    sampled = late.sampled
    late.report(outside, seconds_later=-8)
    late.sampled = sampled
    # What follows in the log is shown: so the late one was taken before it.
    late.report(inside_a)
    until(lambda: server.changes(0)[-1]["sequence"] == page.script("() => muster.state.sequence"))
    # The list is drawn a moment after the state is taken, and so is the map.
    page.script("() => new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)))")
    assert "Safe" in until(lambda: page.row("late"))
    until(lambda: [drawn["coordinates"] for drawn in page.drawn("late")] == [pytest.approx(inside_a, abs=1e-4)])


@pytest.mark.without_map
def test_a_fence_crossed_an_hour_ago_is_shown_as_past_and_raises_no_alarm(page, server):
    back = server.make_member("back", "north")
    page.open().sign_in()
    until(lambda: page.row("back"))
    back.sampled = datetime.now(timezone.utc) - timedelta(minutes=65)
    for place in (outside, inside_a, inside_a, outside):
        back.report(place)
    past = until(lambda: len(found := page.script(
        "() => [...document.querySelectorAll('#events li[data-past]')].filter((line) =>"
        " line.querySelector('.what').textContent.startsWith('back ')).map((line) =>"
        " line.querySelector('.what').textContent + line.querySelector('.late').textContent)")) > 1 and found)
    for told, words in zip(past, ("left", "entered"), strict=True):
        assert re.fullmatch(f"back {words} Assembly point A, heard of 6[45] min later", told)
    assert "Unknown" in until(lambda: page.row("back"))
    assert not page.is_shown("#alarms")


@pytest.mark.without_map
def test_markup_in_a_name_is_shown_as_text(page, server):
    name = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
    server.make_team("markup", [box("m", name, 10.7600, 59.9080, muster=True)])
    member = server.make_member("mallory", "markup")
    page.open().sign_in()
    member.stay((10.7610, 59.9085))
    until(lambda: name in (page.row("mallory") or ""))
    until(lambda: any(text == f"mallory entered {name}" for _, text in page.events()))
    assert "owned" not in page.title
    assert page.find("#live img[src='x'], #live script").count() == 0


@pytest.mark.without_map
def test_a_cut_feed_resumes_without_a_gap_or_a_double(page, server):
    carla = server.make_member("carla", "north")
    page.open().sign_in()
    start = server.changes(0)[-1]["sequence"]
    carla.stay(inside_a)
    until(lambda: "Safe" in (page.row("carla") or ""))

    server.kill()
    until(lambda: page.text("#connection").startswith("Not live since"))
    server.start()
    # These are in the log before the page is back.
    carla.stay(outside)
    carla.stay(inside_tank)
    carla.stay(inside_a)
    until(page.is_live, seconds=60)

    expected = [change["sequence"] for change in server.changes(start) if change["type"] in ("crossing", "safety")]
    assert len(expected) >= 6
    until(lambda: [sequence for sequence, _ in page.events()[:1]] == expected[-1:])
    shown = [sequence for sequence, _ in page.events() if sequence > start]
    assert shown == expected[::-1]
    until(lambda: "Safe" in (page.row("carla") or ""))
    # The cut itself is the browser's to complain about, and nothing else is.
    faults = page.faults()
    # The map logs a tile that it did not get by the name of its error.
    assert all(server.address in fault and ("ERR_" in fault or "maplibre" in fault) for fault in faults), faults


@pytest.mark.without_map
def test_a_reload_stays_signed_in_and_signing_out_does_not(page):
    page.open().sign_in()
    for _ in range(2):
        page.reload()
        until(page.is_live)
    page.find("#sign-out").click()
    until(lambda: page.is_shown("#sign-in"))
    page.reload()
    until(lambda: page.is_shown("#sign-in"))
    stored = page.script("() => JSON.stringify([{...sessionStorage}, {...localStorage}])")
    assert stored == "[{},{}]"


@pytest.mark.without_map
def test_a_copied_tab_does_not_end_the_first_ones_session(page):
    page.open().sign_in()
    stored = page.script("() => sessionStorage.getItem('muster.session')")
    copy = LivePage(page.context, page.server).open()
    copy.script("(stored) => sessionStorage.setItem('muster.session', stored)", stored)
    copy.reload()
    until(lambda: copy.is_shown("#sign-in"))
    copy.close()
    page.reload()
    until(page.is_live)


def test_a_wrong_password_is_refused_with_an_explanation(page):
    page.open().try_to_sign_in("admin", "wrong")
    until(lambda: page.text("#sign-in-error") == "The name or the password is wrong.")
    assert "401" in " ".join(page.faults())


def test_a_one_time_code_leaves_the_address_at_once(page):
    page.open("#demo=no-such-code")
    until(lambda: "link was used" in page.text("#sign-in-error"))
    assert page.tab.url == f"{page.server.address}/"
    assert "401" in " ".join(page.faults())


@pytest.mark.without_map
def test_a_new_member_and_a_new_region_appear_by_themselves(page, server):
    page.open().sign_in()
    dora = server.make_member("dora", "north")
    until(lambda: page.row("dora"))
    server.ask("POST", "collections/north-site/regions", box("c", "Assembly point C", 10.7660, 59.9120, muster=True))
    until(lambda: page.script("() => muster.state.regions.has('north-site/c')"))
    dora.stay((10.7670, 59.9125))
    until(lambda: "Assembly point C" in (page.row("dora") or ""))


@pytest.mark.without_map
@pytest.mark.parametrize("role, sees_team", [("leader", True), ("member", False)])
def test_each_role_sees_what_it_may_and_no_more(page, server, role, sees_team):
    own, other = f"own-{role}", f"other-{role}"
    server.make_team(own, [box("p", "Their own point", 10.7600, 59.9120, muster=True)])
    server.make_team(other, [])
    server.make_member(f"mate-{role}", own).stay((10.7610, 59.9125))
    server.make_member(f"stranger-{role}", other).stay(inside_tank)
    server.make_user(f"the-{role}", role, own)
    page.open().sign_in(f"the-{role}", password)
    until(lambda: page.row(f"the-{role}"))
    if sees_team:
        until(lambda: "Their own point" in (page.row(f"mate-{role}") or ""))
    else:
        assert page.row(f"mate-{role}") is None
        assert all(f"mate-{role}" not in text for _, text in page.events())
    assert page.row(f"stranger-{role}") is None
    assert all(f"stranger-{role}" not in text for _, text in page.events())


def test_the_keyboard_reaches_the_counts_and_the_people(page, server):
    server.make_member("karl", "north").stay(inside_tank)
    page.open().sign_in()
    until(lambda: "Located" in (page.row("karl") or ""))
    safe = page.find('#counts button[data-state="safe"]')
    safe.press("Space")
    until(lambda: safe.get_attribute("aria-pressed") == "true")
    until(lambda: page.row("karl") is None)
    safe.press("Space")
    until(lambda: page.row("karl"))
    page.row_of("karl").locator(".person").press("Enter")
    # Also when the map was not there yet.
    until(lambda: page.script("() => muster.centre()") == pytest.approx(inside_tank, abs=1e-3))


def test_without_webgl_the_list_and_the_events_still_work(browsers, server):
    erin = server.make_member("erin", "north")
    plain = browsers.context(with_webgl=False)
    try:
        page = LivePage(plain, server).open().sign_in()
        until(lambda: "WebGL" in page.text("#map-message"))
        erin.stay(inside_a)
        until(lambda: "Safe" in (page.row("erin") or ""))
        until(lambda: any(text == "erin entered Assembly point A" for _, text in page.events()))
        server.make_member("frida", "north")
        until(lambda: page.row("frida"))
        page.row_of("frida").locator(".person").click()
        until(lambda: page.text("#notice") == "Nobody knows yet where frida is.")
    finally:
        plain.close()


def test_two_maps_that_open_at_once_share_one_library(page):
    page.open()
    assert page.script("""async () => {
        const { loadGround } = await import("./console/map/ground.js");
        const [one, other] = await Promise.all([loadGround(), loadGround()]);
        return [one.maplibre === other.maplibre, document.querySelectorAll("script[src*=maplibre]").length];
    }""") == [True, 1]


def test_the_page_may_run_nothing_but_its_own_scripts(server):
    response = requests.get(f"{server.address}/", headers={"Accept": "text/html"}, timeout=60)
    policy = response.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "script-src 'self'" in policy
    assert "unsafe" not in policy.replace("'wasm-unsafe-eval'", "")
    assert "<script>" not in response.text and "style=" not in response.text


@pytest.mark.skipif(
    "MUSTER_SCREENSHOTS" not in os.environ, reason="for a person to look at: set MUSTER_SCREENSHOTS to a folder")
def test_pictures_of_the_page(page, server):
    folder = pathlib.Path(os.environ["MUSTER_SCREENSHOTS"])
    folder.mkdir(parents=True, exist_ok=True)
    page.open().sign_in()
    for name, view in {
        "desktop-light": (1280, 800, False), "desktop-dark": (1280, 800, True),
        "phone-light": (390, 844, False), "phone-dark": (390, 844, True),
    }.items():
        page.set_view(*view)
        page.reload()
        until(page.is_live)
        until(lambda: page.drawn("alice"))
        time.sleep(1)  # The picture is for a person: let the labels settle.
        page.save_picture(folder / f"{name}.png")
    page.set_view(1280, 800)
