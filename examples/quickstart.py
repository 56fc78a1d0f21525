# SPDX-License-Identifier: MIT
"""The Python quick start: parse, limit, and page through events."""

import json
import tempfile
from datetime import UTC, datetime

import sluice

# An advanced filter: includes or excludes a list of values.
wanted = sluice.Filter.parse("-US,CA")
print(wanted.matches("FR"), wanted.matches("US"), wanted.mask(["FR", "CA", None]))

# An error names its rule and the position of the wrong bytes.
try:
    sluice.EventsQuery.parse("country=US,-CA")
except sluice.ApiError as error:
    print(error.status, error.rule, error.param, error.offset, error.length)
    print(*error.__notes__, sep="\n")

# A metadata expression, evaluated on parsed JSON.
expression = sluice.MetadataQuery.parse("metadata['plan']:pro AND metadata['seats'] > 5")
print(expression.matches({"plan": "pro", "seats": 12}))

# A rate limit per key.
limiter = sluice.RateLimiter(2, window_seconds=60)
now = datetime(2026, 8, 21, 2, 30, tzinfo=UTC)
for _ in range(3):
    decision = limiter.check("client", now=now)
    print(decision.allowed, decision.remaining, decision.retry_after)

# A store of events, and a page of them as JSON.
with tempfile.TemporaryDirectory() as folder:
    sluice.write_sample(folder, events=1_000, now=now)
    store = sluice.EventStore.load(folder)
query = sluice.EventsQuery.parse({"interval": "7d", "device": "-Mobile", "limit": 2}, now=now)
print(store.count(query) > 2, [event["event"] for event in json.loads(store.page(query))])

# The reference handler: a request in, a response out. sluice.asgi.App(handler) serves it.
handler = sluice.Handler(store, keys=[])
response = handler.handle("GET", "/events", headers={}, now=now)
print(response.status, response.headers["www-authenticate"])
