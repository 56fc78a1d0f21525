# SPDX-License-Identifier: MIT
"""The query plan of the event store, before and after a query has run."""

import tempfile
from datetime import UTC, datetime

import sluice

now = datetime(2026, 8, 21, 2, 30, tzinfo=UTC)
with tempfile.TemporaryDirectory() as folder:
    sluice.write_sample(folder, events=100_000, now=now)
    store = sluice.EventStore.load(folder)
query = sluice.EventsQuery.parse("interval=30d&country=US&device=-Mobile", now=now)
print(store.explain(query))
print(store.analyze(query))
