"""A client of GraphQL by WebSocket, whose messages are written by hand."""

import json

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect


def socket_address(server, path="/graphql"):
    """Returns the address of a WebSocket of a server."""
    return server.address.replace("http://", "ws://") + path


class GraphQLWire:
    """A WebSocket whose messages are written by hand."""

    def __init__(self, server, token=None, protocol="graphql-transport-ws", path="/graphql", **more):
        # The library's own pings would only add messages.
        more = {"subprotocols": [protocol], "ping_interval": None, **more}
        self.socket = connect(socket_address(server, path), legacy=True, **more)
        if token is not None:
            self.send(type="connection_init", payload={"x-api-key": token})
            self.acknowledgement = self.next()
            assert self.acknowledgement["type"] == "connection_ack"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, **message):
        self.socket.send(json.dumps(message))

    def next(self):
        """Returns the next message that is no heartbeat."""
        while True:
            message = json.loads(self.socket.recv(timeout=60))
            if message["type"] not in ("ping", "ka"):
                return message

    def code(self):
        """Returns the code with which the server closes."""
        with pytest.raises(ConnectionClosed) as closed:
            while True:
                self.next()
        return closed.value.rcvd.code
