"""Signals: a device says that something happened, and rules send it on, each exactly once in the log."""

import itertools
import json

import pytest

from muster_process import MusterProcess
from native_api import now, stamp
from waiting import eventually
from webhook_receiver import Receiver
from webhook_targets import distinct, make, settled

count = itertools.count(1)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server that may call this machine."""
    with MusterProcess(tmp_path_factory.mktemp("muster"), ["--allow-private-targets"]) as server:
        yield server


@pytest.fixture
def button(admin):
    """A person of their own with a device: its API, and the names."""
    name = f"bea{next(count)}"
    admin.make_user(name)
    device = admin.make_device(name, "button")
    device.user, device.path = name, f"/users/{name}/devices/button"
    return device


def test_a_signal_is_stored_once_reported_and_listed(admin, button):
    before = admin.last_sequence()
    signal = {"name": "door", "id": "first", "sampleTime": stamp(now() - 1000),
              "values": {"text1": "back door", "open": True, "degrees": 21.5}}
    assert button.ok("POST", "/signals", signal)["accepted"] == 1
    again = button.ok("POST", "/signals", [signal, {"name": "door"}])
    assert (again["accepted"], again["repeated"]) == (1, 1)
    second, first = admin.items(button.path + "/signals")
    assert first["values"] == {"text1": "back door", "open": "true", "degrees": "21.5"}
    assert (first["id"], first["name"], first["sampleTime"]) == ("first", "door", signal["sampleTime"])
    assert second["id"] != "first" and second["values"] == {} and second["sequence"] > first["sequence"]
    told = [change for change in admin.changes(before) if change["type"] == "signal"]
    assert [change["signal"]["id"] for change in told] == ["first", second["id"]]
    assert told[0]["device"] == f"{button.user}/button" and "reportedBy" not in told[0]["signal"]
    # A page at a time, and by time.
    page = admin.ok("GET", button.path + "/signals?limit=1")
    assert page["items"] == [second]
    rest = admin.ok("GET", f"{button.path}/signals?limit=1&cursor={page['nextCursor']}")
    assert rest["items"] == [first] and "nextCursor" not in rest
    assert admin.items(f"{button.path}/signals?to={second['sampleTime']}") == [first]


def test_a_signal_fired_for_another_user_names_the_reporter(admin, button):
    admin.ok("POST", "/signals", {"device": f"{button.user}/button", "name": "door"})
    (signal,) = admin.items(button.path + "/signals")
    assert signal["reportedBy"] == "admin"


@pytest.mark.parametrize("body, pointer", [
    (1, ""), ({}, "/name"), ({"name": "a b"}, "/name"), ({"name": "a", "id": ""}, "/id"),
    ({"name": "a", "values": []}, "/values"), ({"name": "a", "values": {"k": []}}, "/values/k"),
    ({"name": "a", "values": {"k": None}}, "/values/k"), ({"name": "a", "values": {"": "x"}}, "/values"),
    ({"name": "a", "values": {"k": "x" * 4096}}, "/values"),
    ({"name": "a", "values": {f"k{n}": "" for n in range(33)}}, "/values"),
    ({"name": "a", "sampleTime": "soon"}, "/sampleTime"), ({"name": "a", "sampleTime": stamp(0)}, "/sampleTime"),
    ({"name": "a", "sampleTime": "2199-01-01T00:00:00Z"}, "/sampleTime"),
    ({"name": "a", "colour": 1}, "/colour"), ({"name": "a", "device": "admin/button"}, "/device"),
    ([{"name": "a"}, {"name": ""}], "/1/name"), ([{"name": "a"}] * 101, ""),
])
def test_a_bad_signal_is_refused_with_its_place_and_stores_nothing(admin, button, body, pointer):
    problem = button.refused(422, "POST", "/signals", body)
    assert pointer in [fault["pointer"] for fault in problem["errors"]], problem
    assert admin.items(button.path + "/signals") == []


def test_a_flood_is_refused_and_takes_nothing_from_the_owners_other_devices(make_server):
    server = make_server(arguments=["--quota-signal-burst", "3", "--quota-signals-per-second", "0.0001"]).start()
    admin = server.admin()
    admin.make_user("bea")
    names = ["button", "phone", "door", "window", "gate", "bell"]
    button, *others = (admin.make_device("bea", name) for name in names)
    admin.make_user("cal")
    neighbour = admin.make_device("cal", "button")
    assert button.ok("POST", "/signals", [{"name": "a"}] * 3)["accepted"] == 3
    problem = button.refused(429, "POST", "/signals", {"name": "a"})
    assert "bea/button" in problem["detail"] and "signals" in problem["detail"]
    # The others fire as before, until they fire together more than a person's devices may.
    for other in others[:4]:
        assert other.ok("POST", "/signals", [{"name": "a"}] * 3)["accepted"] == 3
    problem = others[4].refused(429, "POST", "/signals", {"name": "a"})
    assert "user bea together" in problem["detail"]
    assert neighbour.ok("POST", "/signals", {"name": "a"})["accepted"] == 1


def test_a_rule_sends_a_signal_to_a_target_with_its_texts(admin, button):
    with Receiver() as receiver:
        make(admin, f"hook-{button.user}", receiver.url)
        admin.ok("POST", "/rules", {
            "name": f"door-{button.user}",
            "pattern": {"source": ["muster"], "detail-type": ["Muster Signal"],
                        "detail": {"Device": [f"{button.user}/button"], "Name": ["door"]}},
            "targets": [{"target": f"hook-{button.user}", "input": {
                "template": '{"text": "<who>: <text1>", "url": "<url1>"}', "paths": {
                    "who": "$.detail.User", "text1": "$.detail.Values.text1", "url1": "$.detail.Values.url1"}}}]})
        button.ok("POST", "/signals", [
            {"name": "window"}, {"name": "door", "id": "a", "values": {"text1": "open <b>"}},
            {"name": "door", "id": "a"}])
        receiver.wait(lambda calls: calls)
        settled(admin)
        (call,) = distinct(receiver.calls)
        assert json.loads(call.body) == {"text": f"{button.user}: open <b>", "url": ""}
        assert call.event


def test_a_removed_devices_signals_are_removed(admin, button):
    before = admin.last_sequence()
    button.ok("POST", "/signals", {"name": "door", "values": {"text1": "secret"}})
    admin.ok("DELETE", button.path)
    admin.refused(404, "GET", button.path + "/signals")
    eventually(lambda: admin.changes(before), lambda found: not any(
        change["type"] == "signal" for change in found))
