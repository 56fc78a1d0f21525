# SPDX-License-Identifier: MIT
"""Compound values of a query's attributes."""

import inspect
from dataclasses import dataclass, fields
from typing import Generic, TypeVar

T = TypeVar("T")
C = TypeVar("C", bound=type)


def documented(kind: C) -> C:
    """Makes the fields of a frozen dataclass properties, whose docstrings are those of the class.

    Every field must stand under `Attributes:`.
    """
    described = inspect.cleandoc(kind.__doc__ or "").partition("Attributes:\n")[2]
    docs = dict(line.strip().split(": ", 1) for line in described.splitlines() if ": " in line)
    for field in fields(kind):
        setattr(kind, field.name, _property(field.name, docs[field.name]))
    return kind


def _property(name: str, doc: str) -> property:
    """Returns a property that stores a field; the dataclass itself keeps instances frozen."""

    def get(instance: object) -> object:
        return vars(instance)[name]

    def set_once(instance: object, value: object) -> None:
        vars(instance)[name] = value

    return property(get, set_once, None, doc)


@documented
@dataclass(frozen=True)
class Bounds(Generic[T]):
    """The comparisons of a request with a column, by operator; None for missing ones.

    Attributes:
        eq: The value that rows equal, or None.
        gte: The smallest accepted value, or None.
        gt: The value that rows exceed, or None.
        lte: The largest accepted value, or None.
        lt: The value that rows are below, or None.
    """

    __module__ = "sluice"

    eq: T | None = None
    gte: T | None = None
    gt: T | None = None
    lte: T | None = None
    lt: T | None = None

    def __bool__(self) -> bool:
        """Returns true if the request has any comparison."""
        return any(bound is not None for bound in vars(self).values())


@documented
@dataclass(frozen=True)
class SortKey:
    """A column of the order.

    Attributes:
        name: The name of the choice.
        descending: True if the largest values come first.
    """

    __module__ = "sluice"

    name: str
    descending: bool = False


@documented
@dataclass(frozen=True)
class PageRequest:
    """The page of a list request.

    Attributes:
        number: The number of the page, from 1; unused with a cursor.
        limit: The maximum number of rows.
        cursor: The cursor that the page begins or ends at, as a text, or None.
        count: True if the number of rows on all pages is requested.
        skipped: The number of rows before page 1: the offset of requests that have one.
    """

    __module__ = "sluice"

    number: int
    limit: int
    cursor: str | None = None
    count: bool = False
    skipped: int = 0

    @property
    def offset(self) -> int:
        """The number of rows before the page."""
        return self.skipped + (self.number - 1) * self.limit


@documented
@dataclass(frozen=True)
class GroupRequest:
    """The groups of an aggregate in a request.

    Attributes:
        by: The names of the groups, a tuple of str; empty: one group of all rows.
        order: The groups and measures to order by, a tuple of SortKey.
        limit: The maximum number of groups.
    """

    __module__ = "sluice"

    by: tuple[str, ...]
    order: tuple[SortKey, ...]
    limit: int


@documented
@dataclass(frozen=True)
class GuidelineRequest:
    """The parameters of a guideline in a request.

    Attributes:
        filter: The text of the condition, or None if all rows meet it.
        order: The sort keys, a tuple of SortKey with names of columns.
        page: The page, a PageRequest.
        search: The text of the search, or None.
    """

    __module__ = "sluice"

    filter: str | None
    order: tuple[SortKey, ...]
    page: PageRequest
    search: str | None = None
