# SPDX-License-Identifier: MIT
"""Orders in PostgreSQL: creates a table, adds rows, and answers queries page by page."""

import json
import os
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

import sluice
from sluice import Column, ListQuery

SCHEMA = (
    Column("id"),
    Column("created", "time"),
    Column("status", collation="ignore_case"),
    Column("labels", is_list=True),
    Column("total", "decimal"),
    Column("metadata", "json", is_nullable=True),
)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
INSERT = """
    INSERT INTO orders (id, created, status, labels, total, metadata_text, metadata_num)
    VALUES ($1, $2, $3, $4, $5, $6, $7)
    ON CONFLICT (id) DO NOTHING"""


class Orders:
    """A store of orders that uses one connection."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self.connection = connection
        with connection.transaction():
            [table] = connection.execute("SELECT to_regclass('orders')").fetchone() or [None]
            for statement in sluice.sql.ddl(SCHEMA, "postgresql", "orders") if not table else ():
                connection.execute(statement.encode())

    def add(self, orders: Iterable[dict[str, Any]]) -> None:
        """Adds orders in one transaction; existing ones stay unchanged."""
        with self.connection.transaction(), self.connection.cursor() as cursor:
            cursor.executemany(INSERT, map(row_of, orders))

    def page(self, query: ListQuery) -> list[tuple[Any, ...]]:
        """Returns the ids of a page, each with its sort keys."""
        return self.ask(query.to_sql("postgresql", "orders", select="id"))

    def count(self, query: ListQuery) -> int:
        """Returns the number of orders on all pages."""
        [[count]] = self.ask(query.to_sql("postgresql", "orders", form="count"))
        return int(count)

    def ask(self, statement: sluice.sql.Statement) -> list[tuple[Any, ...]]:
        return self.connection.execute(statement.text.encode(), statement.parameters).fetchall()


def row_of(order: dict[str, Any]) -> tuple[Any, ...]:
    """Converts an order to a row: times in milliseconds, numbers as texts that sort as bytes."""
    created = (order["created"] - EPOCH) // timedelta(milliseconds=1)
    texts, numbers = sluice.sql.prepare(json.dumps(order["metadata"]))
    total = sluice.sql.order_key(order["total"])
    return (
        order["id"],
        created,
        order["status"],
        order["labels"],
        total,
        Jsonb(texts),
        Jsonb(numbers),
    )


def order(
    number: int, status: str, total: str, labels: list[str], **metadata: object
) -> dict[str, Any]:
    created = datetime(2026, 8, number, tzinfo=UTC)
    order = {"id": f"o{number}", "created": created, "status": status, "total": total}
    return order | {"labels": labels, "metadata": metadata}


place = os.environ.get("POSTGRESQL", "")  # as libpq reads it: host=… dbname=…
with psycopg.connect(place, cursor_factory=psycopg.RawCursor) as connection:
    store = Orders(connection)
    store.add(
        [
            order(1, "paid", "10.50", ["gift"], plan="pro"),
            order(2, "PAID", "1050e-2", [], plan="pro", seats=12),
            order(3, "open", "99999999999999999999.99", ["gift", "rush"], plan="pro"),
            order(4, "void", "1", ["rush"]),
            order(5, "Paid", "9.99", [], plan="free"),
        ]
    )
    tree = {
        "where": {
            "all": [
                {"column": "status", "any_of": ["paid", "open"]},
                {"column": "metadata", "matches": {"path": ["plan"], "equal": "pro"}},
                {"not": {"column": "total", "lt": "10"}},
            ]
        },
        "order": [{"column": "total", "direction": "desc"}, {"column": "id", "direction": "asc"}],
    }
    query = ListQuery.from_tree(tree | {"page": {"number": 1, "size": 2}}, SCHEMA)
    rows = store.page(query)
    print([row[0] for row in rows], "of", store.count(query))

    # The next page begins after the last row, even if rows were added meanwhile.
    store.add([order(6, "open", "100000000000000000000", ["rush"], plan="pro")])
    cursor = {"text": query.cursor_beside(rows[-1][1:]), "size": 2}
    query = ListQuery.from_tree(tree | {"cursor": cursor}, SCHEMA)
    print([row[0] for row in store.page(query)], "of", store.count(query))
    rush = ListQuery.from_tree({"where": {"column": "labels", "any_of": ["rush"]}}, SCHEMA)
    print([row[0] for row in store.page(rush)])
