# SPDX-License-Identifier: MIT
"""What the attributes of a query are that are no plain values."""

from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Bounds(Generic[T]):
    """What a request compares a column with, by each operator; None where it gave none.

    Attributes:
        eq: What values are equal to.
        gte: What they are at least.
        gt: What they are more than.
        lte: What they are at most.
        lt: What they are less than.
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
