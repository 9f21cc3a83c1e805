"""Edits of regions: tried before they are stored, refused when somebody else was there first, and files of KML."""

import threading

import pytest

from native_api import NativeApi, box, fix, now, polygon
from muster_process import run

kml_type = {"Content-Type": "application/vnd.google-earth.kml+xml"}
yard = box(13.40, 52.50, 13.41, 52.51)
"""A yard, about 700 m by 1,100 m; people stand in its middle and 300 m east of it."""
wide = box(13.40, 52.50, 13.42, 52.51)
inside, beside = (52.505, 13.405), (52.505, 13.415)


def collection(*features):
    return {"type": "FeatureCollection", "features": list(features)}


@pytest.fixture(scope="module")
def world(server):
    """Two teams that share nothing: lena and omar lead the first, lars the second."""
    admin = server.admin()
    admin.make_team("crew", policy="confident")
    admin.make_team("others", policy="confident")
    people = {name: admin.make_user(name, role, team) for name, role, team in [
        ("lena", "leader", "crew"), ("omar", "leader", "crew"), ("mia", "member", "crew"),
        ("lars", "leader", "others"), ("ana", "analyst", None)]}
    people["admin"] = admin
    return people


def stand(admin, team, places):
    """Makes people with a phone that stand somewhere, by fixes of the last minute."""
    for name, (latitude, longitude) in places.items():
        admin.make_user(name, "member", team)
        phone, at = admin.make_device(name), now()
        for ago in (50, 40, 30, 20, 10):
            phone.ok("POST", "/positions", fix(latitude, longitude, at - ago * 1000, accuracy=5))


@pytest.fixture(scope="module")
def people(world):
    """Five people of the crew in the yard and two beside it, and one of the others' in it."""
    stand(world["admin"], "crew", {f"in{n}": inside for n in range(5)} | {f"out{n}": beside for n in range(2)})
    stand(world["admin"], "others", {"stranger": inside})
    return [f"in{n}" for n in range(5)], [f"out{n}" for n in range(2)]


def region_path(name, place="crew"):
    return f"/collections/{place}/regions/{name}"


def inside_of(api, name):
    """The people with a device inside of a region."""
    return {item["user"] for item in api.items("/presences")
            if item["region"]["id"] == name and item["standing"] == "inside"}


def safe_of(api):
    return {item["user"] for item in api.ok("GET", "/teams/crew/safety")["members"]
            if item["state"] == "safe" and "doubt" not in item}


def test_what_an_edit_would_change_is_what_it_then_changes(world, people):
    lena = world["lena"]
    present, away = people
    steps = [
        ("PUT", polygon("tried", yard, muster=True), present, []),
        ("PUT", polygon("tried", wide, muster=True), away, []),
        ("PUT", polygon("tried", wide), [], []),
        ("PUT", polygon("tried", yard, muster=True), [], away),
        ("DELETE", None, [], present),
    ]
    for method, body, entering, leaving in steps:
        before, safe, sequence = inside_of(lena, "tried"), safe_of(lena), lena.last_sequence()
        told = lena.ok(method, region_path("tried") + "?dryRun=true", body)
        assert inside_of(lena, "tried") == before and lena.last_sequence() == sequence
        lena.ok(method, region_path("tried"), body)
        after, safe_after = inside_of(lena, "tried"), safe_of(lena)
        assert told["isComplete"] is True and "leftOut" not in told
        assert told["people"] == {
            "inside": len(before), "wouldBeInside": len(after), "leaving": len(leaving), "entering": len(entering),
            "wouldLeave": sorted(leaving), "wouldEnter": sorted(entering)}
        assert after == (before | set(entering)) - set(leaving)
        assert told["safety"] == {
            "wouldEndSafe": len(safe - safe_after), "wouldBecomeSafe": len(safe_after - safe)}
    assert told["safety"]["wouldEndSafe"] == 5


def test_a_dry_run_shows_those_whom_the_caller_may_see(world, people):
    """A collection that two teams share is an admin's to change; a leader of one may not even try."""
    admin, lena = world["admin"], world["lena"]
    admin.ok("POST", "/collections", {"name": "shared"})
    for team in ("crew", "others"):
        admin.ok("PATCH", f"/trackers/{team}", {"collections": [team, "shared"]})
    body = polygon("hall", yard)
    told = admin.ok("PUT", region_path("hall", "shared") + "?dryRun=true", body)
    assert told["people"]["wouldEnter"] == [f"in{n}" for n in range(5)] + ["stranger"]
    for caller, status in ((lena, 403), (world["mia"], 403), (world["ana"], 403)):
        for method, content in (("PUT", body), ("DELETE", None)):
            caller.refused(status, method, region_path("hall", "shared") + "?dryRun=true", content)
    admin.refused(404, "GET", region_path("hall", "shared"))
    lena.refused(404, "DELETE", region_path("never") + "?dryRun=true")
    lena.refused(422, "PUT", region_path("hall") + "?dryRun=perhaps", body)
    lena.refused(422, "PUT", region_path("bad") + "?dryRun=true", polygon("bad", [(13.4, 52.5), (13.5, 52.5)]))


def test_two_leaders_edit_one_region_and_the_second_is_told(world):
    lena, omar = world["lena"], world["omar"]
    path = region_path("ward")
    made = lena.send("PUT", path, polygon("ward", yard))
    assert made.status_code == 201
    tag = omar.send("GET", path).headers["ETag"]
    assert tag == made.headers["ETag"] and tag.startswith('"')
    changed = lena.send("PUT", path, polygon("ward", wide), headers={"If-Match": tag})
    assert changed.status_code == 200 and changed.headers["ETag"] != tag
    for method, body in (("PUT", polygon("ward", yard, name="mine")), ("DELETE", None)):
        for query in ("", "?dryRun=true"):
            refusal = omar.refused(412, method, path + query, body, headers={"If-Match": tag})
            assert refusal["type"].endswith("changed-meanwhile")
            assert "lena changed the region ward at 20" in refusal["detail"], refusal
    assert omar.ok("GET", path)["properties"]["name"] == "ward"
    # Who sends no condition replaces it, as ever; and who read it again may.
    again = omar.send("GET", path).headers["ETag"]
    omar.ok("PUT", path, polygon("ward", yard, name="mine"), headers={"If-Match": f'"1-0", {again}'})
    lena.ok("PUT", path, polygon("ward", yard, name="hers"))
    omar.ok("DELETE", path, headers={"If-Match": "*"})
    refusal = lena.refused(412, "PUT", path, polygon("ward", yard), headers={"If-Match": again})
    assert "omar removed the region ward at 20" in refusal["detail"], refusal
    lena.refused(412, "PUT", path, polygon("ward", yard), headers={"If-Match": "*"})


def test_a_new_region_does_not_replace_one_that_exists(world):
    lena, omar = world["lena"], world["omar"]
    path, new = region_path("once"), {"If-None-Match": "*"}
    lena.ok("PUT", path, polygon("once", yard), headers=new)
    refusal = omar.refused(412, "PUT", path, polygon("once", wide), headers=new)
    assert "lena stored it at 20" in refusal["detail"], refusal
    assert lena.ok("GET", path)["geometry"]["coordinates"][0][2] == [13.41, 52.51]
    lena.ok("DELETE", path)


def test_of_many_edits_at_once_with_one_tag_one_is_stored(world):
    lena = world["lena"]
    path = region_path("raced")
    tag = lena.send("PUT", path, polygon("raced", yard)).headers["ETag"]
    statuses = []

    def edit(index):
        caller = NativeApi(lena.address, lena.token)
        body = polygon("raced", yard, name=f"edit {index}")
        statuses.append(caller.send("PUT", path, body, headers={"If-Match": tag}).status_code)

    threads = [threading.Thread(target=edit, args=(index,)) for index in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [200] + [412] * 7


def test_a_restart_changes_no_tag_and_forgets_nobody(make_server):
    server = make_server().start()
    admin = server.admin()
    admin.make_team("crew")
    lena = admin.make_user("lena", "leader", "crew")
    path = region_path("kept")
    old = lena.send("PUT", path, polygon("kept", yard)).headers["ETag"]
    new = lena.send("PUT", path, polygon("kept", wide, name="Kept")).headers["ETag"]
    server.stop()
    server.start()
    admin = server.admin()
    assert admin.send("GET", path).headers["ETag"] == new
    refusal = admin.refused(412, "DELETE", path, headers={"If-Match": old})
    assert "lena changed the region kept at 20" in refusal["detail"]
    admin.ok("DELETE", path, headers={"If-Match": new})


def placemark(name, *rings, data=""):
    """A placemark with a polygon. The rings are lists of (longitude, latitude)."""
    texts = [" ".join(f"{x},{y},0" for x, y in [*ring, ring[0]]) for ring in rings]
    kinds = ["outerBoundaryIs"] + ["innerBoundaryIs"] * (len(rings) - 1)
    inner = "".join(f"<{kind}><LinearRing><coordinates>{text}</coordinates></LinearRing></{kind}>"
                    for kind, text in zip(kinds, texts))
    return f"<Placemark><name>{name}</name>{data}<Polygon>{inner}</Polygon></Placemark>"


def kml(*content):
    return ('<?xml version="1.0" encoding="UTF-8"?>\n<kml xmlns="http://www.opengis.net/kml/2.2"><Document>\n'
            + "\n".join(content) + "\n</Document></kml>").encode()


def test_a_dropped_kml_is_tried_then_stored_and_read_as_geojson(world):
    lena = world["lena"]
    values = "".join(
        f'<Data name="{key}"><value>{value}</value></Data>' for key, value in (("muster", "true"), ("gate", "7")))
    data = f"<ExtendedData>{values}</ExtendedData>"
    body = kml(
        "<Folder><name>Site</name>" + placemark("Hall 1", yard, box(13.404, 52.504, 13.406, 52.506), data=data),
        placemark("Hall 2", wide) + "</Folder>",
        "<Placemark><name>Gate</name><Point><coordinates>13.4,52.5</coordinates></Point></Placemark>",
        "<Placemark><LineString><coordinates>13.4,52.5 13.5,52.5</coordinates></LineString></Placemark>")
    path = "/collections/crew/regions"
    tried = lena.ok("POST", path + "?dryRun=true", raw=body, headers=kml_type)
    assert tried["regions"] == tried["stored"] == 2 and tried["faults"] == [] and tried["moreFaults"] == 0
    assert tried["skipped"] == {"points": 1, "lines": 1, "links": 0, "others": 0} and tried["replaced"] == 0
    assert [feature["id"] for feature in tried["features"]["features"]] == ["Hall 1", "Hall 2"]
    lena.refused(404, "GET", region_path("Hall%201"))
    stored = lena.ok("POST", path, raw=body, headers=kml_type)
    assert stored["stored"] == 2 and stored["skipped"]["lines"] == 1
    hall = lena.ok("GET", region_path("Hall%201"))
    assert len(hall["geometry"]["coordinates"]) == 2 and hall["properties"]["muster"] is True
    assert hall["properties"]["gate"] == "7" and hall["properties"]["folder"] == "Site"
    assert lena.ok("POST", path + "?dryRun=true", raw=body, headers=kml_type)["replaced"] == 2
    for name in ("Hall%201", "Hall%202"):
        lena.ok("DELETE", region_path(name))


def test_every_fault_of_a_kml_is_listed_with_its_line_and_place(world):
    lena = world["lena"]
    bow_tie = [(13.40, 52.50), (13.41, 52.51), (13.41, 52.50), (13.40, 52.51)]
    body = kml(placemark("Fine", yard), placemark("Bow", bow_tie), placemark("Far", [(200, 1), (2, 2), (3, 1)]))
    path = "/collections/crew/regions"
    tried = lena.ok("POST", path + "?dryRun=true", raw=body, headers=kml_type)
    assert tried["regions"] == 1 and tried["stored"] == 0
    bow, far = ([fault for fault in tried["faults"] if fault["region"] == name][0] for name in ("Bow", "Far"))
    assert {fault["region"] for fault in tried["faults"]} == {"Bow", "Far"} and tried["moreFaults"] == 0
    assert (bow["line"], bow["region"]) == (4, "Bow") and bow["coordinates"] == pytest.approx([13.405, 52.505])
    assert (far["line"], far["region"]) == (5, "Far") and "coordinates" not in far and "200" in far["detail"]
    refusal = lena.refused(422, "POST", path, raw=body, headers=kml_type)
    assert [(fault["line"], fault["region"]) for fault in refusal["errors"]][0] == (4, "Bow")
    assert refusal["errorCount"] >= 2
    lena.refused(404, "GET", region_path("Fine"))
    many = kml(*(placemark(f"p{n}", [(500, 1), (501, 2), (502, 1)]) for n in range(1500)))
    tried = lena.ok("POST", path + "?dryRun=true", raw=many, headers=kml_type)
    assert len(tried["faults"]) == 1000 and tried["moreFaults"] >= 500
    # The same for GeoJSON.
    features = collection(polygon("fine", yard), {**polygon("bow", bow_tie), "properties": {"dwell": -1}})
    tried = lena.ok("POST", path + "?dryRun=true", features)
    assert tried["regions"] == 1 and [fault["pointer"] for fault in tried["faults"]][0].startswith("/features/1/")


hostile = {
    "entities": b'<!DOCTYPE kml [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><kml><Document>&b;</Document></kml>',
    "a file of the server's": b'<!DOCTYPE kml [<!ENTITY a SYSTEM "file:///etc/passwd">]><kml>&a;</kml>',
    "deep": b"<kml>" + b"<Folder>" * 100_000,
    "cut": kml(placemark("a", yard))[:300],
    "no XML": bytes(range(256)) * 10, "empty": b"", "a zip": b"PK\x03\x04" + bytes(100),
    "another root": b"<gpx></gpx>",
}


@pytest.mark.parametrize("name", hostile)
def test_a_hostile_kml_is_refused_with_a_line(world, name):
    lena = world["lena"]
    path = "/collections/crew/regions"
    tried = lena.ok("POST", path + "?dryRun=true", raw=hostile[name], headers=kml_type)
    assert tried["stored"] == 0 and tried["faults"][0]["line"] >= 1 and "root:" not in str(tried)
    lena.refused(422, "POST", path, raw=hostile[name], headers=kml_type)


def test_a_long_kml_is_for_those_who_may_store_it(world):
    lena, lars = world["lena"], world["lars"]
    body = kml(" " * 10_500_000, placemark("a", yard))
    path = "/collections/crew/regions?dryRun=true"
    assert lena.ok("POST", path, raw=body, headers=kml_type)["regions"] == 1
    lars.refused(413, "POST", path, raw=body, headers=kml_type)
    lars.refused(403, "POST", "/collections/crew/regions", raw=body, headers=kml_type)
    world["mia"].refused(403, "POST", path, raw=body, headers=kml_type)
    lena.refused(413, "POST", path, raw=body + bytes(20_000_000), headers=kml_type)
    packed = {"Content-Type": "application/vnd.google-earth.kmz"}
    assert "unpack" in lena.refused(415, "POST", path, raw=b"PK\x03\x04", headers=packed)["detail"]


def test_the_command_line_imports_kml(server, world, tmp_path):
    file = tmp_path / "site.kml"
    file.write_bytes(kml(placemark("Dock", yard),
                         "<Placemark><Point><coordinates>13.4,52.5</coordinates></Point></Placemark>"))
    imported = run("region", "import", file, "--collection", "crew", data=server.data)
    assert "Imported 1 regions into crew." in imported and "1 points" in imported
    world["lena"].ok("DELETE", region_path("Dock"))
    file.write_bytes(kml(placemark("Dock", [(500, 1), (501, 2), (502, 1)])))
    refused = run("region", "import", file, "--collection", "crew", "--dry-run", data=server.data, status=1)
    assert ":3: Dock: the longitude" in refused, refused
