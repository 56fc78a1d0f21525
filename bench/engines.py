# SPDX-License-Identifier: MIT
"""Compares compiled queries with queries written by hand, in the engines that hold the rows.

    python bench/engines.py --json bench/results/engines.json

asks engines over Parquet files and databases with tables of their own for pages and counts, a
store of events in ClickHouse for pages, and limiters for decisions that are shared through Redis.
It starts the servers that it needs, checks that all answers are equal, measures, and writes the
JSON file and, for bench/results/engines.json, its part of bench/measurements.md. It needs the
packages of the tests, .ci/requirements.txt, and the servers that these start.
"""

import argparse
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests" / "python"))  # has the servers
os.environ["POLARS_MAX_THREADS"] = "1"

from sluice_bench import session  # noqa: E402
from sluice_bench.cell import Cell  # noqa: E402
from sluice_bench.collector import Collector  # noqa: E402
from sluice_bench.data import generate  # noqa: E402
from sluice_bench.environment import BUILD  # noqa: E402
from sluice_bench.pushdown import cells as pushdown  # noqa: E402
from sluice_bench.pushdown import events, report  # noqa: E402
from sluice_bench.pushdown.questions import ROW_DIMENSIONS  # noqa: E402
from sluice_bench.topics import shared_limits  # noqa: E402

SAMPLE_NS = 40e6  # in which other processes of the machine disturb all alike
NAMES = (*pushdown.NAMES, events.NAME, shared_limits.NAME)


def arguments() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    number = lambda text: int(float(text))  # noqa: E731
    parser.add_argument("--rows", type=number, default=1_000_000)
    parser.add_argument("--events", type=number, default=10_000_000, help="in ClickHouse's store")
    parser.add_argument("--pairs", type=int, default=11, help="interleaved runs of each cell")
    parser.add_argument("--engines", nargs="+", choices=NAMES, default=NAMES)
    parser.add_argument("--only", nargs="+", default=(), help="cells whose names hold one of these")
    parser.add_argument("--json", type=Path, help="where the results go")
    parser.add_argument("--report", action="store_true", help="the page from --json only")
    return parser.parse_args()


def cells(name: str, options: argparse.Namespace, engines: dict[str, Any]) -> Iterator[Cell]:
    """What is measured of an engine, which is noted."""

    def note(engine: pushdown.Engine) -> None:
        engines[name] = {"version": engine.version, "settings": engine.settings}

    if name == events.NAME:
        return events.cells(options.events)
    if name == shared_limits.NAME:
        return shared_limits.cells()
    data = generate(BUILD / "data", options.rows, ROW_DIMENSIONS)
    return pushdown.cells(name, data, BUILD / "parquet", note)


def results(options: argparse.Namespace) -> dict[str, Any]:
    """Measures, on top of what the file already holds of other cells."""
    kept = json.loads(options.json.read_text()) if options.json and options.json.exists() else {}
    collector, engines = Collector(options.pairs, options.only, SAMPLE_NS), dict[str, Any]()
    load = [os.getloadavg()[1]]
    for name in options.engines:
        print(f"asking {name}", file=sys.stderr, flush=True)
        collector.take(cells(name, options, engines))
        load.append(os.getloadavg()[1])
    run = {
        "machine": session.machine(),
        "load": load,
        "rows": options.rows,
        "dimensions": len(ROW_DIMENSIONS),
        "events": options.events,
        "threads": 1,
        "pairs": options.pairs,
        "engines": engines,
        "cells": collector.cells,
        "servers": [],
        "errors": collector.errors,
    }
    return session.merged(kept, run)


def main() -> int:
    """Measures and reports."""
    options = arguments()
    if not options.report:
        found = results(options)
        print(report.render(found))
        if options.json:
            options.json.write_text(json.dumps(found, indent=1) + "\n")
    if options.json:
        report.publish(options.json)
    return 0 if options.report or not found["errors"] else 1


if __name__ == "__main__":
    sys.exit(main())
