# SPDX-License-Identifier: MIT
"""Times compiled statements beside those that users write by hand, in every database.

    python bench/plans.py [--rows 1000000] [--pairs 15] [--dialects sqlite postgresql]

The table has an index of each column; tests/python/test_plans.py compares the plans of the same
statements. Both statements of a pair are asked in turn, and a line has the medians of their times
in milliseconds, of the client's processor and the server's, and their ratio. A star marks one of
more than 1.1 that is more than 0.05 ms apart. It needs the packages of the tests,
.ci/requirements.txt.
"""

import argparse
import os
import time
from statistics import median

from sluice_bench.measuring import processor_ns  # its package finds the tests

DIALECTS = ("sqlite", "duckdb", "postgresql", "mariadb", "clickhouse")


def arguments() -> argparse.Namespace:
    """Parses the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--pairs", type=int, default=15)
    parser.add_argument("--dialects", nargs="+", choices=DIALECTS, default=DIALECTS)
    parser.add_argument("--only", default="", help="part of the names of cases")
    return parser.parse_args()


def main(options: argparse.Namespace) -> None:
    """Prints a line a pair."""
    os.environ["SLUICE_PLAN_ROWS"] = str(options.rows)  # the cases are made of it
    from plan_cases import counts, filled, pages, server_of

    for dialect in options.dialects:
        with filled(dialect) as database:
            server = server_of(database)

            def spent(server: int | None = server) -> float:
                return (time.process_time_ns() + (processor_ns(server) if server else 0)) / 1e6

            for pair in (*counts(dialect), *pages(dialect)):
                if options.only not in pair.name:
                    continue
                times: tuple[list[float], list[float]] = ([], [])
                for turn in range(2 * options.pairs + 2):
                    start = spent()
                    database.ask(pair[1 + turn % 2])
                    if turn > 1:
                        times[turn % 2].append(spent() - start)
                ours, by_hand = (median(of) for of in times)
                is_slow = ours > 1.1 * by_hand and ours - by_hand > 0.05
                ratio = f"{ours / by_hand:5.2f}{' *' if is_slow else ''}"
                print(f"{dialect:10} {pair.name:32} {ours:9.3f} {by_hand:9.3f} {ratio}", flush=True)


if __name__ == "__main__":
    main(arguments())
