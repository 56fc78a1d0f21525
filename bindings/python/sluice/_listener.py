# SPDX-License-Identifier: MIT
"""Accepts connections, greets them, and bounds how many there are."""

import asyncio
import asyncio.sslproto
import enum
import ipaddress
import socket
import ssl
from collections import Counter
from collections.abc import Callable

from sluice._http_protocol import HttpProtocol
from sluice._limits import LAST_WORDS, LINGER, Limits
from sluice._outlet import Outlet

REFUSED_AT_ONCE = 128  # connections above the limits that are told so
_ACCEPTED_AT_ONCE = 128
_PAUSE = 0.05  # seconds, where files or memory run out


class Place(enum.Enum):
    """What becomes of a connection."""

    SERVED = "served"
    REFUSED = "refused"  # each of its requests is answered 429


class Places:
    """Counts connections from accept to close, in all and of each address."""

    def __init__(self, limits: Limits) -> None:
        """Makes the places that the limits allow."""
        self._limits = limits
        self._refused = 0
        self._served = 0
        self._served_of: Counter[str] = Counter()

    def take(self, address: str) -> Place | None:
        """A place for a connection; None where even those to be refused are too many."""
        one = _network(address)
        is_room = self._served < self._limits.max_connections
        if is_room and self._served_of[one] < self._limits.max_connections_per_address:
            self._served += 1
            self._served_of[one] += 1
            return Place.SERVED
        if self._refused < REFUSED_AT_ONCE:
            self._refused += 1
            return Place.REFUSED
        return None

    def give_back(self, address: str, place: Place) -> None:
        """Frees a place that was taken."""
        if place is Place.REFUSED:
            self._refused -= 1
            return
        one = _network(address)
        self._served -= 1
        self._served_of[one] -= 1
        if not self._served_of[one]:
            del self._served_of[one]


def _network(address: str) -> str:
    """What counts as one address: of IPv6, whoever has one has 2**64 beside it."""
    if ":" not in address:
        return address
    return str(ipaddress.ip_network((address.partition("%")[0], 64), strict=False))


class Listener:
    r"""Serves the connections of a socket that listens. For uvicorn it is one of its servers.

    ```
    accept -> place? -> first bytes -> TLS handshake -> HttpProtocol -> closed
                \-> close     \-> too slow: close
    ```
    Memory for TLS is taken only once a client has sent something.
    """

    def __init__(
        self,
        bound: socket.socket,
        tls: ssl.SSLContext | None,
        limits: Limits,
        make_protocol: Callable[[Place], HttpProtocol],
    ) -> None:
        """Makes a listener; without `tls` it serves plain TCP."""
        self._bound = bound
        self._tls = tls
        self._limits = limits
        self._places = Places(limits)
        self._make_protocol = make_protocol
        self._loop = asyncio.get_running_loop()
        self._tasks: set[asyncio.Task[None]] = set()
        self._greeted: set[asyncio.Task[None]] = set()
        self._is_closing = False

    def start(self) -> None:
        """Serves the clients that connect."""
        self._bound.setblocking(False)
        # asyncio keeps so many bytes for each TLS connection: those of a record are enough.
        asyncio.sslproto.SSLProtocol.max_size = 16 << 10
        self._loop.add_reader(self._bound, self._accept)

    def close(self) -> None:
        """Takes the clients that wait and no more; those with nothing to say soon are let go."""
        while self._accept():
            pass
        self._loop.remove_reader(self._bound)
        self._is_closing = True
        self._loop.call_later(LAST_WORDS, self._drop_silent)

    async def wait_closed(self) -> None:
        """Waits until all connections have ended."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    def _accept(self) -> bool:
        """Accepts the next clients; whether there may be more."""
        for _ in range(_ACCEPTED_AT_ONCE):
            try:
                client, address = self._bound.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return False
            except OSError:  # no more files or memory: the clients wait in the kernel
                self._loop.remove_reader(self._bound)
                self._loop.call_later(_PAUSE, self._resume)
                return False
            self._admit(client, address[0])
        return True

    def _resume(self) -> None:
        if not self._is_closing:
            self._loop.add_reader(self._bound, self._accept)

    def _admit(self, client: socket.socket, address: str) -> None:
        place = self._places.take(address)
        if place is None:
            client.close()
            return
        task = self._loop.create_task(self._serve(client, place))
        self._tasks.add(task)

        def end(ended: asyncio.Task[None]) -> None:
            self._places.give_back(address, place)
            self._tasks.discard(ended)
            self._greeted.discard(ended)

        task.add_done_callback(end)

    async def _serve(self, client: socket.socket, place: Place) -> None:
        protocol = self._make_protocol(place)
        try:
            async with asyncio.timeout(self._limits.handshake_timeout):
                await _first_bytes(client)
                await self._greet(client, protocol)
        except OSError:  # too slow, gone, or no TLS
            return
        task = asyncio.current_task()
        assert task is not None
        self._greeted.add(task)
        if self._is_closing:
            protocol.shutdown()
        await protocol.closed

    async def _greet(self, client: socket.socket, protocol: HttpProtocol) -> None:
        """Does the TLS handshake, if there is one, and lets the protocol begin."""
        raw, _ = await self._loop.connect_accepted_socket(_Unread, client)
        transport: asyncio.Transport | None = raw
        try:
            if self._tls:
                transport = await self._loop.start_tls(
                    raw, protocol, self._tls, server_side=True, ssl_shutdown_timeout=LINGER
                )
            else:
                raw.set_protocol(protocol)
            if transport is None:
                raise ConnectionResetError
        except BaseException:
            raw.abort()
            raise
        protocol.connection_made(Outlet(transport, raw, self._limits.write_timeout))
        transport.resume_reading()

    def _drop_silent(self) -> None:
        for task in self._tasks - self._greeted:
            task.cancel()


class _Unread(asyncio.Protocol):
    """Leaves a connection's bytes to the protocol that follows."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.pause_reading()


async def _first_bytes(client: socket.socket) -> None:
    """Waits until there is something to read, and leaves it unread.

    Raises:
        OSError: There never will be.
    """
    loop = asyncio.get_running_loop()
    client.setblocking(False)
    is_there = asyncio.Event()
    loop.add_reader(client, is_there.set)
    try:
        await is_there.wait()
        loop.remove_reader(client)
        if not client.recv(1, socket.MSG_PEEK):
            raise ConnectionResetError
    except BaseException:
        loop.remove_reader(client)
        client.close()
        raise
