"""`muster user import`: many people from one table, all or none."""

import json
import random
import subprocess

import pytest

from muster_process import binary, run


@pytest.fixture
def muster(server, admin):
    return lambda *arguments, **more: run(*arguments, data=server.data, **more)


def test_every_fault_of_a_table_is_told_by_its_line_and_nothing_is_imported(
        muster, server, admin, tmp_path):
    admin.make_user("imported-before", "member")
    table = tmp_path / "people.csv"
    table.write_text(
        "Name,Role,Team,E-mail,Phone\n"
        "fine,member,,fine@example.org,+49 30 1\n"
        "two words,chief,,no address,one\n"
        "imported-before,,,,\n"
        "fine,,,,\n"
        "lost,,no-such-team,,\n"
        '"open,,,,\n'
        "last,member,,,\n")
    before = admin.last_sequence()
    told = muster("user", "import", table, status=1).splitlines()
    places = [line.removeprefix(f"{table}:").split(": ")[:2] for line in told if line.startswith(f"{table}:")]
    assert places == [
        ["3", "name"], ["3", "role"], ["3", "email"], ["3", "phone"], ["4", "name"], ["5", "name"], ["6", "team"],
        ["7", "name"]], told
    assert "there is a user imported-before already" in told[4]
    assert "repeats the name of line 2" in told[5]
    assert "quotation mark" in told[7]
    assert told[8] == "Error: Nothing was imported."
    done = subprocess.run(
        [binary, "user", "import", table, "--json", "--data", server.data], capture_output=True, text=True, timeout=120)
    problem = json.loads(done.stdout)
    assert done.returncode == 1 and problem["errorCount"] == 8 and problem["errors"][0]["line"] == 3
    # A trial tells the same.
    assert "Nothing was imported." in muster("user", "import", table, "--dry-run", status=1)
    assert admin.last_sequence() == before
    admin.refused(404, "GET", "/users/fine")


def test_a_table_is_imported_with_teams_and_devices(muster, admin, tmp_path):
    names = [f"import-{number}" for number in range(1_200)]
    random.Random(7).shuffle(names)
    rows = "".join(f"{name};{name}@example.org;crew-{index % 3}\r\n" for index, name in enumerate(names))
    table = tmp_path / "people.csv"
    # As a spreadsheet in Europe saves it.
    table.write_bytes("\ufeffname;email;team\r\n".encode() + rows.encode())
    arguments = ["user", "import", table, "--make-teams", "--device", "phone"]
    assert muster(*arguments, "--dry-run") == "Would import 1,200 users, 3 teams, 1,200 devices.\n"
    admin.refused(404, "GET", "/users/import-0")
    assert muster(*arguments) == "Imported 1,200 users, 3 teams, 1,200 devices.\n"
    user = admin.ok("GET", "/users/import-7")
    assert user == {
        "name": "import-7", "role": "member", "team": f"crew-{names.index('import-7') % 3}",
        "email": "import-7@example.org"}
    admin.ok("GET", "/users/import-7/devices/phone")
    assert len([each for each in admin.items("/users") if each["name"].startswith("import-")]) == 1_200
    # Twice is refused, from standard input too.
    told = muster("user", "import", "-", text=table.read_text("utf-8-sig"), status=1).splitlines()
    assert told[0] == f"-:2: name: there is a user {names[0]} already"
    assert told[1_000:] == ["and 200 more errors", "Error: Nothing was imported."]


def test_a_table_makes_the_crews_that_it_names_and_a_trial_says_so(muster, admin, tmp_path):
    muster("team", "add", "pier")
    muster("crew", "add", "Engine 1", "--team", "pier")
    table = tmp_path / "pier.csv"
    table.write_text(
        "name,team,crew\npier-ada,pier,Engine 1\npier-bo,pier,Löschzug 3\npier-cy,pier,Löschzug 3\npier-di,pier,\n")
    assert muster("user", "import", table, "--dry-run") == "Would import 4 users, 1 crew.\n"
    assert [each["name"] for each in admin.items("/teams/pier/crews")] == ["Engine 1"]
    assert muster("user", "import", table) == "Imported 4 users, 1 crew.\n"
    assert [(each["name"], each["people"]) for each in admin.items("/teams/pier/crews")] == [
        ("Engine 1", 1), ("Löschzug 3", 2)]
    assert admin.ok("GET", "/users/pier-cy")["crew"] == "Löschzug 3"
    assert "crew" not in admin.ok("GET", "/users/pier-di")
    table.write_text("name,crew\npier-eve,Engine 1\n")
    assert muster("user", "import", table, status=1).splitlines()[0] == (
        f"{table}:2: crew: needs a team, because a crew is a part of one")


def test_contacts_are_given_changed_and_removed(muster, admin):
    muster("user", "add", "eve", "--email", "eve@example.org", "--phone", "+49 30 555 01")
    assert json.loads(muster("user", "show", "eve")) == {
        "name": "eve", "role": "member", "email": "eve@example.org", "phone": "+49 30 555 01"}
    assert json.loads(muster("user", "set", "eve", "--no-email", "--phone", "112", "--json")) == {
        "name": "eve", "role": "member", "phone": "112"}
    assert "/email" in muster("user", "set", "eve", "--email", "Eve <eve@example.org>", status=1)
    assert "exclude" in muster("user", "set", "eve", "--email", "a@b", "--no-email", status=64)
