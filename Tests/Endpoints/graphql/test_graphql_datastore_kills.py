"""kill -9 while Amplify's DataStore keeps copies of the people: at the end they are the server's state, and
nothing that a device sent twice counts twice."""

import contextlib
import json
import random
import socket
import urllib.parse

import pytest

from graphql_house import declare, make_house
from graphql_wire import GraphQLWire
from soak import rounds

crashes = rounds(2, 30)
fields = "id username isSafe _version _deleted _lastChangedAt"
sync = "query Sync($limit: Int, $nextToken: String, $lastSync: AWSTimestamp) {" \
       " syncUsers(limit: $limit, nextToken: $nextToken, lastSync: $lastSync) {" \
       f" items {{ {fields} }} nextToken startedAt }} }}"
update = f"mutation Update($input: UpdateUserInput!) {{ updateUser(input: $input) {{ {fields} }} }}"
create = f"mutation Create($input: CreateUserInput!) {{ createUser(input: $input) {{ {fields} }} }}"
delete = f"mutation Delete($input: DeleteUserInput!) {{ deleteUser(input: $input) {{ {fields} }} }}"
updated = f"subscription {{ onUpdateUser {{ {fields} }} }}"


def ask(api, text, **variables):
    """Executes an operation. Returns its data and its errors."""
    answer = api.ok("POST", "//graphql", {"query": text, "variables": variables})
    return answer["data"], answer.get("errors", [])


@contextlib.contextmanager
def unheard(api, text, **variables):
    """Sends an operation whose answer nobody reads."""
    body = json.dumps({"query": text, "variables": variables}).encode()
    place = urllib.parse.urlsplit(api.address)
    head = (f"POST /graphql HTTP/1.1\r\nHost: {place.netloc}\r\nx-api-key: {api.token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n").encode()
    with socket.create_connection((place.hostname, place.port), timeout=60) as connection:
        connection.sendall(head + body)
        yield


class Copy:
    """What a device keeps: the newest version of each person, and from when on to synchronize next."""

    def __init__(self, server, api):
        self.server, self.api = server, api
        self.people, self.started, self.number = {}, None, None

    def adopt(self, user):
        known = self.people.get(user["id"])
        if known is not None and known["_version"] == user["_version"]:
            assert known["isSafe"] == user["isSafe"], "one version, two states"
        if known is None or user["_version"] > known["_version"]:
            self.people[user["id"]] = user

    def named(self, name):
        return next(user for user in self.people.values() if user["username"] == name)

    def pages(self, last, kills=False):
        """Returns the people that a synchronization brings, and its start. The server dies behind the first page."""
        items, token, starts = [], None, set()
        while True:
            data, errors = ask(self.api, sync, limit=2, nextToken=token, lastSync=last)
            assert errors == []
            items += data["syncUsers"]["items"]
            starts.add(data["syncUsers"]["startedAt"])
            token = data["syncUsers"]["nextToken"]
            if token is None:
                assert len(starts) == 1, "all pages have the start of the first"
                return items, starts.pop()
            if kills:
                self.server.kill()
                self.server.start()
                kills = False

    def renew(self, kills=False):
        """Synchronizes what changed since the last time, or everything."""
        items, self.started = self.pages(self.started, kills)
        for user in items:
            self.adopt(user)
        return items

    @contextlib.contextmanager
    def following(self):
        """Subscribes to the changes after the last one that was heard. Gives a function that hears changes until a
        condition holds."""
        with GraphQLWire(self.server, self.api.token) as wire:
            if self.number is None:
                self.number = wire.acknowledgement["payload"]["sequence"]
            wire.send(type="subscribe", id="1", payload={"query": updated, "extensions": {"after": self.number}})

            def hear(is_enough):
                while not is_enough():
                    message = wire.next()
                    assert message["type"] == "next", message
                    number = message["payload"]["extensions"]["sequence"]
                    assert int(number) > int(self.number), "no change comes twice"
                    self.number = number
                    self.adopt(message["payload"]["data"]["onUpdateUser"])
            yield hear


def safe_declarations(admin):
    return sum(one["kind"] == "safe" for one in admin.items("/users/mia/declarations"))


def check_update_with_a_lost_answer(server, admin, mia, copy, is_committed):
    """A device declares safety and gets no answer. It declares again, of the version that it knew."""
    with copy.following() as hear:
        declare(admin, "mia", "needsHelp")
        hear(lambda: copy.named("mia")["isSafe"] is False)
        known = copy.named("mia")
        before = safe_declarations(admin)
        wanted = {"id": known["id"], "isSafe": True, "_version": known["_version"]}
        with unheard(mia, update, input=wanted):
            if is_committed:
                hear(lambda: copy.named("mia")["isSafe"] is True)
            server.kill()
    server.start()
    data, errors = ask(mia, update, input=wanted)
    assert errors == []
    # It is the server's state that is answered, in the version that the first or the second of the requests made.
    assert data["updateUser"]["isSafe"] is True
    assert data["updateUser"]["_version"] > known["_version"]
    assert safe_declarations(admin) == before + 1
    with copy.following() as hear:
        hear(lambda: copy.named("mia")["_version"] >= data["updateUser"]["_version"])
    assert copy.named("mia")["isSafe"] is True
    # Whoever has the version before, and asks once more, changes nothing.
    declare(admin, "mia", "needsHelp")
    data, errors = ask(mia, update, input=wanted)
    assert errors == [] and data["updateUser"]["isSafe"] is False
    assert safe_declarations(admin) == before + 1


def check_removal_with_a_lost_answer(server, admin, copy, name):
    """An account is removed, and no answer comes. Removed again, it is not there; the copy learns that it is gone."""
    made = ask(admin, create, input={"username": name})[0]["createUser"]
    copy.renew()
    assert copy.people[made["id"]]["_deleted"] is None
    with unheard(admin, delete, input={"id": made["id"]}):
        server.kill()
    server.start()
    data, errors = ask(admin, delete, input={"id": made["id"]})
    assert data["deleteUser"] is not None or [error["extensions"]["errorType"] for error in errors] == ["NotFound"]
    first = copy.pages(copy.started)[0]
    server.kill()
    server.start()
    assert copy.renew() == first, "the same lastSync has the same answer after a crash"
    assert copy.people[made["id"]]["_deleted"] is True


@pytest.mark.soak
def test_copies_are_the_servers_state_after_every_crash(make_server):
    seed = random.SystemRandom().randrange(1 << 32)
    print("seed", seed)
    chance = random.Random(seed)
    server = make_server().start()
    admin = server.admin()
    house = make_house(admin)
    for name in ("max", "moe"):
        admin.make_user(name, "member", "north")
    copies = {"admin": Copy(server, admin), "lena": Copy(server, house["lena"])}
    for copy in copies.values():
        copy.renew(kills=True)
        assert copy.people
    for number in range(crashes):
        check_update_with_a_lost_answer(
            server, admin, house["mia"], copies["lena"], is_committed=number == 0 or chance.random() < 0.5)
        for name in ("lena", "max", "moe", "sue"):
            declare(admin, name, chance.choice(["needsHelp", "safe", "sos", "clear"]))
        check_removal_with_a_lost_answer(server, admin, copies["admin"], f"nova{number}")
        for copy in copies.values():
            copy.renew(kills=True)
    for copy in copies.values():
        kept = {user["id"]: (user["isSafe"], user["_version"])
                for user in copy.people.values() if not user["_deleted"]}
        served = {user["id"]: (user["isSafe"], user["_version"])
                  for user in copy.pages(None)[0] if not user["_deleted"]}
        assert kept == served
    assert "sue" not in {user["username"] for user in copies["lena"].people.values()}
    server.end()
