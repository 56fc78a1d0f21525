# SPDX-License-Identifier: MIT
"""The shipped store and whole requests by the handler, over sample events of 2 KB each.

Peers hold what a page of `GET /events` shows of a click as text in three pieces, so that an engine
only fetches and joins them, which is the best that can be done for it:

    {"event":"click",...,"link":      head, of the click
    {"id":"link_1",...}               json, of the link
    ,"click_id":...}                  tail, of the click
"""

import asyncio
import json
import time
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from .context import Context
from .data import END_MS, Clause, Query, parse
from .measuring import Cell, Contender, Missing, Peer, by_python, call_asgi, lacks
from .services import FILTERED, KEY, SERVICES, EventService, make_app, open_service

DAY_MS = 24 * 3600 * 1000
PAGE = 1_000  # events
US = Clause("country", ("US",))
DESKTOP = (Clause("device", ("Desktop",)), Clause("browser", ("Chrome",)))
COUNTS = {
    "1 equality": Query((US,)),
    "3 equalities": Query((US, *DESKTOP)),
    "1 equality in 7 days": Query((US,), END_MS - 9 * DAY_MS, END_MS - 2 * DAY_MS),
}
PAGES = {"10 of 1 equality": Query((US,), limit=10), "100 of 1 equality": Query((US,))}
AUTHORIZED = (b"authorization", b"Bearer key")
ANY_TIME = "interval=all&"


def counting(service: EventService | Missing, text: str) -> Peer:
    """Counts from the query string on, read without a framework."""
    if isinstance(service, Missing):
        return service
    return by_python(lambda: service.count(parse(text.removeprefix(ANY_TIME))))


def paging(service: EventService | Missing, text: str) -> Peer:
    """Makes a page of JSON from the query string on."""
    if isinstance(service, Missing):
        return service

    def run() -> bytes:
        return service.page(parse(text.removeprefix(ANY_TIME)))

    return by_python(run, lambda: json.loads(run()))


def requesting(service: EventService | Missing, text: str) -> Peer:
    """Makes whole requests to FastAPI over a service, in one event loop."""
    missing = lacks("fastapi") or lacks("limits")
    if missing or isinstance(service, Missing):
        return missing or service
    app = make_app(service, {KEY})

    async def repeat(repetitions: int) -> float:
        begin = time.perf_counter_ns()
        for _ in range(repetitions):
            await call_asgi(app, "/events", text, AUTHORIZED)
        return float(time.perf_counter_ns() - begin)

    def answer() -> object:
        status, _, body = asyncio.run(call_asgi(app, "/events", text, AUTHORIZED))
        return json.loads(body) if status == 200 else status

    return Contender(lambda repetitions: asyncio.run(repeat(repetitions)), answer)


@cache
def tables_of(context: Context) -> Path:
    """Writes the clicks of a sample as tables, beside it; the driver serves its events."""
    import pyarrow as pa
    from pyarrow import parquet

    sample = context.folder / "events"
    context.write_sample(sample)
    context.driver.ask(f"serve {sample}")
    links: dict[str, tuple[int, str]] = {}
    rows = pa.concat_tables([clicks_of(page, links) for page in pages_of(sample)])
    rows = rows.sort_by([("time", "ascending"), ("id", "ascending")])
    parquet.write_table(rows, sample / "clicks.parquet")
    table = pa.table({"link": range(len(links)), "json": [text for _, text in links.values()]})
    parquet.write_table(table, sample / "links.parquet")
    return sample


def pages_of(sample: Path) -> Iterator[list[dict[str, Any]]]:
    """Yields all clicks of a sample, as pages of the store."""
    import sluice

    store = sluice.EventStore.load(sample)
    number = 1
    query = f"interval=all&sortOrder=asc&limit={PAGE}"
    while page := json.loads(store.page(sluice.EventsQuery.parse(f"{query}&page={number}"))):
        yield page
        number += 1


def clicks_of(page: list[dict[str, Any]], links: dict[str, tuple[int, str]]) -> Any:  # noqa: ANN401
    """Returns a page as rows of the table; links that are new get the next number."""
    import orjson
    import pyarrow as pa

    rows = []
    for event in page:
        names = list(event)
        at = names.index("link")
        head = orjson.dumps({name: event[name] for name in names[:at]})
        tail = orjson.dumps({name: event[name] for name in names[at + 1 :]})
        link = event["link"]
        known = links.setdefault(link["id"], (len(links), orjson.dumps(link).decode()))
        click = event["click"]
        rows.append(
            {
                "time": int(datetime.fromisoformat(event["timestamp"]).timestamp() * 1000 + 0.5),
                "id": click["id"],
                **{name: click[name] for name in FILTERED},
                "link": known[0],
                "head": head[:-1].decode() + ',"link":',
                "tail": "," + tail[1:].decode(),
            }
        )
    return pa.Table.from_pylist(rows)


def cells(context: Context) -> Iterator[Cell]:
    """Yields counts and pages of the store, then requests to the handler."""
    tables = tables_of(context)
    services = {name: open_service(name, tables, context.threads) for name in SERVICES}
    for name, query in COUNTS.items():
        text = ANY_TIME + query.text()
        peers = {peer: counting(service, text) for peer, service in services.items()}
        ours = context.driver.contender(f"event_count {text}", int)
        yield Cell(f"events: count, {name}", "event_store", ours, peers)
    for name, query in PAGES.items():
        text = ANY_TIME + query.text()
        peers = {peer: paging(service, text) for peer, service in services.items()}
        ours = context.driver.contender(f"event_page {text}", json.loads)
        yield Cell(f"events: page of {name}", "event_store", ours, peers)
    for name, query in PAGES.items():
        text = ANY_TIME + query.text()
        peers = {
            f"FastAPI + {peer}": requesting(service, text) for peer, service in services.items()
        }
        ours = context.driver.contender(f"request {text}", json.loads)
        yield Cell(f"request: page of {name}", "handler", ours, peers)
