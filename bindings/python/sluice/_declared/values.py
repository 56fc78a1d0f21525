# SPDX-License-Identifier: MIT
"""What the attributes of a query are that are no plain values."""

import inspect
from dataclasses import dataclass, fields
from typing import Generic, TypeVar

T = TypeVar("T")
C = TypeVar("C", bound=type)


def documented(kind: C) -> C:
    """Gives the fields of a dataclass the docstrings that its own has of them."""
    described = inspect.cleandoc(kind.__doc__ or "").partition("Attributes:\n")[2]
    docs = dict(line.strip().split(": ", 1) for line in described.splitlines() if ": " in line)
    for each in fields(kind):
        setattr(kind, each.name, _property(each.name, docs[each.name]))
    return kind


def _property(name: str, doc: str) -> property:
    """A field as an attribute of the class; that instances are frozen is left to the dataclass."""

    def get(value: object) -> object:
        return vars(value)[name]

    def set_once(value: object, given: object) -> None:
        vars(value)[name] = given

    return property(get, set_once, None, doc)


@documented
@dataclass(frozen=True)
class Bounds(Generic[T]):
    """What a request compares a column with, by each operator; None where it gave none.

    Attributes:
        eq: The value that rows equal, or None.
        gte: The least value of rows, or None.
        gt: The value that rows are above, or None.
        lte: The largest value of rows, or None.
        lt: The value that rows are below, or None.
    """

    __module__ = "sluice"

    eq: T | None = None
    gte: T | None = None
    gt: T | None = None
    lte: T | None = None
    lt: T | None = None

    def __bool__(self) -> bool:
        """Whether any was given."""
        return any(each is not None for each in vars(self).values())


@documented
@dataclass(frozen=True)
class SortKey:
    """What a list is ordered by.

    Attributes:
        name: The name of the choice.
        descending: Whether the largest come first.
    """

    __module__ = "sluice"

    name: str
    descending: bool = False


@documented
@dataclass(frozen=True)
class PageRequest:
    """Which page of a list is asked for.

    Attributes:
        number: Its number, from 1; without meaning where there is a cursor.
        limit: The most rows on it.
        cursor: The place where it begins or ends, as a text, or None.
        count: Whether the number of all rows is asked for.
    """

    __module__ = "sluice"

    number: int
    limit: int
    cursor: str | None = None
    count: bool = False

    @property
    def offset(self) -> int:
        """How many rows come before it."""
        return (self.number - 1) * self.limit
