"""Cognito streams and bulk publish for unmodified clients: a pool's datasets go to a webhook target."""

import json

import pytest
import requests
import standardwebhooks

import amazon
import cognito
import webhook_targets
from amazon import refused
from cognito_guest import Guest, put
from native_api import now
from waiting import eventually
from webhook_receiver import Receiver

role = "arn:aws:iam::000000000000:role/stream"


class World:
    """A server that may call this machine, a pool with a stream, and a member of its team."""

    def __init__(self, server, receiver):
        self.server, self.receiver, self.admin = server, receiver, server.admin()
        receiver.secret = webhook_targets.make(self.admin, "stream", receiver.url)["secret"]
        self.boss = amazon.client(server, service="cognito-sync")
        self.pools = amazon.client(server, service="cognito-identity")
        self.pool = self.pools.create_identity_pool(
            IdentityPoolName="red", AllowUnauthenticatedIdentities=True)["IdentityPoolId"]
        ids = self.admin.make_user("ana", "member", "red").ok("GET", "/cognito")
        self.id = ids["identityId"]
        self.sync = amazon.client(server, "ana", service="cognito-sync")
        self.configure("ENABLED")

    def configure(self, status, name="stream"):
        return self.boss.set_identity_pool_configuration(IdentityPoolId=self.pool, CognitoStreams={
            "StreamName": name, "RoleArn": role, "StreamingStatus": status})

    def received(self, count):
        """The records of the stream, once there are so many."""
        return eventually(self.records, lambda found: len(found) >= count)

    def records(self):
        """The records so far, in order. One whose answer came late is sent again, and counts once."""
        first = {}
        for call in list(self.receiver.calls):
            first.setdefault(call.event, call.body)
        return [json.loads(body) for body in first.values()]

    def put(self, dataset, **values):
        put(self.sync, self.pool, self.id, dataset, **values)


@pytest.fixture
def world(make_server):
    server = make_server(arguments=["--allow-private-targets"]).start()
    with Receiver() as receiver:
        yield World(server, receiver)


def test_every_update_goes_to_the_stream_signed(world):
    began = now()
    world.put("settings", theme="dark", size="7")
    world.put("settings", theme="light")
    page = world.sync.list_records(IdentityPoolId=world.pool, IdentityId=world.id, DatasetName="settings")
    world.sync.update_records(
        IdentityPoolId=world.pool, IdentityId=world.id, DatasetName="settings",
        SyncSessionToken=page["SyncSessionToken"], RecordPatches=[{"Op": "remove", "Key": "size", "SyncCount": 1}])
    world.sync.delete_dataset(IdentityPoolId=world.pool, IdentityId=world.id, DatasetName="settings")
    first, second, third, last = world.received(4)
    assert (first["identityPoolId"], first["identityId"], first["dataSetName"]) == (world.pool, world.id, "settings")
    assert (first["operation"], first["payloadType"], first["syncCount"]) == ("replace", "Inline", 1)
    assert {record["key"]: (record["value"], record["op"]) for record in first["kinesisSyncRecords"]} == {
        "theme": ("dark", "replace"), "size": ("7", "replace")}
    assert began <= first["lastModifiedDate"] <= now()
    only = second["kinesisSyncRecords"][0]
    assert (only["key"], only["value"], only["syncCount"], second["syncCount"]) == ("theme", "light", 2, 2)
    assert only["lastModifiedDate"] == second["lastModifiedDate"] and "deviceLastModifiedDate" in only
    removed = third["kinesisSyncRecords"][0]
    assert (removed["key"], removed["op"], "value" in removed) == ("size", "remove", False)
    assert (last["operation"], last["syncCount"], last["kinesisSyncRecords"]) == ("remove", 4, [])
    for call in world.receiver.calls:
        standardwebhooks.Webhook(world.receiver.secret).verify(call.body, call.headers)
    assert len({call.event for call in world.receiver.calls}) == 4


def test_a_guests_update_goes_to_the_stream_and_so_does_a_merge(world):
    guest = Guest(world.server, cognito.unsigned(world.server, "cognito-identity"), world.pool)
    guest.put("game", level="3")
    assert world.received(1)[0]["identityId"] == guest.id
    world.admin.ok("PUT", "/users/ana/password", {"password": "ana's password"})
    ana = cognito.Person(world.server, guest.identity, "ana", world.pool)
    guest.identity.get_credentials_for_identity(IdentityId=guest.id, Logins=ana.logins)
    merged = world.received(2)[1]
    assert (merged["identityId"], merged["dataSetName"], merged["syncCount"]) == (ana.id, "game", 1)


def test_a_stream_is_a_webhook_target_and_is_sent_to_while_it_is_enabled(world):
    found = world.boss.get_identity_pool_configuration(IdentityPoolId=world.pool)["CognitoStreams"]
    assert found == {"StreamName": "stream", "RoleArn": role, "StreamingStatus": "ENABLED"}
    world.admin.ok("POST", "/targets", {"name": "logged", "kind": "log"})
    for name in ("nothing", "logged"):
        error = refused("InvalidParameterException", 400, world.boss.set_identity_pool_configuration,
                        IdentityPoolId=world.pool, CognitoStreams={"StreamName": name})
        assert name in error["Error"]["Message"]
    refused("InvalidParameterException", 400, world.boss.set_identity_pool_configuration, IdentityPoolId=world.pool,
            CognitoStreams={"StreamingStatus": "ENABLED"})
    world.configure("DISABLED")
    world.put("settings", a="1")
    refused("InvalidParameterException", 400, world.boss.bulk_publish, IdentityPoolId=world.pool)
    world.configure("ENABLED")
    world.put("settings", a="2")
    assert world.received(1)[0]["syncCount"] == 2
    world.boss.set_identity_pool_configuration(IdentityPoolId=world.pool)
    world.put("settings", a="3")
    world.configure("ENABLED")
    world.put("settings", a="4")
    assert [record["syncCount"] for record in world.received(2)] == [2, 4]


def test_a_large_update_refers_to_its_records_where_the_server_knows_its_address(make_server):
    def sent(name, receiver, *arguments):
        """A world of its own, and the record of its large update."""
        world = World(make_server(name, arguments=["--allow-private-targets", *arguments]).start(), receiver)
        world.put("big", a="\n" * 600_000, b="x" * 100)
        return world, world.received(1)[0]

    with Receiver() as receiver:
        _, record = sent("bare", receiver)
        assert record["payloadType"] == "Inline" and len(record["kinesisSyncRecords"]) == 2
    with Receiver() as receiver:
        world, record = sent("public", receiver, "--public-url", "https://muster.example")
        assert record["payloadType"] == "S3Url" and "kinesisSyncRecords" not in record
        address = record["kinesisSyncRecordsURL"]
        assert address.startswith("https://muster.example/")
        address = address.replace("https://muster.example", world.server.address)
        contents = requests.get(address, timeout=60).json()
        assert {entry["key"]: len(entry["value"]) for entry in contents} == {"a": 600_000, "b": 100}
        # Later changes arrive with records of their own.
        world.put("big", b="y")
        assert [entry["key"] for entry in requests.get(address, timeout=60).json()] == ["a"]
        other = address[:-3] + ("AAA" if address[-3:] != "AAA" else "BBB")
        for wrong in (other, address + "A", address.rsplit("/", 1)[0] + "/x"):
            assert requests.get(wrong, timeout=60).status_code == 404


def test_all_datasets_are_published_once_a_day_and_also_across_kill_9(world):
    identity = cognito.unsigned(world.server, "cognito-identity")
    pool = {"IdentityPoolId": world.pool}
    world.configure("DISABLED")
    world.put("one", a="1")
    world.put("two", a="1", b="2")
    world.put("two", a="3")
    guests = [Guest(world.server, identity, world.pool) for _ in range(2)]
    for guest in guests:
        guest.put("own", a="1")
    world.configure("ENABLED")
    assert world.boss.get_bulk_publish_details(**pool)["BulkPublishStatus"] == "NOT_STARTED"
    assert world.boss.bulk_publish(**pool)["IdentityPoolId"] == world.pool
    world.server.kill()
    world.server.start()
    boss = amazon.client(world.server, service="cognito-sync")
    details = eventually(lambda: boss.get_bulk_publish_details(**pool),
                         lambda found: found["BulkPublishStatus"] != "IN_PROGRESS")
    assert details["BulkPublishStatus"] == "SUCCEEDED"
    assert details["BulkPublishStartTime"] <= details["BulkPublishCompleteTime"]
    sent = {(record["identityId"], record["dataSetName"]): record for record in world.received(4)}
    assert set(sent) == {(world.id, "one"), (world.id, "two"), *((guest.id, "own") for guest in guests)}
    two = sent[world.id, "two"]
    assert two["syncCount"] == 2
    assert {entry["key"]: (entry["value"], entry["syncCount"]) for entry in two["kinesisSyncRecords"]} == {
        "a": ("3", 2), "b": ("2", 1)}
    refused("AlreadyStreamedException", 400, boss.bulk_publish, **pool)


def test_a_bulk_publish_ends_with_its_stream(world):
    pool = {"IdentityPoolId": world.pool}
    refused("InvalidParameterException", 400, world.boss.bulk_publish,
            IdentityPoolId=world.pools.create_identity_pool(
                IdentityPoolName="bare", AllowUnauthenticatedIdentities=False)["IdentityPoolId"])
    world.boss.bulk_publish(**pool)
    details = eventually(lambda: world.boss.get_bulk_publish_details(**pool),
                         lambda found: found["BulkPublishStatus"] != "IN_PROGRESS")
    assert details["BulkPublishStatus"] == "SUCCEEDED"
    world.admin.ok("DELETE", "/targets/stream")
    refused("InvalidParameterException", 400, world.boss.bulk_publish, **pool)
    world.put("settings", a="1")
    assert world.records() == []
