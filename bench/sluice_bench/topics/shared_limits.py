# SPDX-License-Identifier: MIT
"""What a limit costs that is shared through Redis, beside the package limits and bare round trips.

From Python, of one client after the other; keys are many, so that none is refused.
"""

import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count, cycle
from pathlib import Path
from typing import Any

from ..cell import Cell, Clock, Contender, Missing, python_contender
from ..clocks import with_server
from ..context import require

NAME = "Redis"
WINDOW = 60  # seconds
MANY, FEW = 100_000_000, 5
KEYS = 10_000

Hit = Callable[[str], object]
Make = Callable[[int], Hit]

# Of each algorithm, what limits calls it.
ALGORITHMS = {
    "sliding_window": "SlidingWindowCounterRateLimiter",
    "fixed_window": "FixedWindowRateLimiter",
    "sliding_log": "MovingWindowRateLimiter",
    "gcra": None,
}


def contender(make: Make, clock: Clock) -> Contender:
    """A limiter of a limit a minute; the answer is which of six requests pass a limit of five."""
    hit, next_key = make(MANY), cycle([f"client {n}" for n in range(KEYS)]).__next__
    strangers = map("stranger {}".format, count())

    def answer() -> list[bool]:
        few, client = make(FEW), next(strangers)
        admitted = [few(client) for _ in range(FEW + 1)]
        return [bool(getattr(each, "allowed", each)) for each in admitted]

    return python_contender(lambda: hit(next_key()), answer, clock)


def ours(url: str, algorithm: str, prefix: str) -> Make:
    """The limiter of sluice."""
    import sluice

    def make(limit: int) -> Hit:
        given = {"algorithm": algorithm, "prefix": f"{prefix}{limit}"}
        return sluice.RateLimiter(limit, WINDOW, storage=url, on_error="refuse", **given).check

    return make


def theirs(url: str, strategy: str | None, clock: Clock) -> Contender | Missing:
    """The limiter of limits."""
    if strategy is None:
        return Missing("limits has no such algorithm")
    import limits

    limiter = getattr(limits.strategies, strategy)(limits.storage.storage_from_string(url))

    def make(limit: int) -> Hit:
        item = limits.RateLimitItemPerSecond(limit, WINDOW)
        return lambda key: limiter.hit(item, strategy, key)

    return contender(make, clock)


def cells() -> Iterator[Cell]:
    """Two cells an algorithm, beside a command that the server answers at once.

    They are what a client waits, and what its processor and that of the server do.
    """
    for package in ("redis", "limits"):
        require(package)
    import redis
    from redis_server import running_redis

    with tempfile.TemporaryDirectory() as folder, running_redis(Path(folder)) as server:
        client = redis.Redis(port=server.port, protocol=2)
        busy = with_server(client.info("server")["process_id"])
        clocks: dict[str, Clock] = {NAME: time.perf_counter_ns, f"{NAME}, processor time": busy}
        for algorithm in ALGORITHMS:
            for name, clock in clocks.items():
                yield cell(name, algorithm, client, server.url, clock)


def cell(name: str, algorithm: str, client: Any, url: str, clock: Clock) -> Cell:  # noqa: ANN401
    """An algorithm by a clock."""
    checked = contender(ours(url, algorithm, "bench"), clock)
    trips = {"PING": client.ping, "GET": lambda: client.get("client 0")}
    peers: dict[str, Contender | Missing] = {
        # A round trip decides nothing that could be compared.
        each: replace(python_contender(trip, trip, clock), answer=checked.answer)
        for each, trip in trips.items()
    }
    peers["limits"] = theirs(url, ALGORITHMS[algorithm], clock)
    return Cell(f"{name}: {algorithm.replace('_', ' ')}", "RateLimiter", checked, peers)
