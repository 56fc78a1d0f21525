# SPDX-License-Identifier: MIT
"""What an engine can do."""

from collections.abc import Callable
from typing import ClassVar, Protocol

from ..data import Data
from ..queries import Query


class Engine(Protocol):
    """Holds the data in memory and answers queries about it."""

    settings: ClassVar[str]  # what it was given, and why that is its best
    version: str
    reads_json: ClassVar[bool]  # whether it can look into metadata as text

    def __init__(self, data: Data, threads: int) -> None:
        """Takes the data."""

    def counter(self, query: Query) -> Callable[[], int]:
        """Counts the rows of a query; whatever can be prepared is."""

    def pager(self, text: str) -> Callable[[], bytes]:
        """Makes the JSON page of a query string, all of it each time."""

    def close(self) -> None:
        """Gives the memory back."""
