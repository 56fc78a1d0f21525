# SPDX-License-Identifier: MIT
"""Tables and the plot of runs, for the terminal, bench/measurements.md and docs/performance.md."""

import argparse
import math
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from .measuring import Results, merged, read_results, write_results

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "bench" / "measurements.md"
SHORT_PAGE = ROOT / "docs" / "performance.md"
PUBLISHED = ROOT / "bench" / "results" / "latest.json"
PUBLISHED_ENGINES = PUBLISHED.with_name("engines.json")

# The rows of docs/performance.md: usual cases, and those in which a peer is quicker.
OVERVIEW = (
    "count: 1 equality",
    "count: 2 equalities",
    "count: 2 equalities, outside the key",
    "count: 3 equalities",
    "count: metadata and 1 equality",
    "page: 100 of 1 equality",
    "page: 100 of a rare value",
    "events: count, 1 equality",
    "events: page of 100 of 1 equality",
    "validate: 6 parameters",
    "validate: 40 parameters",
    "validate: a declared endpoint, from Python",
    "limit: 1 hot key",
    "limit: 1e6 random keys",
    "limit: 1 hot key, from Python",
    "mask: texts",
    "server: page of 100 of 1 equality",
)

# What cells are compared with that is nobody else's.
YARDSTICKS = {"by hand", "PING", "GET", "sluice, Python"}


def duration(ns: float) -> str:
    """Formats a time in a unit that suits it, with three digits."""
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if ns >= size:
            return f"{three_digits(ns / size)} {unit}"
    return f"{three_digits(ns)} ns"


def three_digits(number: float) -> str:
    """Formats a number with three digits, or as many as its whole part has."""
    whole = len(str(int(number)))
    return f"{number:,.{max(0, 3 - whole)}f}"


def short(number: float) -> str:
    """Formats a number with three digits, in thousands or millions if it is that large."""
    if number >= 999_500:
        return f"{three_digits(number / 1e6)}M"
    return f"{three_digits(number / 1e3)}k" if number >= 9_995 else three_digits(number)


def with_ends(spread: Results, form: Any = short) -> str:  # noqa: ANN401
    """Formats a median, and the ends in brackets."""
    return f"{form(spread['median'])} ({form(spread['min'])}-{form(spread['max'])})"


def ratio(cell: Results, peer: str) -> str:
    """Formats how many times our time a peer takes."""
    entry = cell["peers"].get(peer, {})
    if "missing" in entry:
        return "missing"
    return with_ends(entry["ratio"]) if "ratio" in entry else ""


def best_of(cell: Results) -> tuple[float, str]:
    """Returns the ratio and name of the peer that takes the least time; "" without peers."""
    ratios = [
        (entry["ratio"]["median"], name)
        for name, entry in cell["peers"].items()
        if "ratio" in entry and name not in YARDSTICKS
    ]
    return min(ratios, default=(math.inf, ""))


def table(heads: list[str], rows: list[list[str]]) -> str:
    """Formats a Markdown table."""
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def cell_tables(cells: list[Results]) -> list[str]:
    """Formats our times and the ratios of the peers, cells of the same peers together."""
    tables: dict[tuple[str, ...], list[list[str]]] = {}
    for cell in cells:
        ours = [cell["name"], f"`{cell['what']}`", duration(cell["ns"]["median"])]
        row = [*ours, *(ratio(cell, peer) for peer in cell["peers"])]
        tables.setdefault(tuple(cell["peers"]), []).append(row)
    heads = ["task", "sluice is", "sluice"]
    return [table([*heads, *peers], rows) for peers, rows in tables.items()]


def headline(run: Results) -> str:
    """Formats the size and place of a run, its load and its rounds."""
    machine, load = run["machine"], run["load"]
    events = f" and {run['events']:,} real events" if "events" in run else ""
    return (
        f"{run['rows']:,} rows of {run['dimensions']} dimensions{events}, {run['threads']}"
        f" thread(s), {machine['cpu']}, {machine['cores']} cores with a load of {min(load):.1f} to"
        f" {max(load):.1f}; medians of {run['pairs']} runs that take turns. A ratio is the"
        " peer's time over sluice's in the same round: median (least-most). Below 1 the peer is"
        " faster."
    )


def missing(run: Results) -> str:
    """Formats who took no part, and why."""
    reasons: dict[str, dict[str, None]] = {}  # names by reason, in order
    for entries in (run["engines"], *(cell["peers"] for cell in run["cells"])):
        for name, entry in entries.items():
            if "missing" in entry:
                reasons.setdefault(entry["missing"], {})[name] = None
    lines = [f"- {', '.join(names)}: {why}." for why, names in reasons.items()]
    return "\n".join(["Missing in some rows or in all:", "", *lines]) if lines else ""


def settings(run: Results) -> str:
    """Formats the settings of each engine."""
    lines = [
        f"- {name} {engine['version']}: {engine['settings']}."
        for name, engine in run["engines"].items()
        if "settings" in engine
    ]
    return "\n".join(["Settings:", "", *lines])


def overview(run: Results) -> str:
    """Formats the table of docs/performance.md: a few rows, each with its quickest peer."""
    cells = {cell["name"]: cell for cell in run["cells"]}
    rows = []
    for name in OVERVIEW:
        cell = cells[name]
        number, peer = best_of(cell)
        time = duration(cell["ns"]["median"])
        rows.append([name, f"`{cell['what']}`", time, peer, short(number)])
    heads = ["task", "interface", "sluice", "quickest peer", "its time ÷ sluice's"]
    return table(heads, rows)


def wrapped(line: str) -> str:
    """Breaks a line of prose or of a list at 100 characters; rows of tables stay whole."""
    if line.startswith("|"):
        return line
    indent = "  " if line.startswith("- ") else ""
    return textwrap.fill(
        line, 100, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def in_paragraphs(*parts: str) -> str:
    """Joins the parts that aren't empty, in lines of at most 100 characters."""
    return "\n\n".join("\n".join(map(wrapped, part.splitlines())) for part in parts if part)


def render(run: Results) -> str:
    """Returns the text of a run between markers of bench/measurements.md."""
    tables = cell_tables(run["cells"])
    return in_paragraphs(headline(run), *tables, settings(run), missing(run))


def plot(cells: list[Results]) -> str:
    """Draws a bar a row of the overview: how many times ours the quickest of all peers takes."""
    rows = [(cell["name"], *best_of(cell)) for cell in cells if cell["name"] in OVERVIEW]
    numbers = [number for _, number, _ in rows]
    left, wide, step = 250, 420, 18
    ends = [math.floor(math.log10(min(numbers))), math.log10(max(numbers))]

    def at(number: float) -> float:
        return round(left + wide * (math.log10(number) - ends[0]) / (ends[1] - ends[0]), 1)

    bottom = step * len(rows) + 12
    middle = 'text-anchor="middle"'
    size = f'width="{left + wide + 150}" height="{bottom + 36}"'
    style = 'font-family="sans-serif" font-size="11"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for power in range(ends[0], math.floor(ends[1]) + 1):
        x, colour = at(10**power), "black" if power == 0 else "#ccc"
        parts.append(f'<path d="M{x} 6V{bottom}" stroke="{colour}"/>')
        parts.append(f'<text x="{x}" y="{bottom + 14}" {middle}>{10**power:g}</text>')
    for line, (task, number, name) in enumerate(rows):
        y = 8 + step * line
        begin, end = sorted((at(1), at(number)))
        bar = f'x="{begin}" y="{y}" width="{end - begin:.1f}" height="12"'
        parts += [
            f'<rect {bar} fill="{"#1f77b4" if number >= 1 else "#ff7f0e"}"/>',
            f'<text x="{left - 8}" y="{y + 10}" text-anchor="end">{escape(task)}</text>',
            f'<text x="{end + 5}" y="{y + 10}">{short(number)} {escape(name)}</text>',
        ]
    text = "times sluice's time that the quickest of all peers takes"
    parts.append(f'<text x="{left + wide // 2}" y="{bottom + 30}" {middle}>{text}</text>')
    return "\n".join([*parts, "</svg>\n"])


def run(options: argparse.Namespace, measure: Callable[[argparse.Namespace], Results]) -> int:
    """Runs a comparison, shows and keeps its results, and returns the exit code."""
    results = read_results(options.json)
    if not options.report:
        results = merged(results, measure(options))
        print(render(results))
        if options.json:
            write_results(options.json, results)
    if options.json:
        publish(options.json, results)
    return 1 if results["errors"] else 0


def publish(path: Path, run: Results) -> None:
    """Fills the pages in from published results, and draws the plot beside them."""
    if path.resolve() == PUBLISHED:
        fill_page(PAGE, "bench", render(run))
        fill_page(SHORT_PAGE, "bench", overview(run))
        path.with_name("best.svg").write_text(plot(run["cells"]))
    if path.resolve() == PUBLISHED_ENGINES:
        fill_page(PAGE, "engines", render(run))


def part_of(page: Path, name: str) -> tuple[str, str, str]:
    """Returns the text before, between and after the markers of a name."""
    before, begin, rest = page.read_text(encoding="utf-8").partition(f"<!-- {name}:begin -->\n\n")
    inside, end, after = rest.partition(f"\n\n<!-- {name}:end -->")
    return before + begin, inside, end + after


def fill_page(page: Path, name: str, text: str) -> None:
    """Puts a text between the markers of a name."""
    before, _, after = part_of(page, name)
    page.write_text(before + text + after, encoding="utf-8")
