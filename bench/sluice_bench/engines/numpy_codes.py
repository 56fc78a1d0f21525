# SPDX-License-Identifier: MIT
"""NumPy over dictionary codes: what one writes by hand."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..data import Data
from ..queries import Clause, Query, parse
from .rendering import Rendering


class NumpyCodes:
    """Masks over arrays of codes."""

    settings = (
        "codes of 1, 2 or 4 bytes, one comparison a value and one mask a clause; time ranges by"
        " searchsorted; pages from the end in windows that double"
    )
    version = np.__version__
    reads_json = False

    def __init__(self, data: Data, threads: int) -> None:
        """Shares the data's arrays; NumPy's comparisons use one thread."""
        self._data = data
        self._rendering = Rendering(data)

    def _mask(self, clause: Clause, first: int, last: int) -> NDArray[np.bool_]:
        codes = self._data.codes[clause.column][first:last]
        wanted = [self._data.code(clause.column, value) for value in clause.values]
        mask: NDArray[np.bool_] = codes == wanted[0]
        for code in wanted[1:]:
            mask |= codes == code
        return ~mask if clause.excludes else mask

    def _matches(self, query: Query, first: int, last: int) -> NDArray[np.bool_]:
        clauses = query.conditions
        mask = self._mask(clauses[0], first, last)
        for clause in clauses[1:]:
            mask &= self._mask(clause, first, last)
        return mask

    def counter(self, query: Query) -> Callable[[], int]:
        """Counts the mask's bytes."""

        def run() -> int:
            rows = self._data.row_range(query.start, query.end)
            return int(np.count_nonzero(self._matches(query, *rows)))

        return run

    def pager(self, text: str) -> Callable[[], bytes]:
        """Searches from the newest row back."""

        def run() -> bytes:
            query = parse(text)
            first, last = self._data.row_range(query.start, query.end)
            needed, window = query.offset + query.limit, 1 << 16
            found: list[NDArray[np.intp]] = []
            while last > first and sum(map(len, found)) < needed:
                begin = max(first, last - window)
                rows = np.flatnonzero(self._matches(query, begin, last))
                found.append(rows[::-1] + begin)
                last, window = begin, window * 2
            rows = np.concatenate(found) if found else np.empty(0, np.intp)
            return self._rendering.render(rows[query.offset : needed])

        return run

    def close(self) -> None:
        """Drops the arrays."""
        del self._data, self._rendering
