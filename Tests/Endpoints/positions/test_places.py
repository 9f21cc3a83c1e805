"""The location-tracker apps' tutorial by its own payloads: register, log in, record locations, find places."""

import json
import time
from urllib.parse import quote

import pytest
import requests

from muster_process import admin_password, run

timeout_seconds = 60
tutorial = "lat=37.49453457&lon=-122.30464079&radius=4023.35&relation=contains&nearest=true&include_docs=true"
"""What the app asks when it is 2.5 miles from places (2.5 × 1609.34 m)."""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    from muster_process import MusterProcess

    arguments = ["--registration", "open", "--public-places"]
    with MusterProcess(tmp_path_factory.mktemp("places"), arguments) as server:
        yield server


def send(server, method, path, body=None, auth=None, **more):
    session = requests.Session()
    session.trust_env = False
    return session.request(method, server.address + path, json=body, auth=auth, timeout=timeout_seconds, **more)


def register(server, name, password="a phone's password", **more):
    body = {"username": name, "password": password, "type": "user", "_id": name}
    return send(server, "PUT", "/api/users/" + quote(name, safe=""), body, **more)


def log_in(server, name, password="a phone's password"):
    return send(server, "POST", "/api/login", {"username": name, "password": password})


def location(created_at, longitude, latitude):
    return {
        "type": "Feature", "created_at": created_at,
        "geometry": {"type": "Point", "coordinates": [longitude, latitude]},
        "properties": {"username": "ada", "session_id": "s1", "timestamp": created_at, "background": False}}


@pytest.fixture(scope="module")
def places(server, test_data):
    said = run("places", "import", test_data / "places.json", data=server.data)
    assert said.strip() == "Imported 50 places; 0 existed already."
    return json.loads((test_data / "places.json").read_text())["places"]


def test_the_tutorial_from_registration_to_places(server, places):
    made = register(server, "ada@example.com")
    assert made.status_code == 201
    assert made.json()["ok"] is True and made.json()["id"] == "ada@example.com"
    assert made.json()["rev"].startswith("1-")
    again = register(server, "ada@example.com")
    assert (again.status_code, again.json()) == (409, {"error": "User already exists"})

    login = log_in(server, "ada@example.com")
    assert login.status_code == 200
    answer = login.json()
    assert answer["ok"] is True
    assert answer["location_db_name"] == "lt_locations_user_ada%40example.com"
    base = f"{answer['location_db_host_protocol']}://{answer['location_db_host']}"
    assert base == server.address
    auth = (answer["api_key"], answer["api_password"])
    database = "/" + quote(answer["location_db_name"], safe="")

    now = int(time.time() * 1000)
    documents = [location(now - 60_000 + 20_000 * step, -122.30 - step / 1000, 37.49) for step in range(3)]
    stored = send(server, "POST", database + "/_bulk_docs", {"docs": documents}, auth)
    assert stored.status_code == 201 and all("rev" in row for row in stored.json()), stored.text
    # The last hundred locations, newest first.
    found = send(
        server, "POST", database + "/_find",
        {"selector": {"created_at": {"$gt": 0}}, "sort": [{"created_at": "desc"}], "limit": 100}, auth)
    assert found.status_code == 200, found.text
    assert [row["created_at"] for row in found.json()["docs"]] == [d["created_at"] for d in reversed(documents)]

    near = send(server, "GET", "/api/places?" + tutorial)
    assert near.status_code == 200, near.text
    rows = near.json()["rows"]
    assert len(rows) == 5
    assert [row["id"] for row in rows[:4]] == sorted(row["id"] for row in rows[:4])
    assert all(row["doc"]["created_at"] > 0 and row["doc"]["name"] for row in rows)
    # The union of all locations is for analysts, and has a spatial index too.
    union = send(
        server, "GET", "/lt_locations_all/_design/points/_geo/pointidx?bbox=-123,37,-122,38",
        auth=("admin", admin_password))
    assert len(union.json()["rows"]) == 3


def test_a_location_key_opens_one_database_and_nothing_else(server):
    for name in ("bo", "cy"):
        assert register(server, name).status_code == 201
    answer = log_in(server, "bo").json()
    auth = (answer["api_key"], answer["api_password"])
    assert send(server, "GET", "/lt_locations_user_bo", auth=auth).status_code == 200
    assert send(server, "GET", "/api/places?lat=1&lon=2&radius=3", auth=auth).status_code == 200
    for path in (
        "/lt_locations_user_cy", "/lt_locations_user_cy/_changes", "/lt_locations_user_cy/_local/x",
        "/lt_locations_user_cy/_design/points/_geo/pointidx?bbox=1,2,3,4", "/lt_locations_all", "/lt_places",
        "/lt_locations_all/_design/points/_geo/pointidx?bbox=1,2,3,4", "/_users/_all_docs",
    ):
        assert send(server, "GET", path, auth=auth).status_code == 403, path
    assert send(server, "POST", "/lt_locations_user_cy/_find", {"selector": {}}, auth).status_code == 403
    for path in ("/api/v1/session", "/api/v1/positions", "/api/v1/users/bo"):
        assert send(server, "GET", path, auth=auth).status_code == 401, path
    wrong = (answer["api_key"], answer["api_password"][:-1] + "!")
    assert send(server, "GET", "/lt_locations_user_bo", auth=wrong).status_code == 401


def test_a_users_location_keys_are_limited_in_number_and_end_with_the_password(server):
    register(server, "dot")
    keys = []
    for _ in range(17):
        answer = log_in(server, "dot").json()
        keys.append((answer["api_key"], answer["api_password"]))
    status = [send(server, "GET", "/lt_locations_user_dot", auth=key).status_code for key in keys]
    assert status == [401] + [200] * 16
    server.admin().ok("PUT", "/users/dot/password", {"password": "another password"})
    assert send(server, "GET", "/lt_locations_user_dot", auth=keys[-1]).status_code == 401


def test_logging_in_wrongly_is_refused(server):
    register(server, "eve")
    for body in ({"username": "eve", "password": "no"}, {"username": "nobody", "password": "no"}):
        answer = send(server, "POST", "/api/login", body)
        assert (answer.status_code, answer.json()) == (403, {"error": "Invalid username and/or password."})
    assert send(server, "POST", "/api/login", {"username": "eve"}).status_code == 400
    assert register(server, "short", "short").status_code == 400
    assert register(server, "a b").status_code == 400


def test_registration_is_closed_unless_it_is_opened(make_server):
    with make_server() as server:
        assert register(server, "fay").status_code == 403
        assert register(server, "fay", auth=("admin", admin_password)).status_code == 201
        assert log_in(server, "fay").status_code == 200
        assert send(server, "GET", "/api/places?" + tutorial).status_code == 401


def test_registrations_from_one_address_are_limited(make_server):
    with make_server(arguments=["--registration", "open"]) as server:
        # A name that is taken costs no hash, so that no machine is too slow to be refused.
        answers = (register(server, "gil") for _ in range(300))
        refused = next(answer for answer in answers if answer.status_code == 429)
        assert int(refused.headers["Retry-After"]) >= 1


def test_importing_again_changes_nothing(server, places, test_data):
    assert "50 existed already" in run("places", "import", test_data / "places.json", data=server.data)
    lines = run("places", "list", data=server.data).splitlines()
    assert len(lines) == 50 and sum("Rancho San Antonio" in line for line in lines) >= 1


def geo(server, query, status=200):
    answer = send(server, "GET", "/lt_places/_design/points/_geo/pointidx?" + query, auth=("admin", admin_password))
    assert answer.status_code == status, answer.text
    return answer.json()


def test_geo_pages_by_limit_skip_and_bookmark(server, places):
    every = [row["id"] for row in geo(server, "bbox=-180,-90,180,90")["rows"]]
    assert len(every) == 50 and every == sorted(every)
    nearest = [row["id"] for row in geo(server, "g=POINT(-122.3 37.5)&nearest=true")["rows"]]
    assert sorted(nearest) == every
    for query, expected in (("bbox=-180,-90,180,90", every), ("g=POINT(-122.3 37.5)&nearest=true", nearest)):
        found, bookmark = [], ""
        while True:
            page = geo(server, f"{query}&limit=7&bookmark={quote(bookmark)}")
            if not page["rows"]:
                break
            found += [row["id"] for row in page["rows"]]
            bookmark = page["bookmark"]
        assert found == expected
        assert [row["id"] for row in geo(server, query + "&skip=10&limit=5")["rows"]] == expected[10:15]


def test_geo_answers_in_every_format(server, places):
    query = tutorial.replace("&include_docs=true", "")
    view = geo(server, query)["rows"]
    assert set(view[0]) == {"id", "geometry"}
    legacy = geo(server, query + "&format=legacy")
    assert legacy["type"] == "FeatureCollection"
    assert legacy["features"] == [{"id": row["id"]} for row in view]
    for form in ("geojson", "application/vnd.geo%2Bjson"):
        features = geo(server, query + "&format=" + form)["features"]
        assert features == [
            {"_id": row["id"], "geometry": row["geometry"], "properties": [], "type": "Feature"} for row in view]
    information = send(
        server, "GET", "/lt_places/_design/points/_geo_info/pointidx", auth=("admin", admin_password)).json()
    assert information["name"] == "_design/points/pointidx"
    assert information["geo_index"]["doc_count"] == 50


@pytest.mark.parametrize("query", [
    "", "lat=1&lon=2", "lat=91&lon=2&radius=1", "lat=1&lon=2&radius=-1", "bbox=1,2,3", "g=CIRCLE(1 2)", "g=POINT(1)",
    "bbox=1,2,3,4&limit=201", "bbox=1,2,3,4&relation=near", "bbox=1,2,3,4&format=kml", "bbox=1,2,3,4&bookmark=x",
    "bbox=1,2,3,4&radius=1&lat=1&lon=1", "bbox=1,2,3,4&nearest=1",
    "g=GEOMETRYCOLLECTION(POINT(1 2),LINESTRING(1 2,3 4))",
])
def test_a_bad_geo_query_is_refused(server, places, query):
    assert geo(server, query, 400)["error"] == "bad_request"


def test_other_geo_functions_than_the_standard_one_are_refused(server, places):
    auth = ("admin", admin_password)
    body = {"st_indexes": {
        "mine": {"index": "function(d) { if (d.geometry && d.geometry.coordinates) { st_index(d.geometry); } }"},
        "other": {"index": "function(doc){st_index(doc.area)}"}}}
    assert send(server, "PUT", "/lt_places/_design/more", body, auth).status_code == 201
    path = "/lt_places/_design/more/_geo/"
    assert len(send(server, "GET", path + "mine?bbox=-180,-90,180,90", auth=auth).json()["rows"]) == 50
    assert send(server, "GET", path + "other?bbox=1,2,3,4", auth=auth).status_code == 501
    assert send(server, "GET", path + "none?bbox=1,2,3,4", auth=auth).status_code == 404


def test_a_query_sees_every_write_answered_before_it(server, places):
    auth = ("admin", admin_password)
    point = {"type": "Feature", "geometry": {"type": "Point", "coordinates": [10.0, 60.0]}, "name": "Here"}
    query = "lat=60&lon=10&radius=10"
    for _ in range(5):
        made = send(server, "PUT", "/lt_places/here", point, auth).json()
        assert [row["id"] for row in geo(server, query)["rows"]] == ["here"]
        assert send(server, "DELETE", "/lt_places/here?rev=" + made["rev"], auth=auth).status_code == 200
        assert geo(server, query)["rows"] == []


def test_places_are_made_once_and_stay_away_when_removed(make_server):
    server = make_server()
    auth = ("admin", admin_password)
    with server:
        design = send(server, "GET", "/lt_places/_design/points", auth=auth)
        assert "st_index" in design.json()["st_indexes"]["pointidx"]["index"]
        assert send(server, "DELETE", "/lt_places", auth=auth).status_code == 200
    server.start()
    assert send(server, "GET", "/lt_places", auth=auth).status_code == 404
