# SPDX-License-Identifier: MIT
"""Tables and the plot of runs, for the terminal, bench/measurements.md and docs/performance.md."""

import json
import math
import textwrap
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

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
    "request: page of 100 of 1 equality",
    "validate: 6 parameters",
    "validate: 40 parameters",
    "validate: a declared endpoint, from Python",
    "limit: 1 hot key",
    "limit: 1e6 random keys",
    "limit: 1 hot key, from Python",
    "JSON: page of 100",
    "JSON: error envelope",
    "ingest: NDJSON folder",
    "mask: texts",
    "mask: dictionary",
)

SERVERS = (
    "Servers over TLS 1.3 on kept connections, 8 at a time; each has a core, its client (wrk)"
    " another. A core's requests are those of a second of the server's processor time; the ratio"
    " is sluice's in C++ over the row's."
)

# What cells are compared with that is nobody else's.
YARDSTICKS = {"by hand", "PING", "GET"}

Results = dict[str, Any]


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


def best(cell: Results) -> str:
    """Formats best_of()."""
    number, name = best_of(cell)
    return f"{short(number)} {name}" if name else ""


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


def servers_table(servers: list[Results]) -> str:
    """Formats what servers do for a core, and how long their clients wait."""
    if not servers:
        return ""
    ours = {row["request"]: row["per_core"]["median"] for row in reversed(servers)}
    rows = [
        [
            f"{row['request']} ({row['bytes'] / 1e3:,.0f} KB)",
            row["server"],
            with_ends(row["per_core"]),
            three_digits(ours[row["request"]] / row["per_core"]["median"]),
            short(row["per_second"]),
            with_ends(row["p99_ns"], duration),
        ]
        for row in servers
    ]
    heads = ["page", "server", "requests/s a core", "ratio", "requests/s seen", "p99"]
    return f"{SERVERS}\n\n{table(heads, rows)}"


def headline(run: Results, size: str) -> str:
    """Formats the size and place of a run, its load and its rounds."""
    machine, load = run["machine"], run["load"]
    return (
        f"{size}, {machine['cpu']}, {machine['cores']} cores with a load of {min(load):.1f} to"
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


def sizes_table(run: Results) -> str:
    """Formats the counts and pages of all sizes: our time, and the best of all."""
    sizes = dict(sorted(run.get("sizes", {}).items(), key=lambda entry: int(entry[0])))
    if not sizes:
        return ""
    runs = [run, *sizes.values()] if "cells" in run else [*sizes.values()]
    heads = ["task", *(head for run in runs for head in (f"{run['rows']:,} rows", "best of all"))]
    rows = []
    for name in dict.fromkeys(cell["name"] for run in sizes.values() for cell in run["cells"]):
        row = [name]
        for run in runs:
            cell = next((cell for cell in run["cells"] if cell["name"] == name), None)
            row += [duration(cell["ns"]["median"]), best(cell)] if cell else ["", ""]
        rows.append(row)
    notes = [
        f"Of {int(size):,} rows there are {run['dimensions']} dimensions; load"
        f" {min(run['load']):.1f} to {max(run['load']):.1f}; {run['pairs']} runs."
        + "".join(f" {n}: {e['missing']}." for n, e in run["engines"].items() if "missing" in e)
        for size, run in sizes.items()
    ]
    return "\n".join(["Larger tables:", "", table(heads, rows), "", *notes])


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
    """Returns the text of compare.py between markers of bench/measurements.md."""
    if "cells" not in run:
        return sizes_table(run)
    size = (
        f"{run['rows']:,} rows of {run['dimensions']} dimensions and {run['events']:,} real events,"
        f" {run['threads']} thread(s)"
    )
    tables = (*cell_tables(run["cells"]), servers_table(run["servers"]), sizes_table(run))
    return in_paragraphs(headline(run, size), *tables, settings(run), missing(run))


def render_engines(run: Results) -> str:
    """Returns the text of engines.py between markers of bench/measurements.md."""
    size = f"{run['rows']:,} rows of {run['dimensions']} texts, an id and a time"
    tables = cell_tables(run["cells"])
    return in_paragraphs(headline(run, size), *tables, settings(run), missing(run))


def plot(cells: list[Results]) -> str:
    """Draws a bar a row of the overview: how many times ours the quickest of all peers takes."""
    rows = [(cell, best_of(cell)[0]) for cell in cells if cell["name"] in OVERVIEW]
    left, wide, step = 250, 420, 18
    ends = [math.floor(math.log10(min(n for _, n in rows))), math.log10(max(n for _, n in rows))]

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
    for line, (cell, number) in enumerate(rows):
        y = 8 + step * line
        begin, end = sorted((at(1), at(number)))
        bar = f'x="{begin}" y="{y}" width="{end - begin:.1f}" height="12"'
        parts += [
            f'<rect {bar} fill="{"#1f77b4" if number >= 1 else "#ff7f0e"}"/>',
            f'<text x="{left - 8}" y="{y + 10}" text-anchor="end">{escape(cell["name"])}</text>',
            f'<text x="{end + 5}" y="{y + 10}">{escape(best(cell))}</text>',
        ]
    text = "times sluice's time that the quickest of all peers takes"
    parts.append(f'<text x="{left + wide // 2}" y="{bottom + 30}" {middle}>{text}</text>')
    return "\n".join([*parts, "</svg>\n"])


def publish(path: Path) -> None:
    """Fills the pages in from a committed results file, and draws the plot beside it."""
    run = json.loads(path.read_text())
    if path.resolve() == PUBLISHED:
        fill_page(PAGE, "bench", render(run))
        fill_page(SHORT_PAGE, "bench", overview(run))
        path.with_name("best.svg").write_text(plot(run["cells"]))
    if path.resolve() == PUBLISHED_ENGINES:
        fill_page(PAGE, "engines", render_engines(run))


def part_of(page: Path, name: str) -> tuple[str, str, str]:
    """Returns the text before, between and after the markers of a name."""
    before, begin, rest = page.read_text(encoding="utf-8").partition(f"<!-- {name}:begin -->\n\n")
    inside, end, after = rest.partition(f"\n\n<!-- {name}:end -->")
    return before + begin, inside, end + after


def fill_page(page: Path, name: str, text: str) -> None:
    """Puts a text between the markers of a name."""
    before, _, after = part_of(page, name)
    page.write_text(before + text + after, encoding="utf-8")
