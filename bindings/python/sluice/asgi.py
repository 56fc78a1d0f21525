# SPDX-License-Identifier: MIT
"""The reference handler as an ASGI 3 application, for any ASGI server that runs on asyncio."""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import quote

from sluice._lanes import LaneFullError, Lanes
from sluice._sluice import error_body, http_status
from sluice.api import Cancellation, Handler, Response

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
Headers: TypeAlias = list[tuple[bytes, bytes]]

_LOGGER = logging.getLogger("sluice")

# Where a proxy asks: RFC 9112, section 3.2.2.
_ABSOLUTE = re.compile(rb"https?://[^/?]*/?", re.IGNORECASE)


class _Answer(NamedTuple):
    """What a client is sent."""

    status: int
    headers: Headers
    body: bytes


class App:
    """An application that answers each request with a handler, at the time of the system's clock.

    Requests are handled on threads, at most two of one key at a time, so that a long one holds up
    no other key's; 64 more of a key wait, and beyond those the answer is 429. A search ends when
    its client disconnects. What fails unexpectedly is answered 500 and logged as `sluice`. Bodies
    are ignored. An application that is mounted at a path sees what comes after it.

    ```
    app = sluice.asgi.App(sluice.api.Handler(store, keys))
    ```
    """

    def __init__(self, handler: Handler, threads: int = 16) -> None:
        """Makes the application of a handler, with at most so many threads."""
        self._handler = handler
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="sluice")
        self._lanes = Lanes()
        self._under_way: set[Cancellation] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one connection of a server: a request, or the server's life."""
        if scope["type"] == "lifespan":
            await _live(receive, send)
            self.cancel()
        elif scope["type"] == "http":
            await self._answer(scope, receive, send)
        else:
            raise ValueError(f"scope type {scope['type']!r}: expected http or lifespan")

    def cancel(self) -> None:
        """Ends the searches that are under way: their clients are answered 500."""
        for each in self._under_way:
            each.cancel()

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        cancellation = Cancellation()
        self._under_way.add(cancellation)
        watch = asyncio.create_task(_cancel_when_gone(receive, cancellation))
        try:
            answer = await self._respond(scope, cancellation, watch)
            if answer and not watch.done():
                await _send_answer(send, answer)
        finally:
            watch.cancel()
            cancellation.cancel()  # where this task was cancelled, the thread is still at work
            self._under_way.discard(cancellation)

    async def _respond(
        self, scope: Scope, cancellation: Cancellation, watch: asyncio.Task[None]
    ) -> _Answer | None:
        """The answer to a request, whatever happens; none where nobody waits for one."""
        try:
            async with self._lanes.turn(self._handler.lane(scope["headers"])):
                return None if watch.done() else await self._handle(scope, cancellation)
        except LaneFullError:
            return busy_answer("key: too many requests at once, wait for answers to some")
        except Exception:
            _LOGGER.exception("a request failed")
            return error_answer("internal_server_error", "an unexpected failure, try again later")

    async def _handle(self, scope: Scope, cancellation: Cancellation) -> _Answer:
        def handle() -> Response:
            return self._handler.handle(
                scope["method"],
                request_target(scope),
                scope["headers"],
                now=datetime.now(UTC),
                scheme=scope.get("scheme", "http"),
                cancellation=cancellation,
            )

        answer = await asyncio.get_running_loop().run_in_executor(self._threads, handle)
        headers = [(name.encode(), value.encode()) for name, value in answer.headers.items()]
        return _Answer(answer.status, headers, answer.body)


async def send_busy(send: Send, message: str, *more: tuple[bytes, bytes]) -> None:
    """Answers 429: there is no room for the request now."""
    await _send_answer(send, busy_answer(message, *more))


def busy_answer(message: str, *more: tuple[bytes, bytes]) -> _Answer:
    """The answer where there is no room for the request now."""
    return error_answer("rate_limit_exceeded", message, (b"retry-after", b"1"), *more)


def error_answer(code: str, message: str, *more: tuple[bytes, bytes]) -> _Answer:
    """The answer that tells an error."""
    body = error_body(code, message).encode()
    kind = (b"content-type", b"application/json; charset=utf-8")
    size = (b"content-length", str(len(body)).encode())
    return _Answer(http_status(code), [kind, size, *more], body)


async def _send_answer(send: Send, answer: _Answer) -> None:
    start = {"type": "http.response.start", "status": answer.status, "headers": answer.headers}
    await send(start)
    await send({"type": "http.response.body", "body": answer.body})


def request_target(scope: Scope) -> bytes:
    """The path, after the one that the application is mounted at, and the query of a request."""
    path: bytes = scope.get("raw_path") or quote(scope["path"]).encode()
    path = _ABSOLUTE.sub(b"/", path, 1) if not path.startswith(b"/") else path
    path = path.removeprefix(quote(scope.get("root_path", "")).encode())
    query: bytes = scope.get("query_string", b"")
    return path + b"?" + query if query else path


async def _cancel_when_gone(receive: Receive, cancellation: Cancellation) -> None:
    """Reads a request's body, which nobody wants, to its end and that of the connection."""
    while (await receive())["type"] != "http.disconnect":
        pass
    cancellation.cancel()


async def _live(receive: Receive, send: Send) -> None:
    """Lets the server start and stop: there is nothing to prepare or to put away."""
    while True:
        event = (await receive())["type"]
        await send({"type": f"{event}.complete"})
        if event == "lifespan.shutdown":
            return
