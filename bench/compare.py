# SPDX-License-Identifier: MIT
"""Compares sluice with the engines and libraries that a user would pick.

    python bench/compare.py --rows 10000000 --threads 1 --json bench/results/latest.json

sets itself up in build/bench, checks that all contenders give the same answers, measures, and
writes the JSON file and, for bench/results/latest.json, the tables of docs/ and the plot.
"""

import argparse
import os
import sys
from importlib import import_module
from pathlib import Path

from sluice_bench import environment, report
from sluice_bench.measuring import Collector, LineProcess, Results

MOST_ROWS = 10_000_000  # with all dimensions
# Modules by the first word of their cells' names.
TOPICS = {
    **{"count": "rows", "page": "rows", "events": "events", "validate": "validation"},
    **{"limit": "limiters", "mask": "masks", "number": "numbers", "server": "servers"},
    **{"expression": "expressions", "edge": "edges", "objects": "objects"},
    **{"typescript": "typescript", "group": "groups"},
}


def arguments() -> argparse.Namespace:
    """Parses the command line."""
    parser = report.make_parser(__doc__, rows=1_000_000)
    parser.add_argument("--threads", type=int, default=1, help="of peers; sluice answers on one")
    parser.add_argument("--no-setup", action="store_true", help="use what is installed")
    parser.add_argument("--driver", type=Path, default=environment.DRIVER)
    parser.add_argument("--server", type=Path, default=environment.SERVER)
    return parser.parse_args()


def measure(options: argparse.Namespace) -> Results:
    """Sets up and measures, topic by topic."""
    if not options.no_setup:
        environment.enter()
    os.environ["POLARS_MAX_THREADS"] = str(options.threads)
    from sluice_bench import data
    from sluice_bench.context import Context

    dimensions = data.DIMENSIONS if options.rows <= MOST_ROWS else data.FEW_DIMENSIONS
    rows = data.generate(environment.BUILD / "data", options.rows, dimensions)
    driver, collector = LineProcess(options.driver), Collector(options.pairs, options.only)
    context = Context(rows, options.threads, driver, options.server, collector)
    words = [name for name in TOPICS if any(word.startswith(name) for word in options.only)]
    for module in dict.fromkeys(TOPICS[name] for name in words or TOPICS):
        collector.take(import_module(f"sluice_bench.{module}").cells(context))
    driver.close()
    sizes = {"rows": rows.rows, "dimensions": len(dimensions), "events": context.events}
    return collector.results(**sizes, threads=options.threads)


if __name__ == "__main__":
    sys.exit(report.run(arguments(), measure))
