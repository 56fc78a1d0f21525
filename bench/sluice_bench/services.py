# SPDX-License-Identifier: MIT
"""A subset of GET /events as one writes it in Python: clicks, filters, window, page.

DuckDB or SQLite hold the tables of events.py; FastAPI, pydantic and limits serve them. Run as a
module, it serves over TLS by uvicorn:

    python -m sluice_bench.services DuckDB TABLES CERTIFICATE KEY
"""

import hashlib
import socket
import sqlite3
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import duckdb
import fastapi
import limits
import uvicorn
from fastapi import Depends, FastAPI, Header, HTTPException, Request, Response
from limits.storage import MemoryStorage
from limits.strategies import SlidingWindowCounterRateLimiter
from pyarrow import parquet
from pydantic import ValidationError

from .measuring import About, Library, Run
from .models import parse_by_pydantic
from .queries import Clause, Query, parse, where

FILTERED = ("country", "city", "continent", "device", "browser", "os", "trigger", "referer")
KEY = hashlib.sha256(b"key").digest()
LIMIT = 100_000_000  # a minute: never reached here


class EventService(Library):
    """Holds the clicks and links of a folder in memory; `settings` say how."""

    version: str
    settings: str
    order = window_order = "time, id"  # of a page without and with a window
    _run: Any  # executes a statement

    def event_count(self, text: str) -> Run:
        """Counts clicks, from the query string on."""

        def run() -> int:
            statement = f"SELECT count(*) FROM clicks{where(parse(text))}"
            return int(self._run(statement).fetchone()[0])

        return run

    def event_page(self, text: str) -> Run:
        """Makes a page of JSON, from the query string on."""
        return lambda: self.page(parse(text))

    def page(self, query: Query) -> bytes:
        """Returns a page as JSON; its clicks are found before links are joined."""
        columns = (self.order if query.start is None else self.window_order).split(", ")
        rows = (
            f"SELECT head, tail, link, {', '.join(columns)} FROM clicks{where(query)}"
            f" ORDER BY {', '.join(f'{name} DESC' for name in columns)}"
            f" LIMIT {query.limit} OFFSET {query.offset}"
        )
        ordered = ", ".join(f"page.{name} DESC" for name in columns)
        pieces: Iterable[tuple[str, str, str]] = self._run(
            f"SELECT head, json, tail FROM ({rows}) AS page JOIN links USING (link)"
            f" ORDER BY {ordered}"
        ).fetchall()
        return f"[{','.join(head + link + tail for head, link, tail in pieces)}]".encode()


class DuckdbEvents(EventService):
    """ENUM columns in time order."""

    version = duckdb.__version__
    settings = (
        "ENUM columns, rows in time order so that zone maps skip, JSON as ready text, links joined"
        " after the page is found; threads = threads"
    )

    def __init__(self, tables: Path, threads: int) -> None:
        """Makes the tables."""
        self._run = run = duckdb.connect(":memory:", config={"threads": threads}).execute
        clicks = f"read_parquet('{tables / 'clicks.parquet'}')"
        for name in FILTERED:
            run(f'CREATE TYPE "{name}_values" AS ENUM (SELECT DISTINCT "{name}" FROM {clicks})')
        casts = ", ".join(f'"{name}"::"{name}_values" AS "{name}"' for name in FILTERED)
        run(f"CREATE TABLE clicks AS SELECT time, id, {casts}, link, head, tail FROM {clicks}")
        run(f"CREATE TABLE links AS FROM read_parquet('{tables / 'links.parquet'}')")


class SqliteEvents(EventService):
    """Rows whose numbers are the page order, with an index a column."""

    version = sqlite3.sqlite_version
    settings = (
        ":memory:, rows inserted in (time, id) order so that rowid is the page order, indexes on"
        " time and on each filtered column, ANALYZE, JSON as ready text, links joined after the"
        " page is found, statements cached by the module; one thread"
    )
    order = "rowid"
    window_order = "time, rowid"

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


SERVICES = {"DuckDB": DuckdbEvents, "SQLite": SqliteEvents}
FASTAPI = About(
    fastapi.__version__,
    "asynchronous endpoint and dependencies, pydantic for the parameters, limits in memory,"
    " SHA-256 of key and page; served by uvicorn with uvloop and httptools, one worker, no"
    " access log",
)


def milliseconds(moment: datetime | None) -> int | None:
    """Returns a time since 1970; a naive one is UTC."""
    if moment is None:
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return int(aware.timestamp() * 1000)


def make_app(service: EventService, keys: set[bytes]) -> FastAPI:
    """Makes the application; `keys` are the SHA-256 of bearer tokens."""
    app = FastAPI(openapi_url=None)
    limiter = SlidingWindowCounterRateLimiter(MemoryStorage())
    item = limits.RateLimitItemPerMinute(LIMIT)

    async def parameters(request: Request) -> Query:
        try:
            query = parse_by_pydantic(request.url.query)
        except ValidationError as error:
            details = error.errors(include_url=False, include_context=False)
            raise HTTPException(422, details) from None
        values = {name: getattr(query, name) for name in FILTERED}
        clauses = [Clause(name, v.values, v.excludes) for name, v in values.items() if v]
        start, end = milliseconds(query.start), milliseconds(query.end)
        return Query(tuple(clauses), start, end, page=query.page, limit=query.limit)

    async def admitted(authorization: Annotated[str, Header()] = "") -> dict[str, str]:
        key = hashlib.sha256(authorization.removeprefix("Bearer ").encode()).digest()
        if key not in keys:
            raise HTTPException(401)
        if not limiter.hit(item, key.hex()):
            raise HTTPException(429)
        reset, remaining = limiter.get_window_stats(item, key.hex())
        return {
            "x-ratelimit-limit": str(LIMIT),
            "x-ratelimit-remaining": str(remaining),
            "x-ratelimit-reset": str(int(reset)),
        }

    @app.get("/events")
    async def events(
        query: Annotated[Query, Depends(parameters)],
        headers: Annotated[dict[str, str], Depends(admitted)],
        if_none_match: Annotated[str, Header()] = "",
    ) -> Response:
        body = service.page(query)
        etag = f'"{hashlib.sha256(body).hexdigest()}"'
        if etag == if_none_match:
            return Response(status_code=304, headers=headers | {"etag": etag})
        return Response(body, headers=headers | {"etag": etag}, media_type="application/json")

    return app


def main(name: str, tables: str, certificate: str, key: str, *_: str) -> None:
    """Serves over TLS by uvicorn, on a free port; prints what sluice's servers print."""
    listener = socket.create_server(("127.0.0.1", 0))
    app = make_app(SERVICES[name](Path(tables), 1), {KEY})
    print(f"certificate: {certificate}, self-signed")
    print(f"serving: https://127.0.0.1:{listener.getsockname()[1]} until Ctrl-C", flush=True)
    files = {"ssl_certfile": certificate, "ssl_keyfile": key}
    quiet = {"access_log": False, "log_level": "warning"}
    server = uvicorn.Server(uvicorn.Config(app, loop="uvloop", http="httptools", **files, **quiet))
    server.run(sockets=[listener])


if __name__ == "__main__":
    main(*sys.argv[1:])
