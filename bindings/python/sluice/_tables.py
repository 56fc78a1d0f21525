# SPDX-License-Identifier: MIT
"""Converts tables of other packages for masks: Arrow data with metadata as JSON text."""

import json
from collections.abc import Collection, Iterator, Mapping
from decimal import Decimal
from typing import Any, TypeAlias

Table: TypeAlias = Any  # of any package
Value: TypeAlias = Any


def to_readable(table: Table, columns: list[str], documents: list[str]) -> Table:
    """Converts a table to one that exports Arrow data.

    Args:
        table: A frame, a table, a dataset, a scanner, or a mapping of columns. Others are returned
            unchanged.
        columns: The columns that will be read, with dots for fields of structs.
        documents: Those of them that hold JSON: structs and maps become JSON texts.
    """
    package = type(table).__module__.partition(".")[0]
    if package == "polars":
        return _of_polars(table, columns, documents)
    if package == "pyarrow":
        return _of_pyarrow(table, columns, documents)
    return _of_mapping(table, documents) if isinstance(table, Mapping) else table


def _of_mapping(table: Mapping[str, Table], documents: list[str]) -> Mapping[str, Table]:
    """Implements to_readable() for columns by name."""
    held = {name: table[name] for name in documents if name in table}
    nested = {name: column for name, column in held.items() if _is_nested(column)}
    return {**table, **{name: _to_json(column.to_pylist()) for name, column in nested.items()}}


def _of_polars(table: Table, columns: list[str], documents: list[str]) -> Table:
    """Implements to_readable() for frames of polars; lazy ones are collected."""
    import polars as pl

    if isinstance(table, pl.LazyFrame):
        names = table.collect_schema().names()
        table = table.select(_roots(names, columns)).collect()
    if not isinstance(table, pl.DataFrame):
        return table
    nested = [name for name in documents if isinstance(table.schema.get(name), pl.Struct)]
    texts = (pl.Series(name, _to_json(table[name].to_list()), pl.String) for name in nested)
    return table.with_columns(*texts)


def _of_pyarrow(table: Table, columns: list[str], documents: list[str]) -> Table:
    """Implements to_readable() for objects of pyarrow; datasets become readers of batches."""
    import pyarrow as pa

    if hasattr(table, "scanner"):
        table = table.scanner(_roots(table.schema.names, columns))
    if hasattr(table, "to_reader") and not isinstance(table, pa.Table):
        table = table.to_reader()
    if not isinstance(table, pa.Table | pa.RecordBatch | pa.RecordBatchReader):
        return table
    schema = table.schema
    single = [name for name in documents if schema.get_field_index(name) >= 0]
    nested = [name for name in single if _is_nested(schema.field(name))]
    if not nested or not isinstance(table, pa.RecordBatchReader):
        return _with_texts(table, nested)
    batches = (_with_texts(batch, nested) for batch in table)
    return pa.RecordBatchReader.from_batches(_with_text_fields(table.schema, nested), batches)


def _roots(names: Collection[str], columns: list[str]) -> list[str]:
    """Returns the columns of a table that contain `columns`; at least one, to count rows."""
    wanted = {name: None for column in columns for name in _beginnings(column) if name in names}
    return list(wanted) or list(names)[:1]


def _beginnings(column: str) -> Iterator[str]:
    """Returns `a`, `a.b` and `a.b.c` for `a.b.c`."""
    parts = column.split(".")
    return (".".join(parts[:count]) for count in range(1, len(parts) + 1))


def _is_nested(column: Table) -> bool:
    """Returns true if a column or field of pyarrow has structs or maps."""
    if type(column).__module__.partition(".")[0] != "pyarrow":
        return False
    import pyarrow as pa

    return bool(pa.types.is_struct(column.type) or pa.types.is_map(column.type))


def _with_texts(table: Table, names: list[str]) -> Table:
    """Replaces columns of a table or batch by their JSON."""
    import pyarrow as pa

    for name in names:
        texts = pa.array(_to_json(table.column(name).to_pylist()), pa.string())
        table = table.set_column(table.schema.get_field_index(name), name, texts)
    return table


def _with_text_fields(schema: Table, names: list[str]) -> Table:
    import pyarrow as pa

    for name in names:
        schema = schema.set(schema.get_field_index(name), pa.field(name, pa.string()))
    return schema


def _to_json(values: list[Value]) -> list[str | None]:
    return [None if value is None else _json(value) for value in values]


def _json(value: Value) -> str:
    """Returns the JSON of a value, with exact decimals; NaN counts as missing."""
    if isinstance(value, list) and value and isinstance(value[0], tuple):
        value = dict(value)  # a map; the last of repeated keys counts
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(key)}:{_json(value[key])}" for key in value) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_json, value)) + "]"
    if value != value:
        return "null"
    return str(value) if isinstance(value, Decimal) else json.dumps(value, allow_nan=False)
