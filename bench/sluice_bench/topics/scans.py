# SPDX-License-Identifier: MIT
"""What memory allows: scans of codes at every SIMD level, beside a plain read."""

from collections.abc import Iterator
from dataclasses import replace

from ..cell import Cell
from ..context import Context, by_driver
from ..run import UnequalError

GIGABYTE = float(1 << 30) / 1e9


def cells(context: Context) -> Iterator[Cell]:
    """One cell a level; its peer is a read of the same bytes, so the ratio is the part of it."""
    read = by_driver(context, "bandwidth ")
    yield Cell("read: a gigabyte", "a loop", read, {}, GIGABYTE, "GB")
    for level in context.driver.answer("levels ").split():
        scan = by_driver(context, f"scan {level}")
        if scan.answer() != context.driver.answer("scan scalar"):
            raise UnequalError(f"scan: {level} counts other rows than scalar")
        ours = replace(scan, answer=read.answer)  # a read has no matches to compare
        name = f"scan: set of 16 codes, {level}"
        yield Cell(name, "a SIMD kernel", ours, {"read": read}, GIGABYTE, "GB")
