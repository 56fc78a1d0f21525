# SPDX-License-Identifier: MIT
"""Limits before applications of ASGI and WSGI: who is counted, and what every answer says."""

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple, cast
from wsgiref.types import StartResponse

import pytest
import redis
from redis_server import RedisServer

from sluice import RateLimiter, wsgi
from sluice._asgi_limits import LimitHeaders
from sluice.asgi import Message, RateLimit, Receive, Scope, Send
from sluice.limits import Client, Header

LIMIT, REMAINING, RESET = (f"x-ratelimit-{name}" for name in ("limit", "remaining", "reset"))


class Answer(NamedTuple):
    status: int
    headers: list[tuple[str, str]]
    body: bytes

    def header(self, name: str) -> str | None:
        """The value of a header, which must not be there twice."""
        values = [value for key, value in self.headers if key == name]
        assert len(values) < 2
        return values[0] if values else None


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers by the path: /fails raises, /late raises once it has answered."""
    if scope["type"] == "lifespan":
        return
    if scope["path"] == "/fails":
        raise RuntimeError("secret")
    status = 404 if scope["path"] == "/nowhere" else 200
    await send({"type": "http.response.start", "status": status, "headers": [(b"a", b"b")]})
    await send({"type": "http.response.body", "body": b"ok"})
    if scope["path"] == "/late":
        raise RuntimeError("late")


def asgi_get(
    app: LimitHeaders, path: str = "/", peer: str | None = "1.1.1.1", **headers: str
) -> Answer:
    """Returns an ASGI application's answer before it stops."""
    sent: list[Message] = []
    scope = {
        "type": "http",
        "path": path,
        "client": [peer, 5] if peer else None,
        "headers": [(n.replace("_", "-").encode(), v.encode()) for n, v in headers.items()],
    }

    async def receive() -> Message:
        raise AssertionError

    async def send(message: Message) -> None:
        sent.append(message)

    async def ask() -> None:
        with suppress(RuntimeError):
            await app(scope, receive, send)
        await app({"type": "lifespan"}, receive, send)

    asyncio.run(ask())
    start, body = sent
    fields = [(name.decode(), value.decode()) for name, value in start["headers"]]
    return Answer(start["status"], fields, body["body"])


def wsgi_application(environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
    """A WSGI application that answers, fails, or fails late."""
    if environ["PATH_INFO"] == "/fails":
        raise RuntimeError("secret")
    start_response("404 No" if environ["PATH_INFO"] == "/nowhere" else "200 OK", [("a", "b")])
    if environ["PATH_INFO"] == "/late":
        raise RuntimeError("late")
    return [b"ok"]


def wsgi_get(
    app: wsgi.RateLimit, path: str = "/", peer: str | None = "1.1.1.1", **headers: str
) -> Answer:
    """Returns a WSGI application's answer."""
    started: list[Any] = []

    def start_response(
        status: str, fields: list[tuple[str, str]], exc_info: object = None, /
    ) -> Callable[[bytes], object]:
        started[:] = [int(status.split()[0]), [(name.lower(), value) for name, value in fields]]
        return print

    environ = {"PATH_INFO": path} | ({"REMOTE_ADDR": peer} if peer else {})
    environ |= {f"HTTP_{name.upper()}": value for name, value in headers.items()}
    body = b"ok"
    with suppress(RuntimeError):
        body = b"".join(app(environ, start_response))
    return Answer(started[0], started[1], body)


def make_asgi(limiter: RateLimiter, **options: object) -> Callable[..., Answer]:
    app = RateLimit(application, limiter, **cast(Any, options))
    return lambda *arguments, **headers: asgi_get(app, *arguments, **headers)


def make_wsgi(limiter: RateLimiter, **options: object) -> Callable[..., Answer]:
    app = wsgi.RateLimit(wsgi_application, limiter, **cast(Any, options))
    return lambda *arguments, **headers: wsgi_get(app, *arguments, **headers)


Make = Callable[..., Callable[..., Answer]]
both = pytest.mark.parametrize("make", [make_asgi, make_wsgi])


@both
@pytest.mark.parametrize(
    ("path", "status", "body"),
    [("/", 200, b"ok"), ("/nowhere", 404, b"ok"), ("/late", 200, b"ok"), ("/fails", 500, None)],
)
def test_every_answer_says_what_is_left(
    make: Make, path: str, status: int, body: bytes | None
) -> None:
    get = make(RateLimiter(2, 60))
    for left in ("1", "0"):
        answer = get(path)
        assert answer.status == status
        assert (answer.header(LIMIT), answer.header(REMAINING)) == ("2", left)
        assert int(answer.header(RESET) or 0) > 1_700_000_000
        assert answer.body == body if body else b"secret" not in answer.body
    refused = get(path)
    assert refused.status == 429
    assert (refused.header(LIMIT), refused.header(REMAINING)) == ("2", "0")
    assert 1 <= int(refused.header("retry-after") or 0) <= 60
    assert refused.header("content-length") == str(len(refused.body))


@both
@pytest.mark.parametrize(
    ("errors", "media_type", "member"),
    [
        ("sluice", "application/json; charset=utf-8", "error"),
        ("detail", "application/json", "detail"),
        ("problem", "application/problem+json", "type"),
    ],
)
def test_refusals_are_told_in_the_envelope(
    make: Make, errors: str, media_type: str, member: str
) -> None:
    get = make(RateLimiter(1, 60), errors=errors, docs_url="https://docs.example")
    failed, refused = get("/fails"), get("/")
    for answer, status in ((failed, 500), (refused, 429)):
        assert answer.status == status
        assert answer.header("content-type") == media_type
        assert member in json.loads(answer.body)
    assert (b"docs.example" in refused.body) == (errors != "detail")


@both
def test_clients_are_counted_apart(make: Make) -> None:
    get = make(RateLimiter(1, 60), key=Header("X-Key"))
    calls = [("a", 200), ("b", 200), ("a", 429), ("b", 429), ("c", 200)]
    assert [get(x_key=key).status for key, _ in calls] == [status for _, status in calls]


@both
def test_a_function_tells_the_key(make: Make) -> None:
    def key(client: Client) -> str | None:
        return f"{client.header('X-Tenant')} {client.address} {type(client.request).__name__}"

    get = make(RateLimiter(1, 60), key=key)
    assert [get(x_tenant=tenant).status for tenant in "abab"] == [200, 200, 429, 429]
    assert get("/", "2.2.2.2", x_tenant="a").status == 200


@both
@pytest.mark.parametrize(
    ("without_key", "statuses"),
    [("share", [200, 429]), ("allow", [200, 200]), ("refuse", [401, 401])],
)
def test_requests_without_a_key(make: Make, without_key: str, statuses: list[int]) -> None:
    get = make(RateLimiter(1, 60), key=Header("x-key"), without_key=without_key)
    answers = [get("/", None), get("/", "1.1.1.1")]
    assert [answer.status for answer in answers] == statuses
    counted = [answer.header(LIMIT) is not None for answer in answers]
    assert counted == [without_key == "share"] * 2
    assert get(x_key="mine").status == 200


@both
def test_an_unknown_choice_is_refused(make: Make) -> None:
    with pytest.raises(ValueError, match="without_key: expected one of share, allow, refuse"):
        make(RateLimiter(1, 60), without_key="ignore")
    with pytest.raises(ValueError, match="errors: expected one of"):
        make(RateLimiter(1, 60), errors="html")


@both
@pytest.mark.parametrize("key", ["X-API-Key", Header, 5])
def test_a_key_is_a_function(make: Make, key: Any) -> None:  # noqa: ANN401
    with pytest.raises(TypeError, match=r"key: expected Header\('X-API-Key'\), Address\(\) or a"):
        make(RateLimiter(1, 60), key=key)


@both
def test_a_limiter_is_expected(make: Make) -> None:
    with pytest.raises(TypeError, match="limiter: expected a RateLimiter, not tuple"):
        make(cast(Any, (100, 60)))


@both
def test_memory_is_bounded_by_the_limiter(make: Make) -> None:
    limiter = RateLimiter(1, 60, max_keys=64)
    get = make(limiter, key=Header("x-key"))
    for number in range(500):
        get(x_key=str(number))
    assert len(limiter) <= 64


@pytest.mark.servers
@both
def test_processes_count_together(make: Make, redis_url: str) -> None:
    def get() -> int:
        limiter = RateLimiter(
            1, 60, storage=redis_url, prefix=make.__name__, deadline_ms=5_000, on_error="refuse"
        )
        status: int = make(limiter)().status
        return status

    assert [get(), get()] == [200, 429]


def connected(redis_url: str) -> int:
    """Returns the number of clients of a Redis server, with the one that asks."""
    with redis.Redis.from_url(redis_url) as client:
        clients: Any = client.info("clients")
        return int(clients["connected_clients"])


@pytest.mark.servers
def test_connections_are_closed_as_the_application_stops(redis_url: str) -> None:
    limiter = RateLimiter(1, 60, storage=redis_url, prefix="stops", deadline_ms=5_000)

    async def live(scope: Scope, receive: Receive, send: Send) -> None:
        await limiter.acheck("a")
        assert connected(redis_url) == 2

    async def serve() -> None:
        await RateLimit(live, limiter)({"type": "lifespan"}, None, None)  # type: ignore[arg-type]

    asyncio.run(serve())
    assert connected(redis_url) == 1


@pytest.fixture(scope="module")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    server.start()
    yield server.url
    server.stop()


def test_limits_within_each_other_tell_the_strictest() -> None:
    inner = RateLimit(application, RateLimiter(2, 60))
    app = LimitHeaders(RateLimit(inner, RateLimiter(9, 60)))
    answers = [asgi_get(app) for _ in range(3)]
    assert [answer.status for answer in answers] == [200, 200, 429]
    assert [answer.header(REMAINING) for answer in answers] == ["1", "0", "0"]
    assert [answer.header(LIMIT) for answer in answers] == ["2"] * 3


def test_a_repeated_header_is_one_value() -> None:
    app = RateLimit(application, RateLimiter(1, 60), key=lambda client: client.header("a"))
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def ask(*values: bytes) -> int:
        fields = [(b"A", value) for value in values]
        scope = {"type": "http", "path": "/", "headers": fields}
        await app(scope, None, send)  # type: ignore[arg-type]
        status: int = sent[-2]["status"]
        return status

    calls = [(b"1", b"2"), (b"1",), (b"1, 2",)]
    assert [asyncio.run(ask(*values)) for values in calls] == [200, 200, 429]


def test_other_scopes_pass() -> None:
    seen: list[str] = []

    async def listening(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(scope["type"])

    app = RateLimit(listening, RateLimiter(1, 60))
    for kind in ("lifespan", "websocket", "websocket"):
        asyncio.run(app({"type": kind}, None, None))  # type: ignore[arg-type]
    assert seen == ["lifespan", "websocket", "websocket"]
