# SPDX-License-Identifier: MIT
"""Sample events of 2 KB each: the reference store beside databases.

Peers hold what a page of `GET /events` shows of a click as text in three pieces, so that an engine
only fetches and joins them, which is the best that can be done for it:

    {"event":"click",...,"link":      head, of the click
    {"id":"link_1",...}               json, of the link
    ,"click_id":...}                  tail, of the click
"""

import json
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
from pyarrow import parquet

import sluice

from .context import Context
from .measuring import Cell
from .queries import WEEK, Clause, Query
from .services import FILTERED, SERVICES

PAGE = 1_000  # events
US = Clause("country", ("US",))
DESKTOP = (Clause("device", ("Desktop",)), Clause("browser", ("Chrome",)))
COUNTS = {
    "1 equality": Query((US,)),
    "3 equalities": Query((US, *DESKTOP)),
    "1 equality in 7 days": Query((US,), *WEEK),
}
PAGES = {"10 of 1 equality": Query((US,), limit=10), "100 of 1 equality": Query((US,))}
ANY_TIME = "interval=all&"


@cache
def tables_of(context: Context) -> Path:
    """Writes the clicks of a sample as tables, beside it; the driver serves its events."""
    sample = context.sample
    context.driver.ask(f"serve {sample}")
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
    number, query = 1, f"interval=all&sortOrder=asc&limit={PAGE}"
    while page := json.loads(store.page(sluice.EventsQuery.parse(f"{query}&page={number}"))):
        yield page
        number += 1


def row_of(event: dict[str, Any], links: dict[str, tuple[int, str]]) -> dict[str, Any]:
    """Returns a click as a row of the table; a link that is new gets the next number."""
    names, click, link = list(event), event["click"], event["link"]
    at = names.index("link")
    head = orjson.dumps({name: event[name] for name in names[:at]})
    tail = orjson.dumps({name: event[name] for name in names[at + 1 :]})
    number, _ = links.setdefault(link["id"], (len(links), orjson.dumps(link).decode()))
    return {
        "time": int(datetime.fromisoformat(event["timestamp"]).timestamp() * 1000 + 0.5),
        "id": click["id"],
        **{name: click[name] for name in FILTERED},
        "link": number,
        "head": head[:-1].decode() + ',"link":',
        "tail": "," + tail[1:].decode(),
    }


def cells(context: Context) -> Iterator[Cell]:
    """Yields counts and pages of the store."""
    tables = tables_of(context)
    peers = {name: kind(tables, context.threads) for name, kind in SERVICES.items()}
    context.collector.describe(**{f"{name}, events": peer for name, peer in peers.items()})
    for name, operation, queries, read in (
        ("events: count,", "event_count", COUNTS, int),
        ("events: page of", "event_page", PAGES, json.loads),
    ):
        for task, query in queries.items():
            text = f"{operation} {ANY_TIME}{query.text()}"
            yield Cell(f"{name} {task}", "event_store", text, context.driver, peers, read)
