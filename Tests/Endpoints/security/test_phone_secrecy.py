"""A telephone number reaches the person, their leaders and admins, and nobody else by any road that the server has.

Everyone who has no business with it reads every route, every feed and every protocol; then all that came back is
searched for it.
"""

import re

import pytest

from amazon import aws_key, client
from couch_api import CouchApi
from event_stream import EventStream
from mqtt_client import Client, mqtt_port, port_and_server
from native_api import fix, now
from webhook_receiver import Receiver
from webhook_targets import make, settled

port, server = port_and_server("--allow-private-targets")
digits = "7700900777"
number = "+44 7700 900777"
strangers = ["mia", "nora", "ned", "ana", "gate", "mia's phone", "sam's phone", "nobody"]
password = "a good long password"


def holds(text):
    """Whether a text has the number, however it is written."""
    return digits in re.sub(r"[^0-9]", "", text)


class Town:
    """Sam of south has the number; sue leads south, mia is sam's neighbour in the crew; the others are strangers."""

    def __init__(self, server):
        admin = self.admin = server.admin()
        self.server = server
        for team in ("south", "north"):
            admin.make_team(team)
            admin.ok("POST", f"/teams/{team}/crews", {"name": "Engine 3"})
        self.askers = {"admin": admin}
        for name, role, team in [
                ("sam", "member", "south"), ("mia", "member", "south"), ("sue", "leader", "south"),
                ("nora", "leader", "north"), ("ned", "member", "north"), ("ana", "analyst", None),
                ("gate", "gateway", None)]:
            self.askers[name] = admin.make_user(name, role, team)
        for name in ("sam", "mia"):
            self.askers[name + "'s phone"] = admin.make_device(name)
        self.askers["nobody"] = type(admin)(server.address)
        for name in ("mia", "ned"):
            admin.ok("PUT", f"/users/{name}/password", {
                "password": password, "keep": ["api-keys", "aws-keys", "device-tokens"]})


@pytest.fixture(scope="module")
def town(server):
    """The town after everything that is told to others happened: changes of the user, an incident, deliveries."""
    town = Town(server)
    admin, sue = town.admin, town.askers["sue"]
    town.since = admin.last_sequence()
    with Receiver() as receiver, Client(mqtt_port(server), "mia", password) as mqtt:
        mqtt.subscribe("#")
        make(admin, "everything", receiver.url)
        for index, source in enumerate(["muster", "aws.geo"]):
            pattern = {"source": [{"prefix": source}]}
            admin.ok("POST", "/rules", {
                "name": f"all-{index}", "pattern": pattern, "targets": [{"target": "everything"}]})
        admin.ok("PATCH", "/users/sam", {"phone": number, "crew": "Engine 3"})
        admin.ok("PATCH", "/users/mia", {"crew": "Engine 3"})
        town.askers["sam's phone"].ok("POST", "/positions", fix(52.5, 13.4, now()))
        first = sue.ok("POST", "/teams/south/incidents", {"kind": "drill"})["number"]
        town.askers["sam"].ok("POST", "/users/sam/declarations", {"kind": "needsHelp"})
        sue.ok("POST", f"/incidents/{first}/close", {"reason": "over"})
        town.incidents = [first, sue.ok("POST", "/teams/south/incidents", {"kind": "drill"})["number"]]
        town.askers["mia's phone"].ok("POST", "/positions", fix(52.5, 13.4, now()))
        settled(admin)
        town.webhooks = [call.body.decode() for call in receiver.calls]
        heard = [mqtt.next()]
        # This is the last thing that happened, and a client hears all of it in order.
        while heard[-1].topic != "muster/changes/position":
            heard.append(mqtt.next())
        town.mqtt = [str(message.topic) + str(message.payload) for message in heard + mqtt.waiting()]
    return town


def readable(town):
    """Returns every path of the API that GET reads, about sam and his team, in every form."""
    values = {
        "user": "sam", "account": "sam", "device": "phone", "team": "south", "crew": "Engine%203", "tracker": "south",
        "collection": "south", "person": "sam", "db": "_users"}
    for template, methods in town.admin.ok("GET", "/openapi.json")["paths"].items():
        # These go on for ever; the feeds are read below.
        if "get" not in methods or template.endswith(("/live", "/subscribe")) or "relay" in template:
            continue
        for incident in town.incidents:
            named = {**values, "incident": str(incident)}
            path = re.sub(r"{(\w+)[.]*}", lambda each: named.get(each[1], "1"), template)
            yield path
            if path.endswith("/report"):
                yield from (f"{path}?format={form}" for form in ("json", "csv", "html"))
            if path.endswith("/contacts"):
                yield path + "?person=sam"
            if path.endswith(("/changes", "/_changes", "/_all_docs")):
                yield path + "?since=0&include_docs=true"


def test_no_route_tells_a_number_to_a_stranger(town):
    paths = sorted(set(readable(town)))
    assert len(paths) > 80
    for asker in strangers:
        for path in paths:
            with town.askers[asker].send("GET", "/" + path, stream=True) as answer:
                if answer.headers.get("Content-Type", "").startswith("text/event-stream"):
                    continue
                assert not holds(answer.text), f"{asker}: GET {path}"
    # The same walk finds it where it is to be found.
    found = {path for path in paths if holds(town.askers["sue"].send("GET", "/" + path).text)}
    first, last = (f"/api/v1/incidents/{incident}" for incident in town.incidents)
    told = {"/api/v1/users", "/api/v1/users/sam", "/api/v1/teams/south/safety", last, last + "/report?format=csv"}
    assert told <= found
    # A closed incident, the log and the audit log have none, also for those who may know it.
    assert not any(path.startswith((first + "/", "/api/v1/audit", "/api/v1/changes")) for path in found)
    assert first not in found


def test_no_feed_event_or_message_tells_a_number_at_all(town):
    assert town.webhooks and not any(map(holds, town.webhooks))
    assert town.mqtt and not any(map(holds, town.mqtt))
    for asker in ("admin", "sue", "mia", "ana", "nora"):
        api = town.askers[asker]
        assert not holds(str(api.changes()))
        end = api.last_sequence()
        with EventStream(town.server.address, api.token, since=0) as stream:
            town.admin.ok("PATCH", "/users/ned", {"phone": "112"})
            town.askers["mia"].ok("POST", "/users/mia/declarations", {"kind": "safe"})
            town.askers["ned"].ok("POST", "/users/ned/declarations", {"kind": "safe"})
            events = stream.take(lambda found: found[-1][0] is not None and found[-1][0] > end)
        assert not holds(str(events)), asker
    assert not holds(str(town.admin.items("/audit")))
    assert not holds(town.server.log())


def test_no_document_of_couchdb_tells_a_number(town, server):
    mia = CouchApi(server.address, "mia", password)
    for path in ("/_users/_all_docs", "/_users/org.couchdb.user:sam", "/_users/org.couchdb.user:mia", "/_all_dbs",
                 "/_session"):
        answer = mia.send("GET", path, **({"include_docs": True} if path.endswith("docs") else {}))
        assert not holds(answer.text), path
    for database in mia.send("GET", "/_all_dbs").json() if mia.send("GET", "/_all_dbs").ok else []:
        assert not holds(mia.send("GET", f"/{database}/_changes", include_docs=True).text), database


def test_no_service_of_aws_tells_a_number(town, server):
    for name in ("mia", "nora", "ana"):
        key = aws_key(server, name)
        for service, call, arguments in [
                ("location", "list_device_positions", {"TrackerName": "south"}),
                ("location", "list_trackers", {}),
                ("location", "get_device_position", {"TrackerName": "south", "DeviceId": "phone"}),
                ("cognito-idp", "list_users", {"UserPoolId": pool(town)}),
                ("cognito-idp", "admin_get_user", {"UserPoolId": pool(town), "Username": "sam"}),
                ("cognito-idp", "list_users_in_group", {"UserPoolId": pool(town), "GroupName": "south"})]:
            aws = client(server, key=key, service=service)
            try:
                answer = str(getattr(aws, call)(**arguments))
            except aws.exceptions.ClientError as error:
                answer = str(error.response)
            assert not holds(answer), f"{name}: {service} {call}"


def pool(town):
    return str(town.admin.ok("GET", "/cognito")["userPoolId"])


@pytest.mark.parametrize("asker", ["mia", "nora", "ned", "ana", "gate", "mia's phone", "sam's phone"])
def test_nobody_takes_a_number_by_moving_joining_or_renaming(town, asker):
    api, before = town.askers[asker], town.admin.last_sequence()
    for method, path, body in [
            ("PATCH", "/users/sam", {"phone": None}), ("PATCH", "/users/sam", {"team": "north"}),
            ("PATCH", "/users/sam", {"crew": "Engine 3"}), ("PATCH", "/users/sam", {}),
            ("PATCH", "/teams/south/crews/Engine%203", {"name": "Mine"}),
            ("POST", "/users/sam/join", {"to": "ned"}), ("PATCH", f"/users/{asker}", {"role": "leader"}),
            ("PATCH", f"/users/{asker}", {"team": "south", "role": "leader"}),
            ("POST", "/users", {"name": "spy", "role": "leader", "team": "south"}),
            ("POST", "/keys", {"label": "sam", "user": "sam"})]:
        answer = api.send(method, path, body)
        # A device of sam's may not, either.
        assert answer.status_code in (403, 404, 409, 422), f"{method} {path}: {answer.status_code}"
        assert not holds(answer.text)
    answer = api.send("POST", "/user-imports", raw="name,phone\nsam,1\n", headers={"Content-Type": "text/csv"})
    assert answer.status_code == 403 and not holds(answer.text)
    assert town.admin.last_sequence() == before
