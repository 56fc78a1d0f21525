# SPDX-License-Identifier: MIT
"""Tables of a run: on the terminal, in bench/measurements.md and in docs/performance.md."""

import json
import math
from itertools import pairwise
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "bench" / "measurements.md"
SHORT_PAGE = ROOT / "docs" / "performance.md"
PUBLISHED = ROOT / "bench" / "results" / "latest.json"
BEGIN, END = "<!-- bench:begin -->", "<!-- bench:end -->"

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
YARDSTICKS = {"read", "-march=native", "by hand", "read and mask", "PING", "GET"}

Cells = list[dict[str, Any]]


def duration(ns: float) -> str:
    """A time in a unit that suits it, with three digits."""
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if ns >= size:
            return f"{three_digits(ns / size)} {unit}"
    return f"{three_digits(ns)} ns"


def three_digits(number: float) -> str:
    """A number with three digits, or as many as its whole part has."""
    whole = len(str(int(number)))
    return f"{number:,.{max(0, 3 - whole)}f}"


def short(number: float) -> str:
    """A number with three digits, in thousands or millions where it is that large."""
    if number >= 999_500:
        return f"{three_digits(number / 1e6)}M"
    return f"{three_digits(number / 1e3)}k" if number >= 9_995 else three_digits(number)


def rate(cell: dict[str, Any]) -> str:
    """What a cell gets done in a second, in brackets; empty where it has no such figure."""
    if "rate" not in cell or cell["rate"]["unit"] == "rows":
        return ""
    per_second = cell["rate"]["per_second"]
    if cell["rate"]["unit"] == "GB":
        return f" ({per_second:.1f} GB/s)"
    return f" ({three_digits(per_second / 1e6)} million {cell['rate']['unit']}/s)"


def ratio(cell: dict[str, Any], peer: str) -> str:
    """How many times our time a peer takes: the median, and the ends in brackets."""
    entry = cell["peers"].get(peer, {})
    if "missing" in entry:
        return "missing"
    if "ratio" not in entry:
        return ""
    spread = entry["ratio"]
    return f"{short(spread['median'])} ({short(spread['min'])}-{short(spread['max'])})"


def topics(cells: Cells) -> dict[str, Cells]:
    """Cells with the same peers together."""
    grouped: dict[tuple[str, ...], Cells] = {}
    for cell in cells:
        grouped.setdefault(tuple(cell["peers"]), []).append(cell)
    return {"\n".join(peers): group for peers, group in grouped.items()}


def best_of(cell: dict[str, Any]) -> tuple[float, str] | None:
    """How many times ours the peer takes that takes the least time, and its name."""
    ratios = [
        (entry["ratio"]["median"], name)
        for name, entry in cell["peers"].items()
        if "ratio" in entry and name not in YARDSTICKS
    ]
    return min(ratios, default=None)


def best(cell: dict[str, Any]) -> str:
    """The same as text."""
    found = best_of(cell)
    return "" if found is None else f"{short(found[0])} {found[1]}"


def table(peers: list[str], cells: Cells) -> str:
    """A Markdown table: our times, and the ratios of the peers."""
    with_best = ["best of all"] if set(peers) - YARDSTICKS else []
    heads = ["task", "sluice is", "sluice", *with_best, *peers]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for cell in cells:
        ours = duration(cell["ns"]["median"]) + rate(cell)
        ratios = [best(cell) for _ in with_best] + [ratio(cell, peer) for peer in peers]
        row = [cell["name"], f"`{cell['what']}`", ours, *ratios]
        lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines)


def servers_table(found: dict[str, Any]) -> str:
    """What servers do for a core, and how long their clients wait."""
    if not found["servers"]:
        return ""
    heads = "| page | server | requests/s a core | ratio | requests/s seen | p99 |"
    lines = [heads, "|---|---|---|---|---|---|"]
    ours = {row["request"]: row["per_core"]["median"] for row in reversed(found["servers"])}
    for row in found["servers"]:
        core, wait = row["per_core"], row["p99_ns"]
        lines.append(
            f"| {row['request']} ({row['bytes'] / 1e3:,.0f} KB) | {row['server']}"
            f" | {short(core['median'])} ({short(core['min'])}-{short(core['max'])})"
            f" | {three_digits(ours[row['request']] / core['median'])}"
            f" | {short(row['per_second'])}"
            f" | {duration(wait['median'])} ({duration(wait['min'])}-{duration(wait['max'])}) |"
        )
    return "\n".join([SERVERS, "", *lines])


def headline(found: dict[str, Any]) -> str:
    """Where and how a run was made."""
    machine = found["machine"]
    least, most = min(found["load"]), max(found["load"])
    place = f"{machine['cpu']}, {machine['cores']} cores with a load of {least:.1f} to {most:.1f}"
    return (
        f"{found['rows']:,} rows of {found['dimensions']} dimensions and {found['events']:,} real"
        f" events, {found['threads']} thread(s), {place}; medians of {found['pairs']} runs that"
        " take turns. A ratio is the peer's time over sluice's in the same round: median"
        " (least-most). Below 1 the peer is faster."
    )


def missing(found: dict[str, Any]) -> str:
    """Who took no part, and why."""
    reasons: dict[str, list[str]] = {}
    for each in (found["engines"], *(cell["peers"] for cell in found["cells"])):
        for name, entry in each.items():
            who = reasons.setdefault(entry.get("missing", ""), [])
            who += [name] if name not in who else []
    reasons.pop("", None)
    lines = [f"- {', '.join(who)}: {why}." for why, who in reasons.items()]
    return "\n".join(["Missing in some rows or in all:", "", *lines]) if lines else ""


def settings(found: dict[str, Any]) -> str:
    """What each engine was given, and why that is its best."""
    lines = [
        f"- {name} {engine['version']}: {engine['settings']}."
        for name, engine in found["engines"].items()
        if "settings" in engine
    ]
    return "\n".join(["Settings:", "", *lines])


def steps_text(points: list[list[float]]) -> str:
    """The exponents from each point of a curve to the next."""
    kept = [(at, ns) for at, ns in points if at > 0]
    steps = [
        math.log(b[1] / a[1]) / math.log(b[0] / a[0]) for a, b in pairwise(kept) if a[0] != b[0]
    ]
    return ", ".join(f"{step:.2f}" for step in steps)


def growth_table(found: dict[str, Any]) -> str:
    """The exponents of the curves."""
    growth = found.get("growth")
    if growth is None:
        return ""
    lines = ["| curve | from | to | exponent | of each step |", "|---|---|---|---|---|"]
    for name, curve in growth["curves"].items():
        (_, low), (_, high) = curve["points"][0], curve["points"][-1]
        exponent = "" if curve["exponent"] is None else f"{curve['exponent']:.2f}"
        steps = steps_text(curve["points"])
        lines.append(f"| {name} | {duration(low)} | {duration(high)} | {exponent} | {steps} |")
    size = f"Up to {growth['rows']:,} rows of {len(growth['dimensions'])} dimensions:"
    return "\n".join([size, "", *lines])


def sizes_table(found: dict[str, Any]) -> str:
    """The counts and pages of all sizes: our time, and the best of all."""
    sizes = dict(sorted(found.get("sizes", {}).items(), key=lambda entry: int(entry[0])))
    if not sizes:
        return ""
    runs = [found, *sizes.values()] if "cells" in found else [*sizes.values()]
    heads = ["task", *(head for run in runs for head in (f"{run['rows']:,} rows", "best of all"))]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for name in dict.fromkeys(cell["name"] for run in sizes.values() for cell in run["cells"]):
        row = [name]
        for run in runs:
            cell = next((each for each in run["cells"] if each["name"] == name), None)
            row += [duration(cell["ns"]["median"]), best(cell)] if cell else ["", ""]
        lines.append(f"| {' | '.join(row)} |")
    where = [
        f"Of {int(rows):,} rows there are {run['dimensions']} dimensions; load"
        f" {min(run['load']):.1f} to {max(run['load']):.1f}; {run['pairs']} runs."
        + "".join(f" {name}: {each['missing']}." for name, each in misfits(run).items())
        for rows, run in sizes.items()
    ]
    return "\n".join(["Larger tables:", "", *lines, "", *where])


def misfits(run: dict[str, Any]) -> dict[str, Any]:
    """The engines that took no part in a run."""
    return {name: each for name, each in run["engines"].items() if "missing" in each}


def overview(found: dict[str, Any]) -> str:
    """Renders the table of docs/performance.md: a few rows, each with its quickest peer."""
    cells = {cell["name"]: cell for cell in found["cells"]}
    lines = [
        "| task | interface | sluice | quickest peer | its time ÷ sluice's |",
        "|---" * 5 + "|",
    ]
    for name in OVERVIEW:
        cell = cells[name]
        time = duration(cell["ns"]["median"])
        quickest = best_of(cell)
        peer, times = ("", "") if quickest is None else (quickest[1], short(quickest[0]))
        lines.append(f"| {name} | `{cell['what']}` | {time} | {peer} | {times} |")
    return "\n".join(lines)


def render(found: dict[str, Any]) -> str:
    """Returns the text between the markers of bench/measurements.md."""
    parts = [headline(found)]
    for peers, cells in topics(found["cells"]).items():
        parts.append(table(peers.split("\n") if peers else [], cells))
    parts += [servers_table(found), sizes_table(found), growth_table(found)]
    parts += [settings(found), missing(found)]
    return "\n\n".join(part for part in parts if part)


def summary(found: dict[str, Any]) -> str:
    """What a run prints."""
    if "cells" in found:
        return render(found)
    return "\n\n".join(part for part in (sizes_table(found), growth_table(found)) if part)


def publish(path: Path) -> None:
    """Draws the plots of a results file; the committed one fills both pages in."""
    found = json.loads(path.read_text())
    try:
        from . import plots
    except ImportError as error:
        print(f"no plots: {error}")
    else:
        plots.draw(found, path.parent)
    if path.resolve() == PUBLISHED:
        fill_page(BEGIN, END, render(found))
        fill_page(BEGIN, END, overview(found), SHORT_PAGE)


def fill_page(begin: str, end: str, text: str, page: Path = PAGE) -> None:
    """Puts a text between two markers of a page."""
    before, _, rest = page.read_text().partition(begin)
    after = rest.partition(end)[2]
    page.write_text(f"{before}{begin}\n\n{text}\n\n{end}{after}")
