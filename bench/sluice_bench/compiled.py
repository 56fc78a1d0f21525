# SPDX-License-Identifier: MIT
"""Queries as sluice compiles them and as users write them, in engines that hold the rows."""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial, reduce
from itertools import count
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
from .queries import KEY, WEEK

Answer: TypeAlias = int | list[str]  # a count, or the ids of a page

COLUMNS = ("id", "time", *(dimension.name for dimension in FEW_DIMENSIONS))
SHOWN = ("id", "time", "country", "device", "url")  # what a page has of a row
ORDER = [("time", "descending"), ("id", "descending")]
DIALECTS = ("sqlite", "duckdb", "postgresql", "clickhouse")
TABLE, ROW_GROUP, BATCH, LIMIT = "events", 100_000, 10_000, 100
UTC_TIMES = pa.timestamp("ms", "UTC")

# --- Conditions, and the cases that consist of them ----------------------------------------------


class Condition(NamedTuple):
    """A condition for sluice, and by hand: in SQL with ? for values, for polars and for pyarrow."""

    tree: dict[str, Any]
    sql: dict[str, str]  # by dialect
    values: list[Any]
    polars: pl.Expr
    pyarrow: pc.Expression


def equals(name: str, value: str) -> Condition:
    """Returns the equality of a column with a value."""
    sql = dict.fromkeys(DIALECTS, f"{name} = ?")
    tree = {"column": name, "any_of": [value]}
    return Condition(tree, sql, [value], pl.col(name) == value, pc.field(name) == value)


def equals_folded(name: str, value: str) -> Condition:
    """Returns an equality that ignores the case of ASCII; lower() takes the Kelvin sign for k."""
    sql = dict.fromkeys(DIALECTS, f"lower({name}) = ?")
    sql |= {
        "sqlite": f"{name} COLLATE NOCASE = ?",
        "duckdb": f"lower({name}) = ? AND strlen({name}) = length({name})",
    }
    column, tree = pl.col(name), {"column": name, "any_of": [value]}
    is_ascii = column.str.len_bytes() == column.str.len_chars()
    polars = (column.str.to_lowercase() == value) & is_ascii
    return Condition(tree, sql, [value], polars, pc.ascii_lower(pc.field(name)) == value)


def any_of(name: str, values: list[str]) -> Condition:
    """Returns the condition that a column has one of some values."""
    sql = dict.fromkeys(DIALECTS, f"{name} IN ({', '.join('?' * len(values))})")
    tree = {"column": name, "any_of": values}
    return Condition(tree, sql, values, pl.col(name).is_in(values), pc.field(name).isin(values))


def none_of(name: str, values: list[str]) -> Condition:
    """Returns the opposite; missing values meet it."""
    met = any_of(name, values)
    places = ", ".join("?" * len(values))
    sql = dict.fromkeys(DIALECTS, f"({name} NOT IN ({places}) OR {name} IS NULL)")
    tree = {"column": name, "none_of": values}
    return Condition(tree, sql, values, (~met.polars).fill_null(True), ~met.pyarrow)


def in_week() -> Condition:
    """Returns the condition of seven days."""
    first, last = (datetime.fromtimestamp(ms / 1000, UTC) for ms in WEEK)
    sql, field = dict.fromkeys(DIALECTS, "time >= ? AND time <= ?"), pc.field("time")
    tree = {"column": "time", "gte": first.isoformat(), "lte": last.isoformat()}
    pyarrow = (field >= pa.scalar(first, UTC_TIMES)) & (field <= pa.scalar(last, UTC_TIMES))
    return Condition(tree, sql, [*WEEK], pl.col("time").is_between(first, last), pyarrow)


@dataclass(frozen=True)
class Case:
    """A query, of which the rows of a page or their count are wanted."""

    form: Literal["page", "count"]
    conditions: list[Condition]
    collation: Literal["exact", "ignore_case"] = "exact"

    @property
    def schema(self) -> list[Column]:
        """The columns of the rows."""
        texts = (
            Column(dimension.name, is_nullable=dimension.is_optional, collation=self.collation)
            for dimension in FEW_DIMENSIONS
        )
        return [Column("id"), Column("time", "time"), *texts]

    @property
    def compiled(self) -> sluice.ListQuery:
        """The query of sluice."""
        tests = [condition.tree for condition in self.conditions]
        order = [{"column": name, "direction": "desc"} for name, _ in ORDER]
        tree = {"where": {"all": tests}, "order": order, "page": {"number": 1, "size": LIMIT}}
        return sluice.ListQuery.from_tree(tree, self.schema)


def cases_of(data: Data) -> dict[str, Case]:
    """Returns all counts, then all pages."""
    country, *others = (equals(name, data.frequent(name)) for name in KEY)
    folded = equals_folded("country", data.frequent("country"))
    countries = any_of("country", [data.frequent("country", rank) for rank in (1, 3, 5, 7)])
    sources = none_of("utm_source", [data.frequent("utm_source", rank) for rank in (1, 2)])
    rare = equals("url", data.rare("url", 1e-6))
    return {
        "count, 1 equality": Case("count", [country]),
        "count, IN of 4": Case("count", [countries]),
        "count, exclusion of 2": Case("count", [sources]),
        "count, 3 equalities in 7 of 90 days": Case("count", [country, *others, in_week()]),
        "count, 1 equality, ignoring case": Case("count", [folded], "ignore_case"),
        "page, 100 of 1 equality": Case("page", [country]),
        "page, 100 of a rare value": Case("page", [rare]),
        "page, 100 in 7 of 90 days": Case("page", [country, in_week()]),
        "page, 100 of 1 equality, ignoring case": Case("page", [folded], "ignore_case"),
    }


class Engine(NamedTuple):
    """Writes a case as sluice compiles it and as users do, and answers what is written."""

    what: str  # the interface of sluice
    version: str
    compiled: Callable[[Case], Any]
    by_hand: Callable[[Case], Any]
    answer: Callable[[Any, Case], Answer]
    clock: Clock = time.process_time_ns


# --- SQL -----------------------------------------------------------------------------------------


def write_statement(case: Case, dialect: str, source: str) -> Statement:
    """Writes a statement whose values are bound, as they differ from request to request."""
    tests = " AND ".join(condition.sql[dialect] for condition in case.conditions)
    values = [value for condition in case.conditions for value in condition.values]
    shown, tail = "count(*)", ""
    if case.form == "page":
        shown, tail = ", ".join(SHOWN), " ORDER BY time DESC, id DESC LIMIT ? OFFSET ?"
        values += [LIMIT, 0]
    text, numbers = f"SELECT {shown} FROM {source} WHERE {tests}{tail}", count(1)
    if dialect == "postgresql":
        text = re.sub(r"\?", lambda _: f"${next(numbers)}", text)
    if dialect == "clickhouse":
        kinds = iter("String" if isinstance(value, str) else "Int64" for value in values)
        text = re.sub(r"\?", lambda _: f"{{p{next(numbers)}:{next(kinds)}}}", text)
        return Statement(text, {f"p{number}": value for number, value in enumerate(values, 1)})
    return Statement(text, values)


def sql_engine(database: Any, source: str = TABLE) -> Engine:  # noqa: ANN401
    """Returns a database that is filled; its time is the client's and its server's."""
    dialect = database.dialect
    options = {"columns": None if source == TABLE else {}, "select": ", ".join(SHOWN)}

    def compiled(case: Case) -> Statement:
        # A page by its number has no use for the sort keys of its rows.
        return case.compiled.to_sql(dialect, source, form=case.form, keys=False, **options)

    def answer(statement: Statement, case: Case) -> Answer:
        rows = database.ask(statement)
        return int(rows[0][0]) if case.form == "count" else [row[0] for row in rows]

    def clock() -> int:
        spent = time.process_time_ns()
        if dialect == "clickhouse":
            spent += processor_ns(database.node.process.pid)
        elif dialect == "postgresql":
            spent += processor_ns(database.cursor.connection.info.backend_pid)
        return spent

    version = "sqlite_version()" if dialect == "sqlite" else "version()"
    empty: Any = {} if dialect == "clickhouse" else []
    number = str(database.ask(Statement(f"SELECT {version}", empty))[0][0])
    by_hand = partial(write_statement, dialect=dialect, source=source)
    return Engine("to_sql", number, compiled, by_hand, answer, clock)


@contextmanager
def postgresql() -> Iterator[PostgreSql]:
    """Opens a server that answers in one process."""
    with postgresql_server() as cursor:
        cursor.execute("SET max_parallel_workers_per_gather = 0")
        yield PostgreSql(cursor)


# How a database is opened, and prepared once its table is filled.
DATABASES: dict[str, tuple[Callable[[], AbstractContextManager[Any]], Callable[[Any], object]]] = {
    "SQLite": (lambda: nullcontext(Sqlite()), lambda db: db.connection.execute("ANALYZE")),
    "DuckDB": (lambda: nullcontext(DuckDb()), lambda db: None),
    "PostgreSQL": (postgresql, lambda db: db.cursor.execute(f"VACUUM ANALYZE {TABLE}")),
    "ClickHouse": (clickhouse_server, lambda db: db.node.ask(f"OPTIMIZE TABLE {TABLE} FINAL")),
}


@contextmanager
def in_table(name: str, data: Data, schema: list[Column]) -> Iterator[Engine]:
    """Fills a table that ddl() writes, in a database that ends with its use."""
    open_database, prepare = DATABASES[name]
    with open_database() as database:
        database.create(TABLE, sluice.sql.ddl(schema, database.dialect, TABLE))
        for batch in batches(data):
            database.insert(TABLE, batch.to_pylist())
        prepare(database)
        yield sql_engine(database)


# --- Files ---------------------------------------------------------------------------------------


def batches(data: Data) -> Iterator[pa.Table]:
    """Yields the rows in their order, times as milliseconds, texts as they are."""
    types = [(name, pa.int64() if name == "time" else pa.string()) for name in COLUMNS]
    for table in data.tables(BATCH):
        yield table.select(COLUMNS).cast(pa.schema(types))


def write_parquet(data: Data, time: pa.DataType) -> Path:
    """Writes a file of all rows in the order of their times, which are of a type."""
    path = data.folder / f"{time.id}.parquet"
    if not path.exists():
        rows = pa.concat_tables(batches(data))
        rows = rows.set_column(1, "time", rows["time"].cast(time))
        parquet.write_table(rows, path.with_suffix(".part"), row_group_size=ROW_GROUP)
        path.with_suffix(".part").rename(path)
    return path


def duckdb_file(data: Data) -> Engine:
    """Opens DuckDB over a file whose times are numbers, as compiled statements have them."""
    return sql_engine(DuckDb(), f"read_parquet('{write_parquet(data, pa.int64())}')")


def polars_file(data: Data) -> Engine:
    """Returns a lazy scan of polars."""
    file = pl.scan_parquet(write_parquet(data, UTC_TIMES))
    schema, keys = file.collect_schema(), [name for name, _ in ORDER]

    def answer(statement: pl.Expr, case: Case) -> Answer:
        rows = file.filter(statement)
        if case.form == "count":
            return int(rows.select(pl.len()).collect().item())
        page = rows.select(SHOWN).sort(keys, descending=True).head(LIMIT)
        return page.collect()["id"].to_list()

    return Engine(
        "to_polars",
        pl.__version__,
        lambda case: case.compiled.to_polars(schema=schema),
        lambda case: reduce(and_, (condition.polars for condition in case.conditions)),
        answer,
    )


def pyarrow_file(data: Data) -> Engine:
    """Returns a dataset of pyarrow, which answers on one thread."""
    pa.set_cpu_count(1)
    dataset = ds.dataset(write_parquet(data, UTC_TIMES))

    def answer(statement: pc.Expression, case: Case) -> Answer:
        if case.form == "count":
            return int(dataset.count_rows(filter=statement))
        rows = dataset.to_table([*SHOWN], filter=statement).sort_by(ORDER)
        ids: list[str] = rows.slice(0, LIMIT)["id"].to_pylist()
        return ids

    return Engine(
        "to_pyarrow",
        pa.__version__,
        lambda case: case.compiled.to_pyarrow(schema=dataset.schema),
        lambda case: reduce(and_, (condition.pyarrow for condition in case.conditions)),
        answer,
    )


FILES = {
    "Parquet, DuckDB": duckdb_file,
    "Parquet, polars": polars_file,
    "Parquet, pyarrow": pyarrow_file,
}
ENGINES = (*FILES, *DATABASES)

# --- Cells ---------------------------------------------------------------------------------------


def cells(name: str, data: Data, collector: Collector) -> Iterator[Cell]:
    """Yields a cell a case for an engine."""
    cases = cases_of(data)
    opened = nullcontext(FILES[name](data)) if name in FILES else None
    with opened or in_table(name, data, cases["count, 1 equality"].schema) as engine:
        collector.versions[name] = engine.version

        def by(write: Callable[[Case], Any]) -> Library:
            def answer(text: str) -> Contender:
                run = partial(engine.answer, write(cases[text]), cases[text])
                return by_python(run, clock=engine.clock)

            return Library(answer=answer)

        ours, peers = by(engine.compiled), {"by hand": by(engine.by_hand)}
        for text in cases:
            yield Cell(f"{name}: {text}", engine.what, f"answer {text}", ours, peers)
