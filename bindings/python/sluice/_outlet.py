# SPDX-License-Identifier: MIT
"""The way out of a connection."""

import asyncio
from collections.abc import Callable
from typing import Any

from sluice._limits import LINGER

_POLL_TIME = 0.05  # seconds


class Outlet(asyncio.Transport):
    r"""A transport that bounds the time of its writes, and closes without losing the last answer.

    Where a client's bytes are left unread at the end, the network may take back what it has not
    yet read itself. So the end waits, for as long as `leaves_bytes_unread` demands:

    ```
    close() -> written? -> linger -> transport.close() -> the client's own end, or none in time
                  \-> too slow: abort
    ```
    """

    def __init__(
        self, transport: asyncio.Transport, raw: asyncio.Transport, write_timeout: float
    ) -> None:
        """Makes the outlet of a transport over a raw one, which for plain TCP is the same."""
        super().__init__()
        self._transport = transport
        self._raw = raw
        self._write_timeout = write_timeout
        self._loop = asyncio.get_running_loop()
        self._is_ending = False
        self.leaves_bytes_unread = False

    def when_written(self, go_on: Callable[[], None]) -> None:
        """Goes on once the client's machine has taken all; gives it up where that takes too long.

        asyncio tells nobody when a TLS connection's last bytes are written, so this looks.
        """
        self._look(go_on, self._loop.time() + self._write_timeout)

    def _look(self, go_on: Callable[[], None], until: float) -> None:
        if not self._unsent():
            go_on()
        elif self._loop.time() < until:
            self._loop.call_later(_POLL_TIME, self._look, go_on, until)
        else:
            self._raw.abort()

    def _unsent(self) -> int:
        """How many bytes wait in this process. None do once the connection is lost."""
        return self._raw.get_write_buffer_size() + self._transport.get_write_buffer_size()

    def close(self) -> None:
        """Ends the connection after what was written."""
        if not self._is_ending:
            self._is_ending = True
            self.when_written(self._finish)

    def _finish(self) -> None:
        if self.leaves_bytes_unread:
            self._loop.call_later(LINGER, self._transport.close)
        else:
            self._transport.close()

    def abort(self) -> None:
        """Ends the connection at once."""
        self._raw.abort()

    def is_closing(self) -> bool:
        """Whether the connection is ending or has ended."""
        return self._is_ending or self._transport.is_closing()

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Sends bytes."""
        self._transport.write(data)

    def get_extra_info(self, name: str, default: object = None) -> Any:  # noqa: ANN401
        """What is known of the connection."""
        return self._transport.get_extra_info(name, default)

    def pause_reading(self) -> None:
        """Lets the client wait."""
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        """Reads what the client sends."""
        self._transport.resume_reading()
