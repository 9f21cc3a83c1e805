"""The pages that links open, for somebody without an account: they show one thing, are honest about its age, keep the
secret to themselves, and show nothing once the link is over."""

import pytest

from accessible import faults_of
from live_page import LivePage
from live_server import box, until
from shared_links import Links, stamp_now

needs_map = True
west, south = 10.7460, 59.9480
secret = "ms_" + "s3cret-" * 6 + "x"
kiosk = {"kind": "visitors", "team": "harbour", "incident": {"number": 3, "kind": "real"}}


def person(**more):
    return {"kind": "person", "person": {
        "name": "Ann Lee", "state": "needsHelp", "source": "ownDeclaration", "since": stamp_now(600),
        "lastHeard": stamp_now(30),
        "position": {"latitude": south, "longitude": west, "accuracy": 8, "sampleTime": stamp_now(90)}, **more}}


def roll_of(count):
    states = [("unsafe", False, False), ("safe", False, True), ("safe", True, False)]
    people = []
    for number in range(count):
        state, accounted, checking = states[number % 3]
        people.append({"name": f"Person {number}", "crew": "Boats", "state": state, "source": "region",
                       "since": stamp_now(300), "accounted": accounted, "checking": checking,
                       **({"doubt": "stale"} if checking else {})})
    return people


def incident(count=30, **more):
    third = count // 3
    return {"kind": "incident", "team": "harbour", "incident": {
        "number": 3, "kind": "drill", "note": "hall 2", "startedTime": stamp_now(722),
        "counts": {"people": count, "accounted": third, "checking": third, "unaccounted": third},
        "roll": roll_of(count), "regions": {"type": "FeatureCollection", "features": [
            {**box("a", "Quay square", west, south), "id": None}]}, **more}}


@pytest.fixture
def opened(context, server):
    """Opens a page of a link; afterwards: the secret was in no address, and nothing else was asked of the API."""
    pages = []

    def open_page(name, links, seconds=None):
        page = LivePage(context, server)
        page.tab.clock.install()
        page.tab.route("**/api/v1/shared**", links.answer)
        page.tab.goto(f"{server.address}/console/{name}/index.html#{secret}")
        pages.append(page)
        page.requests = []
        return page
    yield open_page
    for page in pages:
        asked = [address for address in page._asked if not address.startswith("blob:")]
        assert asked and not [address for address in asked if secret in address.split("#")[0]]
        assert all("/api/v1/shared" in address for address in asked if "/api/" in address)
        assert not page.foreign_requests()


def until_later(page, what):
    """Lets the page's time pass until something is so: its next question comes when the one before was answered."""
    def look():
        page.tab.clock.run_for(1000)
        return what()
    return until(look)


def test_the_secret_leaves_the_address_and_goes_into_no_other(opened):
    links = Links(person())
    page = opened("share", links)
    until(lambda: page.text("#who") == "Ann Lee")
    assert secret not in page.tab.url and page.script("() => location.hash") == ""
    assert page.script("() => history.length") <= 2
    assert secret in page.script("() => JSON.stringify(sessionStorage)")
    assert secret not in page.script("() => JSON.stringify(localStorage) + document.cookie")
    assert all("referer" not in request.headers and "cookie" not in request.headers for request in links.seen)
    assert page.find("meta[name=robots]").get_attribute("content").startswith("noindex")
    assert page.find("a[href]:visible").count() == page.find(".maplibregl-ctrl-attrib a:visible").count()
    page.reload()
    until(lambda: page.text("#who") == "Ann Lee")
    assert page.faults() == []


def test_a_person_is_told_with_their_state_and_place_and_of_when_that_is(opened):
    page = opened("share", Links(person()))
    until(lambda: page.text("#who") == "Ann Lee")
    assert page.text(".shared-state") == "Needs help · own word"
    assert f"{south:.5f}, {west:.5f}, ±8 m" in page.text("#place") and "1 min ago" in page.text("#place")
    assert page.text("#as-of").startswith("As of ")
    assert faults_of(page) == []


def test_it_is_refreshed_by_itself_and_says_when_it_is_not(opened):
    links = Links(person())
    page = opened("share", links)
    until(lambda: page.text("#who"))
    until_later(page, lambda: links.seen[-1].headers.get("if-none-match") == 'W/"0"')
    links.show(person(state="safe", source="region", doubt="stale"))
    # A doubt is never said as safe.
    until_later(page, lambda: page.text(".shared-state .state").startswith("Checking"))
    links.is_gone = True
    until_later(page, lambda: page.text(".link-old").startswith("Not refreshed since"))
    assert page.text("#who") == "Ann Lee"
    assert faults_of(page) == []
    links.is_gone = False
    until_later(page, lambda: not page.is_shown(".link-old"))
    page.faults()


def test_the_moment_a_link_is_over_nothing_of_it_is_left(opened):
    links = Links(incident())
    page = opened("share", links)
    until(lambda: page.text("#what"))
    links.is_over = True
    until_later(page, lambda: page.text("main") == "This link is no longer valid.")
    content = page.tab.content()
    assert "Person" not in content and "harbour" not in content and "Quay" not in content
    assert secret not in page.script("() => JSON.stringify(sessionStorage)")
    asked = len(links.seen)
    page.tab.clock.run_for(60_000)
    assert len(links.seen) == asked
    assert faults_of(page) == []
    page.reload()
    until(lambda: page.text("main").startswith("This address is incomplete"))
    page.faults()


def test_an_incident_shows_first_whom_to_look_for_and_finds_a_name(opened):
    page = opened("share", Links(incident(360)))
    until(lambda: page.text("#what") == "DRILL – evacuation of harbour")
    assert page.text("#tally") == "120 of 360 accounted for, 120 checking, 120 unaccounted"
    assert page.texts(".shared-group h3") == ["120 unaccounted", "120 being checked", "120 accounted for"]
    assert page.texts(".stopwatch")[0].startswith("12:")
    group = page.find(".shared-group").first
    assert group.locator("li").count() == 100
    group.get_by_role("button", name="Show more").click()
    until(lambda: group.locator("li").count() == 120)
    page.find("#find").fill("person 359")
    until(lambda: page.texts(".shared-group .name") == ["Person 359 Boats"])
    page.find("#find").fill("")
    assert faults_of(page) == []


def test_a_visitor_is_put_on_the_list_and_the_page_is_the_next_persons(opened):
    links = Links(kiosk)
    page = opened("visit", links)
    until(lambda: page.is_shown("#visit-name"))
    assert faults_of(page) == []
    page.find("#visit-name").fill("Zoë  Åström ")
    page.find("#visit-note").fill("roofer")
    page.find("#visit").get_by_role("button", name="Put me on the list").click()
    until(lambda: page.text(".done").startswith("Zoë Åström, you are on the list, "))
    assert faults_of(page) == []
    assert [(visit["name"], visit["note"]) for visit in links.visitors] == [("Zoë Åström", "roofer")]
    page.tab.clock.run_for(10_100)
    until(lambda: page.is_shown("#visit-name"))
    assert page.find("#visit-name").input_value() == "" and page.find("#visit-note").input_value() == ""
    assert "Zoë" not in page.tab.content()
    assert page.script("() => JSON.stringify([sessionStorage, localStorage])").count("Zoë") == 0
    # What somebody typed and left behind is gone, too.
    page.find("#visit-name").fill("Somebody")
    page.tab.clock.run_for(91_000)
    until(lambda: page.find("#visit-name").input_value() == "")
    assert page.faults() == []


def test_an_entry_goes_through_once_though_the_server_does_not_answer_at_first(opened):
    links = Links(kiosk)
    page = opened("visit", links)
    until(lambda: page.is_shown("#visit-name"))
    failures, is_cut = [], [True]

    def fail_after(route):
        # The server has it, and its answer is lost.
        if is_cut:
            failures.append(route.request.post_data_json["id"])
            links.visitors = [route.request.post_data_json]
            route.abort()
        else:
            links.answer(route)
    page.tab.route("**/api/v1/shared/visitors", fail_after)
    page.find("#visit-name").fill("Ida")
    page.find("#visit button[type=submit]").click()
    until(lambda: "Your name goes onto the list as soon as it does" in page.text("#visit-waiting"))
    until_later(page, lambda: len(failures) >= 2)
    is_cut.clear()
    until_later(page, lambda: page.text(".done").startswith("Ida, "))
    assert len(links.visitors) == 1 and set(failures) == {links.visitors[0]["id"]}
    page.faults()


def test_without_an_incident_the_page_says_so_and_asks_when_one_begins(opened):
    links = Links({**kiosk, "incident": None})
    page = opened("visit", links)
    until(lambda: page.text("#closed").startswith("There is no evacuation now."))
    assert not page.is_shown("#visit-name")
    assert faults_of(page) == []
    links.show(kiosk)
    until_later(page, lambda: page.is_shown("#visit-name"))
    links.refusal = 409, "No incident of harbour is open."
    page.find("#visit-name").fill("Ida")
    page.find("#visit button[type=submit]").click()
    until(lambda: page.text("#visit-fault") == "You are not on the list: No incident of harbour is open.")
    assert page.find("#visit-name").input_value() == "Ida"
    page.faults()


def test_the_pages_are_in_the_language_of_the_browser_and_offer_others(browsers, server):
    context = browsers.context(with_webgl=False, locale="ja-JP")
    try:
        page = LivePage(context, server)
        page.tab.route("**/api/v1/shared**", Links(kiosk).answer)
        page.tab.goto(f"{server.address}/console/visit/index.html#{secret}")
        until(lambda: "お名前" in page.text(".visit h2"))
        page.find("#visit-name").fill("葵")
        page.find(".link-head select").select_option("es")
        until(lambda: "escriba su nombre" in page.text(".visit h2"))
        assert page.script("() => document.documentElement.lang") == "es"
        assert page.find("#visit-name").input_value() == "葵"
    finally:
        context.close()
