# SPDX-License-Identifier: MIT
"""The tables of engines.py: on the terminal and in bench/measurements.md."""

import json
from pathlib import Path
from typing import Any

from ..report import ROOT, fill_page, missing, settings, table, topics

PUBLISHED = ROOT / "bench" / "results" / "engines.json"
BEGIN, END = "<!-- engines:begin -->", "<!-- engines:end -->"


def headline(found: dict[str, Any]) -> str:
    """Where and how a run was made."""
    machine, load = found["machine"], found["load"]
    return (
        f"{found['rows']:,} rows of {found['dimensions']} texts, an id and a time;"
        f" {found['events']:,} events in ClickHouse; {machine['cpu']}, {machine['cores']} cores"
        f" with a load of {min(load):.1f} to {max(load):.1f}; medians of {found['pairs']} runs that"
        " take turns. A ratio is the other's time over that of sluice in the same round: median"
        " (least-most)."
    )


def render(found: dict[str, Any]) -> str:
    """Returns the text between the markers of bench/measurements.md."""
    parts = [headline(found)]
    for peers, cells in topics(found["cells"]).items():
        parts.append(table(peers.split("\n") if peers else [], cells))
    parts += [settings(found), missing(found)]
    return "\n\n".join(part for part in parts if part)


def publish(path: Path) -> None:
    """The committed results fill their part of bench/measurements.md in."""
    if path.resolve() == PUBLISHED:
        fill_page(BEGIN, END, render(json.loads(path.read_text())))
