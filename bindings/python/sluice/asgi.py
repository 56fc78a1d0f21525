# SPDX-License-Identifier: MIT
"""The reference handler as an ASGI 3 application, for any ASGI server that runs on asyncio."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from datetime import UTC, datetime
from typing import Any, TypeAlias
from urllib.parse import quote

from sluice._sluice import Handler

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]


class App:
    """An application that answers each request with a handler, at the time of the system's clock.

    Requests are handled on threads, so that a long one holds up no other. Their bodies are ignored.
    An application that is mounted at a path sees what comes after it.

    ```
    app = sluice.asgi.App(sluice.Handler(store, keys))
    ```
    """

    def __init__(self, handler: Handler) -> None:
        """Makes the application of a handler."""
        self._handler = handler

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one connection of a server: a request, or the server's life."""
        if scope["type"] == "lifespan":
            await _live(receive, send)
        elif scope["type"] == "http":
            await self._answer(scope, send)
        else:
            raise ValueError(f"scope type {scope['type']!r}: expected http or lifespan")

    async def _answer(self, scope: Scope, send: Send) -> None:
        response = await asyncio.to_thread(
            self._handler.handle,
            scope["method"],
            request_target(scope),
            scope["headers"],
            now=datetime.now(UTC),
            scheme=scope.get("scheme", "http"),
        )
        headers = [(name.encode(), value.encode()) for name, value in response.headers.items()]
        await send({"type": "http.response.start", "status": response.status, "headers": headers})
        await send({"type": "http.response.body", "body": response.body})


def request_target(scope: Scope) -> bytes:
    """The path, after the one that the application is mounted at, and the query of a request."""
    path: bytes = scope.get("raw_path") or quote(scope["path"]).encode()
    path = path.removeprefix(quote(scope.get("root_path", "")).encode())
    query: bytes = scope.get("query_string", b"")
    return path + b"?" + query if query else path


async def _live(receive: Receive, send: Send) -> None:
    """Lets the server start and stop: there is nothing to prepare or to put away."""
    while True:
        event = (await receive())["type"]
        await send({"type": f"{event}.complete"})
        if event == "lifespan.shutdown":
            return
