# SPDX-License-Identifier: MIT
"""A list query as SQL: creates a table, inserts rows, and selects a page and a count."""

import json
import sqlite3

import sluice
from sluice import Column

SCHEMA = (
    Column("id"),
    Column("created", "time"),
    Column("status", collation="ignore_case"),
    Column("total", "decimal"),
    Column("metadata", "json", is_nullable=True),
)
orders = sqlite3.connect(":memory:")
for statement in sluice.sql.ddl(SCHEMA, "sqlite", "orders"):
    orders.execute(statement)

# Numbers and JSON are stored in a form that databases compare exactly.
for id_, status, total, metadata in (
    ("o1", "Open", "10.50", '{"plan": "pro", "seats": 12}'),
    ("o2", "paid", "1050e-2", '{"plan": "free", "plan": "pro"}'),
    ("o3", "PAID", "99999999999999999999.99", '{"plan": "pro", "seats": "120"}'),
    ("o4", "void", "1", "{}"),
):
    texts, numbers = map(json.dumps, sluice.sql.prepare(metadata))
    row = (id_, 1_787_279_415_123, status, sluice.sql.order_key(total), texts, numbers)
    orders.execute("INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?)", row)

plan_is_pro = {"column": "metadata", "matches": {"path": ["plan"], "equal": "pro"}}
tree = {
    "where": {"all": [{"column": "status", "any_of": ["open", "paid"]}, plan_is_pro]},
    "order": [{"column": "total", "direction": "desc"}],
    "page": {"number": 1, "size": 2},
}
query = sluice.ListQuery.from_tree(tree, SCHEMA)
print([row[0] for row in orders.execute(*query.to_sql("sqlite", "orders", select="id"))])
print(orders.execute(*query.to_sql("sqlite", "orders", form="count")).fetchone())

# The same for another database: values are always parameters.
condition = query.to_sql("postgresql", "orders", form="condition")
print(condition.text)
print(condition.parameters)
