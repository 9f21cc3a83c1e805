"""Overland's batches over a real socket: what `GLManager.m` in aaronpk/Overland-iOS makes."""

import gzip
import json

import pytest

from native_api import milliseconds, now, stamp
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


def test_what_was_acknowledged_is_there_after_each_kill(make_server):
    server = make_server().start()
    admin = server.admin()
    admin.make_user("ann")
    app = TrackerApp(server, headers={**json_type, "Authorization": f"Bearer {admin.make_device('ann').token}"})
    start, acknowledged = now() - 1_000_000, 0
    for _ in range(5):
        told(app, {"locations": [feature(start + (acknowledged + index) * 1000) for index in range(20)]})
        acknowledged += 20
        server.kill()
        server.start()
        assert len(server.admin().history("ann/phone")) == acknowledged
