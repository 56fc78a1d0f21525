# SPDX-License-Identifier: MIT
"""The rows that all engines hold: as Arrow data, as Parquet files, and in databases' own tables."""

import urllib.request
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pyarrow as pa
from clickhouse_nodes import Node
from pyarrow import parquet
from sql_engines import ClickHouse, DuckDb, PostgreSql, Sqlite

import sluice
from sluice import Column

from ..arrow_data import arrow_table
from ..data import Data
from .questions import COLUMNS

TABLE = "events"
ROW_GROUP = 100_000  # rows
IN_FILE = f"row groups of {ROW_GROUP:,} rows in the order of their times, texts plain"
BATCH = 1 << 18


def batches(data: Data) -> Iterator[pa.Table]:
    """The rows in their order, times as milliseconds, texts as they are."""
    for begin in range(0, data.rows, BATCH):
        batch = arrow_table(data, begin, begin + BATCH).select(COLUMNS)
        types = [(name, pa.int64() if name == "time" else pa.string()) for name in COLUMNS]
        yield batch.cast(pa.schema(types))


def write_parquet(data: Data, folder: Path, time: pa.DataType) -> Path:
    """A file of all rows, in the order of their times, which are of a type."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{data.rows}-{time.id}.parquet"
    if path.exists():
        return path
    rows = pa.concat_tables(batches(data))
    rows = rows.set_column(1, "time", rows["time"].cast(time))
    unfinished = path.with_suffix(".part")
    parquet.write_table(rows, unfinished, row_group_size=ROW_GROUP)
    return unfinished.rename(path)


def tuples(batch: pa.Table) -> Iterator[tuple[Any, ...]]:
    """Rows of a batch."""
    return zip(*(column.to_pylist() for column in batch.columns), strict=True)


def fill_sqlite(database: Sqlite, data: Data) -> None:
    """By one statement for all rows of a batch."""
    places = ", ".join("?" * len(COLUMNS))
    for batch in batches(data):
        database.connection.executemany(f"INSERT INTO {TABLE} VALUES ({places})", tuples(batch))
    database.connection.execute("ANALYZE")


def fill_duckdb(database: DuckDb, data: Data) -> None:
    """From Arrow data."""
    for batch in batches(data):
        database.connection.register("batch", batch)
        database.connection.execute(f"INSERT INTO {TABLE} SELECT * FROM batch")
        database.connection.unregister("batch")


def fill_postgresql(database: PostgreSql, data: Data) -> None:
    """By COPY."""
    cursor: Any = database.cursor
    with cursor.copy(f"COPY {TABLE} FROM STDIN") as copy:
        for batch in batches(data):
            for row in tuples(batch):
                copy.write_row(row)
    cursor.execute(f"VACUUM ANALYZE {TABLE}")
    cursor.execute("SET max_parallel_workers_per_gather = 0")


def post(node: Node, statement: str, body: bytes = b"") -> bytes:
    """What a node of ClickHouse answers to a statement with data."""
    place = f"http://127.0.0.1:{node.http}/?{urlencode({'query': statement})}"
    with urllib.request.urlopen(urllib.request.Request(place, body), timeout=600) as answer:
        found: bytes = answer.read()
        return found


def fill_clickhouse(database: ClickHouse, data: Data) -> None:
    """As Arrow data, into one part."""
    for batch in batches(data):
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as writer:
            writer.write_table(batch)
        statement = f"INSERT INTO {TABLE} FORMAT ArrowStream"
        post(database.node, statement, sink.getvalue().to_pybytes())
    database.node.ask(f"OPTIMIZE TABLE {TABLE} FINAL")


FILLS: dict[str, Callable[[Any, Data], None]] = {
    "sqlite": fill_sqlite,
    "duckdb": fill_duckdb,
    "postgresql": fill_postgresql,
    "clickhouse": fill_clickhouse,
}


def fill(database: Any, data: Data, schema: Sequence[Column]) -> None:  # noqa: ANN401
    """Makes the table that ddl() writes, and puts all rows into it."""
    database.create(TABLE, sluice.sql.ddl(schema, database.dialect, TABLE))
    FILLS[database.dialect](database, data)
