# SPDX-License-Identifier: MIT
"""The wheel as it is published: what it is called, weighs, brings along and asks of a system.

It is the one in build/wheels, which install_package.sh makes and installs for the tests.
"""

import os
import re
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

import sluice

pytestmark = pytest.mark.skipif(
    os.environ.get("SLUICE_TEST_WHEEL") != "1", reason="set SLUICE_TEST_WHEEL=1"
)
ROOT = Path(__file__).parents[2]
MOST_BYTES = 2_400_000
# What every Linux of manylinux has. Nothing else: neither date nor simdjson, nor Mbed TLS.
SYSTEM = {"ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
SYSTEM |= {"libc.so.6", "libgcc_s.so.1", "libm.so.6", "libstdc++.so.6"}


@pytest.fixture(scope="module")
def wheel() -> Path:
    [file] = (ROOT / "build/wheels").glob("*.whl")
    return file


@pytest.fixture(scope="module")
def module(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled module, taken out of the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        [name] = [entry for entry in archive.namelist() if entry.endswith(".so")]
        return Path(archive.extract(name, tmp_path_factory.mktemp("wheel")))


def run(*words: str | Path) -> str:
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def test_it_is_of_this_version_python_and_any_recent_linux(wheel: Path) -> None:
    python = f"cp3{sys.version_info.minor}"
    machine = r"manylinux_2_\d\d_(x86_64|aarch64)"
    assert re.fullmatch(f"sluice-{sluice.__version__}-{python}-{python}-{machine}.whl", wheel.name)


def test_it_is_small(wheel: Path) -> None:
    assert wheel.stat().st_size <= MOST_BYTES


def test_it_needs_the_system_alone(module: Path) -> None:
    needed = set(re.findall(r"\(NEEDED\).*\[(.+)\]", run("readelf", "--dynamic", module)))
    assert "libc.so.6" in needed
    assert needed <= SYSTEM


def test_it_shows_the_interpreter_one_function(module: Path) -> None:
    symbols = run(
        "nm", "--dynamic", "--defined-only", "--extern-only", "--format=just-symbols", module
    )
    assert symbols.split() == ["PyInit__sluice"]


def test_it_holds_the_package_and_no_more(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"sluice"}
    assert {"sluice/py.typed", "sluice/_sluice.pyi"} <= set(names)
    files = [name for name in names if not name.endswith("/")]
    licenses = {Path(name).name for name in files if "/licenses/" in name}
    linked = {f"LICENSE.{name}" for name in ("date", "mbedtls", "pybind11", "simdjson")}
    assert licenses == {"LICENSE"} | linked


def test_it_works_where_nothing_else_is_installed(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path, with_pip=True)
    python = tmp_path / "bin/python"
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel)
    printed = run(python, "-I", ROOT / "tests/consumer/wheel/smoke.py")
    assert printed.startswith(f"sluice {sluice.__version__} works")
