# SPDX-License-Identifier: MIT
"""The interface of data sources, and the cost limit of an answer."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from http.client import HTTPSConnection
from typing import Any, NamedTuple, Protocol, Self

from sluice._sluice import Cancellation

_CPU_SECONDS = 1.0  # per answer, like a search of `sluice serve`
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class GoneError(Exception):
    """The client has disconnected."""


class RefusedError(Exception):
    """An error response of a service, which is passed on unchanged."""

    def __init__(self, status: int, body: bytes, retry_after: str | None) -> None:
        """Stores the response."""
        super().__init__(status)
        self.status = status
        self.body = body
        self.retry_after = retry_after


class Work:
    """The budget and the connection of one answer, used on a single thread.

    ```
    with Work(cancellation) as work:
        store.page(query, deadline_ms=work.left_ms())
    ```
    """

    def __init__(self, cancellation: Cancellation) -> None:
        """Starts measuring the thread's CPU time."""
        self._cancellation = cancellation
        self._end = time.thread_time() + _CPU_SECONDS
        self._kept: HTTPSConnection | None = None

    def __enter__(self) -> Self:
        """Returns itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Closes the connection, if there is one."""
        if self._kept:
            self._kept.close()

    def keep(self, connect: Callable[[], HTTPSConnection]) -> HTTPSConnection:
        """Returns a connection for the whole answer, created on the first call."""
        self._kept = self._kept or connect()
        return self._kept

    def left_ms(self) -> int:
        """Returns the remaining CPU time in milliseconds, at least 1.

        Raises:
            GoneError: The client has disconnected.
        """
        if self._cancellation.is_cancelled:
            raise GoneError
        return max(1, round(1_000 * (self._end - time.thread_time())))


class Histogram(NamedTuple):
    """The number of rows in equal parts of a time span, inclusive, in milliseconds since 1970.

    Without rows and window there is no time span: both ends are None and there are no counts.
    """

    start: int | None
    end: int | None
    counts: list[int]


class Source(Protocol):
    """A source of rows. All methods except describe() may take long, and run on any thread.

    `query` is the query string of a request. The methods raise ApiError if it is invalid or takes
    too long, GoneError if the client has disconnected, and RefusedError.
    """

    most_buckets: int  # the maximum number of a histogram's parts

    def describe(self) -> dict[str, Any]:
        """Returns the description for the page: its members are those of `Description` there."""

    def rows(self, query: str, offset: int, limit: int, work: Work) -> str:
        """Returns at most `limit` rows from `offset` on, in the query's order, as a JSON array."""

    def count(self, query: str, work: Work) -> int:
        """Returns the number of rows."""

    def histogram(self, query: str, buckets: int, work: Work) -> Histogram:
        """Returns the numbers of rows over time."""

    def explain(self, query: str, work: Work) -> str | None:
        """Returns the query plan, if the source has one."""


def to_ms(moment: datetime) -> int:
    """Converts a time to milliseconds since 1970."""
    return (moment - _EPOCH) // timedelta(milliseconds=1)


def from_ms(milliseconds: int) -> datetime:
    """Converts milliseconds since 1970 to a time."""
    return _EPOCH + timedelta(milliseconds=milliseconds)


def bucket_starts(start: int, end: int, buckets: int) -> list[int]:
    """Returns the first milliseconds of equal parts of a time span, and the one after the span.

    Both ends are inclusive. A span shorter than `buckets` milliseconds has fewer parts.
    """
    span = end - start + 1
    parts = max(1, min(buckets, span))
    return [start - (-part * span // parts) for part in range(parts + 1)]
