# SPDX-License-Identifier: MIT
"""Processor time, which says what work costs on a machine that does other work too."""

import time
from pathlib import Path

from .cell import Clock


def of_process(pid: int | None) -> int:
    """The nanoseconds that the threads of a process have run for."""
    threads = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((each / "schedstat").read_text().split()[0]) for each in threads)


def with_server(pid: int | None) -> Clock:
    """The time of this process and of one that serves it."""
    return lambda: time.process_time_ns() + of_process(pid)
