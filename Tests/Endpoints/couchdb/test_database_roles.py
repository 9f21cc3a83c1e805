"""Roles of an organization's own: kept in `_users`, honoured by `_security`, and never more than that.

The same requests go to a CouchDB where `COUCHDB_URL` names one (test_couchdb_peer.py).
"""

import json
import threading
import uuid

import pytest

from couch_api import CouchApi, as_admin, real_couchdb

password = "correct horse battery"


class World:
    """A server, its admin, and what the test made there."""

    def __init__(self, admin):
        self.admin = admin
        self.word = f"roles{uuid.uuid4().hex[:12]}"
        self.users = []
        self.databases = []

    def user(self, name, roles):
        name = f"{self.word}-{name}"
        self.users.append(name)
        self.put(name, roles, password=password)
        return CouchApi(self.admin.address, name, password)

    def put(self, name, roles, **more):
        """The user's document with these roles, over what there is."""
        path = f"/_users/org.couchdb.user:{name}"
        there = self.admin.send("GET", path)
        document = there.json() if there.ok else {}
        return self.admin.send(
            "PUT", path, {**document, "name": name, "type": "user", "roles": roles, **more})

    def database(self, **security):
        name = f"/{self.word}-{len(self.databases)}"
        self.admin.ok("PUT", name)
        self.databases.append(name)
        self.admin.ok("PUT", f"{name}/_security", security)
        self.admin.ok("PUT", f"{name}/note", {"text": "for nurses"})
        return name

    def remove(self):
        for name in self.databases:
            self.admin.ok("DELETE", name)
        for name in self.users:
            there = self.admin.send("GET", f"/_users/org.couchdb.user:{name}")
            if there.ok:
                self.admin.ok("DELETE", f"/_users/org.couchdb.user:{name}", rev=there.json()["_rev"])


@pytest.fixture(params=["muster", "couchdb"])
def world(request, make_server):
    if request.param == "muster":
        found = World(as_admin(make_server().start()))
    else:
        found = World(real_couchdb())
    yield found
    found.remove()


def test_a_role_opens_the_databases_that_name_it_and_no_others(world):
    nurse = world.user("nurse", ["nurses", "night shift"])
    porter = world.user("porter", ["porters"])
    read = world.database(members={"names": [], "roles": ["nurses"]})
    administered = world.database(admins={"names": [], "roles": ["night shift"]}, members={"roles": ["porters"]})

    assert {"nurses", "night shift"} <= set(nurse.ok("GET", "/_session")["userCtx"]["roles"])
    assert nurse.ok("GET", f"{read}/note")["text"] == "for nurses"
    nurse.ok("PUT", f"{read}/mine", {})
    # A CouchDB answers 500 here.
    assert not nurse.send("PUT", f"{read}/_security", {}).ok
    both = {"admins": {"names": [], "roles": ["night shift"]}, "members": {"names": [], "roles": ["porters"]}}
    nurse.ok("PUT", f"{administered}/_security", both)
    assert porter.send("GET", f"{read}/note").status_code == 403
    assert porter.ok("GET", f"{administered}/note")


def test_a_document_of_users_keeps_its_roles(world):
    world.user("nurse", ["nurses"])
    path = f"/_users/org.couchdb.user:{world.users[0]}"
    stored = world.admin.ok("GET", path)
    assert "nurses" in stored["roles"]
    assert world.put(world.users[0], [*stored["roles"], "pharmacy é"]).status_code == 201
    changed = world.admin.ok("GET", path)
    assert {"nurses", "pharmacy é"} <= set(changed["roles"]) and changed["_rev"] != stored["_rev"]


@pytest.mark.parametrize("roles", [["_admin"], ["nurses", "_reader"], "nurses", ["nurses", 7], {"nurses": True}])
def test_invalid_roles_are_refused(world, roles):
    world.user("nurse", ["nurses"])
    refused = world.put(world.users[0], roles)
    assert refused.status_code == 403 and refused.json()["error"] == "forbidden"
    expected = {
        "[": "No system roles (starting with underscore) in users db.", "7": "doc.roles can only contain strings",
        "other": "doc.roles must be an array",
    }
    kind = "other" if not isinstance(roles, list) else "7" if 7 in roles else "["
    assert refused.json()["reason"] == expected[kind]
    assert "nurses" in world.admin.ok("GET", f"/_users/org.couchdb.user:{world.users[0]}")["roles"]


def test_only_an_admin_gives_roles(world):
    nurse = world.user("nurse", ["nurses"])
    path = f"/_users/org.couchdb.user:{world.users[0]}"
    document = world.admin.ok("GET", path)
    refused = nurse.send("PUT", path, {**document, "roles": ["nurses", "porters"]})
    assert refused.status_code == 403
    assert "porters" not in world.admin.ok("GET", path)["roles"]


def test_an_open_feed_ends_with_the_role(make_server):
    server = make_server().start()
    world = World(as_admin(server))
    nurse = world.user("nurse", ["nurses"])
    read = world.database(members={"names": [], "roles": ["nurses"]})
    feed = nurse.send("GET", f"{read}/_changes", feed="continuous", heartbeat="200", include_docs=True, stream=True)
    assert feed.status_code == 200
    lines = feed.iter_lines()
    assert json.loads(next(lines))["id"] == "note"
    ended = threading.Event()
    heard = []

    def follow():
        heard.extend(line for line in lines if line.startswith(b"{\"seq\""))
        ended.set()

    follower = threading.Thread(target=follow, daemon=True)
    follower.start()
    world.put(world.users[0], [])
    world.admin.ok("PUT", f"{read}/secret", {"text": "of nobody who left"})
    assert ended.wait(60), "the feed goes on without the role"
    assert not any(b"secret" in line for line in heard)
    assert nurse.send("GET", f"{read}/note").status_code == 403


def test_the_native_api_has_the_same_roles_and_its_own_bounds(make_server):
    server = make_server().start()
    admin = as_admin(server)
    native = server.admin()
    made = native.send("POST", "/users", {"name": "ann", "role": "member", "databaseRoles": ["nurses"]})
    assert made.status_code == 201 and made.json()["databaseRoles"] == ["nurses"]
    assert set(admin.ok("GET", "/_users/org.couchdb.user:ann")["roles"]) == {"member", "nurses"}
    for roles, pointer in (
        (["admin"], "/databaseRoles"), (["_x"], "/databaseRoles"), (["a", "a"], "/databaseRoles"),
        ([""], "/databaseRoles"), (["x" * 129], "/databaseRoles"), (["a\nb"], "/databaseRoles"),
        ([f"r{number}" for number in range(65)], "/databaseRoles"),
    ):
        refused = native.send("PATCH", "/users/ann", {"databaseRoles": roles})
        assert refused.status_code == 422, roles
        assert refused.json()["errors"][0]["pointer"] == pointer
    # The word of one of Muster's roles is that role, wherever it stands, and gives no other.
    changed = admin.ok("GET", "/_users/org.couchdb.user:ann")
    refused = admin.send("PUT", "/_users/org.couchdb.user:ann", {**changed, "roles": ["member", "leader"]})
    assert refused.status_code == 403
    assert native.send("PATCH", "/users/ann", {"databaseRoles": []}).json().get("databaseRoles") is None
    server.kill()
    admin = as_admin(server.start())
    assert admin.ok("GET", "/_users/org.couchdb.user:ann")["roles"] == ["member"]
