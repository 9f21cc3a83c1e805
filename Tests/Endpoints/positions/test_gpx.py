"""Real tracks through the real API: their crossings, and what comes out again to the last digit."""

import csv
import io
import json
import math
import subprocess
from xml.etree import ElementTree

import pytest
from shapely.geometry import Point, shape

from muster_process import binary, run
from native_api import NativeApi, milliseconds, now, stamp
from real_tracks import expected, regions
from terminal import shown

earth_radius = 6_371_008.8


def points(file, *kinds):
    """The (latitude, longitude) of every point of a GPX file, in order, as the file writes them."""
    found = []
    for element in ElementTree.parse(file).getroot().iter():
        if element.tag.rpartition("}")[2] in kinds:
            found.append((element.get("lat"), element.get("lon")))
    return found


def pace(file, kind="trkpt"):
    """The options that a file without times needs."""
    points = [element for element in ElementTree.parse(file).getroot().iter() if element.tag.rpartition("}")[2] == kind]
    timed = any(child.tag.rpartition("}")[2] == "time" for point in points for child in point)
    return [] if timed else ["--start", stamp(now() - 86_400_000), "--speed", "1.4"]


def numbers(pairs):
    return [(float(latitude), float(longitude)) for latitude, longitude in pairs]


# MARK: What is expected


def covers(feature, latitude, longitude):
    """Whether a region holds a point, an edge included: by shapely; of a circle by the distance on a sphere."""
    radius = feature["properties"].get("radius")
    if radius is None:
        return shape(feature["geometry"]).covers(Point(longitude, latitude))
    east, north = feature["geometry"]["coordinates"]
    first, second = math.radians(north), math.radians(latitude)
    half = math.sin((second - first) / 2) ** 2 + (
        math.cos(first) * math.cos(second) * math.sin(math.radians(longitude - east) / 2) ** 2)
    distance = 2 * earth_radius * math.asin(math.sqrt(half))
    # A sphere is half a per cent off at most; nothing may hang on that.
    assert abs(distance - radius) > radius * 0.01
    return distance <= radius


def crossings(track, features):
    """Every crossing of a track as (kind, region, number of the point): exits before enters at each."""
    found, inside = [], set()
    for number, place in enumerate(track):
        now = {feature["id"] for feature in features if covers(feature, *place)}
        order = [feature["id"] for feature in features]
        found += [("exit", region, number) for region in order if region in inside - now]
        found += [("enter", region, number) for region in order if region in now - inside]
        inside = now
    return found


@pytest.mark.parametrize("name", sorted(expected))
def test_the_crossings_found_by_hand_are_those_of_shapely(test_data, name):
    track = numbers(points(test_data / f"gpx/{name}.gpx", "trkpt"))
    assert crossings(track, regions[name]) == expected[name]


# MARK: What Muster makes of it


class Field:
    """A server with a team for each track."""

    def __init__(self, server):
        self.server = server
        self.admin = server.admin()
        self.made = 0

    def hike(self, features=()):
        """A team of one with these regions; its device."""
        self.made += 1
        team = f"team{self.made}"
        self.admin.make_team(team, features)
        self.admin.make_user(f"hiker{self.made}", "member", team)
        return f"hiker{self.made}/phone", self.admin.make_device(f"hiker{self.made}").token

    def walk(self, device):
        """What is stored of a device."""
        return [(position["latitude"], position["longitude"]) for position in self.admin.history(device)]


@pytest.fixture(scope="module")
def field(server):
    return Field(server)


@pytest.mark.parametrize("name", sorted(expected))
def test_a_replayed_track_has_the_expected_crossings(field, test_data, name):
    file = test_data / f"gpx/{name}.gpx"
    track = numbers(points(file, "trkpt"))
    device, token = field.hike(regions[name])
    since = field.admin.last_sequence()
    said = run("replay", file, "--server", field.server.address, "--token", token, "--at-once", *pace(file))
    assert f"{len(track)} accepted, 0 late, 0 repeated, 0 filtered" in said
    assert field.walk(device) == track
    times = [position["sampleTime"] for position in field.admin.history(device)]
    changes = [change for change in field.admin.changes(since) if change.get("device") == device]
    found = [
        (change["kind"], change["region"]["id"], times.index(change["sampleTime"]))
        for change in changes if change["type"] == "crossing"]
    assert found == expected[name]
    # A track without accuracies makes nobody safe outside of the muster region of the track.
    muster_region = next(feature["id"] for feature in regions[name] if feature["properties"].get("muster"))
    safe = [
        change for change in field.admin.changes(since)
        if change["type"] == "safety" and change["user"] == device.split("/")[0] and change["state"] == "safe"]
    for change in safe:
        assert change["region"]["id"] == muster_region
        number = times.index(change["since"])
        kinds = [kind for kind, region, at in expected[name] if region == muster_region and at <= number]
        assert kinds[-1:] == ["enter"]


def test_the_whole_folder_of_tracks_is_replayed_in_order(field, test_data):
    files = [file for file in sorted((test_data / "gpx").glob("*.gpx")) if points(file, "trkpt") and not pace(file)]
    assert len(files) > 5
    track = [place for file in files for place in numbers(points(file, "trkpt"))]
    device, token = field.hike()
    said = run("replay", *files, "--server", field.server.address, "--token", token, "--at-once")
    assert "points have no time: theirs are estimated" in said
    assert field.walk(device) == track


def test_a_track_without_times_is_walked_only_at_a_given_speed(field, tmp_path):
    file = tmp_path / "plain.gpx"
    file.write_text('<gpx><trk><trkseg><trkpt lat="47" lon="8"/><trkpt lat="47.001" lon="8"/></trkseg></trk></gpx>')
    device, token = field.hike()
    command = ["replay", file, "--server", field.server.address, "--token", token, "--at-once"]
    for options in ([], ["--speed", "2"], ["--start", stamp(now() - 3_600_000)]):
        said = run(*command, *options, status=1)
        assert "none of its 2 points has a time" in said and "--start" in said and "--speed" in said
    assert field.walk(device) == []
    start = stamp(now() - 3_600_000)
    assert "the times are made up, at 2.0 m/s" in run(*command, "--start", start, "--speed", "2")
    first, second = [position["sampleTime"] for position in field.admin.history(device)]
    assert first == start
    # 0.001° of latitude are 111.2 m.
    assert 55_000 < milliseconds(second) - milliseconds(first) < 56_000
    ahead = run(*command, "--start", stamp(now()), "--speed", "0.1", status=1)
    assert "would end in the future" in ahead


def test_a_file_of_routes_or_waypoints_says_so_and_is_walked_by_an_option(field, tmp_path):
    file = tmp_path / "plan.gpx"
    file.write_text(
        '<gpx><wpt lat="46" lon="7"/><rte><rtept lat="47" lon="8"/><rtept lat="47.001" lon="8"/></rte></gpx>')
    device, token = field.hike()
    command = ["replay", file, "--server", field.server.address, "--token", token, "--at-once"]
    said = run(*command, status=1)
    assert "has no track points; it has 2 route points, which are walked with --route, and 1 waypoints" in said
    pace = ["--start", stamp(now() - 3_600_000), "--speed", "1"]
    assert "2 accepted" in run(*command, "--route", *pace)
    assert field.walk(device) == [(47, 8), (47.001, 8)]
    assert "1 accepted" in run(*command, "--waypoints", "--start", stamp(now() - 60_000), "--speed", "1")
    assert field.walk(device)[-1] == (46, 7)


def test_a_replay_takes_its_time(field, test_data):
    device, token = field.hike()
    file = test_data / "gpx/track-with-empty-segment.gpx"
    track = numbers(points(file, "trkpt"))
    run("replay", file, "--server", field.server.address, "--token", token, "--speed", "1000")
    assert field.walk(device) == track


def test_a_replay_shows_a_person_how_far_it_is_and_a_script_nothing(field, tmp_path):
    fixes = "".join(
        f'<trkpt lat="1" lon="{index / 1000}"><time>{stamp(1_700_000_000_000 + 1000 * index)}</time></trkpt>'
        for index in range(2_500))
    (tmp_path / "long.gpx").write_text(f"<gpx><trk><trkseg>{fixes}</trkseg></trk></gpx>")
    _, token = field.hike()
    command = [binary, "replay", "long.gpx", "--server", field.server.address, "--token", token, "--at-once"]
    text, result = shown(command, tmp_path, stream="stderr")
    steps = [line.split(" ", 1)[1] for line in text.split("\r")[1:] if "%" in line]
    assert steps == ["40 %  1000 of 2500", "80 %  2000 of 2500", "100 %  2500 of 2500"]
    assert "2500 accepted" in result
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, check=True, timeout=60).stderr == b""


def test_noise_moves_every_fix_a_little_and_states_the_accuracy(field, test_data):
    device, token = field.hike()
    file = test_data / "gpx/Mojstrovka.gpx"
    track = numbers(points(file, "trkpt"))
    run("replay", file, "--server", field.server.address, "--token", token, "--at-once", "--noise")
    history = field.admin.history(device)
    assert len(history) == len(track)
    # Some fixes come without, as real ones do.
    assert sum(position.get("accuracy", 0) > 0 for position in history) > len(history) / 2
    away = sorted(
        math.hypot((position["latitude"] - y) * 111_000, (position["longitude"] - x) * 76_000)
        for position, (y, x) in zip(history, track))
    # Now and then a phone believes a mast: the middle of all errors tells how it is mostly.
    assert 1 < away[len(away) // 2] < 50


# MARK: Out again


@pytest.fixture(scope="module")
def walked(field, test_data):
    """A device that walked a track with many digits; the track as its file writes it."""
    file = test_data / "gpx/around-visnjan-with-car.gpx"
    device, token = field.hike()
    run("replay", file, "--server", field.server.address, "--token", token, "--at-once")
    return device, numbers(points(file, "trkpt"))


def read_gpx(text):
    root = ElementTree.fromstring(text)
    assert root.tag == "{http://www.topografix.com/GPX/1/1}gpx" and root.get("version") == "1.1"
    places, times = [], []
    for point in root.iter("{http://www.topografix.com/GPX/1/1}trkpt"):
        places.append((float(point.get("lat")), float(point.get("lon"))))
        times.append(point.findtext("{http://www.topografix.com/GPX/1/1}time"))
    return places, times


def read_csv(text):
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    return [(float(row["latitude"]), float(row["longitude"])) for row in rows], [row["sampleTime"] for row in rows]


def read_geojson(text):
    document = json.loads(text)
    assert document["type"] == "FeatureCollection"
    features = document["features"]
    assert all(feature["geometry"]["type"] == "Point" for feature in features)
    return (
        [tuple(reversed(feature["geometry"]["coordinates"][:2])) for feature in features],
        [feature["properties"]["sampleTime"] for feature in features])


def read_ndjson(text):
    rows = [json.loads(line) for line in text.splitlines()]
    return [(row["latitude"], row["longitude"]) for row in rows], [row["sampleTime"] for row in rows]


readers = {"gpx": read_gpx, "csv": read_csv, "geojson": read_geojson, "ndjson": read_ndjson}
media_types = {
    "gpx": "application/gpx+xml", "csv": "text/csv", "geojson": "application/geo+json",
    "ndjson": "application/x-ndjson"}


@pytest.mark.parametrize("form", sorted(readers))
def test_replayed_positions_are_exported_to_the_last_digit(field, walked, form):
    device, track = walked
    history = field.admin.history(device)
    places, times = readers[form](run("export", "--device", device, "--format", form, data=field.server.data))
    assert places == track
    assert [milliseconds(time) for time in times] == [milliseconds(position["sampleTime"]) for position in history]


@pytest.mark.parametrize("form", sorted(readers))
def test_the_api_exports_the_same_by_format_name_and_by_media_type(field, walked, form):
    device, track = walked
    path = f"/users/{device.split('/')[0]}/devices/phone/positions"
    named = field.admin.send("GET", f"{path}?format={form}")
    typed = field.admin.send("GET", path, headers={"Accept": media_types[form]})
    assert named.headers["Content-Type"].split(";")[0] == media_types[form]
    assert named.content == typed.content
    assert readers[form](named.text)[0] == track


@pytest.mark.parametrize("form", sorted(readers))
def test_a_part_of_the_time_is_exported_with_its_first_moment_and_without_its_last(field, walked, form):
    device, track = walked
    times = [position["sampleTime"] for position in field.admin.history(device)]
    text = run(
        "export", "--device", device, "--format", form, "--from", times[10], "--to", times[20], data=field.server.data)
    assert readers[form](text)[0] == track[10:20]


def test_positions_exported_as_gpx_can_be_replayed(field, walked, tmp_path):
    device, track = walked
    (tmp_path / "again.gpx").write_text(run("export", "--device", device, "--format", "gpx", data=field.server.data))
    other, token = field.hike()
    run("replay", tmp_path / "again.gpx", "--server", field.server.address, "--token", token, "--at-once")
    assert field.walk(other) == track


def test_pages_of_a_history_put_together_are_the_history(field, walked):
    device, track = walked
    path = f"/users/{device.split('/')[0]}/devices/phone/positions?limit=7"
    found, cursor = [], ""
    while cursor is not None:
        page = field.admin.ok("GET", path + cursor)
        assert len(page["items"]) <= 7
        found += [(position["latitude"], position["longitude"]) for position in page["items"]]
        cursor = "&cursor=" + page["nextCursor"] if "nextCursor" in page else None
    assert found == track


@pytest.mark.parametrize("content, words", [
    ("<gpx>", "broken.gpx"), ("", "broken.gpx"), ("{}", "broken.gpx"), ("<html></html>", "broken.gpx"),
    ('<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"></gpx>', "no other point"),
    ('<gpx><trk><trkseg><trkpt lat="91" lon="0"/></trkseg></trk></gpx>', "broken.gpx"),
    ('<gpx><trk><trkseg><trkpt lat="x" lon="0"/></trkseg></trk></gpx>', "broken.gpx"),
    ('<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><gpx>&b;</gpx>', "broken.gpx"),
])
def test_a_file_that_is_not_a_track_is_refused_by_name(field, tmp_path, content, words):
    device, token = field.hike()
    (tmp_path / "broken.gpx").write_text(content)
    said = run(
        "replay", tmp_path / "broken.gpx", "--server", field.server.address, "--token", token, "--at-once", status=1)
    assert words in said
    assert "root:" not in said
    assert field.walk(device) == []


def test_a_replay_with_a_wrong_token_fails_with_the_reason(field, test_data):
    said = run(
        "replay", test_data / "gpx/unicode.gpx", "--server", field.server.address, "--token", "md_wrong", "--at-once",
        status=1)
    assert said.strip()
    assert NativeApi(field.server.address).send("GET", "//health").ok
