"""The comparison of bench/: what is published is what was measured, and it runs."""

import asyncio
import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "bench" / "results" / "latest.json"
ENGINE_RESULTS = ROOT / "bench" / "results" / "engines.json"
DRIVER = os.environ.get("SLUICE_BENCH_DRIVER", "")
SERVER = os.environ.get("SLUICE_SERVER", "")


def needs_driver(test: Callable[..., None]) -> Callable[..., None]:
    """The program takes most of a minute to compile: it is there when servers are asked for."""
    pytest.mark.skipif(not DRIVER, reason="needs the built driver")(test)
    pytest.mark.servers(test)
    return test


# What the test environment has.
ENGINES = ("NumPy bitmaps", "polars", "DuckDB")
SERVICES = ("DuckDB, events", "SQLite, events", "FastAPI")
WHAT = {
    "count": "store::select",
    "page": "store::select",
    "events": "event_store",
    "request": "handler",
}


@pytest.fixture(autouse=True)
def bench_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "bench"))


@pytest.fixture
def report() -> ModuleType:
    return import_module("sluice_bench.report")


@pytest.fixture
def data() -> ModuleType:
    return import_module("sluice_bench.data")


@pytest.mark.skipif(not RESULTS.exists(), reason="nothing is published")
def test_the_page_shows_the_published_results(report: ModuleType) -> None:
    _, shown, _ = report.part_of(report.PAGE, "bench")
    assert shown == report.render(json.loads(RESULTS.read_text()))


@pytest.mark.skipif(not RESULTS.exists(), reason="nothing is published")
def test_the_short_page_shows_some_of_the_published_results(report: ModuleType) -> None:
    before, shown, after = report.part_of(report.SHORT_PAGE, "bench")
    assert (before + shown + after).count("\n") <= 150
    assert shown == report.overview(json.loads(RESULTS.read_text()))


@pytest.mark.skipif(not ENGINE_RESULTS.exists(), reason="nothing is published")
def test_the_page_shows_the_published_results_of_engines(report: ModuleType) -> None:
    _, shown, _ = report.part_of(report.PAGE, "engines")
    assert shown == report.render_engines(json.loads(ENGINE_RESULTS.read_text()))


@pytest.mark.skipif(not RESULTS.exists(), reason="nothing is published")
def test_the_plot_shows_the_published_results(report: ModuleType) -> None:
    plot = RESULTS.with_name("best.svg").read_text(encoding="utf-8")
    assert plot == report.plot(json.loads(RESULTS.read_text())["cells"])


IN_PROCESS = ("Parquet, DuckDB", "Parquet, polars", "Parquet, pyarrow", "SQLite", "DuckDB")
SERVED = ("PostgreSQL", "ClickHouse", "Redis")


@pytest.mark.parametrize(
    "engines",
    [
        pytest.param(IN_PROCESS, id="in process"),
        pytest.param(SERVED, id="served", marks=pytest.mark.servers),
    ],
)
def test_compiled_queries_answer_as_those_by_hand(engines: Sequence[str], tmp_path: Path) -> None:
    sizes = ("--rows", "3000", "--pairs", "1")
    results = tmp_path / "results.json"
    command = [sys.executable, str(ROOT / "bench" / "engines.py"), *sizes, "--json", str(results)]
    done = subprocess.run(
        [*command, "--engines", *engines],
        env={**os.environ, "SLUICE_BENCH_BUILD": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    cells = json.loads(results.read_text())["cells"]
    for name in engines:
        mine = [cell for cell in cells if cell["name"].startswith(f"{name}: ")]
        assert mine
        assert all(cell["ns"]["median"] > 0 for cell in mine)
    peers = [cell["peers"] for cell in cells if cell["name"].startswith(IN_PROCESS)]
    assert all({*peer} == {"by hand"} for peer in peers)


@pytest.mark.skipif(not RESULTS.exists(), reason="nothing is published")
def test_the_page_says_what_sluice_is_in_each_row(report: ModuleType) -> None:
    explained, _, _ = report.part_of(report.PAGE, "bench")
    for row in json.loads(RESULTS.read_text())["cells"]:
        assert re.search(rf"^\|.*`{re.escape(row['what'])}`.* \| .+ \|$", explained, re.MULTILINE)


def compare(folder: Path, *arguments: str) -> dict[str, Any]:
    """Runs compare.py with what is installed and returns its results."""
    program = str(ROOT / "bench" / "compare.py")
    command = [sys.executable, program, "--no-setup", "--driver", DRIVER, "--server", SERVER]
    environment = {**os.environ, "SLUICE_BENCH_BUILD": str(folder)}
    results = folder / "results.json"
    options = ["--json", str(results), "--pairs", "1", *arguments]
    done = subprocess.run(
        [*command, *options], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    comparison: dict[str, Any] = json.loads(results.read_text())
    return comparison


@needs_driver
@pytest.mark.parametrize("task", ["count", "page", "events", "request"])
def test_engines_agree_and_missing_ones_are_reported(task: str, tmp_path: Path) -> None:
    comparison = compare(tmp_path, "--rows", "70000", "--only", task)
    assert comparison["cells"]
    for cell in comparison["cells"]:
        assert cell["name"].startswith(task)
        assert cell["ns"]["median"] > 0
        assert cell["what"] == WHAT[task]
        for peer in cell["peers"].values():
            assert "missing" in peer or peer["ratio"]["median"] > 0
    for name in ENGINES if WHAT[task] == "store::select" else SERVICES:
        assert "settings" in comparison["engines"][name]
    if WHAT[task] == "store::select":  # measured where its package is installed
        assert {*comparison["engines"]["CRoaring"]} & {"settings", "missing"}


@needs_driver
def test_another_size_is_kept_beside_the_run(tmp_path: Path) -> None:
    compare(tmp_path, "--rows", "70000", "--only", "count: 1 equality")
    compare(tmp_path, "--rows", "3000", "--size")
    comparison = compare(tmp_path, "--rows", "70000", "--only", "count: 2 equalities")
    assert comparison["rows"] == 70_000
    assert {cell["name"] for cell in comparison["cells"]} >= {
        "count: 1 equality",
        "count: 2 equalities",
    }
    (beside,) = comparison["sizes"].values()
    assert beside["rows"] == 3_000
    assert {cell["what"] for cell in beside["cells"]} == {"store::select"}


def run_of(rows: int, **ns: float) -> dict[str, Any]:
    engines = {"absent": {"missing": "not installed"}, "there": {"settings": "usual"}}
    cells = [{"name": name, "ns": {"median": time}, **cell(quick=2.0)} for name, time in ns.items()]
    size = {"rows": rows, "dimensions": 7, "pairs": 3, "load": [0.5, 1.0]}
    return size | {"cells": cells, "engines": engines}


def test_sizes_are_shown_side_by_side(report: ModuleType) -> None:
    sizes = {"2000": run_of(2000, page=3e6, large=1e9), "1000": run_of(1000, page=2e3)}
    heads, _, *rows = report.sizes_table(run_of(10, page=1.0) | {"sizes": sizes}).splitlines()[2:]
    assert re.findall(r"[\d,]+ rows", heads) == ["10 rows", "1,000 rows", "2,000 rows"]
    between = " | 2.00 quick | "
    assert rows[0] == f"| page | 1.00 ns{between}2.00 µs{between}3.00 ms{between.rstrip()}"
    assert rows[1] == "| large |  |  |  |  | 1.00 s | 2.00 quick |"
    assert rows[-1].endswith("load 0.5 to 1.0; 3 runs. absent: not installed.")
    assert report.sizes_table(run_of(10)) == ""


def cell(**ratios: float) -> dict[str, Any]:
    peers = {name: {"ratio": {"median": ratio}} for name, ratio in ratios.items()}
    return {"peers": peers | {"absent": {"missing": "not installed"}}}


@pytest.mark.parametrize(
    ("measured", "shown"),
    [
        (cell(), ""),
        (cell(slow=20.0, quick=0.5, usual=3.0), "0.50 quick"),
        (cell(slow=20_000.0), "20.0k slow"),
    ],
)
def test_the_best_of_all_peers_is_told(
    report: ModuleType, measured: dict[str, Any], shown: str
) -> None:
    assert report.best(measured) == shown


WRK = """Running 3s test @ https://localhost:1/events
  1 threads and 8 connections
  Latency Distribution
     50%  410.00us
     90%    1.21ms
     99%    {p99}
  {count} requests in 3.00s, 61.9MB read
{failure}Requests/sec:   1073.11
"""


@pytest.mark.parametrize(
    ("p99", "ns"), [("940.50us", 940_500.0), ("2.25ms", 2.25e6), ("1.10s", 1.1e9)]
)
def test_the_report_of_wrk_is_read(p99: str, ns: float) -> None:
    servers = import_module("sluice_bench.servers")
    seen = servers.read_wrk(WRK.format(p99=p99, count=3_221, failure=""))
    assert (seen.requests, seen.p99_ns) == (3_221, pytest.approx(ns))


@pytest.mark.parametrize(
    "failure",
    [
        "  Non-2xx or 3xx responses: 7\n",
        "  Socket errors: connect 0, read 3, write 0, timeout 0\n",
    ],
)
def test_requests_that_failed_are_no_result(failure: str) -> None:
    servers = import_module("sluice_bench.servers")
    with pytest.raises(RuntimeError, match=failure.strip()):
        servers.read_wrk(WRK.format(p99="1.00ms", count=9, failure=failure))


def test_what_does_not_fit_is_named(data: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data, "memory", lambda: 20.0)
    assert len(data.dimensions_for(100_000_000)) == len(data.QUERIED)
    assert len(data.dimensions_for(1_000_000)) == 24
    assert data.misfit("NumPy bitmaps", 100_000_000, 7) is None
    assert data.misfit("DuckDB", 100_000_000, 7).reason.startswith("doesn't fit: ")
    with pytest.raises(SystemExit, match="sluice doesn't fit: 1,000,000,000 rows"):
        data.dimensions_for(1_000_000_000)


@needs_driver
def test_who_does_not_fit_is_missing_and_the_others_are_measured(
    data: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(data, "memory", lambda: data.held(70_000, 7) * 1.02)
    session = import_module("sluice_bench.session")
    monkeypatch.setattr(session, "BUILD", tmp_path)
    comparison = session.compare(Path(DRIVER), Path(SERVER), 70_000, 1, 1, ["count: 1"])
    assert (comparison["dimensions"], comparison["errors"]) == (7, [])
    assert "doesn't fit: " in comparison["engines"]["DuckDB"]["missing"]
    names = {"NumPy bitmaps", "DuckDB"}
    assert [set(measured["peers"]) >= names for measured in comparison["cells"]] == [True, True]


def test_every_engine_has_a_footprint(data: ModuleType) -> None:
    assert set(data.PEERS) == set(import_module("sluice_bench.row_engines").NAMES)


class EmptyService:
    def page(self, query: object) -> bytes:
        return b"[]"


def test_the_service_of_peers_has_all_that_the_handler_has() -> None:
    services = import_module("sluice_bench.services")
    application = services.make_app(EmptyService(), {hashlib.sha256(b"key").digest()})

    async def answers() -> list[httpx.Response]:
        transport = httpx.ASGITransport(application)
        key = {"Authorization": "Bearer key"}
        async with httpx.AsyncClient(transport=transport, base_url="https://a") as client:
            page = await client.get("/events?country=-US,CA", headers=key)
            known = key | {"If-None-Match": page.headers["etag"]}
            return [
                page,
                await client.get("/events?country=-US,CA", headers=known),
                await client.get("/events?limit=0", headers=key),
                await client.get("/events?country=US,-CA", headers=key),
                await client.get("/events", headers={"Authorization": "Bearer other"}),
            ]

    responses = asyncio.run(answers())
    assert [answer.status_code for answer in responses] == [200, 304, 422, 422, 401]
    assert responses[0].headers["x-ratelimit-remaining"] == "99999999"
    assert responses[0].content == b"[]"
