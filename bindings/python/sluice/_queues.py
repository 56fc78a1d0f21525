# SPDX-License-Identifier: MIT
"""Distributes a service's threads fairly among its keys."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

AT_ONCE = 2  # running requests per queue
WAITING = 64  # waiting requests per queue, in order


class QueueFullError(Exception):
    """The queue of a key is full."""


class _Queue:
    def __init__(self) -> None:
        self.turns = asyncio.Semaphore(AT_ONCE)
        self.requests = 0


class Queues:
    """Queues per key: a few requests run, some wait. Queue 0, for cheap requests, is unlimited.

    ```
    queue 7:  ##  . . . .      # runs, . waits, in order
    queue 9:  #
    ```
    """

    def __init__(self) -> None:
        """Creates empty queues."""
        self._queues: dict[int, _Queue] = {}

    @asynccontextmanager
    async def turn(self, number: int) -> AsyncIterator[None]:
        """Waits for a slot of a queue and holds it.

        Raises:
            QueueFullError: Too many requests are waiting.
        """
        if not number:
            yield
            return
        queue = self._queues.setdefault(number, _Queue())
        if queue.requests == AT_ONCE + WAITING:
            raise QueueFullError
        queue.requests += 1
        try:
            async with queue.turns:
                yield
        finally:
            queue.requests -= 1
            if not queue.requests:
                del self._queues[number]
