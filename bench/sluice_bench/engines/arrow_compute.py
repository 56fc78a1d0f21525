# SPDX-License-Identifier: MIT
"""pyarrow.compute over codes."""

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..data import Data
from ..queries import Clause, Query, parse
from .rendering import Rendering


class ArrowCompute:
    """Kernels over arrays of codes, looked up once a query."""

    settings = (
        "the codes of dictionary arrays as uint8/16/32 (comparing the dictionary arrays themselves"
        " decodes them); equal, or_ (faster than is_in for a few values), and_; slices for time"
        " ranges; cpu_count = threads"
    )
    version = pa.__version__
    reads_json = False

    def __init__(self, data: Data, threads: int) -> None:
        """Wraps the data's arrays without a copy."""
        pa.set_cpu_count(threads)
        self._data = data
        self._codes = {name: pa.array(codes) for name, codes in data.codes.items()}
        self._rendering = Rendering(data)

    def _mask(self, clause: Clause, first: int, last: int) -> pa.BooleanArray:
        codes = self._codes[clause.column].slice(first, last - first)
        wanted = [self._data.code(clause.column, value) for value in clause.values]
        mask = pc.equal(codes, pa.scalar(wanted[0], codes.type))
        for code in wanted[1:]:
            mask = pc.or_(mask, pc.equal(codes, pa.scalar(code, codes.type)))
        return pc.invert(mask) if clause.excludes else mask

    def _matches(self, query: Query) -> tuple[pa.BooleanArray, int]:
        first, last = self._data.row_range(query.start, query.end)
        clauses = query.conditions
        mask = self._mask(clauses[0], first, last)
        for clause in clauses[1:]:
            mask = pc.and_(mask, self._mask(clause, first, last))
        return mask, first

    def counter(self, query: Query) -> Callable[[], int]:
        """Counts the mask's bits."""
        return lambda: int(self._matches(query)[0].true_count)

    def pager(self, text: str) -> Callable[[], bytes]:
        """Lists all matches and takes the page's."""

        def run() -> bytes:
            query = parse(text)
            mask, first = self._matches(query)
            rows = pc.indices_nonzero(mask)
            end = max(len(rows) - query.offset, 0)
            page = rows.slice(max(end - query.limit, 0), min(query.limit, end)).to_numpy()
            return self._rendering.render(page[::-1].astype(np.intp) + first)

        return run

    def close(self) -> None:
        """Drops the arrays."""
        del self._data, self._codes, self._rendering
