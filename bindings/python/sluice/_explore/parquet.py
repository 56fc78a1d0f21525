# SPDX-License-Identifier: MIT
"""A Parquet file in memory."""

import functools
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import sluice
from sluice._explore import cells
from sluice._explore.columns import (
    columns_of,
    endpoint_of,
    key_of,
    parameters_of,
    schema_of,
    window_of,
)
from sluice._explore.normal import normal_column, without_nan
from sluice._explore.source import (
    NO_HISTOGRAM,
    TOP,
    Histogram,
    Work,
    bucket_of,
    format_ms,
    from_ms,
    histogram_of,
    refuse_column,
    to_ms,
)
from sluice._progress import progress_bar
from sluice._running import StartError
from sluice.groups import Aggregate, facet_tree

_MOST_BYTES = 4 << 30  # of all columns in memory
_MOST_ROWS = 20_000_000
_AT_ONCE = 65_536  # rows that are decoded at once
_MOST_GROUPS = 10_000  # of an aggregate
_KEPT = 4  # recent queries whose matching rows are cached


class ParquetSource:
    """The rows of a file; its current time is its last time, so that it never ages."""

    def __init__(self, table: pa.Table, path: Path) -> None:
        """Creates the source of a table, whose columns are those of normal_column()."""
        self._columns = columns_of(table)
        self._table = table.rename_columns([column.parameter for column in self._columns])
        self._path = path
        self._key = key_of(self._columns, self._table)
        self._endpoint = endpoint_of(self._columns, self._key)
        self._names = {column.name: column.parameter for column in self._columns if column.kind}
        window = window_of(self._columns)
        self._window = window.parameter if window else None
        self._extent = _extent(self._table[window.parameter]) if window else None
        self._find_cached = functools.lru_cache(_KEPT)(self._find)

    @classmethod
    def read(cls, path: Path) -> "ParquetSource":
        """Reads a file.

        Raises:
            StartError: The file doesn't exist, isn't a Parquet file, or is too large.
        """
        try:
            with pq.ParquetFile(path) as file:
                return cls(_read(file, path), path)
        except OSError as error:
            reason = os.strerror(error.errno) if error.errno else error
            raise StartError(f"{path}: {reason}") from None
        except (pa.ArrowException, ValueError) as error:
            raise StartError(f"{path}: {str(error).partition(chr(10))[0]}") from None

    def describe(self) -> dict[str, Any]:
        """Returns the description for the page."""
        parameters = parameters_of(self._columns)
        compared = ("filter", "integer", "decimal", "real", "date", "boolean")
        return {
            "name": self._path.name,
            "kind": "declared",
            "now": self._extent[1] if self._extent else None,
            "plans": False,
            "request": {"url": "https://api.example/rows", "token": False},
            "parameters": parameters,
            "schema": schema_of(self._columns),
            "key": self._key,
            "columns": [column.parameter for column in self._columns],
            "names": {
                column.parameter: column.name
                for column in self._columns
                if column.parameter != column.name
            },
            "filters": {
                name: name
                for name, parameter in parameters.items()
                if parameter["type"] in compared
            },
            "unfiltered": {
                column.parameter: column.problem for column in self._columns if column.problem
            },
            "time": self._window,
            "tops": [of.parameter for of in self._columns if of.kind and of.kind != "time"],
        }

    def rows(self, query: str, offset: int, limit: int, work: Work) -> str:
        """Returns rows in the query's order."""
        matching = self._matching(query, work)
        rows = self._table.take(matching.slice(min(offset, len(matching)), limit))
        return json.dumps(cells.rows_of(rows), ensure_ascii=False, allow_nan=False)

    def count(self, query: str, work: Work) -> int:
        """Returns the number of matching rows."""
        return len(self._matching(query, work))

    def explain(self, query: str, work: Work) -> None:
        """Returns None: files have no query plans."""

    def histogram(self, query: str, work: Work) -> Histogram:
        """Returns the numbers of matching rows in the buckets of the window."""
        if self._window is None or self._extent is None:
            return NO_HISTOGRAM
        window = getattr(self._parse(query), self._window)
        start = to_ms(window.start) if window.start else self._extent[0]
        end = to_ms(window.end) if window.end else self._extent[1]
        if window.start is None:
            end = min(end, self._extent[1])
        if start > end:
            return NO_HISTOGRAM
        within = {"gte": format_ms(start), "lte": format_ms(end)}
        tree = {
            "where": {"column": self._window, **within},
            "group_by": [
                {
                    "column": self._window,
                    "bucket": bucket_of(start, end),
                    "zone": window.timezone,
                    "as": "start",
                }
            ],
            "limit": _MOST_GROUPS,
        }
        times = self._table.select([self._window]).take(self._matching(query, work))
        groups = Aggregate(tree, (sluice.Column(self._window, "time"),)).to_pyarrow(times)
        return histogram_of(
            [(to_ms(row["start"]), row["count"]) for row in groups.to_pylist()], start, end
        )

    def top(self, query: str, column: str, work: Work) -> list[dict[str, Any]]:
        """Returns the facet of a column."""
        work.left_ms()  # raises GoneError
        shown = next((of for of in self._columns if of.parameter == column), None)
        if shown is None or shown.kind in (None, "time"):
            refuse_column(column)
        parsed = self._parse(query)
        tree = facet_tree(parsed.tree(), parsed.schema, shown.name, TOP)
        others = self._endpoint.from_tree({"where": tree.pop("where")})
        values = self._table.select([column]).filter(
            pa.array(others.mask(self._table, self._names))
        )
        groups = Aggregate(tree, (shown.to_column(),)).to_pyarrow(values, {shown.name: column})
        rows = cells.rows_of(groups)
        counted = [row for row in rows if row[shown.name] is not None]
        return [{"value": row[shown.name], "count": row["count"]} for row in counted[:TOP]]

    def _parse(self, query: str) -> sluice.ListQuery:
        return self._endpoint.parse(query, now=from_ms(self._extent[1]) if self._extent else None)

    def _matching(self, query: str, work: Work) -> pa.Array:
        """Returns the indexes of the matching rows, in the query's order."""
        work.left_ms()  # raises GoneError
        tree = self._parse(query).tree()
        return self._find_cached(json.dumps({"where": tree.get("where"), "order": tree["order"]}))

    def _find(self, tree: str) -> pa.Array:
        """Implements _matching() for the conditions and the order of a query, as JSON."""
        members = json.loads(tree)
        query = self._endpoint.from_tree(
            {name: member for name, member in members.items() if member}
        )
        matching = pc.indices_nonzero(pa.array(query.mask(self._table, self._names)))
        keys = dict(self._sort_keys(members["order"], matching))
        order = [(name, direction) for name, (_, direction) in keys.items()]
        if not order:
            return matching
        sorted_by = pa.table({name: values for name, (values, _) in keys.items()})
        return matching.take(pc.sort_indices(sorted_by, sort_keys=order))

    def _sort_keys(
        self, order: list[dict[str, str]], matching: pa.Array
    ) -> Iterator[tuple[str, tuple[Any, str]]]:
        """Yields the sort keys of the matching rows: a name, the values and the direction.

        A nullable column has two keys, the first of which sorts missing values before all others.
        """
        for place, key in enumerate(order):
            direction = f"{key['direction']}ending"
            if key["column"] not in self._names:
                yield f"{place}", (matching, direction)  # the row's number
                continue
            values = without_nan(self._table[self._names[key["column"]]].take(matching))
            if values.null_count:
                yield f"{place} is there", (values.is_valid(), direction)
            yield f"{place}", (values, direction)


def _read(file: pq.ParquetFile, path: Path) -> pa.Table:
    """Reads all rows, with columns as of normal_column().

    Batches are converted one by one, so that the limit of memory counts decoded dictionaries.

    Raises:
        StartError: The file is too large, or has columns without unique names.
    """
    total = file.metadata.num_rows
    names = file.schema_arrow.names
    if len(set(names)) != len(names) or "" in names:
        raise StartError(f"{path}: expected columns that each have a name of their own")
    if total > _MOST_ROWS:
        raise StartError(f"{path}: {total} rows, expected at most {_MOST_ROWS}")
    batches, size = [_normal(pa.RecordBatch.from_pylist([], file.schema_arrow))], 0
    with progress_bar(" rows") as report:
        for batch in file.iter_batches(_AT_ONCE):
            batches.append(_normal(batch))
            size += batches[-1].nbytes
            if size > _MOST_BYTES:
                raise StartError(f"{path}: expected at most {_MOST_BYTES} bytes in memory")
            report(min(total, _AT_ONCE * len(batches)), total)
    return pa.Table.from_batches(batches)


def _normal(batch: pa.RecordBatch) -> pa.RecordBatch:
    columns = [normal_column(column) for column in batch.columns]
    return pa.RecordBatch.from_arrays(columns, batch.schema.names)


def _extent(times: pa.ChunkedArray) -> tuple[int, int] | None:
    """Returns the first and the last time, in milliseconds."""
    extent = pc.min_max(times.cast(pa.int64())).as_py()
    return (extent["min"], extent["max"]) if extent["min"] is not None else None
