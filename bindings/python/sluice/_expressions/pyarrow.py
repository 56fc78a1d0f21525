# SPDX-License-Identifier: MIT
"""Conditions as expressions of pyarrow, for tables, datasets and scanners."""

import re
from collections.abc import Callable, Mapping
from decimal import Context, Decimal
from typing import TypeAlias
from uuid import UUID

from sluice._column import Column
from sluice._expressions.bounds import to_units
from sluice._expressions.missing import explained
from sluice._expressions.tests import ALL, COMMON, Answers
from sluice._expressions.visitor import COMPARISONS, Query, Values, Visitor, is_lower

with explained("pyarrow"):
    import pyarrow as pa
    import pyarrow.compute as pc

Place: TypeAlias = str | tuple[str, ...] | pc.Expression

_TICKS = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}  # ticks per second
_UTC = pa.timestamp("ms", "UTC")
_DOUBLE = pa.float64()
_UUID_BYTES = pa.binary(16)
_IS_TEXT = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
# By column type: the accepted types, in words and as tests.
_EXPECTED: Mapping[str, tuple[str, tuple[Callable[[pa.DataType], bool], ...]]] = {
    "text": ("texts", _IS_TEXT),
    "integer": ("integers", (pa.types.is_integer,)),
    "decimal": ("decimals or integers", (pa.types.is_decimal, pa.types.is_integer)),
    "time": ("timestamps or int64 milliseconds", (pa.types.is_timestamp, pa.types.is_int64)),
    "boolean": ("booleans", (pa.types.is_boolean,)),
    "real": ("floats or integers", (pa.types.is_floating, pa.types.is_integer)),
    "date": ("dates", (pa.types.is_date,)),
    "uuid": (
        "UUIDs, texts or 16 bytes",
        (*_IS_TEXT, lambda kind: kind == _UUID_BYTES),
    ),
    "choice": ("texts", _IS_TEXT),
}
_COMPARED: Mapping[str, pa.DataType] = {"real": _DOUBLE, "date": pa.date32()}
# No expression tests the items of lists. has_item() refuses those of texts.
_ANSWERS: Answers = {
    test: (plain, listed if test == "is_null" else COMMON.get(test, (plain, frozenset()))[1])
    for test, (plain, listed) in ALL.items()
    if test not in ("all_of", "any")
}
_PARTS: Mapping[str, Callable[..., pc.Expression]] = {
    "contains": pc.match_substring,
    "starts_with": pc.starts_with,
    "ends_with": pc.ends_with,
}


class PyarrowVisitor(Visitor[pc.Expression, pc.Expression]):
    """Comparisons with null are null, so that each is combined with is_valid().

    So is is_in, which is false for null in pyarrow, but null in readers of Substrait.
    """

    engine = "pyarrow"
    answers = _ANSWERS
    places = "str, a tuple of str or an expression of pyarrow", (str, tuple, pc.Expression)

    def __init__(
        self, query: Query, columns: Mapping[str, Place] | None, schema: pa.Schema | None
    ) -> None:
        """Stores the types of the columns, if they are known."""
        super().__init__(query, columns)
        if not isinstance(schema, pa.Schema | None):
            raise TypeError(f"schema: expected a Schema of pyarrow, not {type(schema).__name__}")
        self._types = schema
        self._kinds: dict[str, tuple[pa.DataType | None, pa.DataType | None]] = {}

    def constant(self, value: bool) -> pc.Expression:
        """Returns a scalar."""
        return pc.scalar(value)

    def operand(self, column: Column) -> pc.Expression:
        """Returns a field, or a field of a struct, cast to a type that all functions support."""
        stored, kind = self._known_types(column)
        field = self._field(column)
        if column.type == "real":  # Arrow itself would compare integers and floats as float32
            return field if stored == _DOUBLE else field.cast(_DOUBLE, safe=False)
        return field if stored == kind else field.cast(kind)

    def _field(self, column: Column) -> pc.Expression:
        place = self._places.get(column.name, column.name)
        return place if isinstance(place, pc.Expression) else pc.field(*_path(place))

    def has_value(self, column: Column) -> pc.Expression:
        """Treats NaN as missing; lists and records may be of any type."""
        if column.type in ("integer", "real") and not column.is_list:
            return self._bounds(column, {})
        is_compared = column.type in _EXPECTED and not column.is_list
        return self.present(self.operand(column) if is_compared else self._field(column))

    def present(self, operand: pc.Expression) -> pc.Expression:
        """Returns whether it isn't null."""
        return operand.is_valid()

    def compare(self, operand: pc.Expression, comparison: str, value: object) -> pc.Expression:
        """Returns a comparison that allows skipping row groups."""
        return COMPARISONS[comparison](operand, pc.scalar(value)) & operand.is_valid()

    def is_true(self, operand: pc.Expression, wanted: bool) -> pc.Expression:
        """Returns a comparison of booleans."""
        return (operand == pc.scalar(wanted)) & operand.is_valid()

    def is_any(self, operand: pc.Expression, values: Values) -> pc.Expression:
        """Returns a test that is false for null in any engine."""
        return operand.isin(pa.array(values)) & operand.is_valid()

    def folded(self, operand: pc.Expression) -> pc.Expression:
        """Applies Arrow's function for ASCII."""
        return pc.ascii_lower(operand)

    def after(self, operand: pc.Expression, mark: str) -> pc.Expression:
        """Removes the text up to the first mark."""
        pattern = f"^[^{re.escape(mark)}]*{re.escape(mark)}"
        return pc.replace_substring_regex(operand, pattern=pattern, replacement="")

    def before(self, operand: pc.Expression, mark: str) -> pc.Expression:
        """Removes the text from the first mark on, including line ends."""
        pattern = f"{re.escape(mark)}(?s:.*)"
        return pc.replace_substring_regex(operand, pattern=pattern, replacement="")

    def has_part(self, operand: pc.Expression, test: str, part: str) -> pc.Expression:
        """Searches a text without patterns."""
        return _PARTS[test](operand, pattern=part) & operand.is_valid()

    def is_any_uuid(
        self, operand: pc.Expression, column: Column, texts: list[str]
    ) -> pc.Expression:
        """Compares texts, or the 16 bytes of a column of bytes if its type is known."""
        if self._type(column) != _UUID_BYTES:
            return super().is_any_uuid(operand, column, texts)
        held = pa.array([UUID(text).bytes for text in texts], _UUID_BYTES)
        return operand.isin(held) & operand.is_valid()

    def has_item(
        self, column: Column, meets: Callable[[pc.Expression], pc.Expression]
    ) -> pc.Expression:
        """Refuses conditions on items, which pyarrow has no expression for."""
        raise self.refusal(column.name, "it asks about no items of lists; a mask does")

    # --- Bounds, in the units of the column ---------------------------------------------------
    # A unit is 1 for integers, 10 ** -scale for decimals, and a tick for timestamps.

    def is_any_number(
        self, operand: pc.Expression, column: Column, numbers: list[int]
    ) -> pc.Expression:
        """Tests the numbers that fit into the column, in its own type if it is known."""
        kind = self._type(column) or pa.int64()
        least, most = _limits(kind)
        values = pa.array([number for number in numbers if least <= number <= most], kind)
        return operand.isin(values) & operand.is_valid()

    def is_any_day(self, column: Column, days: list[int]) -> pc.Expression:
        """Compares days, to which dates in milliseconds are converted."""
        operand = self.operand(column)
        return operand.isin(pa.array(days, pa.date32())) & operand.is_valid()

    def day_bound(self, column: Column, comparison: str, days: int) -> pc.Expression:
        """Compares days, to which dates in milliseconds are converted."""
        return self.compare(self.operand(column), comparison, pa.scalar(days, pa.date32()))

    def real_bound(self, column: Column, comparison: str, number: float) -> pc.Expression:
        """Compares doubles, to which floats and integers are converted."""
        return self.compare(self.operand(column), comparison, number)

    def integer_bound(self, column: Column, comparison: str, number: int) -> pc.Expression:
        """Compares in the column's own type if it is known."""
        if self._type(column) is None:
            return self.compare(self.operand(column), comparison, number)
        return self.decimal_bound(column, comparison, str(number))

    def decimal_bound(self, column: Column, comparison: str, number: str) -> pc.Expression:
        """Compares multiples of the column's scale, because a float would be rounded silently."""
        kind = self._type(column)
        if kind is None:
            raise self.refusal(column.name, "give the schema of what is filtered, for its scale")
        scale = 0 if pa.types.is_integer(kind) else kind.scale
        units = to_units(number, scale, upwards=comparison in ("gte", "lt"))
        return self._unit_bound(column, kind, comparison, units)

    def time_bound(self, column: Column, comparison: str, milliseconds: int) -> pc.Expression:
        """Compares with a time in ticks of the column's unit, rounded up: no row lies between."""
        kind = self._type(column) or _UTC
        ticks = _TICKS[kind.unit] if pa.types.is_timestamp(kind) else 1_000
        return self._unit_bound(column, kind, comparison, -(-milliseconds * ticks // 1_000))

    def _unit_bound(
        self, column: Column, kind: pa.DataType, comparison: str, units: int
    ) -> pc.Expression:
        """Compares with a number of units, which may be beyond the range of the column's type."""
        operand = self.operand(column)
        least, most = _limits(kind)
        if least <= units <= most:
            return self.compare(operand, comparison, _scalar(units, kind))
        takes_all = (units < least) == is_lower(comparison)
        return self.present(operand) if takes_all else self.constant(False)

    # --- Types -------------------------------------------------------------------------------

    def _stored_type(self, column: Column) -> pa.DataType | None:
        """Returns the type of a column in the schema; None if it is unknown."""
        place = self._places.get(column.name, column.name)
        if self._types is None or isinstance(place, pc.Expression):
            return None
        kind = pa.struct(self._types)
        for name in _path(place):
            if not pa.types.is_struct(kind) or kind.get_field_index(name) < 0:
                raise ValueError(f"{column.name}: the schema has no column {place!r}")
            kind = kind.field(name).type
        return kind

    def _type(self, column: Column) -> pa.DataType | None:
        """Returns the type in which a column is compared."""
        return self._known_types(column)[1]

    def _known_types(self, column: Column) -> tuple[pa.DataType | None, pa.DataType | None]:
        """Returns the type of a column and that in which it is compared, which it keeps."""
        known = self._kinds.get(column.name)
        if known is None:
            stored = self._stored_type(column)
            known = self._kinds[column.name] = stored, self._compared_type(column, stored)
        return known

    def _compared_type(self, column: Column, stored: pa.DataType | None) -> pa.DataType | None:
        kind = stored
        if kind is None:
            return None
        if pa.types.is_dictionary(kind):
            kind = kind.value_type
        if isinstance(kind, pa.UuidType):
            kind = kind.storage_type
        expected, checks = _EXPECTED[column.type]
        if not any(check(kind) for check in checks):
            raise TypeError(f"{column.name}: expected {expected}, not {stored}")
        if column.type in _COMPARED:
            return _COMPARED[column.type]
        return pa.string() if pa.types.is_string_view(kind) else kind  # few functions support views


def _path(place: str | tuple[str, ...]) -> tuple[str, ...]:
    return (place,) if isinstance(place, str) else place


def _limits(kind: pa.DataType) -> tuple[int, int]:
    """Returns the smallest and largest number of units that a column of a type can hold."""
    if pa.types.is_decimal(kind):
        return 1 - 10**kind.precision, 10**kind.precision - 1
    bits = kind.bit_width
    if pa.types.is_unsigned_integer(kind):
        return 0, 2**bits - 1
    return -(2 ** (bits - 1)), 2 ** (bits - 1) - 1


def _scalar(units: int, kind: pa.DataType) -> pa.Scalar:
    """Returns the value of a number of units in a column's type."""
    if pa.types.is_decimal(kind):
        number = Decimal(units).scaleb(-kind.scale, Context(prec=kind.precision))
        return pa.scalar(number, kind)
    return pa.scalar(units, kind)


def to_pyarrow(
    query: Query, columns: Mapping[str, Place] | None = None, schema: pa.Schema | None = None
) -> pc.Expression:
    """Converts the conditions of a query; see EventsQuery.to_pyarrow()."""
    return PyarrowVisitor(query, columns, schema).read(query)
