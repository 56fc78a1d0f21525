# SPDX-License-Identifier: MIT
"""A progress bar for long work on a terminal."""

import sys
import time
from types import TracebackType
from typing import Self


class ProgressBar:
    """A bar on standard error, drawn at most ten times a second and only on a terminal.

    ```
    [##############                ]  47%  4,718,592 of 10,000,000
    ```
    It is wiped at the end, so that what is printed next starts on a clean line.
    """

    _WIDTH = 30
    _SECONDS_BETWEEN = 0.1

    def __init__(self, worth_from: int) -> None:
        """Makes a bar that shows for totals above `worth_from`."""
        self._worth_from = worth_from
        self._drawn_at: float | None = None

    def __enter__(self) -> Self:
        """Starts with nothing drawn."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Wipes the bar."""
        if self._drawn_at is not None:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def update(self, done: int, total: int) -> None:
        """Says that `done` of the total are done."""
        now = time.monotonic()
        is_early = self._drawn_at is not None and now - self._drawn_at < self._SECONDS_BETWEEN
        if is_early or total <= self._worth_from or not sys.stderr.isatty():
            return
        self._drawn_at = now
        part = done / total
        bar = "#" * int(part * self._WIDTH)
        text = f"\r[{bar:{self._WIDTH}}] {part:4.0%}  {done:,} of {total:,}\x1b[K"
        print(text, end="", file=sys.stderr, flush=True)
