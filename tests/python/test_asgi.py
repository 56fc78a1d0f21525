# SPDX-License-Identifier: MIT
"""The handler as an ASGI application."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from api_keys import bearer

from sluice import EventStore, Handler, write_sample
from sluice.asgi import App, Message, Scope

HTTP: Scope = {
    "type": "http",
    "asgi": {"version": "3.0"},
    "http_version": "1.1",
    "method": "GET",
    "scheme": "https",
    "path": "/tags",
    "query_string": b"",
    "headers": [(b"authorization", b"Bearer tok_everything")],
}

TARGETS = [
    # what differs in the scope, status
    ({}, 200),
    ({"path": "/nowhere"}, 404),
    ({"path": "/tags", "raw_path": b"/tags"}, 200),
    ({"path": "/tags", "raw_path": b"/t%61gs"}, 404),
    ({"query_string": b"page=0"}, 422),
    ({"query_string": b"search=%C3%A9"}, 200),
    ({"root_path": "/api", "path": "/api/tags"}, 200),
    ({"root_path": "/a b", "path": "/a b/tags", "raw_path": b"/a%20b/tags"}, 200),
    ({"root_path": "/api", "path": "/tags"}, 200),
    ({"method": "HEAD"}, 200),
    ({"method": "POST"}, 404),
    ({"scheme": "http"}, 403),
    ({"headers": []}, 401),
]


async def receive_nothing() -> Message:
    raise AssertionError("the body of a request is ignored")


def exchange(app: App, scope: Scope) -> list[Message]:
    """The messages that answer a request."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(app(scope, receive_nothing, send))
    return sent


@pytest.mark.parametrize(("differs", "status"), TARGETS)
def test_requests_are_answered(handler: Handler, differs: Scope, status: int) -> None:
    start, body = exchange(App(handler), {**HTTP, **differs})
    assert (start["type"], start["status"]) == ("http.response.start", status)
    assert body["type"] == "http.response.body"
    headers = dict(start["headers"])
    if differs.get("method") == "HEAD":
        assert body["body"] == b""
    else:
        assert headers[b"content-length"] == str(len(body["body"])).encode()
        json.loads(body["body"])


def test_the_time_is_that_of_the_clock(keys: list[dict[str, Any]], tmp_path: Path) -> None:
    now = datetime.now(UTC)
    write_sample(tmp_path, 500, now=now - timedelta(hours=1))
    handler = Handler(EventStore.load(tmp_path), keys)
    _, body = exchange(App(handler), {**HTTP, "path": "/events"})
    times = [datetime.fromisoformat(event["timestamp"]) for event in json.loads(body["body"])]
    assert times
    assert all(now - timedelta(hours=24) <= time <= now for time in times)


def test_life_starts_and_ends(handler: Handler) -> None:
    events = iter(("lifespan.startup", "lifespan.shutdown"))
    sent: list[str] = []

    async def receive() -> Message:
        return {"type": next(events)}

    async def send(message: Message) -> None:
        sent.append(message["type"])

    asyncio.run(App(handler)({"type": "lifespan"}, receive, send))
    assert sent == ["lifespan.startup.complete", "lifespan.shutdown.complete"]


def test_other_connections_are_refused(handler: Handler) -> None:
    with pytest.raises(ValueError, match="scope type 'websocket': expected http or lifespan"):
        exchange(App(handler), {"type": "websocket"})


def ask(app: App, call: Callable[[httpx.AsyncClient], Awaitable[Any]]) -> Any:  # noqa: ANN401
    async def run() -> Any:  # noqa: ANN401
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="https://api.example") as client:
            return await call(client)

    return asyncio.run(run())


def test_clients_of_asgi_are_served(handler: Handler) -> None:
    async def call(client: httpx.AsyncClient) -> httpx.Response:
        params = {"interval": "all", "limit": "2", "city": "São Paulo,-"}
        return await client.get("/events", params=params, headers=bearer("tok_everything"))

    response: httpx.Response = ask(App(handler), call)
    assert response.status_code == 400
    assert response.json()["error"]["message"].startswith("city: '-' before a single item")


def test_requests_are_handled_at_once(handler: Handler) -> None:
    async def call(client: httpx.AsyncClient) -> list[httpx.Response]:
        get = client.get("/events?interval=all&limit=1000", headers=bearer("tok_everything"))
        gets = [get, *(client.get("/tags", headers=bearer("tok_everything")) for _ in range(20))]
        return await asyncio.gather(*gets)

    responses: list[httpx.Response] = ask(App(handler), call)
    assert [response.status_code for response in responses] == [200] * 21
