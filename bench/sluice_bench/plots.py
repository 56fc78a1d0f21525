# SPDX-License-Identifier: MIT
"""Plots of a run as SVG: the same numbers give the same bytes."""

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("svg")

from matplotlib import pyplot
from matplotlib.figure import Figure

from .report import best, best_of

matplotlib.rcParams.update(
    {"svg.hashsalt": "sluice", "svg.fonttype": "none", "font.size": 9, "axes.grid": True}
)


def save(figure: Figure, path: Path) -> None:
    """Writes a figure without a date."""
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None})
    pyplot.close(figure)


def draw_ratios(cells: list[dict[str, Any]], path: Path) -> None:
    """One line a cell: each peer's ratio as a dot, its range as a bar."""
    rows = [cell for cell in cells if any("ratio" in peer for peer in cell["peers"].values())]
    figure, axes = pyplot.subplots(figsize=(9, 0.28 * len(rows) + 1.2))
    peers = list(dict.fromkeys(peer for cell in rows for peer in cell["peers"]))
    colours = matplotlib.colormaps["tab20"].colors  # type: ignore[attr-defined]
    for place, peer in enumerate(peers):
        found = [
            (line, cell["peers"][peer]["ratio"])
            for line, cell in enumerate(rows)
            if "ratio" in cell["peers"].get(peer, {})
        ]
        if not found:
            continue
        middle = [ratio["median"] for _, ratio in found]
        ends = [
            [ratio["median"] - ratio["min"] for _, ratio in found],
            [ratio["max"] - ratio["median"] for _, ratio in found],
        ]
        lines = [line for line, _ in found]
        colour = colours[place % len(colours)]
        axes.errorbar(middle, lines, xerr=ends, fmt="o", ms=4, lw=1, label=peer, color=colour)
    axes.set_xscale("log")
    axes.axvline(1, color="black", lw=1)
    axes.set_yticks(range(len(rows)), [cell["name"] for cell in rows])
    axes.invert_yaxis()
    axes.set_xlabel("times sluice's time")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    save(figure, path)


def draw_best(cells: list[dict[str, Any]], path: Path) -> None:
    """One bar a cell: how many times ours the quickest of all peers takes."""
    rows = [(cell["name"], best_of(cell), best(cell)) for cell in cells if best_of(cell)]
    figure, axes = pyplot.subplots(figsize=(8, 0.22 * len(rows) + 1.2))
    for line, (_, found, text) in enumerate(rows):
        ratio = found[0] if found else 1.0
        axes.barh(line, ratio - 1, left=1, color="tab:blue" if ratio >= 1 else "tab:orange")
        axes.annotate(f" {text}", (max(ratio, 1), line), va="center", fontsize=7)
    axes.set_xscale("log")
    axes.axvline(1, color="black", lw=1)
    axes.set_yticks(range(len(rows)), [name for name, _, _ in rows])
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)
    axes.margins(x=0.2)
    axes.set_xlabel("times sluice's time that the quickest of all peers takes")
    save(figure, path)


def draw_curves(curves: dict[str, Any], x: str, path: Path) -> None:
    """The curves against one thing."""
    figure, axes = pyplot.subplots(figsize=(6, 4))
    for name, curve in curves.items():
        if curve["x"] != x:
            continue
        points = [point for point in curve["points"] if point[0] > 0]
        exponent = "" if curve["exponent"] is None else f" (exponent {curve['exponent']:.2f})"
        label = name.removesuffix(f" against {x}") + exponent
        axes.plot([p[0] for p in points], [p[1] / 1000 for p in points], "o-", ms=3, label=label)
    axes.set_xscale("linear" if x == "conditions" else "log")
    axes.set_yscale("log")
    axes.set_xlabel(x)
    axes.set_ylabel("µs")
    axes.legend(frameon=False)
    save(figure, path)


def draw(found: dict[str, Any], folder: Path) -> None:
    """All plots of a results file, beside it."""
    if found.get("cells"):
        draw_ratios(found["cells"], folder / "ratios.svg")
        draw_best(found["cells"], folder / "best.svg")
    curves = found.get("growth", {}).get("curves", {})
    for x in sorted({curve["x"] for curve in curves.values()}):
        draw_curves(curves, x, folder / f"{x}.svg")
