# SPDX-License-Identifier: MIT
"""Counts and pages of the generated rows, which are compared with a look at each row."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .context import Context
from .data import Data
from .measuring import Cell, Contender, LineProcess, Missing, Read, Source, check_equal
from .queries import KEY, WEEK, Clause, Query

HABITS = 60 * [KEY] + 20 * [KEY[:2]] + 20 * [KEY[1:]]


def counts(data: Data) -> dict[str, Query]:
    """Returns the queries that are counted: of the most frequent values."""

    def equals(*columns: str) -> tuple[Clause, ...]:
        return tuple(Clause(name, (data.frequent(name),)) for name in columns)

    country, plan = equals("country"), Clause("plan", ("business",))
    return {
        "1 equality": Query(country),
        "2 equalities": Query(equals("country", "device")),
        "2 equalities, outside the key": Query(equals("os", "utm_source")),
        "3 equalities": Query(equals(*KEY)),
        "1 equality in 7 of 90 days": Query(country, *WEEK),
        "metadata and 1 equality": Query((*country, plan)),
    }


def pages(data: Data) -> dict[str, Query]:
    """Returns the queries whose pages are made."""
    country = (Clause("country", (data.frequent("country"),)),)
    rare = (Clause("url", (data.rare("url", 1e-6),)),)
    return {
        "100 of 1 equality": Query(country),
        "100 of a rare value": Query(rare),
        "100 in 7 of 90 days": Query(country, *WEEK),
    }


# --- Answers without an index --------------------------------------------------------------------


def selected(data: Data, query: Query) -> NDArray[np.int64]:
    """Returns the numbers of the rows that a query of equalities selects."""
    is_selected = np.ones(data.rows, bool)
    for clause in query.clauses:
        code = data.texts[clause.column].index(clause.values[0]) + 1
        is_selected &= data.codes[clause.column] == code
    if query.start is not None:
        is_selected &= (data.times >= query.start) & (data.times <= query.end)
    return np.flatnonzero(is_selected)


def shown(data: Data, row: int) -> dict[str, Any]:
    """Returns a row as a page shows it."""
    values = {
        name: data.texts[name][codes[row] - 1] if codes[row] else None
        for name, codes in data.codes.items()
        if name != "plan"
    }
    values["metadata"] = json.loads(values["metadata"])
    return {"id": f"ev_{data.ids[row]}", "time": int(data.times[row]), **values}


def expected(form: str, data: Data, query: Query) -> object:
    """Returns a count, or a page with the newest row first."""
    rows = selected(data, query)
    if form == "count":
        return len(rows)
    return [shown(data, int(row)) for row in rows[::-1][: query.limit]]


# --- Cells ---------------------------------------------------------------------------------------


class Croaring:
    """CRoaring in C++, held and measured by the driver: bitmaps are at hand before a count begins.

    `count` starts with the values looked up, `page` with the query string.
    """

    def __init__(self, driver: LineProcess, rows: Data) -> None:
        """Has the driver make the bitmaps."""
        self._driver = driver
        self.version = driver.ask(f"answer roaring_load {rows.folder}")

    def contender(self, operation: str, read: Read) -> Contender:
        """Returns the driver's contender."""
        return self._driver.contender(f"roaring_{operation}", read)


def open_croaring(context: Context) -> Source:
    """Loads the rows into CRoaring, if the driver has it."""
    try:
        croaring = Croaring(context.driver, context.data)
    except RuntimeError:
        return Missing("not built: compare.py without --no-setup builds it")
    context.collector.versions["CRoaring"] = croaring.version
    return croaring


def learn(driver: LineProcess, rows: Data) -> None:
    """Has sluice project counts on frequent columns, as its servers do.

    It learns from queries for the values of rows that a seed draws: none of those that are
    measured.
    """
    rng = np.random.default_rng(2)
    habits = []
    for columns in HABITS:
        row = int(rng.integers(rows.rows))
        codes = [(column, int(rows.codes[column][row])) for column in columns]
        clauses = [Clause(name, (rows.texts[name][code - 1],)) for name, code in codes]
        habits.append(Query(tuple(clauses)).text())
    driver.ask(f"answer learn {' '.join(habits)}")


def cells(context: Context) -> Iterator[Cell]:
    """Yields all counts, then all pages. The driver starts from the query string in both."""
    driver, rows = context.driver, context.data
    driver.ask(f"answer load {rows.folder}")
    learn(driver, rows)
    peers = {"CRoaring": open_croaring(context)}
    for form, queries, read in (("count", counts(rows), int), ("page", pages(rows), json.loads)):
        for task, query in queries.items():
            name, operation = f"{form}: {task}", f"{form} {query.text()}"
            answers = {"a look at each row": expected(form, rows, query)}
            check_equal(name, answers | {"sluice": read(driver.ask(f"answer {operation}"))})
            yield Cell(name, "store::select", operation, driver, peers, read)
