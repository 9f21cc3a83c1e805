"""What a link shows to programs of maps: KML that stays live, read by GDAL, which QGIS reads by, and checked against
OGC's schema."""

import io
import re
import secrets
from urllib.parse import urljoin

import lxml.etree
import pyogrio
import pytest
from fastkml import kml as fastkml
from fastkml.validator import get_schema_parser

from link_town import Town
from muster_process import MusterProcess, run
from native_api import NativeApi, fix, now
from waiting import eventually

media_type = "application/vnd.google-earth.kml+xml"
namespace = "{http://www.opengis.net/kml/2.2}"


@pytest.fixture
def town(make_server):
    return Town(make_server().start())


def give(town, kind, **subject):
    """Gives a link for maps. Returns the path of its network link, and its token."""
    made = town.sue.ok("POST", "/links", {"kind": kind, "expiresSeconds": 3600, "kml": True, **subject})
    address, token = made["kmlURL"], made["url"].split("#")[1]
    assert address == f"{town.server.address}/api/v1/shared/{token}/link.kml"
    return address, token


def get(address, headers=None):
    """What a program of maps asks: without a proof in a header."""
    return NativeApi(address).session.get(address, headers=headers, timeout=60)


def read(address):
    """The document at an address, checked against OGC's schema."""
    response = get(address)
    assert response.status_code == 200 and response.headers["Content-Type"] == media_type
    assert response.headers["Cache-Control"] == "no-store" and response.headers["Referrer-Policy"] == "no-referrer"
    tree = lxml.etree.fromstring(response.content)
    get_schema_parser().assertValid(tree)
    return tree


def map_of(address):
    """The file that a network link names."""
    link = read(address)
    assert link.findtext(f".//{namespace}refreshMode") == "onInterval"
    assert link.findtext(f".//{namespace}refreshInterval") == "10"
    return link.findtext(f".//{namespace}href")


def shown(tree):
    """The placemarks as GDAL reads them: name, geometry and data, of all layers."""
    file = io.BytesIO(lxml.etree.tostring(tree))
    rows = []
    for layer, _ in pyogrio.list_layers(file):
        file.seek(0)
        meta, _, shapes, columns = pyogrio.raw.read(file, layer=layer)
        for index, shape in enumerate(shapes):
            data = {name: column[index] for name, column in zip(meta["fields"], columns)}
            rows.append((data["Name"], shape, data))
    return rows


def names(tree):
    return [each.findtext(f"{namespace}name") for each in tree.iter(f"{namespace}Placemark")]


def test_a_person_stays_live_in_a_program_of_maps(town):
    address, _ = give(town, "person", user="sam")
    target = map_of(address)
    tree = read(target)
    assert re.fullmatch(r"sam, as of \d{4}-\d\d-\d\d \d\d:\d\d UTC", tree.findtext(f".//{namespace}linkName"))
    assert tree.findtext(f".//{namespace}minRefreshPeriod") == "10"
    assert [name.split(": ")[0] for name in names(tree)] == ["Unknown", "sam"], "one fix makes nobody safe"
    place = tree.find(f".//{namespace}Point/{namespace}coordinates").text
    assert [float(number) for number in place.split(",")] == [13.405, 52.505]
    [point, area] = shown(tree)
    assert point[1] is not None and area[1] is not None and point[2]["state"] == "unknown"
    assert point[0].startswith("Unknown: sam, as of ") and point[2]["person"] == "sam"
    assert "7700" not in lxml.etree.tostring(tree).decode() and b"south" not in lxml.etree.tostring(tree)
    # fastkml reads the same: the time is when the person was there.
    document = fastkml.KML.from_string(lxml.etree.tostring(tree).decode(), strict=False).features[0]
    assert len(document.features) == 2 and document.features[0].times.timestamp is not None
    town.phones["sam"].ok("POST", "/positions", fix(52.506, 13.406, now(), accuracy=4))
    assert eventually(lambda: "13.406,52.506" in lxml.etree.tostring(read(target)).decode())


def test_the_images_of_a_map_are_at_the_same_server(town):
    address, _ = give(town, "person", user="sam")
    target = map_of(address)
    icons = {each.text for each in read(target).iter(f"{namespace}href")}
    assert len(icons) == 9
    for icon in icons:
        image = get(urljoin(target, icon))
        assert image.status_code == 200 and image.headers["Content-Type"] == "image/png", icon
        assert image.content.startswith(b"\x89PNG")


def test_an_incident_is_a_roll_and_assembly_points(town):
    town.sue.ok("POST", "/teams/south/crews", {"name": "Engine 3"})
    town.sue.ok("PATCH", "/users/sam", {"crew": "Engine 3"})
    number = town.start()
    address, _ = give(town, "incident", incident=number)
    target = map_of(address)
    tree = read(target)
    folders = [each.findtext(f"{namespace}name") for each in tree.iter(f"{namespace}Folder")]
    assert folders[0].startswith("Unaccounted (") and folders[-1] == "Assembly points (1)"
    people = [name for name in names(tree) if name != "The yard"]
    assert {re.search(r": (.+), as of ", name)[1] for name in people} == {"sue", "sam, Engine 3", "mia"}
    assert not any(name.startswith("Safe") for name in people)
    assert [row for row in shown(tree) if row[1] is not None and row[0] == "The yard"]
    assert [row[2]["crew"] for row in shown(tree) if row[2].get("person") == "sam"] == ["Engine 3"]
    assert b"7700" not in lxml.etree.tostring(tree)
    town.sue.ok("POST", f"/incidents/{number}/close", {"reason": "over"})
    assert eventually(lambda: "Closed on" in tree_text(target))


def tree_text(target):
    return lxml.etree.tostring(read(target)).decode()


def test_the_end_of_a_link_takes_the_picture_away(town):
    address, token = give(town, "person", user="sam")
    target = map_of(address)
    tag = get(target).headers["ETag"]
    same = get(target, {"If-None-Match": tag})
    assert same.status_code == 304 and not same.content
    [link] = town.sue.items("/links")
    assert link["kml"] is True
    town.sue.ok("DELETE", f"/links/{link['link']}")
    # Not an error, on which programs keep the last picture, and not "unchanged".
    ended = get(target, {"If-None-Match": tag})
    assert ended.status_code == 200 and names(read(target)) == [] and shown(read(target)) == []
    assert "not valid any more" in read(target).findtext(f".//{namespace}message")
    never = target.replace(token, "ms_" + secrets.token_urlsafe(32))
    assert get(never).content == ended.content == get(address).content


def test_guesses_in_paths_find_nothing_and_a_page_alone_has_no_map(town):
    link, made = town.give("person", user="sam")
    assert "kmlURL" not in made
    path = "/shared/{}/map.kml"
    for _ in range(20):
        assert "not valid any more" in NativeApi(town.server.address).send("GET", path.format(link.token)).text
    guesses = [NativeApi(town.server.address).send("GET", path.format("ms_" + secrets.token_urlsafe(32)))
               for _ in range(30)]
    # Not even after many: a program would keep the last picture.
    assert all(guess.status_code == 200 and "not valid any more" in guess.text for guess in guesses)
    assert link.send("GET", "/shared").status_code == 200
    # A link for maps opens its page, too, and nothing else by its path.
    _, token = give(town, "person", user="sam")
    nobody = NativeApi(town.server.address)
    assert NativeApi(town.server.address, token).ok("GET", "/shared")["person"]["name"] == "sam"
    for other in (f"/shared/{token}", f"/shared/{token}/visitors", f"/links/{token}", f"/shared/{token}/live.kml"):
        assert nobody.send("GET", other).status_code in (401, 404, 405), other
    assert nobody.send("POST", path.format(token)).status_code == 405
    for body in ({"kind": "visitors", "team": "south"}, {"kind": "invitation", "user": "mia"}):
        town.sue.refused(422, "POST", "/links", {**body, "expiresSeconds": 60, "kml": True})


def test_the_token_in_a_path_is_in_no_log_list_or_metric(tmp_path):
    with MusterProcess(tmp_path, ["--log-level", "trace", "--public-url", "https://muster.example/"]) as server:
        Town(server)
        page, address = run("link", "make", "person", "sam", "--expires-seconds", "600", "--kml",
                            data=server.data).split()
        token = page.split("#")[1]
        assert address == f"https://muster.example/api/v1/shared/{token}/link.kml"
        nobody = NativeApi(server.address)
        link = nobody.send("GET", f"/shared/{token}/link.kml")
        assert f"https://muster.example/api/v1/shared/{token}/map.kml" in link.text
        for path in (f"/shared/{token}/map.kml", f"/shared/{token}/none", f"/shared/{token}/map.kml?x={token}"):
            nobody.send("GET", path)
        nobody.send("POST", f"/shared/{token}/map.kml")
        [line] = run("link", "list", data=server.data).splitlines()
        assert line.split("\t")[1] == "person, KML"
        metrics = nobody.send("GET", "//metrics").text
        assert "/shared/{token}/map.kml" in metrics and token not in metrics
        server.stop()
        secret = token.removeprefix("ms_")
        stored = b"".join(file.read_bytes() for file in server.data.iterdir() if file.is_file())
        assert secret not in server.log() and secret.encode() not in stored
