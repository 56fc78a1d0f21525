# SPDX-License-Identifier: MIT
"""A limit shared through Redis, beside the package limits and bare round trips.

One client after the other; keys are many, so that none is refused.
"""

import tempfile
from collections.abc import Callable, Iterator
from itertools import count, cycle
from pathlib import Path

import limits
import redis
from redis_server import running_redis

import sluice

from .measuring import Cell, Contender, Library, Missing, by_python

NAME = "Redis"
WINDOW = 60  # seconds
MANY, FEW = 100_000_000, 5
KEYS = 10_000
ADMITTED = [True] * FEW + [False]

Hit = Callable[[str], object]

# By algorithm, the class of limits.
ALGORITHMS = {
    "sliding_window": "SlidingWindowCounterRateLimiter",
    "fixed_window": "FixedWindowRateLimiter",
    "sliding_log": "MovingWindowRateLimiter",
    "gcra": None,
}


class Shared(Library):
    """A limiter by algorithm; the answer is which of six requests pass a limit of five."""

    def __init__(self, limiter: Callable[[str, int], Hit]) -> None:
        """Takes what makes the limiter of an algorithm and a limit."""
        self._limiter = limiter

    def check(self, algorithm: str) -> Contender:
        """Returns the contender of an algorithm."""
        hit, strangers = self._limiter(algorithm, MANY), map("stranger {}".format, count())
        next_key = cycle([f"client {n}" for n in range(KEYS)]).__next__

        def answer() -> list[bool]:
            few, client = self._limiter(algorithm, FEW), next(strangers)
            decisions = [few(client) for _ in range(FEW + 1)]
            return [bool(getattr(decision, "allowed", decision)) for decision in decisions]

        return by_python(lambda: hit(next_key()), answer)


class RoundTrip(Library):
    """A command that the server answers at once: it decides nothing that could be compared."""

    def __init__(self, trip: Callable[[], object]) -> None:
        """Takes the command."""
        self._trip = trip

    def check(self, algorithm: str) -> Contender:
        """Returns the contender of a command, whatever the algorithm."""
        return by_python(self._trip, lambda: ADMITTED)


def cells() -> Iterator[Cell]:
    """Yields a cell an algorithm from Python, and in C++ if compare.py has built the driver."""
    with tempfile.TemporaryDirectory() as folder, running_redis(Path(folder)) as server:
        client = redis.Redis(port=server.port, protocol=2)
        shared = limits.storage.storage_from_string(server.url)

        def of_sluice(algorithm: str, limit: int) -> Hit:
            options = {"algorithm": algorithm, "prefix": f"bench{limit}", "on_error": "refuse"}
            return sluice.RateLimiter(limit, WINDOW, storage=server.url, **options).check

        def of_limits(algorithm: str, limit: int) -> Hit:
            strategy = ALGORITHMS[algorithm]
            limiter = getattr(limits.strategies, strategy)(shared)
            item = limits.RateLimitItemPerSecond(limit, WINDOW)
            return lambda key: limiter.hit(item, strategy, key)

        trips = {"PING": RoundTrip(client.ping), "GET": RoundTrip(lambda: client.get("client 0"))}
        for algorithm, strategy in ALGORITHMS.items():
            has = Shared(of_limits) if strategy else Missing("limits has no such algorithm")
            name, peers = f"{NAME}: {algorithm.replace('_', ' ')}", {**trips, "limits": has}
            yield Cell(name, "RateLimiter", f"check {algorithm}", Shared(of_sluice), peers)
