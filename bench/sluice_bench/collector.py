# SPDX-License-Identifier: MIT
"""Measures the cells of a run that are wanted, whatever happens to others."""

import sys
from collections.abc import Iterator, Sequence
from typing import Any

from .cell import Cell
from .progress import Progress
from .run import SAMPLE_NS, measure


class Collector:
    """Collects measured cells; with `only`, those whose names hold one of its words."""

    def __init__(self, pairs: int, only: Sequence[str], sample_ns: float = SAMPLE_NS) -> None:
        """Starts with no cells. A run of a short task is repeated until it takes so long."""
        self._pairs = pairs
        self._sample_ns = sample_ns
        self._only = only
        self.cells: list[dict[str, Any]] = []
        self.errors: list[str] = []

    def take(self, cells: Iterator[Cell]) -> None:
        """Measures what is wanted; peers of a cell that is there already are added to it."""
        for cell in self._made(cells):
            measured = self._measure(cell) if self._is_wanted(cell) else None
            if measured is None:
                continue
            known = {known["name"]: known for known in self.cells}.get(cell.name)
            if known is None:
                self.cells.append(measured)
            else:
                known["peers"] |= measured["peers"]

    def note(self, error: str) -> None:
        """Says what went wrong: the run goes on and fails."""
        self.errors.append(error)
        print(f"error: {error}", file=sys.stderr)

    def _made(self, cells: Iterator[Cell]) -> Iterator[Cell]:
        """The cells of a topic, up to one that can't be made ready."""
        try:
            yield from cells
        except Exception as error:  # whatever a peer throws
            self.note(f"not made: {error!r}")

    def _is_wanted(self, cell: Cell) -> bool:
        return not self._only or any(word in cell.name for word in self._only)

    def _measure(self, cell: Cell) -> dict[str, Any] | None:
        progress = Progress(self._pairs)
        try:
            return measure(cell, self._pairs, progress.step, self._sample_ns)
        except Exception as error:  # whatever an engine throws
            self.note(f"{cell.name}: {error}")
            return None
        finally:
            progress.finish()
