# SPDX-License-Identifier: MIT
"""The interface of data sources, and the cost limit of an answer."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from http.client import HTTPSConnection
from typing import Any, NamedTuple, NoReturn, Protocol, Self

from sluice._errors import ApiError
from sluice._sluice import Cancellation

TOP = 10  # values of a column
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

    @property
    def cancellation(self) -> Cancellation:
        """Ends the work if the client disconnects."""
        return self._cancellation

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
    """The number of rows in buckets of time, from their starts on, in milliseconds since 1970.

    The last bucket ends at `end`, inclusive. Without rows and window there are no buckets.
    """

    starts: list[int]
    end: int | None
    counts: list[int]


NO_HISTOGRAM = Histogram([], None, [])


class Source(Protocol):
    """A source of rows. All methods except describe() may take long, and run on any thread.

    `query` is the query string of a request. The methods raise ApiError if it is invalid or takes
    too long, GoneError if the client has disconnected, and RefusedError.
    """

    def describe(self) -> dict[str, Any]:
        """Returns the description for the page: its members are those of `Description` there."""

    def rows(self, query: str, offset: int, limit: int, work: Work) -> str:
        """Returns at most `limit` rows from `offset` on, in the query's order, as a JSON array."""

    def count(self, query: str, work: Work) -> int:
        """Returns the number of rows."""

    def histogram(self, query: str, work: Work) -> Histogram:
        """Returns the numbers of rows over time."""

    def top(self, query: str, column: str, work: Work) -> list[dict[str, Any]]:
        """Returns the most frequent values of a column, at most TOP, under the other conditions.

        They are dicts with `value`, `count`, and `place` if the value alone is ambiguous. The
        columns that have them are the `tops` of the description.
        """

    def explain(self, query: str, work: Work) -> str | None:
        """Returns the query plan, if the source has one."""


def to_ms(moment: datetime) -> int:
    """Converts a time to milliseconds since 1970."""
    return (moment - _EPOCH) // timedelta(milliseconds=1)


def from_ms(milliseconds: int) -> datetime:
    """Converts milliseconds since 1970 to a time."""
    return _EPOCH + timedelta(milliseconds=milliseconds)


def format_ms(milliseconds: int) -> str:
    """Returns milliseconds since 1970 as RFC 3339 text."""
    return from_ms(milliseconds).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def bucket_of(start: int, end: int) -> str:
    """Returns the bucket of a window's histogram, inclusive: that of GET /analytics, or years."""
    days = (end - start) / 86_400_000
    if days <= 2:
        return "hour"
    return "day" if days <= 180 else "month" if days <= 36_525 else "year"


def histogram_of(buckets: list[tuple[int, int]], start: int, end: int) -> Histogram:
    """Returns the histogram of buckets' starts and counts within a window."""
    starts = [max(start, first) for first, _ in buckets]
    return Histogram(starts, end, [count for _, count in buckets])


def refuse_column(column: str) -> NoReturn:
    """Raises the error of a column without top values."""
    raise ApiError(
        f"column: no column '{column}' with top values, expected one of the source's tops",
        code="unprocessable_entity",
        rule="field_value",
        param="column",
    )
