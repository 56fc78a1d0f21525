# SPDX-License-Identifier: MIT
"""SQLite in memory."""

import sqlite3
from pathlib import Path

from ..event_tables import FILTERED
from ..queries import Query
from .base import count_statement, joined, page_statement


class SqliteEvents:
    """Rows whose numbers are the page order, with an index a column."""

    settings = (
        ":memory:, rows inserted in (time, id) order so that rowid is the page order, indexes on"
        " time and on each filtered column, ANALYZE, JSON as ready text, links joined after the"
        " page is found, statements cached by the module; one thread"
    )
    version = sqlite3.sqlite_version

    def __init__(self, tables: Path, threads: int) -> None:
        """Makes the tables."""
        self._connection = sqlite3.connect(":memory:", isolation_level=None)
        filtered = ", ".join(f'"{name}"' for name in FILTERED)
        self._fill(tables / "clicks.parquet", f"time, id, {filtered}, link, head, tail")
        self._fill(tables / "links.parquet", "link INTEGER PRIMARY KEY, json")
        for name in ("time", *FILTERED):
            self._connection.execute(f'CREATE INDEX "clicks_{name}" ON clicks ("{name}")')
        self._connection.execute("ANALYZE")

    def _fill(self, file: Path, columns: str) -> None:
        from pyarrow import parquet

        run = self._connection.execute
        run(f"CREATE TABLE {file.stem} ({columns})")
        run("BEGIN")
        for batch in parquet.ParquetFile(file).iter_batches():
            rows = zip(*(column.to_pylist() for column in batch.columns), strict=True)
            places = ", ".join("?" * batch.num_columns)
            self._connection.executemany(f"INSERT INTO {file.stem} VALUES ({places})", rows)
        run("COMMIT")

    def count(self, query: Query) -> int:
        """One statement."""
        return int(self._connection.execute(count_statement(query)).fetchone()[0])

    def page(self, query: Query) -> bytes:
        """The rows of the greatest numbers, then the links."""
        order = "rowid" if query.is_unbounded else "time, rowid"
        return joined(self._connection.execute(page_statement(query, order)))
