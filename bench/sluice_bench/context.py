# SPDX-License-Identifier: MIT
"""What topics measure with."""

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from .cell import Contender, Missing
from .data import Data
from .line_process import LineProcess


@dataclass(frozen=True, eq=False)
class Context:
    """The programs and the data of one run."""

    driver: LineProcess
    native: LineProcess | Missing  # the driver, built for this machine alone
    node: LineProcess | Missing
    rust: LineProcess | Missing
    data: Data
    threads: int
    folder: Path  # for what topics make themselves
    server: Path  # the reference server in C++

    @property
    def events(self) -> int:
        """How many real events topics make; their JSON takes 2 KB each."""
        return min(self.data.rows, 1_000_000)


def by_driver(context: Context, operation: str) -> Contender:
    """A contender that the C++ driver measures."""
    return Contender(context.driver.timer(operation), lambda: context.driver.answer(operation))


def by_program(program: LineProcess | Missing, operation: str) -> Contender | Missing:
    """A contender that another program measures, where there is one."""
    if isinstance(program, Missing):
        return program
    return Contender(program.timer(operation), lambda: program.answer(operation))


def require(package: str) -> None:
    """Raises RuntimeError where a Python package is not installed that a topic is about."""
    missing = lacks(package)
    if missing:
        raise RuntimeError(missing.reason)


def lacks(package: str) -> Missing | None:
    """Why a Python package can't take part, if it can't."""
    try:
        import_module(package)
    except ImportError as error:
        return Missing(f"{package} is not installed: {error}")
    return None
