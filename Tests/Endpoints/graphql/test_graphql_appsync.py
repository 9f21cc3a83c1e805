"""Subscriptions at /graphql by AppSync's real-time protocol: PyPI's gql as AppSync's client, unmodified."""

import base64
import json

import pytest
from botocore.credentials import Credentials
from gql.transport.appsync_auth import (
    AppSyncApiKeyAuthentication, AppSyncIAMAuthentication, AppSyncJWTAuthentication)
from gql.transport.appsync_websockets import AppSyncWebsocketsTransport
from websockets.exceptions import ConnectionClosed

import cognito
from graphql_house import declare, first_change, make_house, safety
from graphql_wire import GraphQLWire as Wire, socket_address as address


@pytest.fixture(scope="module")
def house(admin):
    """Two teams with people."""
    return make_house(admin)


@pytest.mark.parametrize("kind", ["key", "access token", "id token", "signature"])
@pytest.mark.parametrize("path", ["/graphql", "/graphql/realtime"])
def test_appsyncs_client_subscribes_with_each_of_its_proofs(server, house, admin, kind, path):
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
        if path == "/graphql":
            admin.ok("POST", "/users", {"name": name, "role": "member", "password": f"{name}'s password"})
        tokens = cognito.sign_in(server, name)
        proof = AppSyncJWTAuthentication(host, tokens["AccessToken" if kind == "access token" else "IdToken"])
    before = admin.last_sequence()
    declare(admin, name, "needsHelp")
    transport = AppSyncWebsocketsTransport(url=address(server, path), auth=proof)
    change = first_change(transport, before).data["safetyChanged"]
    assert change["person"] == {"name": name, "safety": "NEEDS_HELP"}
    declare(admin, name, "clear")


def header(token, **more):
    return {"host": "muster.example.org", "x-api-key": token, **more}


def encoded(fields):
    return base64.b64encode(json.dumps(fields).encode()).decode()


def test_appsyncs_messages_as_its_clients_expect_them(server, house, admin):
    token = house["lena"].token
    proof = base64.urlsafe_b64encode(json.dumps(header(token)).encode()).decode().rstrip("=")
    data = json.dumps({"query": safety, "variables": {}})
    # As Amplify's libraries: the fields in a subprotocol, and the path for a domain of one's own.
    with Wire(server, protocol="graphql-ws", path="/graphql/realtime",
              subprotocols=["graphql-ws", f"header-{proof}"]) as wire:
        assert wire.socket.subprotocol == "graphql-ws"
        wire.send(type="connection_init")
        acknowledgement = wire.next()
        assert acknowledgement["type"] == "connection_ack"
        assert acknowledgement["payload"]["connectionTimeoutMs"] == 300_000
        wire.send(type="start", id="u-1",
                  payload={"data": data, "extensions": {"authorization": header(token)}})
        assert wire.next() == {"type": "start_ack", "id": "u-1"}
        declare(admin, "mia", "needsHelp")
        change = wire.next()
        assert (change["type"], change["id"]) == ("data", "u-1")
        assert change["payload"]["data"]["safetyChanged"]["person"]["name"] == "mia"
        for start, kind in [({"data": data}, "UnauthorizedException"),
                            ({"data": data, "extensions": {"authorization": header("mk_guess")}},
                             "UnauthorizedException"),
                            ({"data": "no JSON", "extensions": {"authorization": header(token)}},
                             "BadRequestException"),
                            ({"data": json.dumps({"query": "{ me { name } }"}),
                              "extensions": {"authorization": header(token)}}, "UnsupportedOperation")]:
            wire.send(type="start", id="u-2", payload=start)
            refusal = wire.next()
            assert (refusal["type"], refusal["id"]) == ("error", "u-2")
            assert refusal["payload"]["errors"][0]["errorType"] == kind
        wire.send(type="stop", id="u-1")
        assert wire.next() == {"type": "complete", "id": "u-1"}
        wire.send(type="connection_terminate")
        assert wire.code() == 1000
    declare(admin, "mia", "clear")


def test_appsyncs_client_with_a_wrong_proof_is_told_why(server):
    for path in ("/graphql", f"/graphql?header={encoded(header('mk_guess'))}&payload=e30=",
                 "/graphql?header=%%%&payload=e30="):
        with Wire(server, protocol="graphql-ws", path=path) as wire:
            wire.send(type="connection_init")
            refusal = wire.next()
            assert refusal["type"] == "connection_error"
            assert refusal["payload"]["errors"][0]["errorType"] == "UnauthorizedException"
            assert wire.code() == 4403


def test_a_subscription_with_a_key_of_its_own_ends_with_that_key(server, house, admin):
    key = admin.ok("POST", "/keys", {"label": "short", "user": "lena"})
    data = json.dumps({"query": safety})
    with Wire(server, protocol="graphql-ws", path=f"/graphql?header={encoded(header(house['lena'].token))}") as wire:
        wire.send(type="connection_init")
        wire.next()
        for id, token in [("own", house["lena"].token), ("short", key["key"])]:
            wire.send(type="start", id=id, payload={"data": data, "extensions": {"authorization": header(token)}})
            assert wire.next() == {"type": "start_ack", "id": id}
        admin.ok("DELETE", f"/keys/{key['id']}")
        declare(admin, "mia", "needsHelp")
        messages = [wire.next() for _ in range(2)]
        assert {message["id"]: message["type"] for message in messages} == {"own": "data", "short": "error"}
        declare(admin, "mia", "clear")
        assert wire.next()["id"] == "own"


def test_no_secret_of_a_websocket_is_in_the_log(server, house):
    secret = house["sue"].token
    for path in (f"/graphql/realtime?header={encoded(header(secret))}&payload=e30=",
                 f"/graphql?header={encoded(header(secret, Authorization='AWS4-HMAC-SHA256 x'))}"):
        with Wire(server, protocol="graphql-ws", path=path) as wire:
            wire.send(type="connection_init")
            try:
                wire.next()
                wire.send(type="start", id="1", payload={
                    "data": "{}", "extensions": {"authorization": header(secret)}})
                wire.socket.send("{" + secret)
                while True:
                    wire.next()
            except ConnectionClosed as closed:
                assert secret not in str(closed.rcvd.reason)
    assert secret not in server.log()
    assert encoded(header(secret))[:40] not in server.log()
