# SPDX-License-Identifier: MIT
"""What ASGI tells an application besides requests: that clients go, that the server ends."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias

from sluice._sluice import Cancellation

_Message: TypeAlias = MutableMapping[str, Any]
_Receive: TypeAlias = Callable[[], Awaitable[_Message]]
_Send: TypeAlias = Callable[[_Message], Awaitable[None]]


async def cancel_when_gone(receive: _Receive, cancellation: Cancellation) -> None:
    """Reads a request's body, which nobody wants, to its end and that of the connection."""
    while (await receive())["type"] != "http.disconnect":
        pass
    cancellation.cancel()


async def live(receive: _Receive, send: _Send) -> None:
    """Lets the server start and stop: there is nothing to prepare or to put away."""
    while True:
        event = (await receive())["type"]
        await send({"type": f"{event}.complete"})
        if event == "lifespan.shutdown":
            return
