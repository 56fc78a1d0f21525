# SPDX-License-Identifier: MIT
"""Plans of statements about native columns, beside those of statements written by hand."""

import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from sql_engines import (
    ClickHouse,
    Database,
    Dialect,
    MariaDb,
    PostgreSql,
    Sqlite,
    clickhouse_server,
    mariadb_server,
    postgresql_server,
)
from tested_rows import SIZES

from sluice import Column, ListQuery
from sluice.sql import Place, Statement

ROWS = 100_000
ENUM = ", ".join("'" + size.replace("'", "''") + "'" for size in SIZES)
pytestmark = pytest.mark.servers


def token(n: int) -> str:
    return str(UUID(hashlib.md5(str(n).encode(), usedforsecurity=False).hexdigest()))


def short(n: int) -> str:
    return f"{n:08x}-0000-4000-8000-{n:012x}"


def day(n: int) -> str:
    return str(date(2000, 1, 1) + timedelta(days=n // 10))


def cents(n: int) -> str:
    return str(Decimal(n) / 100)


def word(n: int) -> str:
    return f"v{n}"


def size(n: int) -> str:
    return "small" if n % 1_000 == 0 else "Medium"


class Indexed(NamedTuple):
    """A column with an index, the SQL of row `n`, and its value as a query writes it."""

    name: str
    schema_type: Any
    type: str
    kind: str
    source: str
    value: Callable[[int], Any]
    literal: str = "'{}'"  # of a value by hand; of a list's item
    by_hand: str = ""  # a test of a list by hand, of its items
    has_all: str = ""

    @property
    def column(self) -> Column:
        choices = SIZES if self.schema_type == "choice" else ()
        is_list = bool(self.by_hand)
        return Column(self.name, self.schema_type, is_list=is_list, choices=choices)


DASHED = "CONCAT(LPAD(HEX(n), 8, '0'), '-0000-4000-8000-', LPAD(HEX(n), 12, '0'))"
ARRAY, ARRAYS = "{name} && ARRAY[{items}]::{type}", "{name} @> ARRAY[{items}]::{type}"
PG_SIZE = "CASE WHEN n % 1000 = 0 THEN 'small' ELSE 'Medium' END"
TABLES: dict[Dialect, tuple[Indexed, ...]] = {
    "sqlite": (
        Indexed(
            "token",
            "uuid",
            "TEXT",
            "uuid",
            "printf('%08x-0000-4000-8000-%012x', n, n)",
            short,
        ),
        Indexed("due", "date", "TEXT", "date", "date('2000-01-01', (n / 10) || ' days')", day),
        Indexed(
            "cents",
            "decimal",
            "INTEGER",
            "scaled(2)",
            "n",
            cents,
            "CAST(round({} * 100) AS INTEGER)",
        ),
        Indexed("score", "real", "REAL", "real", "n / 8.0", lambda n: n / 8, "{}"),
    ),
    "postgresql": (
        Indexed("token", "uuid", "uuid", "uuid", "md5(n::text)::uuid", token),
        Indexed("due", "date", "date", "date", "date '2000-01-01' + n / 10", day),
        Indexed("total", "decimal", "numeric", "numeric", "n / 100.0", cents, "{}"),
        Indexed("price", "decimal", "numeric(12,2)", "decimal(12,2)", "n / 100.0", cents, "{}"),
        Indexed("cents", "decimal", "bigint", "scaled(2)", "n", cents, "({} * 100)::bigint"),
        Indexed("score", "real", "float8", "double precision", "n / 8.0", lambda n: n / 8),
        Indexed("ratio", "real", "real", "real", "n / 8.0", lambda n: n / 8),
        Indexed("size", "choice", "sizes", "enum(sizes)", f"({PG_SIZE})::sizes", size),
        Indexed(
            "tokens",
            "uuid",
            "uuid[]",
            "uuid[]",
            "ARRAY[md5(n::text)::uuid]",
            token,
            by_hand=ARRAY,
            has_all=ARRAYS,
        ),
        Indexed(
            "doors",
            "integer",
            "integer[]",
            "integer[]",
            "ARRAY[n]",
            int,
            "{}",
            by_hand=ARRAY,
            has_all=ARRAYS,
        ),
        Indexed(
            "seats",
            "integer",
            "smallint[]",
            "smallint[]",
            "ARRAY[n % 30000]",
            int,
            "{}",
            by_hand=ARRAY,
            has_all=ARRAYS,
        ),
        Indexed(
            "names",
            "text",
            "varchar[]",
            "varchar[]",
            "ARRAY['v' || n]",
            word,
            by_hand=ARRAY,
            has_all=ARRAYS,
        ),
        Indexed(
            "labels",
            "text",
            "text[]",
            "deterministic[]",
            "ARRAY['v' || n]",
            word,
            by_hand=ARRAY,
            has_all=ARRAYS,
        ),
        Indexed(
            "sizes",
            "choice",
            "sizes[]",
            "enum(sizes)[]",
            f"ARRAY[({PG_SIZE})::sizes]",
            size,
            by_hand=ARRAY,
            has_all=ARRAYS,
        ),
        Indexed(
            "words",
            "text",
            "jsonb",
            "jsonb",
            "to_jsonb(ARRAY['v' || n])",
            word,
            by_hand="{name} ?| ARRAY[{items}]",
            has_all="{name} ?& ARRAY[{items}]",
        ),
        Indexed(
            "bins",
            "integer",
            "jsonb",
            "jsonb",
            "to_jsonb(ARRAY[n])",
            int,
            "{}",
            by_hand="{name} @> '[{items}]'",
            has_all="{name} @> '[{items}]'",
        ),
    ),
    "mariadb": (
        Indexed("token", "uuid", "UUID", "uuid", DASHED, short),
        Indexed(
            "code",
            "uuid",
            "BINARY(16)",
            "binary(16)",
            "UNHEX(MD5(n))",
            token,
            "UNHEX(REPLACE('{}', '-', ''))",
        ),
        Indexed("due", "date", "DATE", "date", "'2000-01-01' + INTERVAL n DIV 10 DAY", day),
        Indexed(
            "total",
            "decimal",
            "DECIMAL(12,2)",
            "decimal(12,2)",
            "CAST(n AS DECIMAL(12,2)) / 100",
            cents,
            "{}",
        ),
        Indexed("cents", "decimal", "BIGINT", "scaled(2)", "n", cents, "({} * 100)"),
        Indexed("score", "real", "DOUBLE", "double", "n / 8", lambda n: n / 8, "{}"),
        Indexed("ratio", "real", "FLOAT", "float", "n / 8", lambda n: n / 8, "{}"),
        Indexed(
            "size", "choice", f"ENUM ({ENUM})", "enum", "IF(n % 1000 = 0, 'small', 'Medium')", size
        ),
    ),
}
# MariaDB orders a UUID by another part first, so that the library's order is sorted.
SORTED = {("mariadb", "token")}


class Many:
    """A table of many rows with an index of each column."""

    def __init__(self, dialect: Dialect, database: Database) -> None:
        self.dialect = dialect
        self.database = database
        self.columns = TABLES[dialect]
        id_, numbers, text = {
            "sqlite": (
                "printf('%06d', n)",
                "WITH RECURSIVE r(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM r WHERE n < 99999) ",
                "TEXT",
            ),
            "postgresql": ("lpad(n::text, 6, '0')", "", 'text COLLATE "C"'),
            "mariadb": (
                "LPAD(n, 6, '0')",
                "",
                "VARCHAR(6) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin",
            ),
        }[dialect]
        rows = {
            "sqlite": "r",
            "postgresql": "generate_series(0, 99999) AS r(n)",
            "mariadb": "(SELECT seq AS n FROM seq_0_to_99999) AS r",
        }[dialect]
        types = ", ".join(f"{of.name} {of.type} NOT NULL" for of in self.columns)
        sources = ", ".join(of.source for of in self.columns)
        self.execute("DROP TABLE IF EXISTS many")
        self.execute(f"CREATE TABLE many (id {text} PRIMARY KEY, filler {text}, {types})")
        self.execute(
            f"INSERT INTO many {numbers}SELECT {id_}, 'x', {sources} FROM {rows} WHERE n >= 0"
        )
        for of in self.columns:
            using = " USING gin" if of.by_hand else ""
            keys = of.name if of.by_hand else f"{of.name}, id"
            self.execute(f"CREATE INDEX by_{of.name} ON many{using} ({keys})")
        self.execute({"mariadb": "ANALYZE TABLE many"}.get(dialect, "ANALYZE many"))

    def execute(self, text: str) -> None:
        match self.database:
            case Sqlite():
                self.database.connection.execute(text)
            case PostgreSql() | MariaDb():
                self.database.cursor.execute(text)

    def plan(self, statement: Statement) -> str:
        text = statement.text
        head = text[: text.index("SELECT")]  # of MariaDB
        explain = "EXPLAIN QUERY PLAN " if self.dialect == "sqlite" else "EXPLAIN "
        explained = f"{head}{explain}{text.removeprefix(head)}"
        lines = self.database.ask(Statement(explained, statement.parameters))
        return "\n".join(str(line) for line in lines)

    def statement(self, tree: dict[str, Any], form: Any) -> Statement:  # noqa: ANN401
        places: dict[str, str | Place] = {of.name: Place(of.name, of.kind) for of in self.columns}
        schema = (Column("id"), *(of.column for of in self.columns))
        query = ListQuery.from_tree(tree, schema)
        places["id"] = Place("id", "bytewise")
        select = "id, filler"
        return query.to_sql(self.dialect, "many", columns=places, select=select, form=form)


@pytest.fixture(scope="module")
def tables() -> Iterator[dict[Dialect, Many]]:
    with ExitStack() as opened:
        cursor = opened.enter_context(postgresql_server())
        cursor.execute(f"CREATE TYPE sizes AS ENUM ({ENUM})")
        yield {
            "sqlite": Many("sqlite", Sqlite()),
            "postgresql": Many("postgresql", PostgreSql(cursor)),
            "mariadb": Many("mariadb", MariaDb(opened.enter_context(mariadb_server())())),
        }


def conditions(of: Indexed) -> Iterator[tuple[dict[str, Any], str]]:
    """Conditions of trees, and the same by hand."""
    one, other = of.value(7_000), of.value(14_000)
    literals = [of.literal.format(value) for value in (one, other)]
    texts = [str(one), str(other)]
    if of.by_hand:
        both = {"name": of.name, "type": of.type, "items": ", ".join(literals)}
        single = {**both, "items": literals[0]}
        yield {"any_of": texts[:1]}, of.by_hand.format(**single)
        if of.type != "jsonb" or of.schema_type != "integer":
            yield {"any_of": texts}, of.by_hand.format(**both)
        yield {"all_of": texts[:1]}, of.has_all.format(**single)
        return
    if of.schema_type in ("uuid", "date", "choice"):
        yield {"any_of": texts[:1]}, f"{of.name} = {literals[0]}"
        yield {"any_of": texts}, f"{of.name} IN ({', '.join(literals)})"
    if of.schema_type == "choice":
        yield {"lte": one}, f"{of.name} = {literals[0]}"
    elif of.schema_type != "uuid":
        last = of.literal.format(of.value(7_010))
        yield (
            {"gte": one, "lt": of.value(7_010)},
            f"{of.name} >= {literals[0]} AND {of.name} < {last}",
        )
        yield {"gt": of.value(99_970)}, f"{of.name} > {of.literal.format(of.value(99_970))}"


CASES = [
    pytest.param(dialect, of, id=f"{dialect} {of.name}")
    for dialect, columns in TABLES.items()
    for of in columns
]


@pytest.mark.parametrize(("dialect", "of"), CASES)
def test_an_index_serves_each_test(
    tables: dict[Dialect, Many], dialect: Dialect, of: Indexed
) -> None:
    many = tables[dialect]
    for test, text in conditions(of):
        tree = {"where": {"column": of.name, **test}}
        by_hand = Statement(f"SELECT id, filler FROM many WHERE {text}", [])
        compiled = many.statement({**tree, "page": {"number": 1, "size": 1_000}}, "condition")
        selected = Statement(
            f"SELECT id, filler FROM many WHERE {compiled.text}", compiled.parameters
        )
        rows, expected = many.database.ask(selected), many.database.ask(by_hand)
        assert rows, test
        assert sorted(rows) == sorted(expected), test
        assert f"by_{of.name}" in many.plan(by_hand), test
        assert f"by_{of.name}" in many.plan(selected), (test, many.plan(selected))


@pytest.mark.parametrize("direction", ["asc", "desc"])
@pytest.mark.parametrize(("dialect", "of"), CASES)
def test_an_index_serves_pages_in_order(
    tables: dict[Dialect, Many], dialect: Dialect, of: Indexed, direction: str
) -> None:
    many = tables[dialect]
    if of.by_hand or (dialect, of.name) in SORTED:
        pytest.skip("no index has the order")
    order = [{"column": name, "direction": direction} for name in (of.name, "id")]
    first = many.statement({"order": order, "page": {"number": 1, "size": 3}}, "page")
    query = ListQuery.from_tree({"order": order}, (Column("id"), of.column))
    rows = many.database.ask(first)
    pages = [first]
    for before in (False, True):
        text = query.cursor_beside(rows[-1][2:], before=before)
        pages.append(many.statement({"order": order, "cursor": {"text": text, "size": 3}}, "page"))
    sorts = {"sqlite": "TEMP B-TREE", "postgresql": "Sort", "mariadb": "filesort"}[dialect]
    for page in pages:
        plan = many.plan(page)
        assert f"by_{of.name}" in plan, plan
        is_reversed = "sluice_page" in page.text  # whose few rows are sorted
        assert is_reversed or sorts not in plan, plan


# ClickHouse, whose tables are sorted by their primary key.

KEYS = (
    Indexed(
        "token",
        "uuid",
        "UUID",
        "UUID",
        "toUUID(concat(leftPad(lower(hex(toUInt32(n))), 8, '0'), '-0000-4000-8000-', "
        "leftPad(lower(hex(toUInt32(n))), 12, '0')))",
        short,
    ),
    Indexed("due", "date", "Date32", "Date32", "toDate32('2000-01-01') + intDiv(n, 10)", day),
    Indexed(
        "total", "decimal", "Decimal(12, 2)", "Decimal(12, 2)", "toDecimal64(n, 2) / 100", cents
    ),
    Indexed("score", "real", "Float64", "Float64", "n / 8", lambda n: n / 8, "{}"),
    Indexed("ratio", "real", "Float32", "Float32", "n / 8", lambda n: n / 8, "{}"),
    Indexed(
        "size", "choice", f"Enum8({ENUM})", "Enum8", "if(n % 1000 = 0, 'small', 'Medium')", size
    ),
)


@pytest.fixture(scope="module")
def clickhouse() -> Iterator[ClickHouse]:
    with clickhouse_server() as server:
        yield server


def granules(database: ClickHouse, statement: Statement) -> int:
    """The number of granules that a statement reads."""
    explained = Statement(f"EXPLAIN indexes = 1 {statement.text}", statement.parameters)
    lines = "\n".join(str(line) for line in database.ask(explained))
    return int(re.findall(r"Granules: (\d+)/", lines)[-1])


@pytest.mark.parametrize("of", KEYS, ids=lambda of: of.name)
def test_a_primary_key_serves_each_test(clickhouse: ClickHouse, of: Indexed) -> None:
    for text in (
        "DROP TABLE IF EXISTS many",
        f"CREATE TABLE many (id String, {of.name} {of.type}) ENGINE = MergeTree "
        f"ORDER BY ({of.name}, id) SETTINGS index_granularity = 1024",
        "INSERT INTO many SELECT leftPad(toString(number AS n), 6, '0'), "
        f"{of.source} FROM numbers({ROWS})",
    ):
        clickhouse.node.ask(text)
    places: dict[str, str | Place] = {of.name: Place(of.name, of.kind)}
    for test, text in conditions(of):
        query = ListQuery.from_tree({"where": {"column": of.name, **test}}, (of.column,))
        compiled = query.to_sql("clickhouse", "many", columns=places, form="condition")
        selected = Statement(f"SELECT id FROM many WHERE {compiled.text}", compiled.parameters)
        by_hand = Statement(f"SELECT id FROM many WHERE {text}", {})
        rows = clickhouse.ask(selected)
        assert rows, test
        assert sorted(rows) == sorted(clickhouse.ask(by_hand)), test
        assert granules(clickhouse, selected) <= granules(clickhouse, by_hand), test
