# SPDX-License-Identifier: MIT
"""CRoaring in C++, held and measured by the driver."""

from collections.abc import Callable

from ..cell import Contender, Missing
from ..data import Data
from ..line_process import LineProcess
from ..queries import Query


class Croaring:
    """The bitmaps of the driver's own data."""

    settings = (
        "in C++, a bitmap a value, run-optimised and at hand before a count begins; one column by"
        " cardinality or range_cardinality, more by AND from the smallest on, in place, then"
        " ANDNOT, the last step as and_cardinality or andnot_cardinality; lists by or_many, windows"
        " of several columns as a range to AND; pages by select and an iterator, or in windows from"
        " the end that double, with sluice's JSON"
    )
    reads_json = False

    def __init__(self, driver: LineProcess, data: Data) -> None:
        """Has the driver make the bitmaps."""
        self._driver = driver
        self.version = driver.answer(f"roaring_load {data.folder}")

    def _contender(self, operation: str) -> Contender:
        driver = self._driver
        return Contender(driver.timer(operation), lambda: driver.answer(operation))

    def counting(self, query: Query) -> Contender:
        """A count."""
        return self._contender(f"roaring_count {query.text()}")

    def paging(self, text: str) -> Contender:
        """A page."""
        return self._contender(f"roaring_page {text}")

    def close(self) -> None:
        """Leaves the bitmaps to the driver, which ends with the run."""


def find_croaring(driver: LineProcess) -> Callable[[Data, int], Croaring] | Missing:
    """What makes the engine, if the driver was built with it."""
    if "roaring_count" not in driver.names():
        return Missing("libroaring-dev is not installed")
    return lambda data, _threads: Croaring(driver, data)
