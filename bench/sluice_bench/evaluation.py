# SPDX-License-Identifier: MIT
"""Counts and pages of the same rows in every engine."""

import json
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from .data import END_MS, Clause, Data, Query
from .measuring import Cell, LineProcess, Missing
from .row_engines import Engine

KEY = ("country", "device", "browser")  # what sluice learns to project counts on
DAY_MS = 24 * 3600 * 1000
HABITS = 60 * [KEY] + 20 * [KEY[:2]] + 20 * [KEY[1:]]


def value(data: Data, column: str, rank: int = 1) -> str:
    """Returns the value of a rank among the column's, 1 the most frequent."""
    order = np.argsort(-data.counts(column)[1:], kind="stable")
    return data.texts[column][int(order[rank - 1])]


def equals(data: Data, column: str, rank: int = 1) -> Clause:
    """Returns the clause that asks for one value."""
    return Clause(column, (value(data, column, rank),))


def with_share(data: Data, column: str, share: float) -> Clause:
    """Returns the clause whose rows come closest to a share of all, at least one."""
    counts = data.counts(column)[1:]
    wanted = max(1.0, share * data.rows)
    distance = np.where(counts > 0, np.abs(np.log(np.maximum(counts, 1) / wanted)), np.inf)
    return Clause(column, (data.texts[column][int(np.argmin(distance))],))


def learn(driver: LineProcess, data: Data, seed: int = 2) -> None:
    """Has sluice project counts on what is asked, as its servers do.

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
    driver.ask(f"answer learn {' '.join(asked)}")


def queries(data: Data) -> dict[str, Query]:
    """Returns the queries that are counted."""
    country, device, browser = (equals(data, name) for name in KEY)
    more = (equals(data, "os"), equals(data, "utm_source"))
    countries = tuple(value(data, "country", rank) for rank in (1, 3, 5, 7))
    sources = tuple(value(data, "utm_source", rank) for rank in (1, 2))
    start, end = END_MS - 9 * DAY_MS, END_MS - 2 * DAY_MS
    return {
        "1 equality": Query((country,)),
        "2 equalities": Query((country, device)),
        "2 equalities, outside the key": Query(more),
        "3 equalities": Query((country, device, browser)),
        "5 equalities, 2 outside the key": Query((country, device, browser, *more)),
        "IN of 4": Query((Clause("country", countries),)),
        "rare value": Query((with_share(data, "url", 1e-6),)),
        "1 equality in 7 of 90 days": Query((country,), start, end),
        "3 equalities in 7 of 90 days": Query((country, device, browser), start, end),
        "3 equalities in 7 of 90 days, 2 outside the key": Query((device, *more), start, end),
        "exclusion of 2": Query((Clause("utm_source", sources, excludes=True),)),
        "metadata": Query(plan="business"),
        "metadata and 1 equality": Query((country,), plan="business"),
    }


def pages(data: Data) -> dict[str, Query]:
    """Returns the queries whose pages are made."""
    counted = queries(data)
    one = counted["1 equality"]
    matches = int(data.counts("country")[data.code("country", one.clauses[0].values[0])])
    far = max(1, min(1_000_000, matches // 2) // 100 + 1)
    return {
        "100 of 1 equality": one,
        "1000 of 1 equality": replace(one, limit=1000),
        "100 of a rare value": counted["rare value"],
        "100 in 7 of 90 days": counted["1 equality in 7 of 90 days"],
        f"100 from {(far - 1) * 100:,} on": replace(one, page=far),
    }


def cells(driver: LineProcess, data: Data, name: str, engine: Engine | Missing) -> Iterator[Cell]:
    """Yields all counts, then all pages. The driver starts from the query string in both."""
    for task, query in queries(data).items():
        ours = driver.contender(f"count {query.text()}", int)
        peer = engine if isinstance(engine, Missing) else engine.counting(query)
        yield Cell(f"count: {task}", "store::select", ours, {name: peer})
    for task, query in pages(data).items():
        ours = driver.contender(f"page {query.text()}", json.loads)
        peer = engine if isinstance(engine, Missing) else engine.paging(query.text())
        yield Cell(f"page: {task}", "store::select", ours, {name: peer})
