"""What Amplify's DataStore does at /graphql: it makes a copy of the people, renews it, and sends its own changes."""

import pytest
from gql import Client, gql
from gql.transport.exceptions import TransportQueryError
from gql.transport.requests import RequestsHTTPTransport

from native_api import box, polygon

fields = "id username isSafe _version _deleted _lastChangedAt updatedAt"
sync = "query Sync($limit: Int, $nextToken: String, $lastSync: AWSTimestamp) {" \
       " syncUsers(limit: $limit, nextToken: $nextToken, lastSync: $lastSync) {" \
       f" items {{ {fields} }} nextToken startedAt }} }}"
update = f"mutation Update($input: UpdateUserInput!) {{ updateUser(input: $input) {{ {fields} }} }}"
delete = f"mutation Delete($input: DeleteUserInput!) {{ deleteUser(input: $input) {{ {fields} }} }}"


@pytest.fixture(scope="module")
def house(server, admin):
    """Two teams with people."""
    admin.make_team("north", [polygon("yard", box(13.4, 52.5, 13.41, 52.51), muster=True)])
    admin.make_team("south")
    return {name: admin.make_user(name, role, team) for name, role, team in [
        ("lena", "leader", "north"), ("mia", "member", "north"), ("max", "member", "north"),
        ("sue", "member", "south")]}


def execute(api, text, **variables):
    """Executes an operation by HTTP."""
    transport = RequestsHTTPTransport(url=api.address + "/graphql", headers={"x-api-key": api.token}, timeout=60)
    request = gql(text)
    request.variable_values = variables
    return Client(transport=transport).execute(request)


def copy(api, last=None, limit=100):
    """Returns what a synchronization brings, and from when on to ask next."""
    people, token, starts = {}, None, set()
    while True:
        page = execute(api, sync, limit=limit, nextToken=token, lastSync=last)["syncUsers"]
        for user in page["items"]:
            people[user["username"]] = user
        starts.add(page["startedAt"])
        token = page["nextToken"]
        if token is None:
            assert len(starts) == 1
            return people, starts.pop()


def declare(api, name, kind):
    api.ok("POST", f"/users/{name}/declarations", {"kind": kind})


def test_a_copy_has_whom_one_may_see_and_is_renewed_by_what_changed(house, admin):
    for name in ("lena", "mia", "max"):
        declare(admin, name, "needsHelp")
    people, started = copy(house["lena"], limit=1)
    assert sorted(people) == ["lena", "max", "mia"]
    assert all(user["isSafe"] is False and user["_deleted"] is None for user in people.values())
    declare(admin, "mia", "safe")
    declare(admin, "sue", "needsHelp")
    changed, again = copy(house["lena"], last=started + 1)
    assert again >= started
    assert sorted(changed) == ["mia"]
    assert changed["mia"]["isSafe"] is True
    assert changed["mia"]["_version"] > people["mia"]["_version"]
    assert changed["mia"]["_lastChangedAt"] > people["mia"]["_lastChangedAt"]
    assert copy(house["lena"], last=again + 60_000)[0] == {}
    declare(admin, "mia", "clear")


def test_a_version_is_the_number_of_the_change_in_every_answer(house, admin):
    before = admin.last_sequence()
    declare(admin, "mia", "sos")
    number = [change["sequence"] for change in admin.changes(before) if change["type"] == "safety"][-1]
    user = execute(house["mia"], f'query {{ getUser(id: "mia") {{ {fields} }} }}')["getUser"]
    assert (user["_version"], user["isSafe"]) == (number, False)
    assert execute(house["mia"], update, input={"id": "mia"})["updateUser"] == user
    declare(admin, "mia", "clear")


def test_a_stale_copy_makes_nobody_safe_and_may_call_for_help(house, admin):
    stale = execute(house["mia"], update, input={"id": "mia", "isSafe": True})["updateUser"]
    assert stale["isSafe"] is True
    declare(admin, "mia", "needsHelp")
    answer = execute(
        house["mia"], update, input={"id": "mia", "username": "mia", "isSafe": True, "_version": stale["_version"]})
    merged = answer["updateUser"]
    assert merged["isSafe"] is False and merged["_version"] > stale["_version"]
    known = {"id": "mia", "isSafe": True, "_version": merged["_version"]}
    assert execute(house["mia"], update, input=known)["updateUser"]["isSafe"] is True
    called = execute(house["mia"], update, input={"id": "mia", "isSafe": False, "_version": 1})["updateUser"]
    assert called["isSafe"] is False
    with pytest.raises(TransportQueryError) as refusal:
        execute(house["mia"], update, input={"id": "mia", "username": "other"})
    assert refusal.value.errors[0]["extensions"]["errorType"] == "BadRequestException"
    declare(admin, "mia", "clear")


def test_an_admins_copy_learns_who_is_gone_and_a_stale_copy_removes_nobody(house, admin):
    admin.make_user("nova", "member", "north")
    declare(admin, "nova", "needsHelp")
    people, started = copy(admin)
    nova = people["nova"]
    declare(admin, "nova", "safe")
    with pytest.raises(TransportQueryError) as refusal:
        execute(admin, delete, input={"id": nova["id"], "_version": nova["_version"]})
    assert refusal.value.errors[0]["extensions"]["errorType"] == "ConflictUnhandled"
    newest = execute(admin, f'query {{ getUser(id: "nova") {{ {fields} }} }}')["getUser"]
    gone = execute(admin, delete, input={"id": nova["id"], "_version": newest["_version"]})["deleteUser"]
    assert gone["_deleted"] is True and gone["_version"] > newest["_version"]
    changed = {user["id"]: user for user in copy(admin, last=started)[0].values()}
    assert changed[nova["id"]]["_deleted"] is True
    assert changed[nova["id"]]["_version"] > newest["_version"]
    assert nova["id"] not in {user["id"] for user in copy(house["lena"], last=started)[0].values()}
