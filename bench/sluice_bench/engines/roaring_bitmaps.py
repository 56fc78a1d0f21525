# SPDX-License-Identifier: MIT
"""CRoaring by pyroaring: a compressed bitmap for each value."""

from collections.abc import Callable
from functools import reduce

import numpy as np
from pyroaring import BitMap, __version__

from ..data import Data
from ..queries import Clause, Query, parse
from .rendering import Rendering


class RoaringBitmaps:
    """Row numbers of every value of every column, and of the page's window a range of them."""

    settings = (
        "a bitmap a value, run-optimised; ANDed from the smallest on, the last step as an"
        " intersection_cardinality, which makes no bitmap; one value in a window by"
        " range_cardinality; pages as a slice from the end"
    )
    version = __version__
    reads_json = False

    def __init__(self, data: Data, threads: int) -> None:
        """Makes the bitmaps; CRoaring's operations use one thread."""
        self._data = data
        self._rendering = Rendering(data)
        self._rows = {name: bitmaps_of(data, name) for name in [*data.dimensions, "plan"]}

    def _matching(self, clause: Clause) -> BitMap:
        bitmaps = self._rows[clause.column]
        found = [bitmaps[self._data.code(clause.column, value)] for value in clause.values]
        return found[0] if len(found) == 1 else BitMap.union(*found)

    def _split(self, query: Query) -> tuple[list[BitMap], list[BitMap]]:
        """The bitmaps that rows are in, the smallest first, and those that they are not in."""
        found = [(clause.excludes, self._matching(clause)) for clause in query.conditions]
        positive = sorted((bitmap for excludes, bitmap in found if not excludes), key=len)
        return positive, [bitmap for excludes, bitmap in found if excludes]

    def _count(self, query: Query) -> int:
        first, last = self._data.row_range(query.start, query.end)
        positive, negative = self._split(query)
        if len(positive) == 1 and not negative:
            return int(positive[0].range_cardinality(first, last))
        if len(negative) == 1 and not positive:
            return int(last - first - negative[0].range_cardinality(first, last))
        if len(positive) > 1 and not negative and query.is_unbounded:
            most = reduce(BitMap.__and__, positive[:-1])
            return int(most.intersection_cardinality(positive[-1]))
        return len(self._found(query))

    def _found(self, query: Query) -> BitMap:
        positive, negative = self._split(query)
        if not query.is_unbounded or not positive:
            first, last = self._data.row_range(query.start, query.end)
            positive.insert(0, BitMap(range(first, last)))
        return reduce(BitMap.__sub__, negative, reduce(BitMap.__and__, positive))

    def counter(self, query: Query) -> Callable[[], int]:
        """Counts without making the last bitmap where that can be."""
        return lambda: self._count(query)

    def pager(self, text: str) -> Callable[[], bytes]:
        """The last rows of what is found."""

        def run() -> bytes:
            query = parse(text)
            found = self._found(query)
            end = len(found) - query.offset
            rows = np.array(found[max(0, end - query.limit) : max(0, end)].to_array(), np.intp)
            return self._rendering.render(rows[::-1])

        return run

    def close(self) -> None:
        """Drops the bitmaps."""
        del self._data, self._rendering, self._rows


def bitmaps_of(data: Data, name: str) -> list[BitMap]:
    """The rows of each code of a column, code 0 included."""
    codes = data.codes[name]
    rows = np.argsort(codes, kind="stable").astype(np.uint32)
    ends = np.cumsum(data.counts(name))
    bitmaps = [BitMap(part) for part in np.split(rows, ends[:-1])]
    for bitmap in bitmaps:
        bitmap.run_optimize()
    return bitmaps
