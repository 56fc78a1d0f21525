# SPDX-License-Identifier: MIT
"""A list request as SQL for two tables that exist already, joined."""

import sqlite3

import sluice


class Orders(sluice.ListQuery, key="number"):
    """Orders of a shop."""

    status = sluice.filter()
    country = sluice.filter(
        column=sluice.Column("customer.country", is_nullable=True, collation="ignore_case")
    )
    page = sluice.page(default=10)


db = sqlite3.connect(":memory:")
db.executescript("""
    CREATE TABLE customers (id TEXT PRIMARY KEY, land TEXT);
    CREATE TABLE orders (number TEXT PRIMARY KEY, state TEXT NOT NULL, customer TEXT);
    INSERT INTO customers VALUES ('c1', 'US'), ('c2', NULL), ('c3', 'fr');
    INSERT INTO orders VALUES ('o1', 'paid', 'c1'), ('o2', 'paid', 'c2'), ('o3', 'open', 'c3');
""")

query = Orders.parse("status=paid,open&country=-US")
statement = query.to_sql(
    "sqlite",
    "orders o JOIN customers c ON c.id = o.customer",
    columns={"number": "o.number", "status": "o.state", "customer.country": "c.land"},
    select="o.number, o.state",
)
print([row[:2] for row in db.execute(statement.text, statement.parameters)])
