# SPDX-License-Identifier: MIT
"""Rows that are objects: dicts and other mappings by their keys, others by their attributes."""

from collections.abc import Callable, Sequence
from decimal import Decimal
from itertools import compress
from operator import attrgetter, itemgetter
from typing import Any, TypeVar

from sluice._applied.keys import Matches, SortKey, is_missing
from sluice._sluice import Mask

Row = TypeVar("Row")

# By column type: the type of the values that are their own sort keys, and a test that they pass.
_KEYS: dict[str, tuple[type, Callable[[Any], bool] | None]] = {
    "text": (str, None),
    "integer": (int, None),
    "boolean": (bool, None),
    "decimal": (Decimal, Decimal.is_finite),
    "real": (float, lambda number: number == number),
}


class Objects(Matches[list[Row]]):
    """The objects of a list."""

    def __init__(
        self,
        rows: list[Row],
        keys: Sequence[SortKey],
        places: Sequence[str],
        mask: Callable[[Any], Mask],
    ) -> None:
        """Selects the rows; `places` are the names that conditions read."""
        names = dict.fromkeys([*places, *(key.place for key in keys)])
        values = {name: values_of(rows, name) for name in names}
        numbers = [*compress(range(len(rows)), mask(values).tolist())]
        self._keys = [_keys_of(key, values[key.place], numbers) for key in keys]
        order = [*range(len(numbers))]
        for key, held in zip(reversed(keys), reversed(self._keys), strict=True):
            ranked = [(of is not None, of) for of in held] if None in held else held
            order.sort(key=ranked.__getitem__, reverse=key.is_down)
        self._rows, self._numbers, self._order = rows, numbers, order
        self.count = len(numbers)

    def keys(self, at: int) -> list[Any]:
        """Returns the sort keys of a row."""
        return [held[self._order[at]] for held in self._keys]

    def page(self, first: int, end: int) -> list[Row]:
        """Returns some of the rows."""
        return [self._rows[self._numbers[at]] for at in self._order[first:end]]


def values_of(rows: Sequence[Any], name: str) -> list[Any]:
    """Returns a value of each object.

    Raises:
        ValueError: One has no such key or attribute.
    """
    types = set(map(type, rows))
    is_plain = not any(_is_mapping(type_) for type_ in types) and name.isidentifier()
    getter: Callable[[Any], Any] = itemgetter(name) if types == {dict} else attrgetter(name)
    if types == {dict} or is_plain:
        try:
            return [*map(getter, rows)]
        except (KeyError, AttributeError):
            pass  # some of them may have it
    return [_value(row, name, number) for number, row in enumerate(rows)]


def _is_mapping(row: object) -> bool:
    return hasattr(row, "keys") and hasattr(row, "__getitem__")


def _value(row: Any, name: str, number: int) -> Any:  # noqa: ANN401
    held = _find(row, name)
    if held is _ABSENT:
        raise ValueError(f"row {number}: the row has no {name!r}")
    return held


_ABSENT = object()


def _find(row: Any, name: str) -> Any:  # noqa: ANN401
    """Looks up a name, or else the path of names that its dots separate."""
    if _is_mapping(row):
        if name in row.keys():  # noqa: SIM118 (rows of databases have no other way)
            return row[name]
    else:
        try:
            return getattr(row, name)
        except AttributeError:
            pass
    dot = name.find(".")
    while dot >= 0:
        outer = _find(row, name[:dot])
        if outer is not _ABSENT:
            held = None if is_missing(outer) else _find(outer, name[dot + 1 :])
            if held is not _ABSENT:
                return held
        dot = name.find(".", dot + 1)
    return _ABSENT


def _keys_of(key: SortKey, values: list[Any], numbers: list[int]) -> list[Any]:
    """Returns the keys of some rows."""
    held = [values[number] for number in numbers]
    type_, is_key = _KEYS.get(key.column.type, (None, None))
    if {*map(type, held)} <= {type_, type(None)} and (
        is_key is None or all(is_key(value) for value in held if value is not None)
    ):
        return held
    return [key.read(value, number) for value, number in zip(held, numbers, strict=True)]
