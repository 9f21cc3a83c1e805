"""Ports that no other process of this machine gets by chance."""

import socket


def hold_port():
    """Returns a socket that is bound to a free port of the loopback interface and does not listen, and the port.

    As long as the socket is open, the operating system gives the port to nobody who asks for any port. A program that
    names the port and sets SO_REUSEADDR may listen on it, as often as it is started. Until then connections are
    refused.
    """
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    return held, held.getsockname()[1]
