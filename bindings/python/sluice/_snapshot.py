# SPDX-License-Identifier: MIT
"""The snapshot of a folder of records, which a server opens in their place."""

from collections.abc import Callable
from pathlib import Path

from sluice import ApiError
from sluice._options import ServeOptions
from sluice.api import EventStore

__all__ = ["open_snapshot", "save_snapshot"]


def open_snapshot(options: ServeOptions, say: Callable[[str], None]) -> EventStore | None:
    """The store of the snapshot, all of which is checked; None where the records are to be loaded.

    `say` is told which of both it is, and why.
    """
    file, folder = options.snapshot, options.data
    if file is None or folder is None or not file.exists():
        return None
    if _is_outdated(file, folder):
        say(f"snapshot: {file} is older than the records, which are loaded")
        return None
    try:
        store = EventStore.open(file)
    except ApiError as error:
        say(f"snapshot: {error}")
        return None
    say(f"opened: {len(store)} events from {file}")
    return store


def save_snapshot(store: EventStore, options: ServeOptions, say: Callable[[str], None]) -> None:
    """Writes the snapshot of records that were loaded, which are served where that fails."""
    file = options.snapshot
    if file is None:
        return
    try:
        say(f"snapshot: {store.save(file)} bytes written to {file}")
    except ApiError as error:
        say(f"snapshot: {error}")


def _is_outdated(file: Path, folder: Path) -> bool:
    """Whether any file of the records is newer."""
    written = file.stat().st_mtime_ns
    return any(each.stat().st_mtime_ns > written for each in folder.glob("*.ndjson"))
