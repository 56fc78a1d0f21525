# SPDX-License-Identifier: MIT
"""The explorer as an ASGI application: the page and its data requests."""

import asyncio
import json
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

import sluice
from sluice import _answers
from sluice._asgi_life import cancel_when_gone, live
from sluice._errors import ApiError
from sluice._explore.source import GoneError, RefusedError, Source, Work
from sluice._queues import AT_ONCE, QueueFullError, Queues
from sluice._sluice import Cancellation
from sluice.asgi import Receive, Scope, Send

_LOGGER = logging.getLogger("sluice")
_MOST_ROWS = 500  # rows per answer
_LARGEST = 2**53 - 1  # that JavaScript represents exactly
_ALLOW = (b"allow", b"GET")
_SOON = (b"retry-after", b"1")
_QUEUE = 1  # the number of the queue that all requests share; see Queues

_SAFETY: _answers.Headers = [
    (
        b"content-security-policy",
        b"default-src 'self'; style-src 'self' 'unsafe-inline'; "
        b"script-src 'self' 'wasm-unsafe-eval'; base-uri 'none'; form-action 'none'; "
        b"frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
]


class _Parameters(sluice.ListQuery):
    """The parameters of all data requests."""

    query = sluice.text(column=None, help="the query string")


class _Rows(_Parameters):
    """The parameters of a request for rows."""

    offset = sluice.integer(default=0, minimum=0, maximum=_LARGEST, column=None)
    limit = sluice.integer(default=100, minimum=1, maximum=_MOST_ROWS, column=None)


class _Top(_Parameters):
    """The parameters of a request for the top values of a column."""

    of_column = sluice.text(name="column", column=None, required=True, help="a displayed column")


def _rows(source: Source, text: bytes, work: Work) -> str:
    parameters = _Rows.parse(text, strict=True)
    rows = source.rows(parameters.query or "", parameters.offset, parameters.limit, work)
    return f'{{"rows":{rows}}}'


def _count(source: Source, text: bytes, work: Work) -> str:
    parameters = _Parameters.parse(text, strict=True)
    return json.dumps({"count": source.count(parameters.query or "", work)})


def _histogram(source: Source, text: bytes, work: Work) -> str:
    parameters = _Parameters.parse(text, strict=True)
    return json.dumps(source.histogram(parameters.query or "", work)._asdict())


def _top(source: Source, text: bytes, work: Work) -> str:
    parameters = _Top.parse(text, strict=True)
    return json.dumps({"values": source.top(parameters.query or "", parameters.of_column, work)})


def _explain(source: Source, text: bytes, work: Work) -> str:
    parameters = _Parameters.parse(text, strict=True)
    return json.dumps({"plan": source.explain(parameters.query or "", work)})


def _describe(source: Source, text: bytes, work: Work) -> str:
    return json.dumps(source.describe())


# Functions that return the JSON of an answer, from a query string as bytes.
_ROUTES: Mapping[str, Callable[[Source, bytes, Work], str]] = {
    "/source.json": _describe,
    "/rows": _rows,
    "/count": _count,
    "/histogram": _histogram,
    "/top": _top,
    "/explain": _explain,
}


class Explorer:
    """Answers requests of the page from this machine only.

    ```
    request -> for this host? -> a file of the page: at once
                              -> data: two at a time on threads, others wait, beyond 64: 429
    ```
    """

    def __init__(self, source: Source, pages: Mapping[str, _answers.Answer], port: int) -> None:
        """Creates the explorer of a source.

        Args:
            source: The rows.
            pages: The files of the page, by path.
            port: The port of the server, which requests must name in their Host header.
        """
        self._source = source
        self._pages = pages
        names = {b"127.0.0.1", b"localhost"}
        self._hosts = {b"%b:%d" % (name, port) for name in names}
        if port == 80:  # browsers leave it out
            self._hosts |= names
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="sluice")
        self._queues = Queues()
        self._under_way: set[Cancellation] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles one connection: a request, or the server's lifespan."""
        if scope["type"] == "lifespan":
            await live(receive, send)
            self.cancel()
            return
        answer = self._refusal(scope) or self._pages.get(scope["path"])
        if answer is None:
            answer = await self._answer(scope, receive)
        if answer is not None:  # None: the client has disconnected
            await _answers.send_answer(send, answer._replace(headers=[*answer.headers, *_SAFETY]))

    def cancel(self) -> None:
        """Cancels all running requests."""
        for cancellation in self._under_way:
            cancellation.cancel()

    def _refusal(self, scope: Scope) -> _answers.Answer | None:
        """Returns the answer to a request that must not reach the source; None for others.

        Pages of other origins get no data, neither directly nor by a host name of their own.
        """
        headers = dict(scope["headers"])
        if headers.get(b"host", b"").lower() not in self._hosts:
            expected = b" or ".join(sorted(self._hosts)).decode()
            return _answers.error_answer("forbidden", f"Host: expected {expected}")
        if scope["method"] != "GET":
            refused = _answers.error_answer("bad_request", "method: expected GET", _ALLOW)
            return refused._replace(status=405)
        is_served = scope["path"] in _ROUTES
        if is_served and headers.get(b"sec-fetch-site", b"none") not in (b"none", b"same-origin"):
            return _answers.error_answer("forbidden", "Origin: expected this page's own")
        if not is_served and scope["path"] not in self._pages:
            known = ", ".join(_ROUTES)
            return _answers.error_answer("not_found", f"path: expected / or one of {known}")
        return None

    async def _answer(self, scope: Scope, receive: Receive) -> _answers.Answer | None:
        """Returns the answer to a data request; None if the client has disconnected."""
        cancellation = Cancellation()
        self._under_way.add(cancellation)
        watch = asyncio.create_task(cancel_when_gone(receive, cancellation))
        try:
            async with self._queues.slot(_QUEUE):
                loop = asyncio.get_running_loop()
                return await loop.run_in_executor(self._threads, self._run, scope, cancellation)
        except QueueFullError:
            return _answers.error_answer(
                "rate_limit_exceeded", "too many questions at once, wait for answers", _SOON
            )
        finally:
            watch.cancel()
            cancellation.cancel()  # if this task was cancelled, the thread is still running
            self._under_way.discard(cancellation)

    def _run(self, scope: Scope, cancellation: Cancellation) -> _answers.Answer | None:
        """Queries the source, on a thread; returns None if the client has disconnected."""
        try:
            with Work(cancellation) as work:
                work.left_ms()  # raises GoneError
                text = _ROUTES[scope["path"]](self._source, scope["query_string"], work)
            return _json_answer(200, text.encode())
        except GoneError:
            return None
        except ApiError as error:
            return _answers.error_answer(error.code, error.message)
        except RefusedError as error:
            later = error.retry_after.encode() if error.retry_after else b""
            more = [(b"retry-after", later)] if later else []
            return _json_answer(error.status, error.body, *more)
        except Exception:
            _LOGGER.exception("a question failed")
            text = "an unexpected failure, try again later"
            return _answers.error_answer("internal_server_error", text)


def _json_answer(status: int, body: bytes, *more: tuple[bytes, bytes]) -> _answers.Answer:
    kind = (b"content-type", b"application/json; charset=utf-8")
    return _answers.Answer(status, [kind, (b"content-length", b"%d" % len(body)), *more], body)
