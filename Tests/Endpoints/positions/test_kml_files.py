"""Regions as KML files that other programs read, and that Muster reads again."""

import io
import json

import lxml.etree
import pyogrio
import pytest
import shapely
from fastkml.validator import get_schema_parser

from muster_process import run
from native_api import box, polygon

kml_type = "application/vnd.google-earth.kml+xml"
round_yard = {
    "type": "Feature", "id": "round", "geometry": {"type": "Point", "coordinates": [13.5, 52.5]},
    "properties": {"name": "Round yard", "radius": 100, "muster": True}}
room = {
    "type": "Feature", "id": "room", "geometry": None,
    "properties": {
        "name": "Room", "beacon": {"uuid": "CA271EAE-5FA8-4E80-8F08-2A302A95A959", "major": 1, "minor": 2}}}


@pytest.fixture(scope="module")
def admin(server):
    api = server.admin()
    api.make_team("site", [
        polygon("yard-1", box(13.40, 52.50, 13.41, 52.51), name="The yard", muster=True, gate="7 & <b>", dwell=60),
        polygon("yard-2", box(13.42, 52.50, 13.43, 52.51), name="The yard", muster=False), round_yard, room])
    return api


def file_of(api, **headers):
    response = api.send("GET", "/collections/site/regions", headers={"Accept": kml_type, **headers})
    assert response.status_code == 200 and response.headers["Content-Type"] == kml_type
    return response.content


def test_the_regions_of_a_collection_are_a_file_that_other_programs_read(admin):
    content = file_of(admin)
    assert admin.send("GET", "/collections/site/regions?format=kml").content == content
    get_schema_parser().assertValid(lxml.etree.fromstring(content))
    meta, _, shapes, columns = pyogrio.raw.read(io.BytesIO(content))
    rows = {dict(zip(meta["fields"], row))["regionId"]: (shape, dict(zip(meta["fields"], row)))
            for shape, *row in zip(shapes, *columns)}
    assert set(rows) == {"yard-1", "yard-2", "round"}
    shape, data = rows["yard-1"]
    assert data["Name"] == "The yard" and data["gate"] == "7 & <b>" and data["muster"] == "true"
    assert shapely.from_wkb(shape).equals(shapely.box(13.40, 52.50, 13.41, 52.51))
    # A circle of 100 m, up to 0.1 % smaller: one degree of latitude is 111.3 km here.
    south, north = shapely.from_wkb(rows["round"][0]).bounds[1::2]
    assert 199.7 < (north - south) * 111_267 < 200.3
    assert b"1 beacon regions are left out" in content


def test_a_file_is_read_again_as_the_same_regions(admin):
    content = file_of(admin)
    admin.ok("POST", "/collections", {"name": "copy"})
    path = "/collections/copy/regions"
    assert admin.ok("POST", path, raw=content, headers={"Content-Type": kml_type})["stored"] == 3
    copy = {each["id"]: each for each in admin.ok("GET", path)["features"]}
    yard = copy["yard-1"]
    assert yard["properties"] == {
        "name": "The yard", "muster": True, "dwell": 60, "gate": "7 & <b>", "document": "site"}
    assert yard["geometry"] == admin.ok("GET", "/collections/site/regions/yard-1")["geometry"]
    assert copy["round"]["geometry"]["type"] == "Polygon" and copy["yard-2"]["properties"]["muster"] is False
    # Imported where it came from, it replaces and adds nothing.
    tried = admin.ok("POST", "/collections/site/regions?dryRun=true", raw=content, headers={"Content-Type": kml_type})
    assert tried["replaced"] == tried["regions"] == 3


def test_the_format_is_the_one_that_is_asked_for(admin):
    path = "/collections/site/regions"
    for accept in ("application/geo+json, " + kml_type, "*/*", "application/json", ""):
        assert admin.ok("GET", path, headers={"Accept": accept})["type"] == "FeatureCollection"
    assert file_of(admin, Accept=f"text/html;q=1, {kml_type};q=0.9, application/geo+json").startswith(b"<kml")
    assert admin.refused(422, "GET", path + "?format=shp")["errors"][0]["pointer"] == "?format"


def test_the_command_line_writes_the_file(admin, server):
    printed = run("region", "list", "--collection", "site", "--kml", data=server.data)
    assert printed.strip().encode() == file_of(admin).strip()
    assert json.loads(run("region", "list", "--collection", "site", "--json", data=server.data))["features"]
