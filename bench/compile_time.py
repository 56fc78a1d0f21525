# SPDX-License-Identifier: MIT
"""Measures the compile time and memory of sluice's headers beside <nlohmann/json.hpp>.

    python bench/compile_time.py [--compiler g++] [--pairs 11] [--options="-O2 -c"]

Compiles files in turn and prints the medians of the compiler's user time, their ratio to
nlohmann's of the same turn, and the most memory. "precompiled" has <sluice/sluice.hpp>
precompiled, as `sluice::precompiled` does. Much of either library is templates, which are compiled
for who calls them: programs are measured too, beside the smallest that parses and writes JSON.
"""

import argparse
import os
import shlex
import subprocess
import tempfile
from functools import partial
from pathlib import Path

from sluice_bench.measuring import ratios, spread, take_turns
from sluice_bench.report import digits, duration, table, with_ends

ROOT = Path(__file__).resolve().parent.parent
UMBRELLA, PEER = "sluice/sluice.hpp", "nlohmann/json.hpp"
PEER_PROGRAM, ONE_TABLE, PRECOMPILED = "nlohmann/json.hpp, used", "one table", "precompiled"
HEADERS = ("sluice/filters/filter.hpp", UMBRELLA, "sluice/params.hpp", "sluice/store.hpp", PEER)
SOURCES = {header: f"#include <{header}>\n" for header in HEADERS}
SOURCES |= {
    ONE_TABLE: """#include <sluice/params.hpp>
struct query { sluice::filter country{}; std::int64_t page = 1; };
constexpr sluice::schema columns{sluice::column{.name = "country"}};
constexpr sluice::param_table params{
    columns,
    sluice::filter_param<&query::country>({.name = "country", .column = "country"}),
    sluice::page_param<&query::page>({.name = "page"})};
auto parse(std::string_view text) {
    const sluice::query_string pairs = sluice::parse_query_string(text);
    return sluice::bind(params, pairs.pairs());
}
""",
    PRECOMPILED: 'bool is_filter() { return sluice::parse_filter("US").has_value(); }\n',
    PEER_PROGRAM: """#include <iostream>
#include <nlohmann/json.hpp>
int main() {
    const auto plan = nlohmann::json::parse(R"({"plan":"pro"})", nullptr, false);
    if (!plan.is_discarded()) std::cout << plan.dump();
}
""",
}
EXAMPLES = ("first_look.cpp", "quickstart.cpp", "orders.cpp")
SOURCES |= {name: (ROOT / "examples" / name).read_text() for name in EXAMPLES}


def compile_file(command: list[str], peaks: list[int]) -> float:
    """Returns the nanoseconds of user time that the compiler takes, and adds its kilobytes."""
    compiler = subprocess.Popen(command)
    _, status, usage = os.wait4(compiler.pid, 0)
    compiler.returncode = os.waitstatus_to_exitcode(status)
    if compiler.returncode != 0:
        raise SystemExit(f"{shlex.join(command)} failed")
    peaks.append(usage.ru_maxrss)
    return usage.ru_utime * 1e9


def precompile(compiler: list[str], folder: Path) -> list[str]:
    """Precompiles the umbrella and returns the arguments that use it."""
    header = folder / "precompiled.hpp"
    header.write_text(SOURCES[UMBRELLA])
    is_clang = "clang" in compiler[0]
    output = f"{header}.{'pch' if is_clang else 'gch'}"
    command = [part for part in compiler if part not in ("-c", "-fsyntax-only")]
    if is_clang:
        command.append("-fpch-instantiate-templates")  # as CMake does
    compile_file([*command, "-x", "c++-header", str(header), "-o", output], [])
    return ["-include-pch", output] if is_clang else ["-include", str(header)]


def measure(compiler: list[str], pairs: int, folder: Path) -> str:
    """Returns the table of a compiler: times, ratios to the peer in turns, memory."""
    runs, peaks = {}, {name: [] for name in SOURCES}
    for number, (name, text) in enumerate(SOURCES.items()):
        unit = folder / f"{number}.cpp"
        unit.write_text(text)
        used = precompile(compiler, folder) if name == PRECOMPILED else []
        command = [*compiler, *used, str(unit), "-o", f"{unit}.o"]
        runs[name] = partial(compile_file, command, peaks[name])
    take_turns(1, runs)  # fills the caches
    times = take_turns(pairs, runs)
    rows = []
    for name, nanoseconds in times.items():
        ratio = ratios(nanoseconds, times[PEER_PROGRAM if name in EXAMPLES else PEER])
        most = f"{digits(max(peaks[name]) / 1024)} MB"
        rows.append([name, duration(spread(nanoseconds)["median"]), with_ends(ratio), most])
    return table(["source", "user time", "ratio", "memory"], rows)


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
