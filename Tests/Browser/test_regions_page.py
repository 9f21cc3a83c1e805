"""The screen of regions: drawn by mouse, finger and keyboard, looked at by the server, edited by two, crossed."""

import re

import pytest

from accessible import faults_of
from live_page import LivePage
from live_server import box, circle, password, until
from regions_page import (
    at, click_at, drag, is_sound, look_at, make_site, open_regions, password, press, save, saved, vertices,
)

needs_map = True
west, south = 10.7460, 59.6080
inside = (west + 0.001, south + 0.0005)


@pytest.fixture(scope="module")
def dock(server):
    """A team with an assembly point, a person in it, and two leaders."""
    make_site(server, "dock", [
        box("square", "Dock square", west, south, muster=True), box("shed", "Shed", west + 0.004, south),
        circle("tower", "Tower", west + 0.008, south, 40),
    ])
    phone = server.make_member("dock-ann", "dock")
    phone.stay(inside)
    return phone


def region(server, name):
    return server.ask("GET", f"collections/dock-site/regions/{name}")


def test_a_region_is_drawn_with_the_mouse_and_crossed(page, server, dock):
    open_regions(page, "dock-site", "new", user="dock-lena")
    look_at(page, west + 0.001, south + 0.003)
    press(page, "Draw a polygon")
    corners = [(west, south + 0.0025), (west + 0.002, south + 0.0025), (west + 0.002, south + 0.0035),
               (west, south + 0.0035)]
    for number, corner in enumerate(corners, start=1):
        click_at(page, *corner)
        until(lambda: f"{number} vert" in page.text(".drawing"))
    # Backwards and forwards, as somebody does who slipped.
    press(page, "Undo")
    until(lambda: "3 vertices" in page.text(".drawing"))
    click_at(page, *corners[3])
    click_at(page, *corners[0])
    until(lambda: len(vertices(page)) == 4)
    page.find("#region-name").fill("Dock yard")
    # A corner that was dragged across an edge is a fault, shown where it is.
    drag(page, corners[3], (west + 0.001, south + 0.0020))
    until(lambda: "crosses or touches itself" in page.text(".faults"))
    assert page.find(".save .primary").is_enabled(), "whoever presses it is led to the fault"
    page.find(".save .primary").click()
    until(lambda: page.is_shown(".vertex.chosen"))
    press(page, "Undo")
    until(lambda: is_sound(page))
    save(page)
    assert page.script("() => location.hash") == "#/regions/dock-site/dock-yard"
    stored = region(server, "dock-yard")
    ring = stored["geometry"]["coordinates"][0]
    assert stored["properties"]["name"] == "Dock yard" and len(ring) == 5
    for corner in corners:
        assert min(abs(x - corner[0]) + abs(y - corner[1]) for x, y in ring) < 2e-5
    # Somebody walks in.
    since = server.ask("GET", "changes?since=0&limit=1")["lastSequence"]
    dock.stay((west + 0.001, south + 0.003), fixes=8)
    until(lambda: any(change["type"] == "crossing" and change["region"]["id"] == "dock-yard"
                      and change["kind"] == "enter" for change in server.changes(since)))
    dock.stay(inside, fixes=8)


def test_a_decimal_comma_is_no_comma_between_two_numbers(page, dock):
    open_regions(page, "dock-site", "new", user="dock-lena")
    page.speak("es")
    keyboard = page.tab.keyboard
    page.find(".panel").get_by_role("button", name="Dibujar un polígono", exact=True).click()
    # Key by key, as a Spaniard writes numbers: one field each, a pair in one field, and a pair with points.
    page.find("#next-latitude").focus()
    for latitude, longitude in (("43,25", "-5,85"), ("43,26; -5,85", ""), ("43.26,-5.84", "")):
        keyboard.type(latitude)
        if longitude:
            keyboard.press("Tab")
            keyboard.type(longitude)
        keyboard.press("Enter")
        until(lambda: page.find("#next-latitude").input_value() == page.find("#next-longitude").input_value() == "")
    page.find(".drawing").get_by_role("button", name="Cerrar la forma").click()
    until(lambda: len(vertices(page)) == 3)
    page.find(".vertex button[data-keys]").first.click()
    typed = [page.find(f"#vertex-{each}").input_value() for each in ("latitude", "longitude")]
    assert [float(each.replace(",", ".")) for each in typed] == [43.25, -5.85]
    # A vertex that is corrected by one number with a comma stays on its continent.
    page.find("#vertex-longitude").fill("-5,86")
    page.find("#vertex-longitude").press("Enter")
    until(lambda: "5.86" in page.texts(".vertex button[data-keys]")[0].replace(",", "."))
    page.faults()


def test_a_region_is_drawn_by_the_keyboard_alone(page, server, dock):
    open_regions(page, "dock-site", "new", user="dock-lena")
    keyboard = page.tab.keyboard
    page.find(".panel").get_by_role("button", name="Draw a polygon", exact=True).focus()
    keyboard.press("Enter")
    page.find("#next-latitude").focus()
    # Both numbers pasted into one field, then one by one.
    keyboard.insert_text(f"{south + 0.01:.6f}, {west}")
    keyboard.press("Enter")
    for latitude, longitude in ((south + 0.01, west + 0.002), (south + 0.011, west + 0.002)):
        keyboard.insert_text(str(round(latitude, 6)))
        keyboard.press("Tab")
        keyboard.insert_text(str(round(longitude, 6)))
        keyboard.press("Enter")
    until(lambda: "3 vertices" in page.text(".drawing"))
    page.find(".drawing").get_by_role("button", name="Close the shape").focus()
    keyboard.press("Enter")
    until(lambda: len(vertices(page)) == 3)
    page.find("#region-name").focus()
    keyboard.insert_text("By keys")
    # A vertex is moved, one is added and removed, and all of it is said.
    page.find(".vertex button[data-keys]").nth(2).focus()
    before = vertices(page)
    for _ in range(3):
        keyboard.press("ArrowUp")
    keyboard.press("Shift+ArrowLeft")
    until(lambda: re.match(r"Vertex 3 of 3 moved to 59\.\d+, 10\.\d+", page.text(".shape-said")))
    moved = vertices(page)
    assert (moved[2][1] - before[2][1]) * 111_400 == pytest.approx(3, abs=0.1), "three steps of a metre to the north"
    assert (before[2][0] - moved[2][0]) * 56_500 == pytest.approx(10, abs=0.5), "and ten to the west"
    keyboard.press("Enter")
    until(lambda: len(vertices(page)) == 4 and "Vertex 4 of 4 added" in page.text(".shape-said"))
    focused = "() => document.activeElement.closest('.vertex')?.innerText ?? document.activeElement.tagName"
    until(lambda: page.script(focused).startswith("Vertex 4 of 4"))
    keyboard.press("Delete")
    until(lambda: len(vertices(page)) == 3 and "removed" in page.text(".shape-said"))
    keyboard.press("Delete")
    until(lambda: "needs three vertices" in page.text(".shape-said"))
    keyboard.press("Control+z")
    until(lambda: len(vertices(page)) == 4)
    keyboard.press("Control+y")
    until(lambda: len(vertices(page)) == 3)
    until(lambda: is_sound(page))
    page.find(".save .primary").focus()
    keyboard.press("Enter")
    until(lambda: page.is_shown("dialog[open]") or saved(page))
    if page.is_shown("dialog[open]"):
        keyboard.press("Enter")
    until(lambda: saved(page))
    ring = region(server, "by-keys")["geometry"]["coordinates"][0]
    assert sorted(map(tuple, ring[:3])) == sorted(map(tuple, moved))


def test_a_hole_a_circle_snapping_and_the_whole_shape(page, server, dock):
    open_regions(page, "dock-site", "shed", user="dock-lena")
    until(lambda: len(vertices(page)) == 4)
    press(page, "Draw a hole")
    look_at(page, west + 0.005, south + 0.0005)
    hole = [(west + 0.0045, south + 0.0003), (west + 0.0050, south + 0.0003), (west + 0.0047, south + 0.0006)]
    for number, corner in enumerate(hole, start=1):
        click_at(page, *corner)
        until(lambda: f"{number} vert" in page.text(".drawing"))
    click_at(page, *hole[0])
    until(lambda: len(vertices(page)) == 7 and "Hole 1, vertex 1 of 3" in page.text(".vertices"))
    # A corner that is dragged near one of the square takes exactly its place.
    look_at(page, west + 0.003, south + 0.0005)
    near = page.script("""(at) => { const { x, y } = muster.map.project(at);
        return muster.map.unproject([x + 5, y + 5]).toArray(); }""", [west + 0.002, south])
    drag(page, (west + 0.004, south), near)
    until(lambda: [round(west + 0.002, 7), round(south, 7)] in vertices(page))
    # The whole shape goes to the north by ten steps.
    before = vertices(page)
    press(page, "Move the whole shape")
    page.find(".vertices .whole").press("Shift+ArrowUp")
    until(lambda: vertices(page) != before)
    assert all((new[1] - old[1]) * 111_400 == pytest.approx(10, abs=0.2) for new, old in zip(vertices(page), before))
    press(page, "Undo")
    until(lambda: vertices(page) == before)
    save(page)
    assert len(region(server, "shed")["geometry"]["coordinates"]) == 2
    # The tower's circle is moved on the map and typed.
    page.go("regions", "dock-site", "tower")
    until(lambda: page.is_shown("#circle-radius"))
    look_at(page, west + 0.008, south)
    drag(page, (west + 0.008, south), (west + 0.0083, south))
    until(lambda: abs(vertices(page)[0][0] - west - 0.0083) < 1e-5)
    page.find("#circle-radius").fill("55")
    save(page)
    stored = region(server, "tower")
    assert stored["properties"]["radius"] == 55
    assert stored["geometry"]["coordinates"] == pytest.approx([west + 0.0083, south], abs=1e-5)


def test_what_is_not_saved_outlasts_another_screen_and_a_session(page, server, dock):
    open_regions(page, "dock-site", "tower", user="dock-lena")
    until(lambda: page.is_shown("#circle-radius"))
    page.find("#region-name").fill("Water tower")
    page.find("#circle-radius").fill("70")
    until(lambda: "not saved" in page.text(".editor"))
    page.find("a[href='#/timeline']").click()
    until(lambda: not page.is_shown(".regions-screen"))
    page.go("regions")
    until(lambda: page.is_shown(".region .tag:not(.muster)"))
    until(lambda: "not saved" in page.text(".region[href='#/regions/dock-site/tower']"))
    # The session ends on the server.
    page.find(".region[href='#/regions/dock-site/tower']").click()
    until(lambda: page.is_shown("#circle-radius"))
    page.find("#circle-radius").fill("71")
    server.ask("PUT", "users/dock-lena/password", {"password": password})
    until(lambda: page.is_shown("#sign-in-form"), seconds=60)
    page.sign_in("dock-lena", password)
    until(lambda: page.is_shown("#circle-radius"))
    assert page.find("#circle-radius").input_value() == "71"
    assert page.find("#region-name").input_value() == "Water tower"
    assert region(server, "tower")["properties"]["name"] == "Tower", "nothing was stored"
    with page.answering():
        press(page, "Discard")
    until(lambda: page.find("#circle-radius").input_value() != "71" and saved(page))
    # The browser tells of what was refused as the session ended, and of nothing else.
    assert all("401" in fault for fault in page.faults())


def test_a_finger_draws_on_a_phone(browsers, server, dock):
    context = browsers.context(has_touch=True, is_mobile=True, viewport={"width": 390, "height": 844})
    try:
        page = LivePage(context, server)
        open_regions(page, "dock-site", "new", user="dock-lena")
        list_box, map_box = page.find(".panel").bounding_box(), page.find(".regions-screen .map").bounding_box()
        assert map_box["y"] < list_box["y"] and map_box["width"] > 380, "the map stands above, as wide as the phone"
        look_at(page, west + 0.001, south + 0.02, zoom=16)
        page.find(".panel").get_by_role("button", name="Draw a polygon", exact=True).tap()
        corners = [(west, south + 0.0195), (west + 0.002, south + 0.0195), (west + 0.001, south + 0.0205)]
        for number, corner in enumerate(corners, start=1):
            page.tab.touchscreen.tap(*at(page, *corner))
            until(lambda: f"{number} vert" in page.text(".drawing"))
        page.find(".drawing").get_by_role("button", name="Close the shape").tap()
        until(lambda: len(vertices(page)) == 3)
        # A finger takes a vertex along, and the map stays.
        centre = page.script("() => muster.map.getCenter().toArray()")
        (x, y), (to_x, to_y) = at(page, *corners[2]), at(page, west + 0.001, south + 0.0202)
        touch = context.new_cdp_session(page.tab)

        def finger(kind, *points):
            touch.send("Input.dispatchTouchEvent",
                       {"type": kind, "touchPoints": [{"x": px, "y": py} for px, py in points]})
        finger("touchStart", (x, y))
        for step in range(1, 6):
            finger("touchMove", (x + (to_x - x) * step / 5, y + (to_y - y) * step / 5))
            page.tab.wait_for_timeout(30)
        finger("touchEnd")
        until(lambda: abs(vertices(page)[2][1] - south - 0.0202) < 3e-5)
        assert page.script("() => muster.map.getCenter().toArray()") == pytest.approx(centre, abs=1e-9)
        page.find("#region-name").fill("By finger")
        save(page)
        assert region(server, "by-finger")["properties"]["name"] == "By finger"
        assert not page.foreign_requests()
    finally:
        context.close()


def test_twenty_thousand_vertices_stay_usable(page, server, dock):
    script = """() => Array.from({ length: 20000 }, (_, index) => { const turn = 2 * Math.PI * index / 20000;
        return [%f + 0.02 * Math.cos(turn), %f + 0.01 * Math.sin(turn)]; })""" % (west + 0.05, south)
    page.open().sign_in("dock-lena", password)
    ring = page.script(script)
    server.ask("PUT", "collections/dock-site/regions/coast", {
        "type": "Feature", "properties": {"name": "Coast"},
        "geometry": {"type": "Polygon", "coordinates": [[*ring, ring[0]]]}})
    page.go("regions", "dock-site", "coast")
    until(lambda: page.is_shown(".vertices") and "20,000 vertices" in page.text(".vertices"), seconds=60)
    assert until(lambda: page.is_shown(".thinned")), "it says that not every vertex can be grabbed from so far"
    assert len(page.texts(".vertex")) == 20, "the list draws what is in sight"
    look_at(page, *ring[5000], zoom=19)
    until(lambda: not page.is_shown(".thinned"))
    drag(page, ring[5000], (ring[5000][0], ring[5000][1] + 0.0001))
    until(lambda: page.is_shown(".vertex.chosen") and "5,001 of 20,000" in page.text(".vertex.chosen"), seconds=60)
    until(lambda: is_sound(page), seconds=60)
    page.find(".vertex.chosen button[data-keys]").focus()
    for _ in range(15):
        page.tab.keyboard.press("PageDown")
    until(lambda: "5,016 of 20,000" in page.text(".vertex.chosen"))
    assert page.script("() => Boolean(document.activeElement.closest('.vertex.chosen'))"), "the keyboard goes with it"
    with page.answering():
        press(page, "Discard")
    page.go("regions")
    server.ask("DELETE", "collections/dock-site/regions/coast")


def test_the_screen_is_clean_for_everybody(page, server, dock):
    open_regions(page, user="dock-lena")
    until(lambda: page.find(".region").count() > 0)
    assert faults_of(page) == []
    page.go("regions", "dock-site", "square")
    until(lambda: len(vertices(page)) == 4)
    page.find(".vertex button[data-keys]").first.focus()
    until(lambda: page.is_shown(".chosen-vertex"))
    press(page, "Draw a hole")
    until(lambda: page.is_shown(".drawing"))
    page.find("#region-evidence").select_option("beacon")
    assert faults_of(page) == []
    for language in ("es", "ja", "zh"):
        page.set_view(1280, 800)
        page.speak(language)
        until(lambda: page.is_shown(".drawing"))
        assert faults_of(page, is_translation=True) == [], language
    page.set_view(1280, 800)
    page.speak("en")
    until(lambda: page.text(".drawing"))
    with page.answering():
        press(page, "Discard")
