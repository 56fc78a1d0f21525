# SPDX-License-Identifier: MIT
"""Measures the compile time of sluice's headers beside <nlohmann/json.hpp>.

    python bench/compile_time.py [--compiler g++] [--pairs 11] [--options="-O2 -c"]

Compiles files that include only one header, in turn, and prints the medians of the compiler's user
time and the median, smallest and largest ratio to nlohmann's of the same turn. "precompiled" is a
file with <sluice/sluice.hpp> precompiled, as `sluice::precompiled` has it. Much of either library
is templates, which are compiled for who calls them: programs are measured too, each beside the
smallest that parses and writes JSON. `--compiler` and `--options` may be repeated.
"""

import argparse
import itertools
import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from sluice_bench.measuring import spread

PEER = "nlohmann/json.hpp"
UMBRELLA = "sluice/sluice.hpp"
HEADERS = ("sluice/filters/filter.hpp", "sluice/filters.hpp", UMBRELLA, PEER)
PRECOMPILED = "precompiled"
PEER_USED = "nlohmann/json.hpp, used"
PEER_PROGRAM = """#include <iostream>
#include <nlohmann/json.hpp>
int main() {
    const auto plan = nlohmann::json::parse(R"({"plan":"pro"})", nullptr, false);
    if (!plan.is_discarded()) std::cout << plan.dump();
}
"""
EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
PROGRAMS = ("first_look.cpp", "quickstart.cpp", "orders.cpp")
INCLUDE = Path(__file__).resolve().parent.parent / "include"


def user_seconds(command: list[str]) -> float:
    """Returns the user time of one run of the compiler and its children."""
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{shlex.join(command)} failed")
    return usage.ru_utime


def precompiled(compiler: list[str], folder: Path) -> list[str]:
    """Precompiles the umbrella and returns the arguments that use it."""
    header = folder / "precompiled.hpp"
    header.write_text(f"#include <{UMBRELLA}>\n")
    is_clang = "clang" in compiler[0]
    made = header.with_suffix(".hpp.pch" if is_clang else ".hpp.gch")
    command = [part for part in compiler if part not in ("-c", "-fsyntax-only")]
    if is_clang:
        command.append("-fpch-instantiate-templates")  # as CMake does
    user_seconds([*command, "-x", "c++-header", str(header), "-o", str(made)])
    return ["-include-pch", str(made)] if is_clang else ["-include", str(header)]


def commands_of(compiler: list[str], folder: Path) -> dict[str, list[str]]:
    """Returns the commands that compile a file with each header, and the programs."""
    commands = {}
    for number, header in enumerate(HEADERS):
        unit = folder / f"{number}.cpp"
        unit.write_text(f"#include <{header}>\n")
        commands[header] = [*compiler, str(unit), "-o", str(unit.with_suffix(".o"))]
    peer = folder / "peer.cpp"
    peer.write_text(PEER_PROGRAM)
    for name, program in [(PEER_USED, peer), *((name, EXAMPLES / name) for name in PROGRAMS)]:
        commands[name] = [*compiler, str(program), "-o", str(folder / f"{program.stem}.o")]
    unit = folder / "user.cpp"
    unit.write_text('bool is_filter() { return sluice::parse_filter("US").has_value(); }\n')
    commands[PRECOMPILED] = [*compiler, *precompiled(compiler, folder), str(unit)]
    commands[PRECOMPILED] += ["-o", str(unit.with_suffix(".o"))]
    return commands


def measure(compiler: list[str], pairs: int, folder: Path) -> dict[str, dict[str, object]]:
    """Returns seconds and ratios over interleaved runs, after one that is not counted."""
    commands = commands_of(compiler, folder)
    peers = dict.fromkeys((PEER_USED, *PROGRAMS), PEER_USED)
    runs = [
        {header: user_seconds(command) for header, command in commands.items()}
        for _ in range(pairs + 1)
    ][1:]
    return {
        header: {
            "seconds": statistics.median(run[header] for run in runs),
            "ratio": spread([run[header] / run[peers.get(header, PEER)] for run in runs]),
        }
        for header in commands
    }


def main() -> None:
    """Measures the syntax check and compilations at -O0 and -O2, unless told otherwise."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compiler", action="append", help="default: $CXX, or g++")
    parser.add_argument("--pairs", type=int, default=11)
    parser.add_argument("--options", action="append", help="default: -fsyntax-only, -O0 -c, -O2 -c")
    parser.add_argument("--include", type=Path, action="append", default=[])
    parser.add_argument("--json", type=Path, help="where the results go")
    given = parser.parse_args()
    results: dict[str, dict[str, dict[str, object]]] = {}
    compilers = given.compiler or [os.environ.get("CXX", "g++")]
    for name, options in itertools.product(
        compilers, given.options or ["-fsyntax-only", "-O0 -c", "-O2 -c"]
    ):
        compiler = [*shlex.split(name), "-std=c++20", *shlex.split(options)]
        compiler += [f"-I{folder}" for folder in [INCLUDE, *given.include]]
        run = f"{name} {options}"
        with tempfile.TemporaryDirectory() as folder:
            results[run] = measure(compiler, given.pairs, Path(folder))
        for header, taken in results[run].items():
            print(run, header, json.dumps(taken), flush=True)
    if given.json:
        given.json.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
