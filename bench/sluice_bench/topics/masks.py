# SPDX-License-Identifier: MIT
"""Masks over columns in Python: texts, and dictionary codes."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from ..cell import Cell, Contender, Missing, python_contender
from ..context import Context, lacks, require
from .evaluation import value


def counted(run: Callable[[], Any]) -> Contender:
    """A contender that makes a mask; the answer is how many rows it keeps."""
    return python_contender(run, lambda: int(np.count_nonzero(np.asarray(run()))))


def by_arrow(array: object, values: list[str]) -> Contender:
    """The kernel is_in of pyarrow."""
    import pyarrow as pa
    import pyarrow.compute as pc

    wanted = pa.array(values)
    return counted(lambda: pc.is_in(array, value_set=wanted))


def by_polars(array: object, values: list[str]) -> Contender | Missing:
    """The method is_in of a polars Series of the same array."""
    missing = lacks("polars")
    if missing:
        return missing
    import polars as pl

    series = pl.Series(pl.from_arrow(array))
    return counted(lambda: series.is_in(values))


def cells(context: Context) -> Iterator[Cell]:
    """A filter of four values over texts, and over codes of each width."""
    require("pyarrow")
    require("sluice")
    import pyarrow as pa

    import sluice

    from ..arrow_data import dictionary_column

    column = dictionary_column(context.data, "country")
    values = [value(context.data, "country", rank) for rank in (1, 3, 5, 7)]
    wanted = sluice.Filter.parse(",".join(values))
    rows = float(context.data.rows)
    arrays = {
        "texts": column.cast("string"),
        "dictionary": column,
        "dictionary, codes of 16 bits": column.cast(pa.dictionary(pa.uint16(), pa.string())),
        "dictionary, codes of 8 bits": column.cast(pa.dictionary(pa.uint8(), pa.string())),
    }
    for name, array in arrays.items():
        ours = counted(partial(wanted.mask, array))
        peers = {"pyarrow": by_arrow(array, values), "polars": by_polars(array, values)}
        yield Cell(f"mask: {name}", "Filter.mask", ours, peers, rows, "rows")
