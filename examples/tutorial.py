# SPDX-License-Identifier: MIT
"""GET /books in seven steps, from a class to a complete program."""

import json
import sqlite3
from datetime import UTC, datetime
from typing import Any

import sluice
from sluice.pages import ends_of, page_headers


# 1. Declare the list: its parameters and the columns that they filter.
class Books(sluice.ListQuery):
    """Books of a library."""

    language = sluice.filter(column=sluice.Column("language", is_nullable=True))
    author = sluice.filter(help="family name")
    pages = sluice.integer(operators=(">=", "<="))
    added = sluice.window(default="all")
    order = sluice.sort("added", "pages", default="-added")
    page = sluice.page(default=2, maximum=100)


# 2. Parse a request.
now = datetime(2026, 11, 22, tzinfo=UTC)
query = Books.parse("language=-fr&pages[gte]=100&interval=1y", now=now)
print(query.language.values, query.language.excludes, query.pages.gte, query.added.start)

# 3. Report all errors at once.
for error in Books.errors("author=Woolf,-Kafka&pages[gte]=many&order=title"):
    print(error.status, error.rule, "-", error)

# 4. Store rows in a table, and query it.
db = sqlite3.connect(":memory:")
for statement in sluice.sql.ddl(query.schema, "sqlite", "books"):
    db.execute(statement)
SHELF = [
    ("b1", "en", "Woolf", 224, "2026-02-01"),
    ("b2", "de", "Kafka", 98, "2026-03-01"),
    ("b3", None, "Anonymous", 310, "2026-04-01"),
    ("b4", "fr", "Colette", 190, "2026-05-01"),
    ("b5", "en", "Eliot", 880, "2026-06-01"),
]
for *book, day in SHELF:
    milliseconds = int(datetime.fromisoformat(f"{day}T00:00:00Z").timestamp() * 1_000)
    db.execute("INSERT INTO books VALUES (?, ?, ?, ?, ?)", (*book, milliseconds))
rows = db.execute(*query.to_sql("sqlite", "books", select="id, author")).fetchall()
print([row[:2] for row in rows])

# 5. Link to the next page, by a cursor after the last row.
headers = page_headers(query, "/books", len(rows), ends=ends_of(query, rows))
print(headers["Link"].rpartition("&")[2])

# 6. Limit the requests of each client.
limiter = sluice.RateLimiter(limit=3, window_seconds=60)


# 7. Put it together: a request in; a status, headers and a body out.
def answer(client: str, text: str) -> tuple[int, dict[str, str], Any]:
    decision = limiter.check(client, now=now)
    if not decision.allowed:
        return 429, decision.headers(), "too many requests"
    try:
        query = Books.parse(text, now=now)
    except sluice.ApiError as refused:
        return refused.status, decision.headers(), json.loads(refused.to_json())
    rows = db.execute(*query.to_sql("sqlite", "books", select="id, author")).fetchall()
    links = page_headers(query, "/books", len(rows), ends=ends_of(query, rows))
    return 200, decision.headers() | links, [row[:2] for row in rows]


for text in ("author=Kafka", "order=pages&limit=1", "limit=0", "author=Eliot"):
    status, headers, body = answer("ada", text)
    print(status, headers["x-ratelimit-remaining"], body)
