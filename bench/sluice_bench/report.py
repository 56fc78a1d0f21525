# SPDX-License-Identifier: MIT
"""Tables of a run: on the terminal and in docs/performance.md."""

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "performance.md"
PUBLISHED = ROOT / "bench" / "results" / "latest.json"
BEGIN, END = "<!-- bench:begin -->", "<!-- bench:end -->"

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
    """Cells by what stands before the colon, those with the same peers together."""
    grouped: dict[tuple[str, ...], Cells] = {}
    for cell in cells:
        grouped.setdefault(tuple(cell["peers"]), []).append(cell)
    return {"\n".join(peers): group for peers, group in grouped.items()}


def table(peers: list[str], cells: Cells) -> str:
    """A Markdown table: our times, and the ratios of the peers."""
    lines = ["| " + " | ".join(["task", "sluice", *peers]) + " |", "|---" * (2 + len(peers)) + "|"]
    for cell in cells:
        ours = duration(cell["ns"]["median"]) + rate(cell)
        row = [cell["name"], ours, *(ratio(cell, peer) for peer in peers)]
        lines.append("| " + " | ".join(row) + " |")
    return "\n".join(lines)


def headline(found: dict[str, Any]) -> str:
    """Where and how a run was made."""
    machine = found["machine"]
    place = f"{machine['cpu']}, {machine['cores']} cores"
    return (
        f"{found['rows']:,} rows of 24 dimensions, {found['threads']} thread(s), {place}; medians"
        f" of {found['pairs']} runs that take turns. A ratio is the peer's time over sluice's in"
        " the same round: median (least-most)."
    )


def missed(found: dict[str, Any]) -> str:
    """The targets that a run did not meet."""
    lines = []
    for target in found.get("targets", []):
        if not target["met"]:
            reached = f"{target['reached']:,.3g}"
            lines.append(f"- {target['cell']}: {target['target']}; reached {reached}.")
    if not lines:
        return "All targets are met."
    return "\n".join(["Targets that this run missed:", "", *lines])


def growth_table(found: dict[str, Any]) -> str:
    """The exponents of the curves."""
    growth = found.get("growth")
    if growth is None:
        return ""
    lines = ["| curve | from | to | exponent |", "|---|---|---|---|"]
    for name, curve in growth["curves"].items():
        (_, low), (_, high) = curve["points"][0], curve["points"][-1]
        exponent = "" if curve["exponent"] is None else f"{curve['exponent']:.2f}"
        lines.append(f"| {name} | {duration(low)} | {duration(high)} | {exponent} |")
    size = f"Up to {growth['rows']:,} rows of {len(growth['dimensions'])} dimensions:"
    return "\n".join([size, "", *lines])


def render(found: dict[str, Any]) -> str:
    """What is between the markers of docs/performance.md."""
    parts = [headline(found)]
    for peers, cells in topics(found["cells"]).items():
        parts.append(table(peers.split("\n") if peers else [], cells))
    parts += [missed(found), growth_table(found)]
    return "\n\n".join(part for part in parts if part)


def summary(found: dict[str, Any]) -> str:
    """What a run prints."""
    parts = [render(found)] if "cells" in found else [growth_table(found)]
    for name, engine in found.get("engines", {}).items():
        about = engine.get("missing") or f"{engine['version']}, {engine['settings']}"
        parts.append(f"{name}: {about}")
    return "\n\n".join(parts)


def publish(path: Path) -> None:
    """Draws the plots of a results file; the committed one fills docs/performance.md in."""
    found = json.loads(path.read_text())
    try:
        from . import plots
    except ImportError as error:
        print(f"no plots: {error}")
    else:
        plots.draw(found, path.parent)
    if path.resolve() == PUBLISHED:
        before, _, rest = PAGE.read_text().partition(BEGIN)
        after = rest.partition(END)[2]
        PAGE.write_text(f"{before}{BEGIN}\n\n{render(found)}\n\n{END}{after}")
