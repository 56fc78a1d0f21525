# SPDX-License-Identifier: MIT
"""Maintains a server's store while it serves."""

import threading
from types import TracebackType

from sluice._sluice import EventStore


class Maintenance:
    """A thread that maintains a store each second, until there is nothing to do."""

    def __init__(self, store: EventStore) -> None:
        """Starts once it is entered."""
        self._store = store
        self._has_ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="maintenance", daemon=True)

    def __enter__(self) -> None:
        """Starts the thread."""
        self._thread.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        raised: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Ends the thread, after the step that it is at."""
        self._has_ended.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._has_ended.wait(1):
            while not self._has_ended.is_set() and self._store.maintain():
                pass
