# SPDX-License-Identifier: MIT
"""Tasks that need no engine: parameters, rate limits, JSON, loads of a folder, masks."""

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import count, cycle
from pathlib import Path
from typing import Any

import duckdb
import limits
import msgspec
import numpy as np
import orjson
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
from limits.storage import MemoryStorage, Storage

import sluice

from .context import Context, start_peer
from .measuring import Cell, Contender, Library, Run, by_python
from .models import OURS, PYDANTIC, canonical_events, canonical_orders
from .queries import counted_queries

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
    peers = {"pydantic": PYDANTIC}
    for number, text in ((6, SIX), (40, FORTY)):
        name, operation = f"validate: {number} parameters", f"validate {text}"
        for what, where, source in (
            ("parse_events_query", "", context.driver),
            ("EventsQuery.parse", ", from Python", OURS),
        ):
            yield Cell(name + where, what, operation, source, peers, canonical_events)
    name = "validate: a declared endpoint, from Python"
    yield Cell(name, "ListQuery.parse", f"orders {ORDERS}", OURS, peers, canonical_orders)


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


# --- JSON ----------------------------------------------------------------------------------------


ERROR = (
    "'-' before a single item (at byte {}), exclude the whole list with one leading '-', or escape"
    " it as '\\-'"
)
ERROR_URL = "https://example.com/docs/api-reference/errors#bad-request"


def encoder(context: Context, encode: Callable[[object], bytes]) -> Library:
    """Returns a writer of JSON: it has the rows of a page at hand, and makes an error's body."""

    def render(query: str) -> Run:
        return partial(encode, json.loads(context.driver.ask(f"answer render {query}")))

    def error(at: str) -> Run:
        def run() -> bytes:
            error = {"code": "bad_request", "message": ERROR.format(at), "doc_url": ERROR_URL}
            return encode({"error": error})

        return run

    return Library(render=render, error=error)


def writes(context: Context) -> Iterator[Cell]:
    """Yields pages of 100 and 1,000 rows, and an error."""
    packages = {"orjson": orjson.dumps, "msgspec": msgspec.json.Encoder().encode}
    peers = {name: encoder(context, encode) for name, encode in packages.items()}
    for limit in (100, 1000):
        query = replace(counted_queries(context.data)["1 equality"], limit=limit)
        operation = f"render {query.text()}"
        yield Cell(
            f"JSON: page of {limit}",
            "store::json_rows",
            operation,
            context.driver,
            peers,
            json.loads,
        )
    yield Cell("JSON: error envelope", "error_body", "error 3", context.driver, peers, json.loads)


# --- A folder of NDJSON, read into tables --------------------------------------------------------

EVENTS = ("clicks", "leads", "sales")


def load_by_duckdb(folder: str, threads: int) -> int:
    """Reads the files into tables by read_json, and counts the rows."""
    with duckdb.connect(":memory:", config={"threads": threads}) as connection:
        for name in EVENTS:
            source = f"read_json('{folder}/{name}.ndjson', format = 'newline_delimited')"
            connection.execute(f"CREATE TABLE {name} AS FROM {source}")
        return sum(len(connection.table(name)) for name in EVENTS)


def load_by_polars(folder: str) -> int:
    """Reads the files by read_ndjson, and counts the rows."""
    files = (Path(folder, f"{name}.ndjson") for name in EVENTS)
    return sum(len(pl.read_ndjson(file, infer_schema_length=None)) for file in files)


def loads(context: Context) -> Iterator[Cell]:
    """Yields one cell; sluice checks every field and resolves links and customers."""
    peers = {
        "DuckDB": Library(ingest=lambda folder: partial(load_by_duckdb, folder, context.threads)),
        "polars": Library(ingest=lambda folder: partial(load_by_polars, folder)),
    }
    operation = f"ingest {context.sample}"
    yield Cell("ingest: NDJSON folder", "load_folder", operation, context.driver, peers, int)


# --- Masks over columns in Python ----------------------------------------------------------------


def sluice_mask(array: pa.Array, values: list[str]) -> Run:
    """Masks by a filter of sluice."""
    return partial(sluice.Filter.parse(",".join(values)).mask, array)


def polars_mask(array: pa.Array, values: list[str]) -> Run:
    """Masks a Series of the same array."""
    return partial(pl.Series(pl.from_arrow(array)).is_in, values)


def pyarrow_mask(array: pa.Array, values: list[str]) -> Run:
    """Masks by is_in() of pyarrow."""
    return partial(pc.is_in, array, value_set=pa.array(values))


def masks(context: Context) -> Iterator[Cell]:
    """Yields a filter of four values over texts, and over codes."""
    column = context.data.dictionary("country")
    arrays = {"texts": column.cast("string"), "dictionary": column}
    values = [context.data.frequent("country", rank) for rank in (1, 3, 5, 7)]

    def by(mask: Callable[[pa.Array, list[str]], Run]) -> Library:
        return Library(mask=lambda form: mask(arrays[form], values))

    ours, peers = by(sluice_mask), {"pyarrow": by(pyarrow_mask), "polars": by(polars_mask)}
    for form in arrays:
        yield Cell(f"mask: {form}", "Filter.mask", f"mask {form}", ours, peers, np.count_nonzero)
