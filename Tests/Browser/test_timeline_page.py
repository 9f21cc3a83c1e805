"""The timeline: events as they happen and as far back as the server keeps them, and the ways to whom they are about."""

from datetime import datetime, timedelta, timezone

import pytest

from accessible import texts_without_room
from live_server import box, password, until

west, south = 10.7460, 59.9380
inside, outside = (west + 0.001, south + 0.0005), (west + 0.01, south)


@pytest.fixture(scope="module")
def lock(server):
    """A team of which something happened long ago, and then nothing but movements, by the thousand."""
    server.make_team("lock", [box("sq", "Lock square", west, south, muster=True)])
    server.make_user("lock-lead", "leader", "lock")
    server.ask("POST", "teams/lock/crews", {"name": "Engine 3"})
    phones = {name: server.make_member(f"lock-{name}", "lock") for name in ("ann", "ben")}
    server.ask("PATCH", "users/lock-ann", {"crew": "Engine 3"})
    server.ask("POST", "users/lock-ann/declarations", {"kind": "offSite"})
    phone = phones["ben"]
    begin = datetime.now(timezone.utc) - timedelta(hours=2)
    for part in range(2):
        fixes = [phone.fix((outside[0] + 0.0001 * (second % 7), outside[1]), begin + timedelta(seconds=second * 2))
                 for second in range(part * 900, part * 900 + 900)]
        server.ask("POST", "positions", fixes, phone.token)
    return phones


@pytest.fixture
def timeline(page, server, lock):
    page.open().sign_in("lock-lead", password)
    page.find(".screens").get_by_role("link", name="Timeline").click()
    until(lambda: "This is the beginning." in page.text(".timeline-foot"))
    return page


def lines(page):
    return page.texts("#timeline-events .what")


def test_what_happened_long_ago_is_found_behind_thousands_of_movements(timeline):
    assert "lock-ann is marked off site by admin" in lines(timeline)
    assert not timeline.is_shown(".timeline-foot button")


def test_what_happens_is_listed_at_once_and_also_what_happened_during_a_cut(timeline, server, lock):
    server.ask("POST", "users/lock-ann/declarations", {"kind": "needsHelp"})
    until(lambda: any(line.startswith("lock-ann needs help") for line in lines(timeline)[:1]))
    server.kill()
    until(lambda: not timeline.is_live())
    server.start()
    server.ask("POST", "users/lock-ann/declarations", {"kind": "clear"})
    server.ask("POST", "users/lock-ben/declarations", {"kind": "offSite"})
    until(timeline.is_live, seconds=60)
    until(lambda: "lock-ben is marked off site by admin" in lines(timeline))
    sequences = timeline.script(
        "() => [...document.querySelectorAll('#timeline-events li')].map((line) => Number(line.dataset.sequence))")
    assert sequences == sorted(set(sequences), reverse=True)
    timeline.faults()


def test_events_are_filtered_by_kind_person_crew_and_region_and_the_filter_stays(timeline, server, lock):
    server.ask("POST", "users/lock-ann/declarations", {"kind": "clear"})
    lock["ann"].stay(inside)
    # What these reports lead to comes in turn; nothing else happens afterwards.
    until(lambda: lines(timeline)[:1] == ["lock-ann is safe in Lock square"])
    assert any("lock-ann entered Lock square" in line for line in lines(timeline))
    timeline.find("#filter-kind").select_option(label="Regions entered and left")
    until(lambda: lines(timeline) and all("entered" in line or "left" in line for line in lines(timeline)))
    timeline.find("#filter-kind").select_option(label="All kinds")
    timeline.find("#filter-group").select_option(label="Engine 3")
    until(lambda: lines(timeline) and all(line.startswith("lock-ann") for line in lines(timeline)))
    timeline.find("#filter-region").select_option(label="Lock square")
    until(lambda: lines(timeline) and all("Lock square" in line for line in lines(timeline)))
    shown = lines(timeline)
    timeline.find("#filter-person").fill("ben")
    until(lambda: lines(timeline) == [] and "No such event" in timeline.text(".timeline-foot"))
    timeline.find("#filter-person").fill("ANN")
    until(lambda: lines(timeline) == shown)
    timeline.find(".screens").get_by_role("link", name="People").click()
    until(lambda: not timeline.is_shown("#timeline-events"))
    timeline.find(".screens").get_by_role("link", name="Timeline").click()
    until(lambda: lines(timeline) == shown)
    timeline.find(".filters").get_by_role("button", name="Show all").click()
    until(lambda: len(lines(timeline)) > len(shown))


def test_a_click_goes_to_the_person_and_to_the_incident_and_a_time_to_its_replay(timeline, server):
    number = server.ask("POST", "teams/lock/incidents", {"kind": "drill"})["number"]
    server.ask("POST", f"incidents/{number}/close", {"reason": "over"})
    started = timeline.find("#timeline-events a.what", ).filter(has_text="DRILL – evacuation started")
    until(lambda: started.count() == 1)
    assert started.get_attribute("href") == f"#/incident/{number}"
    newest = timeline.find(".replay-incidents a").first
    until(lambda: newest.get_attribute("href") == f"#/timeline/incident/{number}")
    person = timeline.find("#timeline-events a.what").filter(has_text="lock-ann is marked off site by admin").first
    person.click()
    until(lambda: timeline.text("#person-name") == "lock-ann" and timeline.tab.url.endswith("#/people"))
    timeline.tab.go_back()
    until(lambda: lines(timeline))
    line = timeline.find("#timeline-events li").filter(has_text="lock-ann is marked off site by admin").first
    line.locator(".when").click()
    until(lambda: timeline.is_shown(".replay-banner") and timeline.tab.url.endswith("/hour/lock"))
    assert "/timeline/at/20" in timeline.tab.url
    timeline.faults()


def test_a_replay_is_opened_anew_at_its_address_and_its_texts_fit_in_every_language(timeline, server, lock):
    moment = datetime.now(timezone.utc).replace(microsecond=0) - timedelta(minutes=90)
    address = f"{server.address}/#/timeline/at/{moment.isoformat().replace('+00:00', 'Z')}/hour/lock"
    timeline.tab.goto(address)
    for language in ("es", "ja", "zh", "en"):
        timeline.set_view(1280, 800)
        timeline.find("#language").select_option(language)
        until(lambda: timeline.script("() => document.documentElement.lang") == language)
        timeline.reload()
        until(lambda: timeline.script("() => document.querySelector('.replay-banner time')?.dateTime") is not None
              and timeline.text(".replay-state") == "" and timeline.is_shown("#connection[data-state=live]"))
        shown = timeline.find(".replay-banner time").get_attribute("datetime")
        assert datetime.fromisoformat(shown.replace("Z", "+00:00")) == moment
        assert texts_without_room(timeline) == [], language
