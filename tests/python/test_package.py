# SPDX-License-Identifier: MIT
"""The package's requirements, and the modules that it loads."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

import sluice
from sluice import __main__ as command

ROOT = Path(__file__).parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())


# What `import sluice` may load beyond what an interpreter starts with: modules of next to no time.
LIGHT = {"_collections", "_datetime", "_functools", "_operator", "_warnings", "collections"}
LIGHT |= {
    "datetime",
    "functools",
    "importlib",
    "itertools",
    "keyword",
    "math",
    "operator",
    "reprlib",
}
LIGHT |= {"time", "types", "unicodedata", "warnings"}

# Names that are imported with what they need when first asked for.
LATER = ["Column", "Window", "asgi", "sql"]


def test_an_import_loads_next_to_nothing() -> None:
    code = "import sys; before = set(sys.modules); import sluice; print(*set(sys.modules) - before)"
    done = subprocess.run((sys.executable, "-c", code), capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    modules = {"sluice", "sluice._errors", "sluice._methods", "sluice._package", "sluice._sluice"}
    modules |= {"sluice.api"}
    assert modules <= loaded
    assert {name.partition(".")[0] for name in loaded - modules} <= LIGHT


@pytest.mark.parametrize("name", LATER)
def test_what_comes_later_is_there_when_asked_for(name: str) -> None:
    code = f"import sluice; assert {name!r} in dir(sluice); assert {name!r} not in vars(sluice); "
    code += f"first = sluice.{name}; assert vars(sluice)[{name!r}] is first; print(first)"
    done = subprocess.run((sys.executable, "-c", code), capture_output=True, text=True, check=True)
    assert f"sluice.{name}" in done.stdout


def test_a_misspelt_name_is_told_with_a_near_one() -> None:
    code = "import sluice; sluice.columns"
    done = subprocess.run((sys.executable, "-c", code), capture_output=True, text=True, check=False)
    said = "AttributeError: module 'sluice' has no attribute 'columns'. Did you mean: 'Column'?"
    assert said in done.stderr


def test_the_version_is_that_of_cmake() -> None:
    [version] = re.findall(
        r"^    VERSION (\S+)$", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE
    )
    assert sluice.__version__ == version
    port = json.loads((ROOT / ".vcpkg/sluice/vcpkg.json").read_text())
    assert port["version"] == version
    conan = (sys.executable, "-m", "conans.conan", "inspect", ".conan", "--format", "json")
    printed = subprocess.run(conan, capture_output=True, check=True, cwd=ROOT).stdout
    assert json.loads(printed)["version"] == version
    released = re.findall(r"^## \[(\d\S*)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert released[0] == version
    guide = (ROOT / "docs/install.md").read_text()
    versions = set(re.findall(r"\bsluice(?:/|-dev_|-)(\d+\.\d+\.\d+)", guide))
    assert versions == {version}


def test_wheels_are_made_for_each_python_and_processor() -> None:
    words = ("-m", "cibuildwheel", "--platform", "linux", "--print-build-identifiers", ".")
    printed = subprocess.run(
        (sys.executable, *words), capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout
    assert sorted(printed.split()) == [
        f"cp3{minor}-manylinux_{machine}"
        for minor in range(11, 15)
        for machine in ("aarch64", "x86_64")
    ]


def test_the_classifiers_name_each_python() -> None:
    said = [
        classifier
        for classifier in PROJECT["project"]["classifiers"]
        if "Python :: 3." in classifier
    ]
    assert said == [f"Programming Language :: Python :: 3.{minor}" for minor in range(11, 15)]


LIBRARIES = {
    "tl-expected": "tl::expected",
    "date": "date",
    "simdjson": "simdjson",
    "mbedtls": "Mbed TLS",
}


def test_the_tables_of_versions_and_platforms_are_those_of_the_build() -> None:
    page = (ROOT / "docs/versions.md").read_text()
    rows = dict(re.findall(r"^\| (\w+) \| ([^|]+) \|", page, re.MULTILINE))
    lists = (ROOT / "CMakeLists.txt").read_text()
    assert f"cmake_minimum_required(VERSION {rows['CMake']})" in lists
    requirements = (ROOT / "include/sluiceRequirements.cmake").read_text()
    oldest = dict(re.findall(r"^set\(sluice_minimum_(\S+) (\S+)\)$", requirements, re.MULTILINE))
    assert rows["libraries"] == ", ".join(
        f"{name} {oldest[package]}" for package, name in LIBRARIES.items()
    )
    major, minor, _ = sluice.__version__.split(".")
    assert f"`find_package(sluice {major}.{minor})` takes any {major}.{minor}" in page


def test_the_command_is_the_package_run_as_a_program() -> None:
    assert PROJECT["project"]["scripts"] == {"sluice": f"{command.__name__}:main"}


def test_the_bill_of_materials_names_what_is_linked_and_needed() -> None:
    words = (sys.executable, ".ci/sbom.py", "date=3.0.1")
    document = subprocess.run(words, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(document) is None
    parts = {part["name"]: part for part in json.loads(document)["components"]}
    of_page = {"regular-table", "uplot"}
    needed = {
        re.split(r"[<>=]", dependency)[0] for dependency in PROJECT["project"]["dependencies"]
    }
    assert (
        set(parts) == {"date", "mbedtls", "pybind11", "simdjson", "tl-expected"} | needed | of_page
    )
    assert parts["date"]["version"] == "3.0.1"
    assert "hashes" not in parts["date"]  # which are those of the version that CMake fetches
    [simdjson] = parts["simdjson"]["hashes"]
    assert simdjson["content"] in (ROOT / "CMakeLists.txt").read_text()


def test_what_is_installed_and_fetched_is_known_by_its_hash() -> None:
    pinned = (ROOT / ".ci" / "requirements.txt").read_text()
    entries = re.split(r"^(?=\w)", pinned, flags=re.MULTILINE)[1:]
    assert len(entries) > 50
    assert [entry for entry in entries if "--hash=sha256:" not in entry] == []
    assert "--require-hashes" in (ROOT / ".ci" / "setup").read_text()
    files = [ROOT / "CMakeLists.txt", *ROOT.glob("*/CMakeLists.txt")]
    fetched = [f.read_text().count("FetchContent_Declare(") for f in files]
    hashed = [f.read_text().count("URL_HASH SHA256=") for f in files]
    assert sum(fetched) > 0
    assert fetched == hashed
