# SPDX-License-Identifier: MIT
"""Converts Arrow columns to the types that are compared, sorted and shown."""

import pyarrow as pa
import pyarrow.compute as pc

_UNITS = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}  # in a second
# The first second of the year 1, and of the year 10000, since 1970.
_FIRST, _AFTER = -62_135_596_800, 253_402_300_800
_LARGEST = 2**63 - 1


def normal_column(column: pa.Array) -> pa.Array:
    """Converts a column: without dictionaries, with one type for each kind of values.

    Texts become large_string, times UTC milliseconds, floats doubles, and dates date32.
    """
    type_ = column.type
    if pa.types.is_dictionary(type_):
        return normal_column(column.dictionary_decode())
    if pa.types.is_string(type_) or pa.types.is_string_view(type_):
        return column.cast(pa.large_string())
    if pa.types.is_timestamp(type_):
        return _milliseconds(column)
    if pa.types.is_float32(type_) or pa.types.is_float64(type_):
        return column.cast(pa.float64())
    if pa.types.is_date(type_):
        return column.cast(pa.date32())
    return column


def without_nan(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Returns a column in which NaN is missing, as in conditions."""
    if not pa.types.is_float64(column.type):
        return column
    return pc.if_else(pc.is_nan(column), None, column)


def _milliseconds(column: pa.Array) -> pa.Array:
    """Converts times; those outside the years 1 to 9999 become missing, as in masks."""
    unit = column.type.unit
    raw = column.cast(pa.timestamp(unit)).cast(pa.int64())
    first = max(_FIRST * _UNITS[unit], -_LARGEST)
    after = min(_AFTER * _UNITS[unit], _LARGEST)
    has_year = pc.and_(pc.greater_equal(raw, first), pc.less(raw, after))
    times = pc.if_else(has_year, raw, None).cast(pa.timestamp(unit))
    return pc.floor_temporal(times, unit="millisecond").cast(pa.timestamp("ms"))
