"""Every route that is served, as everyone who has no business with somebody else's data: the default is no.

The table of who may what is written by hand here, from the contract, and knows nothing of the server's own.
"""

import pytest

from link_rules import link_rules
from muster_process import admin_password
from native_api import now
from role_incidents import incident_rules
from role_rule import Rule, everyone, keepers, persons, phone, readers, sam, signed_in, south_readers, v1
from role_world import World, an_hour_ago, measured, region, sample, seen_beacon, subscription
from signing_request import signing_request

tracker = {"/api/users/{account}", "/api/places"}
"""The location-tracker apps', which are told no in their own words."""

rules = [
    # The server as a whole.
    Rule("POST", v1 + "/session", v1 + "/session", everyone, {"name": "admin", "password": admin_password}),
    Rule("POST", v1 + "/session/refresh", v1 + "/session/refresh", set(), {"refreshToken": "mr_none"}),
    # Registration is closed unless someone opens it.
    Rule("PUT", "/api/users/{account}", "/api/users/another", {"admin"},
         {"username": "another", "password": "long enough"}, (401, 403)),
    Rule("GET", "/api/places", "/api/places?lat=1&lon=2&radius=3", readers),
    Rule("POST", "/api/login", "/api/login", everyone, {"username": "admin", "password": admin_password}),
    Rule("DELETE", v1 + "/session", v1 + "/session", persons, {"refreshToken": "mr_none"}),
    Rule("GET", v1 + "/session", v1 + "/session", signed_in),
    Rule("GET", "/health", "/health", everyone), Rule("GET", v1 + "/health", v1 + "/health", everyone),
    Rule("GET", "/tiles/index.json", "/tiles/index.json", everyone),
    Rule("GET", "/tiles/{file}/{zoom}/{column}/{row}", "/tiles/world/0/0/0", everyone),
    Rule("GET", v1 + "/openapi.json", v1 + "/openapi.json", everyone),
    # Whoever asks from this machine may see them, by the contract; the tests do.
    Rule("GET", "/metrics", "/metrics", everyone),
    Rule("GET", v1 + "/users", v1 + "/users", {"admin", "other leader", "own leader"}),
    Rule("POST", v1 + "/users", v1 + "/users", {"admin"}, {"name": "new", "role": "admin"}),
    Rule("POST", v1 + "/user-imports", v1 + "/user-imports?dryRun=true", {"admin"}, "name,role\nnewer,admin\n"),
    Rule("GET", v1 + "/teams", v1 + "/teams", readers),
    Rule("POST", v1 + "/teams", v1 + "/teams", {"admin"}, {"name": "new"}),
    Rule("GET", v1 + "/devices", v1 + "/devices", readers),
    Rule("GET", v1 + "/positions", v1 + "/positions", readers),
    Rule("GET", v1 + "/presences", v1 + "/presences", readers),
    Rule("GET", v1 + "/changes", v1 + "/changes?limit=1", readers),
    Rule("GET", v1 + "/live", v1 + "/live", readers),
    # A device's token reports, and does not see who is there.
    Rule("GET", v1 + "/nearby/relay", v1 + "/nearby/relay", persons - {"gateway"}),
    Rule("GET", v1 + "/trackers", v1 + "/trackers", readers - {"analyst"}),
    Rule("POST", v1 + "/trackers", v1 + "/trackers", {"admin"}, {"name": "new"}),
    Rule("GET", v1 + "/rules", v1 + "/rules", {"admin", "other leader", "own leader"}),
    Rule("POST", v1 + "/rules", v1 + "/rules", {"admin"}, {"name": "new", "pattern": {"source": ["aws.geo"]}}),
    Rule("POST", v1 + "/event-patterns/test", v1 + "/event-patterns/test", {"admin", "other leader", "own leader"},
         {"pattern": {"a": [1]}, "event": {"a": 1}}),
    # There is none of that name: that is said to those who may know.
    Rule("GET", v1 + "/rules/{rule}", v1 + "/rules/none", set(), None, (401, 403, 404)),
    Rule("PATCH", v1 + "/rules/{rule}", v1 + "/rules/none", set(), {"enabled": False}, (401, 403, 404)),
    Rule("DELETE", v1 + "/rules/{rule}", v1 + "/rules/none", set(), None, (401, 403, 404)),
    Rule("GET", v1 + "/collections", v1 + "/collections", readers),
    Rule("POST", v1 + "/collections", v1 + "/collections", {"admin", "own leader", "other leader"}, {"name": "new"}),
    # Targets hear of everyone.
    Rule("GET", v1 + "/targets", v1 + "/targets", {"admin"}),
    Rule("POST", v1 + "/targets", v1 + "/targets", {"admin"}, {"name": "new", "kind": "log"}),
    Rule("GET", v1 + "/targets/{target}", v1 + "/targets/journal", {"admin"}),
    Rule("PATCH", v1 + "/targets/{target}", v1 + "/targets/journal", {"admin"}, {"enabled": False}),
    # The log has no secret: an admin is told so by a conflict.
    Rule("POST", v1 + "/targets/{target}/secret", v1 + "/targets/journal/secret", {"admin"}),
    Rule("GET", v1 + "/targets/{target}/deliveries", v1 + "/targets/journal/deliveries", {"admin"}),
    Rule("GET", v1 + "/targets/{target}/deliveries/waiting", v1 + "/targets/journal/deliveries/waiting", {"admin"}),
    Rule("POST", v1 + "/targets/{target}/run", v1 + "/targets/journal/run", {"admin"}),
    Rule("POST", v1 + "/targets/{target}/test", v1 + "/targets/journal/test", {"admin"}),
    Rule("DELETE", v1 + "/targets/{target}", v1 + "/targets/journal", {"admin"}),
    # The list has the feeds of the own team alone.
    Rule("GET", v1 + "/warnings", v1 + "/warnings", {"admin", "own leader", "other leader"}),
    Rule("GET", v1 + "/refused-reports", v1 + "/refused-reports", {"admin"}),
    # There is none: to an admin that is all there is to say.
    Rule("GET", v1 + "/refused-reports/{report}", v1 + "/refused-reports/1", set(), None, (401, 403, 404)),
    Rule("GET", v1 + "/deliveries", v1 + "/deliveries", {"admin"}),
    Rule("GET", v1 + "/deadletters", v1 + "/deadletters", {"admin"}),
    Rule("DELETE", v1 + "/deadletters", v1 + "/deadletters", {"admin"}),
    Rule("POST", v1 + "/deadletters/redrive", v1 + "/deadletters/redrive", {"admin"}),
    # There is none: to an admin that is all there is to say.
    Rule("GET", v1 + "/deadletters/{letter}", v1 + "/deadletters/1", set(), None, (401, 403, 404)),
    Rule("POST", v1 + "/deadletters/{letter}/redrive", v1 + "/deadletters/1/redrive", set(), None, (401, 403, 404)),
    Rule("DELETE", v1 + "/deadletters/{letter}", v1 + "/deadletters/1", set(), None, (401, 403, 404)),
    # Somebody.
    Rule("GET", v1 + "/users/{user}", sam, {"admin", "own leader", "own member"}),
    Rule("PATCH", v1 + "/users/{user}", sam, {"admin"}, {"role": "member"}),
    # Its leader changes the crew alone.
    Rule("PATCH", v1 + "/users/{user}", sam, {"admin", "own leader"}, {"crew": "Engine 3"}),
    Rule("DELETE", v1 + "/users/{user}", sam, {"admin"}),
    # Sam may, with the password it has.
    Rule("PUT", v1 + "/users/{user}/password", sam + "/password", {"admin"}, {"password": "another sound password",
          "keep": ["api-keys", "aws-keys", "device-tokens", "tokens-for-others", "push-devices"]},
         (401, 403, 404, 422)),
    Rule("GET", v1 + "/cognito", v1 + "/cognito", persons),
    Rule("GET", v1 + "/codes", v1 + "/codes", {"admin"}),
    Rule("GET", v1 + "/datasets", v1 + "/datasets", persons),
    Rule("GET", v1 + "/datasets/{dataset}", v1 + "/datasets/own", persons),
    Rule("PATCH", v1 + "/datasets/{dataset}", v1 + "/datasets/own", persons,
         {"records": [{"key": "k", "value": "v", "syncCount": 0}]}),
    Rule("DELETE", v1 + "/datasets/{dataset}", v1 + "/datasets/own", persons),
    Rule("POST", v1 + "/signing-keys/{use}", v1 + "/signing-keys/access-tokens", {"admin"}),
    Rule("GET", v1 + "/keys", v1 + "/keys?user=sam", {"admin", "own member"}, None, (401, 403, 404, 422)),
    Rule("POST", v1 + "/keys", v1 + "/keys", {"admin", "own member"}, {"label": "stolen", "user": "sam"},
         (401, 403, 404, 422)),
    Rule("DELETE", v1 + "/keys/{key}", v1 + "/keys/{key}", {"admin", "own member"}),
    # One's own, whoever asks: of sam's it tells nobody, and the device is sam's alone.
    Rule("GET", v1 + "/datasets/{dataset}", v1 + "/datasets/none", persons),
    Rule("PATCH", v1 + "/datasets/{dataset}", v1 + "/datasets/none", persons, {"records": []}),
    Rule("DELETE", v1 + "/datasets/{dataset}", v1 + "/datasets/never", set(), None, (401, 403, 404)),
    Rule("GET", v1 + "/push/key", v1 + "/push/key", persons),
    Rule("GET", v1 + "/push/devices", v1 + "/push/devices", persons),
    Rule("POST", v1 + "/push/devices", v1 + "/push/devices", persons, subscription),
    Rule("POST", v1 + "/push/test", v1 + "/push/test", {"admin", "own member"}, {"user": "sam"}, (401, 403, 404, 422)),
    Rule("PUT", v1 + "/datasets/{dataset}/subscriptions/{device}", v1 + "/datasets/set/subscriptions/{push}",
         {"own member"}),
    Rule("DELETE", v1 + "/datasets/{dataset}/subscriptions/{device}", v1 + "/datasets/set/subscriptions/{push}",
         {"own member"}),
    Rule("DELETE", v1 + "/push/devices/{device}", v1 + "/push/devices/{push}", {"own member"}),
    Rule("POST", v1 + "/users/{user}/location-request", sam + "/location-request", {"admin", "own leader"}),
    Rule("GET", v1 + "/users/{user}/location-request", sam + "/location-request", {"admin", "own leader"}),
    Rule("POST", v1 + "/users/{user}/devices", sam + "/devices", keepers, {"name": "new"}),
    Rule("GET", v1 + "/users/{user}/devices/{device}", phone, south_readers | {"own member", "own device"}),
    # It goes with its track, which a leader does not erase.
    Rule("DELETE", v1 + "/users/{user}/devices/{device}", phone, {"admin", "own member"}),
    Rule("POST", v1 + "/users/{user}/devices/{device}/token", phone + "/token", keepers),
    Rule("GET", v1 + "/users/{user}/devices/{device}/token", phone + "/token", keepers),
    Rule("DELETE", v1 + "/users/{user}/devices/{device}/token", phone + "/token", keepers),
    Rule("POST", v1 + "/users/{user}/devices/{device}/certificate", phone + "/certificate", keepers,
         {"request": signing_request()}),
    # Only the token of an enrollment opens them.
    Rule("GET", "/Marti/api/tls/config", "/Marti/api/tls/config", set(), None, (401,)),
    Rule("POST", "/Marti/api/tls/signClient/v2", "/Marti/api/tls/signClient/v2", set(), None, (401,)),
    Rule("POST", v1 + "/users/{user}/devices/{device}/enrollment", phone + "/enrollment", keepers, {}),
    # Sam is the same person as himself: whoever may say so hears that there is nothing to do.
    Rule("POST", v1 + "/users/{user}/devices/{device}/owner", phone + "/owner", {"admin", "own leader"}, {"to": "sam"}),
    Rule("POST", v1 + "/users/{user}/join", sam + "/join", {"admin", "own leader"}, {"to": "sam"}),
    Rule("PUT", v1 + "/users/{user}/devices/{device}/encryption-key", phone + "/encryption-key",
         keepers, {"key": "secret"}),
    Rule("DELETE", v1 + "/users/{user}/devices/{device}/encryption-key", phone + "/encryption-key",
         keepers),
    Rule("GET", v1 + "/users/{user}/devices/{device}/positions", phone + "/positions",
         south_readers | {"own member", "own device"}),
    Rule("GET", v1 + "/users/{user}/devices/{device}/sightings", phone + "/sightings",
         south_readers | {"own member", "own device"}),
    Rule("GET", v1 + "/users/{user}/devices/{device}/notes", phone + "/notes",
         south_readers | {"own member", "own device"}),
    # A device that is not theirs to report for is told as one that does not exist.
    Rule("POST", v1 + "/positions", v1 + "/positions", {"admin", "gateway", "own member", "own device"}, sample,
         (403, 404, 422)),
    Rule("POST", v1 + "/sightings", v1 + "/sightings", {"admin", "own member", "own device"}, seen_beacon,
         (403, 404, 422)),
    Rule("POST", v1 + "/signals", v1 + "/signals", {"admin", "gateway", "own member", "own device"},
         {"device": "sam/phone", "name": "button"}, (403, 404, 422)),
    Rule("GET", v1 + "/users/{user}/devices/{device}/signals", phone + "/signals",
         south_readers | {"own member", "own device"}),
    # Who reports a range agrees to it, and who registers a tag too: nobody does that for another.
    Rule("PUT", v1 + "/users/{user}/devices/{device}/range-tag", phone + "/range-tag", {"own member", "own device"},
         {"secret": "5a" * 32}),
    Rule("POST", v1 + "/ranges", v1 + "/ranges", {"own member", "own device"}, measured, (403, 404, 422)),
    Rule("GET", v1 + "/users/{user}/devices/{device}/ranges", phone + "/ranges",
         south_readers | {"own member", "own device"}),
    Rule("DELETE", v1 + "/users/{user}/devices/{device}/range-tag", phone + "/range-tag", {"own member", "own device"}),
    Rule("POST", "/ruuvi", "/ruuvi", {"gateway"}, {"data": {"gw_mac": "C8:25:2D:8E:9C:2C", "tags": {}}}, (403,)),
    # A team and what is its own.
    Rule("GET", v1 + "/teams/{team}", v1 + "/teams/south", south_readers | {"own member", "own device"}),
    Rule("PATCH", v1 + "/teams/{team}", v1 + "/teams/south", {"admin", "own leader"}, {"silenceSeconds": 600}),
    Rule("DELETE", v1 + "/teams/{team}", v1 + "/teams/south", {"admin"}),
    # Who is in which crew is seen by whoever reads the roll.
    Rule("GET", v1 + "/teams/{team}/crews", v1 + "/teams/south/crews", south_readers),
    Rule("POST", v1 + "/teams/{team}/crews", v1 + "/teams/south/crews", {"admin", "own leader"}, {"name": "Boat"}),
    Rule("GET", v1 + "/teams/{team}/crews/{crew}", v1 + "/teams/south/crews/Engine%203", south_readers),
    Rule("PATCH", v1 + "/teams/{team}/crews/{crew}", v1 + "/teams/south/crews/Engine%203", {"admin", "own leader"},
         {"name": "Engine 3"}),
    Rule("DELETE", v1 + "/teams/{team}/crews/{crew}", v1 + "/teams/south/crews/Engine%203", {"admin", "own leader"}),
    # A member gets itself alone.
    Rule("GET", v1 + "/teams/{team}/safety", v1 + "/teams/south/safety", south_readers | {"own member"}),
    Rule("GET", v1 + "/teams/{team}/history", v1 + "/teams/south/history?" + an_hour_ago, south_readers),
    Rule("POST", v1 + "/users/{user}/declarations", sam + "/declarations",
         {"admin", "own leader", "own member", "own device"}, {"kind": "safe"}),
    Rule("GET", v1 + "/users/{user}/declarations", sam + "/declarations",
         south_readers | {"own member", "own device"}),
    Rule("PUT", v1 + "/users/{user}/check-in-timer", sam + "/check-in-timer",
         {"admin", "own leader", "own member"}, {"intervalSeconds": 86_400}),
    Rule("GET", v1 + "/users/{user}/check-in-timer", sam + "/check-in-timer",
         {"admin", "own leader", "own member", "own device"}),
    Rule("POST", v1 + "/users/{user}/check-ins", sam + "/check-ins",
         {"admin", "own leader", "own member", "own device"}, {}),
    Rule("DELETE", v1 + "/users/{user}/check-in-timer", sam + "/check-in-timer",
         {"admin", "own leader", "own member"}),
    Rule("GET", v1 + "/users/{user}/viewers", sam + "/viewers", {"admin", "own leader", "own member"}),
    # Nobody pauses for another. Where the team does not allow it, the person is told so.
    Rule("PUT", v1 + "/users/{user}/pause", sam + "/pause", {"own member"}, {"untilSeconds": 600}),
    Rule("DELETE", v1 + "/users/{user}/pause", sam + "/pause", {"own member"}),
    Rule("PUT", v1 + "/teams/{team}/attendance-rules/{rule}", v1 + "/teams/south/attendance-rules/gate",
         {"admin", "own leader"}, {"collection": "south", "region": "yard", "minimum": 1}),
    Rule("GET", v1 + "/teams/{team}/attendance-rules", v1 + "/teams/south/attendance-rules", south_readers),
    Rule("GET", v1 + "/teams/{team}/attendance-rules/{rule}", v1 + "/teams/south/attendance-rules/gate",
         south_readers),
    Rule("DELETE", v1 + "/teams/{team}/attendance-rules/{rule}", v1 + "/teams/south/attendance-rules/gate",
         {"admin", "own leader"}),
    Rule("PUT", v1 + "/teams/{team}/proximity-rules/{rule}", v1 + "/teams/south/proximity-rules/near",
         {"admin", "own leader"}, {"centrePerson": "sam", "radiusMetres": 50, "demand": "fence"}),
    Rule("GET", v1 + "/teams/{team}/proximity-rules", v1 + "/teams/south/proximity-rules", south_readers),
    Rule("GET", v1 + "/teams/{team}/proximity-rules/{rule}", v1 + "/teams/south/proximity-rules/near",
         south_readers),
    Rule("DELETE", v1 + "/teams/{team}/proximity-rules/{rule}", v1 + "/teams/south/proximity-rules/near",
         {"admin", "own leader"}),
    *incident_rules,
    Rule("GET", v1 + "/audit", v1 + "/audit", {"admin", "analyst", "own leader", "other leader"}),
    Rule("GET", v1 + "/trackers/{tracker}", v1 + "/trackers/south",
         {"admin", "own leader", "own member", "own device"}),
    Rule("PATCH", v1 + "/trackers/{tracker}", v1 + "/trackers/south", {"admin"}, {"filter": "none"}),
    # A team's tracker goes with the team.
    Rule("DELETE", v1 + "/trackers/{tracker}", v1 + "/trackers/south", set(), None, (401, 403, 404, 409)),
    Rule("GET", v1 + "/collections/{collection}", v1 + "/collections/south", readers),
    Rule("PATCH", v1 + "/collections/{collection}", v1 + "/collections/south", {"admin", "own leader"},
         {"policy": "confident"}),
    Rule("GET", v1 + "/collections/{collection}/regions", v1 + "/collections/south/regions", readers),
    Rule("GET", v1 + "/collections/{collection}/regions/{region}", v1 + "/collections/south/regions/yard", readers),
    Rule("POST", v1 + "/collections/{collection}/regions", v1 + "/collections/south/regions",
         {"admin", "own leader"}, {"type": "FeatureCollection", "features": [region]}),
    Rule("PUT", v1 + "/collections/{collection}/regions/{region}", v1 + "/collections/south/regions/yard",
         {"admin", "own leader"}, region),
    Rule("DELETE", v1 + "/collections/{collection}/regions/{region}", v1 + "/collections/south/regions/yard",
         {"admin", "own leader"}),
    Rule("DELETE", v1 + "/collections/{collection}", v1 + "/collections/south", {"admin", "own leader"}),
] + [Rule(*rule) for rule in link_rules]

own_protocols = {("POST", path + more) for path in ("/owntracks", "/pub") for more in ("", "/{path}")} | {
    (method, path + more) for method, path in (("GET", "/osmand"), ("POST", "/osmand"), ("POST", "/overland"))
    for more in ("", "/{token}")} | {("POST", f"/ulogger{token}/client/index.php") for token in ("", "/{token}")} | {
    ("POST", "/sms")}
"""They prove by themselves who reports; below, and in test_sms_strangers.py."""

signed = ("/tracking/", "/geofencing/", "/tags/", "/identitypools", "/aws")
"""AWS's, and POST /: only a signature is a proof; test_amazon_*.py and test_cognito_*.py."""

public_keys = ("jwks.json", "jwks_uri", "openid-configuration", "apple-app-site-association")
"""What verifies tokens or names an app, below the user pool's id too: everyone may read it; test_cognito_idp.py."""

own_devices = (
    "/status", "/devices", "/mydevices", "/data/", "/messages", "/subscribe", "/authenticate/", "/meshblu", "/ifttt")
"""Meshblu's and IFTTT's, where everyone has their own devices alone; test_meshblu.py, test_triggers.py."""

typed = ("/graphql",)
"""GraphQL, which refuses in its own form, field by field: GraphQLRightsTests, test_graphql.py."""

documents = ("/{db}", "/couchdb", "/_")
"""CouchDB's, which refuses in its own words; test_couchdb_roles.py."""


@pytest.fixture(scope="module")
def world(server):
    return World(server)


def test_the_table_names_every_route_that_is_served(world):
    paths = world.admin.ok("GET", "/openapi.json")["paths"]
    elsewhere = signed + own_devices + typed + documents
    served = {(method.upper(), path) for path, methods in paths.items() for method in methods
              if method != "parameters" and path != "/" and not path.startswith(elsewhere)
              and not path.endswith(public_keys)}
    named = {(rule.method, rule.route) for rule in rules} | own_protocols
    assert served == named


@pytest.mark.parametrize("rule", rules, ids=lambda rule: f"{rule.method} {rule.route}")
def test_a_caller_without_the_right_reads_nothing_and_changes_nothing(world, rule):
    before = world.admin.last_sequence()
    keys = world.admin.items("/keys?user=sam")
    for asker in sorted(everyone - rule.allowed):
        response = world.ask(asker, rule)
        # Registration is refused to nobody in particular.
        expected = (401,) if asker == "nobody" and rule.route not in tracker else rule.refusals
        assert response.status_code in expected, f"{asker}: {response.status_code} {response.text[:300]}"
        kinds = {"application/problem+json"} | ({"application/json"} if rule.route in tracker else set())
        assert response.headers["Content-Type"] in kinds
        assert "52.505" not in response.text
    assert world.admin.changes(before) == []
    assert world.admin.items("/keys?user=sam") == keys


@pytest.mark.parametrize(
    "rule", [rule for rule in rules if rule.method != "DELETE"], ids=lambda rule: f"{rule.method} {rule.route}")
def test_each_role_that_a_route_names_may_call_it(world, rule):
    for asker in sorted(rule.allowed):
        response = world.ask(asker, rule)
        # Made by the one who asked before: a conflict is no refusal. Nor is 426, for who is let in without a WebSocket.
        assert response.status_code in (200, 201, 202, 204, 409, 426), (
            f"{asker}: {response.status_code} {response.text[:300]}")


# MARK: What lists and the log show

seen = {
    "admin": {"nora", "ned", "sue", "sam", "gate"}, "analyst": {"nora", "ned", "sue", "sam", "gate"},
    "own leader": {"sue", "sam"}, "own member": {"sam"}, "other leader": {"nora", "ned"}, "other member": {"ned"},
    "own device": {"sam"}, "other device": {"ned"}}
"""Whose positions may be seen."""

names = {
    "admin": "admin", "other leader": "nora", "other member": "ned", "own leader": "sue", "own member": "sam",
    "analyst": "ana", "gateway": "gate"}
"""Who each asker is; a device's token is nobody who has datasets."""


@pytest.mark.parametrize("asker", sorted(seen))
def test_lists_show_only_the_users_that_the_caller_may_see(world, asker):
    api = world.askers[asker]
    positions = {item["device"].split("/")[0] for item in api.items("/positions")}
    assert positions == seen[asker] & {"sam", "ned"}
    changes = api.changes()
    # What is done to keys is told to their users, and to admins, who see all of it.
    people = {change["user"] for change in changes if "user" in change and change["type"] not in ("action", "dataset")}
    # A dataset is its owner's alone.
    assert {change["user"] for change in changes if change["type"] == "dataset"} <= {names.get(asker)}
    assert people <= seen[asker] and people & {"sam", "ned"} == seen[asker] & {"sam", "ned"}
    devices = {change["name"].split("/")[0] for change in changes
               if change["type"] == "directory" and change["kind"] == "device"}
    assert devices <= seen[asker]
    if asker.endswith("device"):
        return
    assert {device["user"] for device in api.items("/devices")} <= seen[asker]
    if asker not in ("admin", "analyst"):
        teams = {team["name"] for team in api.items("/teams")}
        assert teams == {"south" if asker.startswith("own") else "north"}
    users = {change["name"] for change in changes if change["type"] == "directory" and change["kind"] == "user"}
    if asker == "analyst":
        assert users <= {"ana"}, "an analyst reads positions, not accounts"
    elif asker != "admin":
        assert users <= seen[asker]


def test_a_member_sees_of_its_team_only_itself(world):
    standing = world.askers["own member"].ok("GET", "/teams/south/safety")
    assert [member["user"] for member in standing["members"]] == ["sam"]
    assert sum(standing["counts"].values()) == 1


def test_a_leader_sees_its_team_and_no_other(world):
    standing = world.askers["own leader"].ok("GET", "/teams/south/safety")
    assert {member["user"] for member in standing["members"]} == {"sue", "sam"}
    assert {user["name"] for user in world.askers["own leader"].items("/users")} == {"sue", "sam"}


def test_a_user_cannot_raise_their_own_role_or_team(world):
    for asker, name in (("own member", "sam"), ("own leader", "sue"), ("analyst", "ana"), ("gateway", "gate")):
        api = world.askers[asker]
        assert api.send("PATCH", f"/users/{name}", {"role": "admin"}).status_code == 403
        assert api.send("PATCH", f"/users/{name}", {"team": "north"}).status_code == 403
        assert world.admin.ok("GET", f"/users/{name}")["role"] != "admin"


def test_a_leader_has_no_power_over_leaders_and_admins(world):
    world.admin.make_user("chief", "admin", "south")
    world.admin.make_user("second", "leader", "south")
    for name in ("chief", "second"):
        world.admin.make_device(name)
        for path in (f"/users/{name}/devices/phone/token", f"/users/{name}/devices"):
            answer = world.askers["own leader"].send("POST", path, {"name": "new"} if path.endswith("s") else None)
            assert answer.status_code in (403, 404), f"{path}: {answer.status_code}"


@pytest.mark.parametrize("path", ["/owntracks", "/pub"])
def test_an_owntracks_app_cannot_report_for_another_user(world, path):
    before = len(world.admin.history("sam/phone"))
    message = {"_type": "location", "lat": 1, "lon": 2, "tst": now() // 1000, "topic": "owntracks/sam/phone"}
    for asker in ("other member", "other leader", "analyst", "other device"):
        headers = {"X-Limit-U": "sam", "X-Limit-D": "phone"}
        answer = world.askers[asker].send("POST", "/" + path, message, headers=headers)
        assert "52.505" not in answer.text, asker
    assert world.askers["nobody"].send("POST", "/" + path, message).status_code in (401, 503)
    assert len(world.admin.history("sam/phone")) == before


@pytest.mark.parametrize("path", ["/osmand", "/osmand/phone"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_tracker_app_reports_for_the_device_of_its_token_alone(world, method, path):
    before = len(world.admin.history("sam/phone"))
    for asker in sorted(everyone - {"own device"}):
        answer = world.askers[asker].send(method, f"/{path}?id=sam/phone&lat=52.505&lon=13.405")
        expected = {"nobody": 401, "other device": 200}.get(asker, 403)
        assert answer.status_code == expected and "52.505" not in answer.text, asker
    assert len(world.admin.history("sam/phone")) == before
