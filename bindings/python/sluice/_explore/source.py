# SPDX-License-Identifier: MIT
"""What a source of rows can do, and how much an answer may cost."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from http.client import HTTPSConnection
from typing import Any, NamedTuple, Protocol, Self

from sluice._sluice import Cancellation

_CPU_SECONDS = 1.0  # of an answer, as of a search of `sluice serve`
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class GoneError(Exception):
    """Nobody waits for the answer."""


class RefusedError(Exception):
    """A service's own refusal, which is passed on as it came."""

    def __init__(self, status: int, body: bytes, retry_after: str | None) -> None:
        """Keeps the answer."""
        super().__init__(status)
        self.status = status
        self.body = body
        self.retry_after = retry_after


class Work:
    """An answer in the making, on the thread that makes it."""

    def __init__(self, cancellation: Cancellation) -> None:
        """Begins to count the thread's time."""
        self._cancellation = cancellation
        self._end = time.thread_time() + _CPU_SECONDS
        self._kept: HTTPSConnection | None = None

    def __enter__(self) -> Self:
        """Begins."""
        return self

    def __exit__(self, *_: object) -> None:
        """Closes the connection that was kept."""
        if self._kept:
            self._kept.close()

    def keep(self, connect: Callable[[], HTTPSConnection]) -> HTTPSConnection:
        """A connection for all of the answer, made by its first question."""
        self._kept = self._kept or connect()
        return self._kept

    def left_ms(self) -> int:
        """The milliseconds of CPU time that are left, at least one.

        Raises:
            GoneError: Nobody waits any more.
        """
        if self._cancellation.is_cancelled:
            raise GoneError
        return max(1, round(1_000 * (self._end - time.thread_time())))


class Histogram(NamedTuple):
    """How many rows are in equal parts of a time, both ends inclusive, in milliseconds since 1970.

    Without rows and without a window there is no time: both are None, and there are no counts.
    """

    start: int | None
    end: int | None
    counts: list[int]


class Source(Protocol):
    """Where rows come from. All methods but the first may take long, and run on any thread.

    A `query` is the query string of a request. Each raises an ApiError where that is wrong or takes
    too long, and GoneError.
    """

    most_buckets: int

    def describe(self) -> dict[str, Any]:
        """What the page has to know of it."""

    def rows(self, query: str, offset: int, limit: int, work: Work) -> str:
        """Rows in the query's order, as a JSON array."""

    def count(self, query: str, work: Work) -> int:
        """How many rows there are."""

    def histogram(self, query: str, buckets: int, work: Work) -> Histogram:
        """How many rows there are over time."""

    def explain(self, query: str, work: Work) -> str | None:
        """How the rows would be found, if the source can tell."""


def to_ms(moment: datetime) -> int:
    """Milliseconds since 1970."""
    return (moment - _EPOCH) // timedelta(milliseconds=1)


def from_ms(milliseconds: int) -> datetime:
    """The moment that many milliseconds after 1970."""
    return _EPOCH + timedelta(milliseconds=milliseconds)


def bucket_starts(start: int, end: int, buckets: int) -> list[int]:
    """The first milliseconds of equal parts of a time, and the first one after it."""
    span = end - start + 1
    parts = max(1, min(buckets, span))
    return [start - (-part * span // parts) for part in range(parts + 1)]
