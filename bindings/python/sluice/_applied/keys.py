# SPDX-License-Identifier: MIT
"""Sort keys of rows in memory, as values that compare in the order of the library."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar
from uuid import UUID

from sluice._column import Column
from sluice._expressions.bounds import to_days, to_milliseconds
from sluice._expressions.keys import Place
from sluice._pages import malformed

if TYPE_CHECKING:
    from sluice._declared.list_query import ListQuery

Rows_co = TypeVar("Rows_co", covariant=True)

_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?", re.ASCII)
_FRACTION = re.compile(r"\.(\d+)")
_EPOCH = datetime.fromisoformat("1970-01-01T00:00:00Z")
_MILLISECOND, _SECOND = 1_000_000, 1_000_000_000  # nanoseconds
_TICKS = {"ns": 1, "us": 1_000, "ms": _MILLISECOND, "s": _SECOND}
_ROUNDED = 2.0**53  # floats of this size may be rounded


@dataclass(frozen=True)
class SortKey:
    """A sort key.

    Attributes:
        column: The column.
        place: Its name in the rows.
        is_down: True if the largest values come first.
    """

    column: Column
    place: str
    is_down: bool

    def read(self, value: Any, number: int | None = None) -> Any:  # noqa: ANN401
        """Returns the key of a value in an object, or in a row of a frame.

        Raises:
            TypeError: It has a type that matches() refuses, or is a list.
            ValueError: It can't be read.
        """
        try:
            return key_of(self.column, value)
        except (TypeError, ValueError) as refused:
            raise type(refused)(f"{self.at(number)}: {refused}") from None

    def at(self, number: int | None = None) -> str:
        """Returns the name of the column for messages, with the number of a row."""
        row = "" if number is None else f", row {number}"
        return f"{self.column.name}: column {self.place!r}{row}"

    def refuse_type(self, kind: object) -> NoReturn:
        """Refuses a frame's column because of its type."""
        message = f"a column of type {self.column.type} has no order by values of type {kind}"
        raise TypeError(f"{self.at()}: {message}")


def columns_of(query: "ListQuery") -> list[str]:
    """Returns the columns that a query reads, without the one that stands for a key of several."""
    kind = type(query)
    return [name for name in query.columns if not (kind._key_parts and name == kind._key.name)]


class Matches(ABC, Generic[Rows_co]):
    """The rows that meet a query's conditions, in its order.

    Keys are values that compare: of times nanoseconds since 1970, of dates days, of UUIDs texts in
    lower case, of choices their places; None is missing and comes first.
    """

    count: int

    @abstractmethod
    def keys(self, at: int) -> list[Any]:
        """Returns the sort keys of a row."""

    @abstractmethod
    def page(self, first: int, end: int) -> Rows_co:
        """Returns some of the rows."""

    def first_beyond(self, keys: Sequence[SortKey], place: Sequence[Any]) -> int:
        """Returns the number of rows that come before a place, or are at it."""
        return self._first(lambda row: is_before(place, row, keys))

    def first_at(self, keys: Sequence[SortKey], place: Sequence[Any]) -> int:
        """Returns the number of rows that come before a place."""
        return self._first(lambda row: not is_before(row, place, keys))

    def _first(self, holds: Callable[[Sequence[Any]], bool]) -> int:
        """Returns the first row that `holds` is true for; it must be for all rows after it."""
        first, end = 0, self.count
        while first < end:
            middle = (first + end) // 2
            if holds(self.keys(middle)):
                end = middle
            else:
                first = middle + 1
        return first


def is_before(left: Sequence[Any], right: Sequence[Any], keys: Sequence[SortKey]) -> bool:
    """Returns true if a row comes before another one, by their keys."""
    for key, one, other in zip(keys, left, right, strict=True):
        if one == other:
            continue
        if one is None or other is None:
            return (one is None) != key.is_down
        return bool(one < other) != key.is_down
    return False


def place_of(place: Place, keys: Sequence[SortKey], matches: Matches[Any]) -> list[Any]:
    """Returns the keys of a cursor. Those that are cut are completed by its row, if it is there.

    Raises:
        ApiError: A key isn't a value of its column.
    """
    try:
        beside = [_of_text(key.column, text) for key, text in zip(keys, place.keys, strict=True)]
    except ValueError:
        raise malformed() from None
    if place.cuts:
        rows = (matches.keys(at) for at in range(matches.count))
        row = next((row for row in rows if row[-1] == beside[-1]), None)
        cuts = [*place.cuts]
        place.complete(keys, row)
        for at in cuts:
            beside[at] = place.keys[at]
    return beside


def _of_text(column: Column, text: str | None) -> Any:  # noqa: ANN401
    """Returns the key that the text of a cursor stands for."""
    if text is None:
        return None
    match column.type:
        case "integer":
            return int(text)
        case "real":
            return float(text)
        case "boolean":
            return text == "true"
        case "time" if text.lstrip("-").isdigit():
            return int(text) * _MILLISECOND
    return key_of(column, text)


def to_cursor_key(column: Column, key: Any) -> object:  # noqa: ANN401
    """Returns a key as cursor_beside() takes it.

    Args:
        column: The column of the key.
        key: The key for comparisons: a choice by its index, a day as days since 1970, a time as
            nanoseconds since 1970.
    """
    if key is None:
        return None
    if column.type == "choice":
        return column.choices[key]
    if column.type == "date":
        return date.fromordinal(key + _EPOCH.toordinal())
    if column.type != "time":
        return key
    if key % _MILLISECOND == 0:
        return key // _MILLISECOND
    seconds, rest = divmod(key, _SECOND)
    at = (_EPOCH + timedelta(seconds=seconds)).replace(tzinfo=None)
    return f"{at.isoformat()}.{rest:09}".removesuffix("000") + "Z"


def is_missing(value: object) -> bool:
    """Returns true for None, NaN, NaT and pandas.NA, as matches() does."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except TypeError:  # pandas.NA is neither true nor false
        return True
    except ArithmeticError:  # a signaling NaN
        return isinstance(value, Decimal)


def key_of(column: Column, value: Any) -> Any:  # noqa: ANN401
    """Returns the key of a value in an object, which matches() takes.

    Raises:
        TypeError: It has another type; the message says what was expected.
        ValueError: It can't be read.
    """
    if is_missing(value):
        return None
    if not isinstance(value, str):
        value = _plain(value)
    key: Any = _READERS[column.type](value)
    if column.type == "choice":
        if key not in column.choices:
            raise ValueError(f"expected one of {', '.join(column.choices)}")
        return column.choices.index(key)
    return key.lower() if column.type == "uuid" else key


def _plain(value: Any) -> Any:  # noqa: ANN401
    """Returns a scalar of NumPy as Python's; times stay."""
    is_numpy = hasattr(value, "dtype") and getattr(value, "ndim", None) == 0
    return value.item() if is_numpy and value.dtype.kind != "M" else value


def _text(value: object) -> str:
    return value if isinstance(value, str) else _refuse(value, "str")


def _flag(value: object) -> bool:
    return value if isinstance(value, bool) else _refuse(value, "bool")


def _name(value: object) -> str:
    if isinstance(value, Enum):
        return _name(value.value)
    if isinstance(value, str | UUID):
        return str(value)
    return _refuse(value, "str, UUID or a member of an Enum")


def _real(value: object) -> float | None:
    is_number = isinstance(value, float | int) and not isinstance(value, bool)
    return float(value) if is_number else _refuse(value, "float or int")  # type: ignore[arg-type]


def _integer(value: object) -> int:
    return _whole(value) if not isinstance(value, str) else _refuse(value, "a whole number")


def _whole(value: object) -> int:
    """Returns a number without a fraction."""
    is_float = isinstance(value, float) and value.is_integer() and abs(value) < _ROUNDED
    is_decimal = isinstance(value, Decimal) and value.is_finite() and value % 1 == 0
    if is_float or is_decimal or (isinstance(value, int) and not isinstance(value, bool)):
        return int(value)  # type: ignore[call-overload, no-any-return]
    return _refuse(value, "a whole number")


def _decimal(value: object) -> Decimal | None:
    """Returns a decimal; None for text that isn't a number."""
    if isinstance(value, str) and not _NUMBER.fullmatch(value):
        return None
    if isinstance(value, Decimal) and not value.is_finite():
        raise ValueError("expected a finite number")
    if not isinstance(value, str | Decimal):
        return Decimal(_whole(value))
    try:
        return Decimal(value)
    except ArithmeticError:
        raise ValueError("expected a number with a smaller exponent") from None


def _nanoseconds(value: Any) -> int:  # noqa: ANN401
    """Returns a time, counted from 1970."""
    if isinstance(value, str):
        fraction = _FRACTION.search(value)
        digits = fraction[1].ljust(9, "0") if fraction else "0" * 9
        return to_milliseconds(value) * _MILLISECOND + int(digits[3:9])
    if isinstance(value, int) and not isinstance(value, bool):
        return value * _MILLISECOND
    if type(value).__name__ == "datetime64":
        return _of_numpy(value)
    if not isinstance(value, datetime):
        return _refuse(value, "an aware datetime, RFC 3339 text or int milliseconds")
    if value.tzinfo is None:
        raise ValueError("a naive datetime, expected an aware one")
    since = value - _EPOCH
    whole = (since.days * 86_400 + since.seconds) * _SECOND + since.microseconds * 1_000
    return whole + getattr(since, "nanoseconds", 0)


def _of_numpy(value: Any) -> int:  # noqa: ANN401
    """Returns a numpy.datetime64 in nanoseconds since 1970."""
    import numpy as np

    unit, count = np.datetime_data(value.dtype)
    if unit not in _TICKS or count != 1:
        unit = "ns" if unit in ("ps", "fs", "as") else "s"
        value = value.astype(f"datetime64[{unit}]")
    return int(value.astype(np.int64)) * _TICKS[unit]


def _days(value: Any) -> int:  # noqa: ANN401
    """Returns a day, counted from 1970."""
    if isinstance(value, str):
        return to_days(value)
    if type(value).__name__ == "datetime64":
        value = value.item()
    if isinstance(value, datetime) or not isinstance(value, date):
        return _refuse(value, "a date or text such as 2026-08-21")
    return value.toordinal() - _EPOCH.toordinal()


def _refuse(value: object, expected: str) -> NoReturn:
    raise TypeError(f"expected {expected}, not {type(value).__name__}")


_READERS: Mapping[str, Callable[[Any], Any]] = {
    "text": _text,
    "integer": _integer,
    "decimal": _decimal,
    "time": _nanoseconds,
    "boolean": _flag,
    "real": _real,
    "date": _days,
    "uuid": _name,
    "choice": _name,
}
