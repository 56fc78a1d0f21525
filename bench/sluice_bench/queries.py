# SPDX-License-Identifier: MIT
"""Queries of rows: their query strings, and their SQL as peers write it."""

from dataclasses import dataclass
from urllib.parse import parse_qsl, quote

from .data import END_MS

KEY = ("country", "device", "browser")  # what sluice learns to project counts on
DAY_MS = 24 * 3600 * 1000
WEEK = (END_MS - 9 * DAY_MS, END_MS - 2 * DAY_MS)


@dataclass(frozen=True)
class Clause:
    """The value of a column is (or is not) one of some values; an exclusion keeps absent ones."""

    column: str
    values: tuple[str, ...]
    excludes: bool = False


@dataclass(frozen=True)
class Query:
    """Conditions that are all met, a window of milliseconds since 1970, and a page.

    A clause about `plan` is one about the metadata.
    """

    clauses: tuple[Clause, ...] = ()
    start: int | None = None
    end: int | None = None
    page: int = 1
    limit: int = 100

    def text(self) -> str:
        """Formats the query string."""
        parts: dict[str, object] = {
            clause.column: "-" * clause.excludes + ",".join(clause.values)
            for clause in self.clauses
        }
        if plan := parts.pop("plan", None):
            parts["metadata"] = f"metadata['plan']:'{plan}'"
        if self.start is not None:
            parts |= {"start": self.start, "end": self.end}
        if self.limit != 100:
            parts["limit"] = self.limit
        return "&".join(f"{name}={quote(str(value), safe=',')}" for name, value in parts.items())


def parse(text: str) -> Query:
    """Parses a query string by the standard library alone."""
    parts = dict(parse_qsl(text))
    parts.pop("interval", None)
    numbers = {n: int(parts.pop(n)) for n in ("start", "end", "page", "limit") if n in parts}
    clauses = []
    for column, value in parts.items():
        excludes = value.startswith("-")
        clauses.append(Clause(column, tuple(value[excludes:].split(",")), excludes))
    return Query(tuple(clauses), **numbers)


def where(query: Query) -> str:
    """Returns the WHERE clause of a query over columns without NULL, its first space included."""
    tests = []
    for clause in query.clauses:
        texts = ("'" + value.replace("'", "''") + "'" for value in clause.values)
        values, excludes = ", ".join(texts), clause.excludes
        if len(clause.values) == 1:
            tests.append(f'"{clause.column}" {"<>" if excludes else "="} {values}')
        else:
            tests.append(f'"{clause.column}" {"NOT IN" if excludes else "IN"} ({values})')
    if query.start is not None:
        tests.append(f"time >= {query.start}")
    if query.end is not None:
        tests.append(f"time <= {query.end}")
    return " WHERE " + " AND ".join(tests) if tests else ""
