# SPDX-License-Identifier: MIT
"""Tasks that need no engine: parameters, rate limits, masks."""

import random
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count, cycle
from typing import Any

import limits
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
from limits.storage import MemoryStorage, Storage

import sluice

from .context import Context, start_peer
from .measuring import Cell, Contender, Library, by_python
from .models import MSGSPEC, OURS, PYDANTIC, canonical_events, canonical_orders

# --- Parameters, from raw query strings to checked values ----------------------------------------

SIX = "event=clicks&country=US,CA&device=-Mobile&interval=7d&limit=50&page=2"
FORTY = (
    "event=sales&domain=smcp.link&key=W-q_3t4&linkId=link_1,link_2&externalId=ext_1&tenantId=t_1"
    "&tagId=tag_1,tag_2&folderId=f_1&partnerTagId=p_1&groupId=g_1&partnerId=pn_1&customerId=c_1"
    "&interval=30d&start=2026-08-01&end=2026-08-20T12:00:00Z&timezone=UTC&country=-US,CA"
    "&city=Paris&region=US-CA&continent=EU&device=Desktop&browser=Chrome&os=iOS&trigger=qr"
    "&referer=example.com&refererUrl=https://example.com/a&url=https://example.com/b"
    "&utm_source=google&utm_medium=cpc&utm_campaign=launch&utm_term=shoes&utm_content=a&root=false"
    "&saleType=new&query=metadata['plan']:'pro'&page=2&limit=50&sortOrder=asc&sortBy=timestamp"
    "&order=desc"
)
ORDERS = (
    "status=open,paid&customer=-c_1&total[gte]=10.50&interval=7d&order=-total,created"
    "&page=2&limit=50"
)


def validations(context: Context) -> Iterator[Cell]:
    """Yields six and forty parameters, in C++ and from Python, then a declared endpoint.

    Peers check the length of `query` only and read no relative times; sluice parses both.
    """
    peers = {"pydantic": PYDANTIC, "msgspec": MSGSPEC}
    for number, text in ((6, SIX), (40, FORTY)):
        name, operation = f"validate: {number} parameters", f"validate {text}"
        for what, where, source in (
            ("parse_events_query", "", context.driver),
            ("EventsQuery.parse", ", from Python", OURS),
        ):
            yield Cell(name + where, what, operation, source, peers, canonical_events)
    name, declared = "validate: a declared endpoint, from Python", {"pydantic": PYDANTIC}
    yield Cell(name, "ListQuery.parse", f"orders {ORDERS}", OURS, declared, canonical_orders)


# --- Rate limits ---------------------------------------------------------------------------------

Hit = Callable[[str], bool]
Limiter = Callable[[int], Hit]  # of a limit a minute

MANY = 100_000_000


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


def decisions(context: Context) -> Iterator[Cell]:
    """Yields one hot key and a million in random order, in C++ and from Python."""
    ours = Limits(sluice_limiter(max_keys=1_000_001))
    theirs = Limits(limits_limiter("SlidingWindowCounterRateLimiter", MemoryStorage()))
    peers = {"limits": theirs, "rate-limiter-flexible": start_peer("node")}
    compiled = {**peers, "governor": start_peer("rust")}
    for name, keys in (("1 hot key", 1), ("1e6 random keys", 1_000_000)):
        operation = f"limit {keys}"
        yield Cell(f"limit: {name}", "keyed_limiter", operation, context.driver, compiled)
        yield Cell(f"limit: {name}, from Python", "RateLimiter", operation, ours, peers)


# --- Masks over columns in Python ----------------------------------------------------------------


def masks(context: Context) -> Iterator[Cell]:
    """Yields a filter of four values over texts, as an Arrow array and as a Series."""
    array = context.data.dictionary("country").cast("string")
    values = [context.data.frequent("country", rank) for rank in (1, 3, 5, 7)]
    mask, series = sluice.Filter.parse(",".join(values)).mask, pl.Series(array)
    names = pa.array(values)
    peers = {
        "pyarrow": Library(mask=lambda _: partial(pc.is_in, array, value_set=names)),
        "polars": Library(mask=lambda _: partial(series.is_in, values)),
    }
    ours = Library(mask=lambda _: partial(mask, array))
    yield Cell("mask: texts", "Filter.mask", "mask", ours, peers, np.count_nonzero)
