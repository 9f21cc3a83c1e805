"""OwnTracks phones, as they are: captured payloads over a real socket, in both of the paths they know."""

import base64
import json
import signal

import pytest

from muster_process import MusterProcess, root
from native_api import milliseconds, now
from owntracks_phone import Phone, location, opened, sealed, secret

golden = root / "Tests/MusterWireTests/Golden/OwnTracks"
payloads = sorted(file.name.removesuffix(".json") for file in golden.glob("*.json") if ".expected" not in file.name)
paths = ["/owntracks", "/pub", "/owntracks/pub", "/owntracks/alice/phone", "/pub/a/b/c"]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    # The captured payloads grow old.
    with MusterProcess(tmp_path_factory.mktemp("muster"), ["--retention-days", "36500"]) as server:
        yield server


@pytest.fixture(scope="module")
def make_phone(server, admin):
    """Makes phones of members, each with a user of its own unless told."""
    admin.make_team("north")
    made = 0

    def make(user=None, device="phone", role="member", headers=None):
        nonlocal made
        if user is None:
            made += 1
            user = f"owner{made}"
            admin.make_user(user, role, "north")
        token = admin.make_device(user, device).token
        phone = Phone(server, user, token, device, headers)
        phone.name = f"{user}/{device}"
        phone.user = user
        return phone

    return make


# MARK: What was captured


def expected_positions(name):
    """What the file beside a payload says that Muster stores: locations, and the place of a transition."""
    found = {}
    for line in (golden / f"{name}.expected.json").read_text().splitlines():
        told = json.loads(line)
        if "location" in told:
            position = dict(told["location"])
            del position["receivedTime"]
            found.setdefault((position["sampleTime"], position["latitude"], position["longitude"]), position)
        elif "transition" in told and "place" in told:
            latitude, longitude = map(float, told["place"].split())
            position = {"latitude": latitude, "longitude": longitude, "sampleTime": told["sampleTime"]}
            if "accuracy" in told:
                position["accuracy"] = float(told["accuracy"])
            found.setdefault((told["sampleTime"], latitude, longitude), position)
    return [found[key] for key in sorted(found)]


@pytest.mark.parametrize("path", paths)
@pytest.mark.parametrize("name", [name for name in payloads if name != "encrypted"])
def test_a_captured_payload_is_taken_once_however_often_it_comes(admin, make_phone, name, path):
    phone = make_phone()
    for _ in range(3):
        phone.tell((golden / f"{name}.json").read_bytes(), path)
    history = admin.history(phone.name)
    expected = expected_positions(name)
    assert len(history) == len(expected)
    for stored, wanted in zip(history, expected):
        assert stored["source"] == "owntracks"
        assert {key: stored.get(key) for key in wanted} == wanted
        assert milliseconds(stored["receivedTime"]) >= milliseconds(stored["sampleTime"])


def test_there_are_payloads_of_every_type():
    types = {
        message["_type"] for name in payloads for message in each(json.loads((golden / f"{name}.json").read_bytes()))
        if isinstance(message, dict) and "_type" in message}
    assert types >= {
        "location", "transition", "waypoint", "waypoints", "beacon", "lwt", "card", "steps", "status", "cmd", "request",
        "encrypted"}


def each(document):
    return document if isinstance(document, list) else [document]


# MARK: Answers that cost no phone a fix


@pytest.mark.parametrize("path", paths)
def test_an_empty_body_is_accepted(make_phone, path):
    assert make_phone().tell(b"", path) == []


@pytest.mark.parametrize("body", [
    {"_type": "location", "lat": 91, "lon": 0, "tst": 1795240800}, {"_type": "location"}, {"_type": "invented"}, {},
    {"_type": "location", "lat": 1, "lon": 1, "tst": -5e12},
    [{"_type": "location", "lat": "x", "lon": 1, "tst": 1}], {"_type": "transition", "event": "vanish", "tst": 1}, [17],
])
def test_a_position_that_can_never_be_stored_is_acknowledged_and_dropped(admin, make_phone, body):
    phone = make_phone()
    assert phone.tell(body) == []
    assert admin.history(phone.name) == []


def test_a_fix_dated_in_the_future_is_stored_moves_nothing_and_reports_the_clock(admin, make_phone):
    phone = make_phone()
    assert phone.tell({"_type": "location", "lat": 1, "lon": 1, "tst": 99999999999}) == []
    assert len(admin.history(phone.name)) == 1
    [device] = admin.items(f"/devices?user={phone.name.split('/')[0]}")
    assert "position" not in device and device["clock"]["aheadSeconds"] > 10 ** 9


@pytest.mark.parametrize("body", [b"garbage", b"{", b'{"_type":"location"', b"\xff\xfe", b"[" * 10_000, b"null", b"7"])
def test_garbage_is_kept_for_an_admin_and_the_server_goes_on(server, admin, make_phone, body):
    phone = make_phone()
    # Any 4xx makes an iPhone forget, and an Android phone send it for ever.
    assert phone.tell(body) == []
    assert admin.history(phone.name) == []
    assert server.process.poll() is None
    (report,) = admin.items(f"/refused-reports?user={phone.user}")
    assert report["bytes"] == len(body) and report["reason"].startswith(("Byte ", ":"))
    assert report["device"] == phone.name and report["topic"].startswith("owntracks/")
    kept = admin.ok("GET", f"/refused-reports/{report['number']}")
    assert kept["body"] == body.decode(errors="replace")


@pytest.mark.parametrize("make", [
    lambda text: text + b"\0", lambda text: text + b"\0\n\0", lambda text: b"\xef\xbb\xbf" + text,
    lambda text: text.replace(b'"batt"', b'"SSID": "a\x01\xff", "batt"'),
    lambda text: text.replace(b'"batt"', b'"p": nan, "batt"'), lambda text: text.replace(b'"batt"', b', "batt"'),
])
def test_a_body_as_an_app_makes_it_from_a_string_of_c_is_stored(admin, make_phone, make):
    phone = make_phone()
    text = json.dumps({"_type": "location", "lat": 1.5, "lon": 2.5, "tst": now() // 1000, "batt": 80}).encode()
    assert make(text) != text
    assert phone.tell(make(text)) == []
    (position,) = admin.history(phone.name)
    assert (position["latitude"], position["longitude"], position["battery"]) == (1.5, 2.5, 80)
    assert admin.items(f"/refused-reports?user={phone.user}") == []


@pytest.mark.parametrize("body", [b"\0", b" \n\0"])
def test_a_body_without_contents_is_accepted(admin, make_phone, body):
    phone = make_phone()
    assert phone.tell(body) == []
    assert admin.items(f"/refused-reports?user={phone.user}") == []


def test_a_part_that_cannot_be_read_is_kept_and_the_rest_is_stored(admin, make_phone):
    phone = make_phone()
    at = now() // 1000
    assert phone.tell([
        {"_type": "location", "lat": 1, "lon": 2, "tst": at}, {"_type": "location", "lat": 91, "lon": 2, "tst": at},
    ]) == []
    assert len(admin.history(phone.name)) == 1
    (report,) = admin.items(f"/refused-reports?user={phone.user}")
    assert "/1/lat" in report["reason"]


def test_a_kept_report_has_no_secret(admin, make_phone):
    phone = make_phone()
    phone.tell(b'{"_type":"dump","configuration":{"password" : "hunter2-hunter2","x":"md_abcDEF123"' )
    (report,) = admin.items(f"/refused-reports?user={phone.user}")
    body = admin.ok("GET", f"/refused-reports/{report['number']}")["body"]
    assert body == '{"_type":"dump","configuration":{"password" : "***************","x":"md_*********"'


def test_refused_reports_are_bounded_and_go_with_their_user(admin, make_phone):
    phone = make_phone()
    for number in range(103):
        phone.tell(b"{" + str(number).encode() * 6_000)
    reports = admin.items(f"/refused-reports?user={phone.user}")
    assert len(reports) == 100 and reports[0]["number"] > reports[-1]["number"]
    assert reports[0]["bytes"] == 18_001
    assert len(admin.ok("GET", f"/refused-reports/{reports[0]['number']}")["body"]) == 16_384
    admin.ok("DELETE", f"/users/{phone.user}")
    assert all(report.get("user") != phone.user for report in admin.items("/refused-reports"))


def test_a_body_that_no_app_sends_is_refused(make_phone):
    status, _, _ = make_phone().post(b" " * (11 << 20))
    assert status == 413


@pytest.mark.parametrize("path", paths)
def test_a_wrong_token_is_a_temporary_failure(server, make_phone, path):
    phone = make_phone()
    for user, secret in ((phone.user, "md_wrong"), (phone.user, "wrong"), ("nobody", "md_wrong"), ("", "")):
        status, headers, answer = Phone(server, user, secret).post(location(), path)
        assert status == 503, (user, secret, status, answer)
        assert int(headers["Retry-After"]) > 0


def test_a_revoked_token_is_a_temporary_failure_until_there_is_a_new_one(server, admin, make_phone):
    phone = make_phone()
    at = now() // 1000
    phone.tell(location(at))
    admin.ok("DELETE", f"/users/{phone.user}/devices/phone/token")
    status, headers, _ = phone.post(location(at - 5))
    assert status == 503 and "Retry-After" in headers
    token = admin.ok("POST", f"/users/{phone.user}/devices/phone/token")["token"]
    Phone(server, phone.user, token).tell(location(at - 5))
    assert len(admin.history(phone.name)) == 2


def test_a_phone_without_any_credential_is_asked_for_one(server):
    status, headers, _ = Phone(server, "", "", headers={"Authorization": None}).post(location())
    assert status == 401
    assert headers["WWW-Authenticate"].startswith("Basic")


def test_a_full_disk_is_a_temporary_failure(make_server):
    server = make_server()
    server.start(before_exec=lambda: signal.signal(signal.SIGXFSZ, signal.SIG_IGN))
    admin = server.admin()
    admin.make_user("ann")
    phone = Phone(server, "ann", admin.make_device("ann").token)
    phone.tell(location(tst=now() // 1000 - 100_000))
    server.limit_files(4096)
    status, headers, _ = phone.post(location())
    assert status == 503 and int(headers["Retry-After"]) > 0
    server.limit_files(None)
    phone.tell(location())
    assert len(admin.history("ann/phone")) == 2


# MARK: Whose report it is


def test_a_token_reports_for_its_device_whatever_the_app_names(admin, make_phone):
    phone, other = make_phone(), make_phone()
    phone.headers |= {"X-Limit-U": other.user, "X-Limit-D": "phone"}
    phone.tell(location(topic=f"owntracks/{other.user}/phone"))
    assert len(admin.history(phone.name)) == 1
    assert admin.history(other.name) == []


def test_the_default_names_of_an_unconfigured_app_are_ignored(admin, make_phone):
    phone = make_phone(headers={"X-Limit-U": "user", "X-Limit-D": "device"})
    phone.tell(location())
    assert len(admin.history(phone.name)) == 1


def test_a_password_reports_for_the_device_that_the_app_names(server, admin):
    admin.ok("POST", "/users", {"name": "pat", "role": "member", "password": "a sound password of pat"})
    phone = Phone(server, "pat", "a sound password of pat", "Pat's tablet")
    phone.tell(location())
    assert [device["name"] for device in admin.items("/devices") if device["user"] == "pat"] == ["Pat-s-tablet"]
    Phone(server, "pat", "a sound password of pat", headers={"X-Limit-D": None}).tell(
        location(topic="owntracks/pat/watch"))
    assert len(admin.history("pat/watch")) == 1


def test_a_gateway_reports_for_the_user_and_device_that_it_names(server, admin, make_phone):
    phone = make_phone()
    gateway = Phone(server, "gate", admin.make_user("gate", "gateway").token, headers={"X-Limit-U": phone.user})
    at = now() // 1000
    assert gateway.tell(location(at)) == []
    named = Phone(server, "gate", gateway_secret(gateway), headers={"X-Limit-U": None, "X-Limit-D": None})
    named.tell(location(at - 9), f"/pub?u={phone.user}&d=phone")
    assert len(admin.history(phone.name)) == 2
    gateway.headers["X-Limit-U"] = "nobody"
    assert gateway.post(location())[0] == 503


def gateway_secret(phone):
    return base64.b64decode(phone.headers["Authorization"].split()[1]).decode().split(":")[1]


# MARK: Friends


def test_the_reply_holds_the_users_own_devices(make_phone):
    phone = make_phone()
    tablet = make_phone(phone.user, "tablet")
    at = now() // 1000 - 10
    phone.tell(location(at, lat=1.25, lon=2.5, acc=7, alt=31, vel=36, cog=90, batt=55))
    friends = {friend["topic"]: friend for friend in tablet.tell(location(at + 1, lat=3.5, lon=4.5))}
    assert set(friends) == {f"owntracks/{phone.user}/phone", f"owntracks/{phone.user}/tablet"}
    friend = friends[f"owntracks/{phone.user}/phone"]
    assert friend["_type"] == "location"
    assert len(friend["tid"]) == 2
    told = {"lat": 1.25, "lon": 2.5, "tst": at, "acc": 7, "alt": 31, "vel": 36, "cog": 90, "batt": 55}
    assert {key: friend[key] for key in told} == told
    assert all(isinstance(friend[key], int) for key in ("tst", "acc", "alt", "vel", "cog", "batt"))


def test_a_member_receives_no_other_users_position(make_phone):
    phone, other = make_phone(), make_phone()
    make_phone(phone.user, "tablet").tell(location())
    other.tell(location())
    assert {friend["topic"].split("/")[1] for friend in phone.tell(location())} == {phone.user}


def test_a_leader_receives_the_teams_positions(server, admin, make_phone):
    admin.make_team("south")
    admin.make_user("member-of-south", "member", "south")
    make_phone("member-of-south").tell(location(lat=7, lon=8))
    key = admin.make_user("leader-of-south", "leader", "south").token
    leader = Phone(server, "leader-of-south", key)
    topics = {friend["topic"] for friend in leader.tell(location())}
    assert "owntracks/member-of-south/phone" in topics
    assert {topic.split("/")[1] for topic in topics} <= {"member-of-south", "leader-of-south"}


# MARK: Sealed


@pytest.fixture
def sealing(admin, make_phone):
    """A phone that seals what it sends."""
    phone = make_phone()
    admin.ok("PUT", f"/users/{phone.user}/devices/phone/encryption-key", {"key": secret})
    return phone


@pytest.mark.parametrize("path", paths)
def test_an_encrypted_report_is_opened_and_answered_encrypted(admin, sealing, make_phone, path):
    make_phone(sealing.user, "tablet").tell(location(lat=1, lon=2))
    reply = sealing.tell(sealed(location(acc=5)), path)
    assert {friend["topic"] for friend in opened(reply)} == {
        f"owntracks/{sealing.user}/phone", f"owntracks/{sealing.user}/tablet"}
    history = admin.history(sealing.name)
    assert [(position["latitude"], position["accuracy"]) for position in history] == [(52.52, 5)]
    again = sealing.tell(sealed(location(acc=5)), path)
    assert again["data"] != reply["data"], "a nonce was used twice"


def test_a_key_of_any_length_up_to_32_bytes_opens(admin, make_phone):
    for key in ("x", "\u00fcber 32", "0123456789abcdef0123456789abcdef"):
        phone = make_phone()
        admin.ok("PUT", f"/users/{phone.user}/devices/phone/encryption-key", {"key": key})
        opened(phone.tell(sealed(location(), key)), key)
        assert len(admin.history(phone.name)) == 1
    for key in ("", "x" * 33):
        admin.refused(422, "PUT", f"/users/{phone.user}/devices/phone/encryption-key", {"key": key})


def test_an_encrypted_report_without_a_key_is_retried_until_there_is_one(admin, make_phone):
    phone = make_phone()
    message = sealed(location())
    status, headers, _ = phone.post(message)
    assert status == 503 and int(headers["Retry-After"]) > 0
    admin.ok("PUT", f"/users/{phone.user}/devices/phone/encryption-key", {"key": secret})
    opened(phone.tell(message))
    assert len(admin.history(phone.name)) == 1


def test_a_report_encrypted_with_another_key_or_changed_is_dropped(admin, sealing):
    changed = sealed(location())
    changed["data"] = changed["data"][:-8] + "AAAAAAA="
    captured = json.loads((golden / "encrypted.json").read_bytes())
    for message in (sealed(location(), "another secret"), changed, captured):
        sealing.tell(message)
    assert admin.history(sealing.name) == []


def test_a_doubly_encrypted_report_is_dropped(admin, sealing):
    sealing.tell(sealed(sealed(location())))
    assert admin.history(sealing.name) == []


def test_an_iphones_backlog_is_stored_in_order(admin, make_phone):
    phone = make_phone()
    start = now() // 1000 - 1000
    for index in (3, 1, 2, 0, 2, 3):
        phone.tell(location(start + index, lat=index))
    assert [position["latitude"] for position in admin.history(phone.name)] == [0, 1, 2, 3]
    latest = [item for item in admin.items("/positions") if item["device"] == phone.name]
    assert latest[0]["latitude"] == 3


# MARK: What stands behind the path


def test_an_address_may_name_the_user_and_the_device_where_nothing_else_does(server, admin):
    admin.make_team("gatekeepers")
    bridge = admin.make_user("bridge", "gateway", "gatekeepers")
    admin.make_user("alice", "member", "gatekeepers")
    admin.make_device("alice", "phone")
    report = location(tst=now() // 1000 - 5)
    known = bridge.send("POST", "//owntracks/alice/phone", report)
    assert known.status_code == 200, known.text
    assert len(admin.history("alice/phone")) == 1
    # An iPhone keeps what is answered with 503, and with nothing else.
    for path in ("nobody/phone", "alice/laptop", "alice"):
        assert bridge.send("POST", f"//owntracks/{path}", report).status_code == 503, path
