# SPDX-License-Identifier: MIT
"""A list query in the form that every engine is handed, and as a query string."""

from dataclasses import dataclass
from urllib.parse import parse_qsl, quote

NEWEST_FIRST = "ORDER BY time DESC, id DESC"


@dataclass(frozen=True)
class Clause:
    """The value of a column is (or is not) one of some values; an exclusion keeps absent ones."""

    column: str
    values: tuple[str, ...]
    excludes: bool = False

    def text(self) -> str:
        """The clause as an advanced filter."""
        return ("-" if self.excludes else "") + ",".join(self.values)


@dataclass(frozen=True)
class Query:
    """Conditions that are all met, a window of milliseconds since 1970, and a page."""

    clauses: tuple[Clause, ...] = ()
    start: int | None = None
    end: int | None = None
    plan: str | None = None  # metadata['plan'] is this
    raw: bool = False  # as it stands in the JSON, not in a column
    page: int = 1
    limit: int = 100

    @property
    def conditions(self) -> list[Clause]:
        """The clauses, that of the plan among them."""
        return [*self.clauses, *([] if self.plan is None else [Clause("plan", (self.plan,))])]

    @property
    def is_unbounded(self) -> bool:
        """Whether there is no window."""
        return self.start is None and self.end is None

    @property
    def offset(self) -> int:
        """How many matching rows come before the page."""
        return (self.page - 1) * self.limit

    def text(self) -> str:
        """The query string."""
        parts = {clause.column: clause.text() for clause in self.clauses}
        if self.start is not None:
            parts["start"] = str(self.start)
        if self.end is not None:
            parts["end"] = str(self.end)
        if self.plan is not None:
            parts["metadata"] = f"metadata['plan']:'{self.plan}'"
        if self.page != 1:
            parts["page"] = str(self.page)
        if self.limit != 100:
            parts["limit"] = str(self.limit)
        return "&".join(f"{name}={quote(value, safe=',')}" for name, value in parts.items())


def parse(text: str) -> Query:
    """Reads a query string as a service does that has no more than the standard library."""
    given = dict(parse_qsl(text))
    metadata = given.pop("metadata", None)
    start, end = given.pop("start", None), given.pop("end", None)
    page, limit = int(given.pop("page", "1")), int(given.pop("limit", "100"))
    clauses = []
    for column, value in given.items():
        excludes = value.startswith("-")
        clauses.append(Clause(column, tuple(value[excludes:].split(",")), excludes))
    return Query(
        tuple(clauses),
        None if start is None else int(start),
        None if end is None else int(end),
        None if metadata is None else metadata.split(":")[1].strip("'"),
        page=page,
        limit=limit,
    )
