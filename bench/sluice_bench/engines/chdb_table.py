# SPDX-License-Identifier: MIT
"""ClickHouse in this process, by chDB."""

import tempfile
from collections.abc import Callable
from pathlib import Path

import chdb
import pyarrow.feather
from chdb.session import Session

from ..arrow_data import arrow_table
from ..data import Data
from ..queries import NEWEST_FIRST, Query, parse
from .sql import test_of, where

BATCH = 1 << 20


class ChdbTable:
    """A MergeTree in (time, id) order, one part."""

    settings = (
        "MergeTree ORDER BY (time, id), LowCardinality(String) columns (Nullable where values are"
        " absent), metadata as JSON with a typed path, merged into one part; JSON by ClickHouse;"
        " max_threads = threads"
    )
    version = chdb.__version__
    reads_json = False

    def __init__(self, data: Data, threads: int) -> None:
        """Makes the table in a temporary folder; the page cache holds it."""
        self._folder = tempfile.TemporaryDirectory(prefix="sluice_bench_chdb_")
        self._session = Session(self._folder.name)
        self._settings = f"SETTINGS max_threads = {threads}"
        self._names = ["id", "time", *data.dimensions, "metadata"]
        self._optional = data.optional
        self._test = test_of(data.optional)
        self._load(data)

    def _type(self, name: str) -> str:
        return f"LowCardinality({'Nullable(String)' if name in self._optional else 'String'})"

    def _load(self, data: Data) -> None:
        types = {"id": "String", "time": "Int64"}
        types |= {name: self._type(name) for name in data.dimensions}
        types["metadata"] = "JSON(plan LowCardinality(String), seats UInt32)"
        columns = ", ".join(f'"{name}" {kind}' for name, kind in types.items())
        self._session.query(
            f"CREATE TABLE events ({columns}) ENGINE = MergeTree ORDER BY (time, id)"
        )
        file = Path(self._folder.name) / "rows.arrow"
        for begin in range(0, data.rows, BATCH):
            batch = arrow_table(data, begin, begin + BATCH).drop_columns(["plan"])
            pyarrow.feather.write_feather(batch, file, compression="uncompressed")
            self._session.query(f"INSERT INTO events SELECT * FROM file('{file}', 'Arrow')")
        file.unlink()
        self._session.query("OPTIMIZE TABLE events FINAL")

    def counter(self, query: Query) -> Callable[[], int]:
        """Counts."""
        conditions = where(query, self._test, plan="metadata.plan")
        statement = f"SELECT count() FROM events{conditions} {self._settings}"
        return lambda: int(str(self._session.query(statement, "CSV")))

    def pager(self, text: str) -> Callable[[], bytes]:
        """Parses, plans, runs and writes JSON, all in ClickHouse but the query string."""
        columns = ", ".join(f'"{name}"' for name in self._names)
        as_array = f"{self._settings}, output_format_json_array_of_rows = 1"

        def run() -> bytes:
            query = parse(text)
            conditions = where(query, self._test, plan="metadata.plan")
            tail = f"{NEWEST_FIRST} LIMIT {query.limit} OFFSET {query.offset} {as_array}"
            result = self._session.query(
                f"SELECT {columns} FROM events{conditions} {tail}", "JSONEachRow"
            )
            return bytes(result.bytes())

        return run

    def close(self) -> None:
        """Drops the database."""
        self._session.close()
        self._folder.cleanup()
