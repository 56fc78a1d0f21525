# SPDX-License-Identifier: MIT
"""What engines are asked by sluice, by hand, and by a mask of rows that they only hand out."""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Protocol

from ..cell import Cell, Clock, Contender, python_contender
from ..data import Data
from .databases import DATABASES, in_file, in_table
from .frames import PolarsFile, PyarrowFile
from .questions import Answer, Question, questions


class Engine(Protocol):
    """Answers a question in three ways."""

    name: str
    what: str  # what of sluice compiles the question
    version: str
    settings: str  # what it was given
    clock: Clock  # its processor time and that of its client

    def pushed_down(self, question: Question) -> Callable[[], Answer]:
        """As sluice compiles it."""

    def by_hand(self, question: Question) -> Callable[[], Answer]:
        """As a user of the engine writes it."""

    def masked(self, question: Question) -> Callable[[], Answer]:
        """By rows that are read, and a mask of them."""


def contender(run: Callable[[], Answer], clock: Clock) -> Contender:
    """What gives the answer each time."""
    return python_contender(run, run, clock)


def cells_of(engine: Engine, asked: list[Question]) -> Iterator[Cell]:
    """A cell a question."""
    for question in asked:
        peers = {
            "by hand": contender(engine.by_hand(question), engine.clock),
            "read and mask": contender(engine.masked(question), engine.clock),
        }
        ours = contender(engine.pushed_down(question), engine.clock)
        yield Cell(f"{engine.name}: {question.name}", engine.what, ours, peers)


FILES: dict[str, Callable[[Data, Path], Engine]] = {
    "Parquet, DuckDB": in_file,
    "Parquet, polars": PolarsFile,
    "Parquet, pyarrow": PyarrowFile,
}
NAMES = (*FILES, *DATABASES)


def cells(name: str, data: Data, folder: Path, note: Callable[[Engine], None]) -> Iterator[Cell]:
    """All questions to an engine over a file, or with a table of its own."""
    asked = list(questions(data))
    in_one = FILES.get(name)
    opened = nullcontext(in_one(data, folder)) if in_one else in_table(name, data, asked[0].schema)
    with opened as engine:
        note(engine)
        yield from cells_of(engine, asked)
