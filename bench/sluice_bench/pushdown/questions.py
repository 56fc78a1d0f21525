# SPDX-License-Identifier: MIT
"""What engines are asked, as a list query of sluice and as what others write by hand."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any, Literal, TypeAlias

import pyarrow as pa

import sluice
from sluice import Column

from ..data import DIMENSIONS, Data
from ..fit import QUERIED
from ..queries import Query
from ..topics.evaluation import pages, queries

Answer: TypeAlias = int | list[str]  # a count, or the ids of a page

ROW_DIMENSIONS = tuple(each for each in DIMENSIONS if each.name in QUERIED)
COLUMNS = ("id", "time", *(each.name for each in ROW_DIMENSIONS))
SHOWN = ("id", "time", "country", "device", "url")  # what a page has of a row
NEWEST_FIRST = [("time", "descending"), ("id", "descending")]
COUNTED = ("1 equality", "IN of 4", "exclusion of 2", "3 equalities in 7 of 90 days")
PAGED = ("100 of 1 equality", "100 of a rare value", "100 in 7 of 90 days")
FOLDED = "1 equality, ignoring case"


def to_time(milliseconds: int) -> datetime:
    """A time in UTC."""
    return datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=milliseconds)


@dataclass(frozen=True)
class Question:
    """A query, of which the rows of a page or their count are wanted."""

    name: str
    asked: Query
    form: Literal["page", "count"]
    ignores_case: bool = False

    @cached_property
    def schema(self) -> tuple[Column, ...]:
        """The columns of the rows."""
        how: Literal["exact", "ignore_case"] = "ignore_case" if self.ignores_case else "exact"
        texts = (
            Column(each.name, is_nullable=each.optional, collation=how) for each in ROW_DIMENSIONS
        )
        return (Column("id"), Column("time", "time"), *texts)

    @cached_property
    def query(self) -> sluice.ListQuery:
        """The query as sluice has it."""
        tests: list[dict[str, Any]] = [
            {"column": each.column, "none_of" if each.excludes else "any_of": [*each.values]}
            for each in self.asked.clauses
        ]
        if not self.asked.is_unbounded:
            bounds = {name: time.isoformat() for name, time in self.window.items()}
            tests.append({"column": "time", **bounds})
        order = [{"column": name, "direction": "desc"} for name, _ in NEWEST_FIRST]
        page = {"number": self.asked.page, "size": self.asked.limit}
        tree = {"where": {"all": tests}, "order": order, "page": page}
        return sluice.ListQuery.from_tree(tree, self.schema)

    @property
    def window(self) -> dict[str, datetime]:
        """The first time and the last one, where there is a window."""
        bounds = {"gte": self.asked.start, "lte": self.asked.end}
        return {name: to_time(ms) for name, ms in bounds.items() if ms is not None}

    @property
    def columns(self) -> list[str]:
        """The columns that have to be read."""
        asked = [each.column for each in self.asked.clauses]
        window = [] if self.asked.is_unbounded else ["time"]
        shown = SHOWN if self.form == "page" else ()
        return list(dict.fromkeys([*asked, *window, *shown]))

    def of_table(self, table: pa.Table) -> Answer:
        """The answer by a mask of all rows."""
        mask = self.query.mask(table)
        if self.form == "count":
            return mask.count()
        return self.page_of(table.filter(pa.array(mask)))

    def page_of(self, found: pa.Table) -> list[str]:
        """The ids of the page of rows that were found, in any order."""
        page = found.sort_by(NEWEST_FIRST).slice(self.asked.offset, self.asked.limit)
        ids: list[str] = page["id"].to_pylist()
        return ids


def questions(data: Data) -> Iterator[Question]:
    """All counts, then all pages."""
    counted, paged = queries(data), pages(data)
    for name in COUNTED:
        yield Question(f"count, {name}", counted[name], "count")
    yield Question(f"count, {FOLDED}", counted["1 equality"], "count", ignores_case=True)
    for name in PAGED:
        yield Question(f"page, {name}", paged[name], "page")
    yield Question(f"page, 100 of {FOLDED}", paged["100 of 1 equality"], "page", ignores_case=True)
