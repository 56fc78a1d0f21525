# SPDX-License-Identifier: MIT
"""Orders by country and by day, from objects, from SQLite and from a lazy frame."""

import sqlite3
from typing import Any

import polars as pl

import sluice.groups
from sluice import Column

columns = [
    Column("id"),
    Column("country", is_nullable=True),
    Column("cents", "integer"),
    Column("created", "time"),
]
orders: list[dict[str, Any]] = [
    {"id": "o1", "country": "US", "cents": 1990, "created": "2026-10-24T20:00:00Z"},
    {"id": "o2", "country": "DE", "cents": 10, "created": "2026-10-24T22:30:00Z"},
    {"id": "o3", "country": "US", "cents": 25000, "created": "2026-10-25T22:59:00Z"},
    {"id": "o4", "country": None, "cents": 700, "created": "2026-10-26T23:00:00Z"},
]

by_country = {
    "group_by": [{"column": "country"}],
    "measures": [
        {"measure": "count"},
        {"measure": "sum", "column": "cents", "as": "revenue"},
    ],
    "order": [{"measure": "revenue", "direction": "desc"}],
    "limit": 10,
}
for row in sluice.groups.aggregate(orders, by_country, columns):
    print(row["country"], row["count"], row["revenue"])

connection = sqlite3.connect(":memory:")
for created in sluice.sql.ddl(columns, "sqlite", "orders"):
    connection.execute(created)
milliseconds = {"o1": 1792872000000, "o2": 1792881000000, "o3": 1792969140000, "o4": 1793055600000}
for order in orders:
    values = (order["id"], order["country"], order["cents"], milliseconds[order["id"]])
    connection.execute("INSERT INTO orders VALUES (?, ?, ?, ?)", values)

by_day = {
    "where": {
        "column": "created",
        "gte": "2026-10-23T22:00:00Z",
        "lt": "2026-10-26T23:00:00Z",
        "window": True,
    },
    "group_by": [{"column": "created", "bucket": "day", "zone": "Europe/Paris"}],
}
statement = sluice.groups.aggregate_sql(by_day, columns, "sqlite", "orders")
for start, count in connection.execute(*statement):
    print(start, count)

days = pl.LazyFrame(orders)
lazy = sluice.groups.Aggregate(by_country, (*columns,)).to_polars(days)
print(lazy.collect().to_dicts())
