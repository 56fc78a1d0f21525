# SPDX-License-Identifier: MIT
"""The service with events in ClickHouse: creates tables, loads data and answers a request."""

import os
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import clickhouse_connect

from sluice.api import EventStore, Handler, clickhouse_tables, load_clickhouse, write_sample

client = clickhouse_connect.get_client(
    dsn=os.environ.get("CLICKHOUSE", "http://localhost:8123/default"),
    autogenerate_session_id=False,  # for several threads at once
)


def run(text: str, parameters: dict[str, Any]) -> bytes | None:
    """Runs a statement: does all I/O. Return None for a failure; the handler then answers 500."""
    return client.raw_query(text, parameters or None, {"wait_end_of_query": 1})


now = datetime(2026, 8, 21, 2, 30, tzinfo=UTC)
with tempfile.TemporaryDirectory() as folder:
    write_sample(Path(folder), 1_000, seed=1, now=now)
    store = EventStore.load(folder)
for statement in clickhouse_tables():
    run(statement, {})
print(load_clickhouse(store, run)["added"], load_clickhouse(store, run)["added"])

key = {
    "sha256": "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b",  # of "secret"
    "workspaceId": "ws_default",
    "plan": "business",
    "permissions": ["analytics.read"],
}
handler = Handler(EventStore(), [key], run=run)
target = "/events?event=sales&interval=all&limit=2&count=true"
answer = handler.handle("GET", target, {"authorization": "Bearer secret"}, now=now)
same = Handler(store, [key]).handle("GET", target, {"authorization": "Bearer secret"}, now=now)
print(answer.status, answer.headers["x-total-count"], answer.body == same.body)
