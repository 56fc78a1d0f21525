#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Mutation testing: small faults are put into the headers, and the tests nearest to them must fail.

    python3 tests/mutate.py                        200 mutants of seed 1
    python3 tests/mutate.py --only limiter -v      only of headers whose path has `limiter`

Each mutant is one edit of one line, drawn with a seed from all edits that the table below makes
of the headers in scope, as many of each part of the library as of any other. The tests named beside
the header are compiled against it and run; where memory is at stake, with the address and undefined
behaviour sanitizers. A mutant that does not compile is replaced by the next one drawn.

    compiled? --no--> drawn again
        | yes
    a test fails, crashes or hangs? --yes--> killed
        | no
    listed in tests/mutants_alive.txt as the same program? --yes--> equivalent, else SURVIVED

Exit codes: 0 at most 5 % survived, 1 more did, 2 the tests fail without any mutant.
"""

import argparse
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADERS = ROOT / "include" / "sluice"
ALIVE = ROOT / "tests" / "mutants_alive.txt"
MOST_SURVIVORS = 0.05
# Processor time, so that a busy machine kills nothing: tests take some seconds of it, and one that
# takes this much is a loop without end. One that waits for ever takes none.
CPU_SECONDS = 240
SECONDS = 1_800

_STATEMENT = (
    r"^(\s+)(?!return|throw|using|static|const|break|continue)"
    r"[\w.>*\[\]-]+(\(.*\)| [+|&-]?= .*);$"
)
# What clang-format leaves between blanks is an operator; `<` of templates has none around it.
EDITS = [
    (r" < ", " <= "),
    (r" <= ", " < "),
    (r" > ", " >= "),
    (r" >= ", " > "),
    (r" == ", " != "),
    (r" != ", " == "),
    (r" && ", " || "),
    (r" \|\| ", " && "),
    (r" \+ ", " - "),
    (r" - ", " + "),
    (r" \+= ", " -= "),
    (r" -= ", " += "),
    (r" \* ", " + "),
    (r" / ", " * "),
    (r" % ", " / "),
    (r" & ", " | "),
    (r" \| ", " & "),
    (r"\+\+(?=\w)", "--"),
    (r"--(?=\w)", "++"),
    (r"std::min\b", "std::max"),
    (r"std::max\b", "std::min"),
    (r"\btrue\b", "false"),
    (r"\bfalse\b", "true"),
    (r"\bif \((?=[^)]*\) \w)", "if (!"),
    (r"(?<=[(\[ ])!(?=\w)", ""),
    (r"(?<=[ ([{])0(?=[;,) \]}])", "1"),
    (r"(?<=[ ([{])1(?=[;,) \]}])", "2"),
    (r"(?<=[ ([{])(\d{2,})(?=[;,) \]}])", r"\g<1> - 1"),
    (_STATEMENT, r"\1;"),
]


@dataclass(frozen=True)
class Part:
    """Headers of one part of the library, and the tests nearest to them."""

    name: str
    headers: Sequence[str]
    tests: Sequence[str]
    sanitized: bool = False


PARTS = [
    Part("filter", ["filter", "filter_values", "filter_matcher"], ["filter"]),
    Part("query string", ["query_string", "detail/form_scan"], ["query_string"]),
    Part("binding", ["bind", "params", "param_table", "page"], ["bind", "page"]),
    Part(
        "metadata expression",
        [
            "metadata/query",
            "metadata/expression",
            "metadata/detail/parser",
            "metadata/detail/scanner",
            "metadata/detail/tree",
            "metadata/detail/writer",
        ],
        ["metadata/query"],
    ),
    Part("numbers", ["detail/decimal"], ["detail/decimal"]),
    Part("times", ["instant", "detail/time_digits"], ["instant"]),
    Part("time expressions", ["time_expression"], ["time_expression"]),
    Part("windows", ["time_range", "time_zone"], ["time_range", "time_zone"]),
    Part("envelopes", ["envelope", "error"], ["envelope", "error"]),
    Part(
        "algorithms",
        [
            "rate_limit/algorithms",
            "rate_limit/decision",
            "rate_limit/policy",
            "rate_limit/sliding_log",
        ],
        ["rate_limit", "rate_limit/algorithms", "rate_limit/decision"],
    ),
    Part("rate headers", ["rate_limit/headers"], ["rate_limit/headers"]),
    Part(
        "keyed limiter",
        [
            "rate_limit/keyed_limiter",
            "rate_limit/detail/limiter_key",
            "rate_limit/detail/limiter_shard",
            "rate_limit/detail/limiter_table",
        ],
        ["rate_limit/keyed_limiter", "rate_limit/detail/limiter_table"],
        sanitized=True,
    ),
    Part(
        "blocks",
        [
            "store/detail/block_scanner",
            "store/detail/block_condition",
            "store/detail/where_filter",
            "store/code_set",
            "store/detail/sealed_column",
            "store/expression",
        ],
        ["store/detail/block_scanner", "store/code_set", "store/expression", "store/detail/sealed_column"],
        sanitized=True,
    ),
    Part("planner", ["store/detail/block_plan", "store/scan"], ["store/scan", "store/detail/block_scanner"]),
    Part(
        "dictionary",
        ["store/dictionary", "store/code_table", "store/text_hash"],
        ["store/dictionary", "store/text_hash"],
        sanitized=True,
    ),
    Part("handler", ["api/handler"], ["api/handler"]),
    Part("keys", ["api/service/key_ring", "api/service/key_file"], ["api/service/key_ring", "api/service/key_file"]),
    Part(
        "masks",
        [
            "arrow/filter_mask",
            "arrow/text_column",
            "arrow/code_column",
            "arrow/time_mask",
            "arrow/row_bits",
        ],
        ["arrow/filter_mask", "arrow/time_mask", "arrow/row_bits"],
        sanitized=True,
    ),
]


@dataclass(frozen=True)
class Mutant:
    """One line of a header, changed."""

    part: Part
    header: Path
    line: int  # from 1
    before: str
    after: str

    def __str__(self) -> str:
        """One line: the place, and what was changed into what."""
        place = self.header.relative_to(ROOT)
        return f"{place}:{self.line}: {self.before.strip()}  =>  {self.after.strip()}"


def mutants_of(part: Part, header: Path) -> Iterator[Mutant]:
    """All edits of a header's code."""
    for number, line in enumerate(header.read_text().splitlines(), 1):
        code = line.split("//")[0].rstrip()
        if not code.startswith(" ") or "static_assert" in code or '"' in code:
            continue
        for pattern, replacement in EDITS:
            for match in re.finditer(pattern, code):
                after = code[: match.start()] + match.expand(replacement) + code[match.end() :]
                yield Mutant(part, header, number, code, after)


def drawn(parts: Sequence[Part], seed: int) -> Iterator[Mutant]:
    """The mutants of each part in a random order, one part after the other in turn."""
    source = random.Random(seed)
    queues = []
    for part in parts:
        paths = [HEADERS / f"{name}.hpp" for name in part.headers]
        queue = [mutant for path in paths if path.exists() for mutant in mutants_of(part, path)]
        source.shuffle(queue)
        queues.append(queue)
    while any(queues):
        yield from (queue.pop() for queue in queues if queue)


class Workshop:
    """Compiles the tests of a part against a copy of the headers, and runs them."""

    def __init__(self, folder: Path, compiler: str) -> None:
        """Makes the copy of the headers in a folder of its own."""
        self._compiler = compiler
        self._include = folder / "include"
        self._main = folder / "main.o"
        self._program = folder / "program"
        shutil.copytree(ROOT / "include", self._include)
        source = str(ROOT / "tests" / "main.cpp")
        subprocess.run([compiler, "-std=c++20", "-c", source, "-o", str(self._main)], check=True)

    def outcome(self, part: Part, mutant: Mutant | None = None) -> str:
        """`killed`, `alive` or, where it does not compile, `void`."""
        if mutant is None:
            return self._tried(part)
        copy = self._include / mutant.header.relative_to(ROOT / "include")
        lines = copy.read_text().splitlines()
        lines[mutant.line - 1] = mutant.after
        copy.write_text("\n".join(lines) + "\n")
        try:
            return self._tried(part)
        finally:
            shutil.copy(mutant.header, copy)

    def _tried(self, part: Part) -> str:
        """Runs one test file after the other until one fails."""
        for test in part.tests:
            program = self._compiled(ROOT / "tests" / f"{test}.cpp", part.sanitized)
            if program is None:
                return "void"
            if not _passes(program):
                return "killed"
        return "alive"

    def _compiled(self, test: Path, sanitized: bool) -> Path | None:
        checks = ["-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
        flags = checks if sanitized else ["-O0"]
        command = [
            *(self._compiler, "-std=c++20", "-w", *flags, f"-I{self._include}"),
            *(f'-DSLUICE_TEST_DATA="{ROOT / "tests" / "data"}"', "-DSLUICE_SAMENESS_QUERIES=200"),
            *("-DUSE_OS_TZDB=1", "-DONLY_C_LOCALE=1", "-DHAS_STRING_VIEW=1"),  # as date's package
            *(str(self._main), str(test), "-o", str(self._program)),
            *("-ldate-tz", "-lsimdjson", "-lcrypto", "-lpthread"),
        ]
        return self._program if _succeeds(command) else None


def _passes(program: Path) -> bool:
    return _succeeds([str(program), "--minimal", "--abort-after=1"])


def _succeeds(command: Sequence[str]) -> bool:
    limited = ["prlimit", f"--cpu={CPU_SECONDS}", *command]
    try:
        return subprocess.run(limited, capture_output=True, timeout=SECONDS).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def equivalents() -> set[tuple[str, str, str]]:
    """The mutants that are known to be the same program: header, line before, line after."""
    known = set()
    for line in ALIVE.read_text().splitlines():
        if line and not line.startswith("#"):
            header, before, after, _reason = (field.strip() for field in line.split(" | "))
            known.add((header, before, after))
    return known


def _name(mutant: Mutant) -> tuple[str, str, str]:
    header = str(mutant.header.relative_to(ROOT / "include"))
    return header, mutant.before.strip(), mutant.after.strip()


class Tally:
    """What became of the mutants so far."""

    def __init__(self, wanted: int, verbose: bool) -> None:
        """Counts up to as many as are wanted."""
        self.wanted = wanted
        self.killed = 0
        self.equivalent = 0
        self.survivors: list[Mutant] = []
        self._known = equivalents()
        self._verbose = verbose

    @property
    def counted(self) -> int:
        """How many compiled."""
        return self.killed + self.equivalent + len(self.survivors)

    def add(self, mutant: Mutant, outcome: str) -> None:
        """Counts one, and reports it."""
        if outcome == "void" or self.counted == self.wanted:
            return
        if outcome == "killed":
            self.killed += 1
        elif _name(mutant) in self._known:
            self.equivalent += 1
        else:
            self.survivors.append(mutant)
            print(f"SURVIVED {mutant}", flush=True)
        if self._verbose:
            print(f"{self.counted}/{self.wanted} {outcome} {mutant}", flush=True)
        elif self.counted % 20 == 0:
            print(f"{self.counted} of {self.wanted}", flush=True)


def run(parts: Sequence[Part], options: argparse.Namespace) -> Tally:
    """Tries mutants on a few threads until enough have compiled."""
    tally = Tally(options.count, options.verbose)
    mutants = drawn(parts, options.seed)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool:
        shops = [Workshop(Path(folder) / str(i), options.compiler) for i in range(options.jobs)]
        while tally.counted < tally.wanted:
            batch = [mutant for mutant, _ in zip(mutants, shops, strict=False)]
            if not batch:
                break
            tried = pool.map(lambda shop, one: shop.outcome(one.part, one), shops, batch)
            for mutant, outcome in zip(batch, tried, strict=False):
                tally.add(mutant, outcome)
    return tally


def check_tests(parts: Sequence[Part], compiler: str) -> bool:
    """Whether all tests pass without a mutant."""
    with tempfile.TemporaryDirectory() as folder:
        shop = Workshop(Path(folder) / "0", compiler)
        failing = [part.name for part in parts if shop.outcome(part) != "alive"]
    if failing:
        print(f"the tests fail as they are: {', '.join(failing)}", file=sys.stderr)
    return not failing


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    option = parser.add_argument
    option("--count", type=int, default=200, help="mutants that compile (%(default)s)")
    option("--seed", type=int, default=1, help="another seed draws others (%(default)s)")
    option("--only", default="", help="only headers whose path or part has this text")
    option("--jobs", type=int, default=2, help="mutants at once (%(default)s)")
    option("--compiler", default="g++", help="what compiles them (%(default)s)")
    option("-v", "--verbose", action="store_true", help="a line for each mutant")
    return parser.parse_args()


def chosen(text: str) -> list[Part]:
    """The parts, and of each the headers, that have a text in their name."""
    parts = []
    for part in PARTS:
        headers = [each for each in part.headers if text in each or text in part.name]
        if headers:
            parts.append(Part(part.name, headers, part.tests, part.sanitized))
    return parts


def main() -> int:
    """Runs the mutants and reports the survivors."""
    options = _options()
    parts = chosen(options.only)
    if not check_tests(parts, options.compiler):
        return 2
    tally = run(parts, options)
    survived = len(tally.survivors)
    print(
        f"{tally.counted} mutants: {tally.killed} killed, {tally.equivalent} the same program, "
        f"{survived} survived"
    )
    return 1 if survived > MOST_SURVIVORS * tally.counted else 0


if __name__ == "__main__":
    sys.exit(main())
