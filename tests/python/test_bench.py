"""The comparison of bench/: what is published is what was measured, and it runs."""

import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "bench" / "results" / "latest.json"
DRIVER = os.environ.get("SLUICE_BENCH_DRIVER", "")
INSTALLED = ("NumPy", "SQLite")  # the engines that every test environment has


@pytest.fixture
def report(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    return import_module("sluice_bench.report")


@pytest.mark.skipif(not RESULTS.exists(), reason="nothing is published")
def test_the_page_shows_the_published_results(report: ModuleType) -> None:
    page = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    shown = page.partition(report.BEGIN)[2].partition(report.END)[0]
    assert shown.strip() == report.render(json.loads(RESULTS.read_text()))


def compare(folder: Path, *arguments: str) -> dict[str, Any]:
    """Runs compare.py with what is installed and returns its results."""
    program = str(ROOT / "bench" / "compare.py")
    command = [sys.executable, program, "--no-setup", "--driver", DRIVER]
    environment = {**os.environ, "SLUICE_BENCH_BUILD": str(folder)}
    results = folder / "results.json"
    options = ["--json", str(results), "--pairs", "1", *arguments]
    done = subprocess.run(
        [*command, *options], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(results.read_text())
    return found


@pytest.mark.skipif(not DRIVER, reason="needs the built driver")
@pytest.mark.parametrize("task", ["count", "page"])
def test_engines_agree_and_missing_ones_are_reported(task: str, tmp_path: Path) -> None:
    found = compare(tmp_path, "--rows", "70000", "--only", task)
    assert found["cells"]
    for cell in found["cells"]:
        assert cell["name"].startswith(task)
        assert cell["ns"]["median"] > 0
        for name, peer in cell["peers"].items():
            assert "missing" in peer or peer["ratio"]["median"] > 0
            assert name in found["engines"]
    for name in INSTALLED:
        assert "settings" in found["engines"][name]


@pytest.mark.skipif(not DRIVER, reason="needs the built driver")
def test_growth_has_a_curve_for_each_thing_that_grows(tmp_path: Path) -> None:
    curves = compare(tmp_path, "--rows", "100000", "--growth")["growth"]["curves"]
    assert {curve["x"] for curve in curves.values()} == {
        "rows",
        "selectivity",
        "conditions",
        "offset",
    }
