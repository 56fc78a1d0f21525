# SPDX-License-Identifier: MIT
"""DuckDB in memory."""

from pathlib import Path

import duckdb

from ..event_tables import FILTERED
from ..queries import Query
from .base import count_statement, joined, page_statement


class DuckdbEvents:
    """ENUM columns in time order."""

    settings = (
        "ENUM columns, rows in time order so that zone maps skip, JSON as ready text, links joined"
        " after the page is found; threads = threads"
    )
    version = duckdb.__version__

    def __init__(self, tables: Path, threads: int) -> None:
        """Makes the tables."""
        self._connection = duckdb.connect(":memory:", config={"threads": threads})
        run = self._connection.execute
        clicks = f"read_parquet('{tables / 'clicks.parquet'}')"
        for name in FILTERED:
            run(f'CREATE TYPE "{name}_values" AS ENUM (SELECT DISTINCT "{name}" FROM {clicks})')
        casts = ", ".join(f'"{name}"::"{name}_values" AS "{name}"' for name in FILTERED)
        run(f"CREATE TABLE clicks AS SELECT time, id, {casts}, link, head, tail FROM {clicks}")
        run(f"CREATE TABLE links AS FROM read_parquet('{tables / 'links.parquet'}')")

    def count(self, query: Query) -> int:
        """One statement."""
        row = self._connection.execute(count_statement(query)).fetchone()
        assert row is not None
        return int(row[0])

    def page(self, query: Query) -> bytes:
        """Top-N, then the links."""
        return joined(self._connection.execute(page_statement(query, "time, id")).fetchall())
