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
from sluice_bench.measuring import Results, make_parser, merged, read_results, write_results


def arguments() -> argparse.Namespace:
    """Parses the command line."""
    parser = make_parser(__doc__, rows=1_000_000)
    parser.add_argument("--threads", type=int, default=1, help="of peers; sluice answers on one")
    parser.add_argument(
        "--size", action="store_true", help="counts and pages, kept beside the run in --json"
    )
    parser.add_argument("--no-setup", action="store_true", help="use what is installed")
    parser.add_argument("--driver", type=Path, default=environment.DRIVER)
    parser.add_argument("--server", type=Path, default=environment.SERVER)
    return parser.parse_args()


def measure(options: argparse.Namespace) -> Results:
    """Measures, on top of what the file already holds of other kinds of runs."""
    from sluice_bench import session

    kept = read_results(options.json)
    only = session.EVALUATION if options.size else options.only
    sizes = (options.rows, options.threads, options.pairs)
    run = session.compare(options.driver, options.server, *sizes, only)
    if options.size:
        kept.setdefault("sizes", {})[str(options.rows)] = run
        return kept
    if options.only:
        run = merged(kept, run)
    return run | ({"sizes": kept["sizes"]} if "sizes" in kept else {})


def main() -> int:
    """Sets up, measures, reports."""
    options = arguments()
    if options.report:
        report.publish(options.json)
        return 0
    if not options.no_setup:
        environment.enter()
    os.environ["POLARS_MAX_THREADS"] = str(options.threads)
    results = measure(options)
    print(report.render(results))
    if options.json:
        write_results(options.json, results)
        report.publish(options.json)
    runs = (results, *results.get("sizes", {}).values())
    return 1 if any(run.get("errors") for run in runs) else 0


if __name__ == "__main__":
    sys.exit(main())
