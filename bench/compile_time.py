# SPDX-License-Identifier: MIT
"""Measures what including the primitives costs beside <nlohmann/json.hpp>.

    python bench/compile_time.py [--compiler g++] [--pairs 11] [--options "-O0"] [--include DIR …]

Compiles a file that includes only one header, for each in turn, and prints the medians of the
compiler's user time and the median, smallest and largest ratio of a pair. The aim is at most 0.5.
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

HEADERS = {"sluice": "sluice/sluice.hpp", "nlohmann": "nlohmann/json.hpp"}
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


def measure(compiler: list[str], pairs: int, folder: Path) -> dict[str, object]:
    """Medians and ratios over interleaved runs, after one that is not counted."""
    commands = {}
    for name, header in HEADERS.items():
        unit = folder / f"{name}.cpp"
        unit.write_text(f"#include <{header}>\n")
        commands[name] = [*compiler, "-c", str(unit), "-o", str(folder / f"{name}.o")]
    runs = [
        {name: user_seconds(command) for name, command in commands.items()}
        for _ in range(pairs + 1)
    ][1:]
    ratios = [run["sluice"] / run["nlohmann"] for run in runs]
    return {
        **{f"{name}_seconds": statistics.median(run[name] for run in runs) for name in HEADERS},
        "ratio": {"median": statistics.median(ratios), "min": min(ratios), "max": max(ratios)},
    }


def main() -> None:
    """Measures at -O0 and -O2, unless told otherwise."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compiler", default=os.environ.get("CXX", "g++"))
    parser.add_argument("--pairs", type=int, default=11)
    parser.add_argument("--options", action="append", help="default: -O0, then -O2")
    parser.add_argument("--include", type=Path, action="append", default=[])
    parser.add_argument("--json", type=Path, help="where the results go")
    given = parser.parse_args()
    results = {}
    for options in given.options or ["-O0", "-O2"]:
        compiler = [*shlex.split(given.compiler), "-std=c++20", *shlex.split(options)]
        compiler += [f"-I{folder}" for folder in [INCLUDE, *given.include]]
        missing = [header for header in HEADERS.values() if not has_header(compiler, header)]
        if missing:
            sys.exit(f"missing: {', '.join(missing)}")
        with tempfile.TemporaryDirectory() as folder:
            results[options] = measure(compiler, given.pairs, Path(folder))
        print(options, json.dumps(results[options]))
    if given.json:
        given.json.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
