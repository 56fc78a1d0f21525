# SPDX-License-Identifier: MIT
"""Prints the table of docs/reference/grammars.md: suites, other libraries, lines and times.

    python tests/python/grammar_table.py --texts 20000

Times are those of `bench/compare.py`, if the file of its results has some.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from grammar_oracles import ORACLES, Comparison, MissingError
from test_grammars import CASES, verdicts

from sluice._sluice import _GRAMMARS

ROOT = Path(__file__).parents[2]
HEADS = (
    *("grammar", "suite: cases, right, explained", "other library"),
    *("texts, explained, different", "lines", "µs", "other's time ÷ sluice's"),
)


def suite_of(grammar: Any) -> str:  # noqa: ANN401
    if grammar not in CASES:
        return "as `cql2`" if grammar == "cql2-json" else ""
    cases, wrong = verdicts(grammar)
    return f"{len(cases)}, {len(cases) - len(wrong)}, {len(wrong)}"


def comparison_of(grammar: Any, texts: int) -> str:  # noqa: ANN401
    if grammar not in ORACLES:
        return ""
    try:
        comparison = Comparison(grammar)
    except MissingError as missing:
        return str(missing)
    comparison.run(texts)
    explained, different = comparison.reasons.total(), len(comparison.unexplained)
    return f"{comparison.counts['texts']:,}, {explained:,}, {different:,}"


def lines_of(grammar: str) -> int:
    """Returns the lines of a grammar's header, without the parts in detail/."""
    name = grammar.replace("-", "_")
    header = ROOT / "include/sluice/grammars" / f"{name}.hpp"
    return len(header.read_text(encoding="utf-8").splitlines())


def times_of(grammar: str, results: Path) -> tuple[str, str]:
    """Returns the time of three conditions, and how many times it another library takes."""
    cells = json.loads(results.read_text())["cells"]
    named = [cell for cell in cells if cell["name"] == f"expression: {grammar}"]
    if not named:
        return "", ""
    other = named[0]["peers"].get(ORACLES[grammar][0] if grammar in ORACLES else "", {})
    ratio = f"{other['ratio']['median']:.3g}" if "ratio" in other else ""
    return f"{named[0]['ns']['median'] / 1000:.2f}", ratio


def rows(texts: int, results: Path) -> Iterator[tuple[str, ...]]:
    for grammar in _GRAMMARS:
        other = ORACLES[grammar][0] if grammar in ORACLES else ""
        lines, compared = str(lines_of(grammar)), comparison_of(grammar, texts)
        yield f"`{grammar}`", suite_of(grammar), other, compared, lines, *times_of(grammar, results)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--texts", type=int, default=20_000, help="how many texts of each grammar")
    parser.add_argument("--results", type=Path, default=ROOT / "bench/results/latest.json")
    options = parser.parse_args()
    table = [*rows(options.texts, options.results)]
    shown = len(HEADS) if any(row[-2] for row in table) else len(HEADS) - 2
    print(f"| {' | '.join(HEADS[:shown])} |", f"{'|---' * shown}|", sep="\n")
    for row in table:
        print(f"| {' | '.join(row[:shown])} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
