# SPDX-License-Identifier: MIT
"""The events of a folder, in memory."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from sluice._explore.events import EventsSource, rows_of
from sluice._explore.source import Work
from sluice._sluice import EventsQuery, EventStore

_SERVED = "https://localhost:8443/events"  # where `sluice serve --data` has them


class FolderSource(EventsSource):
    """A store of a folder; its present is the time of its last event, so that it never ages."""

    def __init__(self, store: EventStore, folder: Path) -> None:
        """Makes the source of a store that is loaded."""
        super().__init__(_last(store))
        self._store = store
        self._folder = folder

    def describe(self) -> dict[str, Any]:
        """What the page has to know."""
        request = {"url": _SERVED, "token": True}
        name = f"events of {self._folder}"
        return {"name": name, "plans": True, "request": request, **super().describe()}

    def page(self, query: str, work: Work) -> bytes:
        """What GET /events answers."""
        return self._store.page(self.parse(query), deadline_ms=work.left_ms())

    def count(self, query: str, work: Work) -> int:
        """How many events there are on all pages."""
        return self._store.count(self.parse(query), deadline_ms=work.left_ms())

    def explain(self, query: str, work: Work) -> str:
        """The plan of the store."""
        return self._store.explain(self.parse(query), deadline_ms=work.left_ms())


def _last(store: EventStore) -> datetime | None:
    """When the last event of all kinds was."""
    found = []
    for kind in ("clicks", "leads", "sales"):
        query = EventsQuery.parse(f"event={kind}&interval=all&end=9999-12-31&limit=1")
        found += [json.loads(row)["timestamp"] for row in rows_of(store.page(query))]
    return max(map(datetime.fromisoformat, found), default=None)
