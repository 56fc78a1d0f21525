# SPDX-License-Identifier: MIT
"""Counts and pages of the same rows in every engine."""

import json
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ..cell import Cell, Contender, Missing, python_contender, translated
from ..context import Context, by_driver
from ..data import END_MS, Data
from ..engines.base import Engine
from ..engines.croaring import Croaring
from ..line_process import LineProcess
from ..queries import Clause, Query

KEY = ("country", "device", "browser")  # what sluice learns to project counts on
DAY_MS = 24 * 3600 * 1000
HABITS = 60 * [KEY] + 20 * [KEY[:2]] + 20 * [KEY[1:]]
Engines = dict[str, Engine | Croaring | Missing]


def value(data: Data, column: str, rank: int = 1) -> str:
    """The value of a rank among the column's, 1 the most frequent."""
    order = np.argsort(-data.counts(column)[1:], kind="stable")
    return data.texts[column][int(order[rank - 1])]


def equals(data: Data, column: str, rank: int = 1) -> Clause:
    """The clause that asks for one value."""
    return Clause(column, (value(data, column, rank),))


def with_share(data: Data, column: str, share: float) -> Clause:
    """The clause whose rows come closest to a share of all, at least one."""
    counts = data.counts(column)[1:]
    wanted = max(1.0, share * data.rows)
    distance = np.where(counts > 0, np.abs(np.log(np.maximum(counts, 1) / wanted)), np.inf)
    return Clause(column, (data.texts[column][int(np.argmin(distance))],))


def learn(driver: LineProcess, data: Data, seed: int = 2) -> str:
    """Has sluice project counts on what is asked, as its servers do; returns the key's columns.

    It learns from queries of its own, for the values of rows that a seed draws: none of those that
    are measured.
    """
    rng = np.random.default_rng(seed)
    asked = []
    for columns in HABITS:
        row = int(rng.integers(data.rows))
        codes = [(column, int(data.codes[column][row])) for column in columns]
        clauses = [Clause(name, (data.texts[name][code - 1],)) for name, code in codes]
        asked.append(Query(tuple(clauses)).text())
    return driver.answer(f"learn {' '.join(asked)}")


def queries(data: Data) -> dict[str, Query]:
    """The queries that are counted."""
    country, device, browser = (equals(data, name) for name in ("country", "device", "browser"))
    more = (equals(data, "os"), equals(data, "utm_source"))
    countries = tuple(value(data, "country", rank) for rank in (1, 3, 5, 7))
    sources = tuple(value(data, "utm_source", rank) for rank in (1, 2))
    start, end = END_MS - 9 * DAY_MS, END_MS - 2 * DAY_MS
    return {
        "1 equality": Query((country,)),
        "2 equalities": Query((country, device)),
        "2 equalities, outside the key": Query(more),
        "3 equalities": Query((country, device, browser)),
        "3 equalities, 2 outside the key": Query((device, *more)),
        "5 equalities, 2 outside the key": Query((country, device, browser, *more)),
        "IN of 4": Query((Clause("country", countries),)),
        "rare value": Query((with_share(data, "url", 1e-6),)),
        "clustered value": Query((equals(data, "link", 20),)),
        "1 equality in 7 of 90 days": Query((country,), start, end),
        "3 equalities in 7 of 90 days": Query((country, device, browser), start, end),
        "3 equalities in 7 of 90 days, 2 outside the key": Query((device, *more), start, end),
        "exclusion of 2": Query((Clause("utm_source", sources, excludes=True),)),
        "metadata": Query(plan="business"),
        "metadata and 1 equality": Query((country,), plan="business"),
        "metadata, raw JSON": Query(plan="business", raw=True),
    }


def pages(data: Data) -> dict[str, Query]:
    """The queries whose pages are made."""
    counted = queries(data)
    one, three = counted["1 equality"], counted["3 equalities"]
    matches = int(data.counts("country")[data.code("country", one.clauses[0].values[0])])
    far = max(1, min(1_000_000, matches // 2) // 100 + 1)
    return {
        "100 of 1 equality": one,
        "1000 of 1 equality": replace(one, limit=1000),
        "100 of 3 equalities": three,
        "100 of a rare value": counted["rare value"],
        "100 in 7 of 90 days": counted["1 equality in 7 of 90 days"],
        f"100 from {(far - 1) * 100:,} on": replace(one, page=far),
    }


def counting(engine: Engine | Croaring | Missing, query: Query) -> Contender | Missing:
    """An engine's count."""
    if isinstance(engine, Missing):
        return engine
    if query.raw and not engine.reads_json:
        return Missing("holds metadata in columns")
    if isinstance(engine, Croaring):
        return translated(engine.counting(query), int)
    run = engine.counter(query)
    return python_contender(run, run)


def paging(engine: Engine | Croaring | Missing, text: str) -> Contender | Missing:
    """An engine's page."""
    if isinstance(engine, Missing):
        return engine
    if isinstance(engine, Croaring):
        return translated(engine.paging(text), json.loads)
    run = engine.pager(text)
    return python_contender(run, lambda: json.loads(run()))


def cells(context: Context, engines: Engines) -> Iterator[Cell]:
    """All counts, then all pages. The driver starts from the query string in both."""
    for name, query in queries(context.data).items():
        operation = "count_raw" if query.raw else "count"
        ours = translated(by_driver(context, f"{operation} {query.text()}"), int)
        peers = {peer: counting(engine, query) for peer, engine in engines.items()}
        yield Cell(f"count: {name}", "store::select", ours, peers, float(context.data.rows), "rows")
    for name, query in pages(context.data).items():
        ours = translated(by_driver(context, f"page {query.text()}"), json.loads)
        peers = {peer: paging(engine, query.text()) for peer, engine in engines.items()}
        yield Cell(f"page: {name}", "store::select", ours, peers)
