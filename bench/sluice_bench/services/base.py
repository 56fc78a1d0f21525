# SPDX-License-Identifier: MIT
"""What a service over an SQL engine can do, and what they share."""

from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar, Protocol

from ..engines.sql import test_of, where
from ..queries import Query

TEST = test_of(set())  # no column of the clicks has absent values


class EventService(Protocol):
    """Holds the clicks and links of a folder in memory."""

    settings: ClassVar[str]  # what it was given, and why that is its best
    version: str

    def __init__(self, tables: Path, threads: int) -> None:
        """Takes the tables."""

    def count(self, query: Query) -> int:
        """How many clicks a query matches."""

    def page(self, query: Query) -> bytes:
        """A page of them as JSON."""


def count_statement(query: Query) -> str:
    """The statement that counts."""
    return f"SELECT count(*) FROM clicks{where(query, TEST)}"


def page_statement(query: Query, order: str) -> str:
    """The statement that fetches the pieces of a page, its clicks found before links are joined."""
    rows = (
        f"SELECT head, tail, link, {order} FROM clicks{where(query, TEST)}"
        f" ORDER BY {', '.join(f'{name} DESC' for name in order.split(', '))}"
        f" LIMIT {query.limit} OFFSET {query.offset}"
    )
    ordered = ", ".join(f"found.{name} DESC" for name in order.split(", "))
    return (
        f"SELECT head, json, tail FROM ({rows}) AS found JOIN links USING (link) ORDER BY {ordered}"
    )


def joined(pieces: Iterable[tuple[str, str, str]]) -> bytes:
    """The page of such pieces."""
    return f"[{','.join(head + link + tail for head, link, tail in pieces)}]".encode()
