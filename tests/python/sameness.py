# SPDX-License-Identifier: MIT
"""Asks many engines the same random requests, and shows the smallest differences.

Of tables: rows with a column of each type, and trees of every test, which a plain loop answers. Of
events: requests of GET /events, which the store answers.

    python tests/python/sameness.py --queries 1000000 --seed 1

Each 250 requests are to other rows. An engine that is slow is asked about the rows of one world in
some; --all asks every engine about all. The table at the end has the number of requests that each
engine answered (compared) or refused, and of differences; a run that Ctrl+C ends has it too.

With SLUICE_TEST_SERVERS=1 PostgreSQL, MariaDB and ClickHouse are asked too. SLUICE_STORE_ANSWERS
names the program of tests/store_answers.cpp, for the C++ store, and SLUICE_PACKAGE the npm package.
"""

import argparse
import math
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from random import Random
from typing import Any

import tqdm
from differences import Engine, Run, World
from event_engines import event_engines
from event_records import World as EventWorld
from event_records import hard_records
from orm_engines import orm_engines
from sql_engines import served_databases
from table_engines import table_engines
from tested_table import TestedTable

BATCH = 250  # requests to the same rows


def world_of(name: str, seed: int) -> World:
    return EventWorld(hard_records(seed)) if name == "events" else TestedTable.of(seed, size=30)


def differences(run: Run, options: argparse.Namespace) -> Iterator[str]:
    """Asks all requests, and yields what differs: at most one difference a world."""
    end = time.monotonic() + 60 * (options.minutes or math.inf)
    with tqdm.tqdm(total=options.queries, unit="query", mininterval=10) as bar:
        while run.requests < options.queries and time.monotonic() < end:
            seed, count = options.seed + run.worlds, min(BATCH, options.queries - run.requests)
            chance = Random(seed).random
            engines = [of for of in run.engines if options.all or chance() * of.one_in < 1]
            world = world_of(options.of, seed)
            difference = run.first_difference(world, count, seed, engines, bar.update)
            if difference:
                yield f"of seed {seed}: {difference}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--queries", type=int, default=2_000, help="how many requests")
    parser.add_argument("--seed", type=int, default=1, help="other rows and requests")
    parser.add_argument("--of", choices=["tables", "events"], default="tables", help="their rows")
    parser.add_argument("--all", action="store_true", help="ask slow engines about all rows too")
    parser.add_argument("--minutes", type=float, help="end after so long")
    parser.add_argument("--only", default="", help="engines with this in their names")
    options = parser.parse_args()
    with ExitStack() as opened:
        served = opened.enter_context(served_databases())
        engines: list[Engine[Any]] = event_engines(served)
        if options.of == "tables":
            engines = [
                *opened.enter_context(table_engines(served)),
                *opened.enter_context(orm_engines(served)),
            ]
        run = Run([engine for engine in engines if options.only in engine.name])
        with suppress(KeyboardInterrupt):
            for difference in differences(run, options):
                print(difference, flush=True)
        print(run)
        return int(run.different.total() > 0 or bool(run.refusing()))


if __name__ == "__main__":
    sys.exit(main())
