# SPDX-License-Identifier: MIT
"""The programs and the data of one run of compare.py."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from . import environment
from .data import Data
from .measuring import LineProcess, Missing


@dataclass(frozen=True, eq=False)
class Context:
    """Tools that topics measure with."""

    data: Data
    threads: int  # of peers
    driver: LineProcess
    server: Path  # the reference server in C++

    @property
    def events(self) -> int:
        """The number of events of a sample; their JSON takes 2 KB each."""
        return min(self.data.rows, 1_000_000)

    def write_sample(self, folder: Path) -> None:
        """Writes a folder of NDJSON with events, nine tenths of them clicks."""
        shutil.rmtree(folder, ignore_errors=True)
        self.driver.ask(f"answer sample {self.events} {folder}")


def start_peer(name: str) -> LineProcess | Missing:
    """Starts a peer's program in another language, if its tool has built it."""
    tool, command = environment.PEERS[name]
    if Path(command[-1]).exists():
        return LineProcess(*command)
    return Missing("not built" if shutil.which(tool) else f"{tool} is not installed")
