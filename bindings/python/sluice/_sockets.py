# SPDX-License-Identifier: MIT
"""Where servers listen."""

import socket

from sluice._keys import StartError


def bound_socket(host: str, port: int) -> socket.socket:
    """A socket that is bound to the first of a host's addresses that can be.

    Raises:
        StartError: None can be.
    """
    failure = OSError(0, "no such address")
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, kind, protocol, _, address in found:
            bound = socket.socket(family, kind, protocol)
            # A restart need not wait for old connections to time out.
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                bound.bind(address)
            except OSError as error:
                bound.close()
                failure = error
            else:
                return bound
    except OSError as error:
        failure = error
    raise StartError(f"{host} port {port}: {failure.strerror}")
