"""Downloading the map of an area on a phone: whole, interrupted, renewed, removed, and read without a server."""

import pytest

from live_server import LiveServer, box, root, until
from me_page import MePage, check_clean, password, phone_profile
from tile_files import write_pictures

site = (13.35, 52.50, 13.41, 52.53)
west, south = 13.3760, 52.5150
here = {"longitude": 13.3777, "latitude": 52.5145, "accuracy": 12}
needs_map = True
profile = {**phone_profile, "geolocation": here, "permissions": ["geolocation"]}


@pytest.fixture(scope="module")
def tiles(tmp_path_factory):
    path = tmp_path_factory.mktemp("tiles") / "site.mbtiles"
    write_pictures(path, site, range(8, 17))
    return path


@pytest.fixture(scope="module")
def server(tmp_path_factory, tiles):
    server = LiveServer(tmp_path_factory.mktemp("muster"), ["--web", str(root / "Web"), "--tiles", f"site={tiles}"])
    server.start()
    server.make_team("north", [box("gate", "Gate field", west, south, muster=True)])
    server.ask("POST", "users", {"name": "mia", "role": "member", "team": "north", "password": password})
    yield server
    server.stop()


@pytest.fixture
def routed(browsers):
    """A profile without the app's worker, whose requests a test cannot hold."""
    context = browsers.context(service_workers="block", **profile)
    yield context
    context.close()


def opened(context, server):
    if server.process.poll() is not None:
        server.start()
    page = MePage(context, server)
    page.open().sign_in("mia", password)
    page.show("way")
    until(lambda: page.is_shown("#area-offer"))
    return page


@pytest.fixture
def page(context, server):
    page = opened(context, server)
    yield page
    assert not page.foreign_requests()


def areas(page):
    """The downloaded areas that the page knows."""
    return page.script(f"() => {page.state}.area.areas.map(({{ id, isComplete, count, bytes, isOutdated, about }}) =>"
                       " ({ id, isComplete, count, bytes, isOutdated, tiles: about.tiles }))")


def offer(page):
    page.find("#area-offer").click()
    until(lambda: page.is_shown("#area-begin"))


def download(page):
    offer(page)
    page.find("#area-begin").click()
    until(lambda: "downloaded" in page.text("#area-ended"), seconds=60)


def count(page, held):
    """The number of held requests. Playwright only reports requests while the test calls the page."""
    page.script("() => undefined")
    return len(held)


def stored_files(page):
    """The names of the files that the browser keeps for the page."""
    return page.script("""async () => {
        const names = [];
        const root = await navigator.storage.getDirectory();
        for await (const name of root.keys()) {
            for await (const file of (await root.getDirectoryHandle(name)).keys()) { names.push(file); }
        }
        return names;
    }""")


def press(page, name):
    page.find(".area-list").get_by_role("button", name=name, exact=True).first.click()


def test_what_a_download_takes_is_said_before_and_what_there_is_afterwards(page):
    offer(page)
    levels = page.texts("#area-level option")
    assert levels[0].startswith("16: ") and "tiles, ≈" in levels[0] and "MB" in levels[0]
    assert "At most" in page.text("#area-limit")
    page.find("#area-begin").click()
    until(lambda: "downloaded" in page.text("#area-ended"), seconds=60)
    [area] = areas(page)
    assert area["isComplete"] and area["count"] == area["tiles"] == int(levels[0].split()[1].replace(",", ""))
    assert len(stored_files(page)) == 1
    # It is there when the page is opened again, and gone when it is removed.
    page.reload()
    until(page.is_live)
    page.show("way")
    until(lambda: "level 16" in page.text(".area-list"))
    press(page, "Remove…")
    press(page, "Remove now")
    until(lambda: areas(page) == [])
    assert stored_files(page) == []
    assert not page.faults()


def test_an_area_draws_the_map_where_the_server_is_dead_and_no_tile_is_in_any_cache(page, server):
    until(page.is_kept, seconds=60)
    page.reload()
    until(page.is_live)
    page.show("way")
    until(lambda: page.is_shown("#area-offer"))
    download(page)
    server.kill()
    page.script("() => caches.delete('muster-tiles-1')")
    page.reload()
    until(lambda: page.script(f"() => {page.state}?.area?.areas?.length === 1"))
    page.show("way")
    press(page, "Show on the map")
    until(page.is_map_drawn, seconds=60)
    # The map may still be on its way to the area.
    until(lambda: {state for _, state in page.tile_states("basemap:site")} == {"loaded"})
    # Deeper than the area goes: the source ends where it does, and the map draws the tiles of there, enlarged.
    page.script("() => musterMap.library.jumpTo({ zoom: 18 })")
    until(page.is_map_drawn, seconds=60)
    until(lambda: max((zoom for zoom, _ in page.tile_states("basemap:site")), default=0) == 16)
    until(lambda: "loaded" in {state for _, state in page.tile_states("basemap:world")})


def test_a_download_is_paused_and_goes_on_with_what_it_has_also_after_the_page_was_closed(routed, server):
    context, page = routed, opened(routed, server)
    asked = []
    context.on("request", lambda request: asked.append(request.url) if "/tiles/" in request.url else None)
    offer(page)
    # The first tiles come, and then the server holds its breath.
    held = []
    context.route("**/tiles/site/16/**", lambda route: held.append(route))
    page.find("#area-begin").click()
    until(lambda: count(page, held) >= 4, seconds=60)
    # It tells of its progress from time to time.
    done = until(lambda: (told := page.script(f"() => {page.state}.area.job.done")) > 20 and told)
    until(lambda: "of" in page.text("#area-progress"))
    page.find("#area-pause").click()
    until(lambda: len(areas(page)) == 1 and not page.script(f"() => Boolean({page.state}.area.job)"))
    [area] = areas(page)
    assert not area["isComplete"] and area["count"] >= done
    context.unroute("**/tiles/site/16/**")
    page.reload()
    until(page.is_live)
    page.show("way")
    until(lambda: "Not whole" in page.text(".area-list"))
    asked.clear()
    press(page, "Continue")
    until(lambda: "downloaded" in page.text("#area-ended"), seconds=60)
    [whole] = areas(page)
    assert whole["id"] == area["id"] and whole["isComplete"] and whole["count"] == whole["tiles"]
    assert len([url for url in asked if "/tiles/site/1" in url]) <= whole["tiles"] - area["count"] + 8


def test_a_server_that_dies_is_waited_for_and_the_download_ends_by_itself(routed, server):
    context, page = routed, opened(routed, server)
    offer(page)
    held, is_dead = [], []
    context.route("**/tiles/site/16/**", lambda route: route.continue_() if is_dead else held.append(route))
    page.find("#area-begin").click()
    until(lambda: count(page, held) >= 4, seconds=60)
    server.kill()
    is_dead.append(True)
    for route in held:
        route.abort()
    until(lambda: "does not answer" in page.text("#area-progress"))
    server.start()
    until(lambda: "downloaded" in page.text("#area-ended"), seconds=90)
    assert all(area["count"] == area["tiles"] for area in areas(page))


def test_a_new_version_of_the_servers_file_is_noticed_and_loaded(page, server, tiles):
    download(page)
    [before] = areas(page)
    server.stop()
    write_pictures(tiles, site, range(8, 17), tint=90)
    server.start()
    page.reload()
    until(page.is_live)
    page.show("way")
    until(lambda: "newer map" in page.text(".area-list"))
    press(page, "Renew")
    until(lambda: "downloaded" in page.text("#area-ended"), seconds=60)
    [after] = areas(page)
    assert after["id"] != before["id"] and after["isComplete"] and not after["isOutdated"]
    assert len(stored_files(page)) == 1


def test_a_browser_that_keeps_no_files_says_so(context, server):
    context.add_init_script("navigator.storage.getDirectory = () => Promise.reject(new DOMException('no',"
                            " 'SecurityError'));")
    page = MePage(context, server)
    page.open().sign_in("mia", password)
    page.show("way")
    until(lambda: "keeps no files" in page.text(".area-problem"))
    assert not page.is_shown("#area-offer")
    # The map itself works.
    page.open_map()


def test_a_damaged_file_is_said_and_can_be_removed(page):
    download(page)
    page.script("""async () => {
        const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle("muster-areas");
        for await (const handle of folder.values()) {
            const writable = await handle.createWritable({ keepExistingData: true });
            await writable.write({ type: "write", position: 0, data: "damaged!" });
            await writable.close();
        }
    }""")
    page.reload()
    until(page.is_live)
    page.show("way")
    until(lambda: "damaged" in page.text(".area-list"))
    page.open_map()
    press(page, "Remove…")
    press(page, "Remove now")
    until(lambda: areas(page) == [])


def test_a_full_disk_is_said_and_what_came_stays(routed, server):
    context, page = routed, opened(routed, server)
    offer(page)
    # The area worker has globals of its own, so the script that fills its disk must run in the worker.
    def script(address, body):
        context.route(address, lambda route: route.fulfill(content_type="text/javascript", body=body))
    script("**/me/area/area-worker.js", 'import "./full.js"; import "./area-worker.js?again";')
    script("**/me/area/full.js", """
            let room = 200000;
            const write = FileSystemSyncAccessHandle.prototype.write;
            FileSystemSyncAccessHandle.prototype.write = function (bytes, at) {
                room -= bytes.byteLength;
                if (room < 0) { throw new DOMException("full", "QuotaExceededError"); }
                return write.call(this, bytes, at);
            };""")
    context.route("**/me/area/area-worker.js?again", lambda route: route.continue_(
        url=route.request.url.replace("?again", "")))
    page.find("#area-begin").click()
    until(lambda: "no room" in page.text("#area-ended") and areas(page), seconds=60)
    [area] = areas(page)
    assert not area["isComplete"] and 1 < area["count"] < area["tiles"]


def test_the_part_is_clean_for_everybody_in_every_language(page):
    download(page)
    for language in ("en", "es", "ja", "zh"):
        page.show("phone")
        page.speak(language)
        page.show("way")
        until(lambda: page.is_shown("#area-offer"))
        offer(page)
        check_clean(page, f"area-{language}", is_translation=language != "en")
        page.find(".area-offer .plain").click()
