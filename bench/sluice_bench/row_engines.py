# SPDX-License-Identifier: MIT
"""Counts and pages of the generated rows, which every engine holds in memory."""

import json
from collections.abc import Iterator
from typing import Any

import duckdb
import numpy as np
import orjson

from .context import Context
from .data import Data
from .measuring import Cell, Library, LineProcess, Missing, Run
from .queries import (
    KEY,
    NEWEST_FIRST,
    Clause,
    Query,
    counted_queries,
    literal,
    paged_queries,
    parse,
    where,
)

BATCH = 1 << 20  # rows
MOST_DUCKDB_ROWS = 50_000_000  # beside sluice's in 32 GB
HABITS = 60 * [KEY] + 20 * [KEY[:2]] + 20 * [KEY[1:]]


class DuckdbTable(Library):
    """A table of ENUM columns in time order.

    `count` prepares its statement. `page` begins with the query string and ends with its JSON.
    """

    version = duckdb.__version__
    settings = (
        "ENUM columns (VARCHAR for metadata), rows in time order so that zone maps skip; counts as"
        " prepared statements, pages as Top-N with late materialisation, JSON by orjson;"
        " threads = threads"
    )

    def __init__(self, rows: Data, threads: int) -> None:
        """Makes the table."""
        self._names = ["id", "time", *rows.dimensions, "metadata"]
        self._run = duckdb.connect(":memory:", config={"threads": threads}).execute
        self._prepared = 0
        types = {"id": "VARCHAR", "time": "BIGINT"}
        for name, texts in rows.texts.items():
            types[name] = "VARCHAR" if name == "metadata" else f'"{name}_values"'
            if name != "metadata":
                values = ", ".join(map(literal, texts))
                self._run(f'CREATE TYPE "{name}_values" AS ENUM ({values})')
        columns = ", ".join(f'"{name}" {kind}' for name, kind in types.items())
        self._run(f"CREATE TABLE events ({columns})")
        casts = ", ".join(f'CAST("{name}" AS {kind})' for name, kind in types.items())
        for batch in rows.tables(BATCH):  # noqa: B007, named in the statement
            self._run(f"INSERT INTO events SELECT {casts} FROM batch")

    def count(self, text: str) -> Run:
        """Runs a prepared statement."""
        self._prepared += 1
        name = f"count_{self._prepared}"
        self._run(f"PREPARE {name} AS SELECT count(*) FROM events{where(parse(text))}")
        return lambda: int(self._run(f"EXECUTE {name}").fetchall()[0][0])

    def page(self, text: str) -> Run:
        """Parses, plans, runs, fetches, writes."""
        columns = ", ".join(f'"{name}"' for name in self._names)

        def run() -> bytes:
            query = parse(text)
            tail = f"{NEWEST_FIRST} LIMIT {query.limit} OFFSET {query.offset}"
            rows = self._run(f"SELECT {columns} FROM events{where(query)} {tail}").fetchall()
            shown = [dict(zip(self._names, row, strict=True)) for row in rows]
            for row in shown:
                row["metadata"] = orjson.Fragment(row["metadata"])
            return orjson.dumps(shown)

        return run


class Croaring:
    """CRoaring in C++, held and measured by the driver, which ends with the run."""

    settings = (
        "in C++, a bitmap a value, run-optimised and at hand before a count begins; one column by"
        " cardinality or range_cardinality, more by AND from the smallest on, in place, the last"
        " step as and_cardinality; windows of several columns as a range to AND; pages by select"
        " and an iterator, with sluice's JSON"
    )

    def __init__(self, driver: LineProcess, rows: Data) -> None:
        """Has the driver make the bitmaps."""
        self._driver = driver
        self.version = driver.ask(f"answer roaring_load {rows.folder}")

    def contender(self, operation: str, read: Any) -> Any:  # noqa: ANN401
        """Counts with the bitmaps of the values at hand; makes pages from the query string on."""
        return self._driver.contender(f"roaring_{operation}", read)


def open_engines(driver: LineProcess, rows: Data, threads: int) -> dict[str, Any]:
    """Loads the rows into the engines that are there and that they fit into."""
    engines: dict[str, Any] = {
        "DuckDB": Missing(f"measured with at most {MOST_DUCKDB_ROWS:,} rows"),
        "CRoaring": Missing("not built: compare.py without --no-setup builds it"),
    }
    if rows.rows <= MOST_DUCKDB_ROWS:
        engines["DuckDB"] = DuckdbTable(rows, threads)
    if "roaring_count" in driver.ask("names").split():
        engines["CRoaring"] = Croaring(driver, rows)
    return engines


def learn(driver: LineProcess, rows: Data) -> None:
    """Has sluice project counts on what is asked, as its servers do.

    It learns from queries of its own, for the values of rows that a seed draws: none of those that
    are measured.
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
    learn(driver, rows)
    engines = open_engines(driver, rows, context.threads)
    context.collector.describe(**engines)
    for form, queries, read in (
        ("count", counted_queries(rows), int),
        ("page", paged_queries(rows), json.loads),
    ):
        for task, query in queries.items():
            operation = f"{form} {query.text()}"
            yield Cell(f"{form}: {task}", "store::select", operation, driver, engines, read)
