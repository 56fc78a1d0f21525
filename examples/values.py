# SPDX-License-Identifier: MIT
"""Single values: objects, times and windows, cursors and links, limits stored elsewhere."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal

import sluice

now = datetime(2026, 8, 21, 2, 30, tzinfo=UTC)


# A query matches your own objects like rows.
@dataclass
class Order:
    status: str | None
    price: Decimal
    created: datetime


schema = [
    sluice.Column("status", is_nullable=True, collation="ignore_case"),
    sluice.Column("total", "decimal"),
    sluice.Column("created", "time"),
]
wanted = {"all": [{"column": "status", "none_of": ["void"]}, {"column": "total", "gte": "10"}]}
query = sluice.ListQuery.from_tree({"where": wanted}, schema)
orders = [Order("Void", Decimal(12), now), Order(None, Decimal("10.00"), now)]
print([query.matches(order, columns={"total": "price"}) for order in orders])
print(query.matches({"status": "open", "total": 9}))

# A filter is a collection of its values, and tests other values.
countries = sluice.Filter.parse("-US,CA")
print("FR" in countries, None in countries, len(countries), bool(sluice.Filter.parse("")))
print(sluice.equal("US-CA", "ca", "subdivision"))
print(sluice.MetadataQuery.parse("metadata['plan']:pro").tree())

# Times as clients write them, and windows of requests.
yesterday = sluice.TimeExpression.parse("Yesterday")
print(yesterday, yesterday.resolve(now, timezone="Asia/Tokyo"))
window = sluice.resolve_window("mtd", timezone="Europe/Paris", now=now)
print(window.start, window.end)

# Links to other pages, by number or by cursor.
print(sluice.link_header("/orders?limit=9&page=1", page=1, has_next=True))
text = sluice.TagsQuery.parse("").cursor_beside(["sale", "tag_7"])
cursor = sluice.Cursor.parse(text)
links = sluice.link_header("/tags?pageSize=9", after=cursor)
print(cursor.keys, cursor.is_before, f"?pageSize=9&cursor={text}>" in links)

# A limit whose state you store: in a session, a database or a signed cookie.
kept: dict[str, str] = {}
for _ in range(3):
    state = json.loads(kept.get("client", "null"))
    decision, state = sluice.decide(state, limit=2, window_seconds=60, now=now, algorithm="gcra")
    kept["client"] = json.dumps(state)
    print(decision.allowed, decision.remaining, kept["client"])
