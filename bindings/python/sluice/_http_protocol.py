# SPDX-License-Identifier: MIT
"""HTTP/1.1 for clients that may be slow, hostile or gone."""

import asyncio
from typing import Any, cast

import h11
import uvicorn
from uvicorn.protocols.http.flow_control import CLOSE_HEADER
from uvicorn.protocols.http.h11_impl import STATUS_PHRASES, H11Protocol
from uvicorn.server import ServerState

from sluice._front import Front
from sluice._limits import LAST_WORDS, Limits
from sluice._outlet import Outlet
from sluice._request_head import (
    HEAD_END,
    LINE_END,
    MALFORMED,
    MAX_HEAD,
    Refusal,
    check_head,
    fields_of,
)

MAX_REQUESTS = 1_000  # of a connection


class HttpProtocol(H11Protocol):
    r"""Answers the requests of one connection, one after another, each within its time.

    ```
    wait for a request -> read its head -> application -> send the answer -+-> close
      ^   idle time         head time                      write time      |
      |                        \-> 400, 413, 414, 431 -> close              |
      +--------------------------------------------------------------------+
    ```
    uvicorn's own class has one deadline, after the first request, and takes what h11 takes: here
    each head is checked first, and each request is read by an `h11.Connection` of its own, which
    gives back what follows the request. What is read meanwhile waits.
    """

    transport: Outlet

    def __init__(
        self, config: uvicorn.Config, state: ServerState, front: Front, limits: Limits
    ) -> None:
        """Makes the protocol of a connection to an application."""
        super().__init__(config, state, {}, asyncio.get_running_loop())
        self.app = cast(Any, front)
        self.closed: asyncio.Future[None] = self.loop.create_future()
        self._front = front
        self._limits = limits
        self._received = bytearray()  # of the next requests
        self._timer: asyncio.TimerHandle | None = None
        self._is_waiting = False  # for a request
        self._is_stopping = False
        self._requests = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begins to wait. Over TLS, bytes may have come already."""
        super().connection_made(cast(Outlet, transport))
        self._await_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """Tells the application and the listener."""
        self._set_timer(None)
        if self.transport is not None:  # else the client went as soon as it was greeted
            super().connection_lost(exc)
        if not self.closed.done():
            self.closed.set_result(None)

    def data_received(self, data: bytes) -> None:
        """Takes bytes of this request or the next ones."""
        has_begun = bool(self._received)
        if self.transport is not None and self.transport.is_closing():
            return
        self._received += data
        if self._is_waiting:
            if not has_begun:
                self._set_timer(self._limits.head_timeout)
            self._advance()
        elif self.flow is not None and len(self._received) > MAX_HEAD:
            self.flow.pause_reading()

    def shutdown(self) -> None:
        """Lets this request be the last; one that is on its way is still answered."""
        self._is_stopping = True
        if self._is_waiting and not self._received:
            self._set_timer(LAST_WORDS)
        elif self.cycle is not None and not self.cycle.response_complete:
            self._make_last()

    def send_400_response(self, msg: str) -> None:
        """Refuses what h11 can't read."""
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True  # a body gone wrong: the application's answer is void
            self.cycle.message_event.set()
        self._refuse(MALFORMED, b"")

    def on_response_complete(self) -> None:
        """Goes on with what follows the request."""
        self.server_state.total_requests += 1
        if not self.transport.is_closing():
            self._received[:0] = self.conn.trailing_data[0]
            self.transport.when_written(self._await_request)

    def _await_request(self) -> None:
        if self.transport.is_closing():
            return
        self.conn = h11.Connection(h11.SERVER, MAX_HEAD)
        self._is_waiting = True
        if self._received:
            self._set_timer(self._limits.head_timeout)
        else:
            self._set_timer(LAST_WORDS if self._is_stopping else self._limits.idle_timeout)
        self.flow.resume_reading()
        self._advance()

    def _advance(self) -> None:
        """Hands a request on once its head is whole. One empty line before it is skipped."""
        begun = bytes(self._received).removeprefix(LINE_END)
        refusal = check_head(begun)
        if refusal:
            self._refuse(refusal, begun)
        elif HEAD_END in begun:
            self._received.clear()
            self._answer(begun)

    def _answer(self, begun: bytes) -> None:
        self._is_waiting = False
        self._set_timer(None)
        self._requests += 1
        self.conn.receive_data(begun)
        self.handle_events()
        has_more = self.conn.their_state is h11.SEND_BODY
        if has_more or self._is_stopping or self._requests == MAX_REQUESTS:
            # A body that didn't come with its head is not awaited.
            self.transport.leaves_bytes_unread |= has_more
            self._make_last()

    def _make_last(self) -> None:
        """Closes after the answer, as if the client had asked for it."""
        self.headers.append(CLOSE_HEADER)

    def _refuse(self, why: Refusal, begun: bytes) -> None:
        """Answers in the application's place, and closes."""
        self._is_waiting = False
        self._set_timer(None)
        status, headers, body = self._front.refuse(self.client, why, fields_of(begun))
        headers = [*self.server_state.default_headers, *headers, CLOSE_HEADER]
        answer = h11.Response(status_code=status, headers=headers, reason=STATUS_PHRASES[status])
        for event in (answer, h11.Data(data=body), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.leaves_bytes_unread = True
        self.transport.close()

    def _set_timer(self, seconds: float | None) -> None:
        """Closes after some seconds, in place of what was set before."""
        if self._timer:
            self._timer.cancel()
        self._timer = None
        if seconds is not None:
            self._timer = self.loop.call_later(seconds, self.transport.close)
