# SPDX-License-Identifier: MIT
"""Asks many engines the same random aggregates, and compares them with a plain loop.

    python tests/python/group_sameness.py --queries 200000 --seed 1 --minutes 60

Each 100 aggregates are of other rows. An engine that can't answer refuses by an error. ORMs are
asked of one world in 4. With SLUICE_TEST_SERVERS=1 PostgreSQL, MariaDB and ClickHouse are asked
too, of one world in 16. SLUICE_STORE_ANSWERS names the program of tests/store_answers.cpp, for the
store.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from random import Random
from subprocess import PIPE
from typing import Any, cast

import pandas as pd
import polars as pl
import pyarrow as pa
from group_orms import Answer, OrmEngine, orm_tables
from oracle.grouping import groups_of
from sql_engines import (
    ASKS_SERVERS,
    Database,
    DuckDb,
    PostgreSql,
    Sqlite,
    load,
    served_databases,
)

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
    Column("owners", "uuid", is_list=True),
    Column("due", "date", is_nullable=True),
    Column("data", "json", is_nullable=True),
)
STORE = os.environ.get("SLUICE_STORE_ANSWERS", "")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
BEGIN = datetime(2026, 10, 20, tzinfo=UTC)
BATCH = 100
UUIDS = tuple(f"{at}190{letter}7a6-0000-7000-8000-00000000000f" for at in "ab" for letter in "cC")
DOCUMENTS: tuple[dict[str, Any] | None, ...] = (
    None,
    {},
    {"plan": "pro", "a": None, "-1": "x"},
    {"plan": "Pro\x01", "a": ["é", False]},
    {"plan": 7, "a": {"b": True, "0": "é"}},
    {"plan": "7", "a": -0.5},
    {"plan": {"plan": "pro"}, "a": [[1], "b"]},
    {"plan": "", "a/b": "\U0001f600", "~": 10**30},
)
DISTINCT = ("count_distinct", "approx_count_distinct")
MEASURES = {
    "seats": ("sum", "min", "max", "average", *DISTINCT),
    "total": ("sum", "min", "max", "average", *DISTINCT),
    "score": ("sum", "min", "max", "average", *DISTINCT),
    "created": ("min", "max", *DISTINCT),
    "due": ("min", "max", *DISTINCT),
    "city": DISTINCT,
    "tags": DISTINCT,
}
ESTIMATING = ("duckdb", "clickhouse")  # dialects whose estimates aren't exact for few rows either


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
            "owners": [of.choice(UUIDS) for _ in range(of.randrange(4))],
            "due": of.choice([None, date(2026, 1, 1) + timedelta(days=of.randrange(900))]),
            "data": of.choice(DOCUMENTS),
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


PATHS = (["plan"], ["a", "b"], ["a"], ["a", "0"], ["a/b"], ["~"], ["a", "-1"], ["a", "00"])


def group_of(of: Random, name: str) -> dict[str, Any]:
    group: dict[str, Any] = {"column": name, "as": name}
    if name == "data":
        return group | {"path": of.choice(PATHS)}
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
        "owners": pa.list_(pa.string()),
        "due": pa.date32(),
        "data": pa.string(),
    }
)


def memory_engines(rows: list[dict[str, Any]]) -> dict[str, Answer]:
    """The doors to rows in memory."""
    texts = [{**row, "data": stored(row)["data"]} for row in rows]
    table = pa.Table.from_pylist(texts, ARROW)
    frame = pl.DataFrame(table)
    columns = {name: [row[name] for row in rows] for name in ARROW.names}
    frames = {
        "objects": rows,
        "pyarrow": table,
        "polars": frame,
        "pandas": pd.DataFrame(columns, dtype=object),
        "columns": columns,
    }
    engines: dict[str, Answer] = {
        name: lambda aggregate, data=data: aggregate.apply(data)  # type: ignore[misc]
        for name, data in frames.items()
    }
    lazy = frame.lazy()
    engines["polars lazy"] = lambda aggregate: aggregate.to_polars(lazy).collect().to_dicts()
    engines["pyarrow groups"] = lambda aggregate: aggregate.to_pyarrow(table).to_pylist()
    return engines


class Store:
    """A column_store, by the program of tests/store_answers.cpp."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def load(self, rows: Sequence[dict[str, Any]]) -> Answer:
        """Replaces the rows."""
        sales = [{**row, "due": row["due"] and str(row["due"])} for row in map(stored, rows)]
        assert self._ask({"sales": sales}) == {}
        return self._answer

    def _answer(self, aggregate: Aggregate) -> list[dict[str, Any]]:
        answer = self._ask({"aggregate": dict(aggregate.tree)})
        if "error" in answer:
            raise ApiError(answer["error"])
        return aggregate.read([tuple(row.values()) for row in answer["groups"]])

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(f"{json.dumps(request)}\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline(), parse_float=Decimal)
        return cast(dict[str, Any], answer)


@contextmanager
def opened_store() -> Iterator[list[Store]]:
    """The store, if there is its program."""
    if not STORE:
        yield []
        return
    with subprocess.Popen([STORE], stdin=PIPE, stdout=PIPE, text=True) as process:
        yield [Store(process)]
        process.communicate()


def database_engine(database: Database, table: str) -> Answer:
    def answer(aggregate: Aggregate) -> list[dict[str, Any]]:
        statement = aggregate.to_sql(database.dialect, table, metadata=database.storage)
        return aggregate.read(database.ask(statement))

    return answer


def stored_otherwise(databases: Sequence[Database]) -> list[Database]:
    """The databases, and those that keep JSON and decimals in another way besides."""
    all_of = [*databases]
    for database in databases:
        if isinstance(database, PostgreSql):
            all_of.append(PostgreSql(database.cursor, "native"))
    return [Sqlite("function"), DuckDb("function"), *all_of]


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


def is_refusal(error: ValueError) -> bool:
    """Returns true for the error of an engine that can't answer exactly."""
    if isinstance(error, ApiError):
        return error.rule == "sql_inexact"
    known = ("no exact expression", "no exact decimals", "can't read metadata exactly")
    return any(words in str(error) for words in known)


class Engines:
    """All engines, which hold the rows of one world after the other."""

    def __init__(
        self, databases: Sequence[Database], stores: Sequence[Store], orms: Sequence[OrmEngine]
    ) -> None:
        self._databases = stored_otherwise(databases)
        self._stores = stores
        self._orms = orms

    def load(self, world: int, rows: list[dict[str, Any]]) -> dict[str, Answer]:
        """Replaces the rows, and returns the engines that are asked about them."""
        engines = memory_engines(rows) if rows else {}
        for database in self._databases if rows else ():
            if isinstance(database, Sqlite | DuckDb) or world % 16 == 0:
                table = f"sales_{database.storage}"
                load(database, table, SCHEMA, [stored(row) for row in rows])
                is_usual = database.storage == "prepared"
                name = database.dialect + ("" if is_usual else f" {database.storage}")
                engines[name] = database_engine(database, table)
        for store in self._stores:
            engines["store"] = store.load(rows)
        for orm in self._orms if world % 4 == 0 else ():
            engines[orm.name] = orm.load(rows)
        return engines or {"objects": lambda aggregate: aggregate.apply([])}


def outcome_of(answer: Answer, aggregate: Aggregate, expected: list[Any]) -> tuple[str, object]:
    """Returns how an engine answers, and its answer or error."""
    try:
        answered = [tuple(row.values()) for row in answer(aggregate)]
    except ValueError as error:
        return "refused" if is_refusal(error) else "failed", error
    return "compared" if is_same(answered, expected) else "different", answered


def compare(
    databases: Sequence[Database], queries: int, seed: int, end: float = math.inf
) -> tuple[Counter[tuple[str, str]], list[str]]:
    """Asks every engine, and returns counts by engine and outcome, and what differs."""
    counts: Counter[tuple[str, str]] = Counter()
    different: list[str] = []
    count, world = 0, seed
    with opened_store() as stores, orm_tables(databases) as orms:
        engines = Engines(databases, stores, orms)
        while count < queries and time.monotonic() < end:
            of = Random(world)
            rows = rows_of(world, of.choice((0, 1, 12, 30)))
            loaded = engines.load(world, rows)
            for _ in range(min(BATCH, queries - count)):
                where, holds, window = condition(of)
                tree = aggregate_of(of, where)
                expected = groups_of([row for row in rows if holds(row)], tree, SCHEMA, window)
                estimates = any(of["measure"] == DISTINCT[1] for of in tree["measures"])
                for name, answer in loaded.items():
                    if estimates and name.startswith(ESTIMATING):
                        continue
                    outcome, answered = outcome_of(answer, Aggregate(tree, SCHEMA), expected)
                    counts[name, outcome] += 1
                    if outcome in ("failed", "different") and len(different) < 10:
                        shown = f"{name}, seed {world}: {json.dumps(tree)}"
                        different.append(f"{shown}\n{answered}\n{expected}")
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
        print(f"{engine:20} {outcome:10} {count:>9,}")
    print("\n".join(different))
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
