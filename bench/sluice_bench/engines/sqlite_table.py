# SPDX-License-Identifier: MIT
"""SQLite in memory."""

import sqlite3
from collections.abc import Callable, Iterator

from ..data import Data
from ..queries import Query, parse
from .rendering import render_tuples
from .sql import test_of, where

BATCH = 1 << 17


class SqliteTable:
    """A table whose row numbers are the page order."""

    settings = (
        ":memory:, rows inserted in (time, id) order so that rowid is the page order, index on"
        " time, texts in the rows, plan as a column; prepared statements (cached by the module);"
        " no index a dimension, since 24 of them are more than the table; one thread"
    )
    version = sqlite3.sqlite_version
    reads_json = True

    def __init__(self, data: Data, threads: int) -> None:
        """Makes the table."""
        self._connection = sqlite3.connect(":memory:", isolation_level=None)
        self._names = ["id", "time", *data.dimensions, "metadata"]
        self._test = test_of(data.optional)
        names = ["id", "time", *data.codes]
        run = self._connection.execute
        columns = ", ".join(f'"{name}"' for name in names)
        run(f"CREATE TABLE events ({columns})")
        places = ", ".join("?" * len(names))
        run("BEGIN")
        self._connection.executemany(f"INSERT INTO events VALUES ({places})", rows_of(data))
        run("COMMIT")
        run("CREATE INDEX events_time ON events (time)")
        run("ANALYZE")

    def counter(self, query: Query) -> Callable[[], int]:
        """Runs a statement that the module keeps prepared."""
        plan = "json_extract(metadata, '$.plan')" if query.raw else "plan"
        statement = f"SELECT count(*) FROM events{where(query, self._test, plan)}"
        return lambda: int(self._connection.execute(statement).fetchone()[0])

    def pager(self, text: str) -> Callable[[], bytes]:
        """Walks the table from its end."""
        columns = ", ".join(f'"{name}"' for name in self._names)

        def run() -> bytes:
            query = parse(text)
            in_window = query.start is not None or query.end is not None
            order = "time DESC, rowid DESC" if in_window else "rowid DESC"
            tail = f"ORDER BY {order} LIMIT {query.limit} OFFSET {query.offset}"
            rows = self._connection.execute(
                f"SELECT {columns} FROM events{where(query, self._test)} {tail}"
            )
            return render_tuples(self._names, rows)

        return run

    def close(self) -> None:
        """Drops the database."""
        self._connection.close()


def rows_of(data: Data) -> Iterator[tuple[object, ...]]:
    """The rows as tuples of texts."""
    texts = {name: [None, *all_texts] for name, all_texts in data.texts.items()}
    for begin in range(0, data.rows, BATCH):
        end = min(begin + BATCH, data.rows)
        columns: list[list[object]] = [
            data.id_bytes(begin, end).view("S19").ravel().astype("U19").tolist(),
            data.times[begin:end].tolist(),
        ]
        for name, codes in data.codes.items():
            known = texts[name]
            columns.append([known[code] for code in codes[begin:end].tolist()])
        yield from zip(*columns, strict=True)
