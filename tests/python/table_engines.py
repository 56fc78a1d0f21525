# SPDX-License-Identifier: MIT
"""Engines that hold the rows of a TestedTable: masks, polars, pyarrow, SQL, a C++ store."""

import json
import os
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from differences import Answer
from random_rows import EPOCH
from sql_engines import (
    ASKS_SERVERS,
    Database,
    DuckDb,
    PostgreSql,
    Sqlite,
    Stored,
    insert,
    stored,
)
from tested_rows import SIZES, TESTED, stored_records
from tested_table import MILLISECOND, Row, TableEngine, TestedTable, in_milliseconds
from typescript_engine import typescript

import sluice
from sluice import Column, ListQuery
from sluice.sql import Place, Statement

STORE = os.environ.get("SLUICE_STORE_ANSWERS", "")

# Rows in memory, of which the conditions take some.

ARROW_TYPES: dict[str, pa.DataType] = {
    "text": pa.string(),
    "integer": pa.int64(),
    "decimal": pa.decimal128(38, 2),
    "real": pa.float64(),
    "boolean": pa.bool_(),
    "time": pa.timestamp("us", "UTC"),
    "date": pa.date32(),
    "uuid": pa.string(),
    "choice": pa.string(),
    "json": pa.string(),
}


def arrow_type(column: Column) -> pa.DataType:
    if column.columns:
        return pa.list_(pa.struct({of.name: arrow_type(of) for of in column.columns}))
    held = ARROW_TYPES[column.type]
    return pa.list_(held) if column.is_list else held


ARROW = pa.schema({column.name: arrow_type(column) for column in TESTED})


def arrow_table(rows: Sequence[Row]) -> pa.Table:
    return pa.Table.from_pylist([*map(dict, rows)], ARROW)


class Memory(TableEngine):
    """Rows in a form of memory, of which a function takes some."""

    def __init__(
        self,
        name: str,
        hold: Callable[[Sequence[Row]], Any],
        taken: Callable[[ListQuery, Any], Iterable[bool]],
        most_refused: float = 0.0,
        one_in: int = 1,
    ) -> None:
        self.name = name
        self.one_in = one_in
        self.hold = hold
        self.taken = taken
        self.most_refused = most_refused

    def load(self, world: TestedTable) -> None:
        self.ids = [row["id"] for row in world.rows]
        self.rows = self.hold(world.rows)

    def answer(self, query: ListQuery) -> Answer:
        taken = self.taken(query, self.rows)
        ids = [id_ for id_, holds in zip(self.ids, taken, strict=True) if holds]
        return Answer(ids, len(ids))


def objects(rows: Sequence[Row]) -> dict[str, Any]:
    """Columns as arrays and lists of Python's objects."""
    return {
        column.name: held if column.is_list or column.columns else np.array(held, object)
        for column in TESTED
        for held in [[row[column.name] for row in rows]]
    }


def masked(query: ListQuery, table: Any) -> Iterable[bool]:  # noqa: ANN401
    taken: list[bool] = query.mask(table).tolist()
    return taken


def matched(query: ListQuery, rows: Sequence[Row]) -> Iterable[bool]:
    return [query.matches(row) for row in rows]


def selected(query: ListQuery, frame: pl.DataFrame) -> Iterable[bool]:
    return frame.with_columns(taken=query.to_polars())["taken"].to_list()


def selected_by_schema(query: ListQuery, frame: pl.DataFrame) -> Iterable[bool]:
    return frame.with_columns(taken=query.to_polars(schema=frame.schema))["taken"].to_list()


def scanned(query: ListQuery, table: pa.Table) -> Iterable[bool]:
    ids = table.filter(query.to_pyarrow(schema=table.schema))["id"].to_pylist()
    return [id_ in ids for id_ in table["id"].to_pylist()]


def in_polars(rows: Sequence[Row]) -> pl.DataFrame:
    return pl.DataFrame(arrow_table(rows))


def in_pandas(rows: Sequence[Row]) -> pd.DataFrame:
    return arrow_table(rows).to_pandas(types_mapper=pd.ArrowDtype)


# Databases.


def without_nul(value: Any) -> Any:  # noqa: ANN401
    """Texts as SQL has them, which has no NUL."""
    if isinstance(value, str):
        return value.replace("\0", "\1")
    if isinstance(value, list):
        return [*map(without_nul, value)]
    return (
        {name: without_nul(of) for name, of in value.items()} if isinstance(value, dict) else value
    )


def in_sql(row: Row) -> Row:
    held: dict[str, Any] = without_nul(dict(row))
    return held | {"created": in_milliseconds(row["created"])}


def in_jsonb(row: Row) -> Row:
    return {**in_sql(row), "data": None if "\\u0000" in str(row["data"]) else row["data"]}


def in_clickhouse(row: Row) -> Row:
    """Its lists are never NULL."""
    held = in_sql(row)
    return {**held, **{of.name: held[of.name] or [] for of in TESTED if of.is_list}}


class SqlTable(TableEngine):
    """A table of sluice.sql.ddl()."""

    has_pages = True
    most_refused = 0.2
    table = "rows"

    def __init__(self, database: Database) -> None:
        self.database = database
        self.places: dict[str, Place] = {}
        self.name = f"{database.dialect} {database.storage}"
        self.one_in = {"duckdb": 8, "clickhouse": 32}.get(database.dialect, 1)
        self.form = in_jsonb if database.storage == "native" else in_sql
        if database.dialect == "clickhouse":
            self.form = in_clickhouse

    def stored(self, row: Row) -> Row:
        """A row as it is inserted."""
        held = self.form(row)
        at, total = held["created"], held["total"]
        milliseconds = None if at is None else (at - EPOCH) // MILLISECOND
        return {**held, "created": milliseconds, "total": None if total is None else str(total)}

    def load(self, world: TestedTable) -> None:
        self.database.create(self.table, self.ddl())
        self.add(world.rows)

    def ddl(self) -> list[str]:
        dialect, storage = self.database.dialect, self.database.storage
        return sluice.sql.ddl(TESTED, dialect, self.table, metadata=storage)

    def add(self, rows: Iterable[Row]) -> None:
        insert(self.database, self.table, TESTED, map(self.stored, rows))

    def change(self, world: TestedTable, gone: Sequence[Row], added: Sequence[Row]) -> None:
        if self.database.dialect == "clickhouse":  # which deletes in the background
            self.load(world)
            return
        for row in gone:
            query = ListQuery.from_tree({"where": {"column": "id", "any_of": [row["id"]]}}, TESTED)
            text, values = query.to_sql(self.database.dialect, self.table, form="condition")
            quote = "`" if self.database.dialect == "mariadb" else '"'
            deleted = f"DELETE FROM {quote}{self.table}{quote} WHERE {text} RETURNING id"
            self.database.ask(Statement(deleted, values))
        self.add(added)

    def answer(self, query: ListQuery) -> Answer:
        self.query, self.shown = query, None
        options: dict[str, Any] = {
            "columns": self.places or None,
            "metadata": self.database.storage,
        }
        to_sql = partial(query.to_sql, self.database.dialect, self.table, **options)
        count, page = to_sql(form="count"), to_sql(select="id")
        self.page = self.database.ask(page)
        self.shown = [row[0] for row in self.page]
        return Answer(self.shown, int(self.database.ask(count)[0][0]))

    def beside(self, is_before: bool) -> str | None:
        keys, storage = self.page[0 if is_before else -1][1:], self.database.storage
        return self.query.cursor_beside(keys, before=is_before, metadata=storage)


# Types of columns, and the kinds of their places.
NATIVE: dict[str, dict[str, tuple[str, str]]] = {
    "sqlite": {
        "created": ("TEXT", "datetime"),
        "due": ("TEXT", "date"),
        "token": ("TEXT", "uuid"),
        "score": ("REAL", "real"),
    },
    "duckdb": {
        "created": ("TIMESTAMP", "timestamp"),
        "due": ("DATE", "date"),
        "token": ("UUID", "uuid"),
        "total": ("DECIMAL(38, 2)", "DECIMAL(38, 2)"),
        "score": ("DOUBLE", "double"),
        "size": ("ENUM ({sizes})", "enum"),
    },
    "postgresql": {
        "created": ("timestamptz", "timestamptz"),
        "due": ("date", "date"),
        "token": ("uuid", "uuid"),
        "total": ("numeric", "numeric"),
        "score": ("double precision", "double precision"),
        "size": ("sizes", "enum(sizes)"),
    },
    "mariadb": {
        "created": ("DATETIME(6)", "datetime(6)"),
        "due": ("DATE", "date"),
        "token": ("UUID", "uuid"),
        "total": ("DECIMAL(38, 2)", "decimal(38,2)"),
        "score": ("DOUBLE", "double"),
        "size": ("ENUM ({sizes}) CHARACTER SET utf8mb4", "enum"),
    },
    "clickhouse": {
        "created": ("Nullable(DateTime64(6, 'UTC'))", "datetime64"),
        "due": ("Nullable(Date32)", "date32"),
        "token": ("Nullable(UUID)", "uuid"),
        "total": ("Nullable(Decimal(38, 2))", "decimal(38,2)"),
        "score": ("Nullable(Float64)", "float64"),
        "size": ("Nullable(Enum8({sizes}))", "enum8"),
    },
}
SIZES_IN_SQL = ", ".join("'" + size.replace("'", "''") + "'" for size in SIZES)


class NativeTable(SqlTable):
    """A table of the types that the database has. Its times keep microseconds."""

    table = "native_rows"
    keeps_microseconds = True

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.name = f"{database.dialect} native columns"
        self.natives = NATIVE[database.dialect]
        self.places = {name: Place(name, kind) for name, (_, kind) in self.natives.items()}
        self.form = in_native_clickhouse if database.dialect == "clickhouse" else in_native

    def answer(self, query: ListQuery) -> Answer:
        try:
            return super().answer(query)
        except sluice.ApiError as refused:
            # ClickHouse's times and dates are near: it has no row at a cursor far away.
            if refused.rule == "cursor_malformed" and self.database.dialect == "clickhouse":
                raise ValueError("the row of the cursor has no exact expression") from refused
            raise

    def ddl(self) -> list[str]:
        statements = super().ddl()
        for name, (held, _) in self.natives.items():
            column = f"{name} {held.format(sizes=SIZES_IN_SQL)}"
            before, after = re.split(rf'["`]{name}["`] [^,]+(?=, )', statements[0])
            statements[0] = before + column + after
        if self.database.dialect == "postgresql":
            kind = f"CREATE TYPE sizes AS ENUM ({SIZES_IN_SQL})"
            statements = ["DROP TYPE IF EXISTS sizes CASCADE", kind, *statements]
        return statements

    def add(self, rows: Iterable[Row]) -> None:
        self.database.insert(self.table, [self.natively(row) for row in rows])

    def natively(self, row: Row) -> Stored:
        held = dict(stored(TESTED, self.stored(row), self.database.storage))
        at, total, token = (self.form(row)[name] for name in ("created", "total", "token"))
        text = at and f"{at.year:04}-{at:%m-%d %H:%M:%S.%f}"
        if self.database.dialect == "sqlite":  # where a row that is gone has the text without zeros
            text = text and text.rstrip("0").rstrip(".")
        held["created"] = text
        held["token"] = token and token.lower()
        if "total" in self.natives:
            held["total"] = None if total is None else f"{total:f}"
        return held


def in_native(row: Row) -> Row:
    return {**in_sql(row), "created": row["created"]}


def in_native_clickhouse(row: Row) -> Row:
    """Its times and dates are near."""
    held = {**in_clickhouse(row), "created": row["created"]}
    for name in ("created", "due"):
        if held[name] and not 1901 <= held[name].year <= 2298:
            held[name] = None
    return held


# The C++ store.


def in_store(row: Row) -> Row:
    return {**row, "created": in_milliseconds(row["created"])}


class Store(TableEngine):
    """A column_store, by the program of tests/store_answers.cpp."""

    name = "store"
    has_pages = True
    most_refused = 0.3

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        self.form = in_store

    def ask(self, request: dict[str, Any]) -> Any:  # noqa: ANN401
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(f"{json.dumps(request)}\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def load(self, world: TestedTable) -> None:
        assert self.ask({"rows": [*map(self.stored, world.rows)]}) == {}

    def stored(self, row: Row) -> dict[str, Any]:
        at, score = row["created"], row["score"]
        return {
            **row,
            "lines": stored_records(row["lines"]),
            "created": None if at is None else (at - EPOCH) // MILLISECOND,
            "total": None if row["total"] is None else str(row["total"]),
            "due": None if row["due"] is None else str(row["due"]),
            "score": None if score != score else score,
        }

    def answer(self, query: ListQuery) -> Answer:
        self.shown = None
        answer = self.ask({"query": query.tree()})
        if "error" in answer:
            assert "the rows' engine doesn't answer" in answer["error"], answer
            raise ValueError(f"the store has no exact expression: {answer['error']}")
        self.shown, self.cursors = answer["ids"], answer["beside"]
        return Answer(answer["ids"], answer["total"])

    def beside(self, is_before: bool) -> str | None:
        cursor: str | None = self.cursors[0 if is_before else 1]
        return cursor


@contextmanager
def store() -> Iterator[list[TableEngine]]:
    """The store, if its program is there."""
    if not STORE:
        yield []
        return
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([STORE], **pipes) as process:
        yield [Store(process)]


@contextmanager
def table_engines(served: Iterable[Database] = ()) -> Iterator[list[TableEngine]]:
    """Engines that need no server; with servers, theirs and more that take longer."""
    memory: list[TableEngine] = [
        Memory("matches", list, matched),
        Memory("mask of Arrow", arrow_table, masked),
        Memory("mask of pandas", in_pandas, masked, one_in=8),
        Memory("mask of objects", objects, masked),
        Memory("polars by schema", in_polars, selected_by_schema, one_in=8),
        Memory("pyarrow", arrow_table, scanned, most_refused=0.5, one_in=8),
    ]
    databases: list[Database] = [Sqlite(), Sqlite("function"), DuckDb()]
    if ASKS_SERVERS:
        memory += [Memory("mask of polars", in_polars, masked)]
        memory += [Memory("polars", in_polars, selected, one_in=8)]
        databases += [DuckDb("function"), *served]
        databases += [
            PostgreSql(of.cursor, "native") for of in served if isinstance(of, PostgreSql)
        ]
    with store() as stores, typescript() as scripts:
        tables = [SqlTable(database) for database in databases]
        for engine in tables:
            if engine.database.storage == "native":  # beside the prepared one of the same server
                engine.table = "jsonb_rows"
        tables += [NativeTable(of) for of in databases if of.storage == "prepared"]
        yield [*memory, *tables, *stores, *scripts]
