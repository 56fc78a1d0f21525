# SPDX-License-Identifier: MIT
"""One run of the comparison, topic by topic."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from . import data, events, row_engines, servers, services, tasks
from .context import Context
from .environment import BUILD
from .measuring import Cell, Collector, LineProcess, Missing, Results

EVALUATION = ("count", "page")
SERVERS = ("server",)
# By what the names of their cells begin with.
TOPICS: dict[tuple[str, ...], Callable[[Context], Iterator[Cell]]] = {
    ("events", "request"): events.cells,
    ("validate",): tasks.validations,
    ("limit",): tasks.decisions,
    ("JSON",): tasks.writes,
    ("ingest",): tasks.loads,
    ("mask",): tasks.masks,
}


def is_wanted(topic: tuple[str, ...], only: Sequence[str]) -> bool:
    """Returns true if cells of a topic may be wanted; saves making them ready."""
    names = [name for group in (EVALUATION, *TOPICS, SERVERS) for name in group]
    wanted = [name for name in names if any(word.startswith(name) for word in only)]
    return not wanted or any(name in topic for name in wanted)


def measure_servers(context: Context, collector: Collector) -> list[Results]:
    """Returns the rows of servers; notes why there are none."""
    try:
        rows = servers.measure(context)
    except Exception as error:  # whatever a server does
        collector.note(error)
        return []
    if isinstance(rows, Missing):
        collector.engines["servers"] = {"missing": rows.reason}
        return []
    return rows


def compare(
    driver: Path, server: Path, rows: int, threads: int, pairs: int, only: Sequence[str]
) -> Results:
    """Runs everything and returns what the results file holds."""
    held = data.generate(BUILD / "data", rows, data.dimensions_for(rows))
    context = Context(held, threads, LineProcess(driver), server)
    context.driver.ask(f"load {held.folder}")
    collector = Collector(pairs, only)
    if is_wanted(EVALUATION, only):
        row_engines.measure(collector, context.driver, held, threads)
    for names, cells in TOPICS.items():
        if is_wanted(names, only):
            collector.take(cells(context))
    rows_of_servers = measure_servers(context, collector) if is_wanted(SERVERS, only) else []
    context.driver.close()
    for name, (version, settings) in services.ABOUT.items():
        collector.engines[name] = {"version": version, "settings": settings}
    return collector.results(
        rows=rows,
        dimensions=len(held.dimensions),
        events=context.events,
        threads=threads,
        servers=rows_of_servers,
    )
