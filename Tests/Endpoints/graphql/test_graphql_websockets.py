"""Subscriptions at /graphql by WebSocket: PyPI's gql by graphql-transport-ws, unmodified, and hostile clients."""

import asyncio
import json
import socket

import pytest
import requests
from gql import Client, gql
from gql.transport.exceptions import TransportQueryError
from gql.transport.websockets import WebsocketsTransport
from websockets.exceptions import InvalidStatus

from graphql_house import declare, first_change, make_house, safety, wish
from graphql_wire import GraphQLWire as Wire, socket_address as address
from waiting import eventually


@pytest.fixture(scope="module")
def house(admin):
    """Two teams with people."""
    return make_house(admin)


@pytest.mark.parametrize("place", ["message", "header"])
def test_a_client_subscribes_queries_and_changes_by_one_websocket(server, house, admin, place):
    fields = {"Authorization": f"Bearer {house['lena'].token}"}
    proof = {"init_payload": fields} if place == "message" else {"headers": fields}
    before = admin.last_sequence()
    mutation = 'mutation { declare(input: {person: "Person:mia", declaration: SOS}) { name safety } }'

    async def use():
        async with Client(transport=WebsocketsTransport(url=address(server), **proof)) as session:
            assert await session.execute(gql("{ me { name } }")) == {"me": {"name": "lena"}}
            declared = await session.execute(gql(mutation))
            assert declared == {"declare": {"name": "mia", "safety": "SOS"}}
            async for result in session.subscribe(wish(safety, after=str(before)), get_execution_result=True):
                return result
    result = asyncio.run(asyncio.wait_for(use(), 60))
    change = result.data["safetyChanged"]
    assert change["person"] == {"name": "mia", "safety": "SOS"}
    assert result.extensions == {"sequence": change["sequence"]}
    declare(admin, "mia", "clear")


def test_a_client_learns_of_the_teams_safety_and_of_nobody_elses(server, house, admin):
    before = admin.last_sequence()
    declare(admin, "sue", "needsHelp")
    declare(admin, "mia", "needsHelp")
    transport = WebsocketsTransport(url=address(server), init_payload={"x-api-key": house["lena"].token})
    assert first_change(transport, before).data["safetyChanged"]["person"]["name"] == "mia"
    for name in ("sue", "mia"):
        declare(admin, name, "clear")


def test_an_operation_that_cannot_begin_is_an_error_and_the_others_go_on(server, house):
    async def use():
        transport = WebsocketsTransport(url=address(server), init_payload={"x-api-key": house["mia"].token})
        async with Client(transport=transport) as session:
            for query, kind in [("subscription { safetyChanged(team: \"Team:south\") { sequence } }", "NotFound"),
                                ("subscription { safetyChanged(after: \"x\") { sequence } }", "BadRequestException"),
                                ("{ nothing }", "ValidationError")]:
                with pytest.raises(TransportQueryError) as refusal:
                    async for _ in session.subscribe(gql(query)):
                        pass
                assert refusal.value.errors[0]["extensions"]["errorType"] == kind
            assert await session.execute(gql("{ me { name } }")) == {"me": {"name": "mia"}}
    asyncio.run(asyncio.wait_for(use(), 60))


def test_a_client_resumes_after_the_number_of_the_acknowledgement_and_of_each_change(server, house, admin):
    query = "subscription { safetyChanged { person { name safety } } }"
    with Wire(server, house["lena"].token) as wire:
        number = wire.acknowledgement["payload"]["sequence"]
    seen = []
    for kind in ("needsHelp", "sos", "clear"):
        declare(admin, "mia", kind)
    expected = [str(change["sequence"]) for change in admin.changes(int(number)) if change["type"] == "safety"]
    while len(seen) < len(expected):
        with Wire(server, house["lena"].token) as wire:
            wire.send(type="subscribe", id="1", payload={"query": query, "extensions": {"after": number}})
            number = wire.next()["payload"]["extensions"]["sequence"]
            seen.append(number)
    assert seen == expected


@pytest.mark.parametrize("messages, code", [
    ([{"type": "subscribe", "id": "1", "payload": {"query": "{ me { id } }"}}], 4401),
    ([{"type": "connection_init", "payload": {"x-api-key": "mk_guess"}}], 4403),
    ([{"type": "connection_init"}], 4403),
    ([{"type": "connection_init", "payload": 1}], 4400),
    ([{"type": "hello"}], 4400),
    ([{"kind": "ping"}], 4400),
    ([7], 4400),
], ids=str)
def test_a_stranger_is_closed_out_with_the_code_of_the_protocol(server, messages, code):
    with Wire(server) as wire:
        for message in messages:
            wire.socket.send(json.dumps(message))
        assert wire.code() == code


def test_who_begins_twice_or_uses_an_id_twice_or_sends_no_text_is_closed_out(server, house):
    subscribe = {"type": "subscribe", "id": "one", "payload": {"query": safety}}
    for messages, code in [([{"type": "connection_init"}], 4429), ([subscribe, subscribe], 4409),
                           ([{"type": "subscribe", "id": "", "payload": {}}], 4400),
                           ([{"type": "subscribe", "payload": {"query": safety}}], 4400)]:
        with Wire(server, house["mia"].token) as wire:
            for message in messages:
                wire.send(**message)
            assert wire.code() == code
    with Wire(server, house["mia"].token) as wire:
        wire.socket.send(b"{}")
        assert wire.code() == 4400
    with Wire(server) as wire:
        wire.socket.send("x" * 20_000)
        assert wire.code() == 1009
    with Wire(server, house["mia"].token) as wire:
        wire.socket.send(["x" * 40_000, "y" * 40_000])
        assert wire.code() == 1009


def test_a_stranger_who_never_begins_is_closed_out(server):
    with Wire(server) as wire:
        assert wire.code() == 4408


def test_pings_are_answered_and_an_ended_subscription_says_nothing_more(server, house, admin):
    with Wire(server, house["lena"].token) as wire:
        wire.send(type="subscribe", id="a", payload={"query": safety})
        wire.send(type="complete", id="a")
        wire.send(type="ping", payload={"n": 1})
        assert wire.next() == {"type": "pong", "payload": {"n": 1}}
        declare(admin, "mia", "needsHelp")
        declare(admin, "mia", "clear")
        wire.send(type="subscribe", id="a", payload={"query": "{ me { name } }"})
        assert wire.next() == {"type": "next", "id": "a", "payload": {"data": {"me": {"name": "lena"}}}}
        assert wire.next() == {"type": "complete", "id": "a"}


def test_a_websocket_has_a_bounded_number_of_operations(server, house):
    with Wire(server, house["mia"].token) as wire:
        for number in range(101):
            wire.send(type="subscribe", id=str(number), payload={"query": safety})
        refusal = wire.next()
        assert (refusal["type"], refusal["id"]) == ("error", "100")
        assert refusal["payload"][0]["extensions"]["errorType"] == "LimitExceeded"


def test_an_address_has_a_bounded_number_of_websockets_without_a_proof(server):
    def shown():
        return requests.get(f"{server.address}/metrics", timeout=60).text

    eventually(shown, lambda text: 'muster_graphql_websockets{signed_in="no"} 0\n' in text)
    request = (f"GET /graphql HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nConnection: Upgrade\r\n"
               "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDAwMDAwMDAwMDAwMDAwMA==\r\n"
               "Sec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n").encode()
    strangers = [socket.create_connection(("127.0.0.1", server.port), 60) for _ in range(65)]
    try:
        # All at once: who has not signed in after ten seconds is closed out.
        for stranger in strangers:
            stranger.sendall(request)
        answers = [stranger.recv(12) for stranger in strangers]
        assert sorted(answers) == [b"HTTP/1.1 101"] * 64 + [b"HTTP/1.1 429"]
        told = shown()
        assert 'muster_graphql_websockets{signed_in="no"} 64\n' in told
        assert "muster_graphql_refused_websockets_total 1\n" in told
    finally:
        for stranger in strangers:
            stranger.close()


def test_a_subscriber_whose_key_ends_is_told_and_closed_out(server, house, admin):
    key = admin.ok("POST", "/keys", {"label": "short", "user": "lena"})
    with Wire(server, key["key"]) as wire, Wire(server, key["key"]) as idle:
        for id in ("a", "b"):
            wire.send(type="subscribe", id=id, payload={"query": safety})
        wire.send(type="ping")
        assert wire.next()["type"] == "pong"
        admin.ok("DELETE", f"/keys/{key['id']}")
        declare(admin, "mia", "needsHelp")
        told = {}
        while len(told) < 2:
            message = wire.next()
            told[message["id"]] = message["type"], message["payload"][0]["extensions"]["errorType"]
        assert told == {"a": ("error", "UnauthorizedException"), "b": ("error", "UnauthorizedException")}
        assert wire.code() == 4403
        idle.send(type="subscribe", id="a", payload={"query": "{ me { name } }"})
        assert idle.next()["payload"][0]["extensions"]["errorType"] == "UnauthorizedException"
        assert idle.code() == 4403
    declare(admin, "mia", "clear")


def test_a_page_of_another_site_opens_no_websocket(server, house):
    for origin, status in [("https://elsewhere.example", 403), ("null", 403)]:
        with pytest.raises(InvalidStatus) as refusal:
            Wire(server, house["mia"].token, origin=origin)
        assert refusal.value.response.status_code == status
    with Wire(server, house["mia"].token, origin=server.address):
        pass


def test_a_request_for_another_websocket_is_refused(server, house):
    for path in ("/graphql", "/graphql/realtime"):
        with pytest.raises(InvalidStatus) as refusal:
            Wire(server, protocol="mqtt", path=path)
        assert refusal.value.response.status_code == 426
    device = house["mia"].make_device("mia")
    with Wire(server) as wire:
        wire.send(type="connection_init", payload={"Authorization": f"Bearer {device.token}"})
        assert wire.code() == 4403
    assert requests.get(server.address + "/graphql?query={me{name}}", timeout=60).status_code == 401


def test_a_killed_server_leaves_no_gap(server, house, admin):
    with Wire(server, house["lena"].token) as wire:
        number = wire.acknowledgement["payload"]["sequence"]
        wire.send(type="subscribe", id="1", payload={"query": safety})
        declare(admin, "mia", "needsHelp")
        server.kill()
        server.start()
        declare(admin, "mia", "sos")
        declare(admin, "mia", "clear")
    expected = [str(change["sequence"]) for change in admin.changes(int(number)) if change["type"] == "safety"]
    with Wire(server, house["lena"].token) as wire:
        wire.send(type="subscribe", id="1", payload={"query": safety, "extensions": {"after": number}})
        seen = [wire.next()["payload"]["data"]["safetyChanged"]["sequence"] for _ in expected]
    assert seen == expected


def test_a_server_that_stops_says_so(server, house):
    with Wire(server, house["lena"].token) as wire:
        wire.send(type="subscribe", id="1", payload={"query": safety})
        wire.send(type="ping")
        assert wire.next()["type"] == "pong"
        server.stop()
        assert wire.code() == 1001
    server.start()


@pytest.mark.parametrize("field", ["", "Bearer", "Basic"])
def test_an_authorization_without_a_proof_is_refused_and_ends_nothing_else(server, house, field):
    for path in ("/graphql", "/graphql/realtime"):
        answer = requests.post(
            server.address + path, json={"query": "{ me { name } }"}, headers={"Authorization": field}, timeout=60)
        assert answer.status_code in (401, 404, 405, 426), path
    for protocol in ("graphql-transport-ws", "graphql-ws"):
        with Wire(server, protocol=protocol) as wire:
            wire.send(type="connection_init", payload={"Authorization": field})
            assert wire.code() in (4401, 4403, 1000)
    with Wire(server, house["mia"].token) as wire:
        wire.send(id="1", type="subscribe", payload={"query": "{ me { name } }"})
        assert wire.next()["payload"]["data"] == {"me": {"name": "mia"}}


def test_a_websocket_has_a_bound_of_queries_and_mutations_at_a_time(server, house):
    with Wire(server, house["mia"].token) as wire:
        for number in range(60):
            wire.send(id=str(number), type="subscribe", payload={"query": "{ me { name } }"})
        ends = []
        while len(ends) < 60:
            message = wire.next()
            if message["type"] in ("complete", "error"):
                ends.append(message)
    faults = [end for end in ends if end["type"] == "error"]
    assert all("at most 16 queries" in fault["payload"][0]["message"] for fault in faults)
    assert len(faults) < 60, "those that had room are answered"
