# SPDX-License-Identifier: MIT
"""Decisions of rate limiters about one hot key, and about a million keys in random order.

In C++ and Rust's driver the time of a request is an argument; the others read the clock.
"""

import random
from collections.abc import Callable, Iterator
from itertools import cycle
from time import monotonic_ns

from .context import Context
from .measuring import Cell, Contender, Peer, by_python, lacks

MANY, FEW, REQUESTS = 100_000_000, 600, 1_000

Hit = Callable[[str], bool]


def contender(limiter: Callable[[int], Hit], keys: list[str]) -> Contender:
    """Measures a limiter of a limit a minute; the answer is how many of 1,000 requests pass 600."""
    hit = limiter(MANY)
    for key in keys:  # what is measured are known keys
        hit(key)
    next_key = cycle(random.Random(1).choices(keys, k=1 << 20)).__next__

    def answer() -> str:
        few = limiter(FEW)
        return str(sum(few("checked") for _ in range(REQUESTS)))

    return by_python(lambda: hit(next_key()), answer)


def sluice_hit(limit: int) -> Hit:
    """Makes the limiter of sluice from Python."""
    import sluice

    check = sluice.RateLimiter(limit, 60, max_keys=1_000_001).check
    return lambda key: check(key).allowed


def limits_hit(limit: int) -> Hit:
    """Makes the sliding window counter of limits: sluice's default too."""
    from limits import RateLimitItemPerMinute
    from limits.storage import MemoryStorage
    from limits.strategies import SlidingWindowCounterRateLimiter

    limiter = SlidingWindowCounterRateLimiter(MemoryStorage())
    item = RateLimitItemPerMinute(limit)
    return lambda key: limiter.hit(item, key)


def pyrate_hit(limit: int) -> Hit:
    """Makes pyrate-limiter with a bucket in memory for each key, without its leaking thread."""
    from pyrate_limiter import BucketFactory, Duration, InMemoryBucket, Limiter, Rate, RateItem

    rates = [Rate(limit, Duration.MINUTE)]

    class BucketForEachKey(BucketFactory):
        def __init__(self) -> None:
            self.buckets: dict[str, InMemoryBucket] = {}

        def wrap_item(self, name: str, weight: int = 1) -> RateItem:
            return RateItem(name, monotonic_ns() // 1_000_000, weight=weight)

        def get(self, item: RateItem) -> InMemoryBucket:
            bucket = self.buckets.get(item.name)
            if bucket is None:
                bucket = self.buckets[item.name] = InMemoryBucket(rates)
            return bucket

    limiter = Limiter(BucketForEachKey())
    return lambda key: bool(limiter.try_acquire(key, blocking=False))


PEERS = {"limits": ("limits", limits_hit), "pyrate-limiter": ("pyrate_limiter", pyrate_hit)}


def cells(context: Context) -> Iterator[Cell]:
    """Yields both loads, in C++ and from Python."""
    for name, count in (("1 hot key", 1), ("1e6 random keys", 1_000_000)):
        keys = [f"key_{k}" for k in range(count)]
        operation = f"limit {count}"
        peers: dict[str, Peer] = {
            peer: lacks(package) or contender(limiter, keys)
            for peer, (package, limiter) in PEERS.items()
        }
        peers["rate-limiter-flexible"] = context.node.contender(operation)
        compiled = {**peers, "governor": context.rust.contender(operation)}
        ours = context.driver.contender(operation)
        yield Cell(f"limit: {name}", "keyed_limiter", ours, compiled)
        ours = contender(sluice_hit, keys)
        yield Cell(f"limit: {name}, from Python", "RateLimiter", ours, peers)
