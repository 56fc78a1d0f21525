# SPDX-License-Identifier: MIT
"""Aggregates of frames: the values of their columns, as rows for C++."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime
from itertools import compress, repeat
from typing import TYPE_CHECKING, Any

from sluice._sluice import aggregate
from sluice._tables import Table, package_of, relation_reader, roots_of, to_readable

if TYPE_CHECKING:
    from sluice._column import Column

_AT_ONCE = 65_536  # rows
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
    times = [places[one.name] for one in known if one.type == "time" and one.name in read]

    def objects() -> Iterator[dict[str, Any]]:
        for part in _parts_of(rows, [*places.values()]):
            table = to_readable(part, [*places.values()], documents)
            mask = conditions.mask(table, columns)
            values = [
                [*compress(_values_of(table, place, place in times), mask)]
                for place in places.values()
            ]
            for row in zip(*values, strict=True) if values else repeat((), mask.count()):
                yield dict(zip(read, row, strict=True))

    unread = {name: None for name, place in named.items() if place is None}
    return aggregate(objects(), tree, known, unread)


def _parts_of(rows: Table, columns: list[str]) -> Iterator[Table]:
    """Yields the rows of a frame, a part at a time, so that no more are read or converted at once.

    Args:
        rows: The frame.
        columns: The columns that are read, with dots for fields of structs.
    """
    package = package_of(rows)
    if hasattr(rows, "collect_schema") and hasattr(rows, "collect_batches"):
        roots = roots_of(rows.collect_schema().names(), columns)
        yield from rows.select(roots).collect_batches()
    elif hasattr(rows, "iter_slices"):
        yield from rows.iter_slices(_AT_ONCE)
    elif package == "pandas" and hasattr(rows, "iloc"):
        yield from (rows[at : at + _AT_ONCE] for at in range(0, len(rows), _AT_ONCE))
    elif package in ("pyarrow", "duckdb"):
        yield from _batches_of(rows, columns)
    else:
        yield rows


def _batches_of(rows: Table, columns: list[str]) -> Iterable[Table]:
    """Returns batches of a table, a dataset, a scanner, a reader or a relation."""
    if package_of(rows) == "duckdb":
        rows = relation_reader(rows, columns)
    elif hasattr(rows, "scanner"):
        rows = rows.scanner(roots_of(rows.schema.names, columns))
    if hasattr(rows, "to_reader"):  # a table or a scanner
        rows = rows.to_reader()
    batches: Iterable[Table] = rows if hasattr(rows, "read_next_batch") else [rows]
    return batches


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
