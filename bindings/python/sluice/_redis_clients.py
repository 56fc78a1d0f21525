# SPDX-License-Identifier: MIT
"""redis-py clients for the URL of a storage: one server, a cluster, or a sentinel's service.

They connect on first use. Waiting ends at a deadline, and nothing is sent twice, so that no request
is counted twice and no client waits forever.
"""

import os
from threading import Lock
from time import monotonic
from typing import Any, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

try:
    import redis.asyncio
    import redis.asyncio.retry
    import redis.asyncio.sentinel
    import redis.backoff
    import redis.connection
    import redis.retry
    import redis.sentinel
    from redis.exceptions import NoScriptError
except ModuleNotFoundError as _missing:
    if _missing.name != "redis":
        raise
    raise ModuleNotFoundError("needs redis: pip install 'sluice[redis]'", name="redis") from None

__all__ = [
    "Connections",
    "NoScriptError",
    "check_url",
    "close_client",
    "make_client",
    "to_shown",
]

_FORMS = (
    "redis://[[user]:password@]host[:port][/database], rediss://..., unix://path, "
    "redis+cluster://host[:port] or redis+sentinel://host[:port][,host[:port]...]/service[/database]"
)

_CLUSTER = "redis+cluster"
_SENTINELS = "redis+sentinel"
_SENTINEL_PORT = 26_379

_FRESH = 1.0  # seconds after an answer; servers don't close connections that are idle for less


def check_url(url: str) -> None:
    """Checks the URL of a storage.

    Raises:
        TypeError: It isn't a str.
        ValueError: It is invalid. The message doesn't quote it, because it may contain a password.
    """
    if not isinstance(url, str):
        raise TypeError(f"storage: expected str, not {type(url).__name__}")
    try:
        if urlsplit(url).scheme == _SENTINELS:
            _read_sentinels(url)
        else:
            _check_server(url)
    except ValueError:
        raise ValueError(f"storage: expected {_FORMS}") from None


def to_shown(url: str) -> str:
    """Returns the URL of a storage without secrets: user, password and options."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _check_server(url: str) -> None:
    """Raises ValueError for URLs that redis-py misreads, and options that defeat the deadline."""
    redis.connection.parse_url(_without_cluster(url))  # type: ignore[no-untyped-call]
    parts = urlsplit(url)
    is_cluster, is_path = parts.scheme == _CLUSTER, parts.scheme == "unix"
    database = parts.path.strip("/")
    if (is_cluster and not parts.hostname) or not (is_path or (database or "0").isdecimal()):
        raise ValueError
    if any(name != "db" and not name.startswith("ssl_") for name in parse_qs(parts.query)):
        raise ValueError


def make_client(url: str, deadline: float, *, is_async: bool = False) -> Any:  # noqa: ANN401
    """Creates a client, of redis.asyncio if `is_async`. That of a cluster queries it for its nodes.

    Args:
        url: A URL that check_url() accepts.
        deadline: Seconds for a connection, and for an answer.
        is_async: True for a client of an event loop.
    """
    module = redis.asyncio if is_async else redis
    retry = (redis.asyncio.retry if is_async else redis.retry).Retry(redis.backoff.NoBackoff(), 0)
    options = {
        "socket_timeout": deadline,
        "socket_connect_timeout": deadline,
        "retry": retry,
        "protocol": 2,  # version 3 needs a handshake
    }
    scheme = urlsplit(url).scheme
    if scheme == _SENTINELS:
        sentinels = _read_sentinels(url)
        sentinel = module.sentinel.Sentinel(sentinels.places, sentinel_kwargs=options, **options)
        return sentinel.master_for(sentinels.service, **sentinels.login)
    kind = module.RedisCluster if scheme == _CLUSTER else module.Redis
    return kind.from_url(_without_cluster(url), **options)


# Arguments of the pool's get_connection(): before redis-py 5.3 it required the command's name.
_NAME = ("EVALSHA",) if tuple(map(int, redis.__version__.split(".")[:2])) < (5, 3) else ()


class Connections:
    """Connections of a redis-py client other than a cluster's.

    Sends packed commands directly, in half the time of the client's own encoding. The client's pool
    checks with the system whether a connection is alive before each use, which takes longer than
    the server's answer. Connections that answered less than a second ago are therefore reused at
    once; failed ones, and those idle for longer, go back to the pool.
    """

    def __init__(self, client: Any) -> None:  # noqa: ANN401
        self._pool = client.connection_pool
        self._process = os.getpid()
        self._lock = Lock()
        self._ready: list[tuple[float, Any]] = []  # with the times of their answers, latest last

    def run(self, packed: bytes) -> object:
        """Sends a packed command, as of RedisRequest.packed, and returns the reply."""
        connection, idle = self._take()
        for unused in idle:
            self._pool.release(unused)
        connection = connection or self._pool.get_connection(*_NAME)
        try:
            connection.send_packed_command([packed])
            answer = connection.read_response()
        except BaseException:
            self._pool.release(connection)
            raise
        self._keep(connection)
        return answer

    async def run_later(self, packed: bytes) -> object:
        """Like run(), for a client of redis.asyncio."""
        connection, idle = self._take()
        for unused in idle:
            await self._pool.release(unused)
        connection = connection or await self._pool.get_connection(*_NAME)
        try:
            await connection.send_packed_command([packed])
            answer = await connection.read_response()
        except BaseException:
            await self._pool.release(connection)
            raise
        self._keep(connection)
        return answer

    def _take(self) -> tuple[Any, list[Any]]:
        """Returns a connection to reuse, or None, and others to release, idle for too long.

        A forked process reuses none of its parent.
        """
        with self._lock:
            if not self._ready:
                return None, []
            answered, connection = self._ready.pop()
            if monotonic() - answered < _FRESH and os.getpid() == self._process:
                return connection, []
            idle = [connection, *(other for _, other in self._ready)]
            self._ready.clear()
            self._process = os.getpid()
            return None, idle

    def _keep(self, connection: Any) -> None:  # noqa: ANN401
        with self._lock:
            self._ready.append((monotonic(), connection))


async def close_client(client: Any) -> None:  # noqa: ANN401
    """Closes the connections of a redis.asyncio client, including those to sentinels."""
    await client.aclose()
    manager = getattr(getattr(client, "connection_pool", None), "sentinel_manager", None)
    for sentinel in manager.sentinels if manager else ():
        await sentinel.aclose()


def _without_cluster(url: str) -> str:
    """Returns a URL with the scheme that redis-py knows: redis instead of redis+cluster."""
    return url.replace(_CLUSTER, "redis", 1) if url.startswith(f"{_CLUSTER}://") else url


class _Sentinels(NamedTuple):
    """The sentinels of a redis+sentinel URL, and the service that they are queried for."""

    places: list[tuple[str, int]]
    service: str
    login: dict[str, Any]  # at the server that the sentinels name


def _read_sentinels(url: str) -> _Sentinels:
    """Parses a redis+sentinel URL; raises ValueError if it is invalid."""
    parts = urlsplit(url)
    service, _, database = unquote(parts.path).lstrip("/").partition("/")
    places = [_host_and_port(place) for place in parts.netloc.rpartition("@")[2].split(",")]
    if not service:
        raise ValueError
    login: dict[str, Any] = {"db": int(database or 0)}
    for name, value in (("username", parts.username), ("password", parts.password)):
        if value:
            login[name] = unquote(value)
    return _Sentinels(places, service, login)


def _host_and_port(text: str) -> tuple[str, int]:
    """Parses `host[:port]`, by default with the port of sentinels."""
    parts = urlsplit(f"//{text}")
    if not parts.hostname:
        raise ValueError
    return parts.hostname, parts.port or _SENTINEL_PORT
