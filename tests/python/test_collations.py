# SPDX-License-Identifier: MIT
"""Columns of texts in every collation, with what their places say of it, against the library.

The rows are those of query.matches(), the order that of bytes.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, NamedTuple

import pytest
from sql_engines import (
    ClickHouse,
    Database,
    Dialect,
    DuckDb,
    MariaDb,
    PostgreSql,
    Sqlite,
    clickhouse_server,
    mariadb_server,
    postgresql_server,
)

from sluice import Column, ListQuery
from sluice.sql import Place, Statement

TEXTS = (
    *("", " ", "a", "A", "a ", "a\t", "ab", "aB", "AB", "abc", "z", "Z", "zz", "@", "@a", "[", "`"),
    *("a%b", "a_b", "a\\b", "a!b", "%", "_", "\\", "!", "'", '"', "a'b", "?", "$1", "%s", "[a]"),
    *("á", "Á", "e\u0301", "é", "ß", "ss", "SS", "İ", "i", "I", "\u0131", "\u212a", "k"),
    *(
        "\u017f",
        "s",
        "ǆ",
        "\ufffd",
        "\U0010ffff",
        "\U0010ffffa",
        "日本",
        "ﬁ",
        "fi",
        "a\u00ad",
        "a\u200b",
        "ch",
        "CH",
    ),
)
COLLATIONS = ("exact", "ignore_case")
ANY_CASE = "CREATE COLLATION any_case (provider = icu, locale = 'und-u-ks-level2', {})"
ANY_ACCENT = "CREATE COLLATION any_accent (provider = icu, locale = 'und-u-ks-level1', {})"
NO_BYTES = "deterministic = false"


class Kind(NamedTuple):
    """A type of a column of texts, and that of its place."""

    dialect: Dialect
    column: str
    place: str = ""


MARIADB = "VARCHAR(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_"
KINDS = [
    Kind("sqlite", "TEXT"),
    Kind("sqlite", "TEXT", "bytewise"),
    Kind("sqlite", "TEXT COLLATE NOCASE"),
    Kind("sqlite", "TEXT COLLATE NOCASE", "ignore_case"),
    Kind("sqlite", "TEXT COLLATE RTRIM"),
    Kind("duckdb", "VARCHAR", "bytewise"),
    Kind("duckdb", "VARCHAR COLLATE NOCASE"),
    Kind("duckdb", "VARCHAR COLLATE NOACCENT"),
]
SERVED = [
    Kind("postgresql", "text"),
    Kind("postgresql", "text", "deterministic"),
    Kind("postgresql", 'varchar(40) COLLATE "C"', "bytewise"),
    Kind("postgresql", 'text COLLATE "en-x-icu"', "deterministic"),
    Kind("postgresql", "text COLLATE any_case"),
    Kind("postgresql", "text COLLATE any_case", "ignore_case"),
    Kind("postgresql", "text COLLATE any_accent", "ignore_case"),
    Kind("postgresql", "citext"),
    Kind("postgresql", "citext", "citext"),
    Kind("mariadb", f"{MARIADB}nopad_bin", "bytewise"),
    Kind("mariadb", f"{MARIADB}bin"),
    *(
        Kind("mariadb", f"{MARIADB}{name}", place)
        for name in ("general_ci", "unicode_ci", "uca1400_ai_ci")
        for place in ("", "ignore_case")
    ),
    Kind("clickhouse", "String", "bytewise"),
    Kind("clickhouse", "LowCardinality(String)"),
]


@pytest.fixture(scope="module")
def servers() -> Iterator[dict[str, Database]]:
    with ExitStack() as opened:
        cursor = opened.enter_context(postgresql_server())
        cursor.execute("CREATE EXTENSION citext")
        for setting in ("enable_seqscan", "jit"):  # the first makes any plan look costly
            cursor.execute(f"SET {setting} = off")
        cursor.execute(ANY_CASE.format(NO_BYTES))
        cursor.execute(ANY_ACCENT.format(NO_BYTES))
        yield {
            "postgresql": PostgreSql(cursor),
            "mariadb": MariaDb(opened.enter_context(mariadb_server())()),
            "clickhouse": opened.enter_context(clickhouse_server()),
        }


class Table(NamedTuple):
    """A table `t` of the texts."""

    kind: Kind
    database: Database

    def statement(self, query: ListQuery, form: Any = "page") -> Statement:  # noqa: ANN401
        place = Place("name", self.kind.place) if self.kind.place else "name"
        words: Any = {"columns": {"name": place}, "select": "id", "form": form}
        return query.to_sql(self.kind.dialect, "t", **words)

    def ask(self, query: ListQuery) -> list[tuple[Any, ...]]:
        return self.database.ask(self.statement(query))


@pytest.fixture(
    scope="module",
    params=[*KINDS, *(pytest.param(kind, marks=pytest.mark.servers) for kind in SERVED)],
    ids=lambda kind: " ".join(kind).replace("CHARACTER SET utf8mb4 COLLATE utf8mb4_", ""),
)
def table(request: pytest.FixtureRequest) -> Table:
    kind: Kind = request.param
    database: Database
    match kind.dialect:
        case "sqlite":
            database = Sqlite()
        case "duckdb":
            database = DuckDb()
        case _:
            database = request.getfixturevalue("servers")[kind.dialect]
    mark = "`" if kind.dialect == "mariadb" else '"'
    engine = " ENGINE = MergeTree ORDER BY id" if isinstance(database, ClickHouse) else ""
    number, null = ("Int64", "") if engine else ("BIGINT PRIMARY KEY", " NOT NULL")
    created = f"CREATE TABLE {mark}t{mark} (id {number}, name {kind.column}{null}){engine}"
    # Plans use it, however few rows there are.
    index = () if engine else (f"CREATE INDEX t_name ON {mark}t{mark} (name)",)
    database.create("t", [created, *index])
    database.insert("t", [{"id": at, "name": text} for at, text in enumerate(TEXTS)])
    return Table(kind, database)


def conditions() -> Iterator[dict[str, Any]]:
    for text in TEXTS:
        for test in ("any_of", "none_of", "starts_with", "ends_with", "contains"):
            yield {test: [text]}
    for some in (["a", "ss", "K"], ["a%", "_", "\\"], ["\u0131", "İ", "é"], [*TEXTS[:20]]):
        for test in ("any_of", "none_of", "starts_with", "ends_with", "contains"):
            yield {test: some}


def bounds() -> Iterator[dict[str, Any]]:
    for text in TEXTS:
        for test in ("gt", "gte", "lt", "lte"):
            yield {test: text}


@pytest.mark.parametrize("collation", COLLATIONS)
def test_rows_are_those_of_the_library(table: Table, collation: Any) -> None:  # noqa: ANN401
    schema = (Column("id", "integer"), Column("name", collation=collation))
    tests = [*conditions(), *(bounds() if collation == "exact" else ())]
    for test in tests:
        query = ListQuery.from_tree({"where": {"column": "name", **test}}, schema)
        expected = [at for at, text in enumerate(TEXTS) if query.matches({"id": at, "name": text})]
        assert sorted(row[0] for row in table.ask(query)) == expected, (collation, test)


@pytest.mark.parametrize("direction", ["asc", "desc"])
def test_the_order_is_that_of_bytes(table: Table, direction: str) -> None:
    schema = (Column("id", "integer"), Column("name"))
    expected = sorted(range(len(TEXTS)), key=lambda at: (TEXTS[at].encode(), at))
    if direction == "desc":
        expected.reverse()
    order = [{"column": name, "direction": direction} for name in ("name", "id")]
    tree: dict[str, Any] = {"order": order, "page": {"number": 1, "size": 7}}
    walked = rows = table.ask(ListQuery.from_tree(tree, schema))
    while rows:
        text = ListQuery.from_tree({"order": order}, schema).cursor_beside(rows[-1][1:])
        tree = {"order": order, "cursor": {"text": text, "size": 7}}
        rows = table.ask(ListQuery.from_tree(tree, schema))
        walked = [*walked, *rows]
    assert [row[0] for row in walked] == expected
