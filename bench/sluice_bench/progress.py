# SPDX-License-Identifier: MIT
"""What a long run shows of itself on a terminal."""

import sys
import time


class Progress:
    """A bar on standard error, drawn only on a terminal, wiped by finish().

    ```
    [##########                    ]  33%  count: 3 equalities
    ```
    """

    _WIDTH = 30
    _SECONDS_BETWEEN = 0.1

    def __init__(self, total: int) -> None:
        """Makes a bar for a number of steps."""
        self._total = max(total, 1)
        self._done = 0
        self._drawn_at = 0.0

    def step(self, text: str, steps: int = 1) -> None:
        """Says that steps are done and what comes next."""
        self._done += steps
        now = time.monotonic()
        if now - self._drawn_at < self._SECONDS_BETWEEN or not sys.stderr.isatty():
            return
        self._drawn_at = now
        part = min(self._done / self._total, 1.0)
        bar = "#" * int(part * self._WIDTH)
        line = f"\r[{bar:{self._WIDTH}}] {part:4.0%}  {text[:40]}\x1b[K"
        print(line, end="", file=sys.stderr, flush=True)

    def finish(self) -> None:
        """Wipes the bar."""
        if sys.stderr.isatty():
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
