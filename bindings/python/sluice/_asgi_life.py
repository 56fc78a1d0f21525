# SPDX-License-Identifier: MIT
"""Events of ASGI other than requests: disconnection of clients, start and end of the server."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias

from sluice._sluice import Cancellation

_Message: TypeAlias = MutableMapping[str, Any]
_Receive: TypeAlias = Callable[[], Awaitable[_Message]]
_Send: TypeAlias = Callable[[_Message], Awaitable[None]]


async def cancel_when_gone(receive: _Receive, cancellation: Cancellation) -> None:
    """Waits until the client disconnects, then cancels; discards the request's body.

    For a task beside the work, which is cancelled at the end of the work.
    """
    while (await receive())["type"] != "http.disconnect":
        pass
    cancellation.cancel()


async def live(receive: _Receive, send: _Send) -> None:
    """Confirms the server's start and shutdown, which need no action."""
    while True:
        event = (await receive())["type"]
        await send({"type": f"{event}.complete"})
        if event == "lifespan.shutdown":
            return
