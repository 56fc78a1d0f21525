# SPDX-License-Identifier: MIT
"""One run of the comparison, topic by topic."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from . import data, events, row_engines, servers, tasks
from .context import Context
from .environment import BUILD
from .measuring import Cell, Collector, LineProcess, Results

MOST_ROWS = 10_000_000  # with all dimensions
# By what the names of their cells begin with.
TOPICS: dict[tuple[str, ...], Callable[[Context], Iterator[Cell]]] = {
    ("count", "page"): row_engines.cells,
    ("events",): events.cells,
    ("validate",): tasks.validations,
    ("limit",): tasks.decisions,
    ("mask",): tasks.masks,
    ("server",): servers.cells,
}


def is_wanted(topic: tuple[str, ...], only: Sequence[str]) -> bool:
    """Returns true if cells of a topic may be wanted; saves making them ready."""
    names = [name for group in TOPICS for name in group]
    wanted = [name for name in names if any(word.startswith(name) for word in only)]
    return not wanted or any(name in topic for name in wanted)


def compare(
    driver: Path, server: Path, rows: int, threads: int, pairs: int, only: Sequence[str]
) -> Results:
    """Runs everything and returns what the results file holds."""
    dimensions = data.DIMENSIONS if rows <= MOST_ROWS else data.FEW_DIMENSIONS
    held = data.generate(BUILD / "data", rows, dimensions)
    collector = Collector(pairs, only)
    context = Context(held, threads, LineProcess(driver), server, collector)
    context.driver.ask(f"load {held.folder}")
    for names, cells in TOPICS.items():
        if is_wanted(names, only):
            collector.take(cells(context))
    context.driver.close()
    sizes = {"rows": rows, "dimensions": len(dimensions), "events": context.events}
    return collector.results(**sizes, threads=threads)
