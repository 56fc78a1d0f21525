# SPDX-License-Identifier: MIT
"""The keys of a server, which SIGHUP has it read again."""

import asyncio
import hashlib
import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sluice import ApiError
from sluice._log import Log
from sluice._options import ServeOptions
from sluice.api import Handler


class StartError(Exception):
    """Why a server can't start."""


def read_keys(options: ServeOptions, workspace_id: str) -> list[Any]:
    """The entries of the keys that are accepted.

    Raises:
        StartError: There is no such file, or it holds no list.
    """
    keys = _keys_of(options.keys) if options.keys else []
    if options.token is not None:
        keys.append(
            {
                "sha256": hashlib.sha256(options.token.encode()).hexdigest(),
                "workspaceId": workspace_id,
                "plan": "business",
                "permissions": ["analytics.read", "tags.read"],
            }
        )
    return keys


def _keys_of(path: Path) -> list[Any]:
    try:
        keys = json.loads(path.read_bytes())
    except OSError as error:
        raise StartError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise StartError(f"{path}: {error}") from None
    if not isinstance(keys, list):
        raise StartError(f"{path}: expected a JSON list of objects")
    return keys


class Reload:
    r"""Reads the keys again on SIGHUP, in a thread; a file with a mistake changes nothing.

    ```
    SIGHUP -> file -> all of it read and checked -> replace: later requests have the new keys
                               \-> a mistake: the log says which, the old keys stay
    ```
    """

    def __init__(self, read: Callable[[], list[Any]], path: Path | None) -> None:
        """Takes the place of what the signal does to programs, which is to end them."""
        self._read = read
        self._path = path
        self._was_asked = False
        self._turn = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        signal.signal(signal.SIGHUP, self._remember)

    def start(self, handler: Handler, log: Log) -> None:
        """Begins to reload, in the event loop; at once where the signal came already."""

        def reload() -> None:
            task = asyncio.create_task(self._reload(handler, log))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, reload)
        if self._was_asked:
            reload()

    def _remember(self, *_: object) -> None:
        self._was_asked = True

    async def _reload(self, handler: Handler, log: Log) -> None:
        async with self._turn:
            await asyncio.to_thread(self._replace, handler, log)

    def _replace(self, handler: Handler, log: Log) -> None:
        if self._path is None:
            log.say("keys: there is no --keys file to read again", "warning")
            return
        try:
            keys = self._read()
            handler.replace_keys(keys)
        except (StartError, ApiError) as error:
            place = "" if isinstance(error, StartError) else f"{self._path}: "
            log.say(f"keys: {place}{error}; the keys of before stay", "error")
        else:
            log.say(f"keys: {len(keys)} accepted, {self._path} was read again")
