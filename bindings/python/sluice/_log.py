# SPDX-License-Identifier: MIT
"""Lines of a server that no reader can hold up."""

import logging
import os
import threading
from datetime import UTC, datetime
from typing import Literal, TypeAlias

from sluice._sluice import message_line

Format: TypeAlias = Literal["text", "json"]
Level: TypeAlias = Literal["info", "warning", "error"]

_SECONDS_TO_END = 1.0


class Log:
    """Writes lines to a file descriptor on a thread of its own.

    Where the reader stalls, `capacity` lines are kept for it; more are dropped, and a line says how
    many. Nothing here waits for the reader, but the end for a second.
    """

    def __init__(
        self, descriptor: int, capacity: int = 10_000, log_format: Format = "text"
    ) -> None:
        """Makes a log and starts its thread."""
        self.format = log_format
        self._descriptor = descriptor
        self._capacity = capacity
        self._lines: list[str] = []
        self._dropped = 0
        self._is_closed = False
        self._changed = threading.Condition()  # guards the three
        self._writer = threading.Thread(target=self._run, name="log", daemon=True)
        self._writer.start()

    def say(self, text: str, level: Level = "info") -> None:
        """Adds a message of the server's own."""
        self.write(message_line(self.format, datetime.now(UTC), level, text))

    def write(self, line: str) -> None:
        """Adds a line, its end included."""
        with self._changed:
            if len(self._lines) < self._capacity:
                self._lines.append(line)
            else:
                self._dropped += 1
            self._changed.notify()

    def close(self) -> None:
        """Writes what is left, as far as the reader takes it soon."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()
        self._writer.join(_SECONDS_TO_END)

    def _run(self) -> None:
        try:
            while lines := self._next():
                left = memoryview("".join(lines).encode())
                while left:
                    left = left[os.write(self._descriptor, left) :]
        except OSError:
            pass  # nobody reads any more: what comes is dropped

    def _next(self) -> list[str]:
        """The lines that have come since; none at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._lines or self._is_closed)
            lines, self._lines = self._lines, []
            if self._dropped:
                lost = f"log: {self._dropped} lines dropped, the reader was too slow"
                lines.append(message_line(self.format, datetime.now(UTC), "warning", lost))
                self._dropped = 0
        return lines


class LogHandler(logging.Handler):
    """Sends what libraries log the same way."""

    def __init__(self, log: Log) -> None:
        """Makes the handler of a log."""
        super().__init__()
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Adds a record, as text on as many lines as it takes."""
        level: Level = "error" if record.levelno >= logging.ERROR else "warning"
        self._log.say(self.format(record), level)
