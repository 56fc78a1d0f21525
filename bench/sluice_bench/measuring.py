# SPDX-License-Identifier: MIT
"""Cells of a table: one task, done by sluice and by its peers in turns, answers compared first."""

import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

WARM_UP_NS = 20e6
SAMPLE_NS = 4e6
MAX_REPETITIONS = 5_000_000
LINE = 2_000  # bytes of a line of a results file

Clock = Callable[[], int]  # nanoseconds from any time on
Run = Callable[[], object]


@dataclass(frozen=True)
class Contender:
    """Does a task: the time of a number of repetitions, and the result of one."""

    time: Callable[[int], float]  # repetitions -> nanoseconds for all of them
    answer: Run


@dataclass(frozen=True)
class Missing:
    """The reason for which a peer does not take part."""

    reason: str

    def contender(self, *_: object) -> "Missing":
        """Stands for the contender of a program that is missing."""
        return self


Peer = Contender | Missing


@dataclass(frozen=True)
class Cell:
    """One row of the table."""

    name: str
    what: str  # the interface of sluice
    ours: Contender
    peers: dict[str, Peer] = field(default_factory=dict)


class UnequalError(Exception):
    """Two contenders gave different answers to one task."""


def lacks(package: str) -> Missing | None:
    """Returns the reason if a Python package can't be imported."""
    try:
        import_module(package)
    except ImportError as error:
        return Missing(f"{package} is not installed: {error}")
    return None


def by_python(
    run: Run, answer: Run | None = None, clock: Clock = time.perf_counter_ns
) -> Contender:
    """Makes a contender of a Python call; its answer is the call's result unless it has another."""

    def timed(repetitions: int) -> float:
        begin = clock()
        for _ in range(repetitions):
            run()
        return float(clock() - begin)

    return Contender(timed, answer or run)


class LineProcess:
    """A child process that measures operations by itself, so that pipes cost them nothing.

    ```
    > answer count country=country_1      < ok 173122
    > time 100 count country=country_1    < ok 5170021     nanoseconds for all 100
    > anything that fails                 < error no operation
    ```
    """

    def __init__(self, *command: str | Path) -> None:
        """Starts the program."""
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, line: str) -> str:
        """Sends a line and returns the reply; raises RuntimeError if it is an error."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(line.encode() + b"\n")
        self._process.stdin.flush()
        reply = self._process.stdout.readline().decode().rstrip("\n")
        verdict, _, text = reply.partition(" ")
        if verdict != "ok":
            raise RuntimeError(text or "the program ended")
        return text

    def contender(self, operation: str, read: Callable[[str], object] = str) -> Contender:
        """Returns the contender of an operation, whose answer `read` makes of its text."""
        return Contender(
            lambda repetitions: float(self.ask(f"time {repetitions} {operation}")),
            lambda: read(self.ask(f"answer {operation}")),
        )

    def close(self) -> None:
        """Ends the program."""
        self._process.terminate()
        self._process.communicate()


def calibrate(contender: Contender, sample_ns: float = SAMPLE_NS) -> int:
    """Warms a contender up and returns how many repetitions make a sample."""
    repetitions, spent = 1, contender.time(1)
    warmed = spent
    while warmed < WARM_UP_NS and repetitions < MAX_REPETITIONS:
        once = max(spent / repetitions, 0.2)
        repetitions = min(MAX_REPETITIONS, max(repetitions * 2, int(sample_ns / once)))
        if repetitions * once > 4 * sample_ns:
            break
        spent = contender.time(repetitions)
        warmed += spent
    return max(1, min(MAX_REPETITIONS, int(sample_ns * repetitions / max(spent, 1.0))))


def check(cell: Cell) -> None:
    """Raises UnequalError unless all contenders give the same answer."""
    expected = cell.ours.answer()
    for name, peer in cell.peers.items():
        if isinstance(peer, Contender) and (got := peer.answer()) != expected:
            text = f"{cell.name}: {name} gives {str(got)[:200]}, sluice {str(expected)[:200]}"
            raise UnequalError(text)


def spread(values: list[float]) -> dict[str, float]:
    """Returns the median and the ends of some values, of six digits."""
    ends = {"median": statistics.median(values), "min": min(values), "max": max(values)}
    return {name: float(f"{value:.6g}") for name, value in ends.items()}


def measure(cell: Cell, pairs: int, sample_ns: float = SAMPLE_NS) -> dict[str, Any]:
    """Returns a cell's times and ratios; contenders take turns, and rounds start with another."""
    check(cell)
    present = {name: peer for name, peer in cell.peers.items() if isinstance(peer, Contender)}
    runners = [("", cell.ours), *present.items()]
    repetitions = {name: calibrate(runner, sample_ns) for name, runner in runners}
    samples: dict[str, list[float]] = {name: [] for name in repetitions}
    for turn in range(pairs):
        start = turn % len(runners)
        for name, runner in runners[start:] + runners[:start]:
            samples[name].append(runner.time(repetitions[name]) / repetitions[name])
    ours = samples[""]
    peers: dict[str, Any] = {}
    for name, peer in cell.peers.items():
        if isinstance(peer, Missing):
            peers[name] = {"missing": peer.reason}
        else:
            ratios = [theirs / mine for theirs, mine in zip(samples[name], ours, strict=True)]
            peers[name] = {"ratio": spread(ratios)}
    return {"name": cell.name, "what": cell.what, "ns": spread(ours), "peers": peers}


class Collector:
    """Collects measured cells; with `only`, those whose names hold one of its words."""

    def __init__(self, pairs: int, only: Sequence[str], sample_ns: float = SAMPLE_NS) -> None:
        """Starts with no cells. A run of a short task is repeated until it takes so long."""
        self._pairs = pairs
        self._sample_ns = sample_ns
        self._only = only
        self.cells: list[dict[str, Any]] = []
        self.errors: list[str] = []

    def take(self, cells: Iterator[Cell]) -> None:
        """Measures what is wanted; peers of a known cell are added to it. Notes what fails."""
        try:
            for cell in cells:
                if not self._only or any(word in cell.name for word in self._only):
                    self._measure(cell)
        except Exception as error:  # whatever a peer throws when it is made ready
            self.note(f"not made: {error!r}")

    def note(self, error: str) -> None:
        """Prints and keeps an error: the run goes on and fails."""
        self.errors.append(error)
        print(f"error: {error}", file=sys.stderr)

    def _measure(self, cell: Cell) -> None:
        print(cell.name, *cell.peers, file=sys.stderr, sep="; ", flush=True)
        try:
            measured = measure(cell, self._pairs, self._sample_ns)
        except Exception as error:  # whatever an engine throws
            self.note(f"{cell.name}: {error}")
            return
        known = next((known for known in self.cells if known["name"] == cell.name), None)
        if known is None:
            self.cells.append(measured)
        else:
            known["peers"] |= measured["peers"]


async def call_asgi(
    app: Any,  # noqa: ANN401
    path: str,
    query: str,
    *headers: tuple[bytes, bytes],
) -> tuple[int, dict[str, str], bytes]:
    """Returns the status, headers and body of a request to an application, without a server."""
    sent: list[Any] = []
    scope = {
        **{"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET"},
        **{"scheme": "https", "path": path, "raw_path": path.encode(), "root_path": ""},
        **{"query_string": query.encode(), "headers": [(b"host", b"localhost"), *headers]},
        **{"state": {}, "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 2)},
    }

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:  # noqa: ANN401
        sent.append(message)

    await app(scope, receive, send)
    headers = {name.decode().lower(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], headers, b"".join(part.get("body", b"") for part in sent)


def machine() -> dict[str, Any]:
    """Returns the machine of a run."""
    model = platform.processor()
    information = Path("/proc/cpuinfo")
    if information.exists():
        lines = information.read_text().splitlines()
        model = next((line.split(":")[1].strip() for line in lines if "model name" in line), model)
    return {"cpu": model, "cores": os.cpu_count(), "python": platform.python_version()}


def merged(kept: dict[str, Any], run: dict[str, Any]) -> dict[str, Any]:
    """Puts a run of some cells in place of the same ones of an earlier run over as much data."""
    if any(kept.get(name) != run[name] for name in ("machine", "rows", "threads")):
        return run
    known = {cell["name"]: cell for cell in kept["cells"] + run["cells"]}
    return run | {
        "cells": list(known.values()),
        "engines": kept["engines"] | run["engines"],
        "servers": run["servers"] or kept["servers"],
        "load": kept["load"] + run["load"],
    }


def read_results(path: Path | None) -> dict[str, Any]:
    """Reads a results file; empty if there is none."""
    return json.loads(path.read_text()) if path and path.exists() else {}


def write_results(path: Path, results: dict[str, Any]) -> None:
    """Writes a results file, a line for each cell."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(in_lines(results) + "\n")


def in_lines(value: object) -> str:
    """Formats JSON with line breaks in what would be a long line."""
    text = json.dumps(value, ensure_ascii=False)
    if len(text) <= LINE:
        return text
    if isinstance(value, dict):
        members = ",\n".join(f"{json.dumps(name)}: {in_lines(v)}" for name, v in value.items())
        return f"{{\n{members}\n}}"
    assert isinstance(value, list)
    return "[\n" + ",\n".join(map(in_lines, value)) + "\n]"
