# SPDX-License-Identifier: MIT
"""uvicorn, with the listener and the protocol of this package."""

import asyncio
import functools
import socket
import ssl
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, cast

import uvicorn

from sluice._front import Front
from sluice._http_protocol import HttpProtocol
from sluice._limits import CUT_OFF, GRACE, Limits
from sluice._listener import Listener, Place


class Site(NamedTuple):
    """Where something is served: a bound socket, by HTTPS or else plain HTTP."""

    bound: socket.socket
    tls: ssl.SSLContext | None
    limits: Limits
    fronts: dict[Place, Front]


class Cancellable(Protocol):
    """An application whose work can end early."""

    def cancel(self) -> None:
        """Ends what is under way."""


class Server(uvicorn.Server):
    """Serves sites, the first of them the application's own, and stops in steps.

    ```
    signal -> no more clients -> last words -> answers -> GRACE: searches end -> CUT_OFF: the rest
    ```
    """

    def __init__(self, app: Cancellable, sites: list[Site], begin: Callable[[], None]) -> None:
        """Makes a server; `begin` is called in its event loop, before clients can connect."""
        super().__init__(_config(sites[0].fronts[Place.SERVED]))
        self._app = app
        self._sites = sites
        self._begin = begin

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Lets clients connect."""
        await self.lifespan.startup()
        self._begin()
        self.servers = []
        for site in self._sites:
            make = functools.partial(self._make_protocol, site)
            listener = Listener(site.bound, site.tls, site.limits, make)
            listener.start()
            self.servers.append(cast(Any, listener))
        self.started = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Answers what is on its way, for a while."""
        cancel = asyncio.get_running_loop().call_later(GRACE, self._app.cancel)
        await super().shutdown(sockets)
        cancel.cancel()

    def _make_protocol(self, site: Site, place: Place) -> HttpProtocol:
        return HttpProtocol(self.config, self.server_state, site.fronts[place], site.limits)


def _config(front: Front) -> uvicorn.Config:
    config = uvicorn.Config(
        cast(Any, front),
        loop="asyncio",
        http=HttpProtocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=int(CUT_OFF),
    )
    config.load()
    return config
