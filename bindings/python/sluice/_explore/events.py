# SPDX-License-Identifier: MIT
"""Sources of events, queried like GET /events."""

import json
from datetime import datetime
from typing import Any, NamedTuple, NoReturn

from sluice._explore.source import (
    NO_HISTOGRAM,
    TOP,
    Histogram,
    Work,
    format_ms,
    histogram_of,
    refuse_column,
    to_ms,
)
from sluice._sluice import EventsQuery, parse_query_string

_PAGE = frozenset(("page", "limit", "cursor", "count"))  # set by the explorer itself
_WINDOW = frozenset(("interval", "start", "end"))

# The parameters of GET /events that GET /analytics lacks.
_LIST = _PAGE | {"sortOrder", "sortBy", "order"}


class _Shown(NamedTuple):
    """A displayed column, and the parameter that filters it."""

    filtered_by: str | None = None
    group_by: str = ""  # of GET /analytics; empty: none
    field: str = ""  # of its rows: the value
    place: tuple[str, ...] = ()  # more fields, of which the value is a part


_COLUMNS = {
    "timestamp": _Shown(),
    "click.country": _Shown("country", "countries", "country"),
    "click.city": _Shown("city", "cities", "city", ("region", "country")),
    "click.device": _Shown("device", "devices", "device"),
    "click.browser": _Shown("browser", "browsers", "browser"),
    "click.os": _Shown("os", "os", "os"),
    "click.trigger": _Shown("trigger", "triggers", "trigger"),
    "click.referer": _Shown("referer", "referers", "referer"),
    "click.url": _Shown("url", "top_urls", "url"),
    "link.domain": _Shown("domain", "top_domains", "domain"),
    "link.key": _Shown(None, "top_links", "key", ("domain",)),
    "eventName": _Shown(),
    "sale.amount": _Shown(),
    "customer.id": _Shown("customerId"),
    "customer.name": _Shown(),
}
# The conditions on a column without a parameter of its own, or on more than that.
_CONDITIONS = {"link.key": ("key",), "link.domain": ("domain", "key")}


class EventsSource:
    """Events by pages and counts; subclasses provide the data."""

    def __init__(self, now: datetime | None) -> None:
        """Creates a source with a fixed current time `now`, or that of the clock."""
        self.now = now

    def page(self, query: str, work: Work) -> bytes:
        """Returns the answer of GET /events."""
        raise NotImplementedError

    def count(self, query: str, work: Work) -> int:
        """Returns the number of events on all pages."""
        raise NotImplementedError

    def analytics(self, query: str, work: Work) -> bytes:
        """Returns the answer of GET /analytics."""
        raise NotImplementedError

    def describe(self) -> dict[str, Any]:
        """Returns the description that all sources of events share."""
        return {
            "kind": "events",
            "now": to_ms(self.now) if self.now else None,
            "columns": list(_COLUMNS),
            "filters": {name: of.filtered_by for name, of in _COLUMNS.items() if of.filtered_by},
            "time": "timestamp",
            "tops": [name for name, of in _COLUMNS.items() if of.group_by],
        }

    def rows(self, query: str, offset: int, limit: int, work: Work) -> str:
        """Returns events from the one or two pages that contain them, unchanged."""
        number, skipped = divmod(offset, limit)
        conditions = without(query, _PAGE)
        rows = rows_of(self.page(also(conditions, f"limit={limit}&page={number + 1}"), work))
        if skipped and len(rows) == limit:
            rows += rows_of(self.page(also(conditions, f"limit={limit}&page={number + 2}"), work))
        return f"[{','.join(rows[skipped : skipped + limit])}]"

    def histogram(self, query: str, work: Work) -> Histogram:
        """Returns the time series of GET /analytics over the window."""
        conditions = without(query, _LIST)
        window = self.parse(conditions)
        start, end = window.start, window.end
        if start is None:
            extent = self._extent(window.event, work)
            start, end = (extent[0], min(end, extent[1])) if extent else (None, end)
        if start is None or start > end:
            return NO_HISTOGRAM
        span = to_ms(start), to_ms(end)
        bounds = f"start={format_ms(span[0])}&end={format_ms(span[1])}&groupBy=timeseries"
        rows = self._groups(also(without(conditions, _WINDOW), bounds), work)
        buckets = [(to_ms(datetime.fromisoformat(row["start"])), row[window.event]) for row in rows]
        return histogram_of(buckets, *span)

    def top(self, query: str, column: str, work: Work) -> list[dict[str, Any]]:
        """Returns the groups of GET /analytics with the most events."""
        shown = _COLUMNS.get(column, _Shown())
        if not shown.group_by:
            refuse_column(column)
        tested = _CONDITIONS.get(column, (shown.filtered_by or "",))
        conditions = without(query, _LIST | {*tested})
        event = self.parse(conditions).event
        rows = self._groups(also(conditions, f"groupBy={shown.group_by}"), work)
        rows.sort(key=lambda row: -row[event])  # sales come by their amounts
        return [
            {"value": row[shown.field], "count": row[event]}
            | ({"place": ", ".join(row[name] for name in shown.place)} if shown.place else {})
            for row in rows[:TOP]
        ]

    def _groups(self, query: str, work: Work) -> list[dict[str, Any]]:
        """Returns the rows of GET /analytics."""
        return [json.loads(row) for row in rows_of(self.analytics(query, work))]

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
