"""The commands that list, change and remove what the API keeps: regions, collections, users, teams, devices, tokens."""

import json

import pytest

from muster_process import run
from native_api import NativeApi, box, collection, fix, now, polygon


@pytest.fixture
def muster(server, admin):
    return lambda *arguments, **more: run(*arguments, data=server.data, **more)


def feature(geometry):
    return {"type": "Feature", "properties": {}, "geometry": geometry}


def test_regions_are_listed_shown_and_removed(muster, admin, tmp_path):
    file = tmp_path / "yard.geojson"
    file.write_text(json.dumps(collection([
        polygon("gate", box(13.4, 52.5, 13.41, 52.51), name="Main gate", muster=True),
        polygon("yard", box(13.5, 52.5, 13.51, 52.51))])))
    muster("region", "import", file, "--collection", "works", "--new-collection")
    lines = muster("region", "list", "--collection", "works").splitlines()
    assert lines[0] == "gate\tMain gate\tmuster"
    assert [line.split("\t")[0] for line in lines] == ["gate", "yard"]
    shown = json.loads(muster("region", "show", "gate", "--collection", "works"))
    assert shown == admin.ok("GET", "/collections/works/regions/gate")
    assert muster("region", "remove", "gate", "--collection", "works") == "Removed region gate from works.\n"
    assert [each["id"] for each in admin.ok("GET", "/collections/works/regions")["features"]] == ["yard"]
    assert "gate" in muster("region", "remove", "gate", "--collection", "works", status=1)
    assert "Did you mean works?" in muster("region", "list", "--collection", "work", status=1)


def test_a_listed_collection_has_every_page_and_can_be_imported_again(muster, admin, tmp_path):
    features = [
        polygon(f"r{index:04}", box(index / 100, 1, index / 100 + 0.005, 1.005)) for index in range(1_100)]
    admin.ok("POST", "/collections", {"name": "many"})
    for start in (0, 600):
        admin.ok("POST", "/collections/many/regions", collection(features[start:start + 600]))
    listed = muster("region", "list", "--collection", "many", "--json")
    assert [each["id"] for each in json.loads(listed)["features"]] == [each["id"] for each in features]
    file = tmp_path / "many.geojson"
    file.write_text(listed)
    assert "1100 regions" in muster("region", "import", file, "--collection", "many", "--dry-run")


@pytest.mark.parametrize("make, count", [
    (lambda geometry, text: text(geometry), 1),
    (lambda geometry, text: b"\xef\xbb\xbf" + text(geometry), 1),
    (lambda geometry, text: text({"type": "MultiPolygon", "coordinates": [geometry["coordinates"]], "crs": None}), 1),
    (lambda geometry, text: text({"type": "GeometryCollection", "geometries": [geometry, geometry]}), 2),
    (lambda geometry, text: text({**feature(geometry), "id": 7, "title": "foreign"}), 1),
    (lambda geometry, text: b"\x1e" + text(feature(geometry)) + b"\n\x1e" + text(geometry) + b"\n", 2),
    (lambda geometry, text: b"\xef\xbb\xbf\r\n\x1e" + text(collection([feature(geometry)] * 3)), 3)],
    ids=["polygon", "byte order mark", "multipolygon", "geometry collection", "feature", "sequence", "marked sequence"])
def test_each_form_of_a_geojson_text_is_imported(muster, admin, tmp_path, request, make, count):
    """RFC 7946 allows a geometry alone; RFC 8142 has sequences of texts."""
    file = tmp_path / "area.geojson"
    geometry = polygon(None, box(13.4, 52.5, 13.41, 52.51))["geometry"]
    file.write_bytes(make(geometry, lambda value: json.dumps(value).encode()))
    name = request.node.callspec.id.replace(" ", "-")
    told = muster("region", "import", file, "--collection", name, "--new-collection", "--muster")
    assert told == f"Imported {count} regions into {name}.\n"
    regions = admin.ok("GET", f"/collections/{name}/regions")["features"]
    assert len(regions) == len({region["id"] for region in regions}) == count
    assert all(region["properties"]["muster"] for region in regions)
    assert len(muster("region", "list", "--collection", name).splitlines()) == count


@pytest.mark.parametrize("text, words", [
    ('{"type": "Point", "coordinates": [1, 2]}', "radius"),
    ('{"type": "LineString", "coordinates": [[1, 2], [3, 4]]}', "type"),
    ('{"type": "GeometryCollection"}', "/geometries"), ("\x1e", "too early"), ("", "too early"),
    ('\x1e{"type": "Polygon", "coordinates": []}', "/0"),
    ('{"type": "Polygon", "coordinates": [[[0, 0], [1, 1], [1, 0], [0, 1], [0, 0]]]}', "/coordinates/0")])
def test_a_geojson_text_without_a_region_is_refused_with_the_place(muster, admin, tmp_path, text, words):
    file = tmp_path / "area.geojson"
    file.write_text(text)
    told = muster("region", "import", file, "--collection", "refused", "--new-collection", status=1)
    assert words in told, told
    assert admin.ok("GET", "/collections/refused/regions")["features"] == []


def test_collections_are_added_listed_changed_and_removed(muster, admin):
    muster("collection", "add", "site", "--policy", "raw")
    assert "site\traw\t0" in muster("collection", "list").splitlines()
    assert muster("collection", "policy", "site", "confident") == "Collection site is confident.\n"
    assert admin.ok("GET", "/collections/site")["policy"] == "confident"
    assert "policy" in muster("collection", "policy", "site", "often", status=1)
    listed = json.loads(muster("collection", "list", "--json"))
    assert {"name": "site", "policy": "confident", "regions": 0} in listed
    muster("collection", "remove", "site")
    admin.refused(404, "GET", "/collections/site")
    assert "no collection 'site'" in muster("collection", "remove", "site", status=1)


def test_a_user_is_given_another_role_and_team(muster, admin):
    muster("team", "add", "crew")
    muster("user", "add", "ann")
    changed = json.loads(muster("user", "set", "ann", "--role", "leader", "--team", "crew", "--json"))
    assert changed == {"name": "ann", "role": "leader", "team": "crew"}
    assert "The teams are: crew." in muster("user", "set", "ann", "--team", "crwe", status=1)
    assert admin.ok("GET", "/users/ann")["team"] == "crew"
    muster("user", "set", "ann", "--no-team")
    user = admin.ok("GET", "/users/ann")
    assert user.get("team") is None and user["role"] == "leader"
    for arguments in ([], ["--team", "crew", "--no-team"]):
        assert "--no-team" in muster("user", "set", "ann", *arguments, status=64)


def test_a_team_is_removed(muster, admin):
    muster("team", "add", "brief")
    assert muster("team", "remove", "brief") == "Removed team brief.\n"
    admin.refused(404, "GET", "/teams/brief")
    assert "brief" in muster("team", "remove", "brief", status=1)


def test_crews_are_added_filled_renamed_and_removed(muster, admin):
    muster("team", "add", "quay")
    assert muster("crew", "add", "Engine 3", "--team", "quay") == "Added crew Engine 3 to quay.\n"
    assert "already exists" in muster("crew", "add", "Engine 3", "--team", "quay", status=1)
    muster("crew", "add", "Boat", "--team", "quay")
    user = json.loads(muster("user", "add", "quay-ann", "--team", "quay", "--crew", "Engine 3", "--json"))
    assert user == {"name": "quay-ann", "role": "member", "team": "quay", "crew": "Engine 3"}
    assert muster("crew", "list", "--team", "quay") == "Engine 3\t1 person\nBoat\t0 people\n"
    assert "quay-ann\tmember\tquay\tEngine 3" in muster("user", "list").splitlines()
    muster("user", "set", "quay-ann", "--phone", "+44 7700 900001")
    line = muster("team", "status", "quay").rstrip()
    assert line.startswith("quay-ann (Engine 3)\t") and line.endswith("\tphone +44 7700 900001")
    renamed = muster("crew", "rename", "Engine 3", "Engine 7", "--team", "quay")
    assert renamed == "Crew Engine 3 of quay is called Engine 7.\n"
    assert json.loads(muster("crew", "show", "Engine 7", "--team", "quay")) == {
        "name": "Engine 7", "team": "quay", "people": 1}
    assert "Did you mean Engine 7?" in muster("crew", "show", "Engine 3", "--team", "quay", status=1)
    assert "The teams are:" in muster("crew", "list", "--team", "quai", status=1)
    assert "/crew" in muster("user", "set", "quay-ann", "--crew", "Engine 3", status=1)
    assert "--no-crew" in muster("user", "set", "quay-ann", "--crew", "Boat", "--no-crew", status=64)
    muster("user", "set", "quay-ann", "--no-crew")
    assert "crew" not in admin.ok("GET", "/users/quay-ann")
    assert muster("crew", "remove", "Boat", "--team", "quay") == "Removed crew Boat from quay.\n"
    listed = json.loads(muster("crew", "list", "--team", "quay", "--json"))
    assert listed == [{"name": "Engine 7", "team": "quay", "people": 0}]


def test_a_devices_tokens_are_listed_with_their_maker_and_revoked(muster, server, admin):
    muster("user", "add", "bob")
    secret = muster("device", "token", "phone", "--user", "bob").strip()
    listed = json.loads(muster("token", "list", "phone", "--user", "bob", "--json"))
    assert [each["madeBy"] for each in listed] == ["admin"]
    said = muster("token", "list", "phone", "--user", "bob")
    assert said.splitlines() == [f"{listed[0]['id']}\t{listed[0]['createdAt']}\tadmin\ttoken\t"]
    assert secret not in said
    phone = NativeApi(server.address, secret)
    phone.ok("POST", "/positions", fix(1, 2, now()))
    assert muster("token", "revoke", "phone", "--user", "bob") == "Revoked the tokens of bob/phone.\n"
    phone.refused(401, "POST", "/positions", fix(1, 2, now()))
    assert muster("token", "list", "phone", "--user", "bob") == ""


def test_a_device_is_removed_with_what_it_reported(muster, admin):
    muster("user", "add", "cid")
    muster("device", "token", "phone", "--user", "cid")
    assert muster("device", "remove", "phone", "--user", "cid") == "Removed device cid/phone.\n"
    admin.refused(404, "GET", "/users/cid/devices/phone")
    assert "no device 'phone' of a user 'cid'" in muster("device", "remove", "phone", "--user", "cid", status=1)
