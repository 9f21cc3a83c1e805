"""Overland's batches over a real socket: what `GLManager.m` in aaronpk/Overland-iOS makes."""

import gzip
import json

import pytest

from native_api import milliseconds, now, stamp
from soak import rounds
from tracker_app import TrackerApp

json_type = {"Content-Type": "application/json"}


def feature(at, longitude=-6.058, latitude=43.5665, **more):
    return {
        "type": "Feature", "geometry": {"type": "Point", "coordinates": [longitude, latitude]},
        "properties": {
            "timestamp": stamp(at)[:19] + "Z", "altitude": 31, "speed": 4, "course": 90, "horizontal_accuracy": 8,
            "vertical_accuracy": 3, "speed_accuracy": 0.5, "course_accuracy": 10, "motion": ["walking"],
            "battery_state": "unplugged", "battery_level": 0.8, "device_id": "phone", "wifi": "at home", **more}}


@pytest.fixture(scope="module")
def make_app(server, admin):
    admin.make_team("north")
    made = 0

    def make():
        nonlocal made
        made += 1
        user = f"cyclist{made}"
        admin.make_user(user, "member", "north")
        app = TrackerApp(server, admin.make_device(user).token)
        app.headers = {**json_type, "Authorization": f"Bearer {app.token}"}
        app.user, app.name = user, f"{user}/phone"
        return app

    return make


def told(app, batch, path="/overland", headers=None):
    """Posts a batch that the app must be able to forget: it looks for this very answer."""
    status, fields, answer = app.send("POST", path, batch, headers)
    assert status == 200, answer
    assert fields["Content-Type"].startswith("application/json")
    assert json.loads(answer) == {"result": "ok"}


def test_a_batch_is_stored_once_however_often_it_comes(admin, make_app):
    app = make_app()
    start = now() // 1000 * 1000 - 100_000
    batch = {"locations": [feature(start + index * 1000) for index in range(50)], "current": feature(start + 90_000)}
    for _ in range(3):
        told(app, batch)
    history = admin.history(app.name)
    assert [milliseconds(position["sampleTime"]) - start for position in history] == list(range(0, 50_000, 1000))
    stored = {"latitude": 43.5665, "longitude": -6.058, "accuracy": 8, "altitude": 31, "speed": 4, "heading": 90,
              "battery": 80, "source": "overland", "attributes": {"charge": False, "motion": ["walking"]}}
    assert {key: history[0][key] for key in stored} == stored


def test_what_the_phone_does_not_know_is_left_out(admin, make_app):
    app = make_app()
    told(app, {"locations": [feature(now() - 5000, speed=-1, course=-1, vertical_accuracy=-1, battery_level=-1)]})
    (stored,) = admin.history(app.name)
    assert not {"speed", "heading", "altitude", "battery"} & set(stored)


def test_the_token_may_be_in_the_header_the_path_or_the_query(admin, make_app):
    app = make_app()
    start = now() - 50_000
    told(app, {"locations": [feature(start)]})
    bare = TrackerApp(app.server, headers=json_type)
    told(bare, {"locations": [feature(start + 1000)]}, f"/overland/{app.token}")
    told(bare, {"locations": [feature(start + 2000)]}, f"/overland?token={app.token}")
    assert len(admin.history(app.name)) == 3
    assert bare.send("POST", "/overland", {"locations": []})[0] == 401
    assert bare.send("POST", "/overland?token=md_guess", {"locations": []})[0] == 503


def test_a_compressed_batch_of_a_thousand_is_stored(admin, make_app):
    app = make_app()
    start = now() - 1_100_000
    batch = {"locations": [feature(start + index * 1000) for index in range(1000)]}
    told(app, gzip.compress(json.dumps(batch).encode()), headers={"Content-Encoding": "gzip"})
    assert len(admin.history(app.name)) == 1000


@pytest.mark.parametrize("batch", [
    b"", b"[]", b"{}", b'{"locations":{}}', b'{"locations":[', {"locations": [{}] * 1001}, {"locations": [{}] * 10_000},
    {"locations": [feature(0, latitude=91)]}, {"locations": [feature(0, timestamp="")]}, {"locations": [None]}])
def test_what_can_never_be_stored_is_acknowledged_and_kept_for_an_admin(admin, make_app, batch):
    app = make_app()
    told(app, batch)
    assert admin.history(app.name) == []
    reports = admin.items(f"/refused-reports?user={app.user}")
    assert [report["topic"] for report in reports] == ([] if batch == b"" else ["overland"])


# What may stand for a number that the phone does not know, or that something between printed in another notation.
strange_numbers = ["", '""', "null", "nan", "NaN", '"nan"', "-inf", "1e999", '"8,5"', '"8.5 m"', "{}", "[8.5]", "--5"]


def raw(at, text, *place):
    """A feature in which the member at a place is this text, also where that is no JSON. None leaves it out."""
    made = feature(at)
    holder = made
    for step in place[:-1]:
        holder = holder[step]
    if text is None:
        del holder[place[-1]]
        return json.dumps(made)
    holder[place[-1]] = "@"
    return json.dumps(made).replace('"@"', text)


def doubled(at, name, values):
    """A feature with a property that comes twice."""
    members = ", ".join(f'"{name}": {value}' for value in values)
    return json.dumps(feature(at, **{name: "@"})).replace(f'"{name}": "@"', members)


@pytest.mark.parametrize("name, stored_as, out_of_range", [
    ("altitude", "altitude", ["-1e8", "1e8"]), ("speed", "speed", ["-1", "1e7"]),
    ("course", "heading", ["-1", "361"]), ("horizontal_accuracy", "accuracy", ["-1", "0", "1e9"]),
    ("battery_level", "battery", ["-1", "80", "1.01"])])
def test_a_number_that_is_none_is_unknown_and_costs_nothing_else(admin, make_app, name, stored_as, out_of_range):
    app = make_app()
    start = now() // 1000 * 1000 - 100_000
    texts = [None, *strange_numbers, *out_of_range]
    features = [raw(start + index * 1000, text, "properties", name) for index, text in enumerate(texts)]
    features.append(doubled(start + len(texts) * 1000, name, [1, 0.5]))
    told(app, f'{{"locations":[{",".join(features)}]}}'.encode())
    history = admin.history(app.name)
    assert [milliseconds(each["sampleTime"]) - start for each in history] == [
        index * 1000 for index in range(len(features))]
    kept = {"altitude": 31, "speed": 4, "heading": 90, "accuracy": 8, "battery": 80}
    del kept[stored_as]
    for text, position in zip([*texts, "twice"], history):
        assert stored_as not in position, text
        assert {key: position[key] for key in kept} == kept, text
        assert position["attributes"] == {"charge": False, "motion": ["walking"]}, text
    assert admin.items(f"/refused-reports?user={app.user}") == []


def test_a_number_that_is_written_as_text_or_comes_twice_alike_counts(admin, make_app):
    app = make_app()
    start = now() // 1000 * 1000 - 100_000
    features = [raw(start, '" 4.5 "', "properties", "speed"), raw(start + 1000, "+4.50", "properties", "speed"),
                doubled(start + 2000, "speed", [4.5, 4.5])]
    told(app, f'{{"locations":[{",".join(features)}]}}'.encode())
    assert [position["speed"] for position in admin.history(app.name)] == [4.5] * 3


@pytest.mark.parametrize("name, texts, known", [
    ("battery_state", [None, '""', "null", "7", '"CHARGING"', '"unknown"', "nan"], {"motion": ["walking"]}),
    ("motion", [None, '""', "null", '"walking"', "[]", "[7,null,{}]", f'["{"x" * 33}"]', "nan"], {"charge": False}),
    ("vertical_accuracy", [None, '""', "null", '"nan"', "{}", "nan"], {"charge": False, "motion": ["walking"]}),
    ("device_id", [None, '""', "null", "7", "nan", f'"{"x" * 5_000}"'], {"charge": False, "motion": ["walking"]}),
    ("wifi", [None, '""', "null", "7", '"\x01\\ud800"'], {"charge": False, "motion": ["walking"]})])
def test_what_is_beside_the_numbers_costs_no_position(admin, make_app, name, texts, known):
    app = make_app()
    start = now() // 1000 * 1000 - 100_000
    features = [raw(start + index * 1000, text, "properties", name) for index, text in enumerate(texts)]
    told(app, f'{{"locations":[{",".join(features)}]}}'.encode())
    history = admin.history(app.name)
    assert [(position["attributes"], position["altitude"], position["speed"]) for position in history] == [
        (known, 31, 4)] * len(texts)
    assert admin.items(f"/refused-reports?user={app.user}") == []


@pytest.mark.parametrize("place, out_of_range", [
    (("geometry", "coordinates", 0), ["180.001", "-1e9"]), (("geometry", "coordinates", 1), ["90.001", "-91"]),
    (("properties", "timestamp"), ['"0000-01-01T00:00:00Z"', '"2026-13-01T00:00:00Z"', "1e300", '"1,795,240,800"'])])
def test_a_position_without_a_place_or_a_time_costs_no_other(admin, make_app, place, out_of_range):
    app = make_app()
    start = now() // 1000 * 1000 - 100_000
    texts = [None, *strange_numbers, *out_of_range]
    features = [raw(start, text, *place) for text in texts]
    if place[-1] == "timestamp":
        features.append(doubled(start, "timestamp", ['"2026-12-01T00:00:00Z"', '"2026-12-01T00:00:01Z"']))
    good = [json.dumps(feature(start + index * 1000)) for index in range(len(features))]
    batch = ",".join(each for pair in zip(features, good) for each in pair)
    told(app, f'{{"locations":[{batch}]}}'.encode())
    assert len(admin.history(app.name)) == len(good)
    (report,) = admin.items(f"/refused-reports?user={app.user}")
    assert report["reason"].startswith(f"/locations/0/{'geometry' if place[0] == 'geometry' else 'properties'}")


def test_a_comma_that_cuts_a_number_in_two_is_kept_for_an_admin(admin, make_app):
    """No app writes JSON so, and nobody could say where its members end."""
    app = make_app()
    told(app, f'{{"locations":[{raw(now(), "4,5", "properties", "speed")}]}}'.encode())
    assert admin.history(app.name) == []
    assert len(admin.items(f"/refused-reports?user={app.user}")) == 1


def test_the_good_positions_of_a_batch_are_stored(admin, make_app):
    app = make_app()
    told(app, {"locations": [feature(now() - 5000, latitude=91), feature(now() - 4000), 17, feature(
        now(), action="visit"), feature(now(), type="trip")]})
    assert len(admin.history(app.name)) == 1
    assert len(admin.items(f"/refused-reports?user={app.user}")) == 1


def test_one_device_id_that_two_phones_have_mixes_nothing(admin, make_app):
    one, other = make_app(), make_app()
    told(one, {"locations": [feature(now() - 5000, latitude=1)]})
    told(other, {"locations": [feature(now() - 5000, latitude=2)]})
    assert [position["latitude"] for position in admin.history(one.name)] == [1]
    assert [position["latitude"] for position in admin.history(other.name)] == [2]


def test_a_withdrawn_token_keeps_the_batch_on_the_phone(admin, make_app):
    app = make_app()
    batch = {"locations": [feature(now() - 5000)]}
    admin.ok("DELETE", f"/users/{app.user}/devices/phone/token")
    status, headers, answer = app.send("POST", "/overland", batch)
    assert status == 503 and int(headers["Retry-After"]) > 0 and b'"ok"' not in answer
    token = admin.ok("POST", f"/users/{app.user}/devices/phone/token")["token"]
    told(TrackerApp(app.server, headers=json_type), batch, f"/overland/{token}")
    assert len(admin.history(app.name)) == 1


@pytest.mark.soak
def test_what_was_acknowledged_is_there_after_each_kill(make_server):
    server = make_server().start()
    admin = server.admin()
    admin.make_user("ann")
    app = TrackerApp(server, headers={**json_type, "Authorization": f"Bearer {admin.make_device('ann').token}"})
    start, acknowledged = now() - 1_000_000, 0
    for _ in range(rounds(3, 20)):
        told(app, {"locations": [feature(start + (acknowledged + index) * 1000) for index in range(20)]})
        acknowledged += 20
        server.kill()
        server.start()
        assert len(server.admin().history("ann/phone")) == acknowledged
