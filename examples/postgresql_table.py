# SPDX-License-Identifier: MIT
"""Requests for a table of PostgreSQL that exists already, page by page."""

import os
from typing import Any

import psycopg

import sluice

TABLE = (
    "CREATE TYPE order_state AS ENUM ('open', 'paid', 'void')",
    """CREATE TABLE purchases (
        id uuid PRIMARY KEY,
        state order_state NOT NULL,
        total numeric(12, 2) NOT NULL,
        labels text[] NOT NULL,
        details jsonb,
        photo bytea,
        created_at timestamptz NOT NULL)""",
    "CREATE INDEX by_time ON purchases (created_at, id)",
    """INSERT INTO purchases (id, created_at, state, total, labels, details) VALUES
        ('00000000-0000-4000-8000-000000000001', '2026-08-21 02:30:15.123456+00',
            'paid', 10.50, '{gift}', '{"plan": "pro"}'),
        ('00000000-0000-4000-8000-000000000002', '2026-08-21 02:30:15.123457+00',
            'paid', 99.99, '{}', '{"plan": "free"}'),
        ('00000000-0000-4000-8000-000000000003', '2026-08-21 04:30:15.123457+02',
            'open', 100, '{gift,rush}', '{"plan": "pro"}'),
        ('00000000-0000-4000-8000-000000000004', '2026-08-22 00:00:00+00',
            'void', 1000, '{rush}', NULL)""",
)


def ask(statement: sluice.sql.Statement) -> list[tuple[Any, ...]]:
    return connection.execute(statement.text.encode(), statement.parameters).fetchall()


place = os.environ.get("POSTGRESQL", "")  # as libpq reads it: host=… dbname=…
with psycopg.connect(place, cursor_factory=psycopg.RawCursor) as connection:
    for statement in TABLE:
        connection.execute(statement.encode())

    purchases = sluice.sql.table(connection, "purchases")
    print(purchases.refused)

    class Purchases(sluice.ListQuery, key=purchases["id"]):
        """Orders of a shop."""

        status = sluice.filter(column=purchases["state"])
        label = sluice.filter(column=purchases["labels"])
        total = sluice.decimal(column=purchases["total"], operators=(">=", "<"))
        created = sluice.window(default="all", column=purchases["created_at"])
        details = sluice.metadata(column=purchases["details"])
        order = sluice.sort(
            purchases["created_at"], purchases["state"], purchases["total"], default="-created_at"
        )
        page = sluice.page(default=2)

    for request in (
        "status=paid,open&order=state",
        "label=gift&total[gte]=11",
        "details=metadata['plan']:pro",
    ):
        query = Purchases.parse(request)
        print(request, ask(purchases.to_sql(query, form="count")))
        while True:
            rows = ask(purchases.to_sql(query, select="right(id::text, 1)"))
            print([row[0] for row in rows])
            if len(rows) < query.page.limit:
                break
            # The next page begins after the last row, whose sort keys are at its end.
            query = Purchases.parse(f"{request}&cursor={query.cursor_beside(rows[-1][1:])}")
