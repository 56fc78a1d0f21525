# SPDX-License-Identifier: MIT
"""The programs and the data of one run."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from .data import Data
from .measuring import LineProcess, Missing


@dataclass(frozen=True, eq=False)
class Context:
    """Tools that topics measure with."""

    driver: LineProcess
    node: LineProcess | Missing
    rust: LineProcess | Missing
    data: Data
    threads: int
    folder: Path  # for files that topics write
    server: Path  # the reference server in C++

    @property
    def events(self) -> int:
        """The number of events of a sample; their JSON takes 2 KB each."""
        return min(self.data.rows, 1_000_000)

    def write_sample(self, folder: Path) -> None:
        """Writes a folder of NDJSON with events, nine tenths of them clicks."""
        shutil.rmtree(folder, ignore_errors=True)
        self.driver.ask(f"answer sample {self.events} {folder}")
