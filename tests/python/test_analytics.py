# SPDX-License-Identifier: MIT
"""`GET /analytics` against a loop over the same records, byte for byte."""

from datetime import timedelta
from pathlib import Path

import pytest
from api_keys import bearer, make_key
from conftest import NOW, SHARED_DATA
from edge_records import write_edge_records
from measured_requests import every_measure, measuring
from oracle import Oracle
from oracle.analytics import EVENTS, GROUP_NAMES, measured
from random_requests import RandomRequests, TimedRequest

import sluice

TOKEN = "tok_analytics"
FOLDERS = ["data", "sample", "edges"] if SHARED_DATA.is_dir() else ["sample", "edges"]


class World:
    """Records as the library and as the oracle hold them."""

    def __init__(self, folder: Path) -> None:
        store = sluice.EventStore.load(folder)
        self.handler = sluice.Handler(store, [make_key(TOKEN)])
        self.oracle = Oracle(folder)

    def check(self, request: TimedRequest) -> str:
        target = f"/analytics?{request.query}"
        answer = self.handler.handle("GET", target, bearer(TOKEN), now=request.now)
        assert answer.status == 200, (request, answer.body)
        body = answer.body.decode()
        assert body == measured(self.oracle, request.query, request.now), request
        return body


@pytest.fixture(scope="module", params=FOLDERS)
def world(
    request: pytest.FixtureRequest, sample_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> World:
    folder = {"data": SHARED_DATA, "sample": sample_folder}.get(request.param)
    if folder is None:
        folder = tmp_path_factory.mktemp("analytics") / "edges"
        write_edge_records(folder)
    return World(folder)


def test_all_rows(world: World) -> None:
    latest = max(row["at"] for rows in world.oracle.rows.values() for row in rows)
    now = NOW.fromtimestamp(latest // 1000 + 1, NOW.tzinfo) + timedelta(days=1)
    bodies = {
        world.check(TimedRequest(f"event={event}&groupBy={group}&interval=all", now))
        for event, group in every_measure()
    }
    assert len(bodies) > len(EVENTS) * (len(GROUP_NAMES) - 12)


def test_random_requests(world: World) -> None:
    random = RandomRequests(world.oracle, seed=34)
    sizes = [
        len(world.check(measuring(random, event, group)))
        for _ in range(4)
        for event, group in every_measure()
    ]
    assert sum(size > 2 for size in sizes) > len(sizes) / 2


@pytest.mark.parametrize(
    "window",
    [
        "interval=24h",
        "interval=7d",
        "interval=90d",
        "interval=qtd",
        "interval=ytd",
        "interval=1y",
        "interval=all",
        "end=2015-05-19T07:00:00Z",
        "interval=mtd&end=2015-05-19",
        "start=2015-05-17&end=2015-05-18",
        "start=2015-05-17&end=2015-05-19",
        "start=2015-03-28&end=2015-03-29",
        "start=2015-10-24&end=2015-10-25",
        "start=2015-03-01&end=2015-08-27",
        "start=2015-03-01&end=2015-08-28",
        "start=1590-01-01&end=now",
        "start=2011-12-30&end=2011-12-30",
        "start=2011-12-29&end=2011-12-31",
        "start=2015-04-04&end=2015-04-05",
        "start=2015-10-03&end=2015-10-04",
    ],
)
@pytest.mark.parametrize(
    "zone",
    [
        *("UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu"),
        *("Pacific/Apia", "Australia/Lord_Howe", "America/Sao_Paulo"),
    ],
)
def test_every_bucket(world: World, window: str, zone: str) -> None:
    for event in EVENTS:
        query = f"event={event}&groupBy=timeseries&{window}&timezone={zone}"
        world.check(TimedRequest(query, NOW))
