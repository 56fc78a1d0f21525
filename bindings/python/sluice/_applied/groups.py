# SPDX-License-Identifier: MIT
"""Aggregates of frames: the values of their columns, as rows for C++."""

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from itertools import compress, repeat
from typing import TYPE_CHECKING, Any

from sluice._sluice import aggregate
from sluice._tables import Table, package_of, to_readable

if TYPE_CHECKING:
    from sluice._column import Column

_PACKAGES = ("polars", "pandas", "pyarrow", "duckdb", "numpy")


def apply(
    rows: Any,  # noqa: ANN401
    tree: Mapping[str, Any],
    schema: "Iterable[Column]",
    columns: Mapping[str, str | None] | None,
) -> list[dict[str, Any]]:
    """Returns the groups of objects, or of the rows of a frame that meet the conditions.

    Raises:
        ValueError: The frame lacks a column.
    """
    if not isinstance(rows, Mapping) and package_of(rows) not in _PACKAGES:
        return aggregate(rows, tree, schema, columns)
    from sluice._declared.list_query import ListQuery

    known = tuple(schema)
    conditions = ListQuery.from_tree({"where": tree.get("where", {"all": []})}, known)
    parts = [*tree.get("group_by", ()), *tree.get("measures", ())]
    named = dict(columns or {})
    read = dict.fromkeys(part["column"] for part in parts if "column" in part)
    # Conditions say what the window of buckets is, so rows are tested by them again.
    read |= dict.fromkeys(name for name in conditions.columns if named.get(name, name) is not None)
    places = {name: named.get(name) or name for name in read}
    documents = [places[one.name] for one in known if one.type == "json" and one.name in read]
    table = to_readable(_collected(rows), [*places.values()], documents)
    mask = conditions.mask(table, columns)
    times = [place for name, place in places.items() if _is_time(known, name)]
    values = [
        [*compress(_values_of(table, place, place in times), mask)] for place in places.values()
    ]
    matching = zip(*values, strict=True) if values else repeat((), mask.count())
    objects = (dict(zip(read, row, strict=True)) for row in matching)
    unread = {name: None for name, place in named.items() if place is None}
    return aggregate(objects, tree, known, unread)


def _collected(rows: Table) -> Table:
    """Returns a table instead of a relation, a dataset or a reader, which are read once."""
    for method in ("to_arrow_table", "to_table", "read_all"):
        if package_of(rows) in ("duckdb", "pyarrow") and hasattr(rows, method):
            return getattr(rows, method)()
    return rows


def _is_time(schema: "Iterable[Column]", name: str) -> bool:
    return any(column.name == name and column.type == "time" for column in schema)


def _values_of(table: Table, name: str, is_time: bool) -> list[Any]:
    """Returns the values of a column, or of a field of its structs, as Python's objects."""
    fields: list[str] = []
    while name not in (table if isinstance(table, Mapping) else _names_of(table)):
        if "." not in name:
            raise ValueError(f"the table has no column {'.'.join([name, *fields])!r}")
        name, _, field = name.rpartition(".")
        fields.insert(0, field)
    values = _list_of(table[name])
    for field in fields:
        values = [value.get(field) if isinstance(value, Mapping) else None for value in values]
    return [*map(_in_utc, values)] if is_time else values


def _list_of(column: Any) -> list[Any]:  # noqa: ANN401
    """Returns the values of a column; those of NumPy's times as such, not as their numbers."""
    if getattr(getattr(column, "dtype", None), "kind", "") == "M":
        column = column.to_numpy() if hasattr(column, "to_numpy") else column
        is_masked = hasattr(column, "filled")
        return [*(column.filled(column.dtype.type("NaT")) if is_masked else column)]
    for read in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, read):
            column = getattr(column, read)()
            break
    return list(column)


def _in_utc(value: Any) -> Any:  # noqa: ANN401
    """Returns a time of a frame, without a zone or of a date, as masks compare it: in UTC."""
    if isinstance(value, datetime):
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    return value


def _names_of(table: Table) -> list[str]:
    """Returns the names of the columns of a frame or a table of Arrow data."""
    return [*(table.column_names if hasattr(table, "column_names") else table.columns)]
