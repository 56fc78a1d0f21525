# SPDX-License-Identifier: MIT
"""Compares compiled queries with queries written by hand, in the engines that hold the rows.

    python bench/engines.py --json bench/results/engines.json

asks engines over Parquet files and databases with tables of their own for pages and counts, and
limiters for decisions that are shared through Redis. It starts the servers that it needs, checks
that all answers are equal, measures, and writes the JSON file and, for bench/results/engines.json,
its part of bench/measurements.md. It needs the packages of the tests, .ci/requirements.txt, and
the servers that these start.
"""

import argparse
import os
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests" / "python"))  # has the servers
os.environ["POLARS_MAX_THREADS"] = "1"

from sluice_bench import compiled, report, shared_limits  # noqa: E402
from sluice_bench.data import generate  # noqa: E402
from sluice_bench.environment import BUILD  # noqa: E402
from sluice_bench.measuring import (  # noqa: E402
    Collector,
    machine,
    merged,
    read_results,
    write_results,
)

SAMPLE_NS = 40e6  # in which other processes of the machine disturb all alike
NAMES = (*compiled.NAMES, shared_limits.NAME)


def arguments() -> argparse.Namespace:
    """Parses the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=lambda text: int(float(text)), default=100_000)
    parser.add_argument("--pairs", type=int, default=11, help="interleaved runs of each cell")
    parser.add_argument("--engines", nargs="+", choices=NAMES, default=NAMES)
    parser.add_argument("--only", nargs="+", default=(), help="cells whose names hold one of these")
    parser.add_argument("--json", type=Path, help="results file")
    parser.add_argument("--report", action="store_true", help="the page from --json only")
    return parser.parse_args()


def results(options: argparse.Namespace) -> dict[str, Any]:
    """Measures, on top of what the file already holds of other cells."""
    collector, engines = Collector(options.pairs, options.only, SAMPLE_NS), dict[str, Any]()
    load = [os.getloadavg()[1]]
    for name in options.engines:
        if name == shared_limits.NAME:
            collector.take(shared_limits.cells())
        else:
            data = generate(BUILD / "data", options.rows, compiled.ROW_DIMENSIONS)
            collector.take(compiled.cells(name, data, BUILD / "parquet", engines))
        load.append(os.getloadavg()[1])
    run = {
        "machine": machine(),
        "load": load,
        "rows": options.rows,
        "dimensions": len(compiled.ROW_DIMENSIONS),
        "threads": 1,
        "pairs": options.pairs,
        "engines": engines,
        "cells": collector.cells,
        "servers": [],
        "errors": collector.errors,
    }
    return merged(read_results(options.json), run)


def main() -> int:
    """Measures and reports."""
    options = arguments()
    found = read_results(options.json) if options.report else results(options)
    if not options.report:
        print(report.render_engines(found))
        if options.json:
            write_results(options.json, found)
    if options.json:
        report.publish(options.json)
    return 0 if options.report or not found["errors"] else 1


if __name__ == "__main__":
    sys.exit(main())
