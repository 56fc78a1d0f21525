# SPDX-License-Identifier: MIT
"""NumPy over plain bitmaps: a bit a row for each value that is asked for."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..data import Data
from ..queries import Clause, Query, parse
from .rendering import Rendering

Words = NDArray[np.uint64]
FIRST_WINDOW = 1 << 10  # words


class NumpyBitmaps:
    """Words of 64 rows, ANDed; made once for a value, as all of 217,000 take 270 GB at 1e7 rows."""

    settings = (
        "a bitmap of 64-bit words for each value that is asked for, made before it is measured;"
        " & | ~ and bitwise_count; only the words of a time range; pages from the end in windows"
        " that double"
    )
    version = np.__version__
    reads_json = False

    def __init__(self, data: Data, threads: int) -> None:
        """Shares the data's arrays; NumPy's operations use one thread."""
        self._data = data
        self._rendering = Rendering(data)
        self._made: dict[tuple[str, str], Words] = {}

    def _bitmap(self, column: str, value: str) -> Words:
        if (column, value) not in self._made:
            rows = self._data.codes[column] == self._data.code(column, value)
            padded = np.zeros(-(-len(rows) // 64) * 64, np.bool_)
            padded[: len(rows)] = rows
            words = np.packbits(padded, bitorder="little").view(np.uint64)
            self._made[column, value] = words
        return self._made[column, value]

    def _clause(self, clause: Clause, words: slice) -> Words:
        found = self._bitmap(clause.column, clause.values[0])[words]
        for value in clause.values[1:]:
            found = found | self._bitmap(clause.column, value)[words]
        return ~found if clause.excludes else found

    def _matches(self, query: Query, first: int, last: int) -> Words:
        """The rows from `first` to before `last`, in words from that of `first` on."""
        words = slice(first // 64, -(-last // 64))
        clauses = query.conditions
        found = self._clause(clauses[0], words)
        for clause in clauses[1:]:
            found = found & self._clause(clause, words)
        return trimmed(found, first % 64, -last % 64)

    def counter(self, query: Query) -> Callable[[], int]:
        """Counts the bits."""

        def run() -> int:
            first, last = self._data.row_range(query.start, query.end)
            return int(np.bitwise_count(self._matches(query, first, last)).sum(dtype=np.int64))

        return run

    def pager(self, text: str) -> Callable[[], bytes]:
        """Searches from the newest row back."""

        def run() -> bytes:
            query = parse(text)
            first, last = self._data.row_range(query.start, query.end)
            needed, window = query.offset + query.limit, FIRST_WINDOW
            found: list[NDArray[np.intp]] = []
            while last > first and sum(map(len, found)) < needed:
                begin = max(first, (-(-last // 64) - window) * 64)
                found.append(rows_of(self._matches(query, begin, last), begin))
                last, window = begin, window * 2
            rows = np.concatenate(found) if found else np.empty(0, np.intp)
            return self._rendering.render(rows[query.offset : needed])

        return run

    def close(self) -> None:
        """Drops the bitmaps."""
        del self._data, self._rendering, self._made


def trimmed(words: Words, before: int, after: int) -> Words:
    """The words without the first and the last bits, which are other rows."""
    if len(words) and (before or after):
        words = words.copy()
        words[0] &= np.uint64((~0 << before) & 0xFFFF_FFFF_FFFF_FFFF)
        words[-1] &= np.uint64(0xFFFF_FFFF_FFFF_FFFF >> after)
    return words


def rows_of(words: Words, first: int) -> NDArray[np.intp]:
    """The numbers of set bits from the last one back, in words that begin with that of `first`."""
    bits = np.unpackbits(words.view(np.uint8), bitorder="little")
    return np.flatnonzero(bits)[::-1] + first // 64 * 64
