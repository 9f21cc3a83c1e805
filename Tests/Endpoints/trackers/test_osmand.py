"""Traccar Client, GPSLogger and others that speak OsmAnd's protocol, over a real socket."""

import base64
import json
import signal
from urllib.parse import urlencode

import pytest

from native_api import milliseconds, now, stamp
from soak import rounds
from tracker_app import TrackerApp, client_json, fix


@pytest.fixture(scope="module")
def make_app(server, admin):
    """Makes apps of members, each with a user of its own unless told."""
    admin.make_team("north")
    made = 0

    def make(user=None, device="phone", role="member"):
        nonlocal made
        if user is None:
            made += 1
            user = f"hiker{made}"
            admin.make_user(user, role, "north")
        app = TrackerApp(server, admin.make_device(user, device).token)
        app.user, app.name = user, f"{user}/{device}"
        return app

    return make


def gpslogger_body(at):
    """What GPSLogger makes of the body that docs/trackers.md has it send."""
    return f"lat=43.5665&lon=-6.058&timestamp={at}&acc=12.0&alt=31.0&spd=1.5&dir=90.0&batt=55.0".encode()


def refused_of(admin, app):
    return [report for report in admin.items("/refused-reports") if report.get("device") == app.name]


# MARK: What apps send


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_report_in_the_query_is_taken_once_however_often_it_comes(admin, make_app, method):
    app = make_app()
    at = now() // 1000 - 5
    for _ in range(3):
        status, _, answer = app.send(method, f"/osmand/{app.token}?{urlencode(fix(at))}")
        assert (status, answer) == (200, b"")
    (stored,) = admin.history(app.name)
    assert stored["source"] == "osmand"
    assert milliseconds(stored["sampleTime"]) == at * 1000
    assert stored["speed"] == pytest.approx(5.1444, abs=1e-3)
    told = {"latitude": 43.5665, "longitude": -6.058, "accuracy": 4.5, "altitude": 417, "heading": 271.5, "battery": 83}
    assert {key: stored[key] for key in told} == told


def test_a_form_is_read_as_the_query_is(admin, make_app):
    """GPSLogger's custom URL with its body, and the media type that it sends: none, or what the user typed."""
    app = make_app()
    at = now() // 1000 - 100
    for number, kind in enumerate((None, "application/x-www-form-urlencoded", "text/plain; charset=utf-8")):
        body = gpslogger_body(at + number) + b"&charge=false"
        headers = {"Content-Type": kind} if kind else {}
        assert app.send("POST", f"/osmand/{app.token}", body, headers)[0] == 200
    history = admin.history(app.name)
    assert [position["speed"] for position in history] == [1.5] * 3
    assert [position["attributes"] for position in history] == [{"charge": False}] * 3


@pytest.mark.parametrize("kind", ["application/json", "application/json; charset=utf-8", "text/plain"])
def test_the_json_of_newer_clients_is_read(admin, make_app, kind):
    app = make_app()
    body = json.dumps(client_json("48241179", stamp(now() - 5000))).encode()
    for _ in range(2):
        assert app.send("POST", f"/osmand/{app.token}", body, {"Content-Type": kind})[0] == 200
    (stored,) = admin.history(app.name)
    assert (stored["latitude"], stored["battery"], stored["speed"]) == (37.4219983, 50, 0)
    assert "heading" not in stored


def test_many_reports_may_come_at_once(admin, make_app):
    app = make_app()
    start = now() - 900_000
    batch = [client_json("1", stamp(start + index * 1000)) for index in range(500)]
    assert app.send("POST", f"/osmand/{app.token}", batch, {"Content-Type": "application/json"})[0] == 200
    assert len(admin.history(app.name)) == 500


# MARK: Where the token is


def test_the_token_may_be_in_each_place_that_an_app_has(admin, make_app):
    app = make_app()
    at = now() // 1000 - 100
    basic = base64.b64encode(f"{app.user}:{app.token}".encode()).decode()
    ways = [
        ("GET", f"/osmand/{app.token}?{urlencode(fix(at))}", None, {}),
        ("GET", f"/osmand?{urlencode(fix(at + 1, id=app.token))}", None, {}),
        ("GET", f"/osmand?{urlencode({**fix(at + 2), 'deviceid': app.token})}", None, {}),
        ("POST", "/osmand", urlencode(fix(at + 3, id=app.token)).encode(), {}),
        ("POST", "/osmand", json.dumps(client_json(app.token, stamp((at + 4) * 1000))).encode(), {}),
        ("GET", f"/osmand?{urlencode(fix(at + 5))}", None, {"Authorization": f"Basic {basic}"}),
        ("POST", f"/osmand?{urlencode(fix(at + 6))}", b"", {"Authorization": f"Bearer {app.token}"}),
    ]
    for method, path, body, headers in ways:
        assert app.send(method, path, body, headers)[0] == 200, path.replace(app.token, "TOKEN")
    assert len(admin.history(app.name)) == len(ways)


@pytest.mark.parametrize("path", ["/osmand", "/osmand/phone", "/osmand/123456"])
def test_an_id_that_is_no_token_proves_nothing(server, make_app, path):
    make_app()
    app = TrackerApp(server)
    status, headers, _ = app.get(path, **fix())
    assert status == 401 and headers["WWW-Authenticate"].startswith("Basic")
    assert app.send("POST", path, client_json("123456", stamp(now())))[0] == 401


def test_a_stranger_cannot_make_the_server_read_much(server):
    app = TrackerApp(server)
    assert app.send("POST", "/osmand", b"x" * 100_000)[0] == 413


def test_one_id_that_two_phones_have_mixes_nothing(admin, make_app):
    one, other = make_app(), make_app()
    at = now() // 1000 - 5
    one.tell(**fix(at, lat=1))
    other.tell(**fix(at, lat=2))
    assert [position["latitude"] for position in admin.history(one.name)] == [1]
    assert [position["latitude"] for position in admin.history(other.name)] == [2]


def test_a_withdrawn_token_is_a_temporary_failure_until_there_is_a_new_one(server, admin, make_app):
    app = make_app()
    at = now() // 1000
    app.tell(**fix(at - 10))
    admin.ok("DELETE", f"/users/{app.user}/devices/phone/token")
    status, headers, answer = app.get(**fix(at - 5))
    assert status == 503 and int(headers["Retry-After"]) > 0
    assert app.token.encode() not in answer
    assert TrackerApp(server, "md_wrong").get(**fix(at))[0] == 503
    app.token = admin.ok("POST", f"/users/{app.user}/devices/phone/token")["token"]
    app.tell(**fix(at - 5))
    assert len(admin.history(app.name)) == 2


def test_nobody_but_a_device_reports_here(server, admin):
    for role in ("admin", "leader", "member", "analyst", "gateway"):
        key = admin.make_user(f"{role}-with-a-key", role).token
        app = TrackerApp(server, headers={"Authorization": f"Bearer {key}"})
        assert app.get("/osmand", **fix())[0] == 403, role


# MARK: What cannot be read


@pytest.mark.parametrize("form", [
    "id=1", "lat=91&lon=0", "lat=nan&lon=0", "lat=1&lat=2&lon=0", "lat=1&lon=0&timestamp=yesterday", "%zz=%zz", "&&&",
    "lat=1"])
def test_what_can_never_be_stored_is_acknowledged_and_kept_for_an_admin(admin, make_app, form):
    app = make_app()
    assert app.send("GET", f"/osmand/{app.token}?{form}")[0] == 200
    assert admin.history(app.name) == []
    (report,) = refused_of(admin, app)
    assert report["topic"] == "osmand"
    assert app.token not in json.dumps(admin.ok("GET", f"/refused-reports/{report['number']}"))


def test_a_token_in_a_refused_report_is_masked(admin, make_app):
    app = make_app()
    for method, path, body in (
            ("GET", f"/osmand?id={app.token}&lat=91&lon=0", None),
            ("POST", "/osmand", json.dumps({"location": {}, "device_id": app.token}).encode())):
        assert app.send(method, path, body)[0] == 200
    reports = refused_of(admin, app)
    assert len(reports) == 2
    for report in reports:
        assert app.token not in admin.send("GET", f"/refused-reports/{report['number']}").text


@pytest.mark.parametrize("count", [1001, 10_000])
def test_a_batch_that_no_app_sends_is_refused_as_a_whole(admin, make_app, count):
    app = make_app()
    body = b"[" + b",".join([b'{"location":{}}'] * count) + b"]"
    assert app.send("POST", f"/osmand/{app.token}", body)[0] == 200
    assert len(refused_of(admin, app)) == 1
    assert admin.history(app.name) == []


def test_the_good_reports_of_a_batch_are_stored(admin, make_app):
    app = make_app()
    batch = [client_json("1", stamp(now() - 5000)), {"location": {"coords": {"latitude": 95}}}, 17]
    assert app.send("POST", f"/osmand/{app.token}", batch)[0] == 200
    assert len(admin.history(app.name)) == 1
    assert len(refused_of(admin, app)) == 1


def test_an_address_that_is_only_opened_stores_nothing(admin, make_app):
    app = make_app()
    for method in ("GET", "HEAD", "POST"):
        assert app.send(method, f"/osmand/{app.token}")[0] == 200
    assert app.send("HEAD", f"/osmand/{app.token}?{urlencode(fix())}")[0] == 200
    assert admin.history(app.name) == [] and refused_of(admin, app) == []


# MARK: SOS


def test_an_sos_is_declared_once_however_often_it_comes(admin, make_app):
    app = make_app()
    report = fix(now() // 1000 - 5, alarm="sos")
    for _ in range(3):
        app.tell(**report)
    (declared,) = admin.items(f"/users/{app.user}/declarations")
    assert (declared["kind"], declared["latitude"]) == ("sos", 43.5665)
    members = admin.ok("GET", "/teams/north/safety")["members"]
    assert {member["user"]: member["state"] for member in members}[app.user] == "sos"
    assert len(admin.history(app.name)) == 1


def test_an_sos_counts_without_a_place_and_with_a_clock_that_is_wrong(admin, make_app):
    before = now()
    for form in ("alarm=sos", "alarm=SOS&lat=nan&lon=1&timestamp=1", "alarm=sos&lat=1&lon=1&timestamp=4102444800"):
        app = make_app()
        assert app.send("POST", f"/osmand/{app.token}?{form}")[0] == 200
        (declared,) = admin.items(f"/users/{app.user}/declarations")
        assert declared["kind"] == "sos"
        assert before <= milliseconds(declared["sampleTime"]) <= now()


def test_the_panic_button_of_newer_clients_is_an_sos(admin, make_app):
    app = make_app()
    app.send("POST", f"/osmand/{app.token}", client_json("1", stamp(now()), extras={"alarm": "sos"}))
    assert [declared["kind"] for declared in admin.items(f"/users/{app.user}/declarations")] == ["sos"]


# MARK: Acknowledged means on disk


def test_a_full_disk_is_a_temporary_failure(make_server):
    server = make_server()
    server.start(before_exec=lambda: signal.signal(signal.SIGXFSZ, signal.SIG_IGN))
    admin = server.admin()
    admin.make_user("ann")
    app = TrackerApp(server, admin.make_device("ann").token)
    app.tell(**fix(now() // 1000 - 1000))
    server.limit_files(4096)
    status, headers, _ = app.get(**fix())
    assert status == 503 and int(headers["Retry-After"]) > 0
    server.limit_files(None)
    app.tell(**fix())
    assert len(admin.history("ann/phone")) == 2


@pytest.mark.soak
def test_what_was_acknowledged_is_there_after_each_kill(make_server):
    """In each form: Traccar's fields and JSON, and GPSLogger's body with its login."""
    server = make_server().start()
    admin = server.admin()
    admin.make_user("ann")
    token = admin.make_device("ann").token
    basic = base64.b64encode(f"ann:{token}".encode()).decode()
    start = now() // 1000 - 1000
    acknowledged = []
    for _ in range(rounds(3, 20)):
        for _ in range(2):
            at = start + len(acknowledged)
            forms = [
                ("GET", f"/osmand/{token}?{urlencode(fix(at))}", None, {}),
                ("POST", f"/osmand/{token}", json.dumps(client_json("1", stamp((at + 1) * 1000))).encode(), {}),
                ("POST", "/osmand", gpslogger_body(at + 2), {"Authorization": f"Basic {basic}"})]
            for method, path, body, headers in forms:
                status, _, answer = TrackerApp(server).send(method, path, body, headers)
                assert status == 200, answer
                acknowledged.append((start + len(acknowledged)) * 1000)
        server.kill()
        server.start()
        history = server.admin().history("ann/phone")
        assert [milliseconds(position["sampleTime"]) for position in history] == acknowledged


def test_no_secret_is_printed(make_server):
    server = make_server(arguments=["--log-level", "trace"]).start()
    admin = server.admin()
    admin.make_user("ann")
    app = TrackerApp(server, admin.make_device("ann").token)
    app.tell(**fix(lat=47.376912))
    app.send("GET", f"/osmand?id={app.token}&lat=91&lon=0")
    app.send("POST", "/osmand", json.dumps({"location": {}, "device_id": app.token}).encode())
    TrackerApp(server, "md_" + "guess" * 8).get(**fix())
    server.stop()
    printed = "\n".join(server.output) + server.log()
    assert app.token not in printed and "guessguess" not in printed and "47.3769" not in printed
