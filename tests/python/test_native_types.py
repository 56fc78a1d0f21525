# SPDX-License-Identifier: MIT
"""Columns of databases' native types, against a loop over the rows, and indexes that serve."""

import operator
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any, NamedTuple

import pytest
from sql_engines import (
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

import sluice
from sluice import Column, ListQuery
from sluice.sql import Place, Statement

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECOND, MICROSECOND = timedelta(milliseconds=1), timedelta(microseconds=1)
SCHEMA = (Column("id"), Column("created", "time", is_nullable=True))
COMPARISONS = {"gt": operator.gt, "gte": operator.ge, "lt": operator.lt, "lte": operator.le}


class Kind(NamedTuple):
    """A type of a column, and the texts that it is filled with."""

    dialect: Dialect
    name: str
    column: str
    step: timedelta = MICROSECOND  # between two values
    form: str = "%Y-%m-%d %H:%M:%S.%f"
    years: tuple[int, int] = (1, 9999)

    def held(self, at: datetime) -> datetime:
        """The value that the column has of a time."""
        return EPOCH + (at - EPOCH) // self.step * self.step

    def literal(self, at: datetime | None) -> str:
        if at is None:
            return "NULL"
        if self.name == "seconds":
            return str((at - EPOCH) // self.step)
        text = f"{at.year:04}{at.strftime(self.form.removeprefix('%Y'))}"
        if self.name == "rfc3339":
            text = f"{text[:-4]}Z"
        if self.dialect == "sqlite" and self.name == "datetime" and at.microsecond % 3:
            text = text.rstrip("0").rstrip(".")  # of some times; a text has any digits
        is_clickhouse = self.dialect == "clickhouse"  # which reads a text in the column's zone
        return f"parseDateTime64BestEffort('{text}', 6, 'UTC')" if is_clickhouse else f"'{text}'"


SECOND = timedelta(seconds=1)
KINDS = [
    Kind("sqlite", "rfc3339", "TEXT", MILLISECOND, "%Y-%m-%dT%H:%M:%S.%fZ"),
    Kind("sqlite", "datetime", "TEXT"),
    Kind("sqlite", "seconds", "INTEGER", SECOND),
    Kind("duckdb", "timestamptz", "TIMESTAMPTZ", form="%Y-%m-%d %H:%M:%S.%f+00"),
    Kind("duckdb", "TIMESTAMP", "TIMESTAMP"),
    Kind("duckdb", "seconds", "BIGINT", SECOND),
]
SERVED = [
    Kind("postgresql", "timestamptz", "timestamptz", form="%Y-%m-%d %H:%M:%S.%f+00"),
    Kind("postgresql", "timestamp", "timestamp"),
    Kind("postgresql", "timestamp(3)", "timestamp(3)", MILLISECOND),
    Kind("postgresql", "seconds", "bigint", SECOND),
    Kind("mariadb", "DATETIME(6)", "DATETIME(6)"),
    Kind("mariadb", "datetime", "DATETIME", SECOND),
    Kind("mariadb", "timestamp", "TIMESTAMP(6)", years=(1971, 2037)),
    Kind("mariadb", "seconds", "BIGINT", SECOND),
    Kind("clickhouse", "DateTime64", "DateTime64(6, 'UTC')", years=(1901, 2298)),
    Kind(
        "clickhouse", "datetime64", "DateTime64(3, 'Asia/Tokyo')", MILLISECOND, years=(1901, 2298)
    ),
]


def times(kind: Kind) -> list[datetime | None]:
    """Times of a column that are hard to compare."""
    near = datetime(2026, 8, 21, 2, 30, 15, 123_000, UTC)
    all_times = [
        *(near + MICROSECOND * step for step in (-1_000, -1, 0, 1, 499, 500, 999, 1_000, 877_000)),
        *(datetime(*day, tzinfo=UTC) for day in ((1, 1, 1), (1999, 12, 31), (2000, 2, 29))),
        *(EPOCH + MICROSECOND * step for step in (-1_000_001, -1_000, -1, 0, 1, 999_999)),
        datetime(9999, 12, 31, 23, 59, 59, 999_999, UTC),
    ]
    first, last = kind.years
    return [None, *(kind.held(at) for at in all_times if first <= at.year <= last), None]


@pytest.fixture(scope="module")
def servers() -> Iterator[dict[str, Database]]:
    with ExitStack() as opened:
        connection = opened.enter_context(mariadb_server())(init_command="SET time_zone = '+00:00'")
        cursor = opened.enter_context(postgresql_server())
        cursor.execute("SET TIME ZONE 'America/New_York'")
        yield {
            "mariadb": MariaDb(connection),
            "postgresql": PostgreSql(cursor),
            "clickhouse": opened.enter_context(clickhouse_server()),
        }


def database_of(dialect: Dialect, request: pytest.FixtureRequest) -> Database:
    if dialect == "sqlite":
        return Sqlite()
    if dialect == "duckdb":
        database = DuckDb()
        database.connection.execute("SET TimeZone = 'Asia/Tokyo'")
        return database
    served: Database = request.getfixturevalue("servers")[dialect]
    return served


class Table:
    """A table `t` with ids and times."""

    def __init__(self, kind: Kind, request: pytest.FixtureRequest) -> None:
        self.kind = kind
        self.database = database_of(kind.dialect, request)
        clickhouse = kind.dialect == "clickhouse"
        column = f"Nullable({kind.column})" if clickhouse else f"{kind.column} NULL"
        text = {"clickhouse": "String", "mariadb": "VARCHAR(9) CHARACTER SET utf8mb4"}
        engine = " ENGINE = Memory" if clickhouse else ""
        name = text.get(kind.dialect, "TEXT")
        self.execute("DROP TABLE IF EXISTS t")
        self.execute(f"CREATE TABLE t (id {name}, created_at {column}){engine}")
        self.rows = {f"r{at:02}": time for at, time in enumerate(times(kind))}
        values = ", ".join(f"('{id_}', {kind.literal(at)})" for id_, at in self.rows.items())
        self.execute(f"INSERT INTO t VALUES {values}")

    def execute(self, text: str) -> None:
        match self.database:
            case Sqlite() | DuckDb():
                self.database.connection.execute(text)
            case PostgreSql() | MariaDb():
                self.database.cursor.execute(text)
            case _:
                self.database.node.ask(text)  # type: ignore[attr-defined]

    def statement(self, tree: dict[str, Any]) -> Statement:
        columns: dict[str, str | Place] = {
            "id": "id",
            "created": Place("created_at", self.kind.name),
        }
        query = ListQuery.from_tree(tree, SCHEMA)
        return query.to_sql(self.kind.dialect, "t", columns=columns, select="id")

    def ask(self, tree: dict[str, Any]) -> list[tuple[Any, ...]]:
        return self.database.ask(self.statement(tree))

    def ids_in_order(self, direction: str) -> list[str]:
        """Ids by time, those without one first if it ascends."""
        least = datetime(1, 1, 1, tzinfo=UTC)

        def rank(id_: str) -> tuple[bool, datetime, str]:
            at = self.rows[id_]
            return (at is not None, at or least, id_)

        return sorted(self.rows, key=rank, reverse=direction == "desc")


@pytest.fixture(
    params=[*KINDS, *(pytest.param(kind, marks=pytest.mark.servers) for kind in SERVED)],
    ids=lambda kind: f"{kind.dialect} {kind.column} {kind.name}",
)
def table(request: pytest.FixtureRequest) -> Table:
    return Table(request.param, request)


def bounds_near(known: Sequence[datetime | None]) -> Iterator[str]:
    yield from ("0000-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z")
    for at in known:
        if at is None:
            continue
        milliseconds = (at - EPOCH) // MILLISECOND
        for near in (milliseconds - 1, milliseconds, milliseconds + 1):
            if -62_135_596_800_000 <= near <= 253_402_300_799_999:
                moment = EPOCH + near * MILLISECOND
                yield f"{moment.year:04}{moment.isoformat(timespec='milliseconds')[4:-6]}Z"


def milliseconds_of(text: str) -> int:
    if text.startswith("0000"):
        return -62_167_219_200_000
    return (datetime.fromisoformat(text) - EPOCH) // MILLISECOND


def test_bounds_take_the_rows_of_their_millisecond(table: Table) -> None:
    bounds = [*dict.fromkeys(bounds_near(times(table.kind)))]
    leaves = [{name: bound} for name in COMPARISONS for bound in bounds]
    leaves += [
        {lower: a, upper: b}
        for a, b in pairwise(sorted(bounds))
        for lower in ("gt", "gte")
        for upper in ("lt", "lte")
    ]
    for leaf in leaves:
        expected = {
            id_
            for id_, at in table.rows.items()
            if at is not None
            and all(
                COMPARISONS[name]((at - EPOCH) // MILLISECOND, milliseconds_of(bound))
                for name, bound in leaf.items()
            )
        }
        condition = {"column": "created", **leaf}
        for where, taken in ((condition, expected), ({"not": condition}, {*table.rows} - expected)):
            assert {row[0] for row in table.ask({"where": where})} == taken, where


@pytest.mark.parametrize("direction", ["asc", "desc"])
@pytest.mark.parametrize("size", [1, 2, 5])
def test_cursors_keep_all_digits(table: Table, direction: str, size: int) -> None:
    order = [{"column": name, "direction": direction} for name in ("created", "id")]
    query = ListQuery.from_tree({"order": order}, SCHEMA)
    expected = table.ids_in_order(direction)
    rows = table.ask({"order": order, "page": {"number": 1, "size": size}})
    forward = [*rows]
    while rows:
        text = query.cursor_beside(rows[-1][1:])
        rows = table.ask({"order": order, "cursor": {"text": text, "size": size}})
        forward += rows
    assert [row[0] for row in forward] == expected
    backward = rows = forward[-1:]
    while rows:
        text = query.cursor_beside(rows[0][1:], before=True)
        rows = table.ask({"order": order, "cursor": {"text": text, "size": size}})
        backward = [*rows, *backward]
    assert [row[0] for row in backward] == expected


def test_a_datetime_with_microseconds_is_a_key() -> None:
    order = [{"column": name, "direction": "asc"} for name in ("created", "id")]
    query = ListQuery.from_tree({"order": order}, SCHEMA)
    at = datetime(2026, 8, 21, 2, 30, 15, 123_450, UTC)
    keys = sluice.Cursor.parse(query.cursor_beside([at, "a"])).keys
    assert list(keys) == ["2026-08-21T02:30:15.12345Z", "a"]
    for same in ("2026-08-21 02:30:15.123450", "2026-08-21T02:30:15.12345Z"):
        assert query.cursor_beside([same, "a"]) == query.cursor_beside([at, "a"])
    with pytest.raises(sluice.ApiError, match=r"created: .*, or RFC 3339"):
        query.cursor_beside(["infinity", "a"])


@pytest.mark.parametrize(
    ("column", "place", "said"),
    [
        (
            "created",
            Place("t", "date"),
            "columns: created: expected one of seconds, .*, not 'date'",
        ),
        ("created", Place("t", "datetime"), "expected one of seconds, timestamptz, timestamp, not"),
        (
            "id",
            Place("t", "timestamptz"),
            "columns: id: expected one of bytewise, deterministic, .*, not 'timestamptz'",
        ),
    ],
)
def test_a_type_that_a_column_cannot_have_is_named(column: str, place: Place, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        ListQuery.from_tree({}, SCHEMA).to_sql("postgresql", "t", columns={column: place})


# Indexes.

ROWS = 100_000
INDEXED = (Column("id"), Column("created", "time"), Column("city"))
FIRST = datetime(2026, 1, 1, tzinfo=UTC)


class Indexed(NamedTuple):
    """A table of many rows with an index of the time and the id, and how a plan names it."""

    kind: Kind
    types: tuple[str, str]  # of texts, and of the time
    time: str  # of row `n`
    rows: str  # a source of `n`
    explain: str
    served: str
    sorted: str
    analyze: str = "ANALYZE many"


NUMBERS = "WITH RECURSIVE r(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM r WHERE n < 99999) "
INDEXES = [
    Indexed(
        kind,
        ("TEXT", kind.column),
        time,
        "r",
        "EXPLAIN QUERY PLAN ",
        "INDEX many_rows",
        "TEMP B-TREE",
    )
    for kind, time in (
        (KINDS[0], "strftime('%Y-%m-%dT%H:%M:%fZ', 1767225600 + n * 60, 'unixepoch')"),
        (KINDS[1], "datetime(1767225600 + n * 60, 'unixepoch')"),
        (KINDS[2], "1767225600 + n * 60"),
    )
]
SERVED_INDEXES = [
    *(
        Indexed(
            kind,
            ('text COLLATE "C"', f"{kind.column}"),
            f"timestamp '2026-01-01' AT TIME ZONE {zone} + n * interval '1 minute'",
            "generate_series(0, 99999) AS r(n)",
            "EXPLAIN ",
            "many_rows",
            "Sort",
        )
        for kind, zone in ((SERVED[0], "'UTC'"), (SERVED[1], "'UTC' AT TIME ZONE 'UTC'"))
    ),
    *(
        Indexed(
            kind,
            ("VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin", kind.column),
            "TIMESTAMP '2026-01-01 00:00:00' + INTERVAL seq MINUTE",
            "seq_0_to_99999",
            "EXPLAIN ",
            "many_rows",
            "filesort",
            "ANALYZE TABLE many",
        )
        for kind in (SERVED[4], SERVED[5], SERVED[6])
    ),
]


@pytest.fixture(
    params=[
        *INDEXES,
        *(pytest.param(table, marks=pytest.mark.servers) for table in SERVED_INDEXES),
    ],
    ids=lambda table: f"{table.kind.dialect} {table.kind.column} {table.kind.name}",
)
def indexed(request: pytest.FixtureRequest) -> tuple[Indexed, Table]:
    spec: Indexed = request.param
    table = Table(spec.kind, request)
    text, time = spec.types
    number = "seq" if spec.kind.dialect == "mariadb" else "n"
    id_ = {
        "mariadb": "LPAD(seq, 6, '0')",
        "postgresql": "lpad(n::text, 6, '0')",
        "sqlite": "printf('%06d', n)",
    }
    columns = f"{id_[spec.kind.dialect]}, {spec.time}, 'c'"
    numbers = NUMBERS if spec.kind.dialect == "sqlite" else ""
    for statement in (
        "DROP TABLE IF EXISTS many",
        f"CREATE TABLE many (id {text} PRIMARY KEY, created_at {time} NOT NULL, city {text})",
        f"INSERT INTO many {numbers}SELECT {columns} FROM {spec.rows} WHERE {number} >= 0",
        "CREATE INDEX many_rows ON many (created_at, id)",
        spec.analyze,
    ):
        table.execute(statement)
    return spec, table


def test_an_index_serves_pages_and_counts(indexed: tuple[Indexed, Table]) -> None:
    spec, table = indexed
    places: dict[str, str | Place] = {
        "id": Place("id", "bytewise"),
        "created": Place("created_at", spec.kind.name),
        "city": "city",
    }
    order = [{"column": name, "direction": "desc"} for name in ("created", "id")]
    day = {"gte": "2026-02-01T00:00:00.000Z", "lte": "2026-02-01T23:59:59.999Z"}
    window = {"column": "created", **day}
    one_day = {"order": order, "where": window}
    first = ListQuery.from_tree({"order": order, "page": {"number": 1, "size": 3}}, INDEXED)

    def statement(tree: dict[str, Any], form: Any = "page") -> Statement:  # noqa: ANN401
        query = ListQuery.from_tree(tree, INDEXED)
        return query.to_sql(spec.kind.dialect, "many", columns=places, select="id", form=form)

    rows = table.database.ask(statement({**one_day, "page": {"number": 1, "size": 3}}))
    assert [row[0] for row in rows] == [f"{31 * 1440 + 1439 - at:06}" for at in range(3)]
    cursors = [first.cursor_beside(rows[-1][1:], before=before) for before in (False, True)]
    assert int(table.database.ask(statement(one_day, "count"))[0][0]) == 1_440
    for compiled in (
        statement({"order": order, "page": {"number": 1, "size": 3}}),
        statement({**one_day, "page": {"number": 1, "size": 3}}),
        statement(one_day, "count"),
        *(statement({"order": order, "cursor": {"text": text, "size": 3}}) for text in cursors),
    ):
        text = compiled.text
        head = text[: text.index("SELECT")]  # of MariaDB
        explained = Statement(f"{head}{spec.explain}{text.removeprefix(head)}", compiled.parameters)
        plan = [str(row) for row in table.database.ask(explained)]
        assert any(spec.served in line for line in plan), plan
        assert not any("Seq Scan" in line for line in plan), plan
        is_reversed = "sluice_page" in text  # whose few rows are sorted
        assert is_reversed or not any(spec.sorted in line for line in plan), plan
