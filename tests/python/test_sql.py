# SPDX-License-Identifier: MIT
"""Queries as SQL, asked of real databases, against the rule row by row."""

from collections.abc import Iterator
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from oracle.listing import takes
from random_rows import DECIMALS, EPOCH, PATHS, SCHEMA, SOUGHT, RandomRows
from sql_engines import (
    STORES_SERVERS,
    ClickHouse,
    Cursor,
    Database,
    DuckDb,
    Form,
    PostgreSql,
    Row,
    Sqlite,
    load,
    postgresql_server,
)

import sluice
from sluice import Column
from sluice.sql import Statement

QUERIES = 400
DOCUMENTS = (
    *('{"plan":"pr\\u0000o"}', '{"k\\u0000":1,"":{"":"\\u0001"}}', '{"n":-0.0,"data":"x"}'),
    *('{"n":1e-400}', '{"n":"1e400"}', '{"n":[1,"x"]}', '[{"0":"x"},["y"]]', '{"a b":{"0":1}}'),
)
JSON_PATHS = (("k\0",), ("", ""), ("n", "0"), ("n", "00"), ("n", "-1"), ("0", "0"), ("1", "0"))
JSON_VALUES = ("pr\0o", "\1", "-0", "1e-400", "10e399", "y", "' OR 1=1 --", "$1", "{p1:String}")


class SqlRows(RandomRows):
    """Rows and queries as tables have them, with more that is hard in SQL."""

    def row(self, number: int) -> dict[str, Any]:
        row = super().row(number)
        created, total = row["created"], row["total"]
        return row | {
            "tags": row["tags"] or [],
            "created": created and (created - EPOCH) // (EPOCH.resolution * 1_000),
            "total": None if total is None else self.choice(DECIMALS),
            "data": self.choice([row["data"], *DOCUMENTS]),
        }

    def test(self, column: Column) -> dict[str, Any]:
        made = super().test(column)
        for name in {"any_of", "none_of"} & made.keys():
            made[name] += self.sample(["a\0", "x') --", "?1", "$1", "%1"], self.randrange(2))
        return made

    def paths(self, depth: int) -> dict[str, Any]:
        made = super().paths(depth)
        if "path" in made and self.random() < 0.4:
            made["path"] = list(self.choice((*PATHS, *JSON_PATHS)))
            for name in {"equal", "not_equal"} & made.keys():
                made[name] = self.choice((*SOUGHT, *JSON_VALUES))
        return made

    def order(self) -> list[dict[str, str]]:
        columns = [column.name for column in SCHEMA if not column.is_list and column.type != "json"]
        chosen = self.sample(columns[1:], self.randrange(3))
        return [{"column": name, "direction": self.choice(("asc", "desc"))} for name in chosen]


def judged(row: Row) -> dict[str, Any]:
    """A row as the rule row by row reads it."""
    created, total = row["created"], row["total"]
    return {
        **row,
        "created": None if created is None else EPOCH + created * (EPOCH.resolution * 1_000),
        "total": None if total is None else Decimal(total),
    }


def in_order(rows: list[Row], order: list[dict[str, str]]) -> list[Row]:
    """Sorted by each key, with those that have none first."""
    last = order[-1]["direction"] if order else "asc"
    for key in reversed([*order, {"column": "id", "direction": last}]):
        rows = sorted(rows, key=partial(rank, key["column"]), reverse=key["direction"] == "desc")
    return rows


def rank(column: str, row: Row) -> tuple[bool, Any]:
    value = judged(row)[column]
    if value is None:
        return (False, 0)
    return (True, value.encode() if isinstance(value, str) else value)


ENGINES = [
    *(("sqlite", "prepared"), ("sqlite", "function")),
    *(("duckdb", "prepared"), ("duckdb", "function")),
]
SERVERS = [("postgresql", "prepared"), ("postgresql", "native"), ("clickhouse", "prepared")]
if STORES_SERVERS:
    ENGINES += SERVERS


@pytest.fixture(scope="module")
def postgresql() -> Iterator[Cursor]:
    with postgresql_server() as cursor:
        yield cursor


@pytest.fixture(scope="module")
def clickhouse() -> ClickHouse:
    module = pytest.importorskip("chdb.session", reason="chdb is not installed")
    return ClickHouse(module.Session())


@pytest.fixture(params=ENGINES, ids=" ".join)
def database(request: pytest.FixtureRequest) -> Database:
    name, storage = request.param
    if name == "clickhouse":
        made: Database = request.getfixturevalue("clickhouse")
        return made
    if name == "postgresql":
        return PostgreSql(request.getfixturevalue("postgresql"), storage)
    return {"sqlite": Sqlite, "duckdb": DuckDb}[name](storage)


def rows_for(database: Database, source: SqlRows, count: int) -> list[Row]:
    """Rows in a table; jsonb can't hold NUL."""
    rows: list[Row] = [source.row(number) for number in range(count)]
    if database.storage == "native":
        rows = [row | {"data": None} if "\\u0000" in str(row["data"]) else row for row in rows]
    load(database, "rows", SCHEMA, rows)
    return rows


def statement_of(query: sluice.ListQuery, database: Database, form: Form) -> Statement | None:
    """None for a number that PostgreSQL's own types can't hold."""
    if database.storage == "native" and "1e9999" in repr(query):
        with pytest.raises(sluice.ApiError) as refused:
            query.to_sql(database.dialect, "rows", metadata="native", form=form)
        assert refused.value.rule == "sql_inexact"
        return None
    return query.to_sql(database.dialect, "rows", metadata=database.storage, form=form)


def test_conditions_take_the_rows_of_the_rule(database: Database) -> None:
    source = SqlRows(3)
    rows = rows_for(database, source, 250)
    known = [judged(row) for row in rows]
    for _ in range(QUERIES):
        query = source.query()
        statement = statement_of(query, database, "condition")
        if statement is None:
            continue
        text = f'SELECT "id" FROM "rows" WHERE {statement.text}'
        found = database.ask(Statement(text, statement.parameters))
        taken = [row["id"] for row, holds in zip(rows, takes(query, known), strict=True) if holds]
        assert sorted(found) == sorted((id_,) for id_ in taken), query


def test_pages_have_the_rows_in_order(database: Database) -> None:
    source = SqlRows(5)
    rows = rows_for(database, source, 120)
    known = [judged(row) for row in rows]
    for _ in range(QUERIES // 4):
        order = source.order()
        size, number = source.randrange(1, 30), source.choice((1, 1, 2, 3, 2**62))
        where = source.where([*SCHEMA], 1)
        tree = {"where": where, "order": order, "page": {"number": number, "size": size}}
        query = sluice.ListQuery.from_tree(tree, SCHEMA)
        page = statement_of(query, database, "page")
        count = statement_of(query, database, "count")
        if page is None or count is None:
            continue
        taken = [row for row, holds in zip(rows, takes(query, known), strict=True) if holds]
        expected = in_order(taken, order)[(number - 1) * size :][:size]
        assert [row[0] for row in database.ask(page)] == [row["id"] for row in expected], query
        assert int(database.ask(count)[0][0]) == len(taken), query
