# SPDX-License-Identifier: MIT
"""Ranges, orders and parts of texts over distinct values, beside engines and a plain loop."""

import json
import sqlite3
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import duckdb
import polars as pl

from .context import Context
from .measuring import Cell, Contender, Library, LineProcess, Read

FIRST_MS, STEP_MS = 1_700_000_000_000, 977
# The rows of driver/numbers.hpp, in SQL of DuckDB.
ROWS = """CREATE TABLE numbered AS SELECT printf('r%07d', i) AS id, p AS count,
    CAST(CAST(p AS DECIMAL(12, 2)) * 0.01 AS DECIMAL(12, 2)) AS total,
    {first} + p * {step} AS paid, printf('%08x %d', p * 2654435761 % 4294967296, p) AS name
    FROM (SELECT i, (i * 7654321 + 12345) % {rows} AS p FROM range({rows}) AS _(i))"""


class Task(NamedTuple):
    """A count or a page, for sluice and in SQL."""

    form: str
    text: str  # a query string
    sql: str  # a condition
    polars: pl.Expr
    order: str = "count"


def tasks(rows: int) -> dict[str, Task]:
    """Returns ranges of a quarter of the rows, and pages of all rows and of such a range."""
    low, high = rows // 4, rows // 2
    first, last = FIRST_MS + low * STEP_MS, FIRST_MS + high * STEP_MS
    part, everything = "99", pl.lit(value=True)
    within = (f"count[gte]={low}&count[lte]={high}", f"count BETWEEN {low} AND {high}")
    cents = [f"{number // 100}.{number % 100:02d}" for number in (low, high)]
    paid = f"paid[gte]={first}&paid[lte]={last}"
    decimals = [pl.lit(cent).str.to_decimal(scale=2) for cent in cents]
    tests = {
        "range of integers": Task("count", *within, pl.col("count").is_between(low, high)),
        "range of decimals": Task(
            "count",
            f"total[gte]={cents[0]}&total[lte]={cents[1]}",
            f"total BETWEEN {cents[0]} AND {cents[1]}",
            pl.col("total").is_between(decimals[0], decimals[1]),
        ),
        "range of times": Task(
            "count",
            paid,
            f"paid BETWEEN {first} AND {last}",
            pl.col("paid").is_between(first, last),
        ),
        "part of a text": Task(
            "count",
            f"part={part}",
            f"name LIKE '%{part}%'",
            pl.col("name").str.contains(part, literal=True),
        ),
    }
    pages = {
        f"100 by {order}": Task("page", f"sortBy=-{order}", "true", everything, order)
        for order in ("count", "total", "paid", "name")
    }
    ranged = tests["range of integers"]._replace(form="page", order="paid")
    pages["100 of a range by paid"] = ranged._replace(text=f"{ranged.text}&sortBy=-paid")
    return tests | pages


def answer_of(value: Any) -> object:  # noqa: ANN401
    """Returns a count, or the ids of a page."""
    read = json.loads(value) if isinstance(value, str) else value
    return [row["id"] for row in read] if isinstance(value, str) and value[0] == "[" else read


class Loop:
    """The loop over an array of structs, in the driver."""

    def __init__(self, driver: LineProcess) -> None:
        """Takes the driver, which has the rows."""
        self._driver = driver

    def contender(self, operation: str, read: Read) -> Contender:
        """Returns the driver's contender."""
        return self._driver.contender(f"loop_{operation}", read)


def peers_of(context: Context, by_text: dict[str, Task]) -> dict[str, Any]:
    """Returns engines that hold the rows; SQLite has an index of each column."""
    engine = duckdb.connect(config={"threads": context.threads})
    sizes = {"rows": context.data.rows, "first": FIRST_MS, "step": STEP_MS}
    engine.execute(ROWS.format(**sizes))
    frame = pl.DataFrame(engine.sql("SELECT * FROM numbered").to_arrow_table())
    lite = sqlite3.connect(":memory:")
    lite.execute("CREATE TABLE numbered (id TEXT, count INT, total REAL, paid INT, name TEXT)")
    rows = frame.with_columns(pl.col("total").cast(pl.Float64)).iter_rows()
    lite.executemany("INSERT INTO numbered VALUES (?, ?, ?, ?, ?)", rows)
    for name in ("count", "total", "paid", "name"):
        lite.execute(f"CREATE INDEX by_{name} ON numbered ({name})")
    lite.execute("ANALYZE")

    def by_sql(connection: Any, text: str) -> Any:  # noqa: ANN401
        task = by_text[text]
        if task.form == "count":
            statement = f"SELECT count(*) FROM numbered WHERE {task.sql}"
            return lambda: connection.execute(statement).fetchone()[0]
        order = f"ORDER BY {task.order} DESC, id DESC LIMIT 100"
        page = f"SELECT id FROM numbered WHERE {task.sql} {order}"
        return lambda: [row[0] for row in connection.execute(page).fetchall()]

    def by_polars(text: str) -> Any:  # noqa: ANN401
        task = by_text[text]
        matching = frame.lazy().filter(task.polars)
        if task.form == "count":
            return lambda: matching.select(pl.len()).collect().item()
        page = matching.sort(task.order, "id", descending=True).head(100).select("id")
        return lambda: page.collect()["id"].to_list()

    def library(make: Any) -> Library:  # noqa: ANN401
        return Library(number_count=make, number_page=make)

    context.collector.versions |= {"DuckDB": duckdb.__version__, "polars": pl.__version__}
    return {
        "loop": Loop(context.driver),
        "DuckDB": library(partial(by_sql, engine)),
        "polars": library(by_polars),
        "SQLite": library(partial(by_sql, lite)),
    }


def cells(context: Context) -> Iterator[Cell]:
    """Yields all tasks."""
    named = tasks(context.data.rows)
    context.driver.ask(f"answer number_load {context.data.rows}")
    peers = peers_of(context, {task.text: task for task in named.values()})
    for name, task in named.items():
        operation = f"number_{task.form} {task.text}"
        what = "store::count" if task.form == "count" else "store::select"
        yield Cell(f"number: {name}", what, operation, context.driver, peers, answer_of)
