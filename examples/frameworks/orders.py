# SPDX-License-Identifier: MIT
"""The orders that the applications of this folder list, in a SQLite database."""

import sqlite3
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import sluice
from sluice.pages import Ends, ends_of


class Orders(sluice.ListQuery):
    """Orders of a shop."""

    status = sluice.filter(choices=("open", "paid", "void"), help="state of the order")
    customer = sluice.filter(column="customer_id", help="ID of the customer")
    total = sluice.integer(operators=(">=", "<="), help="total in cents")
    created = sluice.window(column="created_at", default="all")
    order = sluice.sort("created", "total", default="-created")
    page = sluice.page(default=20, maximum=100)


class Found(NamedTuple):
    """A page of orders."""

    rows: list[dict[str, Any]]
    ends: Ends | None
    total: int | None  # on all pages, if requested


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIRST = datetime(2026, 8, 1, tzinfo=UTC)
COLUMNS = ("id", "status", "customer_id", "total", "created_at")
ORDERS: list[dict[str, Any]] = [
    {
        "id": f"o{number:03}",
        "status": ("open", "paid", "void")[number % 3],
        "customer_id": f"c{number % 7}",
        "total": number * 137 % 1_000,
        "created_at": FIRST + timedelta(hours=number // 2),  # two at a time
    }
    for number in range(200)
]


def connect() -> sqlite3.Connection:
    """Returns a database with the orders."""
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    for statement in sluice.sql.ddl(Orders.parse("").schema, "sqlite", "orders"):
        connection.execute(statement)
    into = f"INSERT INTO orders ({', '.join(COLUMNS)}) VALUES (?, ?, ?, ?, ?)"
    for order in ORDERS:
        since = (order["created_at"] - EPOCH) // timedelta(milliseconds=1)
        connection.execute(into, (*list(order.values())[:-1], since))
    return connection


def find(connection: sqlite3.Connection, query: Orders) -> Found:
    """Returns the page of orders that a request asks for."""
    page = query.to_sql("sqlite", "orders", select=", ".join(COLUMNS))
    rows = connection.execute(*page).fetchall()
    total = None
    if query.page.count:
        [total] = connection.execute(*query.to_sql("sqlite", "orders", form="count")).fetchone()
    return Found([to_order(row) for row in rows], ends_of(query, rows), total)


def to_order(row: tuple[Any, ...]) -> dict[str, Any]:
    """An order as clients see it."""
    order = dict(zip(COLUMNS, row, strict=False))
    created = EPOCH + timedelta(milliseconds=order["created_at"])
    return {**order, "created_at": created.isoformat()}
