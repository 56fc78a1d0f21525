# SPDX-License-Identifier: MIT
"""How many clients a server has and how long they may take, as in `examples/server`."""

from dataclasses import dataclass

GRACE = 10.0  # seconds in which a server that stops lets requests end by themselves
CUT_OFF = 15.0  # seconds after which it drops those that are not answered yet
LAST_WORDS = 0.5  # seconds for requests that were sent before it stopped
LINGER = 1.0  # seconds in which what a client still sends is dropped before a connection ends


@dataclass(frozen=True)
class Limits:
    """What a server allows. Times are in seconds."""

    max_connections: int = 10_000
    max_connections_per_address: int = 1_000  # an address of IPv6 counts with its /64 network
    handshake_timeout: float = 5.0  # from accept to the end of the TLS handshake
    head_timeout: float = 10.0  # for a request's head
    idle_timeout: float = 30.0  # until a request begins
    write_timeout: float = 60.0  # to take an answer
