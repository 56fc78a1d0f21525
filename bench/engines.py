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

os.environ["POLARS_MAX_THREADS"] = "1"

from sluice_bench import compiled, report, shared_limits
from sluice_bench.data import FEW_DIMENSIONS, generate
from sluice_bench.environment import BUILD
from sluice_bench.measuring import Collector, Results, make_parser

SAMPLE_NS = 40e6  # in which other processes of the machine disturb all alike
NAMES = (*compiled.ENGINES, shared_limits.NAME)


def arguments() -> argparse.Namespace:
    """Parses the command line."""
    parser = make_parser(__doc__, rows=100_000)
    parser.add_argument("--engines", nargs="+", choices=NAMES, default=NAMES)
    return parser.parse_args()


def measure(options: argparse.Namespace) -> Results:
    """Measures one engine after the other."""
    collector = Collector(options.pairs, options.only, SAMPLE_NS)
    data = generate(BUILD / "data", options.rows, FEW_DIMENSIONS)
    for name in options.engines:
        if name == shared_limits.NAME:
            collector.take(shared_limits.cells())
        else:
            collector.take(compiled.cells(name, data, BUILD / "parquet", collector))
    return collector.results(rows=options.rows, dimensions=len(FEW_DIMENSIONS), threads=1)


if __name__ == "__main__":
    sys.exit(report.run(arguments(), measure))
