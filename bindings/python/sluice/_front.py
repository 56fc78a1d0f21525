# SPDX-License-Identifier: MIT
"""What comes before the application of `python -m sluice serve`: ids, the log and metrics."""

import time
import uuid
from collections.abc import Awaitable, Callable, Iterable
from datetime import UTC, datetime
from typing import NamedTuple, TypeAlias

from sluice._answers import Answer, Headers, error_answer, refusal_headers
from sluice._log import Log
from sluice._request_head import Refusal
from sluice._sluice import access_line, request_id
from sluice.api import Handler
from sluice.asgi import Message, Receive, Scope, Send, request_target, send_busy

Application: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]


class Access(NamedTuple):
    """What there is to tell of a request."""

    time: datetime
    client: str
    method: str
    target: bytes
    status: int  # 0: the client had gone before there was one
    size: int  # of the answer's body, in bytes
    seconds: float
    request_id: str


class Observer:
    """Tells the log and the metrics of requests."""

    def __init__(self, log: Log, count: Callable[[str, int, float], None] | None) -> None:
        """Makes an observer; `count` is told the path, the status and the seconds of each."""
        self._log = log
        self._count = count

    def __call__(self, seen: Access) -> None:
        """Tells of a request."""
        self._log.write(access_line(self._log.format, *seen))
        if self._count:
            path = seen.target.partition(b"?")[0].decode("ascii", "replace")
            self._count(path, seen.status, seen.seconds)


class Front:
    """Has an application's requests observed, each under an id that its answer has too."""

    def __init__(
        self, app: Application, handler: Handler, observe: Callable[[Access], None]
    ) -> None:
        """Makes a front for an application."""
        self._app = app
        self._handler = handler
        self._observe = observe

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one connection of a server."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, at = time.perf_counter(), datetime.now(UTC)
        watched = _WatchedSend(send, _id_of(scope["headers"]))
        await self._app(scope, receive, watched)
        self._observe(
            Access(
                at,
                _address(scope.get("client")),
                scope["method"],
                request_target(scope),
                watched.status,
                watched.size,
                time.perf_counter() - started,
                watched.request_id,
            )
        )

    def refuse(self, client: tuple[str, int] | None, why: Refusal, fields: Headers) -> Answer:
        """Answers what is no request that the application could see."""
        chosen = _id_of(fields)
        more = [*refusal_headers(self._handler, fields), _id_header(chosen)]
        _, headers, body = error_answer("bad_request", why.message, *more)
        at = datetime.now(UTC)
        self._observe(Access(at, _address(client), "-", b"-", why.status, len(body), 0, chosen))
        return Answer(why.status, headers, body)


def busy(handler: Handler) -> Application:
    """The application of connections that are too many."""

    async def refuse(scope: Scope, receive: Receive, send: Send) -> None:
        message = "connections: too many at once, come back later"
        more = refusal_headers(handler, scope["headers"])
        await send_busy(send, message, (b"connection", b"close"), *more)

    return refuse


class _WatchedSend:
    """Passes an answer on with the request's id, and keeps what the log says of it."""

    def __init__(self, send: Send, chosen: str) -> None:
        self._send = send
        self.request_id = chosen
        self.status = 0
        self.size = 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message["headers"] = [*message["headers"], _id_header(self.request_id)]
        self.size += len(message.get("body", b""))
        await self._send(message)


def _id_of(fields: Iterable[tuple[bytes, bytes]]) -> str:
    return request_id(fields) or uuid.uuid4().hex


def _id_header(chosen: str) -> tuple[bytes, bytes]:
    return b"x-request-id", chosen.encode()


def _address(client: tuple[str, int] | None) -> str:
    return client[0] if client else "-"
