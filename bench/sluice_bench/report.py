# SPDX-License-Identifier: MIT
"""Runs with their results: a file, tables for the terminal and for pages of docs/, the plot."""

import argparse
import json
import math
import os
import platform
import re
from collections.abc import Callable
from pathlib import Path
from xml.sax.saxutils import escape

from .measuring import Results

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGE = DOCS / "performance.md"
PAGE_OF_ENGINES = DOCS / "concepts" / "query-plans.md"
# Pages with the cells of a topic, the first word of their names; PAGE has those of the others.
# tests/python/grammar_table.py writes those of expressions.
PAGES = {
    "edge": DOCS / "reference" / "python-values.md",
    "expression": None,
    "group": DOCS / "how-to" / "facets-and-groups.md",
    "mask": DOCS / "how-to" / "dataframes.md",
    "objects": DOCS / "how-to" / "objects.md",
}
PUBLISHED = ROOT / "bench" / "results" / "latest.json"
PUBLISHED_ENGINES = PUBLISHED.with_name("engines.json")

# What cells are compared with that is nobody else's.
YARDSTICKS = {"by hand", "loop", "PING", "GET", "sluice, Python", "sluice, metadata"}

# --- Runs and their files ------------------------------------------------------------------------


def make_parser(description: str, rows: int) -> argparse.ArgumentParser:
    """Returns a parser of the options that comparisons share."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--rows", type=lambda text: int(float(text)), default=rows)
    parser.add_argument("--pairs", type=int, default=11, help="interleaved runs of each cell")
    parser.add_argument("--only", nargs="+", default=(), help="cells whose names hold one of these")
    parser.add_argument("--json", type=Path, help="results file")
    parser.add_argument("--report", action="store_true", help="page and plot from --json only")
    return parser


def machine() -> Results:
    """Returns the machine of a run."""
    cpu = re.search(r"model name\s*: (.+)", Path("/proc/cpuinfo").read_text())
    model = cpu[1] if cpu else platform.machine()
    return {"cpu": model, "cores": os.cpu_count(), "python": platform.python_version()}


def merged(kept: Results, run: Results) -> Results:
    """Puts a run of some cells in place of the same ones of an earlier run over as much data."""
    if any(kept.get(name) != run[name] for name in ("machine", "rows", "threads")):
        return run
    known = {cell["name"]: cell for cell in kept["cells"] + run["cells"]}
    ends = kept["load"] + run["load"]
    return run | {
        "cells": list(known.values()),
        "versions": kept["versions"] | run["versions"],
        "load": [min(ends), max(ends)],
    }


def in_lines(value: object) -> str:
    """Formats JSON, a line for each member, cell and engine."""
    is_long = isinstance(value, dict | list) and len(json.dumps(value)) > 1_000
    if is_long and isinstance(value, dict):
        members = ",\n".join(f"{json.dumps(name)}: {in_lines(v)}" for name, v in value.items())
        return f"{{\n{members}\n}}"
    if is_long and isinstance(value, list):
        return "[\n" + ",\n".join(map(in_lines, value)) + "\n]"
    return json.dumps(value, ensure_ascii=False)


def run(options: argparse.Namespace, measure: Callable[[argparse.Namespace], Results]) -> int:
    """Runs a comparison, shows and keeps its results, and returns the exit code."""
    path = options.json
    results: Results = json.loads(path.read_text()) if path and path.exists() else {}
    if not options.report:
        results = merged(results, measure(options) | {"machine": machine()})
        print(shown(results))
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(in_lines(results) + "\n")
        publish(path, results)
    return 1 if results["errors"] else 0


def publish(path: Path, results: Results) -> None:
    """Fills the page in from published results, and draws the plot beside them."""
    if path.resolve() == PUBLISHED:
        for page, text in overviews(results).items():
            fill_page(page, "bench", text)
        path.with_name("best.svg").write_text(plot(results["cells"]))
    if path.resolve() == PUBLISHED_ENGINES:
        fill_page(PAGE_OF_ENGINES, "engines", engines(results))


def part_of(page: Path, name: str) -> tuple[str, str, str]:
    """Returns the text before, between and after the markers of a name."""
    before, begin, rest = page.read_text(encoding="utf-8").partition(f"<!-- {name}:begin -->\n\n")
    inside, end, after = rest.partition(f"\n\n<!-- {name}:end -->")
    return before + begin, inside, end + after


def fill_page(page: Path, name: str, text: str) -> None:
    """Puts a text between the markers of a name."""
    before, _, after = part_of(page, name)
    page.write_text(before + text + after, encoding="utf-8")


# --- Numbers and tables --------------------------------------------------------------------------


def digits(number: float) -> str:
    """Formats a number with three digits, or as many as its whole part has."""
    return f"{number:,.{max(0, 3 - len(str(int(number))))}f}"


def duration(ns: float) -> str:
    """Formats a time in a unit that suits it."""
    units = (("s", 1e9), ("ms", 1e6), ("µs", 1e3))
    unit, size = next((entry for entry in units if ns >= entry[1]), ("ns", 1))
    return f"{digits(ns / size)} {unit}"


def with_ends(spread: Results) -> str:
    """Formats a median, and the ends in brackets."""
    return f"{digits(spread['median'])} ({digits(spread['min'])}-{digits(spread['max'])})"


def table(heads: list[str], rows: list[list[str]]) -> str:
    """Formats a Markdown table."""
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def ratio(cell: Results, peer: str) -> str:
    """Formats how many times our time a peer takes."""
    entry = cell["peers"][peer]
    return "missing" if "missing" in entry else with_ends(entry["ratio"])


def start_of_row(cell: Results) -> list[str]:
    """Returns a cell's name, interface and time."""
    return [cell["name"], f"`{cell['what']}`", duration(cell["ns"]["median"])]


def shown(results: Results) -> str:
    """Formats all rows, those of the same peers together, and why peers are missing."""
    tables: dict[tuple[str, ...], list[list[str]]] = {}
    missing: dict[str, None] = {}  # an ordered set
    for cell in results["cells"]:
        row = [*start_of_row(cell), *(ratio(cell, peer) for peer in cell["peers"])]
        tables.setdefault(tuple(cell["peers"]), []).append(row)
        reasons = {n: peer["missing"] for n, peer in cell["peers"].items() if "missing" in peer}
        missing |= dict.fromkeys(f"{name} is missing: {why}." for name, why in reasons.items())
    heads = ["task", "interface", "sluice"]
    texts = [table([*heads, *peers], rows) for peers, rows in tables.items()]
    ratios = "A ratio is the peer's time over sluice's of the same round: median (least-most)."
    return "\n\n".join([ratios, *texts, *missing])


def best_of(cell: Results) -> tuple[float, str]:
    """Returns the ratio and name of the peer that takes the least time; "" without peers."""
    ratios = [
        (entry["ratio"]["median"], name)
        for name, entry in cell["peers"].items()
        if "ratio" in entry and name not in YARDSTICKS
    ]
    return min(ratios, default=(math.inf, ""))


def overviews(results: Results) -> dict[Path, str]:
    """Formats the table of each page: a row a cell, with its quickest peer."""
    rows: dict[Path, list[list[str]]] = {}
    for cell in results["cells"]:
        number, peer = best_of(cell)
        row = [*start_of_row(cell), peer, digits(number) if peer else ""]
        if page := PAGES.get(cell["name"].partition(":")[0], PAGE):
            rows.setdefault(page, []).append(row)
    heads = ["task", "interface", "sluice", "quickest peer", "its time ÷ sluice's"]
    return {page: table(heads, lines) for page, lines in rows.items()}


def engines(results: Results) -> str:
    """Formats how queries by hand compare with compiled ones: a row an engine."""
    rows: dict[tuple[str, str], dict[str, list[float]]] = {}
    for cell in results["cells"]:
        engine, _, task = cell["name"].partition(": ")
        if "by hand" in cell["peers"]:
            median = cell["peers"]["by hand"]["ratio"]["median"]
            forms = rows.setdefault((engine, cell["what"]), {"count": [], "page": []})
            forms[task.partition(",")[0]].append(median)
    return table(
        ["engine", "interface", "counts, by hand ÷ compiled", "pages, by hand ÷ compiled"],
        [
            [
                engine,
                f"`{what}`",
                *(f"{digits(min(f))} to {digits(max(f))}" for f in forms.values()),
            ]
            for (engine, what), forms in rows.items()
        ],
    )


# --- The plot ------------------------------------------------------------------------------------

LEFT, WIDE, STEP = 250, 420, 18


def plot(cells: list[Results]) -> str:
    """Draws a bar a row: how many times ours the quickest of all peers takes."""
    rows = [
        (cell["name"], number, peer) for cell in cells for number, peer in [best_of(cell)] if peer
    ]
    powers = [math.log10(number) for _, number, _ in rows]
    first, last = math.floor(min(powers)), max(powers)

    def at(power: float) -> float:
        return round(LEFT + WIDE * (power - first) / (last - first), 1)

    bottom = STEP * len(rows) + 12
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDE + 150}"'
        f' height="{bottom + 36}" font-family="sans-serif" font-size="11">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for power in range(first, math.floor(last) + 1):
        x, colour = at(power), "#ccc" if power else "black"
        lines.append(f'<path d="M{x} 6V{bottom}" stroke="{colour}"/>')
        lines.append(f'<text x="{x}" y="{bottom + 14}" text-anchor="middle">{10**power:g}</text>')
    for line, ((task, number, name), power) in enumerate(zip(rows, powers, strict=True)):
        y, (begin, end) = 8 + STEP * line, sorted((at(0), at(power)))
        colour = "#1f77b4" if number >= 1 else "#ff7f0e"
        lines.append(
            f'<rect x="{begin}" y="{y}" width="{end - begin:.1f}" height="12" fill="{colour}"/>'
            f'<text x="{LEFT - 8}" y="{y + 10}" text-anchor="end">{escape(task)}</text>'
            f'<text x="{end + 5}" y="{y + 10}">{digits(number)} {escape(name)}</text>'
        )
    text = "times sluice's time that the quickest of all peers takes"
    place = f'x="{LEFT + WIDE // 2}" y="{bottom + 30}" text-anchor="middle"'
    return "\n".join([*lines, f"<text {place}>{text}</text>", "</svg>\n"])
