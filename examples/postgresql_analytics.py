# SPDX-License-Identifier: MIT
"""Sales of a table of PostgreSQL by what a request names: states, days, labels; and facets."""

import os
from typing import Any

import psycopg

import sluice.groups

TABLE = (
    "CREATE TYPE sale_state AS ENUM ('open', 'paid', 'void')",
    """CREATE TABLE sales (
        id uuid PRIMARY KEY,
        state sale_state NOT NULL,
        country text,
        total numeric(12, 2) NOT NULL,
        labels text[] NOT NULL,
        shipped date,
        created_at timestamptz NOT NULL,
        details jsonb NOT NULL)""",
    """INSERT INTO sales VALUES
        ('00000000-0000-4000-8000-000000000001',
            'paid', 'FR', 10.50, '{gift,gift}', '2026-10-28', '2026-10-24 21:59:59.999999+00',
            '{"shop": {"city": "Lyon"}}'),
        ('00000000-0000-4000-8000-000000000002',
            'paid', 'DE', 99.99, '{}', '2026-11-01', '2026-10-24 22:00:00+00', '{}'),
        ('00000000-0000-4000-8000-000000000003',
            'open', NULL, 100, '{gift,rush}', NULL, '2026-10-25 22:30:00+00',
            '{"shop": {"city": 69}}'),
        ('00000000-0000-4000-8000-000000000004',
            'void', 'FR', 1000, '{rush}', '2026-11-02', '2026-10-25 23:00:00+00',
            '{"shop": {"city": "Lyon"}}')""",
)

place = os.environ.get("POSTGRESQL", "")  # as libpq reads it: host=… dbname=…
with psycopg.connect(place, cursor_factory=psycopg.RawCursor) as connection:
    for statement in TABLE:
        connection.execute(statement.encode())

    sales = sluice.sql.table(connection, "sales")

    class Report(sluice.ListQuery, key=sales["id"]):
        """Groups of sales."""

        state = sluice.filter(column=sales["state"])
        country = sluice.filter(column=sales["country"])
        created = sluice.window(default="all", column=sales["created_at"])
        details = sluice.metadata(column=sales["details"])
        groups = sluice.group_by(
            *(sales[name] for name in ("state", "country", "labels", "shipped")),
            "created",
            "details.shop.city",
        )
        measures = sluice.measures(sales["total"])
        facets = sluice.facets("state", "country", sales["labels"])

    def answer(aggregate: sluice.groups.Aggregate) -> list[dict[str, Any]]:
        statement = sales.to_sql(aggregate)
        rows = connection.execute(statement.text.encode(), statement.parameters)
        return aggregate.read(rows)

    for request in (
        "groups=state&measures=count,sum_total&order=-sum_total",
        "groups=created.day&start=2026-10-24&end=2026-10-26&timezone=Europe/Paris",
        "groups=labels&measures=count,max_total&state=-void",
        "groups=shipped.week&measures=average_total",
        "groups=details.shop.city&order=-count",
    ):
        print(request)
        for row in answer(Report.parse(request).aggregate):
            print(*map(str, row.values()))
    print(sluice.groups.facets(Report.parse("facets=state,country,labels&state=paid"), answer))
