"""Amplify's model of a user at /graphql, with the documents that Amplify generates, by AppSync's clients."""

import asyncio

import pytest
from gql import Client, gql
from gql.transport.appsync_auth import AppSyncApiKeyAuthentication
from gql.transport.appsync_websockets import AppSyncWebsocketsTransport
from gql.transport.exceptions import TransportQueryError
from gql.transport.requests import RequestsHTTPTransport

from native_api import box, fix, now, polygon

fields = "id username isSafe"
create = "mutation CreateUser($input: CreateUserInput!, $condition: ModelUserConditionInput) {" \
         f" createUser(input: $input, condition: $condition) {{ {fields} }} }}"
update = "mutation UpdateUser($input: UpdateUserInput!, $condition: ModelUserConditionInput) {" \
         f" updateUser(input: $input, condition: $condition) {{ {fields} }} }}"
delete = "mutation DeleteUser($input: DeleteUserInput!, $condition: ModelUserConditionInput) {" \
         f" deleteUser(input: $input, condition: $condition) {{ {fields} }} }}"


def subscription(name):
    """The document of a subscription, as Amplify generates it, with the place from which it resumes."""
    return f"subscription {name}($filter: ModelSubscriptionUserFilterInput, $after: String) {{" \
           f" {name}(filter: $filter, after: $after) {{ {fields} }} }}"


@pytest.fixture(scope="module")
def house(server, admin):
    """A team with people and an assembly point."""
    admin.make_team("north", [polygon("yard", box(13.4, 52.5, 13.41, 52.51), muster=True)])
    return {name: admin.make_user(name, role, "north") for name, role in [("lena", "leader"), ("mia", "member")]}


def wish(text, **variables):
    """Makes a request of an operation with variables."""
    request = gql(text)
    request.variable_values = variables
    return request


def execute(api, text, **variables):
    """Executes an operation by HTTP."""
    transport = RequestsHTTPTransport(url=api.address + "/graphql", headers={"x-api-key": api.token}, timeout=60)
    return Client(transport=transport).execute(wish(text, **variables))


def changes(api, name, after, count=1, **variables):
    """Returns the first changes after a number, as AppSync's client gets them."""
    host = api.address.removeprefix("http://")
    url = f"ws://{host}/graphql/realtime"
    transport = AppSyncWebsocketsTransport(url=url, auth=AppSyncApiKeyAuthentication(host, api.token))

    async def read():
        found = []
        async with Client(transport=transport) as session:
            async for result in session.subscribe(wish(subscription(name), after=str(after), **variables)):
                found.append(result[name])
                if len(found) == count:
                    return found
    return asyncio.run(asyncio.wait_for(read(), 60))


def kind(refusal):
    return refusal.value.errors[0]["extensions"]["errorType"]


def test_a_walk_into_a_muster_region_is_an_update_of_the_user(house, admin):
    before = admin.last_sequence()
    phone = admin.make_device("mia")
    for seconds in range(100, -1, -20):
        phone.ok("POST", "/positions", fix(52.505, 13.405, now() - seconds * 1000, accuracy=5))
    found = changes(house["lena"], "onUpdateUser", before, filter={"isSafe": {"eq": True}})
    assert (found[0]["username"], found[0]["isSafe"]) == ("mia", True)
    user = execute(house["lena"], f'query {{ getUser(id: "{found[0]["id"]}") {{ {fields} }} }}')["getUser"]
    assert user == found[0]


def test_a_declaration_is_an_update_of_the_user_for_those_who_may_see_it(house, admin):
    admin.make_user("sue", "member")
    before = admin.last_sequence()
    for name in ("sue", "mia"):
        execute(admin, update, input={"id": name, "isSafe": False})
    assert changes(house["lena"], "onUpdateUser", before)[0]["username"] == "mia"
    names = {change["username"] for change in changes(
        admin, "onUpdateUser", before, 2, filter={"isSafe": {"eq": False}})}
    assert names == {"sue", "mia"}


def test_an_admin_makes_and_removes_accounts_and_everybody_else_is_refused(house, admin):
    before = admin.last_sequence()
    made = execute(admin, create, input={"username": "nova"})["createUser"]
    assert made == {"id": made["id"], "username": "nova", "isSafe": None}
    assert admin.ok("GET", "/users/nova")["role"] == "member"
    assert changes(admin, "onCreateUser", before, filter={"username": {"beginsWith": "no"}}) == [made]
    for variables, expected in [({"input": {"username": "nova"}}, "ConflictException"),
                                ({"input": {"username": "a b"}}, "BadRequestException"),
                                ({"input": {"username": "x", "id": "7"}}, "BadRequestException")]:
        with pytest.raises(TransportQueryError) as refusal:
            execute(admin, create, **variables)
        assert kind(refusal) == expected
    for api in house.values():
        for document, given in [(create, {"username": "other"}), (delete, {"id": made["id"]}), (delete, {"id": "mia"})]:
            with pytest.raises(TransportQueryError) as refusal:
                execute(api, document, input=given)
            assert kind(refusal) == "Unauthorized"
    with pytest.raises(TransportQueryError) as refusal:
        execute(admin, delete, input={"id": made["id"]}, condition={"username": {"eq": "other"}})
    assert kind(refusal) == "ConditionalCheckFailedException"
    with pytest.raises(TransportQueryError) as refusal:
        execute(admin, delete, input={"id": "admin"})
    assert kind(refusal) == "ConflictException"
    before = admin.last_sequence()
    assert execute(admin, delete, input={"id": made["id"]})["deleteUser"] == made
    assert changes(admin, "onDeleteUser", before)[0]["id"] == made["id"]
    assert execute(admin, f'query {{ getUser(id: "{made["id"]}") {{ id }} }}')["getUser"] is None


def test_only_new_accounts_are_creations(house, admin):
    before = admin.last_sequence()
    admin.ok("PATCH", "/users/mia", {"email": "mia@example.org"})
    assert changes(house["lena"], "onUpdateUser", before)[0]["username"] == "mia"
    admin.make_user("olga", "member", "north")
    assert changes(house["lena"], "onCreateUser", before, filter={"username": {"in": ["olga"]}})[0][
        "username"] == "olga"
