"""The commands that tell what was reported and what happened, and those that change trackers, regions and targets."""

import json
import os
import pwd
import subprocess

import pytest

from muster_process import binary, root, run
from native_api import NativeApi, box, fix, now, polygon, stamp
from owntracks_phone import Phone, location, sealed, secret


@pytest.fixture
def muster(server, admin):
    return lambda *arguments, **more: run(*arguments, data=server.data, **more)


def test_a_tracker_is_linked_filtered_and_removed(muster, admin):
    muster("collection", "add", "yards")
    assert muster("tracker", "add", "vans", "--collection", "yards", "--filter", "timeBased") == "Added tracker vans.\n"
    assert "vans\ttimeBased\tyards" in muster("tracker", "list").splitlines()
    changed = json.loads(muster("tracker", "set", "vans", "--filter", "none", "--json"))
    assert changed == {"name": "vans", "filter": "none", "collections": ["yards"], "worksAtZero": False} == json.loads(
        muster("tracker", "show", "vans"))
    assert json.loads(muster("tracker", "set", "vans", "--works-at-zero", "--json"))["worksAtZero"] is True
    assert json.loads(muster("tracker", "set", "vans", "--filter", "none", "--json"))["worksAtZero"] is True
    muster("tracker", "set", "vans", "--no-collections")
    assert admin.ok("GET", "/trackers/vans")["collections"] == []
    assert "Did you mean yards?" in muster("tracker", "set", "vans", "--collection", "yard", status=1)
    assert "filter" in muster("tracker", "set", "vans", "--filter", "sometimes", status=1)
    assert "--collection" in muster("tracker", "set", "vans", status=64)
    muster("tracker", "remove", "vans")
    admin.refused(404, "GET", "/trackers/vans")
    admin.make_team("movers")
    assert "team movers" in muster("tracker", "remove", "movers", status=1)


def test_reports_that_could_not_be_read_are_listed_and_printed(muster, admin, server):
    admin.make_team("lost")
    admin.make_user("zoe", "member", "lost")
    token = admin.make_device("zoe", "phone").token
    phone = Phone(server, "zoe", token)
    for body in (b'{"_type": "location", "lat": ', b"second"):
        phone.tell(body)
    newest, oldest = [line.split("\t") for line in muster("device", "refused", "--user", "zoe").splitlines()]
    assert newest[2:5] == ["zoe/phone", "owntracks/zoe/phone", "6 bytes"] and newest[5].startswith("Byte ")
    assert muster("device", "refused", oldest[0]) == '{"_type": "location", "lat": \n'
    assert json.loads(muster("device", "refused", oldest[0], "--json"))["bytes"] == 29
    assert [str(report["number"]) for report in json.loads(muster("device", "refused", "--user", "zoe", "--json"))] == [
        newest[0], oldest[0]]
    assert muster("device", "refused", "999999", status=1)
    assert "no user" in muster("device", "refused", "--user", "nobody", status=1)


def test_a_position_at_zero_moves_nobody_unless_the_tracker_works_there(muster, admin, server):
    admin.make_team("sea", [polygon("buoy", box(-0.01, -0.01, 0.01, 0.01), muster=True)], policy="raw")
    admin.make_user("ada", "member", "sea")
    device = admin.make_device("ada")
    at = now() - 100_000

    def standing():
        crossings = [change["kind"] for change in admin.changes()
                     if change["type"] == "crossing" and change.get("user") == "ada"]
        latest = [(item["latitude"], item["longitude"]) for item in admin.items("/positions?user=ada")]
        (person,) = admin.ok("GET", "/teams/sea/safety")["members"]
        return crossings, latest, person["state"] == "safe"

    device.ok("POST", "/positions", fix(1, 1, at, accuracy=5))
    for number in range(1, 5):
        receipt = device.ok("POST", "/positions", fix(0, 0, at + 10_000 * number, accuracy=5))
        assert receipt["late"] == 1
    assert standing() == ([], [(1, 1)], False)
    # It is stored and shown, once.
    assert device.ok("POST", "/positions", fix(0, 0, at + 10_000, accuracy=5))["repeated"] == 1
    assert len(admin.history("ada/phone")) == 5
    # One axis, or no claim to some metres, is a place like any other.
    device.ok("POST", "/positions", fix(0, 1, at + 45_000, accuracy=5))
    assert standing() == ([], [(0, 1)], False)
    muster("tracker", "set", "sea", "--works-at-zero")
    device.ok("POST", "/positions", fix(0, 0, at + 50_000, accuracy=5))
    assert standing()[:2] == (["enter"], [(0, 0)])


def test_reports_of_devices_are_listed(muster, admin, server):
    admin.make_team("north", [polygon("yard", box(13.4, 52.5, 13.41, 52.51))])
    admin.make_user("ann", "member", "north")
    assert muster("device", "add", "phone", "--user", "ann") == "Added device ann/phone.\n"
    token = muster("device", "token", "phone", "--user", "ann").strip()
    at = now()
    NativeApi(server.address, token).ok("POST", "/positions", fix(52.505, 13.405, at, accuracy=8))
    assert muster("device", "positions", "--user", "ann") == f"ann/phone\t{stamp(at)}\t52.505 13.405\t8 m\n"
    (latest,) = json.loads(muster("device", "positions", "--user", "ann", "--json"))
    assert latest == admin.items("/positions?user=ann")[0]
    assert "there is no user 'nobody'" in muster("device", "positions", "--user", "nobody", status=1)
    assert muster("device", "presences").startswith("ann/phone\tinside\tnorth/yard\t")
    assert json.loads(muster("device", "show", "phone", "--user", "ann"))["id"] == "ann/phone"
    beacon = {"_type": "beacon", "uuid": "CA271EAE-5FA8-4E80-8F08-2A302A95A959", "major": 1, "minor": 2,
              "tst": at // 1000, "acc": 1.5, "rssi": -70, "prox": 2}
    card = {"_type": "card", "name": "Ann"}
    for message in (beacon, card):
        Phone(server, "ann", token).tell(message)
    assert muster("device", "sightings", "phone", "--user", "ann").split("\t")[2:] == ["1", "2", "near", "1.5 m\n"]
    assert muster("device", "sightings", "phone", "--user", "ann", "--from", stamp(at + 60_000)) == ""
    kind, key, _, body = muster("device", "notes", "phone", "--user", "ann", "--kind", "card").rstrip("\n").split("\t")
    assert (kind, key, json.loads(body)) == ("card", "", {"name": "Ann"})
    assert "kind" in muster("device", "notes", "phone", "--user", "ann", "--kind", "letter", status=1)


def test_a_device_opens_sealed_reports_until_its_key_is_forgotten(muster, admin, server):
    admin.ok("POST", "/users", {"name": "eve", "role": "member"})
    token = muster("device", "token", "phone", "--user", "eve").strip()
    said = muster("device", "encryption-key", "phone", "--user", "eve", text=secret + "\n")
    assert said == "Set the encryption key of eve/phone.\n"
    phone = Phone(server, "eve", token)
    phone.tell(sealed(location(lat=1.5)))
    assert admin.history("eve/phone")[-1]["latitude"] == 1.5
    muster("device", "encryption-key", "phone", "--user", "eve", "--remove")
    assert phone.post(sealed(location(lat=2.5)))[0] == 503
    assert "32 bytes" in muster("device", "encryption-key", "phone", "--user", "eve", text=33 * "x", status=1)


def test_the_log_is_printed_and_followed(muster, admin, server):
    first = admin.last_sequence()
    muster("user", "add", "fay")
    (line,) = muster("changes", "--since", first).splitlines()
    assert json.loads(line) in admin.changes(first)
    assert json.loads(line)["name"] == "fay"
    follower = subprocess.Popen(
        [binary, "changes", "--since", str(first), "--follow", "--count", "3", "--data", server.data], cwd=root,
        stdout=subprocess.PIPE, text=True)
    assert json.loads(follower.stdout.readline())["name"] == "fay", "what was there comes first"
    for name in ("gil", "hal"):
        muster("user", "add", name)
        assert json.loads(follower.stdout.readline())["name"] == name
    assert follower.wait(60) == 0
    assert len(muster("changes", "--count", "2").splitlines()) == 2
    assert "--count" in muster("changes", "--count", "0", status=64)


def test_a_feed_ended_by_the_server_ends_the_command_with_the_reason(make_server):
    server = make_server().start()
    server.admin().ok("POST", "/users", {"name": "ann", "role": "member"})
    follower = subprocess.Popen(
        [binary, "changes", "--follow", "--data", server.data], cwd=root, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True)
    assert json.loads(follower.stdout.readline())["sequence"] == 1
    server.stop()
    told = follower.communicate(timeout=60)[1]
    assert follower.returncode == 1 and "the server ended the feed" in told, told


def test_the_audit_log_lists_edits(muster, admin):
    muster("user", "add", "ida")
    muster("user", "add", "joe")
    muster("user", "remove", "joe")
    lines = [line.split("\t") for line in muster("audit").splitlines()]
    # Who made them: the user of the operating system who used the command line, and not the admin whose rights it has.
    by = f"command line on the server, user {pwd.getpwuid(os.getuid()).pw_name}"
    assert [line[1:3] for line in lines[:3]] == 3 * [[by, "directory"]]
    assert [(entry["author"], entry["by"]) for entry in admin.items("/audit")[:3]] == 3 * [("admin", by)]
    # Another credential does not choose a name.
    answer = admin.send("POST", "/users", {"name": "kay", "role": "member"}, headers={"Muster-Operator": "somebody"})
    assert answer.ok
    assert "by" not in admin.items("/audit")[0]
    removed, _, added = [line[3] for line in lines[:3]]
    assert added == "user ida"
    assert removed.startswith("user #") and removed.endswith(" removed"), "what is gone has its number"
    assert json.loads(muster("audit", "--json")) == admin.items("/audit")


def test_the_audit_log_says_who_at_the_server_ran_an_incident(muster, admin):
    admin.make_team("east")
    lea = admin.make_user("lea", "leader", "east")
    number = json.loads(muster("incident", "start", "east", "--drill", "--json"))["number"]
    muster("incident", "visitor", str(number), "Zoe")
    lea.ok("POST", f"/incidents/{number}/close", {"reason": "over"})
    by = f"command line on the server, user {pwd.getpwuid(os.getuid()).pw_name}"
    entries = [entry for entry in admin.items("/audit") if entry["change"]["type"] in ("incident", "roll")]
    assert [(entry["author"], entry.get("by")) for entry in entries[:3]] == [
        ("lea", None), ("admin", by), ("admin", by)]
    entered = [entry for entry in entries if entry["change"]["type"] == "roll"]
    assert entered[0]["change"]["event"] == "visitor"


def test_declarations_about_a_person_are_listed(muster, admin):
    admin.make_team("south")
    admin.make_user("kim", "member", "south")
    muster("person", "help", "kim", "--note", "a twisted ankle")
    muster("person", "safe", "kim")
    lines = [line.split("\t") for line in muster("person", "declarations", "kim").splitlines()]
    assert [line[1:] for line in lines] == [["needsHelp", "admin", "a twisted ankle"], ["safe", "admin", ""]]


def test_setting_a_region_replaces_the_former_one(muster, admin, tmp_path):
    muster("collection", "add", "site")
    file = tmp_path / "gate.geojson"
    for name in ("Old gate", "New gate"):
        file.write_text(json.dumps(polygon("gate", box(13.4, 52.5, 13.41, 52.51), name=name)))
        assert muster("region", "set", "gate", file, "--collection", "site") == "Region gate of site is set.\n"
    (region,) = admin.ok("GET", "/collections/site/regions")["features"]
    assert region["properties"]["name"] == "New gate"
    assert "differs from the id" in muster("region", "set", "door", file, "--collection", "site", status=1)


def test_a_targets_address_and_headers_are_changed(muster):
    muster("target", "add", "ops", "--url", "https://ops.example.org/a", "--header", "X-Team: fire")
    shown = json.loads(muster("target", "show", "ops"))
    assert "secret" not in shown
    changed = json.loads(muster("target", "set", "ops", "--url", "https://ops.example.com/b", "--json"))
    assert (changed["server"], changed["headers"]) == ("https://ops.example.com", shown["headers"])
    muster("target", "set", "ops", "--no-headers")
    assert not json.loads(muster("target", "show", "ops"))["headers"]
    assert "no colon" in muster("target", "set", "ops", "--header", "X", status=64)
    assert "--url" in muster("target", "set", "ops", status=64)


@pytest.mark.parametrize("kind, fields", [
    ("user", {"role": "member"}), ("team", {}), ("collection", {}), ("rule", {"pattern": {"source": ["muster"]}}),
    ("target", {"kind": "log"})])
def test_show_prints_the_apis_json(muster, admin, kind, fields):
    admin.ok("POST", f"/{kind}s", {"name": "shown", **fields})
    assert json.loads(muster(kind, "show", "shown")) == admin.ok("GET", f"/{kind}s/shown")
    said = muster(kind, "show", "nothing", status=1)
    assert kind in said and "nothing" in said
