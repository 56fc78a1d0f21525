# SPDX-License-Identifier: MIT
"""Measures what including sluice costs beside <nlohmann/json.hpp>.

    python bench/compile_time.py [--compiler g++] [--pairs 11] [--options="-O2 -c"]

Compiles files that include only one header, each in turn, and prints the medians of the compiler's
user time and the median, smallest and largest ratio to nlohmann's of the same turn. The aims are
ratios of at most 0.35 for <sluice/filter.hpp> and 1.0 for <sluice/sluice.hpp>.
"""

import argparse
import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

PEER = "nlohmann/json.hpp"
HEADERS = ("sluice/filter.hpp", "sluice/sluice.hpp", PEER)
INCLUDE = Path(__file__).resolve().parent.parent / "include"


def user_seconds(command: list[str]) -> float:
    """The time of one run of the compiler and its children, without what it waits for."""
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{shlex.join(command)} failed")
    return usage.ru_utime


def has_header(compiler: list[str], header: str) -> bool:
    """Whether the compiler finds a header."""
    probe = [*compiler, "-x", "c++", "-E", "-include", header, os.devnull, "-o", os.devnull]
    return subprocess.run(probe, stderr=subprocess.DEVNULL, check=False).returncode == 0


def summary(values: list[float]) -> dict[str, float]:
    """The median of some values and how far they spread."""
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def measure(compiler: list[str], pairs: int, folder: Path) -> dict[str, dict[str, object]]:
    """Seconds and ratios over interleaved runs, after one that is not counted."""
    commands = {}
    for number, header in enumerate(HEADERS):
        unit = folder / f"{number}.cpp"
        unit.write_text(f"#include <{header}>\n")
        commands[header] = [*compiler, str(unit), "-o", str(unit.with_suffix(".o"))]
    runs = [
        {header: user_seconds(command) for header, command in commands.items()}
        for _ in range(pairs + 1)
    ][1:]
    return {
        header: {
            "seconds": statistics.median(run[header] for run in runs),
            "ratio": summary([run[header] / run[PEER] for run in runs]),
        }
        for header in HEADERS
    }


def main() -> None:
    """Measures the syntax check and a compilation at -O2, unless told otherwise."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compiler", default=os.environ.get("CXX", "g++"))
    parser.add_argument("--pairs", type=int, default=11)
    parser.add_argument("--options", action="append", help="default: -fsyntax-only, then -O2 -c")
    parser.add_argument("--include", type=Path, action="append", default=[])
    parser.add_argument("--json", type=Path, help="where the results go")
    given = parser.parse_args()
    results = {}
    for options in given.options or ["-fsyntax-only", "-O2 -c"]:
        compiler = [*shlex.split(given.compiler), "-std=c++20", *shlex.split(options)]
        compiler += [f"-I{folder}" for folder in [INCLUDE, *given.include]]
        missing = [header for header in HEADERS if not has_header(compiler, header)]
        if missing:
            sys.exit(f"missing: {', '.join(missing)}")
        with tempfile.TemporaryDirectory() as folder:
            results[options] = measure(compiler, given.pairs, Path(folder))
        for header, taken in results[options].items():
            print(options, header, json.dumps(taken))
    if given.json:
        given.json.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
