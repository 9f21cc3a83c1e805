"""Every command, beside a running server and without one: the same road, the same answers."""

import json
import os
import random
import re
import sqlite3
import stat
import subprocess
import threading
from contextlib import closing, suppress

import pytest
from shapely.geometry import shape

from load import Sender, Walker, batch, timeout_seconds
from muster_process import MusterProcess, binary, root, run
from native_api import NativeApi, box, collection, fix, now, polygon
from oracle import difference, key_of
from waiting import eventually


class Place:
    """A data folder, with or without a server that runs over it."""

    def __init__(self, server, is_running):
        self.server, self.is_running = server, is_running
        self.data = server.data
        self.fresh = 0

    def name(self, word):
        """A name that nothing has yet."""
        self.fresh += 1
        return f"{word}{self.fresh}"

    def muster(self, *arguments, **more):
        return run(*arguments, data=self.data, **more)

    def look(self, question):
        """Asks the API, of a server that is started when none runs."""
        if self.is_running:
            return question(self.server.admin())
        with self.server as server:
            return question(server.admin())


@pytest.fixture(scope="module", params=["beside a server", "alone"])
def place(request, tmp_path_factory):
    server = MusterProcess(tmp_path_factory.mktemp("muster"))
    if request.param == "alone":
        assert "empty store" in run("init", data=server.data)
        yield Place(server, False)
    else:
        with server:
            yield Place(server, True)


def test_users_are_added_listed_and_removed(place):
    name, team = place.name("user"), place.name("team")
    place.muster("team", "add", team)
    user = json.loads(place.muster(
        "user", "add", name, "--role", "leader", "--team", team, "--password-stdin", "--json",
        text="a sound password\n"))
    assert user == {"name": name, "role": "leader", "team": team}
    assert user in json.loads(place.muster("user", "list", "--json"))
    assert re.search(rf"^{name}\tleader\t{team}$", place.muster("user", "list"), re.MULTILINE)
    assert place.look(lambda api: api.ok("GET", f"/teams/{team}"))["tracker"]
    session = {"name": name, "password": "a sound password"}
    assert place.look(lambda api: NativeApi(api.address).send("POST", "/session", session).status_code) == 200
    assert name in place.muster("user", "remove", name)
    assert name not in place.muster("user", "list")
    assert place.look(lambda api: NativeApi(api.address).send("POST", "/session", session).status_code) == 401


def test_an_unknown_name_is_refused_and_a_similar_one_suggested(place, tmp_path):
    team, name = place.name("brigade"), place.name("user")
    place.muster("team", "add", team)
    told = place.muster("user", "add", name, "--team", team.replace("brig", "birg"), status=1)
    assert f"Did you mean {team}?" in told and "muster team add" in told, told
    assert name not in place.muster("user", "list")
    assert "birg" not in place.muster("team", "list")
    regions = tmp_path / "yard.geojson"
    regions.write_text(json.dumps(collection([polygon("yard", box(13.4, 52.5, 13.41, 52.51))])))
    told = place.muster("region", "import", regions, "--collection", place.name("nowhere"), status=1)
    assert "--new-collection" in told, told
    assert not any("nowhere" in each["name"] for each in place.look(lambda api: api.items("/collections")))


def test_a_mistyped_folder_makes_no_store(tmp_path):
    run("init", data=tmp_path / "muster-data")
    told = run("user", "add", "ann", data=tmp_path / "muster-dta", status=1)
    assert "no Muster store" in told and "Did you mean muster-data?" in told, told
    assert [path.name for path in tmp_path.iterdir()] == ["muster-data"]
    assert "already" in run("init", data=tmp_path / "muster-data", status=1)


def test_a_password_is_set_from_standard_input_and_is_nowhere_to_be_read(place):
    name = place.name("user")
    place.muster("user", "add", name)
    said = place.muster("user", "password", name, "--password-stdin", text="another sound password\n")
    assert "another sound password" not in said
    session = {"name": name, "password": "another sound password"}
    assert place.look(lambda api: NativeApi(api.address).send("POST", "/session", session).status_code) == 200
    for file in place.data.iterdir():
        # A running server writes some file anew and renames it.
        with suppress(FileNotFoundError):
            assert b"another sound password" not in file.read_bytes(), file


def test_a_refusal_ends_with_a_sentence_and_status_1(place):
    name = place.name("user")
    place.muster("user", "add", name)
    assert name in place.muster("user", "add", name, status=1)
    assert "role" in place.muster("user", "add", place.name("user"), "--role", "king", status=1)
    assert "password" in place.muster("user", "add", place.name("user"), "--password-stdin", text="short\n", status=1)
    assert "password" in place.muster("user", "add", place.name("user"), "--password-stdin", text="", status=1)
    assert place.muster("user", "remove", "nobody", status=1).strip()
    assert place.muster("device", "token", "phone", "--user", "nobody", status=1).strip()
    assert place.muster("export", "--device", "nobody/phone", "--format", "csv", status=1).strip()
    assert place.muster("export", "--device", "nothing", "--format", "csv", status=1).strip()


def test_a_wrong_command_line_ends_with_usage(place):
    for arguments in (["user", "add"], ["nonsense"], ["export", "--device", "a/b"], ["serve", "--port", "70000"],
                      ["export", "--device", "a/b", "--format", "shp"], ["demo", "--people", "0"]):
        done = subprocess.run([binary, *arguments], cwd=root, capture_output=True, text=True, timeout=60)
        assert done.returncode == 64, arguments
        assert "Usage" in done.stderr or "USAGE" in done.stderr


def test_teams_are_added_and_their_status_lists_who_is_safe(place):
    team, name = place.name("team"), place.name("user")
    place.muster("team", "add", team, "--silence-seconds", "600")
    assert {"name": team, "silenceSeconds": 600} in json.loads(place.muster("team", "list", "--json"))
    place.muster("user", "add", name, "--team", team)
    assert place.muster("team", "status", team).split("\t")[:2] == [name, "unknown"]
    status = json.loads(place.muster("team", "status", team, "--json"))
    assert {state: count for state, count in status["counts"].items() if count} == {"unknown": 1}


def test_a_token_is_made_and_good(place):
    name = place.name("user")
    place.muster("user", "add", name)
    answer = json.loads(place.muster("device", "token", "phone", "--user", name, "--json"))
    assert answer["device"] == f"{name}/phone"
    other = place.muster("device", "token", "phone", "--user", name).strip()
    assert other.startswith("md_") and other != answer["token"]
    for token in (answer["token"], other):
        report = fix(1, 2, now())
        assert place.look(lambda api: NativeApi(api.address, token).ok("POST", "/positions", report))["accepted"] == 1
    assert f"{name}/phone" in place.muster("device", "list").split()
    listed = json.loads(place.muster("device", "list", "--json"))
    assert {"id": f"{name}/phone", "name": "phone", "user": name} in listed


def test_regions_are_imported_whole_or_not_at_all(place, tmp_path):
    name = place.name("site")
    good = tmp_path / "good.geojson"
    good.write_text(json.dumps(collection([
        polygon("a", box(13.4, 52.5, 13.41, 52.51)), polygon("b", box(13.5, 52.5, 13.51, 52.51), name="Gate")])))
    bad = tmp_path / "bad.geojson"
    bad.write_text(json.dumps(collection([
        polygon("c", box(13.4, 52.5, 13.41, 52.51)), polygon("d", [(0, 0), (1, 1), (1, 0), (0, 1)])])))
    assert place.muster("region", "import", good, "--collection", name, "--dry-run") == (
        f"Would import 2 regions into {name}.\n")
    assert name not in place.look(lambda api: [each["name"] for each in api.items("/collections")])
    assert place.muster("region", "import", good, "--collection", name, "--new-collection", "--muster") == (
        f"Imported 2 regions into {name}.\n")
    for arguments in ([], ["--dry-run"]):
        said = place.muster("region", "import", bad, "--collection", name, *arguments, status=1)
        assert "/features/1/geometry/coordinates/0" in said
    features = place.look(lambda api: api.ok("GET", f"/collections/{name}/regions"))["features"]
    assert [(each["id"], each["properties"]["muster"]) for each in features] == [("a", True), ("b", True)]
    assert place.muster("region", "import", tmp_path / "none.geojson", "--collection", name, status=1)


def test_an_import_names_the_real_borders_that_shapely_finds_invalid(place, test_data, tmp_path):
    file = test_data / "naturalearth/ne_110m_admin_0_countries.json"
    features = json.loads(file.read_text())["features"]
    at_fault = {index for index, feature in enumerate(features) if not shape(feature["geometry"]).is_valid}
    assert at_fault, "the file has a border that crosses itself"
    name = place.name("borders")
    said = place.muster("region", "import", file, "--collection", name, "--dry-run", status=1)
    assert {int(index) for index in re.findall(r"/features/(\d+)/", said)} == at_fault
    sound = tmp_path / "sound.json"
    sound.write_text(json.dumps(collection(
        feature for index, feature in enumerate(features) if index not in at_fault)))
    count = len(features) - len(at_fault)
    assert f" {count} regions" in place.muster("region", "import", sound, "--collection", name, "--new-collection")
    assert place.look(lambda api: api.ok("GET", f"/collections/{name}"))["regions"] == count


def test_positions_are_exported_by_the_short_name_too(place):
    name, device = place.name("user"), place.name("device")
    token = place.muster("user", "add", name) and place.muster("device", "token", device, "--user", name).strip()
    start = now() - 60_000
    reports = [fix(1.5, 2.25 + step, start + step) for step in range(3)]
    place.look(lambda api: NativeApi(api.address, token).ok("POST", "/positions", reports))
    for named in (device, f"{name}/{device}"):
        lines = place.muster("export", "--device", named, "--format", "ndjson").splitlines()
        assert [json.loads(line)["longitude"] for line in lines] == [2.25, 3.25, 4.25]


def test_doctor_finds_no_fault_in_a_sound_store(place):
    said = place.muster("doctor")
    assert "All is well." in said


def test_a_backup_is_a_whole_store(place, tmp_path):
    name = place.name("user")
    place.muster("user", "add", name)
    file = tmp_path / "copy.sqlite"
    assert str(file) in place.muster("backup", file)
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o600
    assert place.muster("backup", file, status=1), "a backup must not overwrite another"
    other = MusterProcess(tmp_path / "other")
    other.data.mkdir(parents=True)
    os.rename(file, other.data / "muster.sqlite")
    assert name in run("user", "list", data=other.data)


def test_a_command_leaves_no_server_running_and_ignores_a_stale_control_file(place):
    if not place.is_running:
        place.muster("user", "list")
        assert not (place.data / "control.json").exists()
        with place.server as server:
            server.admin()
            control = (place.data / "control.json").read_text()
            server.kill()
        (place.data / "control.json").write_text(control)
        assert "admin" in place.muster("user", "list")
        assert not (place.data / "control.json").exists()
    else:
        control = json.loads((place.data / "control.json").read_text())
        assert stat.S_IMODE(os.stat(place.data / "control.json").st_mode) == 0o600
        assert control["url"] == place.server.address


# MARK: Damage


def test_doctor_finds_damage(tmp_path):
    data = tmp_path / "data"
    run("init", data=data)
    run("user", "add", "ann", data=data)
    file = data / "muster.sqlite"
    with closing(sqlite3.connect(file)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = bytearray(file.read_bytes())
    for offset in range(8192, len(content), 4096):
        content[offset:offset + 64] = bytes(64)
    file.write_bytes(content)
    done = subprocess.run([binary, "doctor", "--data", str(data)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert (done.stdout + done.stderr).strip()
    assert "Fatal" not in done.stderr


def test_doctor_and_backup_create_no_store(tmp_path):
    for command in (["doctor"], ["backup", tmp_path / "copy.sqlite"]):
        assert run(*command, data=tmp_path / "nothing", status=1).strip()
        assert not (tmp_path / "nothing" / "muster.sqlite").exists()
        assert not (tmp_path / "copy.sqlite").exists()


def test_doctor_reports_a_folder_that_others_can_read(tmp_path):
    data = tmp_path / "data"
    run("init", data=data)
    data.chmod(0o755)
    done = subprocess.run([binary, "doctor", "--data", str(data)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "chmod 700" in done.stdout


# MARK: Under load


def test_a_backup_under_load_holds_what_was_acknowledged_before_it_began(make_server, tmp_path):
    seed = 99
    print(f"seed {seed}")
    numbers = random.Random(seed)
    server = make_server().start()
    admin = server.admin()
    gateway = admin.make_user("gateway", "gateway").token
    gate, senders, walkers = threading.Event(), [], []
    for index in range(3):
        walker = Walker(f"walker{index}/phone", [], random.Random(numbers.random()), now() - 5 * 24 * 3_600_000)
        admin.ok("POST", "/users", {"name": walker.user, "role": "member"})
        admin.make_device(walker.user)
        walkers.append(walker)
        senders.append(Sender(server, gateway, [walker], batch, gate))
    gate.set()
    for sender in senders:
        sender.start()
    copies = []
    for index in range(2):
        wanted = [sender.acknowledged + 5 for sender in senders]
        eventually(lambda: all(sender.acknowledged >= count for sender, count in zip(senders, wanted)))
        acknowledged = {walker: set(walker.oracle.known) for walker in walkers}
        file = tmp_path / f"copy{index}.sqlite"
        run("backup", file, data=server.data)
        copies.append((file, acknowledged))
    run("doctor", data=server.data)
    for sender in senders:
        sender.closing = True
    for sender in senders:
        sender.join(2 * timeout_seconds)
        assert not sender.is_alive() and not sender.failures, sender.failures
    for file, acknowledged in copies:
        copy = MusterProcess(tmp_path / file.stem)
        copy.data.mkdir(parents=True)
        os.rename(file, copy.data / "muster.sqlite")
        with copy:
            for walker in walkers:
                stored = list(map(key_of, copy.admin().history(walker.name)))
                assert len(stored) == len(set(stored))
                missing = acknowledged[walker] - set(stored)
                assert not missing, f"{len(missing)} of {len(acknowledged[walker])}"
                assert set(stored) <= walker.oracle.known
            # It is a whole server: it goes on from there.
            token = copy.admin().ok("POST", "/users/walker0/devices/phone/token")["token"]
            assert copy.api(token).ok("POST", "/positions", fix(1, 1, now()))["accepted"] == 1
    for walker in walkers:
        stored = sorted(map(key_of, admin.history(walker.name)))
        assert stored == sorted(walker.oracle.known), difference(sorted(walker.oracle.known), stored)
