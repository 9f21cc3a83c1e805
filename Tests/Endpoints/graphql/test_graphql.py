"""PyPI's gql and graphql-core, unmodified, at /graphql of a running server."""

import time

import pytest
import requests
from botocore.credentials import Credentials
from gql import Client, gql
from gql.transport.aiohttp import AIOHTTPTransport
from gql.transport.appsync_auth import (
    AppSyncApiKeyAuthentication, AppSyncIAMAuthentication, AppSyncJWTAuthentication)
from gql.transport.exceptions import TransportQueryError
from gql.transport.requests import RequestsHTTPTransport
from graphql import build_client_schema, build_schema, get_introspection_query, parse, print_schema, validate

import cognito
from muster_process import run
from native_api import box, fix, now, polygon


@pytest.fixture(scope="module")
def house(server, admin):
    """Two teams with people, phones and places."""
    admin.make_team("north", [polygon("yard", box(13.4, 52.5, 13.41, 52.51), muster=True)])
    admin.make_team("south")
    people = {name: admin.make_user(name, role, team) for name, role, team in [
        ("lena", "leader", "north"), ("mia", "member", "north"), ("sue", "member", "south")]}
    for name in people:
        admin.make_device(name).ok("POST", "/positions", fix(52.505, 13.405, now()))
    return people


def client(server, token, **more):
    transport = RequestsHTTPTransport(
        url=server.address + "/graphql", headers={"Authorization": f"Bearer {token}"}, timeout=60, **more)
    return Client(transport=transport, fetch_schema_from_transport=True)


def wish(text, **variables):
    """Makes a request of an operation with variables."""
    request = gql(text)
    request.variable_values = variables
    return request


def test_a_client_reads_the_schema_and_what_its_user_may_see(server, house):
    lena = client(server, house["lena"].token)
    answer = lena.execute(gql("""
        query { people { edges { node { id name safety position { coordinate { latitudeDegrees } } } } } }
    """))
    people = [edge["node"] for edge in answer["people"]["edges"]]
    assert [person["name"] for person in people] == ["lena", "mia"]
    assert people[0]["position"]["coordinate"]["latitudeDegrees"] == 52.505
    with pytest.raises(Exception, match="Cannot query field 'secret'"):
        lena.execute(gql("{ me { secret } }"))
    assert lena.execute(gql('{ node(id: "Person:sue") { id } }')) == {"node": None}


def test_a_client_may_ask_by_GET(server, house):
    asked = {"query": "query ($id: ID!) { node(id: $id) { id } }", "variables": '{"id": "Person:mia"}'}
    answer = requests.get(
        server.address + "/graphql", params=asked, headers={"x-api-key": house["mia"].token}, timeout=60)
    assert answer.json() == {"data": {"node": {"id": "Person:mia"}}}


def test_the_printed_schema_is_the_one_that_the_server_describes(server, house):
    answer = house["mia"].ok("POST", "//graphql", {"query": get_introspection_query(specified_by_url=True)})
    assert "errors" not in answer
    served = build_client_schema(answer["data"])
    assert print_schema(served) == print_schema(build_schema(run("graphql", "schema")))


def test_faults_are_those_that_the_reference_implementation_finds(server, house):
    answer = house["mia"].ok("POST", "//graphql", {"query": get_introspection_query()})
    schema = build_client_schema(answer["data"])
    for query in ["{ me { nothing } }", "{ me }", "{ people(first: \"x\") { edges { cursor } } }", "{ node { id } }",
                  "query ($a: Int) { me { id } }", "{ me { ...F } }", "{ me { id: name id } }",
                  "mutation { declare(input: { person: \"Person:mia\" }) { id } }"]:
        ours = house["mia"].ok("POST", "//graphql", {"query": query})
        assert "data" not in ours
        theirs = validate(schema, parse(query))
        assert theirs, query
        assert [fault["locations"] for fault in ours["errors"]] == [
            [{"line": place.line, "column": place.column} for place in fault.locations] for fault in theirs], query


def test_a_command_changes_what_the_native_api_shows(server, admin, house):
    mia, lena = client(server, house["mia"].token), client(server, house["lena"].token)

    def declare(declaration, **more):
        declared = mia.execute(wish(
            "mutation ($input: DeclareInput!) { declare(input: $input) { name safety } }",
            input={"person": "Person:mia", "declaration": declaration, **more}))
        return declared["declare"]["safety"]

    assert declare("SOS", note="fell", requestID="one") == "SOS"
    assert declare("SOS", note="fell", requestID="one") == "SOS"
    assert [one["note"] for one in admin.items("/users/mia/declarations")] == ["fell"]
    assert declare("CLEAR") != "SOS"
    opened = lena.execute(gql("""
        mutation { openIncident(input: { team: "Team:north", kind: DRILL, note: "noon" }) {
          id number note roll { name } missingCount
        } }
    """))["openIncident"]
    assert sorted(entry["name"] for entry in opened["roll"]) == ["lena", "mia"]
    assert admin.ok("GET", f"/incidents/{opened['number']}")["note"] == "noon"
    close = wish("""
        mutation ($id: ID!) { closeIncident(input: { id: $id, reason: "all clear" }) { closedAt } }
    """, id=opened["id"])
    with pytest.raises(TransportQueryError) as refusal:
        mia.execute(close)
    assert refusal.value.errors[0]["extensions"]["errorType"] == "Unauthorized"
    assert refusal.value.errors[0]["path"] == ["closeIncident"]
    assert lena.execute(close)["closeIncident"]["closedAt"]


def test_positions_are_stored_as_the_native_api_stores_them(server, admin, house):
    report = {"device": "Device:mia/phone", "latitudeDegrees": 52.5051, "longitudeDegrees": 13.4051,
              "accuracyMetres": 4, "batteryPercent": 61, "sampleTime": rfc3339()}
    mia = client(server, house["mia"].token)
    answer = mia.execute(wish("""
        mutation ($input: [PositionInput!]!) { reportPositions(input: $input) {
          storedCount repeatedCount refused { index reason }
        } }
    """, input=[report, {**report, "device": "Device:sue/phone"}, {**report, "latitudeDegrees": 95}]))
    receipt = answer["reportPositions"]
    assert receipt["storedCount"] == 1
    assert [refused["index"] for refused in receipt["refused"]] == [1, 2]
    newest = [one for one in admin.history("mia/phone") if one.get("battery") == 61]
    assert [one["latitude"] for one in newest] == [52.5051]
    page = mia.execute(wish("""
        query ($from: AWSDateTime!) { me { devices { positions(from: $from, first: 1000) {
          edges { node { batteryPercent } } pageInfo { hasNextPage }
        } } } }
    """, **{"from": report["sampleTime"]}))
    positions = page["me"]["devices"][0]["positions"]
    assert {"node": {"batteryPercent": 61}} in positions["edges"]
    assert not positions["pageInfo"]["hasNextPage"]


def rfc3339():
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())


@pytest.mark.parametrize("kind", ["key", "access token", "id token", "signature"])
def test_appsyncs_ways_to_prove_who_asks(server, admin, house, kind):
    host = server.address.removeprefix("http://")
    name = "mia"
    if kind == "key":
        proof = AppSyncApiKeyAuthentication(host, house["mia"].token)
    elif kind == "signature":
        key = house["mia"].ok("POST", "/keys", {"label": "appsync", "kind": "aws"})
        proof = AppSyncIAMAuthentication(
            host, region_name="eu-central-1", credentials=Credentials(key["accessKeyId"], key["secretAccessKey"]))
    else:
        name = "tom" if kind == "id token" else "tim"
        admin.ok("POST", "/users", {"name": name, "role": "member", "password": f"{name}'s password"})
        tokens = cognito.sign_in(server, name)
        proof = AppSyncJWTAuthentication(host, tokens["AccessToken" if kind == "access token" else "IdToken"])
    transport = AIOHTTPTransport(url=server.address + "/graphql", auth=proof, timeout=60)
    asked = Client(transport=transport)
    assert asked.execute(gql("{ me { name } }")) == {"me": {"name": name}}


def test_a_wrong_proof_is_refused_in_appsyncs_form(server):
    for headers in [{}, {"x-api-key": "mk_guess"}, {"Authorization": "a.b.c"}, {"Authorization": "Bearer x"},
                    {"Authorization": "AWS4-HMAC-SHA256 Credential=AKIAX/20260101/eu/appsync/aws4_request, "
                                      "SignedHeaders=host;x-amz-date, Signature=00", "X-Amz-Date": "20260101T000000Z"}]:
        refused = requests.post(
            server.address + "/graphql", json={"query": "{ me { name } }"}, headers=headers, timeout=60)
        assert refused.status_code in (401, 403), headers
        assert refused.json()["errors"][0]["extensions"]["errorType"]
        assert "data" not in refused.json()


def test_a_thousand_people_are_read_at_once(server, admin):
    admin.make_team("many")
    rows = "name,role,team\n" + "".join(f"p{number},member,many\n" for number in range(1000))
    admin.ok("POST", "/user-imports", raw=rows.encode(), headers={"Content-Type": "text/csv"})
    for number in range(0, 1000, 250):
        admin.make_device(f"p{number}").ok("POST", "/positions", fix(52.505, 13.405, now()))
    query = '{ people(first: 1000, team: "Team:many") { edges { node { name safety position { sampleTime } } } } }'
    began = server.processor_seconds()
    answer = admin.ok("POST", "//graphql", {"query": query})
    spent = server.processor_seconds() - began
    assert "errors" not in answer
    people = [edge["node"] for edge in answer["data"]["people"]["edges"]]
    assert len(people) == 1000
    assert sum(person["position"] is not None for person in people) == 4
    print(f"1,000 people in {spent:.2f} s of processor time")
    assert spent < 5
