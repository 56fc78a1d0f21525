# SPDX-License-Identifier: MIT
"""The events of a folder, in memory."""

import hashlib
import json
import secrets
from datetime import datetime
from pathlib import Path
from typing import Any

from sluice._explore.events import EventsSource, rows_of
from sluice._explore.source import RefusedError, Work
from sluice._sluice import EventsQuery, EventStore, Handler

_UNLIMITED = 10_000_000
_SERVED = "https://localhost:8443/events"  # the URL of `sluice serve --data`


class FolderSource(EventsSource):
    """The store of a folder; its current time is that of its last event, so that it never ages."""

    def __init__(self, store: EventStore, folder: Path) -> None:
        """Creates the source of a loaded store."""
        super().__init__(_last(store))
        self._store = store
        self._folder = folder
        self._token = secrets.token_urlsafe()  # of the handler, which nobody else sends requests to
        key = {
            "sha256": hashlib.sha256(self._token.encode()).hexdigest(),
            "workspaceId": store.workspace_id,
            "plan": "enterprise",
            "permissions": ["analytics.read"],
            "limits": {"per_minute": _UNLIMITED, "analytics_per_second": _UNLIMITED},
        }
        self._handler = Handler(store, [key])

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

    def analytics(self, query: str, work: Work) -> bytes:
        """Returns the answer of GET /analytics."""
        work.left_ms()  # raises GoneError
        answer = self._handler.handle(
            "GET",
            f"/analytics?{query}",
            {"authorization": f"Bearer {self._token}"},
            now=self.now,
            cancellation=work.cancellation,
        )
        if answer.status != 200:
            raise RefusedError(answer.status, answer.body, answer.headers.get("retry-after"))
        return answer.body

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
