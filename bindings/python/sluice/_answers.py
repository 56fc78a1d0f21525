# SPDX-License-Identifier: MIT
"""HTTP answers in the form of ASGI: headers are pairs of bytes, with names in lower case."""

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any, NamedTuple, TypeAlias

from sluice._sluice import error_body, http_status
from sluice.api import Handler

Message: TypeAlias = MutableMapping[str, Any]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
Headers: TypeAlias = list[tuple[bytes, bytes]]


class Answer(NamedTuple):
    """An HTTP answer."""

    status: int
    headers: Headers
    body: bytes


def error_answer(code: str, message: str, *more: tuple[bytes, bytes]) -> Answer:
    """Returns the answer for an error code, in the envelope of the service, with more headers."""
    body = error_body(code, message).encode()
    kind = (b"content-type", b"application/json; charset=utf-8")
    size = (b"content-length", str(len(body)).encode())
    return Answer(http_status(code), [kind, size, *more], body)


async def send_answer(send: Send, answer: Answer) -> None:
    """Sends an answer to a client."""
    start = {"type": "http.response.start", "status": answer.status, "headers": answer.headers}
    await send(start)
    await send({"type": "http.response.body", "body": answer.body})


def refusal_headers(handler: Handler, headers: Headers) -> Headers:
    """Returns the CORS headers for a request's headers, of an answer not written by the handler."""
    return encoded(handler.cors_headers(headers))


def encoded(headers: Mapping[str, str]) -> Headers:
    """Returns headers in the form of ASGI."""
    return [(name.encode(), value.encode()) for name, value in headers.items()]
