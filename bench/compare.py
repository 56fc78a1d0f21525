# SPDX-License-Identifier: MIT
"""Compares sluice with the engines and libraries that a user would pick.

    python bench/compare.py --rows 10000000 --threads 1 --json bench/results/latest.json

sets itself up in build/bench, checks that all contenders give the same answers, measures, and
writes the JSON file, plots beside it and, for bench/results/latest.json, the tables of
bench/measurements.md.
"""

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

from sluice_bench import environment


def arguments() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=lambda text: int(float(text)), default=1_000_000)
    parser.add_argument("--threads", type=int, default=1, help="of peers; sluice answers on one")
    parser.add_argument("--pairs", type=int, default=11, help="interleaved runs of each cell")
    parser.add_argument("--json", type=Path, help="where the results go")
    parser.add_argument("--only", nargs="+", default=(), help="cells whose names hold one of these")
    parser.add_argument("--growth", action="store_true", help="curves against rows and more")
    parser.add_argument(
        "--size", action="store_true", help="counts and pages, kept beside the run in --json"
    )
    parser.add_argument("--report", action="store_true", help="plots and page from --json only")
    parser.add_argument("--no-setup", action="store_true", help="use what is installed")
    parser.add_argument("--driver", type=Path, default=environment.DRIVER)
    parser.add_argument("--server", type=Path, default=environment.SERVER)
    return parser.parse_args()


def results(options: argparse.Namespace) -> dict[str, Any]:
    """Measures, on top of what the file already holds of other kinds of runs."""
    from sluice_bench import growth, session

    build, driver = environment.BUILD, options.driver
    kept = json.loads(options.json.read_text()) if options.json and options.json.exists() else {}
    if options.growth:
        return kept | {"growth": growth.measure(build, driver, options.rows)}
    programs = session.Programs(driver, options.server)
    sizes = (options.rows, options.threads, options.pairs)
    if options.size:
        run = session.compare(build, programs, *sizes, session.EVALUATION)
        kept.setdefault("sizes", {})[str(options.rows)] = run
        return kept
    run = session.compare(build, programs, *sizes, options.only)
    if options.only:
        run = session.merged(kept, run)
    return run | {name: kept[name] for name in ("growth", "sizes") if name in kept}


def main() -> int:
    """Sets up, measures, reports."""
    options = arguments()
    if not options.no_setup:
        environment.enter()
    os.environ["POLARS_MAX_THREADS"] = str(options.threads)
    from sluice_bench import report

    if options.report:
        report.publish(options.json)
        return 0
    found = results(options)
    print(report.summary(found))
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(found, indent=1) + "\n")
        report.publish(options.json)
    runs = (found, *found.get("sizes", {}).values())
    return 1 if any(run.get("errors") for run in runs) else 0


if __name__ == "__main__":
    sys.exit(main())
