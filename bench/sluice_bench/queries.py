# SPDX-License-Identifier: MIT
"""Queries of rows: their query strings, their SQL, and those that are measured."""

from dataclasses import dataclass
from urllib.parse import parse_qsl, quote

from .data import END_MS, Data

NEWEST_FIRST = "ORDER BY time DESC, id DESC"
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

    @property
    def offset(self) -> int:
        """The number of matching rows before the page."""
        return (self.page - 1) * self.limit

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
    if "metadata" in parts:
        parts["plan"] = parts.pop("metadata").split(":")[1].strip("'")
    clauses = []
    for column, value in parts.items():
        excludes = value.startswith("-")
        clauses.append(Clause(column, tuple(value[excludes:].split(",")), excludes))
    return Query(tuple(clauses), **numbers)


# --- SQL -----------------------------------------------------------------------------------------


def literal(text: str) -> str:
    """Writes a text in SQL."""
    return "'" + text.replace("'", "''") + "'"


def sql_test(clause: Clause) -> str:
    """Returns the condition of a clause about a column without NULL."""
    if len(clause.values) == 1:
        return f'"{clause.column}" {"<>" if clause.excludes else "="} {literal(clause.values[0])}'
    values = ", ".join(map(literal, clause.values))
    return f'"{clause.column}" {"NOT IN" if clause.excludes else "IN"} ({values})'


def where(query: Query) -> str:
    """Returns the WHERE clause of a query, its leading space included."""
    tests = [sql_test(clause) for clause in query.clauses]
    if query.start is not None:
        tests.append(f"time >= {query.start}")
    if query.end is not None:
        tests.append(f"time <= {query.end}")
    return " WHERE " + " AND ".join(tests) if tests else ""


# --- Queries of the generated rows ---------------------------------------------------------------


def equals(data: Data, *columns: str) -> tuple[Clause, ...]:
    """Returns clauses for the most frequent value of each column."""
    return tuple(Clause(name, (data.frequent(name),)) for name in columns)


def counted_queries(data: Data) -> dict[str, Query]:
    """Returns the queries that are counted."""
    country, plan = equals(data, "country"), Clause("plan", ("business",))
    return {
        "1 equality": Query(country),
        "2 equalities": Query(equals(data, "country", "device")),
        "2 equalities, outside the key": Query(equals(data, "os", "utm_source")),
        "3 equalities": Query(equals(data, *KEY)),
        "1 equality in 7 of 90 days": Query(country, *WEEK),
        "metadata and 1 equality": Query((*country, plan)),
    }


def paged_queries(data: Data) -> dict[str, Query]:
    """Returns the queries whose pages are made."""
    country = equals(data, "country")
    return {
        "100 of 1 equality": Query(country),
        "100 of a rare value": Query((Clause("url", (data.rare("url", 1e-6),)),)),
        "100 in 7 of 90 days": Query(country, *WEEK),
    }
