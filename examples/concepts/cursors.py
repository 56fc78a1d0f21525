# SPDX-License-Identifier: MIT
"""The second page of a list to which a row was added, by page number and by cursor."""

import sqlite3

import sluice
from sluice.pages import ends_of


class Notes(sluice.ListQuery):
    """Notes, the newest first."""

    created = sluice.time(operators=(">=",))
    order = sluice.sort("created", default="-created")
    page = sluice.page(default=2)


db = sqlite3.connect(":memory:")
for statement in sluice.sql.ddl(Notes.parse("").schema, "sqlite", "notes"):
    db.execute(statement)
db.executemany("INSERT INTO notes VALUES (?, ?)", [(f"n{n}", n * 1_000) for n in range(1, 6)])


def ask(text: str) -> list[str]:
    return [row[0] for row in db.execute(*Notes.parse(text).to_sql("sqlite", "notes"))]


query = Notes.parse("")
rows = db.execute(*query.to_sql("sqlite", "notes")).fetchall()
ends = ends_of(query, rows)
assert ends is not None
cursor = query.cursor_beside(ends.last)
db.execute("INSERT INTO notes VALUES ('n6', 6000)")
print([row[0] for row in rows], ask("page=2"), ask(f"cursor={cursor}"))
try:
    Notes.parse(f"cursor={cursor}&order=created")
except sluice.ApiError as error:
    print(error.rule, "-", error)
