"""The article's app, from Amplify's configuration file on: it lists its users, subscribes, and sees `isSafe` change
while somebody walks into a fence."""

import asyncio
import json
import re
import urllib.parse

import pytest
from gql import Client, gql
from gql.transport.aiohttp import AIOHTTPTransport
from gql.transport.appsync_auth import AppSyncApiKeyAuthentication
from gql.transport.appsync_websockets import AppSyncWebsocketsTransport

from muster_process import root
from native_api import box, now, polygon, stamp

list_users = "query ListUsers { listUsers { items { id username isSafe } nextToken } }"
on_update = """
    subscription OnUpdateUser($filter: ModelSubscriptionUserFilterInput, $after: String) {
      onUpdateUser(filter: $filter, after: $after) { id username isSafe }
    }
"""
report = """
    mutation Report($input: [PositionInput!]!) { reportPositions(input: $input) { storedCount refused { reason } } }
"""


def configurations(api):
    """Returns what the page's files say of the API: Amplify's of generation 2 and of generation 1, for this server."""
    page = (root / "docs/graphql.md").read_text()
    files = [json.loads(text) for text in re.findall(r"^```json\n(.*?)^```$", page, re.S | re.M)]
    data = next(file["data"] for file in files if "data" in file)
    plugin = next(file["api"]["plugins"]["awsAPIPlugin"] for file in files if "api" in file)["muster"]
    assert plugin["endpointType"] == "GraphQL"
    found = [
        {"url": data["url"], "region": data["aws_region"], "key": data["api_key"],
         "kinds": {data["default_authorization_type"], *data["authorization_types"]}},
        {"url": plugin["endpoint"], "region": plugin["region"], "key": plugin["apiKey"],
         "kinds": {plugin["authorizationType"]}},
    ]
    for each in found:
        assert each["kinds"] <= {"API_KEY", "AMAZON_COGNITO_USER_POOLS", "AWS_IAM"}
        path = urllib.parse.urlsplit(each["url"]).path
        each.update(url=api.address + path, key=api.token)
    return found


def wish(text, **variables):
    """Makes a request of an operation with variables."""
    request = gql(text)
    request.variable_values = variables
    return request


class App:
    """The article's app: it knows its configuration, and nothing else."""

    def __init__(self, configuration):
        url = configuration["url"]
        proof = AppSyncApiKeyAuthentication(urllib.parse.urlsplit(url).netloc, configuration["key"])
        self.asked = Client(transport=AIOHTTPTransport(url=url, auth=proof, timeout=60))
        self.live = Client(transport=AppSyncWebsocketsTransport(
            url=url.replace("http", "ws", 1) + "/realtime", auth=proof))

    async def ask(self, text, **variables):
        async with self.asked as session:
            return await session.execute(wish(text, **variables))

    async def watch(self, handle, **variables):
        """Hands over each change of a user, until the handler returns true."""
        async with self.live as session:
            async for result in session.subscribe(wish(on_update, **variables)):
                if await handle(result["onUpdateUser"]):
                    return


def walk(name, latitude, seconds_ago):
    """A report of somebody's phone, which stays there for a while."""
    return [{"device": f"Device:{name}/phone", "latitudeDegrees": latitude, "longitudeDegrees": 13.405,
             "accuracyMetres": 5, "sampleTime": stamp(now() - seconds * 1000)} for seconds in seconds_ago]


@pytest.mark.parametrize("generation", [2, 1])
def test_the_app_lists_users_and_sees_isSafe_change_when_somebody_walks_into_the_fence(admin, generation):
    team, lena, mia = [f"{name}{generation}" for name in ("north", "lena", "mia")]
    admin.make_team(team, [polygon("yard", box(13.4, 52.5, 13.41, 52.51), muster=True)])
    leader, member = [App(configurations(admin.make_user(name, role, team))[2 - generation])
                      for name, role in [(lena, "leader"), (mia, "member")]]
    admin.make_device(mia)
    before = admin.last_sequence()

    async def story():
        users = (await leader.ask(list_users))["listUsers"]["items"]
        assert [user["username"] for user in users] == [lena, mia]
        stored = await member.ask(report, input=walk(mia, 52.6, range(300, 250, -10)))
        assert stored["reportPositions"] == {"storedCount": 5, "refused": []}
        seen = []

        async def handle(user):
            seen.append(user["isSafe"])
            if seen == [False]:
                # The app is subscribed, and has drawn her outside. Now she walks in.
                await member.ask(report, input=walk(mia, 52.505, range(100, -1, -20)))
            return user["isSafe"]
        await asyncio.wait_for(
            leader.watch(handle, filter={"id": {"eq": users[1]["id"]}}, after=str(before)), 60)
        assert seen[0] is False and seen[-1] is True
        assert (await leader.ask(list_users))["listUsers"]["items"][1] == {**users[1], "isSafe": True}
    asyncio.run(story())
