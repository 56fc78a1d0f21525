# SPDX-License-Identifier: MIT
"""Compares sluice with the engines and libraries that a user would pick.

    python bench/compare.py --rows 10000000 --threads 1 --json bench/results/latest.json

sets itself up in build/bench, checks that all contenders give the same answers, measures, and
writes the JSON file and, for bench/results/latest.json, the tables of the documentation and the
plot.
"""

import argparse
import os
import sys
from pathlib import Path

from sluice_bench import environment, report
from sluice_bench.measuring import Results, make_parser


def arguments() -> argparse.Namespace:
    """Parses the command line."""
    parser = make_parser(__doc__, rows=1_000_000)
    parser.add_argument("--threads", type=int, default=1, help="of peers; sluice answers on one")
    parser.add_argument("--no-setup", action="store_true", help="use what is installed")
    parser.add_argument("--driver", type=Path, default=environment.DRIVER)
    parser.add_argument("--server", type=Path, default=environment.SERVER)
    return parser.parse_args()


def measure(options: argparse.Namespace) -> Results:
    """Sets up and measures."""
    if not options.no_setup:
        environment.enter()
    os.environ["POLARS_MAX_THREADS"] = str(options.threads)
    from sluice_bench import session

    sizes = (options.rows, options.threads, options.pairs)
    return session.compare(options.driver, options.server, *sizes, options.only)


if __name__ == "__main__":
    sys.exit(report.run(arguments(), measure))
