# SPDX-License-Identifier: MIT
"""pandas with categorical columns."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from ..data import Data
from ..queries import Clause, Query, parse
from .rendering import Rendering


class PandasFrame:
    """A frame of categories in time order."""

    settings = (
        "categorical columns, == (| of them is faster than isin), masks combined with &;"
        " slices of the ordered frame for time ranges; one thread"
    )
    version = pd.__version__
    reads_json = False

    def __init__(self, data: Data, threads: int) -> None:
        """Makes the frame."""
        columns = {}
        for name, codes in data.codes.items():
            kind = pd.CategoricalDtype(data.texts[name])
            columns[name] = pd.Categorical.from_codes(codes.astype(np.int32) - 1, dtype=kind)
        self._frame = pd.DataFrame(columns, copy=False)
        self._data = data
        self._rendering = Rendering(data)

    def _mask(self, frame: pd.DataFrame, clause: Clause) -> "pd.Series[bool]":
        column = frame[clause.column]
        mask = column == clause.values[0]
        for value in clause.values[1:]:
            mask |= column == value
        return ~mask if clause.excludes else mask

    def _matches(self, query: Query) -> "tuple[pd.Series[bool], int]":
        first, last = self._data.row_range(query.start, query.end)
        frame = self._frame if query.is_unbounded else self._frame.iloc[first:last]
        clauses = query.conditions
        mask = self._mask(frame, clauses[0])
        for clause in clauses[1:]:
            mask &= self._mask(frame, clause)
        return mask, first

    def counter(self, query: Query) -> Callable[[], int]:
        """Sums the mask."""
        return lambda: int(self._matches(query)[0].to_numpy().sum())

    def pager(self, text: str) -> Callable[[], bytes]:
        """Lists all matches and takes the page's."""

        def run() -> bytes:
            query = parse(text)
            mask, first = self._matches(query)
            rows = np.flatnonzero(mask.to_numpy())[::-1] + first
            return self._rendering.render(rows[query.offset : query.offset + query.limit])

        return run

    def close(self) -> None:
        """Drops the frame."""
        del self._frame, self._data, self._rendering
