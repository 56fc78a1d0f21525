# SPDX-License-Identifier: MIT
"""The events of a folder, in memory."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from sluice._explore.events import EventsSource, rows_of
from sluice._explore.source import Work
from sluice._sluice import EventsQuery, EventStore

_SERVED = "https://localhost:8443/events"  # the URL of `sluice serve --data`


class FolderSource(EventsSource):
    """The store of a folder; its current time is that of its last event, so that it never ages."""

    def __init__(self, store: EventStore, folder: Path) -> None:
        """Creates the source of a loaded store."""
        super().__init__(_last(store))
        self._store = store
        self._folder = folder

    def describe(self) -> dict[str, Any]:
        """Returns the description for the page."""
        request = {"url": _SERVED, "token": True}
        name = f"events of {self._folder}"
        return {"name": name, "plans": True, "request": request, **super().describe()}

    def page(self, query: str, work: Work) -> bytes:
        """Returns the answer of GET /events."""
        return self._store.page(self.parse(query), deadline_ms=work.left_ms())

    def count(self, query: str, work: Work) -> int:
        """Returns the number of events on all pages."""
        return self._store.count(self.parse(query), deadline_ms=work.left_ms())

    def explain(self, query: str, work: Work) -> str:
        """Returns the query plan of the store."""
        return self._store.explain(self.parse(query), deadline_ms=work.left_ms())


def _last(store: EventStore) -> datetime | None:
    """Returns the time of the last event of any kind."""
    timestamps = []
    for kind in ("clicks", "leads", "sales"):
        query = EventsQuery.parse(f"event={kind}&interval=all&end=9999-12-31&limit=1")
        timestamps += [json.loads(row)["timestamp"] for row in rows_of(store.page(query))]
    return max(map(datetime.fromisoformat, timestamps), default=None)
