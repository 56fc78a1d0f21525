# SPDX-License-Identifier: MIT
"""A custom endpoint: a class that parses, validates, documents and runs requests."""

import sqlite3
from datetime import UTC, datetime

import sluice


class Orders(sluice.ListQuery):
    """Orders of a shop."""

    status = sluice.filter(choices=("open", "paid", "void"), help="state of the order")
    customer = sluice.filter(column="customer_id")
    total = sluice.decimal(operators=(">=", "<="))  # total[gte]=10.5
    created = sluice.window(column="created_at", default="30d")  # interval, start, end, timezone
    order = sluice.sort("created", "total", default="-created")
    page = sluice.page(default=100, maximum=1_000)  # page, limit, cursor, count


now = datetime(2026, 11, 22, tzinfo=UTC)
query = Orders.parse("status=open,paid&total[gte]=10&start=last month", now=now)
print(query.status.values, query.total.gte, query.created.start, query.page.limit)

# All errors at once, in the order of the class.
for error in Orders.errors("status=opn&total[gte]=ten&limit=0"):
    print(error.status, error.rule, error)

# The same query for a database, and for your own objects.
db = sqlite3.connect(":memory:")
db.execute("CREATE TABLE orders (id TEXT, status TEXT, total TEXT, created_at INTEGER)")
tables = query.to_sql("sqlite", "orders")
print([row[0] for row in db.execute(tables.text, tables.parameters)])
print(query.matches({"status": "paid", "total": "12.50", "created_at": now}))

# The OpenAPI parameters of the class.
print([parameter["name"] for parameter in Orders.openapi_parameters()])
