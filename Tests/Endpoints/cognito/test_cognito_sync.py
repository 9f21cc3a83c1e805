"""Amazon Cognito Sync for unmodified clients: boto3 and awscli."""

import base64
import hashlib
import hmac
import json
import threading

import pytest

import amazon
import cognito
import webhook_targets
from amazon import refused
from webhook_receiver import Receiver


class Identity:
    """Someone with a key, and boto3's client of their identity."""

    def __init__(self, server, name, api):
        self.api = api
        ids = api.ok("GET", "/cognito")
        self.pool, self.id = ids["identityPoolId"], ids["identityId"]
        self.names = {"IdentityPoolId": self.pool, "IdentityId": self.id}
        self.key = amazon.aws_key(server, name)
        self.sync = amazon.client(server, service="cognito-sync", key=self.key)

    def records(self, dataset, since=0, **more):
        return self.sync.list_records(**self.names, DatasetName=dataset, LastSyncCount=since, **more)

    def update(self, dataset, *patches, **more):
        token = self.records(dataset)["SyncSessionToken"]
        return self.sync.update_records(
            **self.names, DatasetName=dataset, SyncSessionToken=token, RecordPatches=list(patches), **more)["Records"]


def put(key, value, count=0):
    return {"Op": "replace", "Key": key, "Value": value, "SyncCount": count}


def remove(key, count):
    return {"Op": "remove", "Key": key, "SyncCount": count}


@pytest.fixture(scope="module")
def people(server, admin):
    admin.make_team("red")
    return {name: Identity(server, name, admin.make_user(name, role, team)) for name, role, team in (
        ("ana", "member", "red"), ("bo", "member", "red"), ("cy", "member", None), ("lea", "leader", "red"),
        ("zoe", "analyst", None), ("gate", "gateway", None))}


@pytest.fixture(scope="module")
def boss(server):
    return amazon.client(server, service="cognito-sync")


def test_a_dataset_lives_from_its_first_record_to_its_deletion(people):
    ana = people["ana"]
    before = ana.records("life")
    assert (before["DatasetExists"], before["DatasetSyncCount"], before["Records"]) == (False, 0, [])
    made = ana.update("life", put("theme", "dark"), put("size", "12"), DeviceId="phone-1")
    assert [(record["Key"], record["SyncCount"], record["LastModifiedBy"]) for record in made] == [
        ("theme", 1, "phone-1"), ("size", 1, "phone-1")]
    ana.update("life", put("theme", "light", 1))
    removed = ana.update("life", remove("size", 1))
    assert removed[0]["SyncCount"] == 3 and "Value" not in removed[0]
    newer = ana.records("life", 1)
    assert [(record["Key"], record.get("Value")) for record in newer["Records"]] == [("theme", "light"), ("size", None)]
    described = ana.sync.describe_dataset(**ana.names, DatasetName="life")["Dataset"]
    assert (described["NumRecords"], described["IdentityId"]) == (1, ana.id)
    assert [entry["DatasetName"] for entry in ana.sync.list_datasets(**ana.names)["Datasets"]] == ["life"]
    usage = ana.sync.describe_identity_usage(**ana.names)["IdentityUsage"]
    assert usage["DatasetCount"] == 1 and usage["DataStorage"] == described["DataStorage"] > 0
    assert ana.sync.delete_dataset(**ana.names, DatasetName="life")["Dataset"]["DatasetName"] == "life"
    gone = ana.records("life", 3)
    assert (gone["DatasetExists"], gone["DatasetDeletedAfterRequestedSyncCount"]) == (False, True)
    for call in (ana.sync.describe_dataset, ana.sync.delete_dataset):
        refused("ResourceNotFoundException", 404, call, **ana.names, DatasetName="life")
    again = ana.update("life", put("theme", "new"))
    assert again[0]["SyncCount"] > 3
    found = ana.records("life", 3)
    assert (found["DatasetExists"], found["DatasetDeletedAfterRequestedSyncCount"]) == (True, True)
    ana.sync.delete_dataset(**ana.names, DatasetName="life")


def test_a_stale_count_changes_nothing(people):
    ana = people["ana"]
    ana.update("race", put("a", "1"), put("b", "1"))
    error = {"IdentityPoolId": ana.pool, "IdentityId": ana.id, "DatasetName": "race",
             "SyncSessionToken": ana.records("race")["SyncSessionToken"]}
    for patches in ([put("a", "2", 1), put("b", "2", 0)], [put("a", "2", 1), put("new", "x", 4)], [remove("b", 2)]):
        refused("ResourceConflictException", 409, ana.sync.update_records, **error, RecordPatches=patches)
    found = ana.records("race")
    assert [(record["Key"], record["Value"], record["SyncCount"]) for record in found["Records"]] == [
        ("a", "1", 1), ("b", "1", 1)]
    assert found["DatasetSyncCount"] == 1
    ana.sync.delete_dataset(**ana.names, DatasetName="race")


def test_one_of_two_concurrent_updates_with_the_same_count_wins(server, people):
    ana = people["ana"]
    ana.update("threads", put("a", "begun"), put("b", "begun"))
    clients = {name: amazon.client(server, service="cognito-sync", key=ana.key) for name in ("left", "right")}
    for count in range(1, 21):
        token = ana.records("threads")["SyncSessionToken"]
        together, outcomes = threading.Barrier(2), {}

        def update(name, count=count, token=token, together=together, outcomes=outcomes):
            together.wait(60)
            try:
                outcomes[name] = clients[name].update_records(
                    **ana.names, DatasetName="threads", SyncSessionToken=token, DeviceId=name,
                    RecordPatches=[put("a", name, count), put("b", name, count)])["Records"]
            except clients[name].exceptions.ResourceConflictException as error:
                outcomes[name] = error.response["ResponseMetadata"]["HTTPStatusCode"]

        threads = [threading.Thread(target=update, args=[name]) for name in clients]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        [winner] = [name for name, outcome in outcomes.items() if outcome != 409]
        assert len(outcomes) == 2, outcomes
        # What the winner wrote is there whole, and nothing of the other's.
        found = ana.records("threads")
        assert found["DatasetSyncCount"] == count + 1
        assert {(record["Key"], record["Value"], record["SyncCount"], record["LastModifiedBy"])
                for record in found["Records"]} == {(key, winner, count + 1, winner) for key in "ab"}
    ana.sync.delete_dataset(**ana.names, DatasetName="threads")


def test_records_come_in_pages(people):
    ana = people["ana"]
    ana.update("many", *[put(f"k{number:03}", "v") for number in range(100)])
    found, token = [], {}
    while True:
        page = ana.records("many", MaxResults=30, **token)
        found += [record["Key"] for record in page["Records"]]
        if "NextToken" not in page:
            break
        token = {"NextToken": page["NextToken"]}
    assert found == [f"k{number:03}" for number in range(100)]
    refused("InvalidParameterException", 400, ana.records, dataset="many", NextToken="x")
    ana.sync.delete_dataset(**ana.names, DatasetName="many")


def test_an_update_over_a_limit_is_refused_as_a_whole(people):
    bo = people["bo"]
    for number in range(20):
        bo.update(f"d{number}", put("k", "v"))
    token = bo.records("d0")["SyncSessionToken"]
    write = {**bo.names, "SyncSessionToken": token}
    refused("LimitExceededException", 400, bo.sync.update_records, **write, DatasetName="d20",
            RecordPatches=[put("k", "v")])
    refused("LimitExceededException", 400, bo.sync.update_records, **write, DatasetName="d0",
            RecordPatches=[put("big", "x" * 1_048_575)])
    bo.sync.update_records(**write, DatasetName="d1", RecordPatches=[put(f"k{n}", "v") for n in range(1023)])
    refused("LimitExceededException", 400, bo.sync.update_records, **write, DatasetName="d1",
            RecordPatches=[put("one more", "v")])
    assert len(bo.records("d0")["Records"]) == 1 and len(bo.records("d1")["Records"]) == 1024
    for number in range(20):
        bo.sync.delete_dataset(**bo.names, DatasetName=f"d{number}")


def test_a_user_cannot_reach_anothers_identity(server, people, boss):
    ana = people["ana"]
    ana.update("secret", put("k", "of ana alone"))
    token = ana.records("secret")["SyncSessionToken"]
    dataset = {**ana.names, "DatasetName": "secret"}
    others = [person.sync for name, person in people.items() if name != "ana"] + [boss]
    for other in others:
        for call, arguments in (
                (other.list_datasets, ana.names), (other.describe_dataset, dataset), (other.delete_dataset, dataset),
                (other.list_records, dataset),
                (other.update_records, {**dataset, "SyncSessionToken": token, "RecordPatches": [put("k", "x", 1)]})):
            refused("NotAuthorizedException", 403, call, **arguments)
        if other is not boss:
            refused("NotAuthorizedException", 403, other.describe_identity_usage, **ana.names)
    assert boss.describe_identity_usage(**ana.names)["IdentityUsage"]["DatasetCount"] == 1
    assert ana.records("secret")["Records"][0]["Value"] == "of ana alone"
    unsigned = cognito.unsigned(server, "cognito-sync")
    refused("MissingAuthenticationToken", 403, unsigned.list_records, **dataset)
    ana.sync.delete_dataset(**dataset)


def test_only_an_admin_keeps_pools(people, boss):
    pool = {"IdentityPoolId": people["ana"].pool}
    for person in people.values():
        for call, arguments in (
                (person.sync.list_identity_pool_usage, {}), (person.sync.describe_identity_pool_usage, pool),
                (person.sync.get_identity_pool_configuration, pool), (person.sync.get_cognito_events, pool),
                (person.sync.set_identity_pool_configuration, {**pool, "PushSync": {}}),
                (person.sync.set_cognito_events, {**pool, "Events": {}}), (person.sync.bulk_publish, pool),
                (person.sync.get_bulk_publish_details, pool)):
            refused("NotAuthorizedException", 403, call, **arguments)
    assert boss.describe_identity_pool_usage(**pool)["IdentityPoolUsage"]["IdentityPoolId"] == people["ana"].pool
    listed = {usage["IdentityPoolId"] for usage in boss.list_identity_pool_usage()["IdentityPoolUsages"]}
    assert {people["ana"].pool, people["cy"].pool} <= listed


def test_input_that_the_model_does_not_allow_is_refused(server, people):
    ana = people["ana"]
    ana.sync = amazon.client(server, service="cognito-sync", key=ana.key, checks=False)
    token = ana.records("ok")["SyncSessionToken"]
    write = {**ana.names, "DatasetName": "ok", "SyncSessionToken": token}
    for name in ("a b", "ü", "x" * 129, "a*b"):
        refused("InvalidParameterException", 400, ana.records, dataset=name)
    for patches in ([{"Op": "increment", "Key": "k", "SyncCount": 0}], [{"Op": "replace", "Key": "k", "Value": "v"}],
                    [put("", "v")], [put("k" * 1025, "v")], [put("k", "v", -1)], [put("k", 7)],
                    [{"Op": "replace", "Key": "k", "SyncCount": 0}], [put("k", "v"), put("k", "w")]):
        refused("InvalidParameterException", 400, ana.sync.update_records, **write, RecordPatches=patches)
    refused("InvalidParameterException", 400, ana.sync.update_records, **(write | {"SyncSessionToken": "x"}),
            RecordPatches=[put("k", "v")])
    for pool in ("nothing", "us-east-1:XYZ", "us-east-1:" + "0" * 60):
        refused("InvalidParameterException", 400, ana.sync.list_datasets, IdentityPoolId=pool, IdentityId=ana.id)
        refused("InvalidParameterException", 400, ana.sync.list_datasets, IdentityPoolId=ana.pool, IdentityId=pool)
    refused("ResourceNotFoundException", 404, ana.sync.list_datasets, IdentityId=ana.id,
            IdentityPoolId="us-east-1:00000000-0000-0000-0000-000000000000")
    assert ana.records("ok")["DatasetExists"] is False


def test_awscli_reads_and_writes_a_dataset(server, people):
    cy = people["cy"]
    names = ["--identity-pool-id", cy.pool, "--identity-id", cy.id, "--dataset-name", "cli"]

    def run(*arguments):
        return amazon.command(server, *arguments, key=cy.key, service="cognito-sync")

    token = run("list-records", *names)["SyncSessionToken"]
    run("update-records", *names, "--sync-session-token", token, "--record-patches", json.dumps([put("k", "v")]))
    assert run("list-records", *names)["Records"][0]["Value"] == "v"
    assert run("delete-dataset", *names)["Dataset"]["DatasetName"] == "cli"


def test_an_admin_configures_a_pool(people, boss, admin):
    pool = {"IdentityPoolId": people["cy"].pool}
    assert "PushSync" not in boss.get_identity_pool_configuration(**pool)
    push = {"ApplicationArns": ["arn:aws:sns:us-east-1:000000000000:app/APNS/muster"],
            "RoleArn": "arn:aws:iam::000000000000:role/push"}
    streams = {"StreamName": "changes", "RoleArn": push["RoleArn"], "StreamingStatus": "ENABLED"}
    refused("InvalidParameterException", 400, boss.set_identity_pool_configuration, **pool, CognitoStreams=streams)
    webhook_targets.make(admin, "changes", "https://muster.example/hook")
    answer = boss.set_identity_pool_configuration(**pool, PushSync=push, CognitoStreams=streams)
    assert (answer["PushSync"], answer["CognitoStreams"]) == (push, streams)
    entry = admin.ok("GET", "/audit")["items"][0]
    assert (entry["change"]["kind"], entry["author"], entry["change"]["label"]) == (
        "poolChanged", "admin", people["cy"].pool)
    found = boss.get_identity_pool_configuration(**pool)
    assert (found["IdentityPoolId"], found["PushSync"], found["CognitoStreams"]) == (
        people["cy"].pool, push, streams)
    assert "PushSync" not in boss.get_identity_pool_configuration(IdentityPoolId=people["ana"].pool)
    for wrong in ({"PushSync": {"RoleArn": "x" * 30}}, {"PushSync": {"ApplicationArns": ["no arn at all"]}},
                  {"CognitoStreams": {"StreamingStatus": "ON"}}):
        refused("InvalidParameterException", 400, boss.set_identity_pool_configuration, **pool, **wrong)
    boss.set_identity_pool_configuration(**pool)
    refused("InvalidParameterException", 400, boss.bulk_publish, **pool)
    assert boss.get_bulk_publish_details(**pool)["BulkPublishStatus"] == "NOT_STARTED"


@pytest.fixture
def trigger(make_server):
    """A server that may call this machine, a team's member, and the webhook that sees the team's updates."""
    server = make_server(arguments=["--allow-private-targets"]).start()
    admin = server.admin()
    admin.make_team("red")
    ana = Identity(server, "ana", admin.make_user("ana", "member", "red"))
    with Receiver() as receiver:
        receiver.secret = webhook_targets.make(admin, "hook", receiver.url)["secret"]
        boss = amazon.client(server, service="cognito-sync")
        pool = {"IdentityPoolId": ana.pool}
        receiver.arn = "arn:aws:muster:us-east-1:000000000000:target/hook"
        boss.set_cognito_events(**pool, Events={"SyncTrigger": receiver.arn})
        assert boss.get_cognito_events(**pool)["Events"] == {"SyncTrigger": receiver.arn}
        yield ana, receiver, boss, admin


def answering(change):
    """Answers with the message, as changed."""
    def answer(call):
        message = json.loads(call.body)
        changed = change(message)
        return 200, {"Content-Type": "application/json"}, json.dumps(message if changed is None else changed).encode()
    return answer


def test_a_trigger_sees_changes_and_drops_records(trigger):
    ana, receiver, boss, admin = trigger

    def change(message):
        message["datasetRecords"].pop("dropped", None)
        if "name" in message["datasetRecords"]:
            message["datasetRecords"]["name"]["newValue"] = "ANA"

    receiver.answer = answering(change)
    made = ana.update("state", put("name", "ana"), put("dropped", "x"), put("kept", "y"))
    assert [(record["Key"], record["Value"]) for record in made] == [("name", "ANA"), ("kept", "y")]
    call = receiver.calls[0]
    message = json.loads(call.body)
    assert {key: value for key, value in message.items() if key != "datasetRecords"} == {
        "version": 2, "eventType": "SyncTrigger", "region": "us-east-1", "identityPoolId": ana.pool,
        "identityId": ana.id, "datasetName": "state"}
    assert message["datasetRecords"]["name"] == {"newValue": "ana", "op": "replace"}
    key = base64.b64decode(receiver.secret.removeprefix("whsec_"))
    signed = f"{call.headers['webhook-id']}.{call.headers['webhook-timestamp']}.".encode() + call.body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    assert call.headers["webhook-signature"] == f"v1,{expected}"
    ana.update("state", put("kept", "z", 1), remove("name", 1))
    assert json.loads(receiver.calls[1].body)["datasetRecords"] == {
        "kept": {"oldValue": "y", "newValue": "z", "op": "replace"}, "name": {"oldValue": "ANA", "op": "remove"}}
    assert ana.update("state", put("dropped", "x")) == []
    assert ana.records("state")["DatasetSyncCount"] == 2
    boss.set_cognito_events(IdentityPoolId=ana.pool, Events={})
    assert [record["Key"] for record in ana.update("state", put("dropped", "x"))] == ["dropped"]
    assert len(receiver.calls) == 3


def test_a_trigger_that_fails_refuses_the_write(trigger):
    ana, receiver, boss, admin = trigger
    token = ana.records("state")["SyncSessionToken"]
    write = {**ana.names, "DatasetName": "state", "SyncSessionToken": token, "RecordPatches": [put("k", "v")]}

    def wrong(**members):
        def change(message):
            message["datasetRecords"]["k"] = {"newValue": "v", "op": "replace", **members}
        return answering(change)

    def fails(code, status=400):
        refused(code, status, ana.sync.update_records, **write)
        assert ana.records("state")["DatasetExists"] is False

    for answer in (500, 404, 302, 200, (200, {}, b"no json"), answering(lambda message: {}),
                   answering(lambda message: {"datasetRecords": {"other": {"op": "remove"}}}),
                   wrong(op="increment"), wrong(newValue=7), wrong(newValue=None)):
        receiver.answer = answer if callable(answer) else lambda call, answer=answer: answer
        fails("InvalidLambdaFunctionOutputException")
    for status in (429, 503):
        receiver.answer = lambda call, status=status: status
        fails("LambdaThrottledException", 429)
    done = threading.Event()
    receiver.answer = lambda call: done.wait(60) and 200
    fails("LambdaThrottledException", 429)
    done.set()
    receiver.answer = answering(lambda message: None)
    admin.ok("PATCH", "/targets/hook", {"enabled": False})
    fails("InvalidLambdaFunctionOutputException")
    admin.ok("PATCH", "/targets/hook", {"enabled": True})
    receiver.close()
    fails("InvalidLambdaFunctionOutputException")
    receiver.open()
    assert ana.sync.update_records(**write)["Records"][0]["Value"] == "v"


def test_a_trigger_sees_what_comes_by_the_native_api(trigger):
    ana, receiver, boss, admin = trigger
    native = ana.api

    def change(message):
        message["datasetRecords"].pop("dropped", None)
        if "name" in message["datasetRecords"]:
            message["datasetRecords"]["name"]["newValue"] = "ANA"

    receiver.answer = answering(change)
    patches = [{"key": key, "value": "ana", "syncCount": 0} for key in ("name", "dropped")]
    made = native.ok("PATCH", "/datasets/state", {"records": patches})
    assert [(record["key"], record["value"]) for record in made["records"]] == [("name", "ANA")]
    message = json.loads(receiver.calls[0].body)
    assert (message["identityId"], message["datasetName"]) == (ana.id, "state")
    assert set(message["datasetRecords"]) == {"name", "dropped"}
    assert native.ok("PATCH", "/datasets/state", {"records": patches[1:]}) == {"syncCount": 1, "records": []}
    for answer, status in ((500, 422), (503, 503)):
        receiver.answer = lambda call, answer=answer: answer
        response = native.send("PATCH", "/datasets/state", {"records": patches[1:]})
        assert response.status_code == status and "sync trigger" in response.text
    assert native.ok("GET", "/datasets/state")["syncCount"] == 1


def test_a_trigger_must_be_a_webhook(trigger):
    ana, receiver, boss, admin = trigger
    pool = {"IdentityPoolId": ana.pool}
    admin.ok("POST", "/targets", {"name": "book", "kind": "log"})
    for events in ({"SyncTrigger": receiver.arn.replace("hook", "none")}, {"Other": receiver.arn},
                   {"SyncTrigger": receiver.arn.replace("hook", "book")},
                   {"SyncTrigger": "arn:aws:lambda:us-east-1:000000000000:function:f"}):
        refused("InvalidParameterException", 400, boss.set_cognito_events, **pool, Events=events)
    assert boss.get_cognito_events(**pool)["Events"] == {"SyncTrigger": receiver.arn}
