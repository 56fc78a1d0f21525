# SPDX-License-Identifier: MIT
"""Compares pages and counts of ORMs with the same ones by hand, over one table of PostgreSQL.

    python bench/orms.py [--rows 1000000] [--pairs 11] [--only counted]

asks SQLAlchemy, its asyncio session and Django for each page in turn: as sluice makes it of a query
string, with links, and as users write it in the same ORM. It compares the rows and totals first. A
line has the server's processor time of the page by hand, sluice's divided by it, the client's, and
what sluice adds to that. It needs PostgreSQL and the packages of the tests, .ci/requirements.txt.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any, NamedTuple

import psycopg
from sluice_bench.measuring import check_equal, processor_ns, take_turns
from sluice_bench.orm_lists import CASES, TABLE, Case, Django, Sqlalchemy, SqlalchemyAsync
from sluice_bench.report import table
from sql_engines import postgresql_place  # sluice_bench finds it

SAMPLE_NS = 20e6
ORMS = (Sqlalchemy, SqlalchemyAsync, Django)


class Spent(NamedTuple):
    """Processor time of a page, in nanoseconds."""

    server: float
    client: float


class Line(NamedTuple):
    """Medians of a case: times by hand, and sluice's beside them."""

    orm: str
    case: Case
    by_hand: Spent
    ratio: float  # of the server's times
    added: float  # to the client's


def arguments() -> argparse.Namespace:
    """Parses the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=lambda text: int(float(text)), default=1_000_000)
    parser.add_argument("--pairs", type=int, default=11)
    parser.add_argument("--only", default="", help="part of the names of cases")
    return parser.parse_args()


def fill(place: str, rows: int) -> None:
    """Makes the table."""
    with psycopg.connect(place, autocommit=True) as connection:
        for statement in TABLE.format(rows=rows).split(";\n"):
            connection.execute(statement)


def measure(run: Callable[[], object], server: int) -> Callable[[], Spent]:
    """Returns a function that repeats a call for a while and returns what one takes."""
    begin = time.perf_counter_ns()
    run()
    repetitions = max(1, int(SAMPLE_NS / (time.perf_counter_ns() - begin)))

    def sample() -> Spent:
        server_begin, begin = processor_ns(server), time.process_time_ns()
        for _ in range(repetitions):
            run()
        spent = time.process_time_ns() - begin
        return Spent((processor_ns(server) - server_begin) / repetitions, spent / repetitions)

    return sample


def lines_of(orm: Any, place: str, options: argparse.Namespace) -> Iterator[Line]:  # noqa: ANN401
    """Yields what each case takes in an ORM."""
    with orm(place) as opened:
        for case in CASES:
            if options.only not in case.name:
                continue
            ours, by_hand = opened.ours(case), opened.by_hand(case)
            for run in (ours, by_hand) * 6:  # also prepares the statements
                run()
            check_equal(f"{orm.__name__}, {case.name}", {"sluice": ours(), "by hand": by_hand()})
            runs = {"sluice": measure(ours, opened.server), "hand": measure(by_hand, opened.server)}
            samples = take_turns(options.pairs, runs)
            pairs = [*zip(samples["sluice"], samples["hand"], strict=True)]
            hand = Spent(*(median(of[1][at] for of in pairs) for at in (0, 1)))
            ratio = median(ours.server / hand.server for ours, hand in pairs)
            added = median(ours.client - hand.client for ours, hand in pairs)
            print(
                f"{orm.name:30} {case.name:26} {hand.server / 1e6:9.3f} ms {ratio:6.2f}"
                f" {hand.client / 1e6:9.3f} ms {added / 1e6:+7.3f} ms",
                flush=True,
            )
            yield Line(orm.name, case, hand, ratio, added)


def summary(lines: list[Line]) -> str:
    """Formats a row an ORM: the least and the most of all cases."""

    def ends(numbers: list[float], form: str) -> str:
        return f"{min(numbers):{form}} to {max(numbers):{form}}" if numbers else ""

    rows = []
    for name in dict.fromkeys(line.orm for line in lines):
        of = [line for line in lines if line.orm == name]
        pages = [line.ratio for line in of if not line.case.is_counted]
        counts = [line.ratio for line in of if line.case.is_counted]
        added = [line.added / 1e6 for line in of]
        by_hand = [line.by_hand.client / 1e6 for line in of]
        numbers = [ends(spread, ".2f") for spread in (pages, counts, by_hand, added)]
        rows.append([f"`{name}`", *numbers])
    heads = ["interface", "pages, server", "with counts, server", "by hand, Python in ms"]
    return table([*heads, "added, Python in ms"], rows)


def main(options: argparse.Namespace) -> None:
    """Prints a line a case, and the summary."""
    with postgresql_place() as place:
        fill(place, options.rows)
        lines = [line for orm in ORMS for line in lines_of(orm, place, options)]
    print(summary(lines))


if __name__ == "__main__":
    main(arguments())
