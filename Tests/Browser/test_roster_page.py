"""The roster of many people: by keyboard, by search, in crews, and one of them in full."""

import re

import pytest

from live_page import LivePage
from live_server import LiveServer, box, password, until

west, south = 10.7460, 59.7980
people_count = 300
hostile = {
    "of markup": "<img src=x onerror=\"document.title='owned'\"><b>",
    "that turns words": "\u202egnp.exe \u2066נועה",
    "too wide": "W" * 190,
    "of stacked signs": "Z" + "\u0351\u0352\u0353\u0354" * 12,
}


@pytest.fixture(scope="module")
def crowd(tmp_path_factory):
    """A server with 300 people in a team of two crews, in a drill."""
    server = LiveServer(tmp_path_factory.mktemp("crowd"))
    server.start()
    try:
        server.make_team("crowd", [box("sq", "Harbour square", west, south, muster=True)])
        server.make_user("lead", "leader", "crowd")
        for crew in ("Amber", "Blue"):
            server.ask("POST", "teams/crowd/crews", {"name": crew})
        for number in range(people_count - 1):
            crew = {0: "Amber", 1: "Blue"}.get(number % 3)
            server.ask("POST", "users", {
                "name": f"p{number:03}", "role": "member", "team": "crowd", "phone": f"+47 22 00 {number:04}",
                **({"crew": crew} if crew else {})})
        server.ask("POST", "teams/crowd/incidents", {"kind": "drill"})
        yield server
    finally:
        server.stop()


@pytest.fixture
def page(context, crowd):
    page = LivePage(context, crowd).open().sign_in("lead", password)
    until(lambda: row_count(page) == people_count)
    yield page
    assert not page.faults() and not page.foreign_requests()


def row_count(page):
    return page.script("() => Number(document.querySelector('#list')?.getAttribute('aria-rowcount'))")


def focused(page):
    """Whose row has the focus, and which it is of all."""
    return page.script("""() => {
        const row = document.activeElement?.closest("#list .row");
        return row && [row.dataset.user, Number(row.getAttribute("aria-rowindex"))];
    }""")


def key(page, *names):
    for name in names:
        page.tab.keyboard.press(name)


def shown_rows(page):
    """Names of the rows on the screen, from above, with their indices."""
    return page.script("""() => {
        const list = document.querySelector("#list").getBoundingClientRect();
        return [...document.querySelectorAll("#list .row")]
            .map((row) => [
                row.getBoundingClientRect().top, row.dataset.user, Number(row.getAttribute("aria-rowindex"))])
            .filter(([top]) => top >= list.top - 1 && top < list.bottom)
            .sort(([left], [right]) => left - right).map(([, user, index]) => [user, index]);
    }""")


def test_of_300_people_only_those_in_sight_are_drawn_and_the_indices_are_true(page):
    assert page.script("() => document.querySelectorAll('*').length") < 3000
    drawn = set()
    for part in range(8):
        page.script("(part) => { const list = document.querySelector('#list');"
                    " list.scrollTop = part / 7 * (list.scrollHeight - list.clientHeight); }", part)
        rows = until(lambda: len(shown_rows(page)) >= 2 and shown_rows(page))
        indices = [index for _, index in rows]
        assert indices == list(range(indices[0], indices[0] + len(rows)))
        drawn.update(indices)
        assert page.script("() => document.querySelectorAll('#list .row').length") < 40
    assert 1 in drawn and people_count in drawn


def test_the_keys_go_to_the_search_to_the_rows_and_to_a_person_and_back(page):
    key(page, "/")
    assert page.script("() => document.activeElement.id") == "search"
    key(page, "/")
    assert page.find("#search").input_value() == "/", "in a field a slash is a slash"
    page.find("#search").fill("")
    until(lambda: row_count(page) == people_count)
    page.find("#list .person[tabindex='0']").focus()
    first = focused(page)
    assert first[1] == 1
    key(page, "ArrowDown", "ArrowDown")
    assert focused(page)[1] == 3
    key(page, "ArrowUp")
    assert focused(page)[1] == 2
    key(page, "PageDown")
    after_page = focused(page)[1]
    assert 3 < after_page < 12 and after_page in [index for _, index in shown_rows(page)]
    key(page, "End")
    assert focused(page)[1] == people_count
    assert shown_rows(page)[-1][1] == people_count
    key(page, "PageUp", "PageDown", "ArrowDown")
    assert focused(page)[1] == people_count
    key(page, "Home")
    assert focused(page) == first
    key(page, "ArrowDown")
    chosen = focused(page)
    key(page, "Enter")
    until(lambda: page.text("#person-name") == chosen[0])
    assert focused(page) == chosen, "the keys go on from the row"
    key(page, "Escape")
    until(lambda: not page.is_shown("#person"))
    assert focused(page) == chosen
    key(page, "Enter")
    until(lambda: page.is_shown("#person"))
    page.find("#person-close").focus()
    key(page, "Escape")
    until(lambda: not page.is_shown("#person"))
    assert focused(page) == chosen


def test_the_first_tab_stop_skips_to_the_list_of_people(page):
    page.reload()
    until(lambda: row_count(page) == people_count)
    key(page, "Tab")
    assert page.script("() => document.activeElement.className") == "skip"
    assert page.script("() => document.activeElement.getBoundingClientRect().top") >= 0
    key(page, "Enter", "Tab")
    assert focused(page)[1] == 1
    # One row is a stop, with its buttons; the keys lead to the others.
    assert page.find("#list .person[tabindex='0']").count() == 1
    key(page, "Tab", "Tab")
    assert focused(page) is None


def test_the_focus_stays_on_a_person_who_moves_through_the_order(page, crowd):
    page.find("#list .person[tabindex='0']").focus()
    key(page, "ArrowDown", "ArrowDown")
    user, index = focused(page)
    crowd.ask("POST", f"users/{user}/declarations", {"kind": "safe"})
    until(lambda: focused(page) and focused(page)[1] > 200)
    assert focused(page)[0] == user
    assert [index for _, index in shown_rows(page)][0] == 1, "the list stays where it was"
    crowd.ask("POST", f"users/{user}/declarations", {"kind": "clear"})
    # Of those alike this one has waited the shortest time, and so comes last.
    until(lambda: "Unknown" in (page.row(user) or "") and focused(page) == [user, people_count])
    key(page, "ArrowUp")
    assert focused(page)[1] == people_count - 1


def test_people_are_found_by_name_crew_and_phone_and_sorted(page):
    page.find("#search").fill("P29")
    until(lambda: row_count(page) == 9)
    assert [user for user, _ in shown_rows(page)][:2] == ["p290", "p291"]
    until(lambda: page.texts(".tools [role=status]") == ["9 people are shown"])
    page.find("#search").fill("22 00 0017")
    until(lambda: row_count(page) == 1 and shown_rows(page) == [["p017", 1]])
    page.find("#search").fill("nobody of that name")
    until(lambda: page.text("#list-empty") == "Nobody to show.")
    page.find("#search").fill("")
    page.find("#sorting").select_option("crew")
    until(lambda: shown_rows(page)[:1] == [["p000", 1]] and "Amber" in page.row_of("p000").inner_text())
    assert [user for user, _ in shown_rows(page)][:3] == ["p000", "p003", "p006"]
    page.find("#sorting").select_option("name")
    until(lambda: shown_rows(page)[:1] == [["lead", 1]])


def test_a_crew_is_counted_and_shown_alone(page, crowd):
    chip = page.find("#groups .chip[data-kind='crew']").filter(has_text="Amber")
    until(lambda: "0 of 100" in chip.inner_text())
    crowd.ask("POST", "users/p003/declarations", {"kind": "safe"})
    until(lambda: "1 of 100" in chip.inner_text())
    crowd.ask("POST", "users/p003/declarations", {"kind": "clear"})
    until(lambda: "0 of 100" in chip.inner_text())
    chip.click()
    until(lambda: row_count(page) == 100 and chip.get_attribute("aria-pressed") == "true")
    assert all("Amber" in text for text in page.texts("#list .row .crew"))
    page.find("#counts [data-state='safe']").click()
    until(lambda: row_count(page) == 0)
    page.find("#counts [data-state='safe']").click()
    chip.click()
    until(lambda: row_count(page) == people_count)


def test_a_person_is_shown_in_full_with_a_number_to_call(page, crowd):
    crowd.ask("POST", "users/p001/devices", {"name": "phone"})
    page.find("#search").fill("p001")
    until(lambda: row_count(page) == 1)
    page.open_track("p001")
    until(lambda: page.text("#person-name") == "p001")
    expected = {"Team": "crowd", "Crew": "Blue", "Phone": "+47 22 00 0001",
                "Where": "Nobody knows yet where p001 is.", "Heard": "never heard"}
    until(lambda: expected.items() <= page.script(
        "() => Object.fromEntries([...document.querySelectorAll('#person .facts > div')]"
        ".map((fact) => [fact.querySelector('dt').textContent, fact.querySelector('dd').textContent]))").items())
    assert page.find("#person a[href^='tel:']").get_attribute("href") == "tel:+4722000001"
    token = crowd.ask("POST", "users/p001/devices/phone/token")["token"]
    moment = crowd.ask("GET", "teams/crowd/safety")["at"]
    crowd.ask("POST", "positions", {
        "longitude": west - 0.01, "latitude": south + 0.0005, "sampleTime": moment, "accuracy": 5, "battery": 14,
    }, token)
    until(lambda: re.search(r"6[12]0 m west of Harbour square", page.text("#person")))
    until(lambda: "battery 14 %, low" in page.text("#person").replace("\u00A0", " "))
    assert f"{south + 0.0005:.5f}, {west - 0.01:.5f}" in page.text("#person")


def test_a_leader_marks_someone_from_the_panel(page):
    page.find("#search").fill("p005")
    until(lambda: row_count(page) == 1)
    page.open_track("p005")
    until(lambda: page.text("#person-name") == "p005")
    page.press("#person", "Mark safe", "")
    until(lambda: "marked by lead" in page.text("#person"))
    page.press("#person", "Clear", "")
    until(lambda: "Unknown" in page.text("#person"))


@pytest.mark.parametrize("name", hostile)
def test_a_hostile_name_is_text_in_every_place(page, crowd, name):
    number = crowd.ask("GET", "incidents")["items"][0]["number"]
    crowd.ask("POST", f"incidents/{number}/roll", {"name": hostile[name], "note": hostile[name], "state": "needsHelp"})
    part = hostile[name].replace("\u202e", "").replace("\u2066", "")[:20].strip()
    until(lambda: any(part.split()[0] in text for text in page.texts("#list .row .name")))
    row = page.find("#list .row[data-state='needsHelp']").first
    row.locator(".person").click()
    until(lambda: page.is_shown("#person"))
    try:
        assert "owned" not in page.title
        assert page.find("#live :is(#list, #alarms, #events, #person, #groups) :is(img, b, script)").count() == 0
        for place in ("#list", "#person", "#alarms", "#events"):
            assert not re.search("[\u202a-\u202e\u2066\u2067]", page.text(place)), place
        assert page.script("() => document.documentElement.scrollWidth <= innerWidth")
        assert page.script("() => document.querySelector('#person').scrollWidth"
                           " <= document.querySelector('#person').clientWidth")
        # Whoever calls stays in sight: no name pushes the list or the next call away.
        assert page.find("#alarms").bounding_box()["height"] < 400
    finally:
        roll = crowd.ask("GET", f"incidents/{number}")["roll"]
        [person] = [each["person"] for each in roll if each["visitor"] and not each["left"]]
        crowd.ask("POST", f"incidents/{number}/roll/{person}/removal", {"reason": "a test"})


# How wide the name above the buttons of a row is, and which buttons are covered or cut.
said_of_row = """(row) => {
    const group = document.querySelector(`${row} .row-actions [role=group]`);
    const box = (each) => each.getBoundingClientRect();
    const isInSight = (each) => each.contains(document.elementFromPoint(
        box(each).x + box(each).width / 2, box(each).y + box(each).height / 2));
    group.scrollIntoView({ block: "center" });
    return { name: box(group.querySelector(".whose")).width, covered: [...group.querySelectorAll("button")]
        .filter((each) => !isInSight(each) || box(each).bottom > box(group).bottom).map((each) => each.textContent) };
}"""


def test_what_may_be_said_of_somebody_covers_the_row_but_not_whose_it_is_in_every_language(page):
    for language in ("en", "es", "ja", "zh"):
        page.speak(language)
        for screen, list_of in (("people", "#list"), ("incident", "#roll")):
            page.go(screen)
            row = f'{list_of} [data-user="p000"]'
            until(lambda: page.is_shown(row))  # pylint: disable=cell-var-from-loop
            page.find(f"{row} .row-actions > button").click()
            for width in (1280, 390, 320):
                page.set_view(width, 800)
                print(language, screen, width)
                until(lambda: page.text(f"{row} .whose") == "p000")  # pylint: disable=cell-var-from-loop
                # The rows are put in their places once the view has its size.
                until(lambda: (found := page.script(said_of_row, row))["name"] >= 40 and found["covered"] == [])
            page.set_view(1280, 800)
            page.find(f"{row} .row-actions .close").click()
