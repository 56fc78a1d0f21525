# SPDX-License-Identifier: MIT
"""A limit shared through Redis, beside the package limits and bare round trips.

From Python, of one client after the other; keys are many, so that none is refused.
"""

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count, cycle
from pathlib import Path

from .measuring import Cell, Contender, Missing, Peer, by_python

NAME = "Redis"
WINDOW = 60  # seconds
MANY, FEW = 100_000_000, 5
KEYS = 10_000

Hit = Callable[[str], object]
Limiter = Callable[[int], Hit]

# By algorithm, the class of limits.
ALGORITHMS = {
    "sliding_window": "SlidingWindowCounterRateLimiter",
    "fixed_window": "FixedWindowRateLimiter",
    "sliding_log": "MovingWindowRateLimiter",
    "gcra": None,
}


def contender(limiter: Limiter) -> Contender:
    """Measures a limiter; the answer is which of six requests pass a limit of five."""
    hit, next_key = limiter(MANY), cycle([f"client {n}" for n in range(KEYS)]).__next__
    strangers = map("stranger {}".format, count())

    def answer() -> list[bool]:
        few, client = limiter(FEW), next(strangers)
        admitted = [few(client) for _ in range(FEW + 1)]
        return [bool(getattr(decision, "allowed", decision)) for decision in admitted]

    return by_python(lambda: hit(next_key()), answer)


def by_sluice(url: str, algorithm: str) -> Contender:
    """Measures the limiter of sluice."""
    import sluice

    def limiter(limit: int) -> Hit:
        options = {"algorithm": algorithm, "prefix": f"bench{limit}"}
        return sluice.RateLimiter(limit, WINDOW, storage=url, on_error="refuse", **options).check

    return contender(limiter)


def by_limits(url: str, strategy: str | None) -> Peer:
    """Measures the limiter of limits."""
    if strategy is None:
        return Missing("limits has no such algorithm")
    import limits

    shared = getattr(limits.strategies, strategy)(limits.storage.storage_from_string(url))

    def limiter(limit: int) -> Hit:
        item = limits.RateLimitItemPerSecond(limit, WINDOW)
        return lambda key: shared.hit(item, strategy, key)

    return contender(limiter)


def cells() -> Iterator[Cell]:
    """Yields a cell an algorithm, beside commands that the server answers at once."""
    import redis
    from redis_server import running_redis

    with tempfile.TemporaryDirectory() as folder, running_redis(Path(folder)) as server:
        client = redis.Redis(port=server.port, protocol=2)
        trips = {"PING": client.ping, "GET": lambda: client.get("client 0")}
        for algorithm, strategy in ALGORITHMS.items():
            ours = by_sluice(server.url, algorithm)
            # A round trip decides nothing that could be compared.
            peers: dict[str, Peer] = {
                name: replace(by_python(trip), answer=ours.answer) for name, trip in trips.items()
            }
            peers["limits"] = by_limits(server.url, strategy)
            yield Cell(f"{NAME}: {algorithm.replace('_', ' ')}", "RateLimiter", ours, peers)
