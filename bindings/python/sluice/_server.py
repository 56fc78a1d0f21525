# SPDX-License-Identifier: MIT
"""uvicorn, with the listener and the protocol of this package."""

import asyncio
import socket
import ssl
from typing import Any, cast

import uvicorn

from sluice._front import Front, busy
from sluice._http_protocol import HttpProtocol
from sluice._limits import CUT_OFF, GRACE, Limits
from sluice._listener import Listener, Place
from sluice._log import Log
from sluice.asgi import App


class Server(uvicorn.Server):
    """Serves an application on a bound socket, and stops in steps.

    ```
    signal -> no more clients -> last words -> answers -> GRACE: searches end -> CUT_OFF: the rest
    ```
    """

    def __init__(
        self,
        app: App,
        log: Log,
        limits: Limits,
        bound: socket.socket,
        tls: ssl.SSLContext | None,
    ) -> None:
        """Makes a server; without `tls` it serves plain HTTP."""
        self._fronts = {Place.SERVED: Front(app, log), Place.REFUSED: Front(busy, log)}
        super().__init__(_config(self._fronts[Place.SERVED]))
        self._app = app
        self._limits = limits
        self._bound = bound
        self._tls = tls

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Lets clients connect."""
        await self.lifespan.startup()
        listener = Listener(self._bound, self._tls, self._limits, self._make_protocol)
        listener.start()
        self.servers = [cast(Any, listener)]
        self.started = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Answers what is on its way, for a while."""
        cancel = asyncio.get_running_loop().call_later(GRACE, self._app.cancel)
        await super().shutdown(sockets)
        cancel.cancel()

    def _make_protocol(self, place: Place) -> HttpProtocol:
        return HttpProtocol(self.config, self.server_state, self._fronts[place], self._limits)


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
