# SPDX-License-Identifier: MIT
"""Queries as sluice compiles them and as users write them, in engines that hold the rows."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property, partial, reduce
from operator import and_
from pathlib import Path
from typing import Any, Literal, TypeAlias

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
from pyarrow import parquet
from sql_engines import DuckDb, PostgreSql, Sqlite, clickhouse_server, postgresql_server

import sluice
from sluice import Column
from sluice.sql import Statement

from .data import FEW_DIMENSIONS, Data
from .measuring import Cell, Clock, Contender, Library, by_python
from .queries import (
    NEWEST_FIRST,
    Bind,
    Clause,
    Query,
    counted_queries,
    literal,
    paged_queries,
    sql_test,
    where,
)
from .row_engines import polars_test

Answer: TypeAlias = int | list[str]  # a count, or the ids of a page

COLUMNS = ("id", "time", *(dimension.name for dimension in FEW_DIMENSIONS))
SHOWN = ("id", "time", "country", "device", "url")  # what a page has of a row
ORDER = [("time", "descending"), ("id", "descending")]
COUNTED = ("1 equality", "IN of 4", "exclusion of 2", "3 equalities in 7 of 90 days")
PAGED = ("100 of 1 equality", "100 of a rare value", "100 in 7 of 90 days")
TABLE, ROW_GROUP, BATCH = "events", 100_000, 10_000
IN_FILE = f"row groups of {ROW_GROUP:,} rows in the order of their times, texts plain"
UTC_TIMES = pa.timestamp("ms", "UTC")


# --- Questions -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Question:
    """A query, of which the rows of a page or their count are wanted."""

    name: str
    query: Query
    form: Literal["page", "count"]
    ignores_case: bool = False

    @cached_property
    def schema(self) -> tuple[Column, ...]:
        """The columns of the rows."""
        how: Literal["exact", "ignore_case"] = "ignore_case" if self.ignores_case else "exact"
        texts = (
            Column(dimension.name, is_nullable=dimension.optional, collation=how)
            for dimension in FEW_DIMENSIONS
        )
        return (Column("id"), Column("time", "time"), *texts)

    @cached_property
    def compiled(self) -> sluice.ListQuery:
        """The query of sluice."""
        tests: list[dict[str, Any]] = [
            {"column": clause.column, "none_of" if clause.excludes else "any_of": [*clause.values]}
            for clause in self.query.clauses
        ]
        if self.window:
            bounds = zip(("gte", "lte"), (bound.isoformat() for bound in self.window), strict=True)
            tests.append({"column": "time", **dict(bounds)})
        order = [{"column": name, "direction": "desc"} for name, _ in ORDER]
        page = {"number": self.query.page, "size": self.query.limit}
        tree = {"where": {"all": tests}, "order": order, "page": page}
        return sluice.ListQuery.from_tree(tree, self.schema)

    @property
    def window(self) -> list[datetime]:
        """The first time and the last one, if there is a window."""
        bounds = (self.query.start, self.query.end)
        epoch = datetime.fromtimestamp(0, UTC)
        return [epoch + timedelta(milliseconds=ms) for ms in bounds if ms is not None]


def questions_about(data: Data) -> Iterator[Question]:
    """Yields all counts, then all pages."""
    counted, paged = counted_queries(data), paged_queries(data)
    folded = "1 equality, ignoring case"
    for name in COUNTED:
        yield Question(f"count, {name}", counted[name], "count")
    yield Question(f"count, {folded}", counted["1 equality"], "count", ignores_case=True)
    for name in PAGED:
        yield Question(f"page, {name}", paged[name], "page")
    yield Question(f"page, 100 of {folded}", paged["100 of 1 equality"], "page", ignores_case=True)


# --- SQL -----------------------------------------------------------------------------------------


def with_server(pid: int) -> Clock:
    """Returns the clock of the processor time of this process and of one that serves it."""

    def served() -> int:
        threads = Path(f"/proc/{pid}/task").iterdir()
        return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads)

    return lambda: time.process_time_ns() + served()


class SqlEngine:
    """A database with the rows in a table, or whose FROM names a file of them.

    Like every engine, it writes a question in two ways, and answers what is written.
    """

    what = "to_sql"
    clock: Clock = staticmethod(time.process_time_ns)

    def __init__(
        self,
        settings: str,
        database: Any,  # noqa: ANN401
        version: str,
        source: str = TABLE,
    ) -> None:
        """Takes a database that is filled, and the expression of its version."""
        self.settings = settings
        self._database = database
        self._source = source
        self._is_clickhouse = database.dialect == "clickhouse"
        if self._is_clickhouse:
            self.clock = with_server(database.node.process.pid)
        elif database.dialect == "postgresql":
            self.clock = with_server(database.cursor.connection.info.backend_pid)
        statement = Statement(f"SELECT {version}", {} if self._is_clickhouse else [])
        self.version = str(database.ask(statement)[0][0])

    def compiled(self, question: Question) -> Statement:
        """Returns the statement that sluice compiles."""
        return question.compiled.to_sql(
            self._database.dialect,
            self._source,
            columns=None if self._source == TABLE else {},
            select=", ".join(SHOWN),
            form=question.form,
            keys=False,  # which a page by its number has no use for
        )

    def by_hand(self, question: Question) -> Statement:
        """Returns a statement whose values are bound, as they differ from request to request."""
        query, dialect = question.query, self._database.dialect
        values: list[Any] = []

        def bind(value: str | int) -> str:
            values.append(value)
            kind = "String" if isinstance(value, str) else "Int64"
            number = len(values)
            forms = {"postgresql": f"${number}", "clickhouse": f"{{p{number}:{kind}}}"}
            return forms.get(dialect, "?")

        tests = where(query, lambda clause: self._test(clause, question, bind), bind)
        shown = "count(*)" if question.form == "count" else ", ".join(SHOWN)
        text = f"SELECT {shown} FROM {self._source}{tests}"
        if question.form == "page":
            text += f" {NEWEST_FIRST} LIMIT {bind(query.limit)} OFFSET {bind(query.offset)}"
        named = {f"p{at}": value for at, value in enumerate(values, 1)}
        return Statement(text, named if self._is_clickhouse else values)

    def _test(self, clause: Clause, question: Question, bind: Bind) -> str:
        if not question.ignores_case:
            return sql_test(clause, bind, is_nullable=True)
        if self._database.dialect == "sqlite":
            return sql_test(clause, bind, "{} COLLATE NOCASE")
        test = sql_test(clause, bind, "lower({})")
        if self._database.dialect == "duckdb":  # or lower() would take the Kelvin sign for k
            test += f" AND strlen({clause.column}) = length({clause.column})"
        return test

    def answer(self, statement: Statement, question: Question) -> Answer:
        """Runs a statement."""
        rows = self._database.ask(statement)
        return int(rows[0][0]) if question.form == "count" else [row[0] for row in rows]


def batches(data: Data) -> Iterator[pa.Table]:
    """Yields the rows in their order, times as milliseconds, texts as they are."""
    types = [(name, pa.int64() if name == "time" else pa.string()) for name in COLUMNS]
    for table in data.tables(BATCH):
        yield table.select(COLUMNS).cast(pa.schema(types))


@contextmanager
def postgresql() -> Iterator[PostgreSql]:
    """Opens a server of its own."""
    with postgresql_server() as cursor:
        yield PostgreSql(cursor)


Opened: TypeAlias = AbstractContextManager[Any]
# How each is opened, the expression of its version, and its settings.
DATABASES: dict[str, tuple[Callable[[], Opened], str, str]] = {
    "SQLite": (
        lambda: nullcontext(Sqlite()),
        "sqlite_version()",
        "in memory, the index that ddl() writes, ANALYZE",
    ),
    "DuckDB": (
        lambda: nullcontext(DuckDb()),
        "version()",
        "in memory, the table that ddl() writes; one thread",
    ),
    "PostgreSQL": (
        postgresql,
        "current_setting('server_version')",
        "the table that ddl() writes, VACUUM ANALYZE, a socket, psycopg's RawCursor, which prepares"
        " what is asked often; no parallel workers",
    ),
    "ClickHouse": (
        clickhouse_server,
        "version()",
        "the table that ddl() writes in one part, HTTP with a connection a statement; threads as it"
        " comes",
    ),
}


@contextmanager
def in_table(name: str, data: Data, schema: tuple[Column, ...]) -> Iterator[SqlEngine]:
    """Fills a table that ddl() writes, in a database that ends with its use."""
    opened, version, settings = DATABASES[name]
    with opened() as database:
        database.create(TABLE, sluice.sql.ddl(schema, database.dialect, TABLE))
        for batch in batches(data):
            database.insert(TABLE, batch.to_pylist())
        if database.dialect == "sqlite":
            database.connection.execute("ANALYZE")
        if database.dialect == "postgresql":
            database.cursor.execute(f"VACUUM ANALYZE {TABLE}")
            database.cursor.execute("SET max_parallel_workers_per_gather = 0")
        if database.dialect == "clickhouse":
            database.node.ask(f"OPTIMIZE TABLE {TABLE} FINAL")
        yield SqlEngine(settings, database, version)


# --- Files ---------------------------------------------------------------------------------------


def write_parquet(data: Data, folder: Path, time: pa.DataType) -> Path:
    """Writes a file of all rows, in the order of their times, which are of a type."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{data.rows}-{time.id}.parquet"
    if not path.exists():
        rows = pa.concat_tables(batches(data))
        rows = rows.set_column(1, "time", rows["time"].cast(time))
        parquet.write_table(rows, path.with_suffix(".part"), row_group_size=ROW_GROUP)
        path.with_suffix(".part").rename(path)
    return path


def duckdb_file(data: Data, folder: Path) -> SqlEngine:
    """Opens DuckDB over a Parquet file."""
    path = write_parquet(data, folder, pa.int64())
    settings = f"{IN_FILE}, times as BIGINT, as compiled statements have them; one thread"
    return SqlEngine(settings, DuckDb(), "version()", f"read_parquet({literal(str(path))})")


class PolarsFile:
    """A scan of polars."""

    clock = staticmethod(time.process_time_ns)
    what = "to_polars"
    version = pl.__version__
    settings = f"{IN_FILE}, times with a zone; lazy, its usual engine; one thread"

    def __init__(self, data: Data, folder: Path) -> None:
        """Writes the file."""
        self._path = write_parquet(data, folder, UTC_TIMES)

    def compiled(self, question: Question) -> pl.Expr:
        """Returns the expression that sluice compiles."""
        return question.compiled.to_polars(schema=pl.scan_parquet(self._path).collect_schema())

    def by_hand(self, question: Question) -> pl.Expr:
        """Returns an expression of a user's own."""
        tests = [self._test(clause, question) for clause in question.query.clauses]
        if question.window:
            tests.append(pl.col("time").is_between(*question.window))
        return reduce(and_, tests)

    @staticmethod
    def _test(clause: Clause, question: Question) -> pl.Expr:
        if question.ignores_case:  # of ASCII alone: the Kelvin sign is no k
            texts = pl.col(clause.column).str
            is_ascii = texts.len_bytes() == texts.len_chars()
            return (texts.to_lowercase() == clause.values[0]) & is_ascii
        return polars_test(clause)

    def answer(self, statement: pl.Expr, question: Question) -> Answer:
        """Scans the file."""
        rows = pl.scan_parquet(self._path).filter(statement)
        if question.form == "count":
            return int(rows.select(pl.len()).collect().item())
        page = rows.select(SHOWN).sort([name for name, _ in ORDER], descending=True)
        page = page.slice(question.query.offset, question.query.limit)
        return page.collect()["id"].to_list()


class PyarrowFile:
    """A dataset of pyarrow."""

    clock = staticmethod(time.process_time_ns)
    what = "to_pyarrow"
    version = pa.__version__
    settings = f"{IN_FILE}, times with a zone; a dataset; one thread"

    def __init__(self, data: Data, folder: Path) -> None:
        """Writes the file."""
        pa.set_cpu_count(1)
        self._dataset = ds.dataset(write_parquet(data, folder, UTC_TIMES))

    def compiled(self, question: Question) -> pc.Expression:
        """Returns the expression that sluice compiles."""
        return question.compiled.to_pyarrow(schema=self._dataset.schema)

    def by_hand(self, question: Question) -> pc.Expression:
        """Returns an expression of a user's own."""
        tests = [self._test(clause, question) for clause in question.query.clauses]
        if question.window:
            first, last = (pa.scalar(bound, UTC_TIMES) for bound in question.window)
            tests += [pc.field("time") >= first, pc.field("time") <= last]
        return reduce(and_, tests)

    @staticmethod
    def _test(clause: Clause, question: Question) -> pc.Expression:
        """Writes a test; isin() is false for missing values, which an exclusion keeps."""
        field = pc.field(clause.column)
        if question.ignores_case:
            return pc.ascii_lower(field) == clause.values[0]
        if len(clause.values) == 1 and not clause.excludes:
            return field == clause.values[0]
        test = field.isin([*clause.values])
        return ~test if clause.excludes else test

    def answer(self, statement: pc.Expression, question: Question) -> Answer:
        """Scans the dataset."""
        if question.form == "count":
            return int(self._dataset.count_rows(filter=statement))
        rows = self._dataset.to_table([*SHOWN], filter=statement).sort_by(ORDER)
        page = rows.slice(question.query.offset, question.query.limit)
        ids: list[str] = page["id"].to_pylist()
        return ids


FILES: dict[str, Callable[[Data, Path], Any]] = {
    "Parquet, DuckDB": duckdb_file,
    "Parquet, polars": PolarsFile,
    "Parquet, pyarrow": PyarrowFile,
}
NAMES = (*FILES, *DATABASES)

# --- Cells ---------------------------------------------------------------------------------------


def cells(name: str, data: Data, folder: Path, about: dict[str, Any]) -> Iterator[Cell]:
    """Yields a cell a question to an engine, which is noted in `about`."""
    questions = {question.name: question for question in questions_about(data)}
    schema = next(iter(questions.values())).schema
    opened = nullcontext(FILES[name](data, folder)) if name in FILES else None
    with opened or in_table(name, data, schema) as engine:
        about[name] = {"version": engine.version, "settings": engine.settings}

        def by(write: Callable[[Question], Any]) -> Library:
            def answer(text: str) -> Contender:
                question = questions[text]
                run = partial(engine.answer, write(question), question)
                return by_python(run, clock=engine.clock)

            return Library(answer=answer)

        ours, peers = by(engine.compiled), {"by hand": by(engine.by_hand)}
        for text in questions:
            yield Cell(f"{name}: {text}", engine.what, f"answer {text}", ours, peers)
