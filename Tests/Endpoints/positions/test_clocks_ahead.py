"""A phone whose clock is ahead: nothing of it is lost, nothing is made up, and who leads sees it."""

import base64

import pytest

from couch_api import CouchApi
from native_api import box, fix, milliseconds, now, polygon

password = "walkwalkwalk1"
ahead = 300_000


@pytest.fixture
def server(make_server):
    return make_server().start()


@pytest.fixture
def admin(server):
    admin = server.admin()
    admin.make_team("walkers", [polygon("yard", box(13.09, 52.005, 13.11, 52.01), muster=True)])
    admin.ok("POST", "/users", {"name": "ann", "role": "member", "team": "walkers", "password": password})
    return admin


def bring(server, times, latitude=52.007):
    """Location documents as the location tracker's app writes them, by whatever clock it has."""
    documents = [{
        "_id": f"at-{time}", "type": "Feature", "created_at": time,
        "geometry": {"type": "Point", "coordinates": [13.1, latitude]},
        "properties": {"username": "ann", "accuracy": 5, "timestamp": time}} for time in times]
    rows = CouchApi(server.address, "ann", password).ok(
        "POST", "/lt_locations_user_ann/_bulk_docs", {"docs": documents})
    assert all("error" not in row for row in rows), rows


def check_ahead(clock, sent, told):
    """A clock is as far ahead as the newest time that it told, `told`, was when it came, at `sent` or later."""
    received = milliseconds(clock["receivedTime"])
    assert sent <= received <= now()
    assert clock["aheadSeconds"] == pytest.approx((told - received) / 1000, abs=1)


def check_known(admin, count, sent, told):
    """The clock is told of wherever the device is, and nothing else is."""
    [device] = admin.items("/devices?user=ann")
    check_ahead(device["clock"], sent, told)
    assert "position" not in device
    answer = admin.ok("GET", "/positions")
    assert answer["items"] == []
    assert answer["clocks"] == [{"device": device["id"], **device["clock"]}]
    assert len(admin.history(device["id"])) == count
    assert [change["type"] for change in admin.changes() if change["type"] in ("crossing", "presence")] == []
    assert admin.ok("GET", "/teams/walkers/safety")["members"][0]["state"] == "unknown"
    return device["id"]


def test_documents_from_a_clock_that_is_ahead_are_stored_and_the_clock_reported(server, admin):
    sent = now()
    begin = sent + ahead
    bring(server, [begin, begin + 1_000, begin + 2_000, begin + 3_000])
    check_known(admin, 4, sent, begin + 3_000)
    # Killed and started again, it is known as before.
    server.kill()
    server.start()
    device = check_known(server.admin(), 4, sent, begin + 3_000)
    couch = CouchApi(server.address, "ann", password)
    assert couch.ok("GET", "/lt_locations_user_ann")["doc_count"] == 4
    # The clock is set right: what it tells counts at once, though it is "older" than what it told before.
    bring(server, [now() - 1_000])
    [position] = server.admin().ok("GET", "/positions")["items"]
    assert position["device"] == device and position["latitude"] == 52.007
    assert server.admin().ok("GET", "/positions")["clocks"] == []
    assert "clock" not in server.admin().items("/devices?user=ann")[0]
    kinds = [change["kind"] for change in server.admin().changes() if change["type"] == "crossing"]
    assert kinds == ["enter"]


@pytest.mark.parametrize("chosen", ["timeBased", "distanceBased", "accuracyBased"])
def test_a_corrected_clock_is_recognized_from_filtered_positions(server, admin, chosen):
    """The filter leaves out what they send from then on."""
    [tracker] = admin.items("/trackers")
    admin.ok("PATCH", f"/trackers/{tracker['name']}", {"filter": chosen})
    sent = now()
    bring(server, [sent - 10_000])
    bring(server, [sent + ahead])
    [device] = admin.items("/devices?user=ann")
    check_ahead(device["clock"], sent, sent + ahead)
    wrong = admin.last_sequence()
    for later in range(3):
        bring(server, [sent - 2_000 + later])
    assert clocks_told(server) == []
    # Whoever follows the log hears of it, once; no position does so for them.
    told = [change for change in admin.changes(wrong) if change["type"] in ("position", "note")]
    assert [(change["type"], change["device"], change["kind"]) for change in told] == [("note", device["id"], "clock")]
    [note] = admin.items(f"/users/ann/devices/{device['name']}/notes?kind=clock")
    assert note["body"] == {"aheadSeconds": 0}
    server.kill()
    server.start()
    assert clocks_told(server) == []
    # Wrong once more, it is told of, as far back as a restart too.
    bring(server, [now() + ahead + 1_000])
    for _ in range(2):
        assert [clock["device"] for clock in clocks_told(server)] == [device["id"]]
        server.kill()
        server.start()


def clocks_told(server):
    """What is told of clocks, the same wherever it is asked for."""
    clocks = server.admin().ok("GET", "/positions")["clocks"]
    [device] = server.admin().items("/devices?user=ann")
    assert [clock["aheadSeconds"] for clock in clocks] == (
        [device["clock"]["aheadSeconds"]] if "clock" in device else [])
    return clocks


def test_an_owntracks_phone_with_a_clock_ahead_is_answered_and_reported(server, admin):
    login = base64.b64encode(f"ann:{password}".encode()).decode()
    phone = CouchApi(server.address)
    sent = now()
    report = {"_type": "location", "lat": 52.007, "lon": 13.1, "acc": 5, "tst": (sent + ahead) // 1000}
    headers = {"Authorization": f"Basic {login}", "X-Limit-D": "phone"}
    assert phone.send("POST", "/owntracks", report, headers=headers).status_code == 200
    check_known(admin, 1, sent, report["tst"] * 1000)


def test_the_native_api_refuses_it_with_the_reason(server, admin):
    admin.ok("POST", "/users/ann/devices", {"name": "phone"})
    refused = admin.send("POST", "/positions", fix(52.007, 13.1, now() + ahead, device="ann/phone"))
    assert refused.status_code == 422
    assert "is more than 60 s ahead of" in refused.text


def test_a_member_hears_of_no_clock_but_its_own(server, admin):
    bring(server, [now() + ahead])
    bob = admin.make_user("bob", team="walkers")
    assert bob.ok("GET", "/positions")["clocks"] == []
    assert bob.items("/devices") == []
