# SPDX-License-Identifier: MIT
"""A table with an index of each column in every database, and queries as sluice compiles them and
as users write them, for plans and times.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple
from uuid import UUID

from sql_engines import (
    ClickHouse,
    Database,
    Dialect,
    DuckDb,
    Form,
    MariaDb,
    PostgreSql,
    Sqlite,
    Storage,
    clickhouse_server,
    mariadb_server,
    postgresql_server,
)

from sluice import Column, ListQuery
from sluice.sql import Place, Statement

ROWS = int(os.environ.get("SLUICE_PLAN_ROWS", "50000"))
SCHEMA = (
    Column("id"),
    Column("created", "time"),
    Column("code"),
    Column("city"),
    Column("name", collation="ignore_case"),
    Column("note", is_nullable=True),
    Column("due", "time", is_nullable=True),
    Column("seats", "integer"),
    Column("weight", "real"),
    Column("day", "date"),
    Column("open", "boolean"),
    Column("state", "choice", choices=("draft", "open", "paid", "void")),
    Column("tags", is_list=True),
    Column("marks", is_list=True, is_nullable=True),
    Column("ports", "integer", is_list=True),
    Column("ref", "uuid"),
    Column("total", "decimal"),
    Column("meta", "json"),
    Column("items", "records", columns=(Column("sku"), Column("count", "integer"))),
)
STATES = "'draft', 'open', 'paid', 'void'"
NAMES = [column.name for column in SCHEMA if column.type != "json"]

# --- Tables --------------------------------------------------------------------------------------

# SQL for the values of row `n`, 1 to ROWS; what databases write differently is in braces.
VALUES = {
    "id": "'o' || {digits}",
    "created": "{time}",
    "code": "{hash}",
    "city": "'City ' || (n - n % 20)",
    "name": "'Name ' || (n - n % 20)",
    "note": "CASE WHEN n % 1000 > 0 THEN 'note ' || (n % 5000) END",
    "due": "CASE WHEN n % 1000 > 0 THEN {time} END",
    "seats": "n - n % 10",
    "weight": "n - n % 10 + 0.5",
    "day": "{day}",
    "open": "n % 1000 = 0",
    "state": "(CASE WHEN n % 1000 > 0 THEN 'paid' ELSE 'void' END){enum}",
    "tags": "{texts}",
    "marks": "{marks}",
    "ports": "{numbers}",
    "ref": "{uuid}",
    "total": "{total}",
    "items": "{items}",
}
DOCUMENT = {"meta": "jsonb_build_object('plan', 'p' || n % 1000, 'seats', n % 1000)"}
PREPARED = {"meta_text": "{maps[0]}", "meta_num": "{maps[1]}"}  # of other databases
ITEMS = """'[{"sku": "s' || (n % 1000) || '", "count": ' || (n % 3) || '}]'"""


class Table(NamedTuple):
    """A database's words for the table."""

    rows: str  # a source of `n`
    types: dict[str, str]
    values: dict[str, Any]  # for the braces of VALUES
    indexes: list[str]  # of columns, in order
    places: dict[str, str]  # types of columns for sluice
    head: str = ""  # before SELECT
    engine: str = ""
    finish: str = ""


PAIRS = ["(created, id)", "(code, id)", "(seats, id)", "(note, id)"]
PLAIN = ["city", "due", "weight", "day", "open", "state", "ref", "total"]
SQLITE = Table(
    "r",
    dict.fromkeys(NAMES, "TEXT NOT NULL")
    | {"id": "TEXT PRIMARY KEY", "note": "TEXT", "due": "INTEGER", "weight": "REAL NOT NULL"}
    | dict.fromkeys(("created", "seats", "open", "total"), "INTEGER NOT NULL")
    | dict.fromkeys(("marks", *PREPARED), "TEXT"),
    {
        "digits": "printf('%07d', n)",
        "time": "1767225600000 + n * 1000",
        "hash": "printf('%08x', n * 2654435761 & 4294967295)",
        "day": "date('2020-01-01', (n % 3650) || ' days')",
        "texts": "json_array('t' || (n % 1000), 'u' || (n % 3))",
        "numbers": "json_array(n % 1000, 5000 + n % 3)",
        "maps": ("json_object('/plan', 'p' || (n % 1000))", "'{}'"),
        "uuid": "printf('00000000-0000-4000-8000-%012x', n)",
        "total": "(n - n % 10) * 100 + 25",
    },
    [*PAIRS, *(f"({name})" for name in [*PLAIN, "marks"]), "(name COLLATE NOCASE)"],
    {"ref": "uuid", "total": "scaled(2)"},
    f"WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < {ROWS}) ",
    finish="ANALYZE",
)
POSTGRESQL = Table(
    f"generate_series(1, {ROWS}) AS r(n)",
    dict.fromkeys(NAMES, "text NOT NULL")
    | {"id": 'text COLLATE "C" PRIMARY KEY', "code": 'text COLLATE "C" NOT NULL'}
    | {"note": 'text COLLATE "C"'}
    | {"created": "timestamptz NOT NULL", "due": "timestamptz", "seats": "integer NOT NULL"}
    | {"weight": "double precision NOT NULL", "day": "date NOT NULL", "open": "boolean NOT NULL"}
    | {"tags": "text[] NOT NULL", "marks": "text[]", "ports": "bigint[] NOT NULL"}
    | {"ref": "uuid NOT NULL"}
    | {"total": "numeric(12, 2) NOT NULL", "state": "order_state NOT NULL"}
    | dict.fromkeys(("items", "meta"), "jsonb NOT NULL"),
    {
        "digits": "lpad(n::text, 7, '0')",
        "time": "timestamptz '2026-01-01 00:00:00Z' + n * interval '1 second'",
        "hash": "lpad(to_hex(n::bigint * 2654435761 & 4294967295), 8, '0')",
        "day": "date '2020-01-01' + (n % 3650)::integer",
        "texts": "ARRAY['t' || (n % 1000), 'u' || (n % 3)]",
        "numbers": "ARRAY[n % 1000, 5000 + n % 3]",
        "uuid": "('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid",
        "total": "n - n % 10 + 0.25",
        "enum": "::order_state",
        "items": f"({ITEMS})::jsonb",
    },
    [
        *PAIRS[:3],
        "(note NULLS FIRST, id)",
        *(f"({name})" for name in [*PLAIN, "marks"]),
        "USING gin (code gin_trgm_ops)",
        '(lower(name COLLATE "C"))',
        "USING gin (tags)",
        "USING gin (ports)",
        *(f"USING gin ({name} jsonb_path_ops)" for name in ("items", "meta")),
    ],
    {"created": "timestamptz", "due": "timestamptz", "id": "bytewise", "code": "bytewise"}
    | {"city": "deterministic", "note": "bytewise", "ref": "uuid", "total": "numeric"}
    | {"state": "enum(order_state)", "tags": "deterministic[]"},
    finish="VACUUM ANALYZE many",
)
MARIADB = Table(
    f"(SELECT CAST(seq AS SIGNED) AS n FROM seq_1_to_{ROWS}) AS r",
    dict.fromkeys(NAMES, "VARCHAR(60) NOT NULL")
    | {"id": "VARCHAR(20) COLLATE utf8mb4_nopad_bin PRIMARY KEY"}
    | {"note": "VARCHAR(60) COLLATE utf8mb4_nopad_bin"}
    | {"code": "VARCHAR(20) COLLATE utf8mb4_nopad_bin NOT NULL", "created": "DATETIME(6) NOT NULL"}
    | {"due": "DATETIME(6)", "seats": "INT NOT NULL", "weight": "DOUBLE NOT NULL"}
    | {"day": "DATE NOT NULL", "open": "BOOLEAN NOT NULL"}
    | dict.fromkeys(("tags", "ports", "items"), "JSON NOT NULL")
    | dict.fromkeys(("marks", *PREPARED), "JSON")
    | {"ref": "UUID NOT NULL", "total": "DECIMAL(12, 2) NOT NULL"}
    | {"state": "ENUM ('draft', 'open', 'paid', 'void') NOT NULL"},
    {
        "digits": "LPAD(n, 7, '0')",
        "time": "TIMESTAMP '2026-01-01 00:00:00' + INTERVAL n SECOND",
        "hash": "LPAD(LOWER(HEX(n * 2654435761 & 4294967295)), 8, '0')",
        "day": "DATE '2020-01-01' + INTERVAL n % 3650 DAY",
        "texts": "JSON_ARRAY('t' || (n % 1000), 'u' || (n % 3))",
        "numbers": "JSON_ARRAY(n % 1000, 5000 + n % 3)",
        "maps": ("JSON_OBJECT('/plan', 'p' || (n % 1000))", "'{}'"),
        "uuid": "'00000000-0000-4000-8000-' || LPAD(LOWER(HEX(n)), 12, '0')",
        "total": "n - n % 10 + 0.25",
    },
    [*PAIRS, *(f"({name})" for name in [*PLAIN, "name", "marks(20)"])],
    {"created": "datetime", "due": "datetime", "id": "bytewise", "code": "bytewise"}
    | {"name": "ignore_case", "city": "ignore_case", "note": "bytewise", "ref": "uuid"}
    | {"state": "enum", "total": "decimal(12,2)"},
    finish="ANALYZE TABLE many",
)
DUCKDB = Table(
    f"range(1, {ROWS + 1}) AS r(n)",
    dict.fromkeys(NAMES, "VARCHAR NOT NULL")
    | {"note": "VARCHAR", "created": "TIMESTAMPTZ NOT NULL", "due": "TIMESTAMPTZ"}
    | {"seats": "INTEGER NOT NULL", "weight": "DOUBLE NOT NULL", "day": "DATE NOT NULL"}
    | {"open": "BOOLEAN NOT NULL", "tags": "VARCHAR[] NOT NULL", "ports": "BIGINT[] NOT NULL"}
    | {"marks": "VARCHAR[]", **dict.fromkeys(PREPARED, "MAP(VARCHAR, VARCHAR)")}
    | {"id": "VARCHAR PRIMARY KEY", "ref": "UUID NOT NULL", "total": "DECIMAL(12, 2) NOT NULL"}
    | {"state": "ENUM ('draft', 'open', 'paid', 'void') NOT NULL"},
    {
        "digits": "printf('%07d', n)",
        "time": "TIMESTAMPTZ '2026-01-01 00:00:00+00' + to_seconds(n)",
        "hash": "printf('%08x', n * 2654435761 & 4294967295)",
        "day": "DATE '2020-01-01' + (n % 3650)::INTEGER",
        "texts": "['t' || (n % 1000), 'u' || (n % 3)]",
        "numbers": "[n % 1000, 5000 + n % 3]",
        "maps": ("MAP {'/plan': 'p' || (n % 1000)}", "MAP()"),
        "uuid": "printf('00000000-0000-4000-8000-%012x', n)::UUID",
        "total": "n - n % 10 + 0.25",
    },
    [*(f"({name})" for name in ("code", "city", "ref"))],
    {"created": "timestamptz", "due": "timestamptz", "ref": "uuid", "total": "decimal(12,2)"}
    | {"id": "bytewise", "code": "bytewise", "note": "bytewise", "state": "enum"},
)
CLICKHOUSE = Table(
    f"(SELECT toInt64(number) + 1 AS n FROM numbers({ROWS})) AS r",
    dict.fromkeys(NAMES, "String")
    | {"note": "Nullable(String)", "created": "DateTime64(6, 'UTC')", "seats": "Int64"}
    | {"due": "Nullable(DateTime64(6, 'UTC'))", "weight": "Float64", "open": "Bool"}
    | {"state": "Enum8('draft' = 1, 'open' = 2, 'paid' = 3, 'void' = 4)", "ref": "UUID"}
    | {"tags": "Array(String)", "ports": "Array(Int64)", "total": "Decimal(12, 2)"}
    | {"marks": "Array(String)", **dict.fromkeys(PREPARED, "Map(String, String)")},
    {
        "digits": "leftPad(toString(n), 7, '0')",
        "time": "toDateTime64('2026-01-01 00:00:00', 6, 'UTC') + n",
        "hash": "leftPad(lower(hex(toUInt32(n * 2654435761 % 4294967296))), 8, '0')",
        "day": "toString(toDate('2020-01-01') + n % 3650)",
        "texts": "['t' || toString(intDiv(n, 100) % 1000), 'u' || toString(n % 3)]",
        "numbers": "[intDiv(n, 100) % 1000, 5000 + n % 3]",
        "marks": "['t']",  # no array is NULL
        "maps": ("map('/plan', 'p' || toString(intDiv(n, 100) % 1000))", "map()"),
        "uuid": "toUUID('00000000-0000-4000-8000-' || leftPad(lower(hex(n)), 12, '0'))",
        "total": "toDecimal64(n - n % 10, 2) + toDecimal64('0.25', 2)",
    },
    [
        *(f"{name} TYPE bloom_filter" for name in ("code", "city", "tags", "ports", "ref")),
        "lower(name) TYPE bloom_filter",
        *(f"mapValues({name}) TYPE bloom_filter" for name in PREPARED),
        *(f"mapKeys({name}) TYPE bloom_filter" for name in PREPARED),
        *(f"{name} TYPE minmax" for name in ("seats", "weight", "day", "open", "due", "total")),
        "code TYPE ngrambf_v1(4, 65536, 2, 0)",
    ],
    {"created": "datetime64", "due": "datetime64", "ref": "uuid", "total": "decimal(12,2)"}
    | {"state": "enum8"},
    engine=" ENGINE = MergeTree ORDER BY (created, id) SETTINGS allow_nullable_key = 1",
    finish="OPTIMIZE TABLE many FINAL",
)
TABLES: dict[Dialect, Table] = {
    "sqlite": SQLITE,
    "duckdb": DUCKDB,
    "postgresql": POSTGRESQL,
    "clickhouse": CLICKHOUSE,
    "mariadb": MARIADB,
}


def execute(database: Database, text: str) -> None:
    """Executes a statement that has no answer."""
    match database:
        case Sqlite() | DuckDb():
            database.connection.execute(text)
        case PostgreSql() | MariaDb():
            database.cursor.execute(text)
        case ClickHouse():
            database.node.ask(text)


def fill(database: Database) -> None:
    """Creates the table `many`, which the database itself fills."""
    table = TABLES[database.dialect]
    known = VALUES | (DOCUMENT if "meta" in table.types else PREPARED)
    marks = f"CASE WHEN n % 1000 > 0 THEN {table.values['texts']} END"
    words = {"enum": "", "items": ITEMS, "marks": marks, **table.values}
    values = ", ".join(value.format(**words) for value in known.values())
    columns = ", ".join(f"{name} {type_}" for name, type_ in table.types.items())
    names = [f"many_{at}" for at in range(len(table.indexes))]
    indexes = [*zip(names, table.indexes, strict=True)]
    inside = "".join(f", INDEX {name} {of}" for name, of in indexes) if table.engine else ""
    execute(database, f"CREATE TABLE many ({columns}{inside}){table.engine}")
    execute(database, f"INSERT INTO many {table.head}SELECT {values} FROM {table.rows}")
    for name, of in indexes if not inside else ():
        execute(database, f"CREATE INDEX {name} ON many {of}")
    if table.finish:
        execute(database, table.finish)


@contextmanager
def filled(dialect: Dialect) -> Iterator[Database]:
    """Opens a database that has the table."""
    with ExitStack() as opened:
        database: Database
        match dialect:
            case "sqlite":
                database = Sqlite()
            case "duckdb":
                database = DuckDb()
            case "postgresql":
                database = PostgreSql(opened.enter_context(postgresql_server()))
                for setting in ("max_parallel_workers_per_gather = 0", "jit = off"):
                    execute(database, f"SET {setting}")
                execute(database, "CREATE EXTENSION pg_trgm")
                execute(database, f"CREATE TYPE order_state AS ENUM ({STATES})")
            case "mariadb":
                connect = opened.enter_context(mariadb_server())
                modes = "SET time_zone = '+00:00', sql_mode = 'PIPES_AS_CONCAT'"
                database = MariaDb(connect(init_command=modes))
            case "clickhouse":
                database = opened.enter_context(clickhouse_server())
        fill(database)
        yield database


def server_of(database: Database) -> int | None:
    """The process that answers; None for a database in this one."""
    match database:
        case PostgreSql():
            return int(database.ask(Statement("SELECT pg_backend_pid()", []))[0][0])
        case MariaDb():
            [[file]] = database.ask(Statement("SELECT @@pid_file", []))
            return int(Path(file).read_text())
        case ClickHouse():
            assert database.node.process is not None
            return database.node.process.pid
    return None


# --- Cases ---------------------------------------------------------------------------------------


class Case(NamedTuple):
    """A test of the form, and the condition that users write for it, with ? for values."""

    name: str
    where: dict[str, Any]
    by_hand: str
    values: list[Any]
    others: Mapping[Dialect, str] = MappingProxyType({})  # what other databases write
    dialects: tuple[Dialect, ...] = ()  # all without any


MIDDLE = ROWS // 2
SOME = (MIDDLE, MIDDLE + 40, 20)  # rows
IDS, CITIES = [f"o{n:07}" for n in SOME], [f"City {n}" for n in SOME]
CODES = [f"{n * 2654435761 & 0xFFFFFFFF:08x}" for n in SOME]
FIRST = datetime(2026, 1, 1, tzinfo=UTC)


def equalities() -> Iterator[Case]:
    for name, values in (("id", IDS), ("code", CODES), ("city", CITIES)):
        one = {"column": name, "any_of": values[:1]}
        yield Case(f"{name} any_of 1", one, f"{name} = ?", values[:1])
        yield Case(f"{name} any_of 3", {**one, "any_of": values}, f"{name} IN (?, ?, ?)", values)
        none = {"column": name, "none_of": values[:1]}
        yield Case(f"{name} none_of", none, f"{name} <> ?", values[:1])
    lower: dict[Dialect, str] = dict.fromkeys(("duckdb", "clickhouse"), "lower(name)")
    lower |= {"postgresql": 'lower(name COLLATE "C")', "sqlite": "name COLLATE NOCASE"}
    names = [city.replace("City", "name") for city in CITIES]
    for size, test in ((1, "= ?"), (3, "IN (?, ?, ?)")):
        others = {dialect: f"{text} {test}" for dialect, text in lower.items()}
        where = {"column": "name", "any_of": names[:size]}
        yield Case(f"name any_of {size}", where, f"name {test}", names[:size], others)
    yield Case("note any_of", {"column": "note", "any_of": ["note 7"]}, "note = ?", ["note 7"])
    none = {"column": "note", "none_of": ["note 7"]}
    yield Case("note none_of", none, "(note <> ? OR note IS NULL)", ["note 7"])
    seats = [str(n) for n in SOME]
    days = ["2020-02-01", "2021-03-04", "2022-05-06"]
    for name, texts in (("seats", seats), ("day", days)):
        typed: list[Any] = [*SOME] if name == "seats" else [*texts]
        one = {"column": name, "any_of": texts[:1]}
        yield Case(f"{name} any_of 1", one, f"{name} = ?", typed[:1])
        yield Case(f"{name} any_of 3", {**one, "any_of": texts}, f"{name} IN (?, ?, ?)", typed)
    yield Case("state any_of", {"column": "state", "any_of": ["void"]}, "state = ?", ["void"])
    yield Case("state gte", {"column": "state", "gte": "void"}, "state = ?", ["void"])
    yield Case("open is", {"column": "open", "is": True}, "open = ?", [True])
    in_nullable_lists: tuple[Dialect, ...] = ("sqlite", "duckdb", "postgresql", "mariadb")
    for name in ("note", "due", "marks"):
        dialects = in_nullable_lists if name == "marks" else ()
        for is_null, test in ((True, "IS NULL"), (False, "IS NOT NULL")):
            present: dict[str, Any] = {"column": name, "is_null": is_null}
            yield Case(f"{name} {test}", present, f"{name} {test}", [], dialects=dialects)


def moments(name: str) -> Case:
    """A minute of times."""
    first, last = (FIRST + timedelta(seconds=MIDDLE + seconds) for seconds in (0, 60))
    where = {"column": name, "gte": first.isoformat(), "lt": last.isoformat()}
    texts = [f"{at:%Y-%m-%d %H:%M:%S}" for at in (first, last)]
    numbers = [int(at.timestamp() * 1000) for at in (first, last)]
    others: dict[Dialect, str] = {
        "sqlite": f"{name} >= {numbers[0]} AND {name} < {numbers[1]}",
        "duckdb": f"{name} >= TIMESTAMPTZ '{first}' AND {name} < TIMESTAMPTZ '{last}'",
        "postgresql": f"{name} >= '{first}' AND {name} < '{last}'",
    }
    return Case(f"{name} gte lt", where, f"{name} >= ? AND {name} < ?", [*texts], others)


def ranges() -> Iterator[Case]:
    yield from (moments("created"), moments("due"))
    bounds: list[tuple[str, Any, Any]] = [
        ("code", "081", "082"),
        ("seats", MIDDLE, MIDDLE + 20),
        ("weight", MIDDLE + 0.5, MIDDLE + 20.5),
        ("day", "2020-02-01", "2020-02-03"),
    ]
    for name, least, most in bounds:
        where = {"column": name, "gte": least, "lt": most}
        yield Case(f"{name} gte lt", where, f"{name} >= ? AND {name} < ?", [least, most])
        where = {"column": name, "gt": least, "lte": most}
        yield Case(f"{name} gt lte", where, f"{name} > ? AND {name} <= ?", [least, most])
    least = ROWS - 100.5
    yield Case("weight gt", {"column": "weight", "gt": least}, "weight > ?", [least])


def parts() -> Iterator[Case]:
    for name, starts in (("code", ["081", "ff0"]), ("city", [CITIES[0][:-1], "City 123"])):
        # The operator that an index of bytes serves in SQLite is GLOB.
        glob: dict[Dialect, str] = {"sqlite": f"{name} GLOB '{starts[0]}*'"}
        one = {"column": name, "starts_with": starts[:1]}
        yield Case(f"{name} starts_with 1", one, f"{name} LIKE ?", [f"{starts[0]}%"], glob)
        globs = " OR ".join(f"{name} GLOB '{start}*'" for start in starts)
        test = f"({name} LIKE ? OR {name} LIKE ?)"
        values = [f"{start}%" for start in starts]
        two = {**one, "starts_with": starts}
        yield Case(f"{name} starts_with 2", two, test, values, {"sqlite": f"({globs})"})
    start = CITIES[0][:-1].replace("City", "name")
    others: dict[Dialect, str] = dict.fromkeys(("duckdb", "clickhouse"), "lower(name) LIKE ?")
    others |= {"postgresql": 'lower(name COLLATE "C") LIKE ?', "sqlite": f"name LIKE '{start}%'"}
    where: dict[str, Any] = {"column": "name", "starts_with": [start]}
    yield Case("name starts_with", where, "name LIKE ?", [f"{start}%"], others)
    part = CODES[0][2:7]
    where = {"column": "code", "contains": [part]}
    yield Case("code contains", where, "code LIKE ?", [f"%{part}%"])
    where = {"column": "code", "ends_with": [part]}
    yield Case("code ends_with", where, "code LIKE ?", [f"%{part}"])


def lists() -> Iterator[Case]:
    any_of = "EXISTS (SELECT 1 FROM json_each({}) WHERE value IN ({}))"
    all_of = "(SELECT count(DISTINCT value) FROM json_each({}) WHERE value IN (?, ?)) = 2"
    for name, mark, type_ in (("tags", "t", "text"), ("ports", "", "bigint")):
        typed: list[Any] = ["t17", "t18", "u1"] if mark else [17, 18, 5001]
        texts = [str(value) for value in typed]
        for size in (1, 2):
            marks = ", ".join("?" * size)
            others: dict[Dialect, str] = {
                "sqlite": any_of.format(name, marks),
                "duckdb": f"list_has_any({name}, [{marks}])",
                "postgresql": f"{name} && ARRAY[{marks}]::{type_}[]",
                "clickhouse": f"hasAny({name}, [{marks}])",
            }
            many = " OR ".join([f"JSON_CONTAINS({name}, JSON_ARRAY(?))"] * size)
            where = {"column": name, "any_of": texts[:size]}
            yield Case(f"{name} any_of {size}", where, f"({many})", typed[:size], others)
            if size == 1:
                none = {dialect: f"NOT ({text})" for dialect, text in others.items()}
                where = {"column": name, "none_of": texts[:size]}
                yield Case(f"{name} none_of", where, f"NOT ({many})", typed[:size], none)
        others = {dialect: text.replace("?, ?", "?") for dialect, text in others.items()}
        where, by_hand = (
            {"column": name, "any_of": texts[2:]},
            f"JSON_CONTAINS({name}, JSON_ARRAY(?))",
        )
        yield Case(f"{name} any_of, a third", where, by_hand, typed[2:], others)
        others = {
            "sqlite": all_of.format(name),
            "duckdb": f"list_has_all({name}, [?, ?])",
            "postgresql": f"{name} @> ARRAY[?, ?]::{type_}[]",
            "clickhouse": f"hasAll({name}, [?, ?])",
        }
        where = {"column": name, "all_of": [texts[0], texts[2]]}
        by_hand = f"JSON_CONTAINS({name}, JSON_ARRAY(?, ?))"
        yield Case(f"{name} all_of", where, by_hand, [typed[0], typed[2]], others)
    others = {
        "sqlite": "EXISTS (SELECT 1 FROM json_each(tags) WHERE instr(value, ?) > 0)",
        "duckdb": "EXISTS (SELECT 1 FROM (SELECT unnest(tags) AS tag) WHERE contains(tag, ?))",
        "postgresql": "EXISTS (SELECT 1 FROM unnest(tags) AS tag WHERE strpos(tag, ?) > 0)",
        "clickhouse": "arrayExists(tag -> position(tag, ?) > 0, tags)",
    }
    where = {"column": "tags", "contains": ["t17"]}
    by_hand = "JSON_SEARCH(tags, 'one', CONCAT('%%', ?, '%%')) IS NOT NULL"
    yield Case("tags contains", where, by_hand, ["t17"], others)


def natives() -> Iterator[Case]:
    refs = [f"00000000-0000-4000-8000-{n:012x}" for n in SOME]
    typed = [UUID(text) for text in refs]
    for size in (1, 3):
        marks = ", ".join("?" * size)
        sqlite = ", ".join(f"'{text}'" for text in refs[:size])
        others: dict[Dialect, str] = {"sqlite": f"ref IN ({sqlite})"}
        where: dict[str, Any] = {"column": "ref", "any_of": refs[:size]}
        yield Case(f"ref any_of {size}", where, f"ref IN ({marks})", [*typed[:size]], others)
    least, most = Decimal(f"{MIDDLE}.25"), Decimal(f"{MIDDLE + 20}.25")
    scaled = f"total >= {MIDDLE}25 AND total < {MIDDLE + 20}25"
    where = {"column": "total", "gte": str(least), "lt": str(most)}
    by_hand = "total >= ? AND total < ?"
    yield Case("total gte lt", where, by_hand, [least, most], {"sqlite": scaled})


def documents() -> Iterator[Case]:
    """Conditions on PostgreSQL's jsonb and on prepared maps, and on records."""
    for name, matches, contained in (
        ("meta equal text", {"path": ["plan"], "equal": "p17"}, {"plan": "p17"}),
        ("meta equal number", {"path": ["seats"], "equal": "17.0"}, {"seats": 17}),
    ):
        where: dict[str, Any] = {"column": "meta", "matches": matches}
        values: list[Any] = [json.dumps(contained)]
        yield Case(name, where, "meta @> ?::jsonb", values, dialects=("postgresql",))
    equal: dict[Dialect, str] = {
        "sqlite": "EXISTS (SELECT 1 FROM json_each(meta_text) WHERE key = '/plan' AND value = ?)",
        "mariadb": """JSON_VALUE(meta_text, '$."/plan"') = ?""",
    }
    where = {"column": "meta", "matches": {"path": ["plan"], "equal": "p17"}}
    by_hand = "meta_text['/plan'] = ?"
    yield Case("meta equal text", where, by_hand, ["p17"], equal, ("duckdb", "clickhouse", *equal))
    sku = {"column": "sku", "any_of": ["s17"]}
    where = {"column": "items", "any": {"all": [{"column": "count", "gte": 0}, sku]}}
    values = ['$[*] ? (@.count >= 0 && @.sku == "s17")']
    by_hand = "items @? ?::jsonpath"
    yield Case("items any", where, by_hand, values, dialects=("postgresql",))
    by_hand = (
        "EXISTS (SELECT 1 FROM JSON_TABLE(items, '$[*]' COLUMNS (sku VARCHAR(60) PATH '$.sku', "
        "many INT PATH '$.count')) AS item WHERE many >= 0 AND sku = ?)"
    )
    others: dict[Dialect, str] = {
        "sqlite": "EXISTS (SELECT 1 FROM json_each(items) WHERE value ->> 'count' >= 0 AND "
        "value ->> 'sku' = ?)",
        "duckdb": "EXISTS (SELECT 1 FROM (SELECT unnest(items::JSON[]) AS item) WHERE "
        "(item ->> 'count')::BIGINT >= 0 AND item ->> 'sku' = ?)",
        "clickhouse": "arrayExists(item -> JSONExtractInt(item, 'count') >= 0 AND "
        "JSONExtractString(item, 'sku') = ?, JSONExtractArrayRaw(items))",
    }
    yield Case("items any", where, by_hand, ["s17"], others, (*others, "mariadb"))


CASES = [*equalities(), *ranges(), *parts(), *lists(), *natives(), *documents()]

# --- Statements ----------------------------------------------------------------------------------


class Pair(NamedTuple):
    """A statement as it is compiled, and by hand."""

    name: str
    compiled: Statement
    by_hand: Statement


def bound(dialect: Dialect, text: str, values: list[Any]) -> Statement:
    """A statement by hand with the database's own placeholders."""
    numbers = count(1)
    match dialect:
        case "postgresql":
            return Statement(re.sub(r"(?<!@)\?", lambda _: f"${next(numbers)}", text), values)
        case "mariadb":
            return Statement(text.replace("?", "%s"), values)
        case "clickhouse":
            types = {str: "String", int: "Int64", float: "Float64", bool: "Bool"}
            types |= {UUID: "UUID", Decimal: "Decimal(12, 2)"}
            kinds = iter(types[type(value)] for value in values)
            text = re.sub(r"\?", lambda _: f"{{p{next(numbers)}:{next(kinds)}}}", text)
            known = {f"p{at}": value for at, value in enumerate(values, 1)}
            return Statement(text, known)
    return Statement(text, values)


def compiled(dialect: Dialect, tree: dict[str, Any], form: Form) -> Statement:
    types = TABLES[dialect].places
    places = {name: Place(name, types[name]) if name in types else name for name in NAMES}
    query = ListQuery.from_tree(tree, SCHEMA)
    metadata: Storage = "native" if dialect == "postgresql" else "prepared"
    words: Any = {"columns": places, "metadata": metadata, "select": "id", "keys": False}
    return query.to_sql(dialect, "many", form=form, **words)


def counts(dialect: Dialect) -> Iterator[Pair]:
    """The counts of all cases."""
    for case in CASES:
        if case.dialects and dialect not in case.dialects:
            continue
        condition = case.others.get(dialect, case.by_hand)
        values = case.values if "?" in condition else []
        by_hand = bound(dialect, f"SELECT count(*) FROM many WHERE {condition}", values)
        yield Pair(case.name, compiled(dialect, {"where": case.where}, "count"), by_hand)


def after(dialect: Dialect, names: tuple[str, str], op: str) -> str:
    """The condition for rows after a place that is bound, as an index serves it."""
    first, second = names
    match dialect:
        case "mariadb":  # whose optimizer doesn't read ranges of rows
            return f"{first} {op}= ? AND ({first} {op} ? OR {second} {op} ?)"
        case "clickhouse":
            return f"({first}, {second}) {op} (?, ?) AND {first} {op}= ?"
    return f"({first}, {second}) {op} (?, ?)"


def pages(dialect: Dialect) -> Iterator[Pair]:
    """Pages of rows by an index, and at a cursor after and before a row in the middle."""
    moment = FIRST + timedelta(seconds=MIDDLE)
    at: dict[Dialect, Any] = {"sqlite": int(moment.timestamp() * 1000)}
    at |= dict.fromkeys(("duckdb", "postgresql"), moment)
    created: Any = at.get(dialect, f"{moment:%Y-%m-%d %H:%M:%S}")
    note = "note 123"
    for name, direction, key, shown in (
        ("created", "desc", moment, created),
        ("created", "asc", moment, created),
        ("seats", "desc", MIDDLE, MIDDLE),
        ("code", "asc", CODES[0], CODES[0]),
        ("note", "asc", note, note),
    ):
        names, limit = (name, "id"), " LIMIT 10"
        order = [{"column": by, "direction": direction} for by in names]
        has_nulls = name == "note" and dialect != "mariadb"  # which has them first
        nulls = {"asc": " NULLS FIRST", "desc": " NULLS LAST"} if has_nulls else {}
        sorted_by = f"ORDER BY {name} {direction}{nulls.get(direction, '')}, id {direction}"
        tree: dict[str, Any] = {"order": order, "page": {"number": 1, "size": 10}}
        head = "SELECT id FROM many"
        first = bound(dialect, f"{head} {sorted_by}{limit}", [])
        title = f"page by {name} {direction}"
        yield Pair(title, compiled(dialect, tree, "page"), first)
        query = ListQuery.from_tree({"order": order}, SCHEMA)
        for is_before in (False, True):
            text = query.cursor_beside([key, IDS[0]], before=is_before)
            tree = {"order": order, "cursor": {"text": text, "size": 10}}
            is_up = (direction == "asc") != is_before
            condition = after(dialect, names, ">" if is_up else "<")
            values = [shown, IDS[0]]
            if dialect in ("mariadb", "clickhouse"):
                values = [shown, shown, IDS[0]] if dialect == "mariadb" else [*values, shown]
            if name == "note":  # rows without one come before all others
                guard = "IS NOT NULL AND" if is_up else "IS NULL OR"
                condition = f"({name} {guard} {condition})"
            way = "asc" if is_up else "desc"
            walk = f"ORDER BY {name} {way}{nulls.get(way, '')}, id {way}"
            by_hand = f"{head} WHERE {condition} {walk}{limit}"
            if is_before:
                columns = f"SELECT id, {name} FROM many"
                by_hand = f"SELECT id FROM ({by_hand.replace(head, columns)}) AS p {sorted_by}"
            title = f"page {'before' if is_before else 'after'} a row by {name} {direction}"
            yield Pair(title, compiled(dialect, tree, "page"), bound(dialect, by_hand, values))
