# SPDX-License-Identifier: MIT
"""Queries of rows: their query strings, their SQL, and those that are measured."""

from collections.abc import Callable
from dataclasses import dataclass, replace
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
    """Conditions that are all met, a window of milliseconds since 1970, and a page."""

    clauses: tuple[Clause, ...] = ()
    start: int | None = None
    end: int | None = None
    plan: str | None = None  # metadata['plan'] is this
    page: int = 1
    limit: int = 100

    @property
    def conditions(self) -> list[Clause]:
        """The clauses, that of the plan among them."""
        return [*self.clauses, *([] if self.plan is None else [Clause("plan", (self.plan,))])]

    @property
    def is_unbounded(self) -> bool:
        """True without a window."""
        return self.start is None and self.end is None

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
        parts |= {"start": self.start, "end": self.end}
        parts["metadata"] = None if self.plan is None else f"metadata['plan']:'{self.plan}'"
        parts["page"] = None if self.page == 1 else self.page
        parts["limit"] = None if self.limit == 100 else self.limit
        shown = {name: value for name, value in parts.items() if value is not None}
        return "&".join(f"{name}={quote(str(value), safe=',')}" for name, value in shown.items())


def parse(text: str) -> Query:
    """Parses a query string by the standard library alone."""
    parts = dict(parse_qsl(text))
    parts.pop("interval", None)
    numbers = {n: int(parts.pop(n)) for n in ("start", "end", "page", "limit") if n in parts}
    plan = parts.pop("metadata").split(":")[1].strip("'") if "metadata" in parts else None
    clauses = []
    for column, value in parts.items():
        excludes = value.startswith("-")
        clauses.append(Clause(column, tuple(value[excludes:].split(",")), excludes))
    return Query(tuple(clauses), plan=plan, **numbers)


# --- SQL -----------------------------------------------------------------------------------------


def literal(value: str | int) -> str:
    """Writes a text or a number in SQL."""
    return str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"


Bind = Callable[[str | int], str]


def sql_test(
    clause: Clause, bind: Bind = literal, operand: str = '"{}"', is_nullable: bool = False
) -> str:
    """Returns the condition of a clause; an exclusion keeps NULL if the column has it."""
    column = operand.format(clause.column)
    values = ", ".join(map(bind, clause.values))
    if len(clause.values) == 1:
        test = f"{column} {'<>' if clause.excludes else '='} {values}"
    else:
        test = f"{column} {'NOT IN' if clause.excludes else 'IN'} ({values})"
    return f"({test} OR {column} IS NULL)" if clause.excludes and is_nullable else test


def where(query: Query, test: Callable[[Clause], str] = sql_test, bind: Bind = literal) -> str:
    """Returns the WHERE clause of a query, its leading space included."""
    tests = [test(clause) for clause in query.conditions]
    if query.start is not None:
        tests.append(f"time >= {bind(query.start)}")
    if query.end is not None:
        tests.append(f"time <= {bind(query.end)}")
    return " WHERE " + " AND ".join(tests) if tests else ""


# --- Queries of the generated rows ---------------------------------------------------------------


def equals(data: Data, column: str, rank: int = 1) -> Clause:
    """Returns the clause for one value: that of a rank, 1 the most frequent."""
    return Clause(column, (data.frequent(column, rank),))


def counted_queries(data: Data) -> dict[str, Query]:
    """Returns the queries that are counted."""
    country, device, browser = (equals(data, name) for name in KEY)
    more = (equals(data, "os"), equals(data, "utm_source"))
    countries = tuple(data.frequent("country", rank) for rank in (1, 3, 5, 7))
    sources = tuple(data.frequent("utm_source", rank) for rank in (1, 2))
    return {
        "1 equality": Query((country,)),
        "2 equalities": Query((country, device)),
        "2 equalities, outside the key": Query(more),
        "3 equalities": Query((country, device, browser)),
        "5 equalities, 2 outside the key": Query((country, device, browser, *more)),
        "IN of 4": Query((Clause("country", countries),)),
        "rare value": Query((Clause("url", (data.rare("url", 1e-6),)),)),
        "1 equality in 7 of 90 days": Query((country,), *WEEK),
        "3 equalities in 7 of 90 days": Query((country, device, browser), *WEEK),
        "3 equalities in 7 of 90 days, 2 outside the key": Query((device, *more), *WEEK),
        "exclusion of 2": Query((Clause("utm_source", sources, excludes=True),)),
        "metadata": Query(plan="business"),
        "metadata and 1 equality": Query((country,), plan="business"),
    }


def paged_queries(data: Data) -> dict[str, Query]:
    """Returns the queries whose pages are made."""
    counted = counted_queries(data)
    one = counted["1 equality"]
    matches = int(data.counts("country").max())
    far = max(1, min(1_000_000, matches // 2) // 100 + 1)
    return {
        "100 of 1 equality": one,
        "1000 of 1 equality": replace(one, limit=1000),
        "100 of a rare value": counted["rare value"],
        "100 in 7 of 90 days": counted["1 equality in 7 of 90 days"],
        f"100 from {(far - 1) * 100:,} on": replace(one, page=far),
    }
