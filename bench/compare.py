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
from typing import Any

from sluice_bench import environment


def arguments() -> argparse.Namespace:
    """Parses the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=lambda text: int(float(text)), default=1_000_000)
    parser.add_argument("--threads", type=int, default=1, help="of peers; sluice answers on one")
    parser.add_argument("--pairs", type=int, default=11, help="interleaved runs of each cell")
    parser.add_argument("--json", type=Path, help="results file")
    parser.add_argument("--only", nargs="+", default=(), help="cells whose names hold one of these")
    parser.add_argument(
        "--size", action="store_true", help="counts and pages, kept beside the run in --json"
    )
    parser.add_argument("--report", action="store_true", help="plot and pages from --json only")
    parser.add_argument("--no-setup", action="store_true", help="use what is installed")
    parser.add_argument("--driver", type=Path, default=environment.DRIVER)
    parser.add_argument("--server", type=Path, default=environment.SERVER)
    return parser.parse_args()


def results(options: argparse.Namespace) -> dict[str, Any]:
    """Measures, on top of what the file already holds of other kinds of runs."""
    from sluice_bench import session
    from sluice_bench.measuring import merged, read_results

    kept = read_results(options.json)
    programs = session.Programs(options.driver, options.server)
    sizes = (options.rows, options.threads, options.pairs)
    only = session.EVALUATION if options.size else options.only
    run = session.compare(environment.BUILD, programs, *sizes, only)
    if options.size:
        kept.setdefault("sizes", {})[str(options.rows)] = run
        return kept
    if options.only:
        run = merged(kept, run)
    return run | ({"sizes": kept["sizes"]} if "sizes" in kept else {})


def main() -> int:
    """Sets up, measures, reports."""
    options = arguments()
    if not options.no_setup and not options.report:
        environment.enter()
    os.environ["POLARS_MAX_THREADS"] = str(options.threads)
    from sluice_bench import report

    if options.report:
        report.publish(options.json)
        return 0
    found = results(options)
    print(report.render(found))
    if options.json:
        from sluice_bench.measuring import write_results

        write_results(options.json, found)
        report.publish(options.json)
    runs = (found, *found.get("sizes", {}).values())
    return 1 if any(run.get("errors") for run in runs) else 0


if __name__ == "__main__":
    sys.exit(main())
