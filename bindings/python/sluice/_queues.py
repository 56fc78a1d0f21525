# SPDX-License-Identifier: MIT
"""Distributes a service's threads fairly among its keys."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

AT_ONCE = 2  # maximum number of running requests per queue
WAITING = 64  # maximum number of waiting requests per queue


class QueueFullError(Exception):
    """The queue of a key is full."""


class _Queue:
    """The slots of a queue, and the number of its running and waiting requests."""

    def __init__(self) -> None:
        self.slots = asyncio.Semaphore(AT_ONCE)
        self.requests = 0


class Queues:
    """Queues by key number: a few requests run, others wait. Queue 0, of cheap ones, is unlimited.

    ```
    queue 7:  ##  . . . .      # runs, . waits, in order
    queue 9:  #
    ```
    """

    def __init__(self) -> None:
        """Creates empty queues."""
        self._queues: dict[int, _Queue] = {}

    @asynccontextmanager
    async def slot(self, number: int) -> AsyncIterator[None]:
        """Waits for a slot of a queue and holds it until the end of the `with` block.

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
            async with queue.slots:
                yield
        finally:
            queue.requests -= 1
            if not queue.requests:
                del self._queues[number]
