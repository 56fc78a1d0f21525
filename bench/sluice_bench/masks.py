# SPDX-License-Identifier: MIT
"""Masks over columns in Python: texts, and dictionary codes."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .context import Context
from .data import dictionary_column
from .evaluation import value
from .measuring import Cell, Contender, Peer, by_python, lacks


def counted(run: Callable[[], Any]) -> Contender:
    """Makes a contender of a mask; the answer is how many rows it keeps."""
    return by_python(run, lambda: int(np.count_nonzero(np.asarray(run()))))


def by_polars(array: object, values: list[str]) -> Peer:
    """Masks a polars Series of the same array by is_in."""
    if missing := lacks("polars"):
        return missing
    import polars as pl

    series = pl.Series(pl.from_arrow(array))
    return counted(lambda: series.is_in(values))


def cells(context: Context) -> Iterator[Cell]:
    """Yields a filter of four values over texts, and over codes."""
    import sluice

    column = dictionary_column(context.data, "country")
    values = [value(context.data, "country", rank) for rank in (1, 3, 5, 7)]
    wanted = sluice.Filter.parse(",".join(values))
    for name, array in {"texts": column.cast("string"), "dictionary": column}.items():
        by_arrow = counted(partial(pc.is_in, array, value_set=pa.array(values)))
        peers = {"pyarrow": by_arrow, "polars": by_polars(array, values)}
        yield Cell(f"mask: {name}", "Filter.mask", counted(partial(wanted.mask, array)), peers)
