"""Writers of one dataset at the same moment, by both endpoints, and a guest who becomes a user while both write: what
was acknowledged is there once, and a writer who came too late hears 409."""

import threading

import pytest
from botocore.exceptions import ClientError

import amazon
import cognito
from cognito import Person
from cognito_guest import Guest, names

rounds = 12


def together(*works):
    """Runs each work in a thread of its own, all from the same moment on, and returns what they return."""
    barrier, answers, faults = threading.Barrier(len(works)), [None] * len(works), []

    def run(index, work):
        barrier.wait(60)
        try:
            answers[index] = work()
        except Exception as fault:
            faults.append(fault)

    threads = [threading.Thread(target=run, args=entry, daemon=True) for entry in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not faults, faults
    return answers


def status_of(call, **arguments):
    """The status of a call of boto3's."""
    try:
        return call(**arguments)["ResponseMetadata"]["HTTPStatusCode"]
    except ClientError as error:
        return error.response["ResponseMetadata"]["HTTPStatusCode"]


@pytest.fixture(scope="module")
def ana(server, admin):
    return admin.make_user("ana")


@pytest.fixture(scope="module")
def identity(server):
    return cognito.unsigned(server, "cognito-identity")


@pytest.fixture(scope="module")
def pool(server, admin):
    """An identity pool that admits guests, with two members."""
    pool = amazon.client(server, service="cognito-identity").create_identity_pool(
        IdentityPoolName="north", AllowUnauthenticatedIdentities=True)["IdentityPoolId"]
    for name in ("mia", "max"):
        admin.ok("POST", "/users", {
            "name": name, "role": "member", "password": f"{name}'s password", "team": "north"})
    return pool


def sync_clients(server, user, api, count):
    """Clients of Cognito Sync, each with a connection of its own, and the names of the user's identity."""
    ids, key = api.ok("GET", "/cognito"), amazon.aws_key(server, user)
    clients = [amazon.client(server, service="cognito-sync", key=key) for _ in range(count)]
    return clients, {"IdentityPoolId": ids["identityPoolId"], "IdentityId": ids["identityId"]}


def test_of_writers_by_both_endpoints_with_one_count_one_wins(server, ana):
    clients, who = sync_clients(server, "ana", ana, 3)
    apis = [server.api(ana.token) for _ in range(3)]
    ana.ok("PATCH", "/datasets/race", {"records": [{"key": "k", "value": "0", "syncCount": 0}]})
    for turn in range(1, rounds + 1):
        token = clients[0].list_records(**who, DatasetName="race")["SyncSessionToken"]

        def write_natively(number):
            return apis[number].send("PATCH", "/datasets/race", {"records": [
                {"key": "k", "value": f"native {number}", "syncCount": turn},
                {"key": f"{turn} native {number}", "value": "1", "syncCount": 0}]}).status_code

        def write_by_sync(number):
            return status_of(
                clients[number].update_records, **who, DatasetName="race", SyncSessionToken=token, RecordPatches=[
                    {"Op": "replace", "Key": "k", "Value": f"sync {number}", "SyncCount": turn},
                    {"Op": "replace", "Key": f"{turn} sync {number}", "Value": "1", "SyncCount": 0}])

        answers = together(*(lambda work=work, number=number: work(number)
                             for number in range(3) for work in (write_natively, write_by_sync)))
        assert sorted(answers) == [200] + [409] * 5
        whole = ana.ok("GET", "/datasets/race?limit=1000")
        # One update more, whole, and nothing of those that lost.
        assert whole["syncCount"] == turn + 1
        newest = [record for record in whole["records"] if record["syncCount"] == turn + 1]
        winner = next(record["value"] for record in newest if record["key"] == "k")
        assert {record["key"] for record in newest} == {"k", f"{turn} {winner}"}
        assert len(whole["records"]) == turn + 1


def test_a_count_that_writers_by_both_endpoints_raise_misses_none(server, ana):
    clients, who = sync_clients(server, "ana", ana, 2)
    apis = [server.api(ana.token) for _ in range(2)]
    ana.ok("PATCH", "/datasets/sum", {"records": [{"key": "n", "value": "0", "syncCount": 0}]})

    def raise_natively(api):
        done = 0
        while done < rounds:
            [record] = api.ok("GET", "/datasets/sum")["records"]
            status = api.send("PATCH", "/datasets/sum", {"records": [
                {"key": "n", "value": str(int(record["value"]) + 1), "syncCount": record["syncCount"]}]}).status_code
            assert status in (200, 409)
            done += status == 200

    def raise_by_sync(client):
        done = 0
        while done < rounds:
            read = client.list_records(**who, DatasetName="sum")
            [record] = read["Records"]
            status = status_of(
                client.update_records, **who, DatasetName="sum", SyncSessionToken=read["SyncSessionToken"],
                RecordPatches=[{"Op": "replace", "Key": "n", "Value": str(int(record["Value"]) + 1),
                                "SyncCount": record["SyncCount"]}])
            assert status in (200, 409)
            done += status == 200

    together(*(lambda api=api: raise_natively(api) for api in apis),
             *(lambda client=client: raise_by_sync(client) for client in clients))
    whole = ana.ok("GET", "/datasets/sum")
    [record] = whole["records"]
    assert (record["value"], record["syncCount"]) == (str(4 * rounds), 4 * rounds + 1)


class Writer:
    """Writes one new record after the other into a dataset, and remembers the keys that the server acknowledged."""

    def __init__(self, sync, who, name):
        self.sync, self.who, self.name = sync, who, name
        self.acknowledged, self.refusals = [], []
        self.token = sync.list_records(**who)["SyncSessionToken"]

    def write(self, count):
        for number in range(count):
            key = f"{self.name} {number}"
            status = status_of(self.sync.update_records, **self.who, SyncSessionToken=self.token, RecordPatches=[
                {"Op": "replace", "Key": key, "Value": self.name, "SyncCount": 0}])
            (self.acknowledged if status == 200 else self.refusals).append(key if status == 200 else status)


def values(sync, who):
    return {record["Key"]: record["Value"] for record in sync.list_records(**who)["Records"]}


@pytest.mark.parametrize("turn", range(3))
def test_a_guest_who_is_merged_while_both_write_loses_and_doubles_nothing(server, identity, pool, turn):
    guest = Guest(server, identity, pool)
    guest.put("notes", first="guest")
    mia = Person(server, identity, "mia", pool)
    sync, own = mia.client("cognito-sync"), names(pool, mia.id, "notes")
    for found in sync.list_datasets(IdentityPoolId=pool, IdentityId=mia.id)["Datasets"]:
        sync.delete_dataset(IdentityPoolId=pool, IdentityId=mia.id, DatasetName=found["DatasetName"])
    writers = [Writer(guest.sync, names(pool, guest.id, "notes"), "guest"), Writer(sync, own, "mia")]

    def merge():
        return identity.get_credentials_for_identity(IdentityId=guest.id, Logins=mia.logins)["IdentityId"]

    # The same request twice, as an app sends it that lost the first answer, in the midst of the writing.
    _, _, *merged = together(*(lambda writer=writer: writer.write(10) for writer in writers), merge, merge)
    assert merged == [mia.id, mia.id]
    writers[0].write(1)
    assert writers[0].refusals and set(writers[0].refusals) <= {400, 403, 409}
    assert writers[1].refusals == []
    notes = values(sync, own)
    copy = f"notes.{guest.id}"
    listed = {found["DatasetName"] for found in
              sync.list_datasets(IdentityPoolId=pool, IdentityId=mia.id)["Datasets"]}
    assert listed <= {"notes", copy}
    copied = values(sync, names(pool, mia.id, copy)) if copy in listed else {}
    # Every acknowledged record is there once, and none that was refused.
    assert sorted([*notes, *copied]) == sorted(["first", *writers[0].acknowledged, *writers[1].acknowledged])
    assert {key for key, value in {**notes, **copied}.items() if value == "mia"} == set(writers[1].acknowledged)


def test_of_two_users_who_take_one_guest_one_gets_it(server, identity, pool):
    guest = Guest(server, identity, pool)
    guest.put("game", level="3")
    people = [Person(server, identity, name, pool) for name in ("mia", "max")]

    def take(person):
        try:
            return identity.get_credentials_for_identity(
                IdentityId=guest.id, Logins=person.logins)["IdentityId"] == person.id
        except ClientError as error:
            assert error.response["Error"]["Code"] == "NotAuthorizedException"
            return False

    taken = together(*(lambda person=person: take(person) for person in people))
    assert sorted(taken) == [False, True]
    for person, isOwner in zip(people, taken):
        assert values(person.client("cognito-sync"), names(pool, person.id, "game")) == (
            {"level": "3"} if isOwner else {})
