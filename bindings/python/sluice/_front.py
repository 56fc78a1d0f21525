# SPDX-License-Identifier: MIT
"""What comes before the application of `python -m sluice serve`: the access log."""

import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import TypeAlias

from sluice._log import Log
from sluice.api import Handler
from sluice.asgi import Message, Receive, Scope, Send, request_target, send_busy

_MAX_SHOWN = 1_024  # bytes of a target in the log

_Application: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]


class Front:
    """Has an application's requests logged, a line for each.

    ```
    2026-08-21T02:30:15.123Z 127.0.0.1 GET /events?country=US&*** 200 5123 1.25ms
    ```
    """

    def __init__(self, app: _Application, log: Log) -> None:
        """Makes a front for an application."""
        self._app = app
        self._log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one connection of a server."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        at = datetime.now(UTC)
        watched = _WatchedSend(send)
        await self._app(scope, receive, watched)
        milliseconds = (time.perf_counter() - started) * 1_000
        asked = f"{scope['method']} {_shown_target(request_target(scope))}"
        status = watched.status or "-"
        self._write(at, scope.get("client"), f"{asked} {status} {watched.bytes}", milliseconds)

    def note_refusal(self, client: tuple[str, int] | None, status: int, size: int) -> None:
        """Logs an answer to what was no request that the application could see."""
        self._write(datetime.now(UTC), client, f"- - {status} {size}", 0)

    def _write(
        self, at: datetime, client: tuple[str, int] | None, what: str, milliseconds: float
    ) -> None:
        time_text = at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        who = client[0] if client else "-"
        self._log.write(f"{time_text} {who} {what} {milliseconds:.2f}ms")


async def busy(scope: Scope, receive: Receive, send: Send) -> None:
    """The application of connections that are too many."""
    message = "connections: too many at once, come back later"
    await send_busy(send, message, (b"connection", b"close"))


class _WatchedSend:
    """Passes an answer on and keeps what the log says of it."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status = 0
        self.bytes = 0

    async def __call__(self, message: Message) -> None:
        self.status = message.get("status", self.status)
        self.bytes += len(message.get("body", b""))
        await self._send(message)


def _shown_target(target: bytes) -> str:
    path, mark, query = target[:_MAX_SHOWN].partition(b"?")
    shown = _escaped(path) + (_shown_query(query) if mark else "")
    return shown + ("..." if len(target) > _MAX_SHOWN else "")


def _shown_query(query: bytes) -> str:
    """A query without what isn't a known parameter: someone's key may be there by mistake."""
    pairs = (_escaped(pair) for pair in query.split(b"&"))
    return "?" + "&".join(p if p.split("=")[0] in Handler.parameters else "***" for p in pairs)


def _escaped(text: bytes) -> str:
    r"""A text with what is not printable ASCII as `\xNN`, so that a line stays one line."""
    return "".join(
        chr(byte) if 0x20 < byte < 0x7F and byte != ord("\\") else f"\\x{byte:02x}" for byte in text
    )
