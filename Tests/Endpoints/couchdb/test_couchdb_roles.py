"""Whose documents are whose: what user A gets of user B's database, by every route, and of the union."""

import http.client
import re

import pytest

from couch_api import CouchApi, as_admin, as_user, basic
from muster_process import admin_password

route = [
    ("GET", ""), ("HEAD", ""), ("PUT", ""), ("DELETE", ""), ("POST", ""), ("GET", "/doc"), ("HEAD", "/doc"),
    ("PUT", "/doc"), ("DELETE", "/doc?rev=1-00"), ("COPY", "/doc"), ("GET", "/doc/file.txt"), ("PUT", "/doc/file.txt"),
    ("DELETE", "/doc/file.txt?rev=1-00"), ("GET", "/_all_docs"), ("POST", "/_all_docs"), ("GET", "/_changes"),
    ("GET", "/_changes?feed=longpoll"), ("GET", "/_changes?feed=continuous"), ("GET", "/_changes?feed=eventsource"),
    ("POST", "/_changes"), ("POST", "/_bulk_docs"), ("POST", "/_bulk_get"), ("POST", "/_revs_diff"),
    ("POST", "/_missing_revs"), ("GET", "/_local/checkpoint"), ("PUT", "/_local/checkpoint"),
    ("DELETE", "/_local/checkpoint?rev=0-1"), ("GET", "/_local_docs"), ("GET", "/_security"), ("PUT", "/_security"),
    ("GET", "/_revs_limit"), ("PUT", "/_revs_limit"), ("POST", "/_purge"), ("POST", "/_compact"),
    ("POST", "/_ensure_full_commit"), ("GET", "/_design/x"), ("PUT", "/_design/x"), ("GET", "/_design_docs"),
    ("POST", "/_design_docs"), ("POST", "/_all_docs/queries"), ("POST", "/_design_docs/queries"),
    ("HEAD", "/doc/file.txt"), ("HEAD", "/_design/x"), ("DELETE", "/_design/x?rev=1-00"), ("COPY", "/_design/x"),
    ("GET", "/_design/x/f"), ("HEAD", "/_design/x/f"), ("PUT", "/_design/x/f"), ("DELETE", "/_design/x/f?rev=1-00"),
    ("POST", "/_find"), ("POST", "/_explain"), ("GET", "/_index"), ("POST", "/_index"),
    ("POST", "/_index/_bulk_delete"), ("DELETE", "/_index/x/json/y"), ("DELETE", "/_index/_design/x/json/y"),
    ("GET", "/_design/x/_geo/y?radius=9&lat=52.5&lon=13.4"), ("GET", "/_design/x/_geo_info/y"),
    ("GET", "/_snapshot"), ("GET", "/_shards"), ("GET", "/_shards/doc"), ("POST", "/_sync_shards"),
    ("POST", "/_compact/x"), ("POST", "/_view_cleanup"), ("GET", "/_purged_infos_limit"),
    ("PUT", "/_purged_infos_limit"), ("POST", "/_local_docs"), ("POST", "/_local_docs/queries"),
    ("COPY", "/_local/checkpoint"), ("GET", "/_local/checkpoint/file"), ("PUT", "/_local/checkpoint/file"),
    ("DELETE", "/_local/checkpoint/file"),
    *((method, path) for path in (
        "/_index/x", "/_index/x/y", "/_index/x/json", "/_index/_design/x", "/_index/_design/x/json")
      for method in ("GET", "HEAD", "PUT", "POST", "DELETE", "COPY", "PATCH", "OPTIONS", "TRACE", "CONNECT")),
    ("GET", "/_partition/p"), ("GET", "/_partition/p/_all_docs"), ("POST", "/_partition/p/_all_docs"),
    ("POST", "/_partition/p/_find"), ("POST", "/_partition/p/_explain"), ("GET", "/_partition/p/x"),
    ("POST", "/_partition/p/x"),
]

missing = {"_temp_view", "_auto_purge", "_purged_infos", "_search_cleanup", "_nouveau_cleanup"}
"""Paths that answer 501, whoever asks."""

other_missing = {("POST", "/_design/{document}/{attachment}")} | {
    (method, "/_partition/{partition}/_design/{rest}") for method in ("GET", "POST")}
"""Other routes that do."""


@pytest.fixture(scope="module")
def people(server):
    """Sam, whose database it is, with a document, a file and a checkpoint in it; and others."""
    sam, own = as_user(server, "sam")
    made = sam.ok("PUT", own + "/doc", {"secret": "52.505"})
    sam.ok("PUT", own + "/doc/file.txt", raw=b"52.505", rev=made["rev"])
    sam.ok("PUT", own + "/_local/checkpoint", {"secret": "52.505"})
    server.admin().ok("POST", "/teams", {"name": "south"})
    others = {role: as_user(server, role, role)[0] for role in ("member", "leader", "analyst", "gateway")}
    server.admin().ok("PATCH", "/users/leader", {"team": "south"})
    server.admin().ok("PATCH", "/users/sam", {"team": "south"})
    token = server.admin().ok("POST", "/users/member/devices", {"name": "phone"}) and server.admin().ok(
        "POST", "/users/member/devices/phone/token")["token"]
    others["device"] = CouchApi(server.address, token=token)
    others["cookie"] = CouchApi(server.address)
    others["cookie"].ok("POST", "/_session", {"name": "member", "password": "member's password"})
    others["location key"] = with_location_key(server, "member", "member's password")
    return sam, own, others


def with_location_key(server, name, password):
    """Who has the key to a user's location database that the location-tracker apps are given."""
    key = CouchApi(server.address).ok("POST", "/api/login", {"username": name, "password": password})
    return CouchApi(server.address, key["api_key"], key["api_password"])


def test_the_list_names_every_route_of_a_database(server):
    paths = server.admin().ok("GET", "/openapi.json")["paths"]
    served = {(method.upper(), path[len("/{db}"):]) for path, methods in paths.items() if path.startswith("/{db}")
              for method in methods if method != "parameters"}
    served = {(method, path) for method, path in served if not missing & set(path.split("/")[1:2])}
    named = {(method, path.split("?")[0]) for method, path in route}
    for method, path in served - other_missing:
        pattern = re.sub(r"\\{[a-z]+\\}", "[^/]+", re.escape(path))
        assert any(method == other and re.fullmatch(pattern, text) for other, text in named), f"{method} {path}"


@pytest.mark.parametrize(("method", "path"), route, ids=lambda part: part)
def test_no_other_user_reads_or_changes_a_location_database(people, server, method, path):
    sam, own, others = people
    before = sam.ok("GET", own)
    body = {"docs": [{"id": "doc", "_id": "doc"}]} if "_bulk" in path else {}
    for name, other in others.items():
        for form in (own, "/couchdb" + own, "/userdb-" + b"sam".hex()):
            answer = other.send(method, form + path, None if method in ("GET", "HEAD") else body)
            assert answer.status_code == 403, f"{name} {form}: {answer.status_code} {answer.text}"
            assert "52.505" not in answer.text
            if method != "HEAD":
                assert answer.json()["error"] == "forbidden"
        # What is not there answers the same: nobody learns whose database there is.
        absent = other.send(method, "/lt_locations_user_nobody" + path, None if method in ("GET", "HEAD") else body)
        assert (absent.status_code, absent.text) == (answer.status_code, answer.text), name
    nobody = CouchApi(server.address).send(method, own + path, None if method in ("GET", "HEAD") else body)
    assert nobody.status_code == 401 and "52.505" not in nobody.text
    assert sam.ok("GET", own) == before


def test_the_union_is_readable_by_analysts_and_admins_alone(people, server):
    sam, own, others = people
    union = "/lt_locations_all"
    for reader in (others["analyst"], as_admin(server)):
        assert "doc" in [row["id"] for row in reader.ok("GET", union + "/_changes")["results"]]
        assert reader.ok("GET", union + "/doc")["secret"] == "52.505"
        assert reader.send("GET", union + "/doc/file.txt").content == b"52.505"
        for method, path in (("PUT", "/new"), ("POST", ""), ("POST", "/_bulk_docs"), ("DELETE", "/doc?rev=1-00")):
            body = {"docs": [{"_id": "new"}]} if path == "/_bulk_docs" else {}
            reader.refused(403, "forbidden", method, union + path, body)
    for name in ("member", "leader", "gateway", "device", "cookie", "location key"):
        for path in ("", "/_changes", "/doc", "/_all_docs", "/doc/file.txt"):
            others[name].refused(403, "forbidden", "GET", union + path)
    sam.refused(403, "forbidden", "GET", union)


def test_a_user_sees_only_their_own_databases(people):
    sam, own, others = people
    assert sam.ok("GET", "/_all_dbs") == [own[1:], "lt_places"]
    assert "lt_locations_all" in others["analyst"].ok("GET", "/_all_dbs")
    assert others["gateway"].ok("GET", "/_all_dbs") == []


def test_a_feed_ends_with_the_right_to_read(people, server):
    admin = as_admin(server)
    db = admin.fresh("shared")
    user, _ = as_user(server, "guest")
    admin.ok("PUT", db + "/_security", {"members": {"names": ["guest"], "roles": []}})
    feed = user.send("GET", db + "/_changes", feed="continuous", heartbeat=100, stream=True)
    lines = feed.iter_lines()
    assert next(lines) == b""
    admin.ok("PUT", db + "/_security", {})
    admin.ok("PUT", db + "/late", {"secret": "52.505"})
    assert b"late" not in b"".join(lines)


def test_a_key_to_a_location_database_opens_nothing_else(people, server):
    sam, own, others = people
    db = as_admin(server).fresh("shared")
    key = with_location_key(server, "admin", admin_password)
    assert key.ok("GET", "/_all_dbs") == ["lt_locations_user_admin"]
    assert key.ok("PUT", "/lt_locations_user_admin/mine", {})["ok"]
    for path in (db, own, own + "/doc", "/lt_locations_all", "/_users", "/lt_users", "/lt_places", "/_replicator"):
        key.refused(403, "forbidden", "GET", path)
    key.refused(403, "forbidden", "PUT", "/another")
    for path in ("/_active_tasks", "/_scheduler/docs", "/_scheduler/jobs", "/_membership"):
        key.refused(401, "unauthorized", "GET", path)
    key.refused(401, "unauthorized", "POST", "/_replicate", {"source": own[1:], "target": db[1:]})
    rows = key.ok("POST", "/_dbs_info", {"keys": [own[1:], db[1:], "none"]})
    assert {row["error"] for row in rows} == {"not_found"}


def test_a_user_cannot_let_the_server_replicate_anothers_database(people, server):
    sam, own, others = people
    before = sam.ok("GET", own)
    mine = "lt_locations_user_member"
    there = f"{server.address}/{own[1:]}"
    for name, other in others.items():
        for source, target in ((own[1:], mine), (mine, own[1:]), (there, mine), (mine, there),
                               ("lt_locations_all", mine), (f"{server.address}/lt_locations_all", mine),
                               ("userdb-" + b"sam".hex(), mine)):
            order = {"source": source, "target": target}
            other.refused(401, "unauthorized", "POST", "/_replicate", order)
            other.refused(401, "unauthorized", "POST", "/_replicate", {**order, "cancel": True})
            for path in ("/_replicator/steal", "/couchdb/_replicator/steal", "/%5Freplicator/steal"):
                other.refused(403, "forbidden", "PUT", path, order)
            other.refused(403, "forbidden", "POST", "/_replicator/_bulk_docs", {"docs": [{"_id": "steal", **order}]})
            other.refused(403, "forbidden", "POST", "/_replicator", order)
    assert as_admin(server).ok("GET", "/_scheduler/docs")["total_rows"] == 0
    assert sam.ok("GET", own) == before


def test_copy_writes_only_within_the_same_database(people):
    sam, own, others = people
    before = sam.ok("GET", own)
    member = others["member"]
    mine = "/lt_locations_user_member"
    member.ok("PUT", mine + "/doc", {"v": 1})
    for destination in (own + "/planted", ".." + own + "/planted", "..%2F" + own[1:] + "%2Fplanted", own[1:] + "/doc",
                        member.address + own + "/planted", "_local/planted", "_design/planted", ""):
        answer = member.send("COPY", mine + "/doc", headers={"Destination": destination})
        assert answer.status_code in (201, 400, 409), f"{destination}: {answer.status_code} {answer.text}"
        answer = member.send("COPY", own + "/doc", headers={"Destination": destination})
        assert answer.status_code == 403 and "52.505" not in answer.text
    assert sam.ok("GET", own) == before


def test_a_name_written_otherwise_is_the_same_database(people, server):
    sam, own, others = people
    name = own[1:]
    names = [name.replace("sam", "%73am"), name.replace("sam", "%2573am"), name.replace("_", "%5F"), name.upper(),
             "userdb-" + b"sam".hex().upper(), "lt_locations_user_member%2F..%2F" + name, name + "%00", name + "%20",
             "couchdb/couchdb/" + name, "%6ct_locations_all", "lt_locations%5Fall"]
    # Paths that name no database: dots, or a document in the user's own database.
    forms = dict.fromkeys(names, 403) | {
        "./" + name: 404, "lt_locations_user_member/../" + name: 404,
        "lt_locations_user_member/_local/../../" + name: 400,
        "lt_locations_user_member/_design%2F..%2F..%2F" + name: 404}
    for form, status in forms.items():
        for path in ("", "/doc", "/_all_docs?include_docs=true", "/_changes?include_docs=true", "/doc/file.txt"):
            for credentials in (others["member"].session.auth, others["location key"].session.auth):
                client = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
                # As it stands: other clients tidy paths up before they send them.
                client.request("GET", f"/{form}{path}", headers={
                    "Authorization": basic(*credentials)})
                answer = client.getresponse()
                body = answer.read()
                client.close()
                # An attachment's name begins with no underscore.
                expected = 400 if "_design" in form and path.startswith("/_") else status
                assert answer.status == expected, f"{form}{path}: {answer.status} {body}"
                assert b"52.505" not in body
