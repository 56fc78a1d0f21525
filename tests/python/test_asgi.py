# SPDX-License-Identifier: MIT
"""The handler as an ASGI application."""

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Self, cast

import httpx
import pytest
from api_keys import bearer

from sluice.api import (
    Cancellation,
    EventStore,
    Handler,
    ResolvedRequest,
    Response,
    write_sample,
)
from sluice.asgi import ROUTE, App, Message, Receive, Scope

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
    ({"raw_path": b"https://api.example:8443/tags"}, 200),
    ({"raw_path": b"HTTP://api.example/tags"}, 200),
    ({"raw_path": b"https://api.example"}, 404),
    ({"raw_path": b"ftp://api.example/tags"}, 404),
    ({"method": "HEAD"}, 200),
    ({"method": "POST"}, 404),
    ({"scheme": "http"}, 403),
    ({"headers": []}, 401),
]


async def receive_nothing() -> Message:
    """Returns the messages of a client that waits for its answer."""
    await asyncio.Event().wait()
    raise AssertionError


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


class FailingHandler:
    """Raises at one place; its requests are itself."""

    route = "/tags"

    def __init__(self, place: str) -> None:
        self._place = place

    def resolve(self, *arguments: object, **options: object) -> Self:
        if self._place == "resolve":
            raise KeyError
        return self

    @property
    def key_number(self) -> int:
        if self._place == "key_number":
            raise KeyError
        return 1

    @property
    def is_small(self) -> bool:
        if self._place == "is_small":
            raise KeyError
        return self._place == "handle at once"

    def cors_headers(self, headers: object) -> dict[str, str]:
        return {"vary": "origin"}

    def handle(self, *arguments: object) -> Response:
        raise MemoryError


@pytest.mark.parametrize("place", ["resolve", "is_small", "key_number", "handle", "handle at once"])
def test_what_fails_unexpectedly_is_answered_and_logged(
    place: str, caplog: pytest.LogCaptureFixture
) -> None:
    start, body = exchange(App(cast(Handler, FailingHandler(place))), HTTP)
    assert start["status"] == 500
    headers = dict(start["headers"])
    assert headers[b"content-type"] == b"application/json; charset=utf-8"
    assert headers[b"vary"] == b"origin"
    error = json.loads(body["body"])["error"]
    assert error["code"] == "internal_server_error"
    assert error["message"] == "an unexpected failure, try again later"
    [record] = caplog.records
    assert (record.name, record.exc_info is None) == ("sluice", False)


def test_requests_are_handled_at_once(handler: Handler) -> None:
    async def call(client: httpx.AsyncClient) -> list[httpx.Response]:
        get = client.get("/events?interval=all&limit=1000", headers=bearer("tok_everything"))
        gets = [get, *(client.get("/tags", headers=bearer("tok_everything")) for _ in range(20))]
        return await asyncio.gather(*gets)

    responses: list[httpx.Response] = ask(App(handler), call)
    assert [response.status_code for response in responses] == [200] * 21


class ReplacingHandler:
    """Drops all keys as soon as a request is resolved: another look-up would find none."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
        self.resolved = 0

    def resolve(self, *arguments: Any, **options: Any) -> ResolvedRequest:  # noqa: ANN401
        resolved = self._handler.resolve(*arguments, **options)
        self._handler.replace_keys([])
        self.resolved += 1
        return resolved


@pytest.mark.parametrize("is_small", [False, True])
def test_the_key_of_a_request_is_looked_up_once(
    store: EventStore, keys: list[dict[str, Any]], is_small: bool
) -> None:
    handler = ReplacingHandler(Handler(store, keys))
    app = App(cast(Handler, handler))
    scope = {**HTTP, "query_string": b"" if is_small else b"unknown=" + b"x" * 1_024}
    assert exchange(app, scope)[0]["status"] == 200
    assert handler.resolved == 1
    assert exchange(app, scope)[0]["status"] == 401  # its key is gone by now


@pytest.mark.parametrize(
    ("path", "route"), [("/tags", "/tags"), ("/healthz", "/healthz"), ("/tags/1", "other")]
)
def test_the_route_of_a_request_is_in_its_scope(handler: Handler, path: str, route: str) -> None:
    scope = {**HTTP, "root_path": "/api", "path": f"/api{path}"}
    exchange(App(handler), scope)
    assert scope[ROUTE] == route


# --- Long requests ---------------------------------------------------------------------------


class LongRequest:
    """A request that is handled until it is cancelled or let go."""

    route = "/tags"

    def __init__(self, handler: "LongHandler", target: bytes, key_number: int) -> None:
        self._handler = handler
        self.is_small = target == b"/small"
        self.key_number = key_number

    def handle(self, now: datetime, cancellation: Cancellation) -> Response:
        if self.is_small:
            self._handler.small_threads.add(threading.current_thread())
        else:
            self._handler.run(self.key_number, cancellation)
        return self._handler.answer


class LongHandler:
    """Resolves requests, with the key's number in the headers."""

    def __init__(self, answer: Response) -> None:
        self.answer = answer
        self.let_go = threading.Event()
        self.running: list[int] = []
        self.most_running: dict[int, int] = {}
        self.cancelled = 0
        self.small_threads: set[threading.Thread] = set()

    def resolve(
        self, method: str, target: bytes, headers: list[tuple[bytes, bytes]], **options: str
    ) -> LongRequest:
        return LongRequest(self, target, int(dict(headers).get(b"key", b"0")))

    def cors_headers(self, headers: object) -> dict[str, str]:
        return {}

    def run(self, key: int, cancellation: Cancellation) -> None:
        self.running.append(key)
        self.most_running[key] = max(self.most_running.get(key, 0), self.running.count(key))
        while not cancellation.is_cancelled and not self.let_go.wait(0.01):
            pass
        self.cancelled += cancellation.is_cancelled
        self.running.remove(key)


@pytest.fixture
def long_handler(handler: Handler) -> LongHandler:
    return LongHandler(handler.handle("GET", "/tags", {}))


async def status_of(app: App, key: int, receive: Receive = receive_nothing) -> int | None:
    """The status of an answer to a request; None where there is none."""
    statuses: list[int] = []

    async def send(message: Message) -> None:
        if "status" in message:
            statuses.append(message["status"])
            assert (statuses[0] == 429) == ((b"retry-after", b"1") in message["headers"])

    await app({**HTTP, "headers": [(b"key", str(key).encode())]}, receive, send)
    return statuses[0] if statuses else None


async def ask_small(app: App) -> int:
    """The status of the answer to a small request."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    await app({**HTTP, "path": "/small"}, receive_nothing, send)
    status: int = sent[0]["status"]
    return status


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not is_so():
            await asyncio.sleep(0.01)


def test_a_key_has_two_requests_at_a_time_and_64_that_wait(long_handler: LongHandler) -> None:
    app = App(cast(Handler, long_handler))

    async def run() -> None:
        many = [asyncio.create_task(status_of(app, key=7)) for _ in range(66)]
        await until(lambda: len(long_handler.running) == 2)
        assert await status_of(app, key=7) == 429
        other = asyncio.create_task(status_of(app, key=8))
        keyless = [asyncio.create_task(status_of(app, key=0)) for _ in range(5)]
        await until(lambda: sorted(long_handler.running) == [0] * 5 + [7, 7, 8])
        long_handler.let_go.set()
        assert await asyncio.gather(*many, other, *keyless) == [401] * 72

    asyncio.run(run())
    assert long_handler.most_running[7] == 2


def test_small_requests_need_no_thread_and_wait_for_no_long_ones(
    long_handler: LongHandler,
) -> None:
    app = App(cast(Handler, long_handler), threads=2)

    async def run() -> None:
        long = [asyncio.create_task(status_of(app, lane)) for lane in (1, 2, 3, 4)]
        await until(lambda: len(long_handler.running) == 2)  # all threads are taken
        assert [await ask_small(app) for _ in range(100)] == [401] * 100
        assert not any(task.done() for task in long)
        long_handler.let_go.set()
        assert await asyncio.gather(*long) == [401] * 4

    asyncio.run(run())
    assert long_handler.small_threads == {threading.current_thread()}


def test_a_search_ends_when_its_client_goes(long_handler: LongHandler) -> None:
    app = App(cast(Handler, long_handler))

    async def run() -> None:
        gone = asyncio.Event()
        parts = iter(({"type": "http.request", "more_body": True}, {"type": "http.request"}))

        async def receive() -> Message:
            if part := next(parts, None):
                return part
            await gone.wait()
            return {"type": "http.disconnect"}

        tasks = [asyncio.create_task(status_of(app, 7, receive)) for _ in range(3)]
        await until(lambda: len(long_handler.running) == 2)
        gone.set()
        assert await asyncio.gather(*tasks) == [None] * 3

    asyncio.run(run())
    assert long_handler.cancelled == 2  # the third was never begun


def test_searches_end_with_the_server(long_handler: LongHandler) -> None:
    app = App(cast(Handler, long_handler))

    async def run() -> None:
        tasks = [asyncio.create_task(status_of(app, lane)) for lane in (1, 2)]
        await until(lambda: len(long_handler.running) == 2)
        app.cancel()
        assert await asyncio.gather(*tasks) == [401, 401]

    asyncio.run(run())
    assert long_handler.cancelled == 2


def test_a_search_ends_with_its_task(long_handler: LongHandler) -> None:
    app = App(cast(Handler, long_handler))

    async def run() -> None:
        task = asyncio.create_task(status_of(app, key=7))
        await until(lambda: len(long_handler.running) == 1)
        task.cancel()
        await until(lambda: long_handler.cancelled == 1)
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
