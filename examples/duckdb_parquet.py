# SPDX-License-Identifier: MIT
"""Requests for a file of Parquet by DuckDB, page by page."""

import tempfile
from pathlib import Path

import duckdb

import sluice

FILE = """COPY (
    SELECT * FROM (VALUES
        (uuid '00000000-0000-4000-8000-000000000001', 'paid', 10.50, ['gift'],
            timestamptz '2026-08-21 02:30:15.123456+00'),
        (uuid '00000000-0000-4000-8000-000000000002', 'paid', 99.99, [],
            timestamptz '2026-08-21 02:30:15.123457+00'),
        (uuid '00000000-0000-4000-8000-000000000003', 'open', 100, ['gift', 'rush'],
            timestamptz '2026-08-21 04:30:15.123457+02'),
        (uuid '00000000-0000-4000-8000-000000000004', 'void', 1000, ['rush'],
            timestamptz '2026-08-22 00:00:00+00')
    ) AS rows (id, state, total, labels, created_at)
) TO '{}' (FORMAT parquet)"""

connection = duckdb.connect()
folder = tempfile.TemporaryDirectory()
file = Path(folder.name) / "purchases.parquet"
connection.execute(FILE.format(file))

purchases = sluice.sql.table(connection, str(file))


class Purchases(sluice.ListQuery, key=purchases["id"]):
    """Orders of a shop."""

    status = sluice.filter(column=purchases["state"])
    label = sluice.filter(column=purchases["labels"])
    total = sluice.decimal(column=purchases["total"], operators=(">=", "<"))
    created = sluice.window(default="all", column=purchases["created_at"])
    order = sluice.sort(purchases["created_at"], purchases["total"], default="-created_at")
    page = sluice.page(default=2)


for request in ("status=paid,open", "label=gift&total[gte]=11", "end=2026-08-21&order=total"):
    query = Purchases.parse(request)
    count = connection.execute(*purchases.to_sql(query, form="count")).fetchall()
    print(request, count)
    while True:
        select = "right(id::VARCHAR, 1)"
        rows = connection.execute(*purchases.to_sql(query, select=select)).fetchall()
        print([row[0] for row in rows])
        if len(rows) < query.page.limit:
            break
        # The next page begins after the last row, whose sort keys are at its end.
        query = Purchases.parse(f"{request}&cursor={query.cursor_beside(rows[-1][1:])}")
