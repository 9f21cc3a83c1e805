"""What an edit of a region would change, two leaders at one region, removing and putting back, and files."""

import json

import pytest

from accessible import faults_of
from live_page import LivePage
from live_server import box, circle, until
from regions_page import make_site, open_regions, press, save, saved, vertices

needs_map = True
west, south = 10.7460, 59.5080
inside = (west + 0.0005, south + 0.0005)


@pytest.fixture(scope="module")
def pier(server):
    """A team with an assembly point in which three people stand, and two leaders."""
    make_site(server, "pier", [
        box("head", "Pier head", west, south, muster=True), box("root", "Pier root", west, south + 0.005),
        circle("lamp", "Lamp", west + 0.006, south, 30),
    ])
    for name in ("pier-ann", "pier-ben", "pier-cleo"):
        server.make_member(name, "pier").stay(inside, fixes=8)


@pytest.fixture
def other(browsers, server):
    """Another leader, in a browser of their own."""
    context = browsers.context(with_webgl=False)
    yield LivePage(context, server)
    context.close()


def region(server, name):
    return server.ask("GET", f"collections/pier-site/regions/{name}")


def widen(page, metres_west):
    """Moves the corners of a box in the west, by the list."""
    lowest = min(x for x, _ in vertices(page))
    for number, (x, y) in enumerate(vertices(page)):
        if x == lowest:
            page.find(".vertex button[data-keys]").nth(number).click()
            until(lambda: page.is_shown("#vertex-longitude"))
            until(lambda: page.find(".vertex button[data-keys]").nth(number).get_attribute("aria-pressed") == "true")
            page.find("#vertex-longitude").fill(f"{x - metres_west / 56_500:.7f}")
            page.find("#vertex-longitude").press("Enter")
            until(lambda: (vertices(page)[number][0] < x) == (metres_west > 0) and vertices(page)[number][0] != x)


def test_whom_an_edit_would_concern_is_said_before_it_is_saved(page, server, pier):
    open_regions(page, "pier-site", "head", user="pier-lena")
    until(lambda: len(vertices(page)) == 4)
    until(lambda: "changes nothing for the 3 people" in page.text(".outcome"))
    # The western half is cut off, and three people with it.
    widen(page, -70)
    until(lambda: "3 of 3 who are inside now would be outside: pier-ann, pier-ben, pier-cleo" in page.text(".outcome"))
    assert "3 people would not be safe any more" in page.text(".outcome")
    page.find(".save .primary").click()
    until(lambda: "pier-ben" in page.text("dialog[open]"))
    assert faults_of(page) == []
    page.set_view(1280, 800)
    page.tab.keyboard.press("Escape")
    until(lambda: not page.is_shown("dialog[open]"))
    assert region(server, "head")["geometry"]["coordinates"][0][0] == [west, south], "nothing was stored"
    with page.answering():
        press(page, "Discard")
    until(lambda: "changes nothing for the 3 people" in page.text(".outcome"))


def test_of_two_leaders_the_second_is_told_and_chooses(page, other, server, pier):
    open_regions(page, "pier-site", "root", user="pier-lena")
    open_regions(other, "pier-site", "root", user="pier-omar")
    for one in (page, other):
        until(lambda: len(vertices(one)) == 4)
    page.find("#region-name").fill("Root of the pier")
    widen(page, 20)
    # Omar saves first. Lena, who has not saved, is told at once: by whom, and when.
    other.find("#region-name").fill("Old root")
    save(other)
    until(lambda: "pier-omar changed the region" in page.text(".conflict"))
    assert "dashed" in page.text(".conflict")
    until(lambda: page.script("() => muster.map.querySourceFeatures('other').length > 0"))
    assert page.find("#region-name").input_value() == "Root of the pier", "what was typed stays"
    press(page, "Show both on the map")
    assert faults_of(page) == []
    page.set_view(1280, 800)
    # She puts it off, is told again when she saves, and keeps hers on top.
    press(page, "Cancel")
    until(lambda: not page.is_shown(".conflict"))
    page.find(".save .primary").click()
    until(lambda: page.is_shown(".conflict"))
    assert region(server, "root")["properties"]["name"] == "Old root"
    press(page, "Keep mine on top")
    save(page)
    assert region(server, "root")["properties"]["name"] == "Root of the pier"
    # Omar changed nothing meanwhile, and sees hers; then the other way round he takes hers.
    until(lambda: other.find("#region-name").input_value() == "Root of the pier")
    other.find("#region-dwell").fill("60")
    page.find("#region-dwell").fill("90")
    save(page)
    until(lambda: "pier-lena changed the region" in other.text(".conflict"))
    press(other, "Take theirs")
    until(lambda: other.find("#region-dwell").input_value() == "90" and saved(other))
    assert region(server, "root")["properties"]["dwell"] == 90
    # The browser itself notes each refusal, and nothing else went wrong.
    for one in (page, other):
        assert [fault for fault in one.faults() if "412 (Precondition Failed)" not in fault] == []


def test_a_removed_region_is_put_back_with_its_id(page, server, pier):
    open_regions(page, "pier-site", "lamp", user="pier-lena")
    before = region(server, "lamp")
    press(page, "Remove")
    until(lambda: "Nobody is inside now" in page.text("dialog[open]"))
    assert faults_of(page) == []
    page.set_view(1280, 800)
    page.find("dialog[open]").get_by_role("button", name="Remove it").click()
    until(lambda: "Lamp is removed." in page.text(".removed"))
    assert "decided anew" in page.text(".removed"), "it says what putting it back does not bring back"
    assert "lamp" not in [one["id"] for one in server.ask("GET", "collections/pier-site/regions")["features"]]
    # Also after another screen.
    page.go("timeline")
    until(lambda: not page.is_shown(".regions-screen"))
    page.go("regions")
    until(lambda: page.is_shown(".removed"))
    press(page, "Put it back")
    until(lambda: not page.is_shown(".removed"))
    assert region(server, "lamp") == before


def test_a_muster_region_is_not_removed_without_saying_who_is_in_it(page, server, pier):
    open_regions(page, "pier-site", "head", user="pier-lena")
    press(page, "Remove")
    until(lambda: "3 people would not be safe any more" in page.text("dialog[open]"))
    page.tab.keyboard.press("Escape")
    until(lambda: not page.is_shown("dialog[open]"))
    assert region(server, "head")


def feature(name, *rings):
    return {"type": "Feature", "id": name, "properties": {"name": name.title()},
            "geometry": {"type": "Polygon", "coordinates": [[*ring, ring[0]] for ring in rings]}}


def square(x, y, side=0.001):
    return [[x, y], [x + side, y], [x + side, y + side], [x, y + side]]


def drop(page, name, text):
    """Drops a file on the screen, as from a desk."""
    page.script("""([name, text]) => {
        const carried = new DataTransfer();
        carried.items.add(new File([text], name));
        const screen = document.querySelector(".regions-screen");
        for (const type of ["dragover", "drop"]) {
            screen.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: carried }));
        }
    }""", [name, text])


def test_a_file_is_dropped_looked_at_and_stored_all_or_none(page, server, pier):
    open_regions(page, "pier-site", user="pier-lena")
    crossed = [[west, south + 0.02], [west + 0.001, south + 0.021], [west + 0.001, south + 0.02],
               [west, south + 0.021]]
    damaged = {"type": "FeatureCollection", "features": [
        feature("hut", square(west + 0.003, south + 0.02)), feature("bow", crossed),
        {**feature("late", square(west, south + 0.03)), "properties": {"dwell": -1}}]}
    drop(page, "site.geojson", json.dumps(damaged))
    until(lambda: "2 faults" in page.text(".importer"))
    assert "crosses or touches itself" in page.text(".faults") and "Bow" in page.text(".faults")
    assert page.find(".importer .primary").is_disabled()
    # A click goes to where it is.
    page.find(".faults button").first.click()
    until(lambda: page.script("() => muster.map.getCenter().toArray()")
          == pytest.approx([west + 0.0005, south + 0.0205], abs=1e-4))
    assert faults_of(page) == []
    page.set_view(1280, 800)
    good = {"type": "FeatureCollection", "features": [
        feature("hut", square(west + 0.003, south + 0.02)), feature("lamp", square(west + 0.006, south))]}
    drop(page, "site.geojson", json.dumps(good))
    until(lambda: "2 regions, no fault" in page.text(".importer"))
    assert "1 region that is there already is replaced: Lamp" in page.text(".importer")
    until(lambda: page.script("() => muster.map.querySourceFeatures('preview').length > 0"))
    page.find(".importer .primary").click()
    until(lambda: not page.is_shown(".importer"))
    names = [one["properties"]["name"] for one in server.ask("GET", "collections/pier-site/regions")["features"]]
    assert {"Hut", "Lamp"} <= set(names) and "Bow" not in names


def kml(*placemarks, head=""):
    return ('<?xml version="1.0" encoding="UTF-8"?>' + head + '<kml xmlns="http://www.opengis.net/kml/2.2"><Document>'
            + "".join(f"<Placemark><name>{name}</name><Polygon><outerBoundaryIs><LinearRing><coordinates>"
                      + " ".join(f"{x},{y},0" for x, y in [*ring, ring[0]])
                      + "</coordinates></LinearRing></outerBoundaryIs></Polygon></Placemark>"
                      for name, ring in placemarks) + "</Document></kml>")


def test_a_kml_file_is_chosen_and_its_faults_are_named(page, server, pier):
    open_regions(page, "pier-site", user="pier-lena")
    press(page, "Import a file")
    chosen = page.find("#region-file")
    bow = [[west, south + 0.04], [west + 0.001, south + 0.041], [west + 0.001, south + 0.04], [west, south + 0.041]]
    for name, text, expected in (
            ("packed.kmz", "PK\x03\x04", "This is KMZ"), ("empty.kml", "", "This file is empty"),
            ("photo.png", "\x89PNG", "neither GeoJSON nor KML"),
            ("bow.kml", kml(("Bow", bow)), "1 fault"),
            ("entity.kml", kml(("A", square(west, south)), head='<!DOCTYPE k [<!ENTITY a "b">]>'), "1 fault"),
            ("good.kml", kml(("Buoy", square(west, south + 0.05))), "1 region, no fault")):
        chosen.set_input_files({"name": name, "mimeType": "application/octet-stream", "buffer": text.encode()})
        until(lambda: name in page.text(".importer") and expected in page.text(".importer"))
    page.find(".importer .primary").click()
    until(lambda: not page.is_shown(".importer"))
    assert any(one["properties"]["name"] == "Buoy"
               for one in server.ask("GET", "collections/pier-site/regions")["features"])


def test_a_file_that_is_too_large_is_refused_before_it_is_sent(page, server, pier):
    open_regions(page, "pier-site", user="pier-lena")
    sent = []
    page.tab.on("request", lambda request: sent.append(request.url) if "dryRun" in request.url else None)
    page.script("""() => {
        const carried = new DataTransfer();
        carried.items.add(new File(["<kml>", new Uint8Array(31_000_000)], "huge.kml"));
        document.querySelector(".regions-screen").dispatchEvent(
            new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: carried }));
    }""")
    until(lambda: "This file has 31 MB. At most 30 MB can be sent" in page.text(".importer"))
    assert not sent


def drop_nested_kml(page, depth, padding_bytes):
    """Drops a file, made by the browser, of folders in each other with a polygon each."""
    ring = square(west, south + 0.06)
    page.script("""([ring, depth, padding]) => {
        const polygon = (name) => `<Placemark><name>${name}</name><Polygon><outerBoundaryIs><LinearRing><coordinates>`
            + `${ring}</coordinates></LinearRing></outerBoundaryIs></Polygon></Placemark>`;
        const folders = Array.from({ length: depth }, (_, index) => `<Folder>${polygon(`Store ${index}`)}`).join("");
        const text = `<kml xmlns="http://www.opengis.net/kml/2.2"><Document>${folders}${"</Folder>".repeat(depth)}`
            + `<!--${"x".repeat(padding)}--></Document></kml>`;
        const carried = new DataTransfer();
        carried.items.add(new File([text], `deep-${depth}.kml`));
        document.querySelector(".regions-screen").dispatchEvent(
            new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: carried }));
    }""", [" ".join(f"{x},{y},0" for x, y in [*ring, ring[0]]), depth, padding_bytes])


def test_a_file_just_below_the_limit_with_folders_in_folders_is_read_and_one_too_deep_is_not(page, server, pier):
    open_regions(page, "pier-site", user="pier-lena")
    drop_nested_kml(page, 40, 0)
    until(lambda: "deep-40.kml" in page.text(".importer") and "nested deeper than 32" in page.text(".importer"))
    drop_nested_kml(page, 20, 29_500_000)
    until(lambda: "deep-20.kml" in page.text(".importer") and "20 regions, no fault" in page.text(".importer"))
    assert page.find(".importer .primary").is_enabled()


def test_a_collection_of_all_teams_is_only_to_look_at(page, server, pier):
    server.ask("POST", "collections", {"name": "everybodys"})
    server.ask("PUT", "collections/everybodys/regions/hall", box("hall", "Town hall", west, south + 0.1))
    open_regions(page, user="pier-lena")
    until(lambda: "Town hall" in page.text(".panel"))
    listed = page.tab.locator(".collection", has=page.tab.locator("#collection-everybodys"))
    assert "Read-only" in listed.inner_text()
    assert listed.get_by_role("link", name="New region").count() == 0
    listed.locator("a.region").click()
    until(lambda: "You may look at this region, but not change it" in page.text(".panel"))
    assert page.find("#region-name").is_disabled() and not page.is_shown(".save")


def test_a_frozen_server_loses_nothing_of_an_edit(page, server, pier):
    open_regions(page, "pier-site", "root", user="pier-lena")
    until(lambda: len(vertices(page)) == 4)
    # The server answers nothing for a while.
    server.process.send_signal(19)
    try:
        page.find("#region-name").fill("Named while it froze")
        until(lambda: page.find(".save .primary").is_enabled())
    finally:
        server.process.send_signal(18)
    save(page)
    assert region(server, "root")["properties"]["name"] == "Named while it froze"
