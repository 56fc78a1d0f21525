# SPDX-License-Identifier: MIT
"""Masks over columns in Python."""

from collections.abc import Iterator
from functools import partial

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

import sluice

from .context import Context
from .measuring import Cell, Library


def cells(context: Context) -> Iterator[Cell]:
    """Yields a filter of four values over texts, as an Arrow array and as a Series."""
    array = context.data.dictionary("country").cast("string")
    values = [context.data.frequent("country", rank) for rank in (1, 3, 5, 7)]
    mask, series = sluice.Filter.parse(",".join(values)).mask, pl.Series(array)
    names = pa.array(values)
    peers = {
        "pyarrow": Library(mask=lambda _: partial(pc.is_in, array, value_set=names)),
        "polars": Library(mask=lambda _: partial(series.is_in, values)),
    }
    ours = Library(mask=lambda _: partial(mask, array))
    yield Cell("mask: texts", "Filter.mask", "mask", ours, peers, np.count_nonzero)
