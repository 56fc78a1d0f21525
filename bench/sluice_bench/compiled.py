# SPDX-License-Identifier: MIT
"""Queries as sluice compiles them and as users write them, in engines that hold the rows."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial, reduce
from operator import and_
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

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
from .measuring import Cell, Clock, Collector, Contender, Library, by_python, processor_ns
from .queries import KEY, NEWEST_FIRST, WEEK, Clause, Query, equals, literal

Answer: TypeAlias = int | list[str]  # a count, or the ids of a page

COLUMNS = ("id", "time", *(dimension.name for dimension in FEW_DIMENSIONS))
SHOWN = ("id", "time", "country", "device", "url")  # what a page has of a row
ORDER = [("time", "descending"), ("id", "descending")]
EPOCH = datetime.fromtimestamp(0, UTC)
TABLE, ROW_GROUP, BATCH = "events", 100_000, 10_000
IN_FILE = f"row groups of {ROW_GROUP:,} rows in the order of their times, texts plain"
UTC_TIMES = pa.timestamp("ms", "UTC")

# --- Cases ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A query, of which the rows of a page or their count are wanted."""

    form: Literal["page", "count"]
    query: Query
    collation: Literal["exact", "ignore_case"] = "exact"

    @property
    def schema(self) -> tuple[Column, ...]:
        """The columns of the rows."""
        texts = (
            Column(dimension.name, is_nullable=dimension.optional, collation=self.collation)
            for dimension in FEW_DIMENSIONS
        )
        return (Column("id"), Column("time", "time"), *texts)

    @property
    def window(self) -> list[datetime]:
        """The first time and the last one, if there is a window."""
        bounds = (self.query.start, self.query.end)
        return [EPOCH + timedelta(milliseconds=ms) for ms in bounds if ms is not None]

    @property
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
        page = {"number": 1, "size": self.query.limit}
        tree = {"where": {"all": tests}, "order": order, "page": page}
        return sluice.ListQuery.from_tree(tree, self.schema)


def cases_of(data: Data) -> dict[str, Case]:
    """Returns all counts, then all pages."""
    country = equals(data, "country")
    countries = Clause("country", tuple(data.frequent("country", rank) for rank in (1, 3, 5, 7)))
    sources = Clause("utm_source", tuple(data.frequent("utm_source", n) for n in (1, 2)), True)
    rare = Clause("url", (data.rare("url", 1e-6),))
    return {
        "count, 1 equality": Case("count", Query(country)),
        "count, IN of 4": Case("count", Query((countries,))),
        "count, exclusion of 2": Case("count", Query((sources,))),
        "count, 3 equalities in 7 of 90 days": Case("count", Query(equals(data, *KEY), *WEEK)),
        "count, 1 equality, ignoring case": Case("count", Query(country), "ignore_case"),
        "page, 100 of 1 equality": Case("page", Query(country)),
        "page, 100 of a rare value": Case("page", Query((rare,))),
        "page, 100 in 7 of 90 days": Case("page", Query(country, *WEEK)),
        "page, 100 of 1 equality, ignoring case": Case("page", Query(country), "ignore_case"),
    }


@dataclass(frozen=True)
class Engine:
    """Writes a case as sluice compiles it and as users do, and answers what is written."""

    what: str  # the interface of sluice
    version: str
    settings: str
    compiled: Callable[[Case], Any]
    by_hand: Callable[[Case], Any]
    answer: Callable[[Any, Case], Answer]
    clock: Clock = time.process_time_ns


# --- SQL -----------------------------------------------------------------------------------------

FOLDED = {
    "sqlite": "{} COLLATE NOCASE = ?",
    # ASCII alone: lower() takes the Kelvin sign for k.
    "duckdb": "lower({0}) = ? AND strlen({0}) = length({0})",
    "postgresql": "lower({}) = ?",
    "clickhouse": "lower({}) = ?",
}


def write_test(clause: Clause, is_folded: bool, dialect: str) -> str:
    """Writes a clause in SQL, with ? for its values; an exclusion keeps missing ones."""
    if is_folded:
        return FOLDED[dialect].format(clause.column)
    if len(clause.values) == 1:
        return f"{clause.column} = ?"
    values = ", ".join("?" for _ in clause.values)
    if clause.excludes:
        return f"({clause.column} NOT IN ({values}) OR {clause.column} IS NULL)"
    return f"{clause.column} IN ({values})"


def write_statement(case: Case, dialect: str, source: str) -> Statement:
    """Writes a statement whose values are bound, as they differ from request to request."""
    query, is_folded = case.query, case.collation == "ignore_case"
    tests = [write_test(clause, is_folded, dialect) for clause in query.clauses]
    values: list[Any] = [value for clause in query.clauses for value in clause.values]
    if query.start is not None:
        tests += ["time >= ?", "time <= ?"]
        values += [query.start, query.end]
    shown, tail = "count(*)", ""
    if case.form == "page":
        shown, tail = ", ".join(SHOWN), f" {NEWEST_FIRST} LIMIT ? OFFSET ?"
        values += [query.limit, query.offset]
    text = f"SELECT {shown} FROM {source} WHERE {' AND '.join(tests)}{tail}"
    if dialect not in ("postgresql", "clickhouse"):
        return Statement(text, values)
    for number, value in enumerate(values, 1):
        kind = "String" if isinstance(value, str) else "Int64"
        place = f"${number}" if dialect == "postgresql" else f"{{p{number}:{kind}}}"
        text = text.replace("?", place, 1)
    named = {f"p{number}": value for number, value in enumerate(values, 1)}
    return Statement(text, values if dialect == "postgresql" else named)


def sql_engine(settings: str, database: Any, version: str, source: str = TABLE) -> Engine:  # noqa: ANN401
    """Returns a database that is filled, by the expression of its version."""
    dialect = database.dialect

    def compiled(case: Case) -> Statement:
        return case.compiled.to_sql(
            dialect,
            source,
            columns=None if source == TABLE else {},
            select=", ".join(SHOWN),
            form=case.form,
            keys=False,  # which a page by its number has no use for
        )

    def answer(statement: Statement, case: Case) -> Answer:
        rows = database.ask(statement)
        return int(rows[0][0]) if case.form == "count" else [row[0] for row in rows]

    def clock() -> int:
        pid = None
        if dialect == "clickhouse":
            pid = database.node.process.pid
        elif dialect == "postgresql":
            pid = database.cursor.connection.info.backend_pid
        return time.process_time_ns() + (processor_ns(pid) if pid else 0)

    empty: Any = {} if dialect == "clickhouse" else []
    number = str(database.ask(Statement(f"SELECT {version}", empty))[0][0])
    by_hand = partial(write_statement, dialect=dialect, source=source)
    return Engine("to_sql", number, settings, compiled, by_hand, answer, clock)


def batches(data: Data) -> Iterator[pa.Table]:
    """Yields the rows in their order, times as milliseconds, texts as they are."""
    types = [(name, pa.int64() if name == "time" else pa.string()) for name in COLUMNS]
    for table in data.tables(BATCH):
        yield table.select(COLUMNS).cast(pa.schema(types))


@contextmanager
def postgresql() -> Iterator[PostgreSql]:
    """Opens a server."""
    with postgresql_server() as cursor:
        yield PostgreSql(cursor)


class Database(NamedTuple):
    """A database that holds the rows in a table."""

    open: Callable[[], AbstractContextManager[Any]]
    version: str  # an expression
    settings: str
    prepare: Callable[[Any], object] = lambda _: None  # once it is filled


def prepare_postgresql(database: PostgreSql) -> None:
    """Updates the statistics and keeps to one process."""
    database.cursor.execute(f"VACUUM ANALYZE {TABLE}")
    database.cursor.execute("SET max_parallel_workers_per_gather = 0")


DATABASES = {
    "SQLite": Database(
        lambda: nullcontext(Sqlite()),
        "sqlite_version()",
        "in memory, the index that ddl() writes, ANALYZE",
        lambda database: database.connection.execute("ANALYZE"),
    ),
    "DuckDB": Database(
        lambda: nullcontext(DuckDb()),
        "version()",
        "in memory, the table that ddl() writes; one thread",
    ),
    "PostgreSQL": Database(
        postgresql,
        "current_setting('server_version')",
        "the table that ddl() writes, VACUUM ANALYZE, a socket, psycopg's RawCursor, which prepares"
        " what is asked often; no parallel workers",
        prepare_postgresql,
    ),
    "ClickHouse": Database(
        clickhouse_server,
        "version()",
        "the table that ddl() writes in one part, HTTP with a connection a statement; threads as it"
        " comes",
        lambda database: database.node.ask(f"OPTIMIZE TABLE {TABLE} FINAL"),
    ),
}


@contextmanager
def in_table(name: str, data: Data, schema: Iterable[Column]) -> Iterator[Engine]:
    """Fills a table that ddl() writes, in a database that ends with its use."""
    kind = DATABASES[name]
    with kind.open() as database:
        database.create(TABLE, sluice.sql.ddl([*schema], database.dialect, TABLE))
        for batch in batches(data):
            database.insert(TABLE, batch.to_pylist())
        kind.prepare(database)
        yield sql_engine(kind.settings, database, kind.version)


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


def duckdb_file(data: Data, folder: Path) -> Engine:
    """Opens DuckDB over a Parquet file."""
    path = write_parquet(data, folder, pa.int64())
    settings = f"{IN_FILE}, times as BIGINT, as compiled statements have them; one thread"
    return sql_engine(settings, DuckDb(), "version()", f"read_parquet({literal(str(path))})")


def polars_test(clause: Clause, is_folded: bool) -> pl.Expr:
    """Writes a clause for polars; an exclusion keeps missing values."""
    column = pl.col(clause.column)
    if is_folded:  # of ASCII alone: the Kelvin sign is no k
        is_ascii = column.str.len_bytes() == column.str.len_chars()
        return (column.str.to_lowercase() == clause.values[0]) & is_ascii
    if len(clause.values) == 1:
        return column == clause.values[0]
    test = column.is_in([*clause.values])
    return (~test).fill_null(True) if clause.excludes else test


def polars_file(data: Data, folder: Path) -> Engine:
    """Returns a scan of polars."""
    path = write_parquet(data, folder, UTC_TIMES)

    def compiled(case: Case) -> pl.Expr:
        return case.compiled.to_polars(schema=pl.scan_parquet(path).collect_schema())

    def by_hand(case: Case) -> pl.Expr:
        is_folded = case.collation == "ignore_case"
        tests = [polars_test(clause, is_folded) for clause in case.query.clauses]
        if case.window:
            tests.append(pl.col("time").is_between(*case.window))
        return reduce(and_, tests)

    def answer(statement: pl.Expr, case: Case) -> Answer:
        rows = pl.scan_parquet(path).filter(statement)
        if case.form == "count":
            return int(rows.select(pl.len()).collect().item())
        page = rows.select(SHOWN).sort([name for name, _ in ORDER], descending=True)
        return page.head(case.query.limit).collect()["id"].to_list()

    settings = f"{IN_FILE}, times with a zone; lazy, its usual engine; one thread"
    return Engine("to_polars", pl.__version__, settings, compiled, by_hand, answer)


def pyarrow_test(clause: Clause, is_folded: bool) -> pc.Expression:
    """Writes a clause for pyarrow; isin() is false for missing values, which an exclusion keeps."""
    field = pc.field(clause.column)
    if len(clause.values) == 1:
        return (pc.ascii_lower(field) if is_folded else field) == clause.values[0]
    test = field.isin([*clause.values])
    return ~test if clause.excludes else test


def pyarrow_file(data: Data, folder: Path) -> Engine:
    """Returns a dataset of pyarrow."""
    pa.set_cpu_count(1)
    dataset = ds.dataset(write_parquet(data, folder, UTC_TIMES))

    def compiled(case: Case) -> pc.Expression:
        return case.compiled.to_pyarrow(schema=dataset.schema)

    def by_hand(case: Case) -> pc.Expression:
        is_folded = case.collation == "ignore_case"
        tests = [pyarrow_test(clause, is_folded) for clause in case.query.clauses]
        if case.window:
            first, last = (pa.scalar(bound, UTC_TIMES) for bound in case.window)
            tests += [pc.field("time") >= first, pc.field("time") <= last]
        return reduce(and_, tests)

    def answer(statement: pc.Expression, case: Case) -> Answer:
        if case.form == "count":
            return int(dataset.count_rows(filter=statement))
        rows = dataset.to_table([*SHOWN], filter=statement).sort_by(ORDER)
        ids: list[str] = rows.slice(0, case.query.limit)["id"].to_pylist()
        return ids

    settings = f"{IN_FILE}, times with a zone; a dataset; one thread"
    return Engine("to_pyarrow", pa.__version__, settings, compiled, by_hand, answer)


FILES = {
    "Parquet, DuckDB": duckdb_file,
    "Parquet, polars": polars_file,
    "Parquet, pyarrow": pyarrow_file,
}
ENGINES = (*FILES, *DATABASES)

# --- Cells ---------------------------------------------------------------------------------------


def cells(name: str, data: Data, folder: Path, collector: Collector) -> Iterator[Cell]:
    """Yields a cell a case for an engine."""
    cases = cases_of(data)
    schema = cases["count, 1 equality"].schema
    opened = nullcontext(FILES[name](data, folder)) if name in FILES else None
    with opened or in_table(name, data, schema) as engine:
        collector.describe(**{name: engine})

        def by(write: Callable[[Case], Any]) -> Library:
            def answer(text: str) -> Contender:
                run = partial(engine.answer, write(cases[text]), cases[text])
                return by_python(run, clock=engine.clock)

            return Library(answer=answer)

        ours, peers = by(engine.compiled), {"by hand": by(engine.by_hand)}
        for text in cases:
            yield Cell(f"{name}: {text}", engine.what, f"answer {text}", ours, peers)
