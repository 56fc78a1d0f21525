# SPDX-License-Identifier: MIT
"""polars with Enum columns."""

from collections.abc import Callable

import polars as pl

from ..arrow_data import id_column
from ..data import Data
from ..queries import Clause, Query, parse
from .rendering import render_tuples


class PolarsFrame:
    """A lazy frame, the newest row first so that a page is a head."""

    settings = (
        "Enum columns, newest row first, time marked sorted; lazy: counts in the in-memory engine,"
        " row numbers of a page as filter + slice in the streaming engine, which stops early,"
        " then gathered;"
        " POLARS_MAX_THREADS = threads"
    )
    version = pl.__version__
    reads_json = False

    def __init__(self, data: Data, threads: int) -> None:
        """Makes the frame."""
        columns = [
            pl.Series("id", pl.from_arrow(id_column(data)))[::-1],
            pl.Series("time", data.times[::-1]).set_sorted(descending=True),
        ]
        for name, codes in data.codes.items():
            kind = pl.Enum(data.texts[name])
            physical = kind_of_codes(len(data.texts[name]))
            values = pl.Series(name, codes[::-1])
            values = values.set(values == 0, None) - 1
            columns.append(values.cast(physical).cat.to(kind))
        self._frame = pl.DataFrame(columns).rechunk().with_row_index("row")
        self._names = ["id", "time", *data.dimensions, "metadata"]
        self._data = data

    def _matching(self, query: Query) -> pl.LazyFrame:
        frame = self._frame
        if not query.is_unbounded:
            first, last = self._data.row_range(query.start, query.end)
            frame = frame.slice(self._data.rows - last, last - first)
        return frame.lazy().filter(*map(expression, query.conditions))

    def counter(self, query: Query) -> Callable[[], int]:
        """Counts what the filter keeps."""
        return lambda: int(self._matching(query).select(pl.len()).collect().item())

    def pager(self, text: str) -> Callable[[], bytes]:
        """Takes the page off what the filter keeps."""

        def run() -> bytes:
            query = parse(text)
            found = self._matching(query).select("row").slice(query.offset, query.limit)
            rows = found.collect(engine="streaming")["row"]
            return render_tuples(self._names, self._frame[rows].select(self._names).rows())

        return run

    def close(self) -> None:
        """Drops the frame."""
        del self._frame, self._data


def kind_of_codes(values: int) -> type[pl.DataType]:
    """The integers that an Enum of so many values is made of."""
    return pl.UInt8 if values < 1 << 8 else pl.UInt16 if values < 1 << 16 else pl.UInt32


def expression(clause: Clause) -> pl.Expr:
    """A clause as polars has it; absent values pass an exclusion."""
    column = pl.col(clause.column)
    if len(clause.values) > 1:
        found = column.is_in(list(clause.values))
        return (~found).fill_null(True) if clause.excludes else found
    value = clause.values[0]
    return column.ne_missing(value) if clause.excludes else column == value
