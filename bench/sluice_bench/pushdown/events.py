# SPDX-License-Identifier: MIT
"""A page of the events of a store in ClickHouse, as `GET /events` asks for it."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

from clickhouse_nodes import Node
from sql_engines import clickhouse_server

from sluice._clickhouse import ClickHouse, Place
from sluice.api import EventStore, Handler, clickhouse_tables

from ..cell import Cell, Contender, Missing, python_contender
from ..servers import KEY
from .rows import post

NAME = "ClickHouse, events"
BATCH = 1_000_000
NOW = datetime(2026, 8, 21, tzinfo=UTC)
DAYS = 90  # until now, in which events are
DEADLINE = 60.0  # seconds for a statement
# What is asked, and the same as a user of ClickHouse writes it.
QUESTIONS = {
    "1 equality": ("country=US", "lower(click_country) = 'us'"),
    "3 equalities": (
        "country=US&device=Desktop&browser=Chrome",
        "lower(click_country) = 'us' AND lower(click_device) = 'desktop'"
        " AND lower(click_browser) = 'chrome'",
    ),
    "1 equality in 7 days": (
        "country=US&start=2026-08-10T00:00:00Z&end=2026-08-17T00:00:00Z",
        "lower(click_country) = 'us' AND timestamp >= 1786320000000 AND timestamp <= 1786924800000",
    ),
}
# How the statement begins that tells whether a client has the answer already.
OF_ENTITY_TAG = "SELECT count(), sum(added)"
# A fifth of the events is of the first country; a row's JSON is as long as that of a real click.
ROWS = """
INSERT INTO events
    (workspace, kind, timestamp, id, click_country, click_device, click_browser, json)
WITH cityHash64(number) AS draw,
    ['US', 'DE', 'FR', 'JP', 'BR'][1 + draw % 5] AS country,
    ['Desktop', 'Mobile', 'Tablet'][1 + intDiv(draw, 5) % 3] AS device,
    ['Chrome', 'Safari', 'Firefox', 'Edge'][1 + intDiv(draw, 15) % 4] AS browser,
    concat('ev_', lower(hex(draw))) AS name
SELECT 'ws_default', 'clicks', {last:Int64} - intDiv({span:Int64} * number, {rows:Int64}), name,
    country, device, browser,
    concat('{"event":"click","click":{"id":"', name, '","country":"', country, '","device":"',
           device, '","browser":"', browser, '"},"link":"', repeat(hex(draw % 1000), 35), '"}')
FROM numbers({first:Int64}, {count:Int64})
"""


def fill(node: Node, run: ClickHouse, rows: int) -> None:
    """Makes the store's tables and generates events in the server."""
    for statement in clickhouse_tables():
        run.run(statement)
    last = round(NOW.timestamp() * 1_000)
    whole = {"last": last, "span": DAYS * 86_400_000, "rows": rows}
    for first in range(0, rows, BATCH):
        run.run(ROWS, {**whole, "first": first, "count": min(BATCH, rows - first)})
    post(node, "OPTIMIZE TABLE events FINAL")


class Recorder:
    """A runner that keeps what the store asks."""

    def __init__(self, run: ClickHouse) -> None:
        """Has asked nothing yet."""
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self._run = run

    def __call__(self, text: str, parameters: dict[str, Any]) -> bytes | None:
        """What the server answers."""
        self.asked.append((text, parameters))
        return self._run(text, parameters)


def rows_of(answer: bytes) -> list[Any]:
    """What a statement found."""
    found: list[Any] = json.loads(answer)["data"]
    return found


def asking(run: ClickHouse, *statements: tuple[str, dict[str, Any]]) -> Contender:
    """A contender that asks the server; its answer is the rows of the last statement."""
    ask = lambda: [run.run(*each) for each in statements]  # noqa: E731
    return python_contender(ask, lambda: rows_of(ask()[-1]))


def page_of(handler: Handler, target: str) -> Callable[[], bytes]:
    """What the handler of a service answers to a request."""

    def run() -> bytes:
        answer = handler.handle("GET", target, {"authorization": "Bearer key"}, now=NOW)
        if answer.status != 200:
            raise RuntimeError(answer.body.decode())
        return answer.body

    return run


def statement_by_hand(condition: str, settings: str) -> str:
    """The statement of a page, and of the row that tells whether there is another."""
    return (
        "SELECT json, timestamp, id FROM events FINAL WHERE workspace = 'ws_default'"
        f" AND kind = 'clicks' AND {condition} ORDER BY timestamp DESC, id DESC LIMIT 101{settings}"
    )


def cells_of(run: ClickHouse, name: str, query: str, condition: str) -> Iterator[Cell]:
    """The statement of a page beside one that is written by hand, and the whole request."""
    recorder = Recorder(run)
    handler = Handler(EventStore(), [KEY], run=recorder)
    request = page_of(handler, f"/events?interval=all&{query}")
    request()
    # A page that its first versions don't fill takes more statements than one.
    page = [asked for asked in recorder.asked if not asked[0].startswith(OF_ENTITY_TAG)]
    text, _ = page[0]
    by_hand = statement_by_hand(condition, text[text.index(" SETTINGS ") :])
    peers: dict[str, Contender | Missing] = {"by hand": asking(run, (by_hand, {}))}
    yield Cell(f"{NAME}: page of 100, {name}", "event_store", asking(run, *page), peers)
    yield Cell(f"{NAME}: GET /events, {name}", "handler", python_contender(request, request))


def cells(rows: int) -> Iterator[Cell]:
    """All questions, of a server of its own."""
    with clickhouse_server() as server:
        run = ClickHouse(Place((("127.0.0.1", server.node.http),)), DEADLINE)
        fill(server.node, run, rows)
        for name, (query, condition) in QUESTIONS.items():
            yield from cells_of(run, name, query, condition)
