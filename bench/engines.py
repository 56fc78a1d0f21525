# SPDX-License-Identifier: MIT
"""Compares compiled queries with queries written by hand, in the engines that hold the rows.

    python bench/engines.py --json bench/results/engines.json

has engines over Parquet files and databases with tables of their own answer pages and counts, and
limiters decide through Redis. It starts the servers that it needs, checks that all answers are
equal, measures, and writes the JSON file and, for bench/results/engines.json, its part of
docs/concepts/query-plans.md. It needs the packages of the tests, .ci/requirements.txt.
"""

import argparse
import os
import sys

os.environ["POLARS_MAX_THREADS"] = "1"

from sluice_bench import compiled, limiters, report
from sluice_bench.data import FEW_DIMENSIONS, generate
from sluice_bench.environment import BUILD
from sluice_bench.measuring import Collector, Results

SAMPLE_NS = 40e6  # in which other processes of the machine disturb all alike
REDIS = "Redis"


def arguments() -> argparse.Namespace:
    """Parses the command line."""
    parser, names = report.make_parser(__doc__, rows=100_000), (*compiled.ENGINES, REDIS)
    parser.add_argument("--engines", nargs="+", choices=names, default=names)
    return parser.parse_args()


def measure(options: argparse.Namespace) -> Results:
    """Measures one engine after the other."""
    collector = Collector(options.pairs, options.only, SAMPLE_NS)
    data = generate(BUILD / "data", options.rows, FEW_DIMENSIONS)
    for name in options.engines:
        if name == REDIS:
            collector.take(limiters.shared_cells())
        else:
            collector.take(compiled.cells(name, data, collector))
    return collector.results(rows=options.rows, dimensions=len(FEW_DIMENSIONS), threads=1)


if __name__ == "__main__":
    sys.exit(report.run(arguments(), measure))
