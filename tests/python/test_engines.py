# SPDX-License-Identifier: MIT
"""The event store's answers, against DuckDB and SQLite over the same records."""

import json
from pathlib import Path
from typing import NamedTuple

import pytest
from conftest import NOW, SHARED_DATA
from edge_records import write_edge_records
from engines import DuckDb, Engine, Sqlite, answer, tables_of
from oracle import Oracle
from random_requests import RandomRequests

import sluice

BATCH = 250  # of each folder; SLUICE_TEST_SERVERS=1 runs all queries
QUERIES = {"sample": 3_000, "edges": 2_000}
if SHARED_DATA.is_dir():
    QUERIES = {"sample": 2_500, "edges": 1_500, "data": 1_500}


class World(NamedTuple):
    """A store and engines with the same records; the oracle only draws requests."""

    store: sluice.EventStore
    engines: tuple[Engine, ...]
    oracle: Oracle


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, World]:
    folder = tmp_path_factory.mktemp("engines")
    folders = {"sample": folder / "sample", "edges": folder / "edges", "data": SHARED_DATA}
    sluice.write_sample(folders["sample"], events=1_500, seed=3, now=NOW)
    write_edge_records(folders["edges"])
    return {name: world_of(folders[name], folder) for name in QUERIES}


def world_of(folder: Path, scratch: Path) -> World:
    tables = tables_of(folder)
    engines = (DuckDb(tables, scratch), Sqlite(tables))
    return World(sluice.EventStore.load(folder), engines, Oracle(folder))


def rows_in(store: sluice.EventStore, query: sluice.EventsQuery) -> list[tuple[str, str]]:
    events = json.loads(store.page(query))
    return [(event.get("eventId", event["click_id"]), event["click_id"]) for event in events]


@pytest.mark.parametrize(
    ("folder", "seed"),
    [
        pytest.param(name, seed, marks=[pytest.mark.servers] if seed > 0 else [])
        for name, size in QUERIES.items()
        for seed in range(size // BATCH)
    ],
)
def test_engines_agree(worlds: dict[str, World], folder: str, seed: int) -> None:
    world = worlds[folder]
    requests = RandomRequests(world.oracle, 1_000 + seed)
    sizes = []
    for _ in range(BATCH):
        request = requests.request()
        size = requests.random.choice((0, 3, 30, 300))
        text = request.query + requests.page(size)
        query = sluice.EventsQuery.parse(text, now=request.now)
        actual = world.store.count(query), rows_in(world.store, query)
        for engine in world.engines:
            expected = answer(engine, query)
            assert actual == expected, (type(engine).__name__, text, request.now)
        sizes.append(actual[0])
    assert sum(size > 0 for size in sizes) > BATCH * 0.6
