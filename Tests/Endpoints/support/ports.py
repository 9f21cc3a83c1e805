"""Ports that stay a test's own while nothing listens on them."""

import socket
import weakref


def reserved_port(owner):
    """Returns a port of the loopback address that the system gives to no one else while `owner` exists.

    A server may listen on it, stop, and listen again. The socket that holds the port never listens: beside such a
    socket Linux lets another listen that sets SO_REUSEADDR, as servers do, and refuses connections meanwhile.
    """
    holder = socket.socket()
    holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    holder.bind(("127.0.0.1", 0))
    weakref.finalize(owner, holder.close)
    return holder.getsockname()[1]
