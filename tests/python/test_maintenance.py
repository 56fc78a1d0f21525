# SPDX-License-Identifier: MIT
"""The thread that maintains a server's store."""

import threading
from typing import cast

from sluice import EventStore
from sluice._maintenance import Maintenance


class _Steps:
    """A store that has some steps to do, and tells when they are done."""

    def __init__(self, steps: int) -> None:
        self.left = steps
        self.is_done = threading.Event()

    def maintain(self) -> bool:
        if self.left == 0:
            self.is_done.set()
            return False
        self.left -= 1
        return True


def test_a_store_is_maintained_until_there_is_nothing_to_do() -> None:
    store = _Steps(5)
    before = threading.active_count()
    with Maintenance(cast(EventStore, store)):
        assert store.is_done.wait(30)
        assert threading.active_count() == before + 1
    assert store.left == 0
    assert threading.active_count() == before


def test_an_endless_task_ends_with_the_server() -> None:
    store = _Steps(-1)
    with Maintenance(cast(EventStore, store)):
        while store.left == -1:
            pass
    left = store.left
    assert not store.is_done.wait(0.05)
    assert store.left == left
