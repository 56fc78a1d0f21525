# SPDX-License-Identifier: MIT
"""Aggregates of frames: the values of their columns, as rows for C++."""

from collections.abc import Iterable, Mapping
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
    values = [[*compress(_values_of(table, place), mask)] for place in places.values()]
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


def _values_of(table: Table, name: str) -> list[Any]:
    """Returns the values of a column, or of a field of its structs, as Python's objects."""
    fields: list[str] = []
    while name not in (table if isinstance(table, Mapping) else _names_of(table)):
        if "." not in name:
            raise ValueError(f"the table has no column {'.'.join([name, *fields])!r}")
        name, _, field = name.rpartition(".")
        fields.insert(0, field)
    column = table[name]
    for read in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, read):
            column = getattr(column, read)()
            break
    values = list(column)
    for field in fields:
        values = [value.get(field) if isinstance(value, Mapping) else None for value in values]
    return values


def _names_of(table: Table) -> list[str]:
    """Returns the names of the columns of a frame or a table of Arrow data."""
    return [*(table.column_names if hasattr(table, "column_names") else table.columns)]
