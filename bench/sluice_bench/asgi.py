# SPDX-License-Identifier: MIT
"""Calls of applications without a server."""

from typing import Any


async def call_asgi(
    app: Any,  # noqa: ANN401
    path: str,
    query: str,
    *headers: tuple[bytes, bytes],
) -> tuple[int, dict[str, str], bytes]:
    """Returns the status, headers and body of a request."""
    sent: list[Any] = []
    scope = {
        **{"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET"},
        **{"scheme": "https", "path": path, "raw_path": path.encode(), "root_path": ""},
        **{"query_string": query.encode(), "headers": [(b"host", b"localhost"), *headers]},
        **{"state": {}, "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 2)},
    }

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:  # noqa: ANN401
        sent.append(message)

    await app(scope, receive, send)
    head = {name.decode().lower(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], head, b"".join(part.get("body", b"") for part in sent)
