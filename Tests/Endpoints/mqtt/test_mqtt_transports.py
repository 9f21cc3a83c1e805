"""MQTT over TLS and over WebSocket."""

import json
import socket
import ssl

import pytest

from mqtt_client import Client, mqtt_port, versions, wait_seconds
from native_api import now
from owntracks_phone import location
from waiting import eventually

both = pytest.mark.parametrize("version", sorted(versions))


options = "--mqtt-port", "--mqtt-websocket-port"


@pytest.fixture(params=["plain", "encrypted"])
def place(request, make_server):
    """A server with both ports, the context of its clients, and a phone's token."""
    context = None
    more = []
    server = make_server(arguments=["--mqtt-port", "0", "--mqtt-websocket-port", "0"]).start()
    admin = server.admin()
    admin.make_user("ana")
    token = admin.make_device("ana").token
    if request.param == "encrypted":
        server.stop()
        chain, key = request.getfixturevalue("certificate")
        context = ssl.create_default_context(cafile=chain)
        server.arguments += ["--tls-certificate", str(chain), "--tls-key", str(key)]
        server.start()
    return server, [mqtt_port(server, option) for option in options], context, token


@both
@pytest.mark.parametrize("transport", ["tcp", "websockets"])
def test_a_phone_publishes_and_subscribes(place, version, transport):
    _, ports, context, token = place
    port = ports[transport == "websockets"]
    start = now() // 1000 - 100
    with Client(port, "ana", token, version, transport=transport, context=context) as phone:
        phone.subscribe("owntracks/+/+")
        for index in range(30):
            # Some are larger than one read of the socket, some share a frame with others.
            more = {"note": "x" * 3_000} if index % 7 == 0 else {}
            assert phone.publish("owntracks/ana/phone", json.dumps(location(start + index, **more))) == 0
            assert json.loads(phone.next().payload)["tst"] == start + index


def test_a_port_for_websocket_answers_other_requests(make_server):
    server = make_server(arguments=["--mqtt-websocket-port", "0", "--request-seconds", "600"]).start()
    port = mqtt_port(server, "--mqtt-websocket-port")
    upgrade = b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: eA==\r\nSec-WebSocket-Version: 13\r\n"
    for head in [b"GET / HTTP/1.1\r\nHost: x\r\n", b"GET /mqtt HTTP/1.1\r\nHost: x\r\n" + upgrade,
                 b"GET /mqtt HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n",
                 b"GET /other HTTP/1.1\r\nHost: x\r\nSec-WebSocket-Protocol: mqtt\r\n" + upgrade]:
        assert read_all(port, head + b"\r\n").startswith(b"HTTP/1.1 426 "), head
    # Whoever never asks is cut off.
    hasty = make_server("hasty", arguments=["--mqtt-websocket-port", "0", "--request-seconds", "1"]).start()
    assert read_all(mqtt_port(hasty, "--mqtt-websocket-port"), b"GET /") == b""


def test_a_frame_before_sign_in_is_limited_to_the_size_of_a_connect(make_server):
    server = make_server(arguments=["--mqtt-websocket-port", "0"]).start()
    port = mqtt_port(server, "--mqtt-websocket-port")
    with socket.create_connection(("127.0.0.1", port), wait_seconds) as client:
        client.sendall(upgrade)
        assert client.recv(4096).startswith(b"HTTP/1.1 101 ")
        # The first 20,000 bytes of a frame of 200,000 bytes.
        client.sendall(b"\x82\xff" + (200_000).to_bytes(8, "big") + bytes(4) + bytes(20_000))
        try:
            assert client.recv(4096) == b""
        except ConnectionResetError:
            pass


upgrade = (b"GET /mqtt HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
           b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDAwMDAwMDAwMDAwMDAwMA==\r\n"
           b"Sec-WebSocket-Protocol: mqtt\r\n\r\n")


def is_closed(connection):
    """Whether the server has closed a connection on which it has sent nothing more."""
    connection.setblocking(False)
    try:
        return connection.recv(1) == b""
    except BlockingIOError:
        return False
    except ConnectionResetError:
        return True


@pytest.mark.parametrize("before_sign_in", ["frame", "head", "packet"])
def test_strangers_of_one_address_hold_little_together(make_server, before_sign_in):
    # No connection ends because its request takes too long, so only the limit of memory can close one.
    arguments = ["--mqtt-port", "0", "--mqtt-websocket-port", "0", "--request-seconds", "600"]
    server = make_server(arguments=arguments).start()
    tcp, web = [mqtt_port(server, option) for option in options]
    admin = server.admin()
    admin.make_user("ana")
    token = admin.make_device("ana").token
    # 256 KiB for one address, without the first 2 KiB of each connection.
    size = {"frame": 16_000, "head": 8_000, "packet": 16_000}[before_sign_in]
    kept = (256 << 10) // (size - (2 << 10))
    strangers = []
    for _ in range(60):
        place = "127.0.0.1", tcp if before_sign_in == "packet" else web
        strangers.append(socket.create_connection(place, wait_seconds))
        if before_sign_in == "frame":
            strangers[-1].sendall(upgrade)
            assert strangers[-1].recv(4096).startswith(b"HTTP/1.1 101 ")
            strangers[-1].sendall(b"\x82\xff" + (16_100).to_bytes(8, "big") + bytes(4) + bytes(size))
        elif before_sign_in == "head":
            strangers[-1].sendall(b"GET /mqtt HTTP/1.1\r\nX: " + b"a" * size)
        else:
            strangers[-1].sendall(b"\x10\xa0\x7e" + bytes(size - 100))
    eventually(lambda: sum(is_closed(one) for one in strangers) >= 60 - kept)
    assert sum(not is_closed(one) for one in strangers) > kept // 2
    # A phone at the same address signs in meanwhile, and once they are gone there is room again.
    with Client(web, "ana", token, "5", transport="websockets") as phone:
        assert phone.publish("owntracks/ana/phone", json.dumps(location())) == 0
    for one in strangers:
        one.close()


def test_the_head_of_a_request_for_a_websocket_is_limited(make_server):
    server = make_server(arguments=["--mqtt-websocket-port", "0"]).start()
    port = mqtt_port(server, "--mqtt-websocket-port")
    with socket.create_connection(("127.0.0.1", port), wait_seconds) as client:
        client.sendall(b"GET /mqtt HTTP/1.1\r\nX: " + b"a" * 9_000)
        try:
            assert client.recv(4096) == b""
        except ConnectionResetError:
            pass


def read_all(port, data):
    with socket.create_connection(("127.0.0.1", port), wait_seconds) as client:
        client.sendall(data)
        found = b""
        while more := client.recv(4096):
            found += more
        return found


def test_a_server_whose_port_is_taken_names_it_and_was_never_ready(make_server):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        server = make_server(arguments=["--mqtt-port", str(port)])
        server.launch()
        assert server.process.wait(wait_seconds) != 0
        words = f"port {port} of 127.0.0.1 is taken by another program: name another with --mqtt-port"
        assert words in server.log()
        server.reader.join(wait_seconds)
        assert server.output == []
