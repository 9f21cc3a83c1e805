"""A member who floods the server with retained messages: the last of each topic is derived from the devices' positions,
so that topics cost nothing of themselves."""

import json
import threading

from mqtt_client import Client, RawClient, packet, port_and_server, text
from mqtt_team import Team
from native_api import now
from owntracks_phone import location
from soak import rounds
from waiting import eventually

port, server = port_and_server()

device_limit = 100
"""The devices of a user (`Directory.deviceLimit`)."""

retained = 0x33
"""The first byte of a PUBLISH with QoS 1 that is to be retained."""


def flood(client, topics, payload):
    """Publishes to each topic, with as many messages under way as the server permits, and counts the answers'
    reasons."""
    room, reasons = threading.Semaphore(64), {}

    def read():
        for _ in topics:
            first, body = client.read()
            assert first == 0x40
            reason = body[2] if len(body) > 2 else 0
            reasons[reason] = reasons.get(reason, 0) + 1
            room.release()

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    for index, topic in enumerate(topics):
        assert room.acquire(timeout=60)
        number = (index % 65_535 + 1).to_bytes(2, "big")
        client.send(packet(retained, text(topic) + number + b"\0" + payload))
    reader.join(60)
    assert not reader.is_alive()
    return reasons


def test_retained_messages_to_topics_without_end_store_what_a_user_may_store(server, port, admin):
    team = Team(admin)
    ana, ben = team.users
    before = server.resident_bytes()
    count = rounds(2_000, 100_000)
    payload = json.dumps(location(now() // 1000 - 100)).encode()
    with RawClient(port) as client:
        assert client.sign_in(ana, team.keys[ana]) == 0
        # Of devices that do not exist: they are made up to the limit, and then refused as "not authorized".
        reasons = flood(client, [f"owntracks/{ana}/d{number}" for number in range(count)], payload)
        assert reasons == {0: device_limit - 1, 0x87: count - device_limit + 1}
        # Of others, of another broker's, and with names as long as the protocol permits: nothing is kept.
        for topic, reason in ((f"owntracks/{ben}/phone", 0x87), ("notes/a", 0x90), ("a" * 60_000, 0x90),
                              (f"owntracks/{ana}/" + "d" * 600, 0x90)):
            assert flood(client, [topic] * 50, payload) == {reason: 50}
        # Payloads as large as a packet may be, whose reports are kept with what Muster knows.
        large = json.dumps({**location(now() // 1000 - 50), "note": "x" * 250_000}).encode()
        reasons = flood(client, [f"owntracks/{ana}/d{number}" for number in range(50)], large)
        assert set(reasons) <= {0, 0x97, 0x99}
    assert len(admin.ok("GET", f"/devices?user={ana}&limit=1000")["items"]) == device_limit
    assert server.resident_bytes() - before < 100 << 20
    # A subscriber gets one last message of each device, and others are served.
    with Client(port, team.leader, team.key) as leader:
        leader.subscribe("owntracks/+/+")
        team.publish(port, ben)
        topics = {leader.next().topic for _ in range(device_limit)}
        assert len(topics) == device_limit
    eventually(lambda: admin.ok("GET", f"/positions?user={ben}")["items"])
