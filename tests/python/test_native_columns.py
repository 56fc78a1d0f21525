# SPDX-License-Identifier: MIT
"""Columns of the types that databases have, in random trees and orders, against each row alone."""

import json
import math
import re
import struct
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import date
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pytest
from oracle.listing import takes
from random_rows import DOCUMENTS
from random_rows import NUMBERS as INTEGERS
from sql_engines import (
    Database,
    Dialect,
    DuckDb,
    Form,
    MariaDb,
    PostgreSql,
    Sqlite,
    clickhouse_server,
    mariadb_server,
    postgresql_server,
)
from tested_rows import DAYS, HOSTILE, REALS, SIZES, TOKENS, TestedRows

from sluice import Column, ListQuery
from sluice.sql import Place, Statement

QUERIES = 150
REFUSED = "eccbc87e-4b5c-e2fe-2830-8fd9f2a7baf3"  # by MariaDB, for its version and variant
JSON = ("data", "more")
DOCS = Path(__file__).parents[2] / "docs"
CENTS = ("0", "0.01", "-0.01", "1", "1.5", "-1.5", "99.99", "100.01", "-99.99", "9999999999.99")
NUMERICS = (*CENTS, "123456789012345678901234567.89", "-1e25", "1e-20", "1e400", "NaN")
ENUM = ", ".join("'" + size.replace("'", "''") + "'" for size in SIZES)


class Native(NamedTuple):
    """A column of a schema, its type in a table, and the kind of its place."""

    column: Column
    type: str
    kind: str
    values: tuple[Any, ...]

    @property
    def name(self) -> str:
        return self.column.name


def native(name: str, schema_type: Any, type_: str, kind: str, values: Any = None) -> Native:  # noqa: ANN401
    """A column that may be NULL."""
    choices = SIZES if schema_type == "choice" else ()
    column = Column(name, schema_type, is_nullable=True, choices=choices)
    return Native(column, type_, kind, values if values is not None else VALUES[schema_type])


def lists(
    name: str,
    schema_type: Any,  # noqa: ANN401
    type_: str,
    kind: str,
    bits: int = 64,
    collation: Any = "exact",  # noqa: ANN401
) -> Native:
    """A column of lists, which may be NULL but in ClickHouse."""
    choices = SIZES if schema_type == "choice" else ()
    nullable = not type_.startswith("Array")
    column = Column(
        name, schema_type, is_list=True, is_nullable=nullable, choices=choices, collation=collation
    )
    values = VALUES[schema_type]
    if schema_type == "integer":
        values = tuple(
            number for number in values if -(2 ** (bits - 1)) <= number < 2 ** (bits - 1)
        )
    return Native(column, type_, kind, values)


def single(number: float) -> float:
    """The nearest number of 32 bits."""
    return float(struct.unpack("f", struct.pack("f", number))[0])


NUMBERS = (0.0, -0.0, 0.1, -1.5, 1e300, 5e-324, 2.0**53, 1.7976931348623157e308)
SINGLES = tuple(map(single, (0.0, 0.1, -1.5, 1e30, 16777217.0, 1 / 3)))
VALUES: dict[str, tuple[Any, ...]] = {
    "uuid": tuple(map(str, TOKENS)),
    "date": DAYS,
    "decimal": tuple(map(Decimal, CENTS)),
    "real": NUMBERS,
    "choice": SIZES,
    "json": DOCUMENTS,
    "text": HOSTILE,
    "integer": INTEGERS,
}
NAN = (math.nan,)
LATE = (date(1900, 1, 1), date(1969, 12, 31), date(2024, 2, 29), date(2299, 12, 31))
SHORT = (date(1970, 1, 1), date(2024, 2, 29), date(2149, 6, 6))

TABLES: dict[Dialect, tuple[Native, ...]] = {
    "sqlite": (
        native("token", "uuid", "TEXT", "uuid"),
        native("due", "date", "TEXT", "date"),
        native("cents", "decimal", "INTEGER", "scaled(2)"),
        native("score", "real", "REAL", "real"),
        native("pure", "real", "REAL", "finite"),
        native("data", "json", "TEXT", "json"),
        lists("tags", "text", "TEXT", "json"),
        lists("labels", "text", "TEXT", "json", collation="ignore_case"),
        lists("tokens", "uuid", "TEXT", "json"),
        lists("ports", "integer", "TEXT", "json"),
        lists("sizes", "choice", "TEXT", "json"),
    ),
    "duckdb": (
        native("token", "uuid", "UUID", "uuid"),
        native("due", "date", "DATE", "date"),
        native("total", "decimal", "DECIMAL(12, 2)", "DECIMAL(12, 2)"),
        native("cents", "decimal", "BIGINT", "scaled(2)"),
        native("score", "real", "DOUBLE", "double", NUMBERS + NAN),
        native("pure", "real", "DOUBLE", "finite"),
        native("ratio", "real", "FLOAT", "float", SINGLES + NAN),
        native("size", "choice", f"ENUM ({ENUM})", "enum"),
        native("data", "json", "JSON", "json"),
        lists("tags", "text", "VARCHAR[]", "varchar[]"),
        lists("labels", "text", "VARCHAR[]", "text[]", collation="ignore_case"),
        lists("tokens", "uuid", "UUID[]", "uuid[]"),
        lists("ports", "integer", "BIGINT[]", "bigint[]"),
        lists("doors", "integer", "INTEGER[]", "integer[]", 32),
        lists("sizes", "choice", f"ENUM ({ENUM})[]", "enum[]"),
    ),
    "postgresql": (
        native("token", "uuid", "uuid", "uuid"),
        native("due", "date", "date", "date"),
        native("total", "decimal", "numeric", "numeric", tuple(map(Decimal, NUMERICS))),
        native("price", "decimal", "numeric(12, 2)", "decimal(12,2)"),
        native("cents", "decimal", "bigint", "scaled(2)"),
        native("score", "real", "double precision", "double precision", NUMBERS + NAN),
        native("pure", "real", "double precision", "finite"),
        native("exact", "decimal", "numeric", "finite"),
        native("ratio", "real", "real", "real", SINGLES + NAN),
        native("size", "choice", '"Sizes %"', 'enum("Sizes %")'),
        native("data", "json", "jsonb", "jsonb"),
        native("more", "json", "json", "json"),
        lists("tags", "text", "text[]", "text[]"),
        lists("plain", "text", "text[]", "deterministic[]"),
        lists("folded", "text", "text[]", "deterministic[]", collation="ignore_case"),
        lists("grades", "choice", "text[]", "deterministic[]"),
        lists("names", "text", "varchar[]", "varchar[]"),
        lists("words", "text", "jsonb", "jsonb"),
        lists("labels", "text", "jsonb", "jsonb", collation="ignore_case"),
        lists("marks", "text", "varchar[]", "varchar[]", collation="ignore_case"),
        lists("tokens", "uuid", "uuid[]", "uuid[]"),
        lists("codes", "uuid", "jsonb", "jsonb"),
        lists("ports", "integer", "bigint[]", "bigint[]"),
        lists("doors", "integer", "integer[]", "integer[]", 32),
        lists("seats", "integer", "smallint[]", "int2[]", 16),
        lists("bins", "integer", "jsonb", "jsonb"),
        lists("sizes", "choice", '"Sizes %"[]', 'enum("Sizes %")[]'),
        lists("forms", "choice", "jsonb", "jsonb"),
    ),
    "mariadb": (
        native("token", "uuid", "UUID", "uuid"),
        native("code", "uuid", "BINARY(16)", "binary(16)"),
        native("due", "date", "DATE", "date"),
        native("total", "decimal", "DECIMAL(12, 2)", "decimal(12,2)"),
        native("cents", "decimal", "BIGINT", "scaled(2)"),
        native("score", "real", "DOUBLE", "double"),
        native("ratio", "real", "FLOAT", "float", SINGLES),
        native("size", "choice", f"ENUM ({ENUM}) CHARACTER SET utf8mb4", "enum"),
        lists("tags", "text", "JSON", "json"),
        lists("labels", "text", "JSON", "json", collation="ignore_case"),
        lists("tokens", "uuid", "JSON", "json"),
        lists("ports", "integer", "JSON", "json"),
        lists("sizes", "choice", "JSON", "json"),
    ),
    "clickhouse": (
        native("token", "uuid", "UUID", "UUID"),
        native("due", "date", "Date32", "Date32", LATE),
        native("day", "date", "Date", "Date", SHORT),
        native("total", "decimal", "Decimal(12, 2)", "Decimal(12, 2)"),
        native("cents", "decimal", "Int64", "scaled(2)"),
        native("score", "real", "Float64", "Float64", NUMBERS + NAN),
        native("pure", "real", "Float64", "finite"),
        native("ratio", "real", "Float32", "Float32", SINGLES + NAN),
        native("size", "choice", f"Enum8({ENUM})", "Enum8"),
        native("form", "choice", "LowCardinality(Nullable(String))", "LowCardinality(String)"),
        lists("tags", "text", "Array(String)", "Array(String)"),
        lists(
            "labels",
            "text",
            "Array(LowCardinality(String))",
            "Array(LowCardinality(String))",
            collation="ignore_case",
        ),
        lists("tokens", "uuid", "Array(UUID)", "Array(UUID)"),
        lists("ports", "integer", "Array(Int64)", "Array(Int64)"),
        lists("doors", "integer", "Array(Int32)", "Array(Int32)", 32),
        lists("sizes", "choice", f"Array(Enum8({ENUM}))", "Array(Enum8)"),
    ),
}


def is_json(column: Native) -> bool:
    """Returns true if a table has the values as JSON."""
    is_text = column.column.is_list and column.type == "TEXT"
    return is_text or column.type.lower() in ("json", "jsonb") or column.column.type == "json"


def quoted(dialect: Dialect, text: str) -> str:
    if dialect in ("mariadb", "clickhouse"):
        text = text.replace("\\", "\\\\")
    return "'" + text.replace("'", "''") + "'"


def literal(dialect: Dialect, column: Native, value: Any) -> str:  # noqa: ANN401
    """SQL of a value, as a client would write it."""
    if value is None:
        return "NULL"
    if isinstance(value, list) and not is_json(column):
        items = ", ".join(quoted(dialect, str(item)) for item in value)
        if column.column.type == "integer":
            items = ", ".join(map(str, value))
        is_array = dialect == "postgresql"
        return f"ARRAY[{items}]::{column.type}" if is_array else f"[{items}]"
    if is_json(column):
        text = json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value
        return quoted(dialect, text)
    text = str(value).replace("'", "''")
    if column.kind.startswith("scaled"):
        return str(int(value * 100))
    if column.kind.startswith("binary"):
        return f"UNHEX('{text.replace('-', '')}')"
    if column.column.type in ("real", "decimal") and dialect == "postgresql":
        return f"'{text}'"
    if dialect == "duckdb" and value != value:
        return "'NaN'::FLOAT"
    if column.column.type == "real":
        return repr(value)
    return f"'{text}'"


def ordered(natives: tuple[Native, ...]) -> list[Native]:
    """Columns that rows are ordered by."""
    return [native for native in natives if not native.column.is_list and native.name not in JSON]


class NativeRows(TestedRows):
    """Rows of a table of native columns."""

    natives: tuple[Native, ...] = ()
    has_null_lists = True

    def row(self, number: int) -> dict[str, Any]:
        values = {native.name: self.value(native.column) for native in self.natives}
        return {"id": f"r{number:03}", **values}

    def item(self, column: Column) -> Any:  # noqa: ANN401
        values = next(native.values for native in self.natives if native.column == column)
        return self.choice(values)

    def texts(self, column: Column) -> list[str]:
        return super().texts(column) + (
            [REFUSED] * self.randrange(2) if column.type == "uuid" else []
        )

    def has(self, name: str, column: Column) -> bool:
        if name == "is_null" and column.is_list:
            return self.has_null_lists and column.is_nullable
        return super().has(name, column)

    def limit(self, column: Column) -> Any:  # noqa: ANN401
        if column.type == "date":
            return str(self.choice((*DAYS, *LATE, *SHORT)))
        return self.choice(REALS[:-1] + SINGLES) if column.type == "real" else super().limit(column)

    def order(self) -> list[dict[str, str]]:
        chosen = self.sample(ordered(self.natives), self.randrange(1, 3))
        return [
            {"column": native.name, "direction": self.choice(("asc", "desc"))} for native in chosen
        ]


@pytest.fixture(scope="module")
def servers() -> Iterator[dict[str, Database]]:
    with ExitStack() as opened:
        cursor = opened.enter_context(postgresql_server())
        cursor.execute(f'CREATE TYPE "Sizes %" AS ENUM ({ENUM})')
        yield {
            "mariadb": MariaDb(opened.enter_context(mariadb_server())()),
            "postgresql": PostgreSql(cursor),
            "clickhouse": opened.enter_context(clickhouse_server()),
        }


def database_of(dialect: Dialect, request: pytest.FixtureRequest) -> Database:
    if dialect == "sqlite":
        return Sqlite()
    if dialect == "duckdb":
        return DuckDb()
    served: Database = request.getfixturevalue("servers")[dialect]
    return served


def execute(database: Database, text: str) -> None:
    match database:
        case Sqlite() | DuckDb():
            database.connection.execute(text)
        case PostgreSql() | MariaDb():
            database.cursor.execute(text)
        case _:
            database.node.ask(text)  # type: ignore[attr-defined]


IDS: dict[Dialect, str] = {
    "clickhouse": "String",
    "mariadb": "VARCHAR(9) CHARACTER SET utf8mb4",
    "postgresql": 'text COLLATE "C"',
}


class Table:
    """A table `t` of random rows, and queries of it."""

    def __init__(
        self, dialect: Dialect, database: Database, *, is_nullable: bool = True, folder: str = ""
    ) -> None:
        self.dialect = dialect
        self.database = database
        self.natives = TABLES[dialect]
        self.name = f"read_parquet('{folder}/t.parquet')" if folder else "t"
        if not is_nullable:
            self.natives = tuple(map(present, self.natives))
        elif folder:
            self.natives = tuple(map(in_parquet, self.natives))
        seed, count = 17, 150
        self.source = NativeRows(seed)
        self.source.natives = self.natives
        self.source.has_null_lists = dialect != "clickhouse"
        self.schema = (Column("id"), *(native.column for native in self.natives))
        self.rows = [self.source.row(number) for number in range(count)]
        self.fill()

    def fill(self) -> None:
        clickhouse = self.dialect == "clickhouse"
        columns = [f"id {IDS.get(self.dialect, 'TEXT')}"]
        for native in self.natives:
            nullable = clickhouse and "Nullable" not in native.type and not native.column.is_list
            type_ = f"Nullable({native.type})" if nullable else native.type
            columns.append(f"{native.name} {type_}{'' if clickhouse else ' NULL'}")
        values = [
            f"('{row['id']}', "
            + ", ".join(literal(self.dialect, of, row[of.name]) for of in self.natives)
            + ")"
            for row in self.rows
        ]
        engine = " ENGINE = Memory" if clickhouse else ""
        execute(self.database, "DROP TABLE IF EXISTS t")
        execute(self.database, f"CREATE TABLE t ({', '.join(columns)}){engine}")
        execute(self.database, f"INSERT INTO t VALUES {', '.join(values)}")
        if self.name != "t":
            execute(self.database, f"COPY t TO {self.name.partition('(')[2][:-1]}")

    def query(self, tree: dict[str, Any]) -> ListQuery:
        return ListQuery.from_tree(tree, self.schema)

    def ask(self, tree: dict[str, Any], form: Form = "page") -> list[tuple[Any, ...]]:
        places: dict[str, str | Place] = {
            native.name: Place(native.name, native.kind) if native.kind else native.name
            for native in self.natives
        }
        statement: Statement = self.query(tree).to_sql(
            self.dialect, self.name, columns={"id": "id", **places}, select="id", form=form
        )
        return self.database.ask(statement)

    def in_order(self, order: list[dict[str, str]]) -> list[str]:
        """Ids of all rows by each key, those that have none first."""
        rows = self.rows
        for key in reversed([*order, {"column": "id", "direction": order[-1]["direction"]}]):
            column = next(column for column in self.schema if column.name == key["column"])
            is_reversed = key["direction"] == "desc"
            rows = sorted(rows, key=partial(rank, column), reverse=is_reversed)
        return [row["id"] for row in rows]


def rank(column: Column, row: dict[str, Any]) -> tuple[bool, Any]:
    value = row[column.name]
    if value is None or value != value:  # NaN
        return (False, 0)
    return (True, SIZES.index(value) if column.type == "choice" else value)


def present(of: Native) -> Native:
    """A column that every row has a value in."""
    column = Column(
        of.name,
        of.column.type,
        is_list=of.column.is_list,
        choices=of.column.choices,
        collation=of.column.collation,
    )
    return of._replace(column=column, values=tuple(v for v in of.values if v == v))


def in_parquet(of: Native) -> Native:
    """A column of a file, which has an enum as text."""
    is_enum = of.kind.startswith("enum")
    return of._replace(kind="varchar[]" if of.column.is_list else "") if is_enum else of


@pytest.fixture(
    params=["sqlite", "duckdb", "duckdb parquet"]
    + [pytest.param(name, marks=pytest.mark.servers) for name in [*TABLES][2:]]
)
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Table:
    dialect, _, file = request.param.partition(" ")
    folder = str(tmp_path) if file else ""
    return Table(dialect, database_of(dialect, request), folder=folder)


@pytest.fixture(
    params=["sqlite", "duckdb"]
    + [pytest.param(name, marks=pytest.mark.servers) for name in [*TABLES][2:]]
)
def whole_table(request: pytest.FixtureRequest) -> Table:
    return Table(request.param, database_of(request.param, request), is_nullable=False)


def test_conditions_take_the_rows_of_the_rule(table: Table) -> None:
    for _ in range(QUERIES):
        where = table.source.where([native.column for native in table.natives], 3)
        expected = takes(table.query({"where": where}), table.rows)
        ids = [row["id"] for row, holds in zip(table.rows, expected, strict=True) if holds]
        order = [{"column": "id", "direction": "asc"}]
        page = {"number": 1, "size": 1_000}
        rows = table.ask({"where": where, "order": order, "page": page})
        assert [row[0] for row in rows] == ids, where
        assert int(table.ask({"where": where}, "count")[0][0]) == len(ids), where


def test_columns_without_nulls_have_conditions_too(whole_table: Table) -> None:
    table = whole_table
    columns = [native.column for native in table.natives]
    for _ in range(QUERIES):
        where = table.source.where(columns, 2)
        expected = sum(takes(table.query({"where": where}), table.rows))
        assert int(table.ask({"where": where}, "count")[0][0]) == expected, where


def test_an_enum_that_is_a_text_is_refused(tmp_path: Path) -> None:
    table = Table("duckdb", DuckDb(), folder=str(tmp_path))
    table.natives = TABLES["duckdb"]
    with pytest.raises(duckdb.BinderException, match="needs an ENUM"):
        table.ask({"order": [{"column": "size", "direction": "asc"}]})


def test_each_test_of_a_column_alone(table: Table) -> None:
    for native in table.natives:
        for _ in range(20):
            leaf = {"column": native.name, **table.source.test(native.column)}
            for where in (leaf, {"not": leaf}):
                expected = takes(table.query({"where": where}), table.rows)
                count = int(table.ask({"where": where}, "count")[0][0])
                assert count == sum(expected), where


def test_pages_and_cursors_have_the_order(table: Table) -> None:
    orders = [
        [{"column": native.name, "direction": direction}]
        for native in ordered(table.natives)
        for direction in ("asc", "desc")
    ]
    for order in [*orders, *(table.source.order() for _ in range(10))]:
        query = table.query({"order": order})
        expected = table.in_order(order)
        size = table.source.randrange(20, 60)
        rows = table.ask({"order": order, "page": {"number": 1, "size": size}})
        forward = [*rows]
        while rows:
            text = query.cursor_beside(rows[-1][1:])
            rows = table.ask({"order": order, "cursor": {"text": text, "size": size}})
            forward += rows
        assert [row[0] for row in forward] == expected, order
        backward = rows = forward[-1:]
        while rows:
            text = query.cursor_beside(rows[0][1:], before=True)
            rows = table.ask({"order": order, "cursor": {"text": text, "size": size}})
            backward = [*rows, *backward]
        assert [row[0] for row in backward] == expected, order


# Names of types.

DIALECTS: dict[str, Dialect] = {
    "SQLite": "sqlite",
    "DuckDB": "duckdb",
    "PostgreSQL": "postgresql",
    "MariaDB": "mariadb",
    "ClickHouse": "clickhouse",
}


def documented() -> Iterator[tuple[str, Dialect, list[str]]]:
    """Names of the reference's table, by the type of a schema's column and the database."""
    text = (DOCS / "reference/sql.md").read_text(encoding="utf-8")
    lines = text.partition("## Native column types\n")[2].partition("\n###")[0].splitlines()
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if "|" in line]
    for row in cells[2:]:
        for database, names in zip(cells[0][1:], row[1:], strict=True):
            yield row[0], DIALECTS[database], re.findall("`(.*?)`", names)


def column_of(documented_type: str) -> Column:
    items = {"texts": "text", "integers": "integer", "UUIDs": "uuid", "choices": "choice"}
    type_: Any = documented_type.removeprefix("list of ")
    type_ = items.get(type_, type_)
    choices = SIZES if type_ == "choice" else ()
    is_list = documented_type.startswith("list of ")
    return Column("c", type_, is_list=is_list, choices=choices)


@pytest.mark.parametrize(("type_", "dialect", "names"), [*documented()])
def test_the_reference_lists_the_types(type_: str, dialect: Dialect, names: list[str]) -> None:
    columns: dict[str, str | Place] = {"c": Place("c", "text of 7 bytes")}
    with pytest.raises(ValueError, match=r"^columns: c: ") as refused:
        ListQuery.from_tree({}, [column_of(type_)]).to_sql(dialect, "t", columns=columns)
    said = str(refused.value).removeprefix("columns: c: ").removesuffix(", not 'text of 7 bytes'")
    if not names:
        assert said == "no type of the database but that of ddl()"
    else:
        assert said == f"expected one of {', '.join(names)}"
