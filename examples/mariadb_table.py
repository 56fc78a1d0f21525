# SPDX-License-Identifier: MIT
"""Requests for a table of MariaDB that exists already, page by page."""

import os

import pymysql

import sluice
from sluice.sql import Place

TABLE = """
    CREATE TABLE purchases (
        number VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin PRIMARY KEY,
        state ENUM ('open', 'paid', 'void') NOT NULL,
        land CHAR(2),
        created_at DATETIME(6) NOT NULL,
        INDEX by_time (created_at, number))"""
ROWS = """
    INSERT INTO purchases VALUES
        ('o1', 'paid', 'US', '2026-08-21 02:30:15.123456'),
        ('o2', 'paid', NULL, '2026-08-21 02:30:15.123457'),
        ('o3', 'open', 'fr', '2026-08-21 02:30:15.123457'),
        ('o4', 'open', 'FR', '2026-08-22 00:00:00'),
        ('o5', 'void', 'FR', '2026-08-23 00:00:00')"""


class Orders(sluice.ListQuery, key="number"):
    """Orders of a shop."""

    status = sluice.filter()
    country = sluice.filter(
        column=sluice.Column("country", is_nullable=True, collation="ignore_case")
    )
    created = sluice.window(default="all")
    order = sluice.sort("created", default="-created")
    page = sluice.page(default=2)


PLACES: dict[str, str | Place] = {
    "number": Place("number", "bytewise"),
    "status": "state",
    "country": "land",
    "created": Place("created_at", "datetime"),
}
place = os.environ.get("MARIADB", "/run/mysqld/mysqld.sock")
user = os.environ.get("MARIADB_USER", "root")
with pymysql.connect(unix_socket=place, user=user, database="tests") as connection:
    cursor = connection.cursor()
    cursor.execute(TABLE)
    cursor.execute(ROWS)
    request = "status=paid,open&country=-US&end=2026-08-22"
    query = Orders.parse(request)
    cursor.execute(*query.to_sql("mariadb", "purchases", columns=PLACES, form="count"))
    print(cursor.fetchall())
    while True:
        cursor.execute(*query.to_sql("mariadb", "purchases", columns=PLACES, select="number"))
        rows = cursor.fetchall()
        print([row[0] for row in rows])
        if len(rows) < query.page.limit:
            break
        # The next page begins after the last row, whose sort keys are at its end.
        query = Orders.parse(f"{request}&cursor={query.cursor_beside(rows[-1][1:])}")
