# SPDX-License-Identifier: MIT
"""Leads in a SQLite file: creates a table, adds rows, and answers requests page by page."""

import json
import sqlite3
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import sluice
from sluice import EventsQuery

# The columns of the table; requests may use more.
HELD = {"id", "timestamp", "click.country", "click.city", "link.tagIds", "metadata"}
SCHEMA = [column for column in EventsQuery.parse("").schema if column.name in HELD]

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
INSERT = """
    INSERT INTO leads
        (id, timestamp, click_country, click_city, link_tagIds, metadata_text, metadata_num)
    VALUES (:id, :timestamp, :country, :city, :tags, :texts, :numbers)
    ON CONFLICT (id) DO NOTHING"""


class Page(NamedTuple):
    ids: list[str]
    total: int
    next: str | None  # the cursor of the next page, if there is one


class Leads:
    """A store of leads for one thread; each thread needs its own connection."""

    def __init__(self, path: str) -> None:
        self.connection = sqlite3.connect(path)
        self.connection.execute("PRAGMA journal_mode = WAL")  # readers don't wait for a writer
        [version] = self.connection.execute("PRAGMA user_version").fetchone()
        if version == 0:
            for statement in sluice.sql.ddl(SCHEMA, "sqlite", "leads"):
                self.connection.execute(statement)
            self.connection.execute("PRAGMA user_version = 1")

    def add(self, leads: Iterable[dict[str, Any]]) -> None:
        """Adds leads in one transaction; existing ones stay unchanged."""
        with self.connection:
            self.connection.executemany(INSERT, map(row_of, leads))

    def page(self, request: dict[str, Any], now: datetime) -> Page:
        """Answers a request; raises sluice.ApiError if it is invalid."""
        query = EventsQuery.parse(request, now=now)
        lacking = set(query.columns) - HELD
        if lacking:
            raise ValueError(f"this store has no {', '.join(sorted(lacking))}")
        page = query.to_sql("sqlite", "leads", select="id")
        count = query.to_sql("sqlite", "leads", form="count")
        rows = self.connection.execute(*page).fetchall()
        [total] = self.connection.execute(*count).fetchone()
        is_full = len(rows) == query.limit
        cursor = query.cursor_beside(rows[-1][1:]) if is_full else None
        return Page([row[0] for row in rows], total, cursor)


def row_of(lead: dict[str, Any]) -> dict[str, Any]:
    """Converts a lead to a row: times in milliseconds, lists and JSON as texts."""
    texts, numbers = sluice.sql.prepare(json.dumps(lead["metadata"]))
    return {
        **lead,
        "timestamp": (lead["at"] - EPOCH) // timedelta(milliseconds=1),
        "tags": json.dumps(lead["tags"]),
        "texts": json.dumps(texts),
        "numbers": json.dumps(numbers),
    }


def lead(day: int, country: str, city: str, tags: list[str], **metadata: object) -> dict[str, Any]:
    at = datetime(2026, 8, day, tzinfo=UTC)
    return {
        "id": f"lead_{day}",
        "at": at,
        "country": country,
        "city": city,
        "tags": tags,
        "metadata": metadata,
    }


store = Leads(":memory:")
store.add(
    [
        lead(1, "US", "Austin", ["tag_a"], plan="pro", seats=12),
        lead(2, "DE", "Köln", [], plan="pro", seats="8"),
        lead(3, "us", "Boston", ["tag_a", "tag_b"], plan="free"),
        lead(4, "FR", "Paris", ["tag_b"], plan="pro", seats=30),
        lead(5, "DE", "Berlin", [], plan="pro", seats=9.5),
    ]
)
now = datetime(2026, 8, 21, tzinfo=UTC)
params = {
    "event": "leads",
    "country": "US,DE",
    "query": "metadata['plan']:pro AND metadata['seats'] >= 8",
    "interval": "30d",
    "limit": 2,
}
page = store.page(params, now)
print(page.ids, "of", page.total)
page = store.page(params | {"cursor": page.next}, now)
print(page.ids, "of", page.total, page.next)
print(store.page({"event": "leads", "tagId": "-tag_b", "interval": "all"}, now).ids)
