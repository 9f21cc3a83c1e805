"""What the tests of GraphQL's subscriptions share: a house with two teams, and an unmodified client that waits."""

import asyncio

from gql import Client, gql

from native_api import box, polygon

safety = """
    subscription ($after: String) { safetyChanged(after: $after) { sequence person { name safety } } }
"""


def make_house(admin):
    """Two teams with people; answers each person's API by name."""
    admin.make_team("north", [polygon("yard", box(13.4, 52.5, 13.41, 52.51), muster=True)])
    admin.make_team("south")
    return {name: admin.make_user(name, role, team) for name, role, team in [
        ("lena", "leader", "north"), ("mia", "member", "north"), ("sue", "member", "south")]}


def declare(api, name, kind):
    api.ok("POST", f"/users/{name}/declarations", {"kind": kind})


def wish(text, **variables):
    """Makes a request of an operation with variables."""
    request = gql(text)
    request.variable_values = variables
    return request


def first_change(transport, after):
    """Returns the first change after a number, as gql gets it."""
    async def read():
        async with Client(transport=transport) as session:
            async for result in session.subscribe(wish(safety, after=str(after)), get_execution_result=True):
                return result
    return asyncio.run(asyncio.wait_for(read(), 60))
