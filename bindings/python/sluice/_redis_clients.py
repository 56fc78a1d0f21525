# SPDX-License-Identifier: MIT
"""Clients of redis-py for the URL of a storage: one server, a cluster, or what a sentinel names.

They connect when they are used. A wait for the server ends at a deadline, and nothing is sent
twice: a request must not be counted twice, nor its client wait for ever.
"""

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
    from redis.exceptions import NoScriptError, RedisClusterException, RedisError
except ModuleNotFoundError as _missing:
    if _missing.name != "redis":
        raise
    raise ModuleNotFoundError("needs redis: pip install 'sluice[redis]'", name="redis") from None

__all__ = [
    "FAILURES",
    "NoScriptError",
    "check_url",
    "close_client",
    "make_client",
    "run",
    "run_later",
    "to_shown",
]

FAILURES = (RedisError, RedisClusterException, OSError)  # a cluster's errors are no RedisError

_FORMS = (
    "redis://[[user]:password@]host[:port][/database], rediss://..., unix://path, "
    "redis+cluster://host[:port] or redis+sentinel://host[:port][,host[:port]...]/service[/database]"
)

_CLUSTER = "redis+cluster"
_SENTINELS = "redis+sentinel"
_SENTINEL_PORT = 26_379


def check_url(url: str) -> None:
    """Checks the URL of a storage.

    Raises:
        TypeError: It is no text.
        ValueError: It is none. It is not repeated: it may hold a password.
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
    """The URL of a storage without what may be secret: user, password and options."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _check_server(url: str) -> None:
    """Refuses what the client would take for something else, or use against the deadline."""
    redis.connection.parse_url(_without_cluster(url))  # type: ignore[no-untyped-call]
    parts = urlsplit(url)
    is_cluster, is_path = parts.scheme == _CLUSTER, parts.scheme == "unix"
    database = parts.path.strip("/")
    if (is_cluster and not parts.hostname) or not (is_path or (database or "0").isdecimal()):
        raise ValueError
    if any(name != "db" and not name.startswith("ssl_") for name in parse_qs(parts.query)):
        raise ValueError


def make_client(url: str, deadline: float, *, is_async: bool = False) -> Any:  # noqa: ANN401
    """A client, of redis.asyncio where that is asked for. A cluster is asked for its nodes."""
    module = redis.asyncio if is_async else redis
    retry = (redis.asyncio.retry if is_async else redis.retry).Retry(redis.backoff.NoBackoff(), 0)
    options = {
        "socket_timeout": deadline,
        "socket_connect_timeout": deadline,
        "retry": retry,
        "protocol": 2,  # 3 takes a greeting more
    }
    scheme = urlsplit(url).scheme
    if scheme == _SENTINELS:
        sentinels = _read_sentinels(url)
        found = module.sentinel.Sentinel(sentinels.places, sentinel_kwargs=options, **options)
        return found.master_for(sentinels.service, **sentinels.login)
    kind = module.RedisCluster if scheme == _CLUSTER else module.Redis
    return kind.from_url(_without_cluster(url), **options)


# Before 5.3 a pool wanted to know the command that a connection is for.
_NAME = ("EVALSHA",) if tuple(map(int, redis.__version__.split(".")[:2])) < (5, 3) else ()


def run(client: Any, packed: bytes) -> object:  # noqa: ANN401
    """What a server answers to a command, of a client that isn't a cluster's.

    The command goes over a connection of the client's as it is: this takes half the time that the
    client does with words. What fails ends the connection there.
    """
    pool = client.connection_pool
    connection = pool.get_connection(*_NAME)
    try:
        connection.send_packed_command([packed])
        return connection.read_response()
    finally:
        pool.release(connection)


async def run_later(client: Any, packed: bytes) -> object:  # noqa: ANN401
    """The same of a client of redis.asyncio."""
    pool = client.connection_pool
    connection = await pool.get_connection(*_NAME)
    try:
        await connection.send_packed_command([packed])
        return await connection.read_response()
    finally:
        await pool.release(connection)


async def close_client(client: Any) -> None:  # noqa: ANN401
    """Closes the connections of a client of redis.asyncio, those to sentinels too."""
    await client.aclose()
    manager = getattr(getattr(client, "connection_pool", None), "sentinel_manager", None)
    for each in manager.sentinels if manager else ():
        await each.aclose()


def _without_cluster(url: str) -> str:
    return url.replace(_CLUSTER, "redis", 1) if url.startswith(f"{_CLUSTER}://") else url


class _Sentinels(NamedTuple):
    places: list[tuple[str, int]]
    service: str
    login: dict[str, Any]  # at the server that they name


def _read_sentinels(url: str) -> _Sentinels:
    parts = urlsplit(url)
    service, _, database = unquote(parts.path).lstrip("/").partition("/")
    places = [_host_and_port(each) for each in parts.netloc.rpartition("@")[2].split(",")]
    if not service:
        raise ValueError
    login: dict[str, Any] = {"db": int(database or 0)}
    for name, value in (("username", parts.username), ("password", parts.password)):
        if value:
            login[name] = unquote(value)
    return _Sentinels(places, service, login)


def _host_and_port(text: str) -> tuple[str, int]:
    parts = urlsplit(f"//{text}")
    if not parts.hostname:
        raise ValueError
    return parts.hostname, parts.port or _SENTINEL_PORT
