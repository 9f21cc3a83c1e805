"""0° N 0° E with an accuracy of some metres, which broken trackers send: stored, shown, and moving nobody, by each
app's protocol; where the team works there, it is a place like any other."""

import itertools
from urllib.parse import urlencode

import pytest

from native_api import box, milliseconds, now, polygon, stamp
from owntracks_phone import Phone, location
from tracker_app import TrackerApp, client_json, fix

numbers = itertools.count()


def osmand(server, user, token, at, latitude, longitude):
    TrackerApp(server, token).tell(**fix(at // 1000, lat=latitude, lon=longitude, accuracy=4.5))


def traccar_json(server, user, token, at, latitude, longitude):
    body = client_json("1", stamp(at), latitude, longitude)
    assert TrackerApp(server).send("POST", f"/osmand/{token}", body)[0] == 200


def owntracks(server, user, token, at, latitude, longitude):
    Phone(server, user, token).tell(location(at // 1000, lat=latitude, lon=longitude, acc=5))


def overland(server, user, token, at, latitude, longitude):
    batch = {"locations": [{
        "type": "Feature", "geometry": {"type": "Point", "coordinates": [longitude, latitude]},
        "properties": {"timestamp": stamp(at), "horizontal_accuracy": 5}}]}
    assert TrackerApp(server).send("POST", f"/overland/{token}", batch)[0] == 200


def ulogger(server, user, token, at, latitude, longitude):
    fields = {"action": "addpos", "time": at // 1000, "lat": latitude, "lon": longitude, "accuracy": 5}
    path = f"/ulogger/{token}/client/index.php"
    assert TrackerApp(server).send("POST", path, urlencode(fields).encode())[0] == 200


@pytest.mark.parametrize("report", [osmand, traccar_json, owntracks, overland, ulogger])
def test_a_tracker_at_0_0_moves_nobody_unless_its_team_works_there(server, admin, report):
    number = next(numbers)
    team, user = f"team{number}", f"sailor{number}"
    sea = polygon("sea", box(-0.1, -0.1, 0.1, 0.1))
    tracker = admin.make_team(team, [sea])
    admin.make_user(user, "member", team)
    token = admin.make_device(user).token
    start = now() // 1000 * 1000 - 60_000

    def person():
        (member,) = admin.ok("GET", f"/teams/{team}/safety")["members"]
        return member["state"]

    def place():
        position = admin.ok("GET", f"/users/{user}/devices/phone")["position"]
        return position["latitude"], position["longitude"]

    def crossings():
        return [change["kind"] for change in admin.changes()
                if change["type"] == "crossing" and change["user"] == user]

    report(server, user, token, start, 43.5, -6.05)
    assert place() == (43.5, -6.05) and person() == "unsafe"
    for seconds in (5, 8):
        report(server, user, token, start + seconds * 1000, 0, 0)
    history = admin.history(f"{user}/phone")
    assert [(milliseconds(one["sampleTime"]) - start, one["latitude"], one["longitude"]) for one in history] == [
        (0, 43.5, -6.05), (5_000, 0, 0), (8_000, 0, 0)]
    assert place() == (43.5, -6.05) and person() == "unsafe" and crossings() == []
    # The next fix elsewhere counts as ever, also one that is older than the broken ones.
    report(server, user, token, start + 3_000, 43.6, -6.05)
    assert place() == (43.6, -6.05)
    admin.ok("PATCH", f"/trackers/{tracker}", {"worksAtZero": True})
    report(server, user, token, start + 30_000, 0, 0)
    assert place() == (0, 0) and crossings() == ["enter"]
