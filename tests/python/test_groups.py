# SPDX-License-Identifier: MIT
"""Aggregates of objects and of databases: the groups and measures of plain loops."""

import random
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from datetime import date, datetime, timedelta
from decimal import Decimal
from itertools import groupby
from math import fsum
from typing import Any
from zoneinfo import ZoneInfo

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from group_sameness import BEGIN, EPOCH, SCHEMA, SIZES, UUIDS
from oracle.grouping import groups_of
from sql_engines import ASKS_SERVERS, Database, DuckDb, Sqlite, load, served_databases

import sluice
from sluice import ApiError, Column
from sluice.groups import Aggregate, aggregate, aggregate_sql


def some_rows(count: int) -> list[dict[str, Any]]:
    """Random rows of ten days, in which summer time ends."""
    of = random.Random(4)
    return [
        {
            "id": f"r{at}",
            "city": of.choice([None, "", "Oslo", "oslo", "É", "b", "a'b"]),
            "seats": of.choice([None, 0, 3, -7, 2**40, of.randrange(100)]),
            "total": of.choice([None, "10", "10.0", "-0.5", f"{of.randrange(99)}.25"]),
            "score": of.choice([None, 0.0, -1.5, of.randrange(9) / 4]),
            "created": (BEGIN - EPOCH) // timedelta(milliseconds=1) + of.randrange(864_000_000),
            "open": of.choice([None, True, False]),
            "size": of.choice([None, *SIZES]),
            "tags": [of.choice("abc") for _ in range(of.randrange(4))],
            "marks": of.choice([None, [], [3], [3, 10, 3], [-7, 10]]),
            "owners": [of.choice(UUIDS) for _ in range(of.randrange(4))],
            "due": of.choice(
                [None, *(date(2026, 1, 1) + timedelta(days=n * 53) for n in range(9))]
            ),
            "data": of.choice([None, "{}", '{"plan":"pro"}', '{"plan":7,"a":{"b":true}}']),
        }
        for at in range(count)
    ]


ROWS = some_rows(2_000)


def window(column: str, begin: datetime, end: datetime) -> dict[str, Any]:
    return {"column": column, "gte": begin.isoformat(), "lt": end.isoformat(), "window": True}


def in_order(column: str, value: Any) -> tuple[bool, Any]:  # noqa: ANN401
    """A value as its column orders it, None first."""
    if value is None:
        return (False, 0)
    return (True, SIZES.index(value) if column == "size" else value)


def measured(name: str, column: str, rows: Iterable[dict[str, Any]]) -> object:
    """A measure of rows, by a plain loop."""
    if name == "count":
        return len(list(rows))
    read: Callable[[Any], Any] = Decimal if column == "total" else lambda value: value
    values = [read(row[column]) for row in rows if row[column] is not None]
    if name == "sum":
        return sum(values)
    if name in ("count_distinct", "approx_count_distinct"):
        return len(set(values))
    if not values:
        return None
    return (
        float(sum(values)) / len(values)
        if name == "average"
        else {"min": min, "max": max}[name](values)
    )


@pytest.mark.parametrize(
    "names", [(), ("city",), ("open",), ("size",), ("city", "seats"), ("size", "open")]
)
@pytest.mark.parametrize("where", [{}, {"column": "seats", "gte": 2}])
def test_groups_are_those_of_a_loop(names: tuple[str, ...], where: dict[str, Any]) -> None:
    measures = [("count", "")]
    measures += [
        (m, c)
        for m in ("sum", "min", "max", "average", "count_distinct", "approx_count_distinct")
        for c in ("seats", "total")
    ]
    tree = {
        "where": where or {"all": []},
        "group_by": [{"column": name} for name in names],
        "measures": [{"measure": m, "column": c} if c else {"measure": m} for m, c in measures],
    }
    rows = [row for row in ROWS if not where or (row["seats"] is not None and row["seats"] >= 2)]

    def key(row: dict[str, Any]) -> list[tuple[bool, Any]]:
        return [in_order(name, row[name]) for name in names]

    expected = [
        {name: group[0][name] for name in names}
        | {f"{m}_{c}" if c else m: measured(m, c, group) for m, c in measures}
        for _, members in groupby(sorted(rows, key=key), key)
        for group in [list(members)]
    ]
    assert aggregate(ROWS, tree, SCHEMA) == expected


def test_items_paths_and_buckets_are_those_of_a_loop() -> None:
    items = aggregate(ROWS, {"group_by": [{"column": "tags"}]}, SCHEMA)
    assert items == [
        {"tags": tag, "count": sum(tag in (row["tags"] or [None]) for row in ROWS)}
        for tag in (None, "a", "b", "c")
    ]
    plans = aggregate(
        ROWS, {"group_by": [{"column": "data", "path": ["plan"], "as": "plan"}]}, SCHEMA
    )
    assert [row["plan"] for row in plans] == [None, "7", "pro"]
    assert plans[2]["count"] == sum(row["data"] == '{"plan":"pro"}' for row in ROWS)
    zone = ZoneInfo("Europe/Paris")
    days = aggregate(
        ROWS, {"group_by": [{"column": "created", "bucket": "day", "zone": "Europe/Paris"}]}, SCHEMA
    )
    local = [
        (EPOCH + timedelta(milliseconds=row["created"])).astimezone(zone).date() for row in ROWS
    ]
    assert [(row["created"].astimezone(zone).date(), row["count"]) for row in days] == [
        (day, local.count(day)) for day in sorted(set(local))
    ]


def test_values_are_those_of_the_language() -> None:
    columns = [
        Column("day", "date"),
        Column("score", "real"),
        Column("at", "time"),
        Column("n", "integer"),
    ]
    rows = [{"day": date(2026, 8, 21), "score": 0.1, "at": BEGIN, "n": 2**63 - 1}] * 10
    measures = [
        {"measure": "sum", "column": "score"},
        {"measure": "max", "column": "at"},
        {"measure": "sum", "column": "n"},
    ]
    tree = {"group_by": [{"column": "day", "bucket": "month"}], "measures": measures}
    assert aggregate(iter(rows), tree, columns) == [
        {"day": date(2026, 8, 1), "sum_score": 1.0, "max_at": BEGIN, "sum_n": 10 * (2**63 - 1)}
    ]
    assert fsum([0.1] * 10) == 1.0


ARRAYS = (
    Column("at", "time", is_nullable=True),
    Column("day", "date", is_nullable=True),
    Column("score", "real", is_nullable=True),
    Column("seats", "integer", is_nullable=True),
    Column("city"),
    Column("open", "boolean"),
)


def rows_of_arrays() -> list[dict[str, Any]]:
    """Random rows of values that arrays can hold."""
    of = random.Random(3)
    times = [None, BEGIN, EPOCH - timedelta(milliseconds=1), BEGIN + timedelta(milliseconds=7)]
    return [
        {
            "at": of.choice(times),
            "day": of.choice([None, date(1969, 12, 31), date(2026, 10, 25)]),
            "score": of.choice([None, 0.0, -1.5, 0.1]),
            "seats": of.choice([None, -7, 2**62]),
            "city": of.choice(["Oslo", "oslo", "é", ""]),
            "open": of.choice([True, False]),
        }
        for _ in range(200)
    ]


def arrays_of(rows: list[dict[str, Any]], unit: str) -> dict[str, Any]:
    """Columns of NumPy: times of a unit with NaT, NaN for missing numbers, a masked array."""

    def times(values: list[Any], unit: str) -> Any:  # noqa: ANN401
        naive = [v.replace(tzinfo=None) if isinstance(v, datetime) else v for v in values]
        return np.array(naive, dtype=f"datetime64[{unit}]")

    columns = {column.name: [row[column.name] for row in rows] for column in ARRAYS}
    seats = [value is None for value in columns["seats"]]
    return {
        "at": times(columns["at"], "us").astype(f"datetime64[{unit}]"),
        "day": times(columns["day"], "D"),
        "score": np.array([float("nan") if v is None else v for v in columns["score"]]),
        "seats": np.ma.masked_array([value or 0 for value in columns["seats"]], mask=seats),
        "city": np.array(columns["city"]),
        "open": np.array(columns["open"]),
    }


@pytest.mark.parametrize("unit", ["ns", "us", "ms"])
@pytest.mark.parametrize(
    "groups",
    [
        ["at"],
        ["day"],
        ["score", "open"],
        ["seats"],
        ["city"],
        [{"column": "at", "bucket": "day", "zone": "Europe/Paris"}, "city"],
        [{"column": "day", "bucket": "month"}],
    ],
    ids=str,
)
@pytest.mark.parametrize("least", [None, 0])
def test_arrays_of_numpy_are_those_of_a_loop(unit: str, groups: list[Any], least: Any) -> None:  # noqa: ANN401
    rows = rows_of_arrays()
    tree: dict[str, Any] = {
        "group_by": [{"column": by} if isinstance(by, str) else by for by in groups],
        "measures": [
            {"measure": "count"},
            {"measure": "max", "column": "at"},
            {"measure": "min", "column": "day"},
            {"measure": "sum", "column": "score"},
            {"measure": "sum", "column": "seats"},
            {"measure": "count_distinct", "column": "at"},
        ],
    }
    if least is not None:
        tree["where"] = {"column": "score", "gte": least}
    met = [
        row for row in rows if least is None or (row["score"] is not None and row["score"] >= least)
    ]
    expected = groups_of(met, tree, ARRAYS, None)
    arrays = arrays_of(rows, unit)
    masked = {**arrays, "at": np.ma.masked_array(arrays["at"], mask=np.isnat(arrays["at"]))}
    naive = pd.DataFrame({name: arrays[name] for name in ("at", "score", "city", "open")})
    naive["seats"] = pd.array([row["seats"] for row in rows], "Int64")
    naive["day"] = [row["day"] for row in rows]
    without_zone = pl.DataFrame(rows).with_columns(pl.col("at").dt.replace_time_zone(None))
    for frame in (arrays, masked, naive, without_zone):
        assert [tuple(row.values()) for row in Aggregate(tree, ARRAYS).apply(frame)] == expected


def test_other_names_and_wrong_rows() -> None:
    tree = {"group_by": [{"column": "city"}]}
    columns = [Column("city")]
    assert aggregate([{"town": "Oslo"}], tree, columns, {"city": "town"}) == [
        {"city": "Oslo", "count": 1}
    ]
    with pytest.raises(ValueError, match="the row has no 'city'"):
        aggregate([{}], tree, columns)
    with pytest.raises(TypeError, match="column 'city': expected"):
        aggregate([{"city": 1}], tree, columns)
    with pytest.raises(TypeError, match="rows: expected an iterable"):
        aggregate(1, tree, columns)  # type: ignore[arg-type]
    with pytest.raises(ApiError, match=r"group_by\[0\]: no column 'town'"):
        aggregate([], {"group_by": [{"column": "town"}]}, columns)


@pytest.fixture(scope="module")
def databases() -> Iterator[list[Database]]:
    with ExitStack() as stack:
        opened: list[Database] = [Sqlite(), DuckDb()]
        if ASKS_SERVERS:
            opened += stack.enter_context(served_databases())
        for database in opened:
            load(database, "sales", SCHEMA, ROWS)
        yield opened


def of_database(value: object, column: str, database: Database) -> object:
    """A group or measure of a statement as that of aggregate()."""
    if column == "created" and value is not None:
        return EPOCH + timedelta(milliseconds=int(str(value)))
    if column == "due" and value is not None:
        return date.fromisoformat(str(value))
    if column == "open" and value is not None:
        return bool(value)
    if isinstance(value, Decimal):
        return int(value) if value == int(value) else float(value)
    return value


WEEK = window("created", BEGIN, BEGIN + timedelta(days=12))
BUCKETS = [
    {"column": "created", "bucket": bucket, "zone": zone}
    for bucket in ("hour", "day", "week", "month")
    for zone in ("UTC", "Europe/Paris", "Asia/Kolkata")
]
SUMS = [
    {"measure": "count"},
    *(
        {"measure": m, "column": "seats"}
        for m in ("sum", "min", "max", "average", "count_distinct")
    ),
]
FIRST = [{"measure": "count", "direction": "desc"}]
TREES: list[dict[str, Any]] = [
    {},
    {"measures": SUMS},
    {"measures": SUMS, "where": {"column": "seats", "gt": 2**50}},
    {"group_by": [{"column": "city"}], "measures": SUMS},
    {"group_by": [{"column": "city"}], "order": FIRST, "limit": 3},
    {"group_by": [{"column": "city"}], "order": [{"group": "city", "direction": "desc"}]},
    {"group_by": [{"column": "size"}, {"column": "open"}], "measures": SUMS},
    {"group_by": [{"column": "seats"}], "order": FIRST},
    {"group_by": [{"column": "size"}], "where": {"column": "city", "any_of": ["oslo"]}},
    {
        "group_by": [{"column": "city"}],
        "measures": SUMS,
        "order": [{"measure": "max_seats", "direction": "asc"}],
        "where": {"column": "size", "any_of": ["small"]},
    },
    {"measures": [{"measure": "count_distinct", "column": "total"}]},
    {"measures": [{"measure": "count_distinct", "column": "city"}]},
    *({"group_by": [bucket], "measures": SUMS, "where": WEEK} for bucket in BUCKETS),
    {"group_by": [BUCKETS[4], {"column": "city"}], "where": WEEK, "limit": 10_000},
    {"group_by": [BUCKETS[4]], "where": WEEK, "order": FIRST, "limit": 4},
    {"group_by": [BUCKETS[0]], "where": {"all": [WEEK, {"column": "city", "any_of": ["É"]}]}},
    {"group_by": [{"column": "tags"}], "measures": SUMS, "order": FIRST},
    {"group_by": [{"column": "owners"}]},
    {"group_by": [{"column": "marks"}], "where": {"column": "tags", "any_of": ["a"]}},
    {"group_by": [{"column": "tags"}, {"column": "marks"}, {"column": "city"}], "limit": 10_000},
    {"group_by": [BUCKETS[4], {"column": "tags"}], "where": WEEK, "measures": SUMS},
    *(
        {"group_by": [{"column": "due", "bucket": bucket}], "measures": SUMS}
        for bucket in ("day", "week", "month", "quarter", "year")
    ),
]


@pytest.mark.parametrize("tree", TREES, ids=range(len(TREES)))
def test_databases_answer_as_objects_do(tree: dict[str, Any], databases: list[Database]) -> None:
    expected = [tuple(row.values()) for row in aggregate(ROWS, tree, SCHEMA)]
    names = [group["column"] for group in tree.get("group_by", [])]
    for database in databases:
        statement = aggregate_sql(
            tree, SCHEMA, database.dialect, "sales", metadata=database.storage
        )
        answer = [
            tuple(
                of_database(v, names[at] if at < len(names) else "", database)
                for at, v in enumerate(row)
            )
            for row in database.ask(statement)
        ]
        assert answer == expected, database.dialect


def test_databases_estimate_distinct_values(databases: list[Database]) -> None:
    of_seats = [{"measure": f"{name}count_distinct", "column": "seats"} for name in ("", "approx_")]
    tree = {"group_by": [{"column": "city"}], "measures": of_seats}
    expected = aggregate(ROWS, tree, SCHEMA)
    for database in databases:
        statement = aggregate_sql(
            tree, SCHEMA, database.dialect, "sales", metadata=database.storage
        )
        answer = list(database.ask(statement))
        assert [row[:2] for row in answer] == [tuple(row.values())[:2] for row in expected]
        is_exact = database.dialect not in ("duckdb", "clickhouse")
        for _, exact, estimate in answer:
            assert abs(int(estimate) - exact) <= (0 if is_exact else exact / 4), database.dialect


@pytest.mark.parametrize(
    ("tree", "advice"),
    [
        ({"group_by": [{"column": "tags"}, {"column": "tags", "as": "b"}]}, "tags: .*but one out"),
        (
            {"measures": [{"measure": "count_distinct", "column": "tags"}]},
            "tags: .*no statement counts items",
        ),
        ({"group_by": [BUCKETS[0]]}, "created: .*conditions on its first and last time"),
        (
            {"group_by": [BUCKETS[0], {**BUCKETS[1], "as": "b"}], "where": WEEK},
            "all buckets but one",
        ),
        ({"measures": [{"measure": "sum", "column": "total"}]}, "total: .*type of exact numbers"),
    ],
)
def test_what_a_database_cant_answer_is_refused(tree: dict[str, Any], advice: str) -> None:
    for dialect in ("sqlite", "duckdb", "postgresql", "clickhouse", "mariadb"):
        with pytest.raises(ApiError, match=advice) as refused:
            aggregate_sql(tree, SCHEMA, dialect, "sales")
        assert refused.value.status == 500


def test_exact_numbers_of_databases_are_summed() -> None:
    columns = {
        "total": sluice.sql.Place("total", "decimal(12,2)"),
        "created": sluice.sql.Place("moment", "timestamptz"),
    }
    tree = {
        "where": WEEK,
        "group_by": [BUCKETS[4]],
        "measures": [{"measure": m, "column": "total"} for m in ("sum", "average")],
    }
    statement = aggregate_sql(
        tree,
        SCHEMA,
        "duckdb",
        "sold_at",
        columns=columns,
    )
    connection = duckdb.connect()
    connection.execute("CREATE TABLE sold(total VARCHAR, ms BIGINT)")
    connection.execute(
        "CREATE VIEW sold_at AS SELECT total::DECIMAL(12,2) AS total, "
        "make_timestamptz(ms * 1000) AS moment FROM sold"
    )
    connection.executemany(
        "INSERT INTO sold VALUES (?, ?)", [[row["total"], row["created"]] for row in ROWS]
    )
    answer = connection.execute(*statement).fetchall()
    for row, expected in zip(answer, aggregate(ROWS, tree, SCHEMA), strict=True):
        assert row[1] == expected["sum_total"]
        assert row[2] == expected["average_total"]
