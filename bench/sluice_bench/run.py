# SPDX-License-Identifier: MIT
"""Measures cells: answers first, then pairs of runs that take turns."""

import statistics
from collections.abc import Callable
from typing import Any

from .cell import Cell, Contender, Missing

WARM_UP_NS = 20e6
SAMPLE_NS = 4e6
MAX_REPETITIONS = 5_000_000


class UnequalError(Exception):
    """Two contenders gave different answers to one task."""


def calibrate(contender: Contender, sample_ns: float = SAMPLE_NS) -> int:
    """Warms a contender up and returns how many repetitions make a sample."""
    repetitions, spent = 1, contender.time(1)
    warmed = spent
    while warmed < WARM_UP_NS and repetitions < MAX_REPETITIONS:
        each = max(spent / repetitions, 0.2)
        repetitions = min(MAX_REPETITIONS, max(repetitions * 2, int(sample_ns / each)))
        if repetitions * each > 4 * sample_ns:
            break
        spent = contender.time(repetitions)
        warmed += spent
    return max(1, min(MAX_REPETITIONS, int(sample_ns * repetitions / max(spent, 1.0))))


def check(cell: Cell) -> None:
    """Raises UnequalError unless all contenders give the same answer."""
    expected = cell.ours.answer()
    for name, peer in cell.peers.items():
        if isinstance(peer, Missing):
            continue
        got = peer.answer()
        if got != expected:
            text = f"{cell.name}: {name} gives {str(got)[:200]}, sluice {str(expected)[:200]}"
            raise UnequalError(text)


def spread(values: list[float]) -> dict[str, float]:
    """The median and the ends of some values."""
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def measure(
    cell: Cell, pairs: int, step: Callable[[str], None], sample_ns: float = SAMPLE_NS
) -> dict[str, Any]:
    """The cell's times and ratios. Contenders take turns, and each round starts with another."""
    check(cell)
    present = {name: peer for name, peer in cell.peers.items() if isinstance(peer, Contender)}
    runners = [("", cell.ours), *present.items()]
    repetitions = {name: calibrate(runner, sample_ns) for name, runner in runners}
    samples: dict[str, list[float]] = {name: [] for name in repetitions}
    for turn in range(pairs):
        start = turn % len(runners)
        for name, runner in runners[start:] + runners[:start]:
            samples[name].append(runner.time(repetitions[name]) / repetitions[name])
        step(cell.name)
    return result(cell, samples)


def result(cell: Cell, samples: dict[str, list[float]]) -> dict[str, Any]:
    """A cell as the JSON file holds it."""
    ours = samples[""]
    peers: dict[str, Any] = {}
    for name, peer in cell.peers.items():
        if isinstance(peer, Missing):
            peers[name] = {"missing": peer.reason}
            continue
        ratios = [theirs / mine for theirs, mine in zip(samples[name], ours, strict=True)]
        peers[name] = {"ns": spread(samples[name]), "ratio": spread(ratios)}
    measured: dict[str, Any] = {"name": cell.name, "what": cell.what}
    measured |= {"ns": spread(ours), "peers": peers}
    if cell.unit:
        measured["rate"] = {"per_second": cell.amount * 1e9 / measured["ns"]["median"]}
        measured["rate"]["unit"] = cell.unit
    if cell.note:
        measured["note"] = cell.note
    return measured
