# SPDX-License-Identifier: MIT
"""A limit shared through Redis, beside the package limits and bare round trips."""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import redis
from limits.storage import storage_from_string
from redis_server import running_redis

from .measuring import Cell, Library, Missing, Source, by_python
from .tasks import Limits, limits_limiter, sluice_limiter

NAME = "Redis"
FEW = 5  # a limit that is compared: of so few that none of them comes back meanwhile
# By algorithm, the class of limits.
ALGORITHMS = {
    "sliding_window": "SlidingWindowCounterRateLimiter",
    "fixed_window": "FixedWindowRateLimiter",
    "sliding_log": "MovingWindowRateLimiter",
    "gcra": None,
}


def round_trip(command: Callable[[], object]) -> Library:
    """Returns a command that the server answers at once: it decides nothing to compare."""
    return Library(limit=lambda _: by_python(command, lambda: str(FEW)))


def cells() -> Iterator[Cell]:
    """Yields a cell an algorithm; clients are many, so that none is refused."""
    with tempfile.TemporaryDirectory() as folder, running_redis(Path(folder)) as server:
        client = redis.Redis(port=server.port, protocol=2)
        trips = {"PING": round_trip(client.ping), "GET": round_trip(lambda: client.get("key_0"))}
        for algorithm, strategy in ALGORITHMS.items():
            options = {"algorithm": algorithm, "prefix": algorithm, "on_error": "refuse"}
            ours = Limits(sluice_limiter(storage=server.url, **options), FEW, FEW + 1)
            theirs: Source = Missing("limits has no such algorithm")
            if strategy:
                storage = storage_from_string(server.url, key_prefix=strategy)
                theirs = Limits(limits_limiter(strategy, storage), FEW, FEW + 1)
            name, peers = f"{NAME}: {algorithm.replace('_', ' ')}", {**trips, "limits": theirs}
            yield Cell(name, "RateLimiter", "limit 10000", ours, peers)
