# SPDX-License-Identifier: MIT
"""What stands before the application of `python -m sluice serve`: limits and the access log."""

import time
from datetime import UTC, datetime

from sluice import EventsQuery, TagsQuery, error_body
from sluice.asgi import App, Message, Receive, Scope, Send, request_target

MAX_TARGET = 65_536  # bytes
MAX_FIELDS = 8_192  # bytes of all header fields
MAX_FIELD_COUNT = 64
_MAX_SHOWN = 1_024  # bytes of a target in the log

_PARAMETERS = frozenset(EventsQuery.parameters) | frozenset(TagsQuery.parameters)


class Front:
    """Refuses requests whose head is too large, and prints a line for each request.

    ```
    2026-08-21T02:30:15.123Z 127.0.0.1 GET /events?country=US&*** 200 5123 1.25ms
    ```
    """

    def __init__(self, app: App) -> None:
        """Makes a front for an application."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one connection of a server."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        at = datetime.now(UTC)
        watched = _WatchedSend(send)
        refused = _refusal(scope)
        if refused:
            await _refuse(watched, *refused)
        else:
            await self._app(scope, receive, watched)
        milliseconds = (time.perf_counter() - started) * 1_000
        line = f"{_access(scope, at)} {watched.status} {watched.bytes} {milliseconds:.2f}ms"
        print(line, flush=True)


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


def _refusal(scope: Scope) -> tuple[int, str] | None:
    """The status and message for a request whose head is too large."""
    fields = scope["headers"]
    size = sum(len(name) + len(value) + len(b": \r\n") for name, value in fields)
    if len(request_target(scope)) > MAX_TARGET:
        return 414, f"target: too long, expected at most {MAX_TARGET} bytes"
    if len(fields) > MAX_FIELD_COUNT or size > MAX_FIELDS:
        most = f"{MAX_FIELD_COUNT} of together {MAX_FIELDS} bytes"
        return 431, f"headers: too large, expected at most {most}"
    return None


async def _refuse(send: Send, status: int, message: str) -> None:
    body = error_body("bad_request", message).encode()
    headers = [
        (b"content-type", b"application/json; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _access(scope: Scope, at: datetime) -> str:
    """When, who, and what for."""
    time_text = at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    client = (scope.get("client") or ("-",))[0]
    target = request_target(scope)
    path, mark, query = target[:_MAX_SHOWN].partition(b"?")
    shown = _escaped(path) + (_shown_query(query) if mark else "")
    cut = "..." if len(target) > _MAX_SHOWN else ""
    return f"{time_text} {client} {scope['method']} {shown}{cut}"


def _shown_query(query: bytes) -> str:
    """A query without what is no known parameter: someone's key may be there by mistake."""
    pairs = (_escaped(pair) for pair in query.split(b"&"))
    return "?" + "&".join(p if p.split("=")[0] in _PARAMETERS else "***" for p in pairs)


def _escaped(text: bytes) -> str:
    r"""A text with what is not printable ASCII as `\xNN`, so that a line stays one line."""
    return "".join(
        chr(byte) if 0x20 < byte < 0x7F and byte != ord("\\") else f"\\x{byte:02x}" for byte in text
    )
