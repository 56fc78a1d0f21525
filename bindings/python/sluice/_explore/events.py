# SPDX-License-Identifier: MIT
"""Sources of events, which are asked as GET /events is."""

import itertools
import json
from datetime import datetime
from typing import Any, NoReturn

from sluice._explore.source import Histogram, Work, bucket_starts, from_ms, to_ms
from sluice._sluice import EventsQuery, parse_query_string

_PAGE = frozenset(("page", "limit", "cursor", "count"))  # which the explorer itself asks for
_WINDOW = frozenset(("interval", "start", "end"))

# The cells that are shown, and the parameter that each is filtered by.
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
    """Events by pages and counts; where those come from is a subclass's."""

    most_buckets = 200

    def __init__(self, now: datetime | None) -> None:
        """Makes a source whose times count from `now`, or else from the clock."""
        self.now = now

    def page(self, query: str, work: Work) -> bytes:
        """The answer to GET /events."""
        raise NotImplementedError

    def count(self, query: str, work: Work) -> int:
        """How many events there are on all pages."""
        raise NotImplementedError

    def describe(self) -> dict[str, Any]:
        """What all sources of events say of themselves."""
        return {
            "kind": "events",
            "now": to_ms(self.now) if self.now else None,
            "columns": list(_COLUMNS),
            "filters": {column: name for column, name in _COLUMNS.items() if name},
            "time": "timestamp",
            "buckets": self.most_buckets,
        }

    def rows(self, query: str, offset: int, limit: int, work: Work) -> str:
        """Events of the one or two pages that have them, written as they are there."""
        number, skipped = divmod(offset, limit)
        asked = without(query, _PAGE)
        rows = rows_of(self.page(also(asked, f"limit={limit}&page={number + 1}"), work))
        if skipped and len(rows) == limit:
            rows += rows_of(self.page(also(asked, f"limit={limit}&page={number + 2}"), work))
        return f"[{','.join(rows[skipped : skipped + limit])}]"

    def histogram(self, query: str, buckets: int, work: Work) -> Histogram:
        """A count for each part of the window."""
        asked = without(query, _PAGE)
        window = self.parse(asked)
        start, end = window.start, window.end
        if start is None:
            found = self._extent(window.event, work)
            start, end = (found[0], min(end, found[1])) if found else (None, end)
        if start is None or start > end:
            return Histogram(None, None, [])
        span = to_ms(start), to_ms(end)
        asked = without(asked, _WINDOW)
        starts = bucket_starts(*span, buckets)
        counts = [
            self.count(also(asked, f"start={_time(first)}&end={_time(after - 1)}"), work)
            for first, after in itertools.pairwise(starts)
        ]
        return Histogram(*span, counts)

    def parse(self, query: str) -> EventsQuery:
        """The query that a query string is."""
        return EventsQuery.parse(query, now=self.now)

    def _extent(self, event: str, work: Work) -> list[datetime]:
        """When the first and the last event of a kind were; nothing where there is none."""
        asked = f"event={event}&interval=all&limit=1&sortOrder="
        rows = [row for order in ("asc", "desc") for row in rows_of(self.page(asked + order, work))]
        return [datetime.fromisoformat(json.loads(row)["timestamp"]) for row in rows]


def also(query: str, more: str) -> str:
    """A query string with more parameters."""
    return f"{query}&{more}" if query else more


def without(query: str, names: frozenset[str]) -> str:
    """A query string without the parameters of some names; the others stay as they are."""
    parts = query.removeprefix("?").split("&")
    pairs = [(part, parse_query_string(part)) for part in parts]
    return "&".join(part for part, pair in pairs if not pair or pair[0][0] not in names)


def rows_of(page: bytes) -> list[str]:
    """The texts of the items of a JSON array.

    Raises:
        ValueError: It is none.
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
    raise ValueError(f"{name} is no JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def _time(milliseconds: int) -> str:
    return f"{from_ms(milliseconds):%Y-%m-%dT%H:%M:%S.%f}"[:-3] + "Z"
