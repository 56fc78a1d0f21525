# SPDX-License-Identifier: MIT
"""SQL engines, asked by to_sql(), by SQL of a user's own, and by a mask of rows that were read."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
from sql_engines import DuckDb, PostgreSql, Sqlite, clickhouse_server, postgresql_server

from sluice import Column
from sluice.sql import Statement

from ..cell import Clock
from ..clocks import with_server
from ..data import Data
from ..engines.sql import literal
from ..queries import NEWEST_FIRST, Clause
from .questions import SHOWN, Answer, Question
from .rows import IN_FILE, TABLE, fill, post, write_parquet

CLOCKS: dict[str, Callable[[Any], Clock]] = {
    "sqlite": lambda _: time.process_time_ns,
    "duckdb": lambda _: time.process_time_ns,
    "postgresql": lambda database: with_server(database.cursor.connection.info.backend_pid),
    "clickhouse": lambda database: with_server(database.node.process.pid),
}
FOLDS = {"sqlite": "{} COLLATE NOCASE", None: "lower({})"}
VERSIONS = {
    "sqlite": "SELECT sqlite_version()",
    "duckdb": "SELECT version()",
    "postgresql": "SHOW server_version",
    "clickhouse": "SELECT version()",
}


class SqlEngine:
    """A database with the rows in a table, or whose FROM names a file of them."""

    what = "to_sql"

    def __init__(self, name: str, settings: str, database: Any, source: str = TABLE) -> None:  # noqa: ANN401
        """Takes a database that is filled."""
        self.name, self.settings = name, settings
        self.version = ask_version(database)
        self.clock = CLOCKS[database.dialect](database)
        self._database = database
        self._source = source

    def pushed_down(self, question: Question) -> Callable[[], Answer]:
        """By the statement that is compiled."""
        is_own = self._source != TABLE
        statement = question.query.to_sql(
            self._database.dialect,
            self._source,
            columns={} if is_own else None,
            select=", ".join(SHOWN),
            form=question.form,
            keys=False,  # which a page by its number has no use for
        )
        return lambda: self._ask(statement, question)

    def by_hand(self, question: Question) -> Callable[[], Answer]:
        """By a statement whose values are bound, as they differ from request to request."""
        asked, written = question.asked, ByHand(self._database.dialect, question)
        text = f"SELECT count(*) FROM {self._source} WHERE {written.condition()}"
        if question.form == "page":
            limit, offset = written.bind(asked.limit), written.bind(asked.offset)
            text = text.replace("count(*)", ", ".join(SHOWN), 1)
            text += f" {NEWEST_FIRST} LIMIT {limit} OFFSET {offset}"
        statement = Statement(text, written.parameters)
        return lambda: self._ask(statement, question)

    def masked(self, question: Question) -> Callable[[], Answer]:
        """By all rows of the columns that the question needs."""
        text = f"SELECT {', '.join(question.columns)} FROM {self._source}"
        return lambda: question.of_table(READERS[self._database.dialect](self._database, text))

    def _ask(self, statement: Statement, question: Question) -> Answer:
        rows = self._database.ask(statement)
        return int(rows[0][0]) if question.form == "count" else [row[0] for row in rows]


class ByHand:
    """The condition of a question as a user of a database writes it."""

    def __init__(self, dialect: str, question: Question) -> None:
        """Has bound no value yet."""
        self._dialect = dialect
        self._question = question
        self._values: list[str | int] = []

    @property
    def parameters(self) -> Any:  # noqa: ANN401
        """The values, as clients take them."""
        named = {f"p{at}": value for at, value in enumerate(self._values, 1)}
        return named if self._dialect == "clickhouse" else self._values

    def condition(self) -> str:
        """All tests."""
        asked = self._question.asked
        tests = [self._test(clause) for clause in asked.clauses]
        if not asked.is_unbounded:
            tests += [f"time >= {self.bind(asked.start)}", f"time <= {self.bind(asked.end)}"]
        return " AND ".join(tests)

    def _test(self, clause: Clause) -> str:
        """An exclusion keeps what is NULL."""
        fold = FOLDS.get(self._dialect, FOLDS[None]) if self._question.ignores_case else "{}"
        operand = fold.format(clause.column)
        places = ", ".join(self.bind(value) for value in clause.values)
        if clause.excludes:
            return f"({operand} NOT IN ({places}) OR {operand} IS NULL)"
        test = f"{operand} = {places}" if len(clause.values) == 1 else f"{operand} IN ({places})"
        if self._dialect == "duckdb" and self._question.ignores_case:
            # Or lower() would take the Kelvin sign for k.
            test += f" AND strlen({clause.column}) = length({clause.column})"
        return test

    def bind(self, value: str | int | None) -> str:
        """What stands for a value."""
        assert value is not None
        self._values.append(value)
        number, kind = len(self._values), "String" if isinstance(value, str) else "Int64"
        forms = {"postgresql": f"${number}", "clickhouse": f"{{p{number}:{kind}}}"}
        return forms.get(self._dialect, "?")


def ask_version(database: Any) -> str:  # noqa: ANN401
    """What a database says of itself."""
    values: Any = {} if database.dialect == "clickhouse" else []
    return str(database.ask(Statement(VERSIONS[database.dialect], values))[0][0])


# --- Reading -------------------------------------------------------------------------------------


def rows_as_table(rows: list[tuple[Any, ...]], names: list[str]) -> pa.Table:
    """Rows of Python objects as Arrow data."""
    return pa.table(dict(zip(names, zip(*rows, strict=True), strict=True)))


def read_tuples(database: Any, text: str) -> pa.Table:  # noqa: ANN401
    """By the objects that a DB-API cursor gives."""
    names = text.removeprefix("SELECT ").partition(" FROM ")[0].split(", ")
    return rows_as_table(database.ask(Statement(text, [])), names)


READERS: dict[str, Callable[[Any, str], pa.Table]] = {
    "sqlite": read_tuples,
    "duckdb": lambda database, text: pa.table(database.connection.sql(text)),
    "postgresql": read_tuples,
    "clickhouse": lambda database, text: pa.ipc.open_stream(
        post(database.node, f"{text} FORMAT ArrowStream")
    ).read_all(),
}


# --- The engines ---------------------------------------------------------------------------------


def in_file(data: Data, folder: Path) -> SqlEngine:
    """DuckDB over a Parquet file."""
    path = write_parquet(data, folder, pa.int64())
    settings = f"{IN_FILE}, times as BIGINT, as compiled statements have them; one thread"
    return SqlEngine("Parquet, DuckDB", settings, DuckDb(), f"read_parquet({literal(str(path))})")


@contextmanager
def postgresql() -> Iterator[PostgreSql]:
    """A server of its own."""
    with postgresql_server() as cursor:
        yield PostgreSql(cursor)


Opened: TypeAlias = AbstractContextManager[Any]
DATABASES: dict[str, tuple[Callable[[], Opened], str]] = {
    "SQLite": (lambda: nullcontext(Sqlite()), "in memory, the index that ddl() writes, ANALYZE"),
    "DuckDB": (lambda: nullcontext(DuckDb()), "in memory, the table that ddl() writes; one thread"),
    "PostgreSQL": (
        postgresql,
        "the table that ddl() writes, VACUUM ANALYZE, a socket, psycopg's RawCursor, which prepares"
        " what is asked often; no parallel workers",
    ),
    "ClickHouse": (
        clickhouse_server,
        "the table that ddl() writes in one part, HTTP with a connection a statement; threads as it"
        " comes",
    ),
}


@contextmanager
def in_table(name: str, data: Data, schema: Sequence[Column]) -> Iterator[SqlEngine]:
    """A database with a table of its own, which ends with its use."""
    opened, settings = DATABASES[name]
    with opened() as database:
        fill(database, data, schema)
        yield SqlEngine(name, settings, database)
