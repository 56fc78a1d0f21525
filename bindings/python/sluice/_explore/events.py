# SPDX-License-Identifier: MIT
"""Sources of events, queried like GET /events."""

import itertools
import json
from datetime import datetime
from typing import Any, NoReturn

from sluice._explore.source import Histogram, Work, bucket_starts, from_ms, to_ms
from sluice._sluice import EventsQuery, parse_query_string

_PAGE = frozenset(("page", "limit", "cursor", "count"))  # set by the explorer itself
_WINDOW = frozenset(("interval", "start", "end"))

# The displayed cells, and the parameter that filters each.
_COLUMNS = {
    "timestamp": None,
    "click.country": "country",
    "click.city": "city",
    "click.device": "device",
    "click.browser": "browser",
    "click.os": "os",
    "click.trigger": "trigger",
    "click.referer": "referer",
    "click.url": "url",
    "link.domain": "domain",
    "link.key": None,
    "eventName": None,
    "sale.amount": None,
    "customer.id": "customerId",
    "customer.name": None,
}


class EventsSource:
    """Events by pages and counts; subclasses provide the data."""

    most_buckets = 200

    def __init__(self, now: datetime | None) -> None:
        """Creates a source with a fixed current time `now`, or that of the clock."""
        self.now = now

    def page(self, query: str, work: Work) -> bytes:
        """Returns the answer of GET /events."""
        raise NotImplementedError

    def count(self, query: str, work: Work) -> int:
        """Returns the number of events on all pages."""
        raise NotImplementedError

    def describe(self) -> dict[str, Any]:
        """Returns the description that all sources of events share."""
        return {
            "kind": "events",
            "now": to_ms(self.now) if self.now else None,
            "columns": list(_COLUMNS),
            "filters": {column: name for column, name in _COLUMNS.items() if name},
            "time": "timestamp",
            "buckets": self.most_buckets,
        }

    def rows(self, query: str, offset: int, limit: int, work: Work) -> str:
        """Returns events from the one or two pages that contain them, unchanged."""
        number, skipped = divmod(offset, limit)
        conditions = without(query, _PAGE)
        rows = rows_of(self.page(also(conditions, f"limit={limit}&page={number + 1}"), work))
        if skipped and len(rows) == limit:
            rows += rows_of(self.page(also(conditions, f"limit={limit}&page={number + 2}"), work))
        return f"[{','.join(rows[skipped : skipped + limit])}]"

    def histogram(self, query: str, buckets: int, work: Work) -> Histogram:
        """Returns a count for each part of the window."""
        conditions = without(query, _PAGE)
        window = self.parse(conditions)
        start, end = window.start, window.end
        if start is None:
            extent = self._extent(window.event, work)
            start, end = (extent[0], min(end, extent[1])) if extent else (None, end)
        if start is None or start > end:
            return Histogram(None, None, [])
        span = to_ms(start), to_ms(end)
        conditions = without(conditions, _WINDOW)
        starts = bucket_starts(*span, buckets)
        counts = [
            self.count(also(conditions, f"start={_time(first)}&end={_time(after - 1)}"), work)
            for first, after in itertools.pairwise(starts)
        ]
        return Histogram(*span, counts)

    def parse(self, query: str) -> EventsQuery:
        """Parses a query string."""
        return EventsQuery.parse(query, now=self.now)

    def _extent(self, event: str, work: Work) -> list[datetime]:
        """Returns the times of the first and the last event of a kind; empty without events."""
        conditions = f"event={event}&interval=all&limit=1&sortOrder="
        rows = [
            row for order in ("asc", "desc") for row in rows_of(self.page(conditions + order, work))
        ]
        return [datetime.fromisoformat(json.loads(row)["timestamp"]) for row in rows]


def also(query: str, more: str) -> str:
    """Appends parameters to a query string."""
    return f"{query}&{more}" if query else more


def without(query: str, names: frozenset[str]) -> str:
    """Removes the parameters of some names from a query string; others stay unchanged."""
    parts = query.removeprefix("?").split("&")
    pairs = [(part, parse_query_string(part)) for part in parts]
    return "&".join(part for part, pair in pairs if not pair or pair[0][0] not in names)


def rows_of(page: bytes) -> list[str]:
    """Returns the texts of the items of a JSON array, unchanged.

    Raises:
        ValueError: The text isn't a JSON array.
    """
    text = page.decode()
    at, rows = _after_space(text, 0), []
    if text[at : at + 1] != "[":
        raise ValueError("expected a JSON array")
    at = _after_space(text, at + 1)
    while text[at : at + 1] != "]":
        _, end = _DECODER.raw_decode(text, at)
        rows.append(text[at:end])
        at = _after_space(text, end)
        if text[at : at + 1] == ",":
            at = _after_space(text, at + 1)
        elif text[at : at + 1] != "]":
            raise ValueError("expected , or ] in a JSON array")
    return rows


def _after_space(text: str, at: int) -> int:
    while text[at : at + 1] in (" ", "\t", "\r", "\n"):
        at += 1
    return at


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} isn't JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def _time(milliseconds: int) -> str:
    """Returns a time since 1970 as RFC 3339 text."""
    return f"{from_ms(milliseconds):%Y-%m-%dT%H:%M:%S.%f}"[:-3] + "Z"
