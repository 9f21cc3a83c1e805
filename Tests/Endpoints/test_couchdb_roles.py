"""Whose documents are whose: what user A gets of user B's database, by every route, and of the union."""

import pytest

from couch_api import CouchApi, as_admin, as_user

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
]


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
    return sam, own, others


@pytest.mark.parametrize(("method", "path"), route, ids=lambda part: part)
def test_nobody_else_reads_or_changes_ones_own(people, server, method, path):
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


def test_the_union_is_the_analysts_and_the_admins_alone(people, server):
    sam, own, others = people
    union = "/lt_locations_all"
    for reader in (others["analyst"], as_admin(server)):
        assert "doc" in [row["id"] for row in reader.ok("GET", union + "/_changes")["results"]]
        assert reader.ok("GET", union + "/doc")["secret"] == "52.505"
        assert reader.send("GET", union + "/doc/file.txt").content == b"52.505"
        for method, path in (("PUT", "/new"), ("POST", ""), ("POST", "/_bulk_docs"), ("DELETE", "/doc?rev=1-00")):
            body = {"docs": [{"_id": "new"}]} if path == "/_bulk_docs" else {}
            reader.refused(403, "forbidden", method, union + path, body)
    for name in ("member", "leader", "gateway", "device"):
        for path in ("", "/_changes", "/doc", "/_all_docs", "/doc/file.txt"):
            others[name].refused(403, "forbidden", "GET", union + path)
    sam.refused(403, "forbidden", "GET", union)


def test_one_sees_of_all_databases_ones_own(people):
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
