# SPDX-License-Identifier: MIT
"""A cell of the comparison: one task, done by sluice and by its peers."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

Timer = Callable[[int], float]


@dataclass(frozen=True)
class Contender:
    """Who does a task: how long a number of repetitions takes, and what one of them gives."""

    time: Timer  # repetitions -> nanoseconds for all of them
    answer: Callable[[], object]


@dataclass(frozen=True)
class Missing:
    """Why a peer does not take part."""

    reason: str


@dataclass(frozen=True)
class Cell:
    """One row of the table."""

    name: str
    what: str  # what of sluice does it
    ours: Contender
    peers: dict[str, Contender | Missing] = field(default_factory=dict)
    amount: float = 0.0  # what one repetition gets done, in `unit`
    unit: str = ""  # GB, rows or events; none where the time itself says it
    note: str = ""


def translated(contender: Contender, read: Callable[[str], object]) -> Contender:
    """The same contender; its answer, a text, is compared as what `read` makes of it."""
    return replace(contender, answer=lambda: read(str(contender.answer())))


Clock = Callable[[], int]  # nanoseconds from any time on


def python_contender(
    run: Callable[[], object], answer: Callable[[], object], clock: Clock = time.perf_counter_ns
) -> Contender:
    """A contender that is a Python call."""

    def timed(repetitions: int) -> float:
        begin = clock()
        for _ in range(repetitions):
            run()
        return float(clock() - begin)

    return Contender(timed, answer)
