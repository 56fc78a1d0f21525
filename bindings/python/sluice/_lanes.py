# SPDX-License-Identifier: MIT
"""Distributes a service's threads fairly among its keys."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

AT_ONCE = 2  # running requests per queue
WAITING = 64  # waiting requests per queue, in order


class LaneFullError(Exception):
    """The queue of a key is full."""


class _Lane:
    def __init__(self) -> None:
        self.turns = asyncio.Semaphore(AT_ONCE)
        self.requests = 0


class Lanes:
    """Queues per key: a few requests run, some wait. Queue 0, for cheap requests, is unlimited.

    ```
    lane 7:  ##  . . . .      # runs, . waits, in order
    lane 9:  #
    ```
    """

    def __init__(self) -> None:
        """Creates empty queues."""
        self._lanes: dict[int, _Lane] = {}

    @asynccontextmanager
    async def turn(self, number: int) -> AsyncIterator[None]:
        """Waits for a slot of a queue and holds it.

        Raises:
            LaneFullError: Too many requests are waiting.
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
