# SPDX-License-Identifier: MIT
"""What fits into memory: roughly how many bytes a row takes, by itself and for each dimension."""

import os
from dataclasses import dataclass

from .cell import Missing
from .data import DIMENSIONS, Dimension

SHARE = 0.8  # of memory, for everything that is held at once
QUERIED = ("device", "os", "browser", "utm_source", "country", "link", "url")


@dataclass(frozen=True)
class Footprint:
    """Bytes a row."""

    row: int
    dimension: int

    def gigabytes(self, rows: int, dimensions: int) -> float:
        """What so many rows take."""
        return (self.row + self.dimension * dimensions) * rows / 1e9


ARRAYS = Footprint(20, 2)  # what engines are made from; of few dimensions it stays on disk
OWN = Footprint(70, 4)  # and metadata; measured at 10 million rows of seven dimensions
PEERS = {
    "NumPy": Footprint(0, 0),
    "NumPy bitmaps": Footprint(2, 0),
    "pyroaring": Footprint(0, 3),
    "CRoaring": Footprint(0, 3),
    "tantivy": Footprint(20, 5),
    "pyarrow": Footprint(0, 0),
    "polars": Footprint(60, 3),
    "pandas": Footprint(4, 4),
    "DuckDB": Footprint(100, 5),
    "chDB": Footprint(30, 2),
    "SQLite": Footprint(100, 16),
}
# Loading takes minutes a million rows, since each is an object of Python.
MOST_ROWS = {"tantivy": 3_000_000}


def memory() -> float:
    """The gigabytes that may be taken."""
    return SHARE * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9


def held(rows: int, dimensions: int) -> float:
    """What sluice and the arrays take."""
    arrays = ARRAYS.gigabytes(rows, dimensions) if dimensions == len(DIMENSIONS) else 0.0
    return OWN.gigabytes(rows, dimensions) + arrays


def dimensions_for(rows: int) -> tuple[Dimension, ...]:
    """All dimensions where they fit, else those that queries name."""
    if held(rows, len(DIMENSIONS)) < memory():
        return DIMENSIONS
    few = tuple(each for each in DIMENSIONS if each.name in QUERIED)
    if held(rows, len(few)) < memory():
        return few
    needed = f"{held(rows, len(few)):.3g} GB of memory, of which {memory():.3g} may be taken here"
    raise SystemExit(f"sluice doesn't fit: {rows:,} rows of {len(few)} dimensions need {needed}")


def misfit(name: str, rows: int, dimensions: int) -> Missing | None:
    """Why a peer can't hold the rows beside sluice, if it can't."""
    if rows > MOST_ROWS.get(name, rows):
        return Missing(f"doesn't fit: over {MOST_ROWS[name]:,} rows take too long to load")
    needed = held(rows, dimensions) + PEERS[name].gigabytes(rows, dimensions)
    if needed < memory():
        return None
    return Missing(
        f"doesn't fit: {needed:.3g} GB with sluice's, of which {memory():.3g} may be taken here"
    )


def fit_together(rows: int, dimensions: int) -> bool:
    """Whether all peers can be held at once."""
    peers = sum(peer.gigabytes(rows, dimensions) for peer in PEERS.values())
    return held(rows, dimensions) + peers < memory()
