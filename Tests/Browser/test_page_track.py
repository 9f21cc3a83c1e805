"""The whole track of a device on the live page: every point, also of a walk during which the server was killed."""

import os
import pathlib
import re
import subprocess
import time
from datetime import datetime, timedelta, timezone

import pytest

from live_page import LivePage
from live_server import LiveServer, Phone, password, root, until

needs_map = True
point_count = 180
south, longitude = 52.0, 13.1


@pytest.fixture(scope="module")
def own_server(tmp_path_factory):
    """One that may be killed."""
    server = LiveServer(tmp_path_factory.mktemp("track"))
    server.start()
    server.make_team("walkers", [])
    yield server
    server.stop()


@pytest.fixture
def own_page(context, own_server):
    page = LivePage(context, own_server)
    yield page
    page.close()


def words(page):
    return page.text("#track-words")


def is_heard(page, user):
    row = page.row(user) or ""
    return "heard" in row and "never" not in row


def drawn(page):
    """The points of the track that the map draws, in their order."""
    return page.script("() => muster.drawnTrack()")


def write_walk(path):
    """A GPX file of an hour's walk to the north."""
    start = datetime(2024, 1, 1, tzinfo=timezone.utc)
    points = (
        f'<trkpt lat="{south + index * 0.0003:.4f}" lon="{longitude}"><time>'
        f'{(start + timedelta(seconds=20 * index)).strftime("%Y-%m-%dT%H:%M:%SZ")}</time></trkpt>'
        for index in range(point_count))
    path.write_text(f'<gpx version="1.1"><trk><trkseg>{"".join(points)}</trkseg></trk></gpx>')
    return path


def start_walk(server, folder):
    """`muster track`, signed in."""
    (folder / "password").write_text(password)
    log = folder / "track.log"
    binary = os.environ.get("MUSTER_BINARY", str(root / ".build/debug/muster"))
    with open(log, "ab") as output:
        walker = subprocess.Popen(
            [binary, "track", str(write_walk(folder / "walk.gpx")), "--server", server.address, "--user", "ann",
             "--password-file", str(folder / "password"), "--store", str(folder / "store"), "--every-fix",
             "--read-every", "0.1", "--emit-every", "0.3", "--speed", "300"],
            cwd=root, stdout=output, stderr=output, stdin=subprocess.DEVNULL)
    until(lambda: "Signed in" in log.read_text(), seconds=60)
    return walker, log


def count_stored(server):
    """How many points of the walk the server has."""
    return len(server.ask("GET", "users/ann/devices/phone/positions?limit=1000")["items"])


def test_every_point_is_on_the_page_after_the_server_was_killed(own_page, own_server, tmp_path):
    page, server = own_page, own_server
    server.make_user("ann", "member", "walkers")
    walker, log = start_walk(server, tmp_path)
    try:
        page.open().sign_in()
        until(lambda: is_heard(page, "ann"))
        for _ in range(2):
            kept, stored = log.read_text().count("kept here: "), count_stored(server)
            server.kill()
            # The walk goes on meanwhile, and its end is no reason to wait.
            until(lambda: log.read_text().count("kept here: ") > kept or walker.poll() is not None)
            server.start()
            until(lambda: count_stored(server) > stored or walker.poll() is not None)
        assert walker.wait(120) == 0, log.read_text()
    finally:
        walker.kill()
        walker.wait()
    page.reload()
    until(lambda: page.is_live() and page.row("ann"))
    page.row_of("ann").locator(".person").press("Enter")
    page.find("#track-span").select_option("day")
    until(lambda: words(page).startswith(f"{point_count} points, "))
    # While the map still comes closer, its points are as rough as those of a map from afar.
    walked = pytest.approx([south + index * 0.0003 for index in range(point_count)], abs=1e-4)
    until(lambda: [point["coordinates"][1] for point in drawn(page)] == walked)
    if "MUSTER_SCREENSHOTS" in os.environ:
        time.sleep(1.5)  # The picture is for a person: let the view settle.
        page.save_picture(pathlib.Path(os.environ["MUSTER_SCREENSHOTS"]) / "track.png")


def test_a_track_that_is_there_before_the_map_is_shown_whole(context, own_page, own_server):
    page, server = own_page, own_server
    fay = server.make_member("fay", "walkers")
    fay.sampled = datetime.now(timezone.utc) - timedelta(minutes=5)
    for index in range(5):
        fay.report((13.4, 52.1 + index * 0.01), 20)
    held = []
    context.route("**/maplibre-gl.js", lambda route: held.append(route))
    page.open().sign_in()
    page.open_track("fay")
    until(lambda: words(page).startswith("5 points, ") and held)
    # Choosing a span makes the page read the track again, before the map is there. It must not count as shown yet.
    with page.tab.expect_response("**/positions?**"):
        page.find("#track-span").select_option("day")
    until(lambda: words(page).startswith("5 points, "))
    held[0].continue_()
    until(lambda: len(drawn(page)) == 5)


def test_a_track_grows_while_it_is_selected_and_a_late_point_takes_its_place_in_it(own_page, own_server):
    page, server = own_page, own_server
    ben = server.make_member("ben", "walkers")
    begin = datetime.now(timezone.utc)
    ben.sampled = begin
    ben.report((13.2, 52.1), 0)
    page.open().sign_in()
    until(lambda: is_heard(page, "ben"))
    page.open_track("ben")
    until(lambda: words(page).startswith("1 point, "))
    until(lambda: page.row_of("ben").locator(".person").get_attribute("aria-current") == "true")
    # Sampled now: a position that reaches the server more than a minute later counts as late.
    ben.sampled = max(datetime.now(timezone.utc), begin + timedelta(seconds=1))
    ben.report((13.201, 52.1), 0)
    until(lambda: words(page).startswith("2 points, "))
    # What was recorded in a dead zone ten minutes ago comes now, and between it and the rest nothing.
    server.ask("POST", "positions", Phone.fix((13.199, 52.1), begin - timedelta(minutes=10)), ben.token)
    until(lambda: re.fullmatch(r"3 points, \S+ to \S+; 1 of them came late \(hollow\)", words(page)))
    track = page.script("() => muster.track.points.map(({longitude, isLate}) => [longitude, isLate])")
    assert track == [[13.199, True], [13.2, False], [13.201, False]]
    until(lambda: [point["isHollow"] for point in drawn(page)] == [True, False, False])
    # After a reload it is told in the same words.
    page.reload()
    until(page.is_live)
    page.open_track("ben")
    until(lambda: "3 points, " in words(page) and "1 of them came late" in words(page))


def test_a_span_and_a_device_are_chosen_by_keyboard_and_the_track_is_closed(own_page, own_server):
    page, server = own_page, own_server
    eva = server.make_member("eva", "walkers")
    now = datetime.now(timezone.utc)
    for hours in (50, 20, 0):
        server.ask("POST", "positions", Phone.fix((13.3, 52.2), now - timedelta(hours=hours)), eva.token)
    server.ask("POST", "users/eva/devices", {"name": "watch"})
    watch = {**Phone.fix((13.31, 52.2), now - timedelta(minutes=5)), "device": "eva/watch"}
    server.ask("POST", "positions", watch)
    page.open().sign_in()
    until(lambda: page.row("eva"))
    row = page.row_of("eva").locator(".person")
    row.press("Enter")
    until(lambda: words(page).startswith("1 point, "))
    until(lambda: page.find("#track-span").input_value() == "hour"
          and page.find("#track-device").input_value() == "eva/phone")
    page.find("#track-span").press("End")
    until(lambda: words(page).startswith("3 points, "))
    page.find("#track-span").press("ArrowUp")
    until(lambda: words(page).startswith("2 points, "))
    page.find("#track-span").press("Home")
    until(lambda: words(page).startswith("1 point, "))
    page.find("#track-device").press("End")
    until(lambda: words(page).startswith("1 point, ")
          and [point["coordinates"][0] for point in drawn(page)] == [pytest.approx(13.31, abs=1e-3)])
    page.find("#person-close").press("Enter")
    until(lambda: not page.is_shown("#track") and drawn(page) == [])
    until(lambda: row.evaluate("(row) => row === document.activeElement"))
