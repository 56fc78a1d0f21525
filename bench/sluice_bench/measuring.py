# SPDX-License-Identifier: MIT
"""Cells of a table: one task, done by sluice and by its peers in turns, answers compared first.

Needs the standard library only.
"""

import os
import statistics
import subprocess
import sys
import time
import timeit
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

SAMPLE_NS = 4e6

Clock = Callable[[], int]  # nanoseconds from any time on
Run = Callable[[], object]
Read = Callable[[Any], object]
Results = dict[str, Any]


# --- Contenders ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Contender:
    """Does a task: the time of a number of repetitions, and the result of one."""

    time: Callable[[int], float]  # repetitions -> nanoseconds for all of them
    answer: Run


@dataclass(frozen=True)
class Missing:
    """The reason for which a peer does not take part."""

    reason: str

    def contender(self, operation: str, read: Read) -> "Missing":
        """Returns itself, in place of a contender."""
        return self


class Source(Protocol):
    """A program, engine or library that has contenders of its operations, or is missing."""

    def contender(self, operation: str, read: Read) -> Contender | Missing:
        """Returns the contender of "NAME ARGUMENT"; `read` makes comparable what it returns."""


def processor_ns(pid: int) -> int:
    """Returns the processor time that a process has taken, threads that ended included."""
    return time.clock_gettime_ns(~pid << 3 | 2)  # the clock of clock_getcpuclockid()


def by_python(
    run: Run, answer: Run | None = None, clock: Clock = time.perf_counter_ns
) -> Contender:
    """Makes a contender of a Python call; its answer is the call's result unless it has another."""
    return Contender(timeit.Timer(run, timer=clock).timeit, answer or run)


class Library:
    """A source in Python: an operation is a function of the argument that returns a call.

    A function whose call is not the answer returns a contender.
    """

    def __init__(self, **operations: Callable[[str], Run | Contender]) -> None:
        """Takes functions by the names of operations; those of subclasses are methods."""
        vars(self).update(operations)

    def contender(self, operation: str, read: Read) -> Contender:
        """Returns the contender of an operation."""
        name, _, argument = operation.partition(" ")
        run = getattr(self, name)(argument)
        return run if isinstance(run, Contender) else by_python(run, lambda: read(run()))


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
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self._process = subprocess.Popen(command, text=True, **pipes)

    def ask(self, line: str) -> str:
        """Sends a line and returns the reply; raises RuntimeError if it is an error."""
        print(line, file=self._process.stdin, flush=True)
        verdict, _, text = self._process.stdout.readline().rstrip("\n").partition(" ")
        if verdict != "ok":
            raise RuntimeError(text or "the program ended")
        return text

    def contender(self, operation: str, read: Read) -> Contender:
        """Returns the contender of an operation, whose answer `read` makes of its text."""
        return Contender(
            lambda repetitions: float(self.ask(f"time {repetitions} {operation}")),
            lambda: read(self.ask(f"answer {operation}")),
        )

    def close(self) -> None:
        """Ends the program."""
        self._process.terminate()
        self._process.communicate()


# --- Cells ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cell:
    """One row of the table: an operation of sluice and of its peers."""

    name: str
    what: str  # the interface of sluice
    operation: str
    ours: Source
    peers: Mapping[str, Source] = field(default_factory=dict)
    read: Read = str


def calibrate(contender: Contender, sample_ns: float) -> int:
    """Warms a contender up and returns how many repetitions make a sample."""
    repetitions = 1
    while (spent := contender.time(repetitions)) < 4 * sample_ns:
        repetitions *= 2
    return max(1, int(sample_ns * repetitions / spent))


def check_equal(cell: str, answers: Mapping[str, object]) -> None:
    """Raises ValueError unless all answers are sluice's, which is the first."""
    (ours, expected), *others = answers.items()
    for name, answer in others:
        if answer != expected:
            texts = f"{name} gives {str(answer)[:200]}, {ours} {str(expected)[:200]}"
            raise ValueError(f"{cell}: {texts}")


def take_turns(rounds: int, runs: Mapping[str, Callable[[], Any]]) -> dict[str, list[Any]]:
    """Returns what each call returned in each round; rounds start with another one."""
    samples: dict[str, list[Any]] = {name: [] for name in runs}
    names = list(runs)
    for turn in range(rounds):
        start = turn % len(names)
        for name in names[start:] + names[:start]:
            samples[name].append(runs[name]())
    return samples


def spread(values: Sequence[float]) -> dict[str, float]:
    """Returns the median and the ends of some values, of six digits."""
    ends = {"median": statistics.median(values), "min": min(values), "max": max(values)}
    return {name: float(f"{value:.6g}") for name, value in ends.items()}


def ratios(theirs: Sequence[float], ours: Sequence[float]) -> dict[str, float]:
    """Returns the spread of the ratios of the same rounds."""
    return spread([a / b for a, b in zip(theirs, ours, strict=True)])


def measure(cell: Cell, pairs: int, sample_ns: float = SAMPLE_NS) -> Results:
    """Returns a cell's times and ratios, after a comparison of the answers.

    With one pair, which is a trial, each contender does the task once.
    """
    sources = {"sluice": cell.ours, **cell.peers}
    entries = {
        name: source.contender(cell.operation, cell.read) for name, source in sources.items()
    }
    contenders = {name: entry for name, entry in entries.items() if isinstance(entry, Contender)}
    check_equal(cell.name, {name: contender.answer() for name, contender in contenders.items()})

    def sampler(contender: Contender) -> Callable[[], float]:
        repetitions = calibrate(contender, sample_ns) if pairs > 1 else 1
        return lambda: contender.time(repetitions) / repetitions

    samples = take_turns(pairs, {name: sampler(peer) for name, peer in contenders.items()})
    ours = samples["sluice"]
    peers = {
        name: {"missing": entry.reason}
        if isinstance(entry, Missing)
        else {"ratio": ratios(samples[name], ours)}
        for name, entry in entries.items()
        if name in cell.peers
    }
    return {"name": cell.name, "what": cell.what, "ns": spread(ours), "peers": peers}


class Collector:
    """Measures cells and keeps their results; with `only`, those whose names hold one of its words.

    A short task is repeated for `sample_ns`.
    """

    def __init__(self, pairs: int, only: Sequence[str], sample_ns: float = SAMPLE_NS) -> None:
        """Starts with no cells."""
        self._pairs = pairs
        self._sample_ns = sample_ns
        self._only = only
        self._load = [os.getloadavg()[1]]
        self.cells: list[Results] = []
        self.versions: dict[str, str] = {}  # of peers
        self.errors: list[str] = []

    def take(self, cells: Iterable[Cell]) -> None:
        """Measures what is wanted."""
        try:
            for cell in cells:
                if not self._only or any(word in cell.name for word in self._only):
                    print(cell.name, *cell.peers, file=sys.stderr, sep="; ", flush=True)
                    self.cells.append(measure(cell, self._pairs, self._sample_ns))
                    self._load.append(os.getloadavg()[1])
        except Exception as error:  # whatever a peer throws: the run goes on and fails
            self.errors.append(repr(error))
            print(f"error: {error!r}", file=sys.stderr)

    def results(self, **sizes: object) -> Results:
        """Returns what the results file holds of this run."""
        about = {"pairs": self._pairs, "load": [min(self._load), max(self._load)]}
        measured = {"versions": self.versions, "cells": self.cells, "errors": self.errors}
        return {**about, **sizes, **measured}
