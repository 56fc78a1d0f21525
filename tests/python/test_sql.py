# SPDX-License-Identifier: MIT
"""Queries as SQL, asked of real databases, against the rule row by row."""

import json
import operator
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from uuid import UUID

import duckdb
import pytest
from api_keys import bearer, make_key
from differences import Run
from edge_records import write_edge_records
from oracle.listing import takes
from random_rows import EPOCH, SHAPES, TEXTS, deep, long_row
from sql_engines import (
    ClickHouse,
    Cursor,
    Database,
    Dialect,
    DuckDb,
    MariaDb,
    PostgreSql,
    Row,
    Sqlite,
    clickhouse_server,
    load,
    mariadb_place,
    mariadb_server,
    postgresql_place,
    postgresql_server,
)
from table_engines import SqlTable
from tested_rows import TESTED, TestedRows
from tested_table import TestedTable, in_order

import sluice
from sluice import Column, ListQuery
from sluice.sql import Place, Statement

if TYPE_CHECKING:
    import pymysql

QUERIES = 400
# With the type of columns of texts, where it isn't that of ddl().
ENGINES = [
    *(("sqlite", "prepared", ""), ("sqlite", "function", "")),
    *(("sqlite", "prepared", f"TEXT COLLATE {name}") for name in ("NOCASE", "RTRIM")),
    *(("duckdb", "prepared", ""), ("duckdb", "function", "")),
    *(("duckdb", "prepared", f"VARCHAR COLLATE {name}") for name in ("NOCASE", "NOACCENT")),
]
SERVERS = [
    *(("postgresql", "prepared", ""), ("postgresql", "native", "")),
    *(("postgresql", "prepared", "text COLLATE caseless"), ("postgresql", "prepared", "citext")),
    ("clickhouse", "prepared", ""),
    ("mariadb", "prepared", ""),
    *(("mariadb", "prepared", f"TEXT COLLATE utf8mb4_{name}") for name in ("bin", "unicode_ci")),
    ("mariadb", "prepared", "VARCHAR(900) CHARACTER SET utf8mb4 COLLATE uca1400_nopad_as_ci"),
]
# Modes of MariaDB in which texts, names and operators are read otherwise.
MODES = "ANSI_QUOTES,NO_BACKSLASH_ESCAPES,PIPES_AS_CONCAT,HIGH_NOT_PRECEDENCE,IGNORE_SPACE"
CASELESS = """\
CREATE COLLATION caseless (provider = icu, locale = 'und-u-ks-level1', deterministic = false)"""


@pytest.fixture(scope="module")
def postgresql() -> Iterator[Cursor]:
    with postgresql_server() as cursor:
        for statement in (CASELESS, "CREATE EXTENSION citext"):
            cursor.execute(statement)
        yield cursor


@pytest.fixture(scope="module")
def clickhouse() -> Iterator[ClickHouse]:
    with clickhouse_server() as server:
        yield server


@pytest.fixture(scope="module")
def mariadb() -> Iterator[Callable[..., "pymysql.Connection[Any]"]]:
    with mariadb_server() as connect:
        yield connect


@pytest.fixture(
    params=[*ENGINES, *(pytest.param(name, marks=pytest.mark.servers) for name in SERVERS)],
    ids=" ".join,
)
def database(request: pytest.FixtureRequest) -> Database:
    name, storage, texts = request.param
    if name == "clickhouse":
        node: Database = request.getfixturevalue("clickhouse")
        return node
    if name == "postgresql":
        return PostgreSql(request.getfixturevalue("postgresql"), storage, texts)
    if name == "mariadb":
        modes = MODES if texts.endswith("_ci") else None
        connection = request.getfixturevalue("mariadb")(sql_mode=modes)
        return MariaDb(connection, texts, prepares=texts.endswith("_bin"))
    return Sqlite(storage, texts) if name == "sqlite" else DuckDb(storage, texts)


def filled(database: Database, rows: Iterable[Row]) -> list[Row]:
    """The rows of a table that it makes of them."""
    engine = SqlTable(database)
    table = TestedTable([*rows])
    engine.load(table)
    return [engine.form(row) for row in table.rows]


def random_rows(seed: int, count: int) -> Iterator[Row]:
    return map(TestedRows(seed).row, range(count))


def test_every_test_has_the_rows_of_a_loop_in_its_order(database: Database) -> None:
    run = Run([SqlTable(database)])
    difference = run.first_difference(TestedTable.of(3, size=120), QUERIES, seed=3)
    assert difference is None, str(difference)
    assert run.refusing() == [], str(run)


LONG = ("", "n" * 800, "n" * 800 + "a", "n" * 800 + "b", "é" * 800, "é" * 799 + "東" * 10)


@pytest.mark.parametrize("direction", ["asc", "desc"])
def test_cursors_lead_over_texts_that_are_longer_than_one(
    database: Database, direction: str
) -> None:
    source = TestedRows(11)
    long: Iterator[Row] = (
        source.row(number)
        | {"data": None, "status": source.choice([None, *LONG]), "city": source.choice(LONG)}
        for number in range(60)
    )
    rows = filled(database, long)
    names = ("status", "city")
    order = [{"column": name, "direction": direction} for name in names]
    walk = Walk(database, {"where": {"all": []}, "order": order})
    expected = [row["id"] for row in in_order(rows, order)]
    for walk.size in (1, 7):
        assert walk.forward() == expected
        assert walk.backward() == expected


@pytest.mark.parametrize("before", [False, True])
@pytest.mark.parametrize("direction", ["asc", "desc"])
def test_where_the_row_of_a_cut_key_is_gone_rows_come_again_and_none_is_lost(
    database: Database, direction: str, before: bool
) -> None:
    source = TestedRows(12)
    long = (source.row(n) | {"data": None, "city": LONG[n % len(LONG)]} for n in range(30))
    rows = filled(database, long)
    order = [{"column": "city", "direction": direction}]
    walk = Walk(database, {"where": {"all": []}, "order": order})
    walk.size = 100
    ids = [row["id"] for row in in_order(rows, order)]
    for row in walk.page(None):
        gone = walk.beside((row[0], row[1], "gone"), before=before)
        shown_ids = [values[0] for values in walk.page(gone)]
        at = ids.index(row[0])
        others = ids[:at] if before else ids[at + 1 :]
        if sluice.Cursor.parse(gone).keys[0] == row[1]:
            continue  # the key is whole
        assert (
            shown_ids[: len(others)] if before else shown_ids[len(shown_ids) - len(others) :]
        ) == others


class Walk:
    """The pages of a query, one after the other, by cursors of their rows."""

    def __init__(
        self,
        database: Database,
        tree: dict[str, Any],
        schema: tuple[Column, ...] = TESTED,
        table: str = "rows",
    ) -> None:
        self.database = database
        self.tree = tree
        self.schema = schema
        self.table = table
        self.size = 1

    def query(self, place: dict[str, Any]) -> sluice.ListQuery:
        return sluice.ListQuery.from_tree({**self.tree, **place}, self.schema)

    def page(self, text: str | None) -> list[tuple[Any, ...]]:
        if text is None:
            place: dict[str, Any] = {"page": {"number": 1, "size": self.size}}
        else:
            place = {"cursor": {"text": text, "size": self.size}}
        of, storage = self.database.dialect, self.database.storage
        statement = self.query(place).to_sql(of, self.table, metadata=storage, select="id")
        return self.database.ask(statement)

    def beside(self, row: tuple[Any, ...], *, before: bool) -> str:
        storage = self.database.storage
        return self.query({}).cursor_beside(row[1:], before=before, metadata=storage)

    def forward(self) -> list[str]:
        rows = self.page(None)
        page = [*rows]
        while rows:
            rows = self.page(self.beside(rows[-1], before=False))
            page += rows
        self.last = page[-1:]
        return [row[0] for row in page]

    def backward(self) -> list[str]:
        page = rows = self.last
        while rows:
            rows = self.page(self.beside(rows[0], before=True))
            page = [*rows, *page]
        return [row[0] for row in page]


# Pages at cursors of the library's own, of lists with text and time keys.


@pytest.fixture(scope="module")
def tags(tmp_path_factory: pytest.TempPathFactory) -> tuple[sluice.Handler, list[Row]]:
    """A list of tags whose names and times come again."""
    folder = tmp_path_factory.mktemp("tags") / "records"
    write_edge_records(folder)
    names = [name for name in TEXTS if name] * 2
    created = ("2026-01-01T00:00:00.000Z", "1969-12-31T23:59:59.999Z", "2026-01-01T00:00:00.001Z")
    records = [
        {"id": f"tag_{number}", "name": name, "createdAt": created[number % 3]}
        for number, name in enumerate(names)
    ]
    lines = "".join(f"{json.dumps(record)}\n" for record in records)
    (folder / "tags.ndjson").write_text(lines, encoding="utf-8")
    handler = sluice.Handler(sluice.EventStore.load(folder), [make_key("tok")])
    millisecond = EPOCH.resolution * 1_000
    rows: list[Row] = [
        record | {"createdAt": (datetime.fromisoformat(record["createdAt"]) - EPOCH) // millisecond}
        for record in records
    ]
    return handler, rows


@pytest.mark.parametrize("order", ["sortBy=name", "sortBy=createdAt&sortOrder=desc"])
def test_cursors_lead_through_the_list_and_back(
    database: Database, tags: tuple[sluice.Handler, list[Row]], order: str
) -> None:
    handler, rows = tags
    load(database, "tags", sluice.api.TagsQuery.parse("").schema, rows)
    for relation, pages in (("next", 8), ("prev", 3)):
        query = f"{order}&pageSize=9&count=true"
        if relation == "prev":
            query += "&page=6"
        for _ in range(pages):
            answer = handler.handle("GET", f"/tags?{query}", bearer("tok"))
            parsed = sluice.api.TagsQuery.parse(query)
            storage = database.storage
            page = parsed.to_sql(database.dialect, "tags", metadata=storage, select="id")
            expected = [tag["id"] for tag in json.loads(answer.body)]
            assert [row[0] for row in database.ask(page)] == expected
            assert len(expected) == 9
            link = next(x for x in answer.headers["link"].split(", ") if f'"{relation}"' in x)
            query = link.partition("?")[2].partition(">")[0]
            assert "cursor=" in query


# What statements take and refuse.

QUERY = sluice.api.EventsQuery.parse("event=leads&country=US&query=metadata['a']=1&interval=all")


def test_a_statement_is_executed_as_it_is() -> None:
    connection = sqlite3.connect(":memory:")
    for statement in sluice.sql.ddl(QUERY.schema, "sqlite", 'it\'s "leads"'):
        connection.execute(statement)
    assert connection.execute(*QUERY.to_sql("sqlite", 'it\'s "leads"')).fetchall() == []
    text, parameters = QUERY.to_sql("clickhouse", "leads", form="count")
    assert parameters == {"p1": QUERY_END, "p2": "us", "p3": "/a", "p4": "1", "p5": "21111"}
    assert all(f"{{{name}:" in text for name in parameters)


QUERY_END = (QUERY.end - EPOCH) // (EPOCH.resolution * 1_000)


def test_columns_have_the_places_that_the_program_says() -> None:
    query = sluice.api.EventsQuery.parse("event=leads&country=US&query=metadata['a']=1")
    statement = query.to_sql(
        "duckdb",
        "events e JOIN geo g USING (ip)",
        columns={"click.country": "g.country", "metadata": ("e.texts", "e.numbers")},
        select="e.name",
    )
    for part in (
        'SELECT e.name, "timestamp" AS sluice_key_1',
        " FROM events e JOIN geo g USING (ip) WHERE ",
        'translate(g.country::VARCHAR COLLATE "binary", ',
        "e.texts[",
        "e.numbers[",
    ):
        assert part in statement.text


@pytest.mark.parametrize(
    ("arguments", "raised", "said"),
    [
        ({"dialect": "mysql"}, ValueError, "dialect: expected one of .*, clickhouse, mariadb$"),
        ({"metadata": "json"}, ValueError, "metadata: expected one of prepared, native, function"),
        ({"form": "rows"}, ValueError, "form: expected one of page, count, condition"),
        ({"columns": {"country": "c"}}, ValueError, "columns: the query has no column 'country'"),
        ({"columns": ["c"]}, TypeError, "columns"),
        ({"columns": {"metadata": 5}}, TypeError, "columns"),
        ({"table": None}, TypeError, "table"),
        ({"metadata": "native"}, sluice.ApiError, "query: .*, use 'prepared' or 'func"),
        ({"dialect": "clickhouse", "metadata": "function"}, sluice.ApiError, "use 'prepared'"),
    ],
)
def test_wrong_arguments_are_named(
    arguments: dict[str, Any], raised: type[Exception], said: str
) -> None:
    with pytest.raises(raised, match=said):
        QUERY.to_sql(**{"dialect": "sqlite", "table": "leads", **arguments})


KEYS_EXPECTED = (
    "keys: expected int, str, bool, Decimal, datetime, date, UUID or None for each, not "
)


@pytest.mark.parametrize(
    ("keys", "raised", "said"),
    [
        ([1], sluice.ApiError, "keys: too few items, expected at least 2"),
        ([1, "a", "b"], sluice.ApiError, "keys: too many items, expected at most 2"),
        (["1", "a"], sluice.ApiError, "timestamp: .*, expected milliseconds since 1970"),
        ([True, "a"], sluice.ApiError, "timestamp: .*, expected milliseconds since 1970"),
        ([None, "a"], sluice.ApiError, "timestamp: .*, expected milliseconds since 1970"),
        ([1, 2], sluice.ApiError, "id: .*, expected a text"),
        ([1, None], sluice.ApiError, "id: .*, expected a text"),
        ([1.5, "a"], sluice.ApiError, "timestamp: .*, expected milliseconds since 1970"),
        ([[], "a"], TypeError, f"{KEYS_EXPECTED}list"),
        ([b"1", "a"], TypeError, f"{KEYS_EXPECTED}bytes"),
        ("1a", TypeError, "keys: expected a sequence of a row's sort keys, not str"),
        (None, TypeError, "keys: expected a sequence of a row's sort keys, not None"),
        ({"timestamp": 1, "id": "a"}, TypeError, "keys: expected a sequence"),
    ],
)
def test_wrong_keys_make_no_cursor(
    keys: Any,  # noqa: ANN401
    raised: type[Exception],
    said: str,
) -> None:
    with pytest.raises(raised, match=said):
        QUERY.cursor_beside(keys)


IDS: dict[str, list[Any]] = {"integer": [2, 10, -1, 9], "uuid": [str(UUID(int=n)) for n in (2, 1)]}


@pytest.mark.parametrize("type_", IDS)
def test_an_order_ends_with_the_id_of_the_schema(type_: Any, database: Database) -> None:  # noqa: ANN401
    schema = [Column("id", type_), Column("city")]
    load(database, "ids", schema, [{"id": id_, "city": "a"} for id_ in IDS[type_]])
    to_sql = partial(ListQuery.to_sql, dialect=database.dialect, table="ids", select="id")
    place: Any = Place("id", "uuid") if type_ == "uuid" and database.dialect == "sqlite" else "id"
    for order in ([], [{"column": "city", "direction": "asc"}]):
        query = ListQuery.from_tree({"order": order, "page": {"number": 1, "size": 1}}, schema)
        ids, rows = [], database.ask(to_sql(query, columns={"id": place}))
        while rows:
            ids.append(rows[0][0])
            cursor = query.cursor_beside(rows[-1][1:])
            tree = {"order": order, "cursor": {"text": cursor, "size": 1}}
            rows = database.ask(to_sql(ListQuery.from_tree(tree, schema), columns={"id": place}))
        assert ids == sorted(IDS[type_])


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "postgresql", "clickhouse", "mariadb"])
def test_a_tree_without_an_order_is_ordered_by_a_native_id(dialect: Dialect) -> None:
    places = {"id": Place("id", "uuid")}
    query = ListQuery.from_tree({"where": {"column": "id", "none_of": []}}, [Column("id", "uuid")])
    assert " ORDER BY " in query.to_sql(dialect, "t", columns=places).text


def test_a_cursor_of_a_text_with_a_nul_is_among_the_rows_of_any_database(
    database: Database,
) -> None:
    schema = [Column("id"), Column("note")]
    notes = ["", "a", "a\1", "a\1b", "ab", "b"]
    rows = [{"id": f"r{at}", "note": note} for at, note in enumerate(notes)]
    load(database, "notes", schema, rows)
    for direction, is_after in (("asc", operator.gt), ("desc", operator.lt)):
        order = [{"column": name, "direction": direction} for name in ("note", "id")]
        for key in ("\0", "a\0", "a\0z", "a\1\0", "ab\0"):
            cursor = ListQuery.from_tree({"order": order}, schema).cursor_beside([key, "r"])
            tree = {"order": order, "cursor": {"text": cursor, "size": 10}}
            page = ListQuery.from_tree(tree, schema).to_sql(database.dialect, "notes", select="id")
            expected = [row["id"] for row in rows if is_after(row["note"], key)]
            expected = expected[:: 1 if direction == "asc" else -1]
            assert [row[0] for row in database.ask(page)] == expected, (direction, key)


def test_keys_of_a_cursor_may_fill_it() -> None:
    longest = 754 - 14 - 3
    assert len(QUERY.cursor_beside([1_787_279_415_123, "a" * longest])) == 1_024
    with pytest.raises(sluice.ApiError, match="id: a key that no cursor has room for") as refused:
        QUERY.cursor_beside([1_787_279_415_123, "a" * (longest + 1)])
    assert refused.value.status == 500
    assert str(refused.value).endswith(f"at most {longest}")


@pytest.mark.parametrize(
    ("table", "names", "said"),
    [
        ("", ["id"], "table: not a name that a table can have, expected at least one character"),
        ("a\0", ["id"], "table: not a name .*, and no NUL"),
        ("t", ["id", "a\0"], "not a name .*, and no NUL"),
        ("t", ["id", "a.b", "a_b"], "a_b: not a name .* no other column has, whatever its case"),
        ("t", ["id", "City", "city"], "city: not a name .* no other column has"),
        ("t", ["id", "sluice_key_1"], "expected one that doesn't begin with sluice_"),
    ],
)
def test_a_table_has_names_that_databases_tell_apart(
    table: str, names: list[str], said: str
) -> None:
    with pytest.raises(sluice.ApiError, match=said) as refused:
        sluice.sql.ddl([Column(name) for name in names], "sqlite", table)
    assert refused.value.rule == "sql_name"


@pytest.mark.parametrize("text", ["", "ten", "+1", "01", "1.", "NaN", "1 "])
def test_a_text_that_is_no_number_has_no_order_key(text: str) -> None:
    with pytest.raises(sluice.ApiError) as refused:
        sluice.sql.order_key(text)
    assert (refused.value.rule, refused.value.offset) == ("number_malformed", 0)
    assert refused.value.length == len(text)


def test_a_search_is_refused() -> None:
    with pytest.raises(sluice.ApiError) as refused:
        sluice.api.TagsQuery.parse("search=a").to_sql("sqlite", "tags")
    assert (refused.value.rule, refused.value.param) == ("sql_inexact", "search")


def test_sqlite_takes_no_text_with_nul() -> None:
    schema = (Column("id"), Column("list", is_list=True))
    connection = sqlite3.connect(":memory:")
    connection.execute(sluice.sql.ddl(schema, "sqlite", "rows")[0])
    insert = "INSERT INTO rows VALUES (?, ?)"
    for id_, items in (("a", ["\\u0000", "\\\\0", "\\"]), ("b", []), ("\\u0000", ["u0000"])):
        connection.execute(insert, (id_, json.dumps(items)))
    for id_, items in (("a\0", []), ("c", ["x", "a\0b"]), ("d", ["\\\0"])):
        with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
            connection.execute(insert, (id_, json.dumps(items)))


@pytest.mark.parametrize("collation", ["exact", "ignore_case"])
@pytest.mark.parametrize("items", ["[null]", '[null, "b"]', "[]"])
def test_a_list_has_no_item_that_is_null(items: str, collation: Any) -> None:  # noqa: ANN401
    schema = (Column("id"), Column("list", is_list=True, collation=collation))
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE rows (id TEXT, list TEXT)")
    connection.execute("INSERT INTO rows VALUES ('a', ?)", (items,))
    for values in (["a\0"], ["a"], ["a\0", "a"]):
        for test, taken in (("any_of", []), ("none_of", [("a",)])):
            leaf = {"column": "list", "collation": collation, test: values}
            query = sluice.ListQuery.from_tree({"where": leaf}, schema)
            condition = query.to_sql("sqlite", "rows", form="condition")
            result = connection.execute(
                f"SELECT id FROM rows WHERE {condition.text}", condition.parameters
            )
            assert result.fetchall() == taken, (test, values)


def test_values_are_never_read_as_sql(database: Database) -> None:
    filled(database, random_rows(7, 30))
    for hostile in (
        "x'); DROP TABLE rows; --",
        "$1",
        "?9",
        "%s",
        "{p99:String}",
        "\\'",
        "*/",
        "\0",
    ):
        tree = {
            "where": {
                "any": [
                    {"column": "city", "any_of": [hostile]},
                    {"column": "tags", "any_of": [hostile]},
                    {"column": "data", "matches": {"path": [hostile], "equal": hostile}},
                ]
            }
        }
        query = sluice.ListQuery.from_tree(tree, TESTED)
        statement = query.to_sql(database.dialect, "rows", metadata=database.storage)
        assert database.ask(statement) == []
        assert hostile in ("$1", "%s") or hostile not in statement.text
    count = sluice.ListQuery.from_tree({}, TESTED).to_sql(database.dialect, "rows", form="count")
    assert int(database.ask(count)[0][0]) == 30


SIZE = Column("size", is_nullable=True)
SHIRTS = ("S", "M", "L", "XL")  # as declared, which isn't the order of texts
ENUMS = [
    "duckdb",
    *(pytest.param(name, marks=pytest.mark.servers) for name in ("postgresql", "mariadb")),
]


def shirts(dialect: Dialect, request: pytest.FixtureRequest) -> Database:
    """A database with a table of shirts, whose sizes are an enum."""
    values = ", ".join(f"'{size}'" for size in SHIRTS)
    types: tuple[str, ...] = (
        "DROP TABLE IF EXISTS shirts",
        "DROP TYPE IF EXISTS shirt",
        f"CREATE TYPE shirt AS ENUM ({values})",
        "CREATE TABLE shirts (id uuid, size shirt, sizes shirt[])",
    )
    database: Database = DuckDb()
    if dialect == "postgresql":
        database = PostgreSql(request.getfixturevalue("postgresql"))
    if dialect == "mariadb":
        database = MariaDb(request.getfixturevalue("mariadb")())
        columns = f"id uuid, size ENUM ({values}), sizes JSON"
        types = ("DROP TABLE IF EXISTS shirts", f"CREATE TABLE shirts ({columns})")
    for text in types:
        execute(database, text)
    return database


@pytest.mark.parametrize("dialect", ENUMS)
def test_enums_and_uuids_are_compared_and_ordered_as_texts(
    dialect: Dialect, request: pytest.FixtureRequest
) -> None:
    database = shirts(dialect, request)
    rows: list[Row] = [
        {"id": f"{UUID(int=at)}", "size": size, "sizes": [SHIRTS[at % 4], SHIRTS[(at + 1) % 3]]}
        for at, size in enumerate((*SHIRTS, *SHIRTS, None))
    ]
    for row in rows:
        sizes = ", ".join(f"'{size}'" for size in row["sizes"])
        size = f"'{row['size']}'" if row["size"] else "NULL"
        arrays = f"JSON_ARRAY({sizes})" if dialect == "mariadb" else f"ARRAY[{sizes}]::shirt[]"
        values = f"'{row['id']}', {size}, {arrays}"
        execute(database, f"INSERT INTO shirts VALUES ({values})")

    for collation in ("exact", "ignore_case", "subdivision", "url"):
        schema = (
            Column("id"),
            Column("size", is_nullable=True, collation=collation),
            Column("sizes", is_list=True, collation=collation),
        )
        for column in ("size", "sizes"):
            for test in ("any_of", "none_of"):
                for sought in (["L"], ["S", "XL"], ["l", "x"]):
                    tree: dict[str, Any] = {"where": {"column": column, test: sought}}
                    query = sluice.ListQuery.from_tree(tree, schema)
                    selected = database.ask(query.to_sql(dialect, "shirts", select="id"))
                    assert [str(row[0]) for row in selected] == [
                        row["id"] for row in rows if query.matches(row)
                    ], query

    for direction in ("asc", "desc"):
        tree = {"order": [{"column": "size", "direction": direction}]}
        texts = sorted((row["size"] or "", row["id"]) for row in rows)  # without a size: first
        expected = [id_ for _, id_ in (texts if direction == "asc" else reversed(texts))]
        walk = Walk(database, tree, (Column("id"), SIZE), "shirts")
        for walk.size in (1, 2, 3, 9):
            assert [*map(str, walk.forward())] == expected
            assert [*map(str, walk.backward())] == expected
    tree = {"where": {"column": "id", "any_of": [rows[3]["id"], "x"]}}
    one = sluice.ListQuery.from_tree(tree, (Column("id"),)).to_sql(dialect, "shirts", select="id")
    assert [str(row[0]) for row in database.ask(one)] == [rows[3]["id"]]


def execute(database: Database, text: str) -> None:
    """A statement that has no answer."""
    if isinstance(database, DuckDb):
        database.connection.execute(text)
    else:
        assert isinstance(database, PostgreSql | MariaDb)
        database.cursor.execute(text)


SHADOWED = ("value", "key", "path", "Type", "json", "item", "keys")


@pytest.mark.parametrize("collation", ["exact", "ignore_case"])
def test_columns_may_have_the_names_of_what_statements_read(
    database: Database, collation: Literal["exact", "ignore_case"]
) -> None:
    lists = [Column(name, is_list=True, collation=collation) for name in SHADOWED]
    documents = [Column("metadata", "json"), Column("at", "json")]
    schema = (Column("id"), *lists, *documents)
    tagged: Row = {name: [name, "b"] for name in SHADOWED}
    rows: list[Row] = [dict(tagged, id=name) | {name: ["x"]} for name in SHADOWED]
    rows = [{**row, "metadata": "{}", "at": '{"a":1}'} for row in rows]
    load(database, "rows", schema, rows)
    storage = database.storage
    for name in SHADOWED:
        tree = {"where": {"column": name, "any_of": ["x"]}}
        query = sluice.ListQuery.from_tree(tree, schema)
        assert [row[0] for row in database.ask(query.to_sql(database.dialect, "rows"))] == [name]
    of_path = {"where": {"column": "at", "matches": {"path": ["a"], "lt": "2"}}}
    query = sluice.ListQuery.from_tree(of_path, schema)
    count = query.to_sql(database.dialect, "rows", metadata=storage, form="count")
    assert int(database.ask(count)[0][0]) == len(rows)


# What is nested deeply, or wide.


@pytest.mark.parametrize(("kinds", "depth", "fits"), SHAPES)
def test_what_is_compiled_is_read(database: Database, kinds: str, depth: int, fits: bool) -> None:
    rows = filled(database, random_rows(11, 20))
    query = sluice.ListQuery.from_tree({"where": deep(kinds, depth)}, TESTED)
    to_sql = partial(query.to_sql, database.dialect, "rows", metadata=database.storage)
    if database.dialect == "sqlite" and not fits:
        with pytest.raises(sluice.ApiError, match="use at most 14 levels of AND and OR") as refused:
            to_sql()
        assert refused.value.rule == "sql_too_large"
        return
    taken = takes(query, rows)
    held = [row for row, holds in zip(rows, taken, strict=True) if holds]
    ids = [row[0] for row in database.ask(to_sql())]
    assert ids == [row["id"] for row in in_order(held, [])]


@pytest.mark.parametrize("kind", ["all", "any"])
def test_rows_of_conditions_may_be_long(database: Database, kind: str) -> None:
    rows = filled(database, random_rows(12, 20))
    query = sluice.ListQuery.from_tree({"where": long_row(kind, 256)}, TESTED)
    count = query.to_sql(database.dialect, "rows", metadata=database.storage, form="count")
    assert int(database.ask(count)[0][0]) == (len(rows) if kind == "all" else 0)


# What plans read.


def plan(database: Database, statement: sluice.sql.Statement, explain: str) -> str:
    rows = database.ask(Statement(f"{explain} {statement.text}", statement.parameters))
    return "\n".join(str(row) for row in rows)


def test_the_function_is_registered_with_connections_of_any_class() -> None:
    class Subclass(sqlite3.Connection):
        pass

    connection = sqlite3.connect(":memory:", factory=Subclass)
    sluice.sql.register(connection)
    statement = "SELECT sluice_matches('{\"a\": 1}', 'metadata[''a'']:1')"
    assert connection.execute(statement).fetchone() == (1,)
    with pytest.raises(TypeError, match="connection: expected one of sqlite3 or DuckDB, not None"):
        sluice.sql.register(None)  # type: ignore[arg-type]


def test_the_function_may_be_registered_again() -> None:
    statement = "SELECT sluice_matches('{\"a\": 1}', 'metadata[''a'']:1')"
    lite, duck = sqlite3.connect(":memory:"), duckdb.connect()
    for connection in (lite, lite, duck, duck, duck.cursor()):
        sluice.sql.register(connection)
        assert [*map(tuple, connection.execute(statement).fetchall())] == [(True,)]


@pytest.mark.parametrize("json", [None, "", "{", '{"a":1}x', "[" * 2_000, "\ud800", "nul"])
@pytest.mark.parametrize(
    ("expression", "holds"), [("metadata['a']:1", False), ("metadata['a'] != 1", True)]
)
def test_json_that_is_none_is_as_if_missing(json: str | None, expression: str, holds: bool) -> None:
    assert sluice.sql.matches(json, expression) is holds
    if json != "\ud800":
        query = sluice.api.EventsQuery.parse({"event": "leads", "query": expression})
        masked = query.mask({"metadata": [json]}, {"timestamp": None})
        assert list(masked) == [holds]


def test_an_expression_that_is_none_is_refused() -> None:
    with pytest.raises(sluice.ApiError):
        sluice.sql.matches("{}", "metadata")


def test_sqlite_counts_a_window_in_its_index() -> None:
    database = Sqlite()
    load(database, "events", QUERY.schema, [])
    query = sluice.api.EventsQuery.parse("country=US&interval=7d&browser=-Chrome")
    for form in ("count", "page"):
        statement = query.to_sql("sqlite", "events", form=form, select='"id"')
        explained = plan(database, statement, "EXPLAIN QUERY PLAN")
        assert "USING COVERING INDEX events_rows (timestamp>? AND timestamp<?)" in explained
        assert "TEMP B-TREE" not in explained


POSTGRESQL_STORE = """\
['o3', 'o1'] of 3
['o2'] of 4
['o3', 'o4', 'o6']
"""


@pytest.mark.servers
def test_the_example_of_postgresql_prints_what_it_says() -> None:
    program = Path(__file__).parents[2] / "examples" / "postgresql_store.py"
    with postgresql_place() as place:
        words, named = (sys.executable, program), os.environ | {"POSTGRESQL": place}
        done = subprocess.run(words, env=named, capture_output=True, text=True, check=True)
    assert done.stdout == POSTGRESQL_STORE


POSTGRESQL_TABLE = """\
{'photo': 'no type of a column has values of bytea'}
status=paid,open&order=state [(3,)]
['3', '1']
['2']
label=gift&total[gte]=11 [(1,)]
['3']
details=metadata['plan']:pro [(2,)]
['3', '1']
[]
"""


@pytest.mark.servers
def test_the_example_of_a_postgresql_table_prints_what_it_says() -> None:
    program = Path(__file__).parents[2] / "examples" / "postgresql_table.py"
    with postgresql_place() as place:
        words, named = (sys.executable, program), os.environ | {"POSTGRESQL": place}
        done = subprocess.run(words, env=named, capture_output=True, text=True, check=True)
    assert done.stdout == POSTGRESQL_TABLE


@pytest.mark.servers
def test_the_example_of_mariadb_prints_what_it_says() -> None:
    program = Path(__file__).parents[2] / "examples" / "mariadb_table.py"
    with mariadb_place() as place:
        words, named = (sys.executable, program), os.environ | {"MARIADB": place}
        done = subprocess.run(words, env=named, capture_output=True, text=True, check=True)
    assert done.stdout == "((3,),)\n['o4', 'o3']\n['o2']\n"


@pytest.mark.servers
def test_postgresql_finds_lists_and_metadata_by_gin(postgresql: Cursor) -> None:
    database = PostgreSql(postgresql)
    load(database, "events", QUERY.schema, [])
    postgresql.execute("SET enable_seqscan = off")
    for request in ("tagId=a&interval=all", "event=leads&interval=all&query=metadata['a']=b"):
        query = sluice.api.EventsQuery.parse(request)
        count = query.to_sql("postgresql", "events", form="count")
        assert re.search(r'Bitmap Index Scan on "?events_', plan(database, count, "EXPLAIN"))


@pytest.mark.servers
@pytest.mark.parametrize("texts", ["text", "varchar(20)", 'text COLLATE "C"', "citext"])
def test_postgresql_finds_texts_by_an_index_of_their_own_collation(
    postgresql: Cursor, texts: str
) -> None:
    database = PostgreSql(postgresql, texts=texts)
    load(database, "rows", (Column("id"), Column("city"), Column("tags", is_list=True)), [])
    postgresql.execute("SET enable_seqscan = off")
    served = texts != "citext"  # whose index is of texts without their case
    for sought in (["a"], ["a", "b"]):
        tree: dict[str, Any] = {"where": {"column": "id", "any_of": sought}}
        query = sluice.ListQuery.from_tree(tree, (Column("id"),))
        explained = plan(database, query.to_sql("postgresql", "rows", form="count"), "EXPLAIN")
        assert ("Index Cond: " in explained) is served, explained


@pytest.mark.parametrize("texts", ["", "TEXT COLLATE NOCASE"])
def test_sqlite_finds_and_orders_texts_by_an_index_of_bytes(texts: str) -> None:
    database = Sqlite(texts=texts)
    load(database, "rows", (Column("id"), Column("city")), [])
    one: dict[str, Any] = {"where": {"column": "id", "any_of": ["a"]}}
    ordered: dict[str, Any] = {"order": [{"column": "id", "direction": "desc"}]}
    is_served = texts == ""
    for tree, part, is_there in ((one, "(id=?)", is_served), (ordered, "TEMP", not is_served)):
        query = sluice.ListQuery.from_tree(tree, (Column("id"),))
        explained = plan(database, query.to_sql("sqlite", "rows"), "EXPLAIN QUERY PLAN")
        assert (part in explained) is is_there, explained


@pytest.mark.servers
def test_clickhouse_reads_the_granules_that_it_has_to(clickhouse: ClickHouse) -> None:
    schema = (Column("id"), Column("at", "time"), Column("kind"))
    rows = [{"id": f"{n:06}", "at": n, "kind": f"k{n // 20_000}"} for n in range(100_000)]
    load(clickhouse, "many", schema, rows)
    tree: dict[str, Any] = {"where": {"column": "kind", "any_of": ["k3"]}}
    query = sluice.ListQuery.from_tree(tree, schema)
    explained = plan(
        clickhouse, query.to_sql("clickhouse", "many", form="count"), "EXPLAIN indexes=1"
    )
    assert re.search(r"Skip\b.*set.*Granules: 3/12", explained, re.DOTALL), explained

    # A page at a cursor reads the primary key's granules about its place alone.
    tree = {
        "where": {"column": "at", "gte": "1970-01-01T00:00:49.000Z"},
        "order": [{"column": "at", "direction": "desc"}],
    }
    text = sluice.ListQuery.from_tree(tree, schema).cursor_beside([50_000, "050000"])
    query = sluice.ListQuery.from_tree({**tree, "cursor": {"text": text, "size": 10}}, schema)
    page = query.to_sql("clickhouse", "many")
    assert [row[1] for row in clickhouse.ask(page)] == [*range(49_999, 49_989, -1)]
    explained = plan(clickhouse, page, "EXPLAIN indexes=1")
    assert re.search(r"PrimaryKey\b.*Granules: [12]/12", explained, re.DOTALL), explained
