# SPDX-License-Identifier: MIT
"""Shares a service's threads out among the keys that use it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

AT_ONCE = 2  # requests of one lane
WAITING = 64  # further ones of a lane, in order


class LaneFullError(Exception):
    """More requests of one lane than may wait."""


class _Lane:
    def __init__(self) -> None:
        self.turns = asyncio.Semaphore(AT_ONCE)
        self.requests = 0


class Lanes:
    """Lets a few requests of each lane run and some wait. Lane 0 is for all who have none.

    ```
    lane 7:  ##  . . . .      # runs, . waits, in order
    lane 9:  #
    ```
    """

    def __init__(self) -> None:
        """Makes lanes that are all empty."""
        self._lanes: dict[int, _Lane] = {}

    @asynccontextmanager
    async def turn(self, number: int) -> AsyncIterator[None]:
        """Waits for a turn in a lane, and has it.

        Raises:
            LaneFullError: Too many wait already.
        """
        if not number:
            yield
            return
        lane = self._lanes.setdefault(number, _Lane())
        if lane.requests == AT_ONCE + WAITING:
            raise LaneFullError
        lane.requests += 1
        try:
            async with lane.turns:
                yield
        finally:
            lane.requests -= 1
            if not lane.requests:
                del self._lanes[number]
