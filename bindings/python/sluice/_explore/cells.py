# SPDX-License-Identifier: MIT
"""Cells of Arrow data as JSON."""

import base64
import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa

_MOST_CHARACTERS = 10_000  # of a text; longer ones are cut
_MOST_ITEMS = 1_000  # of a list
_SAFE_INTEGER = 2**53  # JavaScript rounds larger ones
_HIDDEN = "(not shown)"  # for values that Python lacks, such as nanoseconds inside a list


def rows_of(table: pa.Table) -> list[dict[str, Any]]:
    """Returns the rows as JSON values.

    Decimals and large integers become texts; times are truncated to milliseconds in UTC; bytes
    become Base64; long values end with an ellipsis.
    """
    columns = [[_shown(cell) for cell in column] for column in table.columns]
    return [dict(zip(table.column_names, row, strict=True)) for row in zip(*columns, strict=True)]


def _shown(cell: pa.Scalar) -> object:
    try:
        return _to_json(cell.as_py())
    except (ValueError, OverflowError, pa.ArrowException):
        return _HIDDEN


def _to_json(value: Any) -> object:  # noqa: ANN401
    match value:
        case None | bool():
            return value
        case int():
            return value if -_SAFE_INTEGER < value < _SAFE_INTEGER else str(value)
        case float():
            return value if math.isfinite(value) else str(value)
        case str():
            return _cut(value)
        case Decimal():
            return format(value, "f")
        case bytes():
            return _cut(base64.b64encode(value[:_MOST_CHARACTERS]).decode())
        case datetime():
            return value.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"
        case Mapping():
            return {str(key): _to_json(item) for key, item in value.items()}
        case Sequence():
            shown = [_to_json(item) for item in value[:_MOST_ITEMS]]
            return shown if len(value) <= _MOST_ITEMS else [*shown, "…"]
        case _:
            return str(value)


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_CHARACTERS else text[:_MOST_CHARACTERS] + "…"
