# SPDX-License-Identifier: MIT
"""The programs and the data of one run of compare.py."""

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

import sluice

from .data import END_MS, Data
from .measuring import Collector, LineProcess


@dataclass(frozen=True, eq=False)
class Context:
    """Tools that topics measure with."""

    data: Data
    threads: int  # of peers
    driver: LineProcess
    server: Path  # the reference server in C++
    collector: Collector

    @property
    def events(self) -> int:
        """The number of events of a sample; their JSON takes 2 KB each."""
        return min(self.data.rows, 1_000_000)

    @cached_property
    def sample(self) -> Path:
        """A folder of NDJSON with events, nine tenths of them clicks."""
        folder = self.data.folder / "sample"
        if not (folder / "clicks.ndjson").exists():  # all files appear at once
            now = datetime.fromtimestamp(END_MS / 1e3, UTC)
            sluice.write_sample(folder, self.events, seed=1, now=now)
        return folder
