# SPDX-License-Identifier: MIT
"""Rate limits: in memory beside limiters of four languages, and shared through Redis."""

import random
import shutil
import tempfile
from collections.abc import Callable, Iterator
from itertools import count, cycle
from pathlib import Path
from typing import Any

import limits
import redis
from limits.storage import MemoryStorage, Storage, storage_from_string
from redis_server import running_redis

import sluice

from .context import Context
from .environment import PEERS
from .measuring import Cell, Contender, Library, LineProcess, Missing, Source, by_python

Hit = Callable[[str], bool]
Limiter = Callable[[int], Hit]  # of a limit a minute

MANY = 100_000_000
FEW = 5  # a limit that is compared: of so few that none of them comes back meanwhile
# By algorithm, the class of limits.
ALGORITHMS = {
    "sliding_window": "SlidingWindowCounterRateLimiter",
    "fixed_window": "FixedWindowRateLimiter",
    "sliding_log": "MovingWindowRateLimiter",
    "gcra": None,
}


class Limits(Library):
    """A limiter from Python. It reads the clock; in C++ and Rust the time is an argument."""

    def __init__(self, limiter: Limiter, few: int = 600, requests: int = 1_000) -> None:
        """Takes the limit that is compared, and the number of requests that try to pass it."""
        self._limiter = limiter
        self._few = few
        self._requests = requests
        self._strangers = map("stranger_{}".format, count())

    def limit(self, keys: str) -> Contender:
        """Measures known keys in random order; the answer counts requests of a new one."""
        hit, known = self._limiter(MANY), [f"key_{k}" for k in range(int(keys))]
        for key in known:
            hit(key)
        next_key = cycle(random.Random(1).choices(known, k=1 << 20)).__next__

        def answer() -> str:
            few, stranger = self._limiter(self._few), next(self._strangers)
            return str(sum(few(stranger) for _ in range(self._requests)))

        return by_python(lambda: hit(next_key()), answer)


def sluice_limiter(**options: Any) -> Limiter:  # noqa: ANN401
    """Makes limiters of sluice."""

    def limiter(limit: int) -> Hit:
        check = sluice.RateLimiter(limit, 60, **options).check
        return lambda key: check(key).allowed

    return limiter


def limits_limiter(strategy: str, storage: Storage) -> Limiter:
    """Makes limiters of limits, by the name of their class."""

    def limiter(limit: int) -> Hit:
        hit = getattr(limits.strategies, strategy)(storage).hit
        item = limits.RateLimitItemPerMinute(limit)
        return lambda key: hit(item, key)

    return limiter


def start_peer(name: str) -> LineProcess | Missing:
    """Starts a peer's program in another language, if its tool has built it."""
    tool, built, command = PEERS[name]
    if built.exists():
        return LineProcess(*command)
    return Missing("not built" if shutil.which(tool) else f"{tool} is not installed")


def cells(context: Context) -> Iterator[Cell]:
    """Yields one hot key and a million in random order, in C++ and from Python."""
    ours = Limits(sluice_limiter(max_keys=1_000_001))
    theirs = Limits(limits_limiter("SlidingWindowCounterRateLimiter", MemoryStorage()))
    peers = {"limits": theirs, "rate-limiter-flexible": start_peer("node")}
    compiled = {**peers, "governor": start_peer("rust")}
    for name, keys in (("1 hot key", 1), ("1e6 random keys", 1_000_000)):
        operation = f"limit {keys}"
        yield Cell(f"limit: {name}", "keyed_limiter", operation, context.driver, compiled)
        yield Cell(f"limit: {name}, from Python", "RateLimiter", operation, ours, peers)


def round_trip(command: Callable[[], object]) -> Library:
    """Returns a command that the server answers at once: it decides nothing to compare."""
    return Library(limit=lambda _: by_python(command, lambda: str(FEW)))


def shared_cells() -> Iterator[Cell]:
    """Yields a cell an algorithm of Redis; clients are many, so that none is refused."""
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
            name, peers = f"Redis: {algorithm.replace('_', ' ')}", {**trips, "limits": theirs}
            yield Cell(name, "RateLimiter", "limit 10000", ours, peers)
