# SPDX-License-Identifier: MIT
"""Sample events of 2 KB each: the reference store beside databases in memory.

Databases hold what a page of `GET /events` shows of a click as text in three pieces, so that they
only fetch and join them, which is the best that can be done for them:

    {"event":"click",...,"link":      head, of the click
    {"id":"link_1",...}               json, of the link
    ,"click_id":...}                  tail, of the click
"""

import json
import sqlite3
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import orjson
import pyarrow as pa
from pyarrow import parquet

import sluice

from .context import Context
from .measuring import Cell, Library, Run
from .queries import WEEK, Clause, Query, parse, where

FILTERED = ("country", "city", "continent", "device", "browser", "os", "trigger", "referer")
US = Clause("country", ("US",))
DESKTOP = (Clause("device", ("Desktop",)), Clause("browser", ("Chrome",)))
COUNTS = {
    "1 equality": Query((US,)),
    "3 equalities": Query((US, *DESKTOP)),
    "1 equality in 7 days": Query((US,), *WEEK),
}
PAGES = {"10 of 1 equality": Query((US,), limit=10), "100 of 1 equality": Query((US,))}
ANY_TIME = "interval=all&"

# --- Tables --------------------------------------------------------------------------------------


@cache
def tables_of(sample: Path) -> Path:
    """Writes the clicks of a sample as tables, beside it."""
    links: dict[str, tuple[int, str]] = {}
    pages = ([row_of(click, links) for click in page] for page in pages_of(sample))
    rows = pa.concat_tables(map(pa.Table.from_pylist, pages))
    rows = rows.sort_by([("time", "ascending"), ("id", "ascending")])
    parquet.write_table(rows, sample / "clicks.parquet")
    table = pa.table({"link": range(len(links)), "json": [text for _, text in links.values()]})
    parquet.write_table(table, sample / "links.parquet")
    return sample


def pages_of(sample: Path) -> Iterator[list[dict[str, Any]]]:
    """Yields all clicks of a sample, as pages of the store."""
    store = sluice.EventStore.load(sample)
    number, query = 1, "interval=all&sortOrder=asc&limit=1000"
    while page := json.loads(store.page(sluice.EventsQuery.parse(f"{query}&page={number}"))):
        yield page
        number += 1


def row_of(event: dict[str, Any], links: dict[str, tuple[int, str]]) -> dict[str, Any]:
    """Returns a click as a row of the table; a link that is new gets the next number."""
    link = orjson.dumps(event["link"]).decode()
    head, _, tail = orjson.dumps(event).decode().partition(link)
    number, _ = links.setdefault(event["link"]["id"], (len(links), link))
    return {
        "time": int(datetime.fromisoformat(event["timestamp"]).timestamp() * 1000 + 0.5),
        "id": event["click"]["id"],
        **{name: event["click"][name] for name in FILTERED},
        **{"link": number, "head": head, "tail": tail},
    }


@cache
def clicks_of(sample: Path) -> Path:
    """Makes a folder of a sample's clicks and the records that they refer to, beside it."""
    folder = sample / "clicks"
    folder.mkdir(exist_ok=True)
    for file in sample.glob("*.ndjson"):
        is_outcome = file.name in {"leads.ndjson", "sales.ndjson"}
        (folder / file.name).write_bytes(b"" if is_outcome else file.read_bytes())
    return folder


# --- Databases -----------------------------------------------------------------------------------


class EventDatabase(Library):
    """The clicks and links of a folder, in memory; all begins with the query string."""

    order = window_order = ("time", "id")  # of a page without and with a window
    _run: Any  # executes a statement

    def _load(self, clicks: Path) -> None:
        raise NotImplementedError

    def event_load(self, folder: str) -> Run:
        """Reads the clicks of a folder of NDJSON into a new table."""

        def run() -> int:
            self._run("DROP TABLE IF EXISTS loaded")
            self._load(Path(folder) / "clicks.ndjson")
            return int(self._run("SELECT count(*) FROM loaded").fetchone()[0])

        return run

    def event_count(self, text: str) -> Run:
        """Counts clicks."""

        def run() -> int:
            statement = f"SELECT count(*) FROM clicks{where(parse(text))}"
            return int(self._run(statement).fetchone()[0])

        return run

    def event_page(self, text: str) -> Run:
        """Makes a page of JSON."""
        return lambda: self.page(parse(text))

    def page(self, query: Query) -> bytes:
        """Returns a page as JSON; its clicks are found before links are joined."""
        keys = self.order if query.start is None else self.window_order
        rows = (
            f"SELECT head, tail, link, {', '.join(keys)} FROM clicks{where(query)}"
            f" ORDER BY {', '.join(f'{name} DESC' for name in keys)}"
            f" LIMIT {query.limit} OFFSET {(query.page - 1) * query.limit}"
        )
        pieces = self._run(
            f"SELECT head, json, tail FROM ({rows}) AS page JOIN links USING (link)"
            f" ORDER BY {', '.join(f'page.{name} DESC' for name in keys)}"
        ).fetchall()
        return f"[{','.join(map(''.join, pieces))}]".encode()


class DuckdbEvents(EventDatabase):
    """ENUM columns, rows in time order so that zone maps skip."""

    def __init__(self, tables: Path, threads: int) -> None:
        """Makes the tables."""
        self._run = run = duckdb.connect(":memory:", config={"threads": threads}).execute
        clicks = f"read_parquet('{tables / 'clicks.parquet'}')"
        for name in FILTERED:
            run(f'CREATE TYPE "{name}_values" AS ENUM (SELECT DISTINCT "{name}" FROM {clicks})')
        casts = ", ".join(f'"{name}"::"{name}_values" AS "{name}"' for name in FILTERED)
        run(f"CREATE TABLE clicks AS SELECT time, id, {casts}, link, head, tail FROM {clicks}")
        run(f"CREATE TABLE links AS FROM read_parquet('{tables / 'links.parquet'}')")

    def _load(self, clicks: Path) -> None:
        source = f"read_json('{clicks}', format='newline_delimited')"
        self._run(f"CREATE TABLE loaded AS FROM {source}")


class SqliteEvents(EventDatabase):
    """Rows whose numbers are the page order, with an index a column; one thread."""

    order, window_order = ("rowid",), ("time", "rowid")

    def __init__(self, tables: Path, threads: int) -> None:
        """Makes the tables."""
        self._connection = sqlite3.connect(":memory:", isolation_level=None)
        self._run = self._connection.execute
        filtered = ", ".join(f'"{name}"' for name in FILTERED)
        self._fill(tables / "clicks.parquet", f"time, id, {filtered}, link, head, tail")
        self._fill(tables / "links.parquet", "link INTEGER PRIMARY KEY, json")
        for name in ("time", *FILTERED):
            self._run(f'CREATE INDEX "clicks_{name}" ON clicks ("{name}")')
        self._run("ANALYZE")

    def _fill(self, file: Path, columns: str) -> None:
        self._run(f"CREATE TABLE {file.stem} ({columns})")
        self._run("BEGIN")
        for batch in parquet.ParquetFile(file).iter_batches():
            rows = zip(*(column.to_pylist() for column in batch.columns), strict=True)
            places = ", ".join("?" * batch.num_columns)
            self._connection.executemany(f"INSERT INTO {file.stem} VALUES ({places})", rows)
        self._run("COMMIT")

    def _load(self, clicks: Path) -> None:
        fields = ("id", "timestamp", "linkId", "url", "refererUrl", "qr", "ip", *FILTERED)
        values = ", ".join(f"json_extract(line, '$.{name}')" for name in fields)
        self._run(f"CREATE TABLE loaded ({', '.join(fields)}, UNIQUE (id))")
        self._run("BEGIN")
        with clicks.open() as lines:
            insert = f"INSERT INTO loaded SELECT {values} FROM (SELECT ? AS line)"
            self._connection.executemany(insert, ((line,) for line in lines))
        self._run("COMMIT")


DATABASES = {"DuckDB": DuckdbEvents, "SQLite": SqliteEvents}

# --- Cells ---------------------------------------------------------------------------------------


def cells(context: Context) -> Iterator[Cell]:
    """Yields a load into the store, and its counts and pages."""
    context.driver.ask(f"answer serve {context.sample}")
    tables = tables_of(context.sample)
    peers = {name: kind(tables, context.threads) for name, kind in DATABASES.items()}
    context.collector.versions |= {"DuckDB": duckdb.__version__, "SQLite": sqlite3.sqlite_version}
    load = f"event_load {clicks_of(context.sample)}"
    yield Cell("events: load of clicks", "event_store", load, context.driver, peers, int)
    for name, operation, queries, read in (
        ("events: count,", "event_count", COUNTS, int),
        ("events: page of", "event_page", PAGES, json.loads),
    ):
        for task, query in queries.items():
            text = f"{operation} {ANY_TIME}{query.text()}"
            yield Cell(f"{name} {task}", "event_store", text, context.driver, peers, read)
