# SPDX-License-Identifier: MIT
"""Asks many engines the same random aggregates, and compares them with a plain loop.

    python tests/python/group_sameness.py --queries 200000 --seed 1 --minutes 60

Each 100 aggregates are of other rows. An engine that can't answer refuses by an ApiError. With
SLUICE_TEST_SERVERS=1 PostgreSQL, MariaDB and ClickHouse are asked too, of one world in 16.
"""

import argparse
import json
import math
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
from oracle.grouping import groups_of
from sql_engines import ASKS_SERVERS, Database, DuckDb, Sqlite, load, served_databases

from sluice import ApiError, Column
from sluice.groups import Aggregate

SIZES = ("small", "medium", "Large")
SCHEMA = (
    Column("id"),
    Column("city", is_nullable=True, collation="ignore_case"),
    Column("seats", "integer", is_nullable=True),
    Column("total", "decimal", is_nullable=True),
    Column("score", "real", is_nullable=True),
    Column("created", "time"),
    Column("open", "boolean", is_nullable=True),
    Column("size", "choice", is_nullable=True, choices=SIZES),
    Column("tags", is_list=True),
    Column("marks", "integer", is_list=True, is_nullable=True),
    Column("due", "date", is_nullable=True),
    Column("data", "json", is_nullable=True),
)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
BEGIN = datetime(2026, 10, 20, tzinfo=UTC)
BATCH = 100
MEASURES = {
    "seats": ("sum", "min", "max", "average", "count_distinct"),
    "total": ("sum", "min", "max", "average", "count_distinct"),
    "score": ("sum", "min", "max", "average", "count_distinct"),
    "created": ("min", "max", "count_distinct"),
    "due": ("min", "max", "count_distinct"),
    "city": ("count_distinct",),
    "tags": ("count_distinct",),
}


def rows_of(seed: int, count: int) -> list[dict[str, Any]]:
    """Random rows of Python's values, among them days around the end of summer time."""
    of = Random(seed)
    return [
        {
            "id": f"r{at}",
            "city": of.choice([None, "", "Oslo", "oslo", "É", "b", "a'b", "\U0001f600", "\ufb01"]),
            "seats": of.choice([None, 0, 3, -7, 2**40, of.randrange(100)]),
            "total": of.choice([None, Decimal(10), Decimal("-0.5"), Decimal(of.randrange(9)) / 4]),
            "score": of.choice([None, 0.0, -1.5, of.randrange(9) / 4]),
            "created": BEGIN + timedelta(milliseconds=of.randrange(864_000_000)),
            "open": of.choice([None, True, False]),
            "size": of.choice([None, *SIZES]),
            "tags": [of.choice(("a", "b", "", "é,")) for _ in range(of.randrange(4))],
            "marks": of.choice([None, [], [3], [3, 10, 3], [-7, 10]]),
            "due": of.choice([None, date(2026, 1, 1) + timedelta(days=of.randrange(900))]),
            "data": of.choice([None, {}, {"plan": "pro"}, {"plan": 7, "a": {"b": True}}]),
        }
        for at in range(count)
    ]


def stored(row: dict[str, Any]) -> dict[str, Any]:
    """A row as load() takes it."""
    milliseconds = (row["created"] - EPOCH) // timedelta(milliseconds=1)
    data = None if row["data"] is None else json.dumps(row["data"])
    total = None if row["total"] is None else str(row["total"])
    return {**row, "created": milliseconds, "data": data, "total": total}


Holds = Callable[[dict[str, Any]], bool]


def condition(of: Random) -> tuple[dict[str, Any], Holds, tuple[datetime, datetime] | None]:
    """Random conditions: as a tree, as a function, and the window that they set."""
    begin = BEGIN + timedelta(hours=of.randrange(100))
    last = begin + timedelta(hours=of.randrange(120))
    kind = of.randrange(5)
    if kind == 0:
        return {"all": []}, lambda _: True, None
    if kind == 1:
        return {"column": "seats", "gte": 2}, lambda row: (row["seats"] or 0) >= 2, None
    window = {"column": "created", "gte": begin.isoformat(), "lte": last.isoformat()}
    if kind == 2:
        tree = {"all": [window, {"column": "tags", "any_of": ["a", "b"]}]}
        return (
            tree,
            lambda row: begin <= row["created"] <= last and bool({"a", "b"} & {*row["tags"]}),
            (begin, last),
        )
    return window, lambda row: begin <= row["created"] <= last, (begin, last)


def aggregate_of(of: Random, where: dict[str, Any]) -> dict[str, Any]:
    """A random tree."""
    names = of.sample([c.name for c in SCHEMA if c.name != "id"], of.choice((0, 1, 1, 1, 2, 3)))
    groups = [group_of(of, name) for name in names]
    measures: dict[str, dict[str, str]] = {}
    for _ in range(of.randrange(1, 4)):
        column = of.choice([*MEASURES])
        measure = of.choice(MEASURES[column])
        measures[f"{measure}_{column}"] = {"measure": measure, "column": column}
    if of.randrange(2):
        measures["count"] = {"measure": "count"}
    tree: dict[str, Any] = {
        "where": where,
        "group_by": groups,
        "measures": [*measures.values()],
        "order": [],
    }
    for _ in range(of.randrange(3)):
        name = of.choice([("measure", name) for name in measures] + [("group", n) for n in names])
        tree["order"].append({name[0]: name[1], "direction": of.choice(("asc", "desc"))})
    return tree | ({"limit": of.randrange(1, 9)} if of.randrange(2) else {})


def group_of(of: Random, name: str) -> dict[str, Any]:
    group: dict[str, Any] = {"column": name, "as": name}
    if name == "data":
        return group | {"path": of.choice((["plan"], ["a", "b"], ["a"]))}
    if name == "created" and of.randrange(6):
        bucket = of.choice(("hour", "day", "week", "month", "quarter", "year"))
        zone = of.choice(("UTC", "Europe/Paris", "Asia/Kolkata"))
        return group | {"bucket": bucket, "zone": zone}
    if name == "due" and of.randrange(6):
        return group | {"bucket": of.choice(("day", "week", "month", "quarter", "year"))}
    return group


ARROW = pa.schema(
    {
        "id": pa.string(),
        "city": pa.string(),
        "seats": pa.int64(),
        "total": pa.decimal128(20, 6),
        "score": pa.float64(),
        "created": pa.timestamp("ms", "UTC"),
        "open": pa.bool_(),
        "size": pa.string(),
        "tags": pa.list_(pa.string()),
        "marks": pa.list_(pa.int64()),
        "due": pa.date32(),
        "data": pa.string(),
    }
)
Answer = Callable[[Aggregate], list[dict[str, Any]]]


def memory_engines(rows: list[dict[str, Any]]) -> dict[str, Answer]:
    """The doors to rows in memory."""
    texts = [{**row, "data": stored(row)["data"]} for row in rows]
    table = pa.Table.from_pylist(texts, ARROW)
    frame = pl.from_arrow(table)
    columns = {name: [row[name] for row in rows] for name in ARROW.names}
    frames = {
        "objects": rows,
        "pyarrow": table,
        "polars": frame,
        "pandas": pd.DataFrame(columns, dtype=object),
        "columns": columns,
    }
    return {
        name: lambda aggregate, data=data: aggregate.apply(data)  # type: ignore[misc]
        for name, data in frames.items()
    }


def database_engine(database: Database) -> Answer:
    def answer(aggregate: Aggregate) -> list[dict[str, Any]]:
        statement = aggregate.to_sql(database.dialect, "sales", metadata=database.storage)
        return aggregate.read(database.ask(statement))

    return answer


def is_same(answer: Sequence[Sequence[Any]], expected: Sequence[Sequence[Any]]) -> bool:
    """Returns true if answers are equal; a database's texts of decimals are their order keys."""

    def equal(value: object, wanted: object) -> bool:
        if isinstance(value, str) and isinstance(wanted, Decimal):
            from sluice.sql import order_key

            return value == order_key(str(wanted))
        return value == wanted and isinstance(value, bool) == isinstance(wanted, bool)

    return len(answer) == len(expected) and all(
        len(row) == len(wanted) and all(map(equal, row, wanted))
        for row, wanted in zip(answer, expected, strict=True)
    )


def compare(
    databases: Iterable[Database], queries: int, seed: int, end: float = math.inf
) -> tuple[Counter[tuple[str, str]], list[str]]:
    """Asks every engine, and returns counts by engine and outcome, and what differs."""
    counts: Counter[tuple[str, str]] = Counter()
    different: list[str] = []
    served = {id(one): one for one in databases}
    count, world = 0, seed
    while count < queries and time.monotonic() < end:
        of = Random(world)
        rows = rows_of(world, of.choice((0, 1, 12, 30)))
        engines = memory_engines(rows) if rows else {}
        for database in served.values():
            is_local = isinstance(database, Sqlite | DuckDb)
            if rows and (is_local or world % 16 == 0):
                load(database, "sales", SCHEMA, [stored(row) for row in rows])
                engines[database.dialect] = database_engine(database)
        if not rows:
            engines["objects"] = lambda aggregate: aggregate.apply([])
        for _ in range(min(BATCH, queries - count)):
            where, holds, window = condition(of)
            tree = aggregate_of(of, where)
            expected = groups_of([row for row in rows if holds(row)], tree, SCHEMA, window)
            for name, answer in engines.items():
                try:
                    answered = [tuple(row.values()) for row in answer(Aggregate(tree, SCHEMA))]
                except ApiError as refused:
                    is_known = refused.rule == "sql_inexact"
                    counts[name, "refused" if is_known else f"failed: {refused}"] += 1
                    continue
                outcome = "compared" if is_same(answered, expected) else "different"
                counts[name, outcome] += 1
                if outcome == "different" and len(different) < 10:
                    different.append(
                        f"{name}, seed {world}: {json.dumps(tree)}\n{answered}\n{expected}"
                    )
            count += 1
        world += 1
    return counts, different


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--queries", type=int, default=2_000, help="how many aggregates")
    parser.add_argument("--seed", type=int, default=1, help="other rows and aggregates")
    parser.add_argument("--minutes", type=float, default=math.inf, help="end after so long")
    options = parser.parse_args()
    with ExitStack() as stack:
        databases: list[Database] = [Sqlite(), DuckDb()]
        if ASKS_SERVERS:
            databases += stack.enter_context(served_databases())
        end = time.monotonic() + 60 * options.minutes
        counts, different = compare(databases, options.queries, options.seed, end)
    for (engine, outcome), count in sorted(counts.items()):
        print(f"{engine:12} {outcome:10} {count:>9,}")
    print("\n".join(different))
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
