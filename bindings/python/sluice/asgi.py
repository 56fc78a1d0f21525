# SPDX-License-Identifier: MIT
"""ASGI 3: the reference service as an application, and rate limits of any; for asyncio servers."""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any, TypeAlias
from urllib.parse import quote, unquote_to_bytes

from sluice import _answers, _asgi_life
from sluice._asgi_limits import RateLimit as RateLimit
from sluice._queues import QueueFullError, Queues
from sluice.api import Cancellation, Handler, ResolvedRequest

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
Application: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

ROUTE = "sluice.route"  # key of a scope: the request's label in logs and metrics

_LOGGER = logging.getLogger("sluice")
_BUSY = "rate_limit_exceeded"
_SOON = (b"retry-after", b"1")

# The form of targets for proxies: RFC 9112, section 3.2.2.
_ABSOLUTE = re.compile(rb"https?://[^/?]*/?", re.IGNORECASE)


class App:
    """An application that answers requests with a handler, by the system's clock.

    Cheap requests are answered immediately in the event loop. Others run on threads, at most two
    per key at a time, so that no key blocks others; 64 more per key wait, and beyond those the
    answer is 429. A search ends when its client disconnects. Unexpected failures are answered 500
    and logged as `sluice`. Bodies are ignored. An application mounted at a path handles the rest of
    the path. The path of the request's route, or 'other', is the scope's "sluice.route", a label
    for logs and metrics.

    ```
    app = sluice.asgi.App(sluice.api.Handler(store, keys))
    ```
    """

    def __init__(self, handler: Handler, threads: int = 16) -> None:
        """Creates the application of a handler, with a limited number of threads."""
        self._handler = handler
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="sluice")
        self._queues = Queues()
        self._under_way: set[Cancellation] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles one connection: a request, or the server's lifespan."""
        if scope["type"] == "lifespan":
            await _asgi_life.live(receive, send)
            self.cancel()
        elif scope["type"] == "http":
            await self._answer(scope, receive, send)
        else:
            raise ValueError(f"scope type {scope['type']!r}: expected http or lifespan")

    def cancel(self) -> None:
        """Cancels running searches: their clients are answered 500."""
        for cancellation in self._under_way:
            cancellation.cancel()

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request; unexpected failures 500."""
        answer: _answers.Answer | None
        try:
            resolved = self._resolve(scope)
            if resolved.is_small:
                answer = _handle(resolved, None)
            else:
                answer = await self._handle_on_a_thread(scope, resolved, receive)
        except Exception:
            _LOGGER.exception("a request failed")
            answer = self._refuse(
                scope, "internal_server_error", "an unexpected failure, try again later"
            )
        if answer:
            await _answers.send_answer(send, answer)

    def _resolve(self, scope: Scope) -> ResolvedRequest:
        """Returns the route and key of a request, and stores the route in the scope."""
        mount, _ = split_path(scope)
        resolved = self._handler.resolve(
            scope["method"],
            request_target(scope),
            scope["headers"],
            scheme=scope.get("scheme", "http"),
            mount=mount,
        )
        scope[ROUTE] = resolved.route
        return resolved

    async def _handle_on_a_thread(
        self, scope: Scope, resolved: ResolvedRequest, receive: Receive
    ) -> _answers.Answer | None:
        """Returns the answer to a long request; None if the client has disconnected."""
        cancellation = Cancellation()
        self._under_way.add(cancellation)
        watch = asyncio.create_task(_asgi_life.cancel_when_gone(receive, cancellation))
        try:
            async with self._queues.slot(resolved.key_number):
                if watch.done():
                    return None
                loop = asyncio.get_running_loop()
                answer = await loop.run_in_executor(self._threads, _handle, resolved, cancellation)
            return None if watch.done() else answer
        except QueueFullError:
            problem = "key: too many requests at once, wait for answers to some"
            return self._refuse(scope, _BUSY, problem, _SOON)
        finally:
            watch.cancel()
            cancellation.cancel()  # if this task was cancelled, the thread is still running
            self._under_way.discard(cancellation)

    def _refuse(
        self, scope: Scope, code: str, message: str, *more: tuple[bytes, bytes]
    ) -> _answers.Answer:
        """Returns the answer of an error, with CORS headers and `more`."""
        return _answers.error_answer(
            code, message, *more, *_answers.refusal_headers(self._handler, scope["headers"])
        )


def _handle(resolved: ResolvedRequest, cancellation: Cancellation | None) -> _answers.Answer:
    answer = resolved.handle(datetime.now(UTC), cancellation)
    return _answers.Answer(answer.status, _answers.encoded(answer.headers), answer.body)


def request_target(scope: Scope) -> bytes:
    """Returns the path below the mount point, and the query of a request."""
    _, path = split_path(scope)
    query: bytes = scope.get("query_string", b"")
    return path + b"?" + query if query else path


def split_path(scope: Scope) -> tuple[str, bytes]:
    """Returns the mount path, percent-encoded, and the path below it.

    The second is all of the scope's path if this lacks the mount path, which some servers and
    frameworks omit, as ASGI formerly specified.
    """
    path: bytes = scope.get("raw_path") or quote(scope["path"]).encode()
    path = _ABSOLUTE.sub(b"/", path, 1) if not path.startswith(b"/") else path
    mount = scope.get("root_path", "").rstrip("/").encode()
    end = 0
    for _ in mount:
        end += len("%20") if path[end : end + 1] == b"%" else 1
    is_within = unquote_to_bytes(path[:end]) == mount and path[end : end + 1] in (b"", b"/")
    return quote(mount), path[end:] if is_within else path
