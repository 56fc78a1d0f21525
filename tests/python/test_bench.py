"""The comparison of bench/: what is published is what was measured, and it runs."""

import asyncio
import hashlib
import http.client
import http.server
import json
import math
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace
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


# What the test environment has. A row of masks has some of them.
PEERS = {
    "count": set(),
    "page": set(),
    "events": {"DuckDB", "SQLite"},
    "server": {"sluice, Python", "FastAPI + DuckDB", "FastAPI + SQLite"},
    "validate": {"pydantic"},
    "edge": set(),
    "limit: 1 hot key": {"limits"},
    "mask": {"polars", "pyarrow", "NumPy", "DuckDB"},
    "number": {"loop", "DuckDB", "polars", "SQLite"},
    "expression": {"sluice, Python"},
    "objects": set(),
    "typescript": {"by hand"},
    "group": {"DuckDB", "ClickHouse", "polars", "pyarrow"},
}
WHAT = {
    "count": {"store::select"},
    "page": {"store::select"},
    "events": {"event_store"},
    "server": {"examples/server"},
    "validate": {"parse_events_query", "ListQuery.parse"},
    "edge": {
        *("ListQuery.parse", "ListQuery.errors", "ListQuery.matches", "page_headers"),
        *("ListQuery.to_polars", "ListQuery.to_pyarrow", "ListQuery.where", "ListQuery.to_sql"),
        *("to_list_query", "compile", "link_header", "parse_cursor"),
    },
    "limit: 1 hot key": {"keyed_limiter", "RateLimiter"},
    "mask": {"Filter.mask", "ListQuery.mask"},
    "number": {"store::count", "store::select"},
    "expression": {"grammar_record::parse", "sql::compile"},
    "objects": {"sluice::list", "query.apply"},
    "typescript": {
        *("parse", "errors", "matches", "Filter.matches", "decide", "toSql", "resolveWindow"),
    },
    "group": {"store::aggregate", "store::facets"},
}


@pytest.fixture(autouse=True)
def bench_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "bench"))


@pytest.fixture
def report() -> ModuleType:
    return import_module("sluice_bench.report")


@pytest.mark.skipif(not RESULTS.exists(), reason="nothing is published")
def test_the_pages_show_the_published_results(report: ModuleType) -> None:
    tables = report.overviews(json.loads(RESULTS.read_text()))
    assert {page: report.part_of(page, "bench")[1] for page in tables} == tables
    assert report.PAGE.read_text(encoding="utf-8").count("\n") <= 150


@pytest.mark.skipif(not ENGINE_RESULTS.exists(), reason="nothing is published")
def test_the_page_shows_the_published_results_of_engines(report: ModuleType) -> None:
    _, shown, _ = report.part_of(report.PAGE_OF_ENGINES, "engines")
    assert shown == report.engines(json.loads(ENGINE_RESULTS.read_text()))


@pytest.mark.skipif(not RESULTS.exists(), reason="nothing is published")
def test_the_plot_shows_the_published_results(report: ModuleType) -> None:
    plot = RESULTS.with_name("best.svg").read_text(encoding="utf-8")
    assert plot == report.plot(json.loads(RESULTS.read_text())["cells"])


IN_PROCESS = ("Parquet, DuckDB", "Parquet, polars", "Parquet, pyarrow", "SQLite", "DuckDB")
SERVED = ("PostgreSQL", "ClickHouse", "Redis")


@pytest.mark.servers
@pytest.mark.parametrize("engines", [IN_PROCESS, SERVED], ids=["in process", "served"])
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


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the rows and events that runs make, if an earlier one hasn't."""
    return tmp_path_factory.mktemp("bench")


def compare(data: Path, folder: Path, *arguments: str) -> dict[str, Any]:
    """Runs compare.py with what is installed and returns its results."""
    program = str(ROOT / "bench" / "compare.py")
    command = [sys.executable, program, "--no-setup", "--driver", DRIVER, "--server", SERVER]
    environment = {**os.environ, "SLUICE_BENCH_BUILD": str(data)}
    results = folder / "results.json"
    options = ["--json", str(results), "--pairs", "1", *arguments]
    done = subprocess.run(
        [*command, *options], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    comparison: dict[str, Any] = json.loads(results.read_text())
    return comparison


@needs_driver
@pytest.mark.parametrize("task", PEERS)
def test_engines_agree_and_missing_ones_are_reported(
    task: str, generated: Path, tmp_path: Path
) -> None:
    rows = "70000" if WHAT[task] == {"store::select"} else "7000"  # more than a block
    comparison = compare(generated, tmp_path, "--rows", rows, "--only", task)
    assert {cell["what"] for cell in comparison["cells"]} == WHAT[task]
    assert {name for cell in comparison["cells"] for name in cell["peers"]} >= PEERS[task]
    for cell in comparison["cells"]:
        assert cell["name"].startswith(task)
        assert cell["ns"]["median"] > 0
        measured = {name for name, peer in cell["peers"].items() if "missing" not in peer}
        assert measured >= PEERS[task] & {*cell["peers"]}
        assert all(cell["peers"][name]["ratio"]["median"] > 0 for name in measured)
        if WHAT[task] == {"store::select"}:  # measured if it is built
            assert "CRoaring" in cell["peers"]


@needs_driver
def test_a_run_keeps_the_other_rows_of_an_earlier_one(generated: Path, tmp_path: Path) -> None:
    compare(generated, tmp_path, "--rows", "3000", "--only", "count: 1 equality")
    comparison = compare(generated, tmp_path, "--rows", "3000", "--only", "count: 2 equalities")
    names = {cell["name"] for cell in comparison["cells"]}
    assert names >= {"count: 1 equality", "count: 2 equalities"}
    comparison = compare(generated, tmp_path, "--rows", "4000", "--only", "count: 3 equalities")
    assert [cell["name"] for cell in comparison["cells"]] == ["count: 3 equalities"]


def cell(**ratios: float) -> dict[str, Any]:
    peers = {name: {"ratio": {"median": ratio}} for name, ratio in ratios.items()}
    return {"peers": peers | {"absent": {"missing": "not installed"}}}


@pytest.mark.parametrize(
    ("measured", "best"),
    [
        (cell(), (math.inf, "")),
        (cell(slow=20.0, quick=0.5, usual=3.0), (0.5, "quick")),
        (cell(PING=0.1, slow=20_000.0), (20_000.0, "slow")),
    ],
)
def test_the_best_of_all_peers(
    report: ModuleType, measured: dict[str, Any], best: tuple[float, str]
) -> None:
    assert report.best_of(measured) == best


class RefusingServer(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_error(429)


def test_requests_that_fail_are_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    servers = import_module("sluice_bench.servers")
    monkeypatch.setattr(
        http.client,
        "HTTPSConnection",
        lambda host, port, **_: http.client.HTTPConnection(host, port),
    )
    with http.server.HTTPServer(("127.0.0.1", 0), RefusingServer) as refusing:
        threading.Thread(target=refusing.handle_request).start()
        running = SimpleNamespace(
            host="127.0.0.1",
            port=refusing.server_port,
            trusted=None,
            process=SimpleNamespace(pid=os.getpid()),
        )
        with pytest.raises(RuntimeError, match="/events is answered by 429"):
            servers.client(running)("/events").answer()


class EmptyService:
    def page(self, query: object) -> bytes:
        return b"[]"


def test_the_service_of_peers_has_all_that_the_handler_has() -> None:
    services = import_module("sluice_bench.fastapi_service")
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


@pytest.mark.servers
def test_pages_of_orms_are_those_by_hand() -> None:
    command = [sys.executable, str(ROOT / "bench" / "orms.py"), "--rows", "3000", "--pairs", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for name in ("sqlalchemy.page", "sqlalchemy.page_async", "django.page"):
        assert f"| `sluice.{name}` |" in done.stdout
