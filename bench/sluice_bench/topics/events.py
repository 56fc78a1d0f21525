# SPDX-License-Identifier: MIT
"""What is shipped, over real events of 2 KB each: the store, and whole requests by the handler."""

import asyncio
import hashlib
import json
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from ..cell import Cell, Contender, Missing, python_contender, translated
from ..context import Context, by_driver, lacks, require
from ..event_tables import write_sample, write_tables
from ..queries import Clause, Query, parse
from ..services import SERVICES, open_service
from ..services.base import EventService

Services = dict[str, EventService | Missing]

DAY_MS = 24 * 3600 * 1000
END_MS = 1_787_279_415_123
US = Clause("country", ("US",))
DESKTOP = (Clause("device", ("Desktop",)), Clause("browser", ("Chrome",)))
COUNTS = {
    "1 equality": Query((US,)),
    "3 equalities": Query((US, *DESKTOP)),
    "exclusion of 2": Query((Clause("country", ("US", "IN"), excludes=True),)),
    "1 equality in 7 days": Query((US,), END_MS - 9 * DAY_MS, END_MS - 2 * DAY_MS),
}
PAGES = {
    "10 of 1 equality": Query((US,), limit=10),
    "100 of 1 equality": Query((US,)),
    "1000 of 1 equality": Query((US,), limit=1000),
    "100 of 3 equalities": Query((US, *DESKTOP)),
    "100 in 7 days": Query((US,), END_MS - 9 * DAY_MS, END_MS - 2 * DAY_MS),
}
HEADERS = [(b"host", b"localhost"), (b"authorization", b"Bearer key")]


def text_of(query: Query) -> str:
    """A query string of GET /events: any time, where no window is named."""
    return f"interval=all&{query.text()}"


def understood(text: str) -> Query:
    """The same read without a framework."""
    return parse(text.removeprefix("interval=all&"))


def counting(service: EventService | Missing, text: str) -> Contender | Missing:
    """A count from the query string on."""
    if isinstance(service, Missing):
        return service
    return python_contender(*(lambda: service.count(understood(text)),) * 2)


def paging(service: EventService | Missing, text: str) -> Contender | Missing:
    """A page of JSON from the query string on."""
    if isinstance(service, Missing):
        return service

    def run() -> bytes:
        return service.page(understood(text))

    return python_contender(run, lambda: json.loads(run()))


async def call(app: Any, text: str) -> tuple[int, bytes]:  # noqa: ANN401
    """The status and body of a request to an ASGI application, without a server."""
    answered: list[dict[str, Any]] = []
    scope = {
        **{"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET"},
        **{"scheme": "https", "path": "/events", "raw_path": b"/events", "root_path": ""},
        **{"query_string": text.encode(), "headers": HEADERS, "state": {}},
        **{"client": ("127.0.0.1", 1), "server": ("127.0.0.1", 2)},
    }

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        answered.append(message)

    await app(scope, receive, send)
    return answered[0]["status"], b"".join(part.get("body", b"") for part in answered)


def requesting(service: EventService | Missing, text: str) -> Contender | Missing:
    """Whole requests to FastAPI over a service, in one event loop."""
    missing = lacks("fastapi") or lacks("limits")
    if missing:
        return missing
    if isinstance(service, Missing):
        return service
    from ..services.app import make_app

    app = make_app(service, {hashlib.sha256(b"key").digest()})

    async def repeat(repetitions: int) -> float:
        begin = time.perf_counter_ns()
        for _ in range(repetitions):
            await call(app, text)
        return float(time.perf_counter_ns() - begin)

    def answer() -> object:
        status, body = asyncio.run(call(app, text))
        return json.loads(body) if status == 200 else status

    return Contender(lambda repetitions: asyncio.run(repeat(repetitions)), answer)


@cache
def tables_of(context: Context) -> Path:
    """The sample of this run as tables, with its events in the driver."""
    require("sluice")
    require("pyarrow")
    require("orjson")
    sample = write_sample(context.driver, context.folder / "events", context.events)
    context.driver.ask(f"serve {sample}")
    return write_tables(sample)


def cells(context: Context) -> Iterator[Cell]:
    """Counts and pages of the store, then requests to the handler."""
    tables = tables_of(context)
    services: Services = {name: open_service(name, tables, context.threads) for name in SERVICES}
    for name, query in COUNTS.items():
        text = text_of(query)
        peers = {peer: counting(service, text) for peer, service in services.items()}
        ours = translated(by_driver(context, f"event_count {text}"), int)
        yield Cell(f"events: count, {name}", "event_store", ours, peers)
    for name, query in PAGES.items():
        text = text_of(query)
        peers = {peer: paging(service, text) for peer, service in services.items()}
        ours = translated(by_driver(context, f"event_page {text}"), json.loads)
        yield Cell(f"events: page of {name}", "event_store", ours, peers)
    for name in ("10 of 1 equality", "100 of 1 equality"):
        text = text_of(PAGES[name])
        peers = {
            f"FastAPI + {peer}": requesting(service, text) for peer, service in services.items()
        }
        ours = translated(by_driver(context, f"request {text}"), json.loads)
        yield Cell(f"request: page of {name}", "handler", ours, peers)
    unchanged = by_driver(context, f"request_unchanged {text_of(PAGES['100 of 1 equality'])}")
    yield Cell("request: 304", "handler", replace(unchanged, answer=lambda: None), {})
