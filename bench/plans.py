# SPDX-License-Identifier: MIT
"""Times compiled statements beside those that users write by hand, in every database.

    python bench/plans.py [--rows 1000000] [--pairs 15] [--dialects sqlite postgresql]

The table has an index of each column; tests/python/test_plans.py compares the plans of the same
statements. The answers of a pair are compared, then both are asked in turn, 3 pairs of turns at
least and then for `--seconds`. A line has the medians of their times in milliseconds, of the
client's processor and the server's, their ratio, and how the compiled statement finds its rows: by
an index, which in ClickHouse and DuckDB means that it skips granules or groups of rows, or by a
scan. A turn repeats a statement for 10 ms. A star marks a ratio of more than 1.1 that is more than
0.05 ms. The lines end with a table in Markdown. It needs the packages of the tests,
.ci/requirements.txt.
"""

import argparse
import os
import time
from statistics import median
from typing import TYPE_CHECKING

from sluice_bench.measuring import processor_ns  # its package finds the tests

if TYPE_CHECKING:
    from plan_cases import Pair
    from sql_engines import Database
    from test_plans import Plan

    from sluice.sql import Statement

DIALECTS = ("sqlite", "duckdb", "postgresql", "mariadb", "clickhouse")


def arguments() -> argparse.Namespace:
    """Parses the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--pairs", type=int, default=15, help="the largest number")
    parser.add_argument("--seconds", type=float, default=2.0, help="of each pair")
    parser.add_argument("--dialects", nargs="+", choices=DIALECTS, default=DIALECTS)
    parser.add_argument("--only", default="", help="part of the names of cases")
    return parser.parse_args()


def turn_ms(database: "Database", server: int | None, statement: "Statement", times: int) -> float:
    """Returns the milliseconds of processors that a statement takes, run so many times."""
    start = time.process_time_ns() + (processor_ns(server) if server else 0)
    for _ in range(times):
        database.ask(statement)
    end = time.process_time_ns() + (processor_ns(server) if server else 0)
    return (end - start) / times / 1e6


def medians(
    database: "Database", server: int | None, pair: "Pair", options: argparse.Namespace
) -> list[float]:
    """Returns the milliseconds of both statements, and fails if their answers differ."""
    both = pair[1:]
    ours, by_hand = ([str(row[0]) for row in database.ask(statement)] for statement in both)
    if ours != by_hand:
        raise SystemExit(f"{pair.name}: answers differ")
    slower = max(turn_ms(database, server, statement, 3) for statement in both)
    repeats = max(1, min(200, int(10 / max(slower, 0.01))))
    times: tuple[list[float], list[float]] = ([], [])
    start = time.monotonic()
    while len(times[0]) < options.pairs:
        if len(times[0]) > 2 and time.monotonic() - start > options.seconds:
            break
        for statement, of in zip(both, times, strict=True):
            of.append(turn_ms(database, server, statement, repeats))
    return [median(of) for of in times]


def access(plan: "Plan", everything: "Plan", pair: "Pair") -> str:
    """Returns how a plan finds its rows."""
    is_ordered = pair.name.startswith("page") and not plan.sorts and "INDEX" in plan.text
    has_index = plan.searched or plan.read < 0.9 * everything.read or is_ordered
    return "index" if has_index else "scan"


def main(options: argparse.Namespace) -> None:
    """Prints a line a pair, and a table of all."""
    os.environ["SLUICE_PLAN_ROWS"] = str(options.rows)  # the cases are made of it
    from plan_cases import IDS, bound, counts, filled, pages, server_of
    from test_plans import explained

    cells: dict[str, dict[str, str]] = {}
    for dialect in options.dialects:
        with filled(dialect) as database:
            server = server_of(database)
            all_rows = bound(dialect, f"SELECT count(*) FROM many WHERE id <> '{IDS[0]}'", [])
            everything = explained(database, all_rows)
            for pair in (*counts(dialect), *pages(dialect)):
                if options.only not in pair.name:
                    continue
                ours, by_hand = medians(database, server, pair, options)
                method = access(explained(database, pair.compiled), everything, pair)
                is_slow = ours > 1.1 * by_hand and ours - by_hand > 0.05
                ratio = f"{ours / by_hand:.2f}{' *' if is_slow else ''}"
                cells.setdefault(pair.name, {})[dialect] = f"{method} {ratio}"
                times = f"{ours:9.3f} {by_hand:9.3f}"
                print(f"{dialect:10} {pair.name:34} {times} {method} {ratio}", flush=True)
    print(f"\n| | {' | '.join(options.dialects)} |\n|---|{'---|' * len(options.dialects)}")
    for name, of in cells.items():
        print(f"| {name} | {' | '.join(of.get(dialect, '') for dialect in options.dialects)} |")


if __name__ == "__main__":
    main(arguments())
