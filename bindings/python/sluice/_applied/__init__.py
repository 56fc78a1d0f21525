# SPDX-License-Identifier: MIT
"""Pages of rows in memory: lists of objects and frames."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from sluice._applied.keys import Matches, SortKey, columns_of, place_of, to_cursor_key
from sluice._pages import Page, Selection
from sluice._tables import package_of

if TYPE_CHECKING:
    from sluice._declared.list_query import ListQuery

_OF_ARROW = (
    ("pyarrow", "Table"),
    ("pyarrow", "RecordBatch"),
    ("pandas", "DataFrame"),
    ("duckdb", "DuckDBPyRelation"),
)
_Names = Mapping[str, str | None]


def apply(
    query: "ListQuery",
    rows: Any,  # noqa: ANN401
    path: str,
    columns: _Names | None,
    most_counted: int | None,
) -> Page[Any]:
    """Implements ListQuery.apply()."""
    selection = Selection(query)
    keys = _keys_of(query, selection, columns or {})
    most = selection.before + selection.size if selection.place is None else None
    matches = _matches_of(query, rows, keys, columns, most)
    first, end = min(selection.before, matches.count), matches.count
    is_before = selection.place is not None and selection.place.is_before
    if selection.place is not None:
        beside = place_of(selection.place, keys, matches)
        if is_before:
            end = matches.first_at(keys, beside)
            first = max(0, end - selection.size)
        else:
            first = matches.first_beyond(keys, beside)
    last = min(first + selection.size, end)
    ends = [
        [to_cursor_key(key.column, value) for key, value in zip(keys, row, strict=True)]
        for row in ([matches.keys(first), matches.keys(last - 1)] if first < last else [])
    ]
    return selection.page_of(
        matches.page(first, last),
        last - first,
        ends,
        first > 0 if is_before else last < end,
        matches.count if selection.is_counted and most_counted != 0 else None,
        most_counted,
        path,
    )


def _keys_of(query: "ListQuery", selection: Selection, columns: _Names) -> list[SortKey]:
    """Returns the sort keys.

    Raises:
        TypeError: The names aren't a mapping.
        ValueError: A name is of no column, or the rows lack that of a sort key.
    """
    schema = {column.name: column for column in query.schema}
    if not isinstance(columns, Mapping):
        raise TypeError(f"columns: expected a mapping, not {type(columns).__name__}")
    for name in columns:
        if name not in schema:
            raise ValueError(f"columns: the query's schema has no column {name!r}")
    keys = []
    for key in selection.order:
        name = key["column"]
        place = columns.get(name, name)
        if place is None:
            raise ValueError(f"columns: {name}: expected a name, since the rows are ordered by it")
        keys.append(SortKey(schema[name], place, key["direction"] == "desc"))
    if not keys:
        raise ValueError("order: pages need a unique column, such as id, in the query's schema")
    return keys


def _matches_of(
    query: "ListQuery",
    rows: Any,  # noqa: ANN401
    keys: Sequence[SortKey],
    columns: _Names | None,
    most: int | None,
) -> Matches[Any]:
    """Returns the rows that meet the conditions, in the query's order; at least the first `most`.

    Raises:
        TypeError: The rows are neither a frame nor a list of objects.
    """
    package, kind = package_of(rows), type(rows).__name__
    names = [(columns or {}).get(name, name) for name in columns_of(query)]
    read = [*dict.fromkeys([*filter(None, names), *(key.place for key in keys)])]
    mask = partial(query.mask, columns=columns)
    if package == "polars" and kind in ("DataFrame", "LazyFrame"):
        from sluice._applied.polars import polars_rows

        return polars_rows(keys, rows, query, columns, most)
    if (package, kind) in _OF_ARROW:
        from sluice._applied.arrow import rows_of

        return rows_of(package, keys, rows, mask)
    is_table = package in ("polars", "pandas", "pyarrow", "duckdb", "numpy")
    if is_table or isinstance(rows, str | bytes | Mapping) or not isinstance(rows, Iterable):
        expected = "a list of objects, a frame of polars or pandas, a table or a relation"
        raise TypeError(f"rows: expected {expected}, not {package}.{kind}")
    from sluice._applied.objects import Objects

    return Objects([*rows], keys, read, mask)
