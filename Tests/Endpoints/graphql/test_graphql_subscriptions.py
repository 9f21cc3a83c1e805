"""Subscriptions at /graphql by server-sent events, as graphql-sse's distinct connections mode has them."""

import json

import pytest
import requests

from native_api import NativeApi, box, fix, now, polygon

safety = """
    subscription ($team: ID, $after: String) { safetyChanged(team: $team, after: $after) {
      sequence person { name safety email }
    } }
"""


class Subscription:
    """One subscription, read as it comes."""

    def __init__(self, api, query, variables=None, last_id=None):
        headers = {"Accept": "text/event-stream", "x-api-key": api.token}
        if last_id is not None:
            headers["Last-Event-ID"] = str(last_id)
        self.response = requests.post(
            api.address + "/graphql", json={"query": query, "variables": variables or {}}, headers=headers, stream=True,
            timeout=60)
        assert self.response.status_code == 200, self.response.text
        assert self.response.headers["Content-Type"] == "text/event-stream"
        self.lines = self.response.iter_lines(chunk_size=1, decode_unicode=True)
        assert next(self.lines) == ": open"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.response.close()

    def next(self):
        """Returns the next event: its name, its id and its data."""
        fields = {}
        for line in self.lines:
            if not line and "event" in fields:
                data = fields.get("data")
                return fields["event"], fields.get("id"), json.loads(data) if data else None
            if line and not line.startswith(":"):
                name, _, value = line.partition(":")
                fields[name] = value.strip()
        return None


@pytest.fixture(scope="module")
def house(server, admin):
    """Two teams with people and phones."""
    admin.make_team("north", [polygon("yard", box(13.4, 52.5, 13.41, 52.51), muster=True)])
    admin.make_team("south")
    return {name: admin.make_user(name, role, team) for name, role, team in [
        ("lena", "leader", "north"), ("mia", "member", "north"), ("sue", "member", "south"),
        ("sid", "leader", "south")]}


def declare(api, name, kind):
    api.ok("POST", f"/users/{name}/declarations", {"kind": kind})


def test_a_leader_learns_of_the_teams_safety_and_of_nobody_elses(house, admin):
    with Subscription(house["lena"], safety) as feed:
        declare(admin, "sue", "needsHelp")
        declare(admin, "mia", "sos")
        declare(admin, "mia", "clear")
        name, number, answer = feed.next()
        change = answer["data"]["safetyChanged"]
        assert name == "next" and "errors" not in answer
        assert number == change["sequence"]
        # The change's own state, though another followed it.
        assert change["person"] == {"name": "mia", "safety": "SOS", "email": None}
        assert feed.next()[2]["data"]["safetyChanged"]["person"]["safety"] != "SOS"
        declare(admin, "sue", "clear")


def test_a_client_resumes_without_a_gap_by_the_number_of_the_last_change(house, admin):
    before = admin.last_sequence()
    kinds = ["needsHelp", "clear", "sos", "clear"]
    for kind in kinds:
        declare(admin, "mia", kind)
    numbers = []
    with Subscription(house["lena"], safety, {"after": str(before)}) as feed:
        numbers += [feed.next()[1] for _ in range(2)]
    with Subscription(house["lena"], safety, {"after": str(before)}, last_id=numbers[-1]) as feed:
        numbers += [feed.next()[1] for _ in range(2)]
    expected = [str(change["sequence"]) for change in admin.changes(before) if change["type"] == "safety"]
    assert numbers == expected


def test_a_subscriber_gets_each_position_of_a_device_and_each_incident_of_a_team(house, admin):
    phone = admin.make_device("mia")
    positions = """
        subscription { positionChanged(device: "Device:mia/phone") {
          device { id owner { name } } position { coordinate { latitudeDegrees } }
        } }
    """
    with Subscription(house["mia"], positions) as feed:
        phone.ok("POST", "/positions", fix(52.505, 13.405, now()))
        change = feed.next()[2]["data"]["positionChanged"]
        assert change == {"device": {"id": "Device:mia/phone", "owner": {"name": "mia"}},
                          "position": {"coordinate": {"latitudeDegrees": 52.505}}}
    incidents = 'subscription { incidentChanged(team: "Team:north") { incident { number closedAt note } } }'
    with Subscription(house["lena"], incidents) as feed:
        opened = house["lena"].ok("POST", "/teams/north/incidents", {"kind": "drill", "note": "noon"})
        house["lena"].ok("POST", f"/incidents/{opened['id'] if 'id' in opened else opened['number']}/close",
                         {"reason": "all clear"})
        seen = []
        while not seen or seen[-1]["closedAt"] is None:
            seen.append(feed.next()[2]["data"]["incidentChanged"]["incident"])
        assert {incident["note"] for incident in seen} == {"noon"}


def test_regions_devices_and_teams_are_changed_and_followed_by_graphql_alone(house, admin):
    def ask(api, mutation, **variables):
        answer = api.ok("POST", "//graphql", {"query": mutation, "variables": variables})
        assert "errors" not in answer, answer
        return answer["data"]

    feature = json.dumps({"type": "Feature", "properties": {"name": "Gate", "radius": 40, "muster": True},
                          "geometry": {"type": "Point", "coordinates": [13.42, 52.52]}})
    regions = """
        subscription { regionChanged(collection: "north") { collection region { id name isMuster } } }
    """
    put = "mutation ($text: AWSJSON!) { putRegion(input: { id: \"Region:north/gate\", geoJSON: $text }) { id } }"
    with Subscription(house["mia"], regions) as feed:
        assert ask(house["lena"], put, text=feature) == {"putRegion": {"id": "Region:north/gate"}}
        stored = {"id": "Region:north/gate", "name": "Gate", "isMuster": True}
        assert feed.next()[2]["data"]["regionChanged"] == {"collection": "north", "region": stored}
        removed = ask(house["lena"], 'mutation { deleteRegion(input: { id: "Region:north/gate" }) }')
        assert removed == {"deleteRegion": "Region:north/gate"}
        assert feed.next()[2]["data"]["regionChanged"] == {"collection": "north", "region": None}
    with Subscription(house["lena"], "subscription { deviceChanged { device { id } } }") as feed:
        ask(house["mia"], 'mutation { createDevice(input: { owner: "Person:mia", name: "watch" }) { id } }')
        assert feed.next()[2]["data"]["deviceChanged"] == {"device": {"id": "Device:mia/watch"}}
    with Subscription(admin, 'subscription { personChanged { person { name team { name } } } }') as feed:
        ask(admin, 'mutation { createTeam(input: { name: "west" }) { id } }')
        ask(admin, 'mutation { setTeam(input: { person: "Person:sid", team: "Team:west" }) { id } }')
        assert feed.next()[2]["data"]["personChanged"]["person"] == {"name": "sid", "team": {"name": "west"}}
        ask(admin, 'mutation { setTeam(input: { person: "Person:sid", team: "Team:south" }) { id } }')
        ask(admin, 'mutation { deleteTeam(input: { id: "Team:west" }) }')


def test_a_subscription_to_what_the_caller_may_not_see_is_refused(house, admin):
    for query in ['subscription { safetyChanged(team: "Team:south") { sequence } }',
                  'subscription { positionChanged(device: "Device:sue/phone") { sequence } }',
                  'subscription { safetyChanged(after: "soon") { sequence } }',
                  'subscription { safetyChanged(team: "south") { sequence } }']:
        refused = house["mia"].send("POST", "//graphql", {"query": query}, headers={"Accept": "text/event-stream"})
        assert refused.status_code == 400, query
        assert refused.json()["errors"][0]["extensions"]["errorType"] in ("NotFound", "BadRequestException")
    query = {"query": "subscription { safetyChanged { sequence } }"}
    assert house["mia"].send("POST", "//graphql", query).status_code == 406


def test_a_subscriber_without_a_right_any_more_is_told_and_the_stream_ends(house, admin):
    key = admin.ok("POST", "/keys", {"label": "short", "user": "lena"})
    with Subscription(NativeApi(admin.address, key["key"]), safety) as feed:
        admin.ok("DELETE", f"/keys/{key['id']}")
        declare(admin, "mia", "needsHelp")
        name, _, answer = feed.next()
        assert (name, answer["errors"][0]["extensions"]["errorType"]) == ("next", "UnauthorizedException")
        assert feed.next()[0] == "complete"
        assert feed.next() is None
    declare(admin, "mia", "clear")


def test_a_number_of_another_log_ends_with_a_reason(house):
    with Subscription(house["lena"], safety, {"after": "9007199254740991"}) as feed:
        assert feed.next()[2]["errors"][0]["extensions"]["errorType"] == "Gone"
        assert feed.next()[0] == "complete"


def test_a_subscriber_who_changes_teams_sees_the_new_team_alone(house, admin):
    with Subscription(house["sid"], safety) as feed:
        declare(admin, "sue", "needsHelp")
        assert feed.next()[2]["data"]["safetyChanged"]["person"]["name"] == "sue"
        admin.ok("PATCH", "/users/sid", {"team": "north"})
        declare(admin, "sue", "clear")
        declare(admin, "mia", "needsHelp")
        assert feed.next()[2]["data"]["safetyChanged"]["person"]["name"] == "mia"
    declare(admin, "mia", "clear")
