# SPDX-License-Identifier: MIT
"""Rate limits of WSGI applications, such as those of Flask and Django.

```
limiter = sluice.RateLimiter(100, 60)
application = sluice.wsgi.RateLimit(application, limiter)
```
"""

import logging
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import TYPE_CHECKING

from sluice._envelopes import Envelope, Envelopes
from sluice._errors import ApiError
from sluice._gate import FAILED, Gate, RateLimitedError, WithoutKey
from sluice._sluice import RateLimiter
from sluice.limits import Address, Client, Key

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

    from _typeshed import OptExcInfo

__all__ = ["RateLimit"]

_LOGGER = logging.getLogger("sluice")


class RateLimit:
    """Counts the requests of each key, and answers excess requests 429.

    All other answers, including errors, have headers with the remaining requests. If an application
    fails before it answers, this answers 500 in its place, with the headers, and logs the failure
    as `sluice`. Requests are counted in the process, or in Redis if the limiter has a storage.
    """

    def __init__(
        self,
        app: "WSGIApplication",
        limiter: RateLimiter,
        *,
        key: Key | None = None,
        without_key: WithoutKey = "share",
        errors: Envelope = "sluice",
        docs_url: str = "",
    ) -> None:
        """Wraps an application; for the arguments see sluice.asgi.RateLimit."""
        self._app = app
        self._gate = Gate(limiter, key or Address(), without_key)
        self._envelopes = Envelopes(errors, docs_url)

    def __call__(
        self, environ: "WSGIEnvironment", start_response: "StartResponse"
    ) -> Iterable[bytes]:
        """Answers a request."""
        try:
            decision = self._gate.check(_client_of(environ))
        except ApiError as error:
            return self._answer_error(start_response, error)
        starting = _Starting(start_response, decision.headers() if decision else {})
        if decision and not decision.allowed:
            return self._answer_error(starting, RateLimitedError(decision))
        return self._answer(environ, starting)

    def _answer(self, environ: "WSGIEnvironment", starting: "_Starting") -> Iterable[bytes]:
        """Answers an admitted request; 500 if the application fails before it starts an answer."""
        try:
            return self._app(environ, starting)
        except Exception:
            if starting.has_started:
                raise
            _LOGGER.exception("a request failed")
            return self._answer_error(starting, ApiError(FAILED, code="internal_server_error"))

    def _answer_error(self, start_response: "StartResponse", error: ApiError) -> Iterable[bytes]:
        status, media_type, body = self._envelopes.answer(error)
        headers = [("Content-Type", media_type), ("Content-Length", str(len(body)))]
        start_response(f"{status} {HTTPStatus(status).phrase}", headers)
        return [body]


class _Starting:
    """A `start_response` that adds headers."""

    def __init__(self, start_response: "StartResponse", more: dict[str, str]) -> None:
        self._start_response = start_response
        self._more = list(more.items())
        self.has_started = False

    def __call__(
        self, status: str, headers: list[tuple[str, str]], exc_info: "OptExcInfo | None" = None, /
    ) -> Callable[[bytes], object]:
        self.has_started = True
        return self._start_response(status, [*headers, *self._more], exc_info)


def _client_of(environ: "WSGIEnvironment") -> Client:
    def header(name: str) -> str | None:
        value: str | None = environ.get(f"HTTP_{name.upper().replace('-', '_')}")
        return value

    return Client(environ.get("REMOTE_ADDR"), header, environ)
