# SPDX-License-Identifier: MIT
"""What the package asks for, and what it loads."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_it_is_built_with_a_pybind11_that_the_bindings_know() -> None:
    [asked] = [each for each in PROJECT["build-system"]["requires"] if "pybind11" in each]
    code = (ROOT / "bindings/fast_method.hpp").read_text()
    first, end = re.findall(r"PYBIND11_VERSION_HEX (?:>=|<) 0x(\d\d)(\d\d)0000", code)
    bounds = [f"{int(major)}.{int(minor)}" for major, minor in (first, end)]
    assert asked == f"pybind11>={bounds[0]},<{bounds[1]}"


def test_an_import_loads_no_other_package() -> None:
    loaded = "import sys, sluice; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    printed = subprocess.run(
        [sys.executable, "-c", loaded], capture_output=True, text=True, check=True
    ).stdout
    others = {"tqdm", "numpy", "pyarrow", "pandas", "polars", "uvicorn", "h11", "trustme", "redis"}
    others |= {"sqlalchemy", "django", "clickhouse_connect"}
    assert "sluice" in printed.split()
    assert not others & set(printed.split())
