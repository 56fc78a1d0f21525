# SPDX-License-Identifier: MIT
"""Asks many engines the same random requests, and shows the smallest difference.

Of tables: rows with a column of each type, and trees of every test, which a plain loop answers. Of
events: requests of GET /events, which the store answers.

    python tests/python/sameness.py --queries 1000000 --seed 1

With SLUICE_TEST_SERVERS=1 PostgreSQL, MariaDB and ClickHouse are asked too. SLUICE_STORE_ANSWERS
names the program of tests/store_answers.cpp, for the C++ store.
"""

import argparse
import sys
from contextlib import ExitStack
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


def world_of(name: str, seed: int) -> World:
    return EventWorld(hard_records(seed)) if name == "events" else TestedTable.of(seed)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--queries", type=int, default=2_000, help="how many requests")
    parser.add_argument("--seed", type=int, default=1, help="other rows and requests")
    parser.add_argument("--of", choices=["tables", "events"], default="tables", help="their rows")
    options = parser.parse_args()
    batch = 500  # requests to the same rows
    with ExitStack() as opened, tqdm.tqdm(total=options.queries, unit="query") as bar:
        served = opened.enter_context(served_databases())
        engines: list[Engine[Any]] = event_engines(served)
        if options.of == "tables":
            engines = [
                *opened.enter_context(table_engines(served)),
                *opened.enter_context(orm_engines(served)),
            ]
        run = Run(engines)
        for start in range(0, options.queries, batch):
            count, seed = min(batch, options.queries - start), options.seed + start // batch
            difference = run.first_difference(world_of(options.of, seed), count, seed, bar.update)
            if difference:
                print(difference)
                return 1
    print(run)
    return int(bool(run.refusing()))


if __name__ == "__main__":
    sys.exit(main())
