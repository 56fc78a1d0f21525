# SPDX-License-Identifier: MIT
"""A program that answers a line for a line: the C++ driver and the Node driver."""

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path


class LineProcess:
    """A child process that measures operations by itself, so that pipes cost them nothing.

    ```
    > answer count country=country_1      < ok 173122
    > time 100 count country=country_1    < ok 5170021     nanoseconds for all 100
    > anything that fails                 < error no operation
    ```
    """

    def __init__(self, command: Sequence[str | Path]) -> None:
        """Starts the program."""
        self._process = subprocess.Popen(
            [str(part) for part in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def ask(self, line: str) -> str:
        """Sends a line and returns the answer; raises RuntimeError where it is an error."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(line.encode() + b"\n")
        self._process.stdin.flush()
        reply = self._process.stdout.readline().decode().rstrip("\n")
        verdict, _, text = reply.partition(" ")
        if verdict != "ok":
            raise RuntimeError(text or "the program ended")
        return text

    def names(self) -> list[str]:
        """The operations that this build of the program has."""
        return self.ask("names").split()

    def answer(self, operation: str) -> str:
        """What an operation gives."""
        return self.ask(f"answer {operation}")

    def timer(self, operation: str) -> Callable[[int], float]:
        """A function from a number of repetitions to their nanoseconds."""
        return lambda repetitions: float(self.ask(f"time {repetitions} {operation}"))

    def close(self) -> None:
        """Ends the program."""
        self._process.terminate()
        self._process.communicate()
