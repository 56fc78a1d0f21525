# SPDX-License-Identifier: MIT
"""Limits shared by processes through Redis: the implementation of RateLimiter with a storage."""

import asyncio
import logging
import os
from collections.abc import Sequence
from datetime import datetime
from threading import Semaphore
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeAlias
from weakref import WeakKeyDictionary

from sluice._redis_clients import (
    Connections,
    NoScriptError,
    check_url,
    close_client,
    make_client,
    to_shown,
)
from sluice._sluice import (
    REDIS_SCRIPT,
    REDIS_SCRIPT_SHA1,
    Decision,
    RedisLimiter,
    RedisRequest,
)

if TYPE_CHECKING:
    from sluice._sluice import _Algorithm, _OnError

Policies: TypeAlias = Sequence[tuple[int, int]]  # limits in requests, windows in milliseconds

_LOGGER = logging.getLogger("sluice")

_AT_ONCE = 50  # concurrent checks per process or event loop; others wait
_MOST = 1_000_000  # of nodes, or of milliseconds


class SharedLimiter:
    """Checks with Redis; if it doesn't answer in time, `on_error` decides.

    ```
    check --> begin --> a slot --> Redis --> finish --> Decision
                |          |         '-----> fail --------^
                |          '--> none in time: fall_back --^
                '-----------------------------------------'
    ```
    begin, finish, fail and fall_back are methods of RedisLimiter, in C++. begin decides alone if no
    request is needed, such as while Redis keeps failing. A slot is one of _AT_ONCE checks.
    """

    def __init__(
        self,
        url: str,
        policies: Policies,
        algorithm: "_Algorithm",
        *,
        on_error: "_OnError" = "local",
        nodes: int = 1,
        prefix: str = "sluice",
        deadline_ms: int = 100,
    ) -> None:
        """Creates a limiter, which connects on first use.

        Args:
            url: The URL of the storage; see check_url().
            policies: All limits that a request is checked against.
            algorithm: As for RateLimiter.
            on_error: As for RateLimiter.
            nodes: The number of processes, among which local limits are divided.
            prefix: The first part of keys in Redis.
            deadline_ms: Milliseconds to wait for a slot, and again for an answer.

        Raises:
            ApiError: The algorithm or on_error is unknown, or a policy can't be counted.
            TypeError: The URL isn't a str, or a number isn't an int.
            ValueError: The URL is invalid, or a number is out of range.
        """
        check_url(url)
        _check_count("nodes", nodes)
        _check_count("deadline_ms", deadline_ms)
        self._limiter = RedisLimiter(algorithm, on_error, nodes, prefix)
        if policies:
            self._limiter.begin("", policies)  # raises now what every check would raise
        self._policies = policies
        self._url = url
        self._deadline = deadline_ms / 1_000
        self._client: _Client | None = None
        self._process, self._slots = os.getpid(), Semaphore(_AT_ONCE)
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, _Client] = WeakKeyDictionary()

    @property
    def shown_url(self) -> str:
        """The URL of the storage, without credentials."""
        return to_shown(self._url)

    def check(
        self, key: str, now: datetime | None, cost: int, policies: Policies | None = None
    ) -> Decision:
        """Implements RateLimiter.check; `policies` replace the limiter's own."""
        step = self._limiter.begin(key, policies or self._policies, now, cost)
        if isinstance(step, Decision):
            return step
        slots = self._slots_of_process()
        if not slots.acquire(timeout=self._deadline):
            return self._decide_without_slot(step)
        try:
            return self._limiter.finish(step, self._send(step))
        except Exception as error:  # on_error decides, whatever the error
            return self._decide_after(error, step)
        finally:
            slots.release()

    async def acheck(self, key: str, now: datetime | None, cost: int) -> Decision:
        """Implements RateLimiter.acheck."""
        step = self._limiter.begin(key, self._policies, now, cost)
        if isinstance(step, Decision):
            return step
        client = self._client_of_loop()
        try:
            async with asyncio.timeout(self._deadline):
                await client.slots.acquire()
        except TimeoutError:
            return self._decide_without_slot(step)
        try:
            async with asyncio.timeout(self._deadline):
                return self._limiter.finish(step, await self._asend(client, step))
        except Exception as error:  # on_error decides, whatever the error
            return self._decide_after(error, step)
        finally:
            client.slots.release()

    async def aclose(self) -> None:
        """Closes the connections of the running event loop."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await close_client(client.redis)

    def _slots_of_process(self) -> Semaphore:
        """Returns this process's semaphore: a fork must not inherit its parent's acquired slots."""
        if self._process != os.getpid():
            self._process, self._slots = os.getpid(), Semaphore(_AT_ONCE)
        return self._slots

    def _send(self, request: RedisRequest) -> object:
        """Sends a request and returns the reply; sends the script if the server lacks it."""
        if self._client is None:
            self._client = _Client(make_client(self._url, self._deadline))
        client = self._client
        try:
            if client.connections:
                return client.connections.run(request.packed)
            return client.redis.evalsha(REDIS_SCRIPT_SHA1, *_words(request))
        except NoScriptError:
            return client.redis.eval(REDIS_SCRIPT, *_words(request))

    async def _asend(self, client: "_Client", request: RedisRequest) -> object:
        """Like _send(), with a client of redis.asyncio."""
        try:
            if client.connections:
                return await client.connections.run_later(request.packed)
            return await client.redis.evalsha(REDIS_SCRIPT_SHA1, *_words(request))
        except NoScriptError:
            return await client.redis.eval(REDIS_SCRIPT, *_words(request))

    def _client_of_loop(self) -> "_Client":
        """Returns the client of the running loop, which its connections are bound to."""
        loop = asyncio.get_running_loop()
        client = self._clients.get(loop)
        if client is None:
            client = _Client(make_client(self._url, self._deadline, is_async=True))
            self._clients[loop] = client
        return client

    def _decide_after(self, error: Exception, request: RedisRequest) -> Decision:
        """Logs the error of a request and returns the decision of on_error."""
        why = str(error) or f"no answer within {self._deadline:g} s"
        _LOGGER.warning("limits: Redis: %s: %s", type(error).__name__, why)
        return self._limiter.fail(request)

    def _decide_without_slot(self, request: RedisRequest) -> Decision:
        """Logs that Redis was not queried and returns the decision of on_error."""
        _LOGGER.warning(
            "limits: Redis: no request sent, all %d connections were in use for %g s",
            _AT_ONCE,
            self._deadline,
        )
        return self._limiter.fall_back(request)


class _Client:
    """A redis-py client, and its connections unless it is a cluster's."""

    def __init__(self, client: Any) -> None:  # noqa: ANN401
        self.redis = client
        self.connections = Connections(client) if hasattr(client, "connection_pool") else None
        self.slots = asyncio.Semaphore(_AT_ONCE)  # for event loops only


def _check_count(name: str, value: SupportsIndex) -> None:
    if not isinstance(value, SupportsIndex):
        raise TypeError(f"{name}: expected int, not {type(value).__name__}")
    if not 1 <= value.__index__() <= _MOST:
        raise ValueError(f"{name}: out of range, expected 1 to {_MOST}")


def _words(request: RedisRequest) -> list[Any]:
    """Returns the arguments of EVAL after the script."""
    return [len(request.keys), *request.keys, *request.arguments]
