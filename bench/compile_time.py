# SPDX-License-Identifier: MIT
"""Measures the compile time of sluice's headers beside <nlohmann/json.hpp>.

    python bench/compile_time.py [--compiler g++] [--pairs 11] [--options="-O2 -c"]

Compiles files that include only one header, in turn, and prints the medians of the compiler's user
time and of the ratio to nlohmann's of the same turn. "precompiled" is a file with
<sluice/sluice.hpp> precompiled, as `sluice::precompiled` has it. Much of either library is
templates, which are compiled for who calls them: programs are measured too, each beside the
smallest that parses and writes JSON.
"""

import argparse
import os
import shlex
import subprocess
import tempfile
from functools import partial
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

from sluice_bench.measuring import ratios, spread, take_turns
from sluice_bench.report import duration, table, with_ends

ROOT = Path(__file__).resolve().parent.parent
UMBRELLA = "sluice/sluice.hpp"
PEER = "nlohmann/json.hpp"
PEER_PROGRAM = "nlohmann/json.hpp, used"
PRECOMPILED = "precompiled"
PROGRAMS = {
    PEER_PROGRAM: """#include <iostream>
#include <nlohmann/json.hpp>
int main() {
    const auto plan = nlohmann::json::parse(R"({"plan":"pro"})", nullptr, false);
    if (!plan.is_discarded()) std::cout << plan.dump();
}
""",
    **{
        name: (ROOT / "examples" / name).read_text()
        for name in ("first_look.cpp", "quickstart.cpp", "orders.cpp")
    },
}
HEADERS = ("sluice/filters/filter.hpp", "sluice/filters.hpp", UMBRELLA, PEER)
SOURCES = {header: f"#include <{header}>\n" for header in HEADERS} | PROGRAMS
SOURCES[PRECOMPILED] = 'bool is_filter() { return sluice::parse_filter("US").has_value(); }\n'


def compile_file(command: list[str]) -> float:
    """Returns the nanoseconds of user time that the compiler and its children take."""
    before = getrusage(RUSAGE_CHILDREN).ru_utime
    subprocess.run(command, check=True)
    return (getrusage(RUSAGE_CHILDREN).ru_utime - before) * 1e9


def precompile(compiler: list[str], folder: Path) -> list[str]:
    """Precompiles the umbrella and returns the arguments that use it."""
    header = folder / "precompiled.hpp"
    header.write_text(SOURCES[UMBRELLA])
    is_clang = "clang" in compiler[0]
    output = f"{header}.{'pch' if is_clang else 'gch'}"
    command = [part for part in compiler if part not in ("-c", "-fsyntax-only")]
    if is_clang:
        command.append("-fpch-instantiate-templates")  # as CMake does
    compile_file([*command, "-x", "c++-header", str(header), "-o", output])
    return ["-include-pch", output] if is_clang else ["-include", str(header)]


def measure(compiler: list[str], pairs: int, folder: Path) -> str:
    """Returns the table of a compiler: times, and ratios to the peer in turns."""
    runs = {}
    for number, (name, text) in enumerate(SOURCES.items()):
        unit = folder / f"{number}.cpp"
        unit.write_text(text)
        used = precompile(compiler, folder) if name == PRECOMPILED else []
        runs[name] = partial(compile_file, [*compiler, *used, str(unit), "-o", f"{unit}.o"])
    take_turns(1, runs)  # fills the caches
    times = take_turns(pairs, runs)
    rows = []
    for name, nanoseconds in times.items():
        peer = PEER_PROGRAM if name in PROGRAMS else PEER
        ratio = ratios(nanoseconds, times[peer])
        rows.append([name, duration(spread(nanoseconds)["median"]), with_ends(ratio)])
    return table(["source", "user time", "ratio"], rows)


def main() -> None:
    """Measures the syntax check and compilations at -O0 and -O2, or those of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compiler", default=os.environ.get("CXX", "g++"), help="(%(default)s)")
    parser.add_argument("--pairs", type=int, default=11)
    parser.add_argument("--options", help="default: -fsyntax-only, -O0 -c, -O2 -c in turn")
    words = parser.parse_args()
    for options in [words.options] if words.options else ["-fsyntax-only", "-O0 -c", "-O2 -c"]:
        compiler = [*shlex.split(words.compiler), "-std=c++20", *shlex.split(options)]
        with tempfile.TemporaryDirectory() as folder:
            rows = measure([*compiler, f"-I{ROOT / 'include'}"], words.pairs, Path(folder))
        print(f"{words.compiler} {options}\n\n{rows}\n", flush=True)


if __name__ == "__main__":
    main()
