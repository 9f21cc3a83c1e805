"""The way to the nearest assembly point, on a phone: by the server's words, and without a server."""

import pytest

from live_server import LiveServer, box, circle, root, until
from me_page import MePage, check_clean, password, phone_profile

west, south = 13.3760, 52.5150
here = {"longitude": 13.3777, "latitude": 52.5205, "accuracy": 12}
page_type, needs_map, is_server_killed = MePage, True, True
profile = {**phone_profile, "geolocation": here, "permissions": ["geolocation"]}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    files = root / "Tests/MusterTilesTests/Files"
    server = LiveServer(tmp_path_factory.mktemp("muster"),
                        ["--web", str(root / "Web"), "--tiles", str(files / "doors.mbtiles")])
    server.start()
    server.make_team("north", [
        box("gate", "Gate field", west, south, muster=True),
        circle("tower", "Tower square", 13.385, 52.52, 60, muster=True),
        box("tank", "Tank farm", west + 0.003, south + 0.003),
    ])
    server.make_team("other", [box("yard", "Their yard", 13.3770, 52.5206, muster=True)])
    # A new collection is linked to every tracker. The yard of the other team must not be this team's assembly point.
    tracker = server.ask("GET", "teams/north")["tracker"]
    server.ask("PATCH", f"trackers/{tracker}", {"collections": ["north-site"]})
    server.ask("POST", "users", {"name": "mia", "role": "member", "team": "north", "password": password})
    yield server
    server.stop()


@pytest.fixture
def way(page):
    """The page of a member whose place is known, where the way is shown."""
    page.open().sign_in("mia", password)
    page.track()
    page.show("way")
    # Before it is known which points are the team's own, all are shown.
    until(lambda: page.script(f"() => {page.state}.linked !== undefined") and page.text("#way-distance"))
    return page


# Whether the phone keeps the list of the tiles, and of the world those that the map shows.
world_is_kept = """async () => {
    const kept = (await (await caches.open("muster-tiles-1")).keys()).map(({ url }) => url);
    const shown = Object.values(musterMap.library.style.sourceCaches["basemap:world"]._tiles)
        .map(({ tileID: { canonical: { z, x, y } } }) => `/tiles/world/${z}/${x}/${y}`);
    return shown.length > 0 && ["/tiles/index.json", ...shown].every((end) => kept.some((url) => url.endsWith(end)));
}"""


def move(page, longitude, latitude, accuracy=12):
    page.context.set_geolocation({"longitude": longitude, "latitude": latitude, "accuracy": accuracy})


def test_the_nearest_assembly_point_of_the_own_team_is_shown_with_how_sure_its_way_is(way):
    until(lambda: way.text("#way-point") == "Tower square")
    assert way.text("#way-distance").split() == ["440", "m,", "straight", "line"]
    assert way.text("#way-direction") == "east"
    assert "12 m" in way.text("#way-accuracy").replace("\u00a0", " ")
    assert "north is up" in way.text("#way-heading")
    assert "Their yard" not in way.text(".way")
    assert not way.faults()


def test_who_walks_sees_the_way_grow_short_until_inside_and_never_the_word_safe(way):
    move(way, 13.3840, 52.5200, accuracy=5)
    until(lambda: "m, straight line" in way.text("#way-distance") and "440" not in way.text("#way-distance"))
    move(way, 13.38415, 52.52, accuracy=40)
    until(lambda: way.find(".way-told").get_attribute("data-standing") in ("near", "edge"))
    # The engine believes it after fixes that agree for a while.
    steps = iter(range(1_000_000))
    until(lambda: move(way, 13.385 + next(steps) % 2 * 1e-5, 52.52, accuracy=5)
          or way.find(".way-told").get_attribute("data-standing") == "inside", seconds=120)
    assert "As this phone sees it" in way.text("#way-standing")
    assert "server" in way.text("#way-standing")


def test_another_point_can_be_chosen_and_the_nearest_again(way):
    way.find(".way-points button", ).filter(has_text="Gate field").click()
    until(lambda: way.text("#way-point") == "Gate field")
    way.find("#way-nearest").click()
    until(lambda: way.text("#way-point") == "Tower square")


def turn_phone(page, alpha):
    """Turns the phone once more: a compass that is not heard for three seconds is over."""
    page.script("""(alpha) => dispatchEvent(Object.assign(new Event("deviceorientationabsolute"),
        { absolute: true, alpha, beta: 0, gamma: 0 }))""", alpha)


def test_the_arrow_turns_by_the_compass(way):
    needle = ".way-arrow g:has(.needle)"
    until(lambda: turn_phone(way, 270) or "by the compass" in way.text("#way-heading"))
    until(lambda: turn_phone(way, 270) or "ahead" in way.text("#way-direction"))
    before = way.find(needle).get_attribute("style")
    # The phone is turned to the south: the point lies to the left.
    until(lambda: turn_phone(way, 180) or "to your left" in way.text("#way-direction"))
    assert way.find(needle).get_attribute("style") != before


def test_who_does_not_report_their_place_can_still_read_the_way_and_nothing_is_sent(page):
    page.open().sign_in("mia", password)
    page.show("way")
    until(lambda: page.is_shown("#way-here"))
    until(lambda: "Tower square" in page.text(".way-points") and "Gate field" in page.text(".way-points"))
    sent = []
    page.tab.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    page.find("#way-here").click()
    until(lambda: "440" in page.text("#way-distance"))
    assert not [address for address in sent if "positions" in address]


def test_the_map_draws_the_own_place_and_the_way_and_no_frame_while_nothing_changes(way):
    way.open_map()
    drawn = way.script("() => Object.fromEntries(Object.entries(musterMap.drawn).map(([name, text]) =>"
                       " [name, JSON.parse(text).features]))")
    assert drawn["me"][0]["geometry"]["coordinates"] == [here["longitude"], here["latitude"]]
    assert drawn["me"][0]["properties"]["reach"] > 12
    assert len(drawn["way"]) == 1 and len(drawn["regions"]) == 4
    assert [each["properties"]["muster"] for each in drawn["regions"]].count(True) == 2
    # Until all is drawn; then a fix that says the same place changes nothing.
    way.script("() => new Promise((idle) => { const look = () => musterMap.library.loaded() && !musterMap.library"
               "._frameRequest ? idle() : setTimeout(look, 50); look(); })")
    way.script("() => { globalThis.frames_ = 0; musterMap.library.on('render', () => { frames_ += 1; }); }")
    move(way, here["longitude"], here["latitude"])
    way.script("() => new Promise((seen) => setTimeout(seen, 1500))")
    assert way.script("() => frames_") == 0
    move(way, 13.3790, 52.5200)
    until(lambda: way.script("() => frames_") > 0)
    until(lambda: way.script("() => JSON.parse(musterMap.drawn.me).features[0].geometry.coordinates[0]") == 13.379)
    assert not way.faults()


def test_with_the_server_dead_the_page_opens_again_and_shows_the_way_and_the_map(way, server):
    until(way.is_kept, seconds=60)
    way.open_map()
    # What the map asked for goes through the worker once it is in control.
    way.reload()
    until(way.is_live)
    way.show("way")
    way.open_map()
    until(lambda: way.script(world_is_kept))
    server.kill()
    way.reload()
    until(lambda: way.script(f"() => {way.state}?.own !== undefined"))
    way.show("way")
    until(lambda: "440" in way.text("#way-distance"))
    until(lambda: way.text("#way-point") == "Tower square" and "Their yard" not in way.text(".way"))
    way.open_map()
    until(lambda: [state for _, state in way.tile_states("basemap:world")] == ["loaded"])
    move(way, 13.3790, 52.5200)
    until(lambda: "440" not in way.text("#way-distance"))
    # A refused connection is an error to the browser's console.
    assert all("net::ERR" in fault or "Failed to load" in fault for fault in way.faults())


def test_the_way_is_clean_for_everybody_in_every_language(way):
    for language in ("en", "es", "ja", "zh"):
        way.show("phone")
        way.speak(language)
        way.show("way")
        until(lambda: way.text("#way-distance"))
        if language == "en":
            way.open_map()
        check_clean(way, f"way-{language}", is_translation=language != "en")
        if language == "en":
            way.find("#way-map-button").click()
