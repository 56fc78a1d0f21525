# SPDX-License-Identifier: MIT
"""Tables as the catalogues of real databases describe them, with names and texts of any kind."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import pytest
from sql_engines import Dialect, Form, clickhouse_server, mariadb_server, postgresql_server

import sluice
from sluice import Column, ListQuery
from sluice.sql import Place

HOSTILE = "we\"ird`\\ %s {t} $1 ?1 'x;--é"
LABELS = ("b'c", "a", "d\\e", "f,g", '"h"', "é", "x) NOT NULL")


@dataclass(frozen=True)
class Described:
    """A table of a database: its columns by name, as SQL, and as they are read."""

    dialect: Dialect
    sql: dict[str, str]
    columns: tuple[Column, ...]
    types: dict[str, str]  # of places
    refused: dict[str, str]
    key: str | None = "id"
    suffix: str = ""
    before: tuple[str, ...] = ()
    quote: str = '"'
    literal: Callable[[str], str] = field(default=lambda text: text.replace("'", "''"))

    def quoted(self, name: str) -> str:
        escaped = name.replace("\\", "\\\\") if self.dialect == "clickhouse" else name
        return f"{self.quote}{escaped.replace(self.quote, self.quote * 2)}{self.quote}"


def labels(escape: bool) -> str:
    texts = (text.replace("\\", "\\\\") if escape else text for text in LABELS)
    return ", ".join(f"'{text}'" for text in (text.replace("'", "''") for text in texts))


TEXT = Column(HOSTILE, is_nullable=True)
TABLES = [
    Described(
        "sqlite",
        {
            "id": "INTEGER PRIMARY KEY",
            HOSTILE: "VARCHAR(20)",
            "nocase": "TEXT COLLATE NOCASE NOT NULL",
            "at": "DATETIME",
            "share": "REAL",
            "open": "BOOLEAN NOT NULL",
            "file": "BLOB",
            "price": "DECIMAL(10, 2)",
        },
        (
            Column("id", "integer"),
            TEXT,
            Column("nocase"),
            Column("at", "time", is_nullable=True),
            Column("share", "real", is_nullable=True),
            Column("open", "boolean"),
        ),
        {"nocase": "ignore_case", "at": "datetime"},
        {"file": "blob", "price": "decimal(10, 2)"},
    ),
    Described(
        "duckdb",
        {
            "id": "UUID PRIMARY KEY",
            HOSTILE: "VARCHAR",
            "size": f"ENUM ({labels(False)}) NOT NULL",
            "at": "TIMESTAMPTZ NOT NULL",
            "local": "TIMESTAMP",
            "price": "DECIMAL(12, 2)",
            "tags": "VARCHAR[]",
            "counts": "BIGINT[]",
            "day": "DATE",
            "large": "HUGEINT",
            "pair": "STRUCT(a INTEGER)",
            "data": "JSON",
            "small": "TINYINT[]",
        },
        (
            Column("id", "uuid"),
            TEXT,
            Column("size", "choice", choices=LABELS),
            Column("at", "time"),
            Column("local", "time", is_nullable=True),
            Column("price", "decimal", is_nullable=True),
            Column("tags", is_list=True, is_nullable=True),
            Column("counts", "integer", is_list=True, is_nullable=True),
            Column("day", "date", is_nullable=True),
            Column("data", "json", is_nullable=True),
        ),
        {"id": "uuid", "size": "enum", "at": "timestamptz", "local": "timestamp"}
        | {"price": "decimal(12,2)", "tags": "varchar[]", "counts": "bigint[]", "day": "date"}
        | {"data": "json"},
        {"large": "hugeint", "pair": "struct(a integer)", "small": "tinyint[]"},
    ),
    Described(
        "postgresql",
        {
            "id": "bigserial PRIMARY KEY",
            HOSTILE: "varchar(40)",
            "bytes": 'text COLLATE "C" NOT NULL',
            "other": 'text COLLATE "any case"',
            "mail": "email",
            "size": '"si""ze\\" NOT NULL',
            "sizes": '"si""ze\\"[]',
            "at": "timestamptz(3) NOT NULL",
            "price": "numeric(12, 2)",
            "share": "real",
            "ref": "uuid",
            "data": "jsonb",
            "tags": "text[]",
            "words": 'text[] COLLATE "any case"',
            "counts": "integer[] NOT NULL",
            "day": "date",
            "open": "boolean",
            "file": "bytea",
            "span": "interval",
        },
        (
            Column("id", "integer"),
            TEXT,
            Column("bytes"),
            Column("other", is_nullable=True),
            Column("mail"),
            Column("size", "choice", choices=LABELS),
            Column("sizes", "choice", is_list=True, is_nullable=True, choices=LABELS),
            Column("at", "time"),
            Column("price", "decimal", is_nullable=True),
            Column("share", "real", is_nullable=True),
            Column("ref", "uuid", is_nullable=True),
            Column("data", "json", is_nullable=True),
            Column("tags", is_list=True, is_nullable=True),
            Column("words", is_list=True, is_nullable=True),
            Column("counts", "integer", is_list=True),
            Column("day", "date", is_nullable=True),
            Column("open", "boolean", is_nullable=True),
        ),
        {HOSTILE: "deterministic", "bytes": "bytewise", "mail": "citext"}
        | {"size": 'enum("si""ze\\")', "sizes": 'enum("si""ze\\")[]', "at": "timestamptz"}
        | {"price": "numeric", "share": "float4", "ref": "uuid", "data": "jsonb"}
        | {"tags": "deterministic[]", "words": "text[]", "counts": "int4[]", "day": "date"},
        {"file": "bytea", "span": "interval"},
        before=(
            f'CREATE TYPE "si""ze\\" AS ENUM ({labels(False)})',
            "CREATE EXTENSION citext",
            "CREATE DOMAIN email AS citext NOT NULL",
            "CREATE COLLATION \"any case\" (provider = icu, locale = 'und-u-ks-level2', "
            "deterministic = false)",
        ),
    ),
    Described(
        "mariadb",
        {
            "id": "BIGINT AUTO_INCREMENT PRIMARY KEY",
            HOSTILE: "VARCHAR(40) COLLATE utf8mb4_bin",
            "bytes": "VARCHAR(20) COLLATE utf8mb4_nopad_bin NOT NULL",
            "name": "TEXT COLLATE utf8mb4_unicode_ci",
            "turkish": "VARCHAR(20) COLLATE utf8mb4_turkish_ci",
            "size": f"ENUM ({labels(True)}) NOT NULL",
            "at": "DATETIME(6) NOT NULL",
            "price": "DECIMAL(12, 2)",
            "share": "DOUBLE",
            "ref": "UUID",
            "raw": "BINARY(16)",
            "day": "DATE",
            "open": "BOOLEAN",
            "large": "BIGINT UNSIGNED",
            "any`thing": "JSON",
            "both": "SET('a', 'b')",
        },
        (
            Column("id", "integer"),
            TEXT,
            Column("bytes"),
            Column("name", is_nullable=True),
            Column("turkish", is_nullable=True),
            Column("size", "choice", choices=LABELS),
            Column("at", "time"),
            Column("price", "decimal", is_nullable=True),
            Column("share", "real", is_nullable=True),
            Column("ref", "uuid", is_nullable=True),
            Column("raw", "uuid", is_nullable=True),
            Column("day", "date", is_nullable=True),
            Column("open", "boolean", is_nullable=True),
        ),
        {"bytes": "bytewise", "name": "ignore_case", "size": "enum", "at": "datetime(6)"}
        | {"price": "decimal(12,2)", "share": "double", "ref": "uuid", "raw": "binary(16)"}
        | {"day": "date"},
        {"large": "bigint(20) unsigned", "any`thing": "json", "both": "set('a','b')"},
        quote="`",
    ),
    Described(
        "clickhouse",
        {
            "id": "UUID",
            HOSTILE: "Nullable(String)",
            "size": f"Enum8({labels(True)})",
            "kind": "LowCardinality(Nullable(String))",
            "at": "DateTime64(6, 'UTC')",
            "price": "Decimal(12, 2)",
            "share": "Float64",
            "tags": "Array(String)",
            "counts": "Array(Int32)",
            "day": "Date32",
            "open": "Bool",
            "large": "UInt64",
            "pairs": "Map(String, String)",
        },
        (
            Column("id", "uuid"),
            TEXT,
            Column("size", "choice", choices=LABELS),
            Column("kind", is_nullable=True),
            Column("at", "time"),
            Column("price", "decimal"),
            Column("share", "real"),
            Column("tags", is_list=True),
            Column("counts", "integer", is_list=True),
            Column("day", "date"),
            Column("open", "boolean"),
        ),
        {"id": "uuid", "size": "enum8", "at": "datetime64", "price": "decimal(12, 2)"}
        | {"share": "float64", "tags": "array(string)", "counts": "array(int32)", "day": "date32"},
        {"large": "uint64", "pairs": "map(string, string)"},
        key=None,
        suffix=" ENGINE = MergeTree ORDER BY id",
    ),
]


class Opened:
    """A connection to a database, of the package that programs use."""

    def __init__(self, dialect: Dialect, opened: ExitStack) -> None:
        self.connection: Any
        match dialect:
            case "sqlite":
                self.connection = opened.enter_context(closing(sqlite3.connect(":memory:")))
            case "duckdb":
                self.connection = opened.enter_context(closing(duckdb.connect()))
            case "postgresql":
                cursor: Any = opened.enter_context(postgresql_server())
                self.connection = cursor.connection
            case "mariadb":
                connect = opened.enter_context(mariadb_server())
                self.connection = opened.enter_context(closing(connect()))
            case "clickhouse":
                import clickhouse_connect

                node = opened.enter_context(clickhouse_server()).node
                node.ask("CREATE DATABASE tests")  # the default one has files, too
                self.connection = clickhouse_connect.get_client(
                    host="127.0.0.1", port=node.http, database="tests"
                )
        self.dialect = dialect

    def ask(self, text: str, parameters: Any = None) -> list[Any]:  # noqa: ANN401
        if self.dialect == "clickhouse":
            return [*self.connection.query(text, parameters).result_rows]
        cursor = self.connection.cursor()
        cursor.execute(text, *([] if parameters is None else [parameters]))
        return [*cursor.fetchall()] if parameters is not None else []

    def execute(self, text: str) -> None:
        if self.dialect == "clickhouse":
            self.connection.command(text)
        else:
            self.connection.cursor().execute(text)


@pytest.fixture(
    scope="module",
    params=[
        table
        if table.dialect in ("sqlite", "duckdb")
        else pytest.param(table, marks=pytest.mark.servers)
        for table in TABLES
    ],
    ids=lambda table: table.dialect,
)
def opened(request: pytest.FixtureRequest) -> Iterator[tuple[Described, Opened]]:
    """A database that has the table, by a hostile name."""
    table: Described = request.param
    with ExitStack() as stack:
        database = Opened(table.dialect, stack)
        columns = ", ".join(f"{table.quoted(name)} {type_}" for name, type_ in table.sql.items())
        create = f"CREATE TABLE {table.quoted(HOSTILE)} ({columns}){table.suffix}"
        for statement in (*table.before, create):
            database.execute(statement)
        if table.dialect == "sqlite":
            database.execute(f'CREATE INDEX i ON {table.quoted(HOSTILE)} ("nocase")')
        yield table, database


def test_columns_types_and_key_are_read(opened: tuple[Described, Opened]) -> None:
    table, database = opened
    described = sluice.sql.table(database.connection, HOSTILE)
    assert described.name == table.quoted(HOSTILE)
    assert described.dialect == table.dialect
    assert described.columns == table.columns
    assert described.key == table.key
    assert described.places == {
        column.name: Place(table.quoted(column.name), table.types[column.name])
        if column.name in table.types
        else table.quoted(column.name)
        for column in table.columns
    }
    assert described.refused == {
        name: f"no type of a column has values of {type_}" for name, type_ in table.refused.items()
    }
    assert described[HOSTILE] == TEXT
    with pytest.raises(KeyError, match="nothing: the table has no such column, expected one of id"):
        described["nothing"]
    refused = next(iter(table.refused))
    with pytest.raises(KeyError, match=f"{refused}: no type of a column has values of "):
        described[refused]


def test_each_column_is_asked_as_it_is(opened: tuple[Described, Opened]) -> None:
    _, database = opened
    described = sluice.sql.table(database.connection, HOSTILE)
    forms: tuple[Form, Form] = ("page", "count")
    for column in described.columns:
        tests: list[dict[str, Any]] = []
        if column.is_nullable:
            tests.append({"is_null": True})
        if column.type in ("text", "choice"):
            tests.append({"any_of": ["a"]})
        if column.type == "uuid":
            tests.append({"any_of": ["00000000-0000-0000-0000-000000000000"]})
        trees: list[dict[str, Any]] = [{}]
        trees += ({"where": {"column": column.name, **test}} for test in tests)
        for tree in trees:
            has_order = column.type not in ("json", "records") and not column.is_list
            names = dict.fromkeys((column.name, "id") if has_order else ("id",))
            tree["order"] = [{"column": name, "direction": "asc"} for name in names]
            query = ListQuery.from_tree(tree, described.columns)
            for form in forms:
                rows = database.ask(*described.to_sql(query, form=form))
                assert [*map(tuple, rows)] == ([] if form == "page" else [(0,)]), column


@pytest.mark.parametrize("name", ["nothing", "", "'", HOSTILE.upper()])
def test_a_table_that_is_missing_is_named(opened: tuple[Described, Opened], name: str) -> None:
    _, database = opened
    with pytest.raises(ValueError, match="table: the database has no ") as refused:
        sluice.sql.table(database.connection, name)
    assert repr(name) in str(refused.value)


def test_a_schema_may_be_named(opened: tuple[Described, Opened]) -> None:
    table, database = opened
    schemas = {"sqlite": "main", "duckdb": "main", "postgresql": "public"}
    schema = schemas.get(table.dialect, "tests")
    described = sluice.sql.table(database.connection, HOSTILE, schema=schema)
    assert described.name == f"{table.quoted(schema)}.{table.quoted(HOSTILE)}"
    assert described.columns == table.columns
    with pytest.raises(ValueError, match="table: "):
        sluice.sql.table(database.connection, HOSTILE, schema="other'\"`")


def test_a_file_of_parquet_is_a_table(tmp_path: Path) -> None:
    connection = duckdb.connect()
    file = tmp_path / 'it\'s "one".parquet'
    connection.execute(
        "CREATE TABLE rows AS SELECT 'a' AS name, TIMESTAMP '2026-01-01' AS at, "
        "CAST(1.5 AS DECIMAL(9, 3)) AS price, uuid() AS id, ['x'] AS tags"
    )
    connection.sql("FROM rows").write_parquet(str(file))
    described = sluice.sql.table(connection, str(file))
    assert {column.name: column.type for column in described.columns} == {
        **{"name": "text", "at": "time", "price": "decimal", "id": "uuid", "tags": "text"},
    }
    assert described.key is None
    query = ListQuery.from_tree({"where": {"column": "tags", "any_of": ["x"]}}, described.columns)
    statement = query.to_sql("duckdb", described.name, columns=described.places, form="count")
    assert connection.execute(*statement).fetchall() == [(1,)]


def test_a_connection_of_an_unknown_package_is_refused() -> None:
    with pytest.raises(TypeError, match=r"connection: expected one of psycopg, .*, not object"):
        sluice.sql.table(object(), "orders")
