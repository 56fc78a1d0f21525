# SPDX-License-Identifier: MIT
"""Rate limits of an ASGI application: counts requests, and adds the headers to its answers."""

from typing import TYPE_CHECKING

from sluice._envelopes import Envelope, Envelopes
from sluice._errors import ApiError
from sluice._gate import FAILED, Gate, RateLimitedError, WithoutKey, strictest
from sluice._sluice import Decision, RateLimiter
from sluice.limits import Address, Client, Key

if TYPE_CHECKING:
    from sluice.asgi import Application, Message, Receive, Scope, Send

# Key of a scope: the list of the request's decisions, which copies of the scope share.
_DECISIONS = "sluice.decisions"


class LimitHeaders:
    """Adds the headers of the limits that a request was counted under to every answer.

    If an application fails before it answers, this answers 500 in its place, with the headers, and
    raises the exception again.
    """

    def __init__(self, app: "Application", errors: Envelope = "sluice", docs_url: str = "") -> None:
        """Wraps an application; see RateLimit."""
        self._app = app
        self._envelopes = Envelopes(errors, docs_url)

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Handles one connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif _DECISIONS in scope:  # an outer middleware adds the headers
            await self._answer(scope, receive, send)
        else:
            await self._answer_with_headers(scope, receive, send)

    async def _answer_with_headers(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        answering = _Answering(send, scope.setdefault(_DECISIONS, []))
        try:
            await self._answer(scope, receive, answering)
        except Exception:
            if not answering.has_started:
                await self._answer_error(answering, ApiError(FAILED, code="internal_server_error"))
            raise

    async def _answer(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Answers a request; RateLimit overrides it."""
        await self._app(scope, receive, send)

    async def _answer_error(self, send: "Send", error: ApiError) -> None:
        status, media_type, body = self._envelopes.answer(error)
        kind = (b"content-type", media_type.encode())
        size = (b"content-length", str(len(body)).encode())
        await send({"type": "http.response.start", "status": status, "headers": [kind, size]})
        await send({"type": "http.response.body", "body": body})


class RateLimit(LimitHeaders):
    """Counts the requests of each key, and answers excess requests 429.

    ```
    limiter = sluice.RateLimiter(100, 60, storage="redis://127.0.0.1")
    app = sluice.asgi.RateLimit(app, limiter, key=sluice.limits.Header("X-API-Key"))
    ```
    All other answers, including errors, have headers with the remaining requests. Requests are
    counted in the process, or in Redis if the limiter has a storage, without blocking the event
    loop. The connections to Redis are closed when the server announces its shutdown. Web sockets
    are not limited.
    """

    def __init__(
        self,
        app: "Application",
        limiter: RateLimiter,
        *,
        key: Key | None = None,
        without_key: WithoutKey = "share",
        errors: Envelope = "sluice",
        docs_url: str = "",
    ) -> None:
        """Wraps an application.

        Args:
            app: The application that answers admitted requests.
            limiter: The limit per key; with a storage it is shared by all processes.
            key: The key of a request: Header or Address of sluice.limits, or a function of a
                sluice.limits.Client; by default the address of the connection.
            without_key: The treatment of requests without a key: 'share' counts all of them under
                one key, 'allow' doesn't count them, and 'refuse' answers 401.
            errors: The envelope of errors: 'sluice', 'detail' as in FastAPI, 'problem' for RFC
                9457, or the guideline 'odata', 'aip' or 'scim'.
            docs_url: The prefix of links to the errors' documentation.
        """
        super().__init__(app, errors, docs_url)
        self._gate = Gate(limiter, key or Address(), without_key)

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Handles one connection."""
        await super().__call__(scope, receive, send)
        if scope["type"] == "lifespan":
            await self._gate.limiter.aclose()

    async def _answer(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        try:
            await pass_gate(self._gate, scope)
        except ApiError as error:
            await self._answer_error(send, error)
        else:
            await self._app(scope, receive, send)


async def pass_gate(gate: Gate, scope: "Scope") -> Decision | None:
    """Counts a request; LimitHeaders adds the headers to its answer.

    Returns:
        The decision; None if the request isn't counted.

    Raises:
        RateLimitedError: The request exceeds the limit.
        ApiError: The request has no key, but needs one.
        RuntimeError: The application has no LimitHeaders.
    """
    if _DECISIONS not in scope:
        raise RuntimeError("limits of routes need install(app)")
    decision = await gate.acheck(_client_of(scope))
    if decision is not None:
        scope[_DECISIONS].append(decision)
        if not decision.allowed:
            raise RateLimitedError(decision)
    return decision


class _Answering:
    """A `send` that adds the headers of the request's decisions to its answer."""

    def __init__(self, send: "Send", decisions: list[Decision]) -> None:
        self._send = send
        self._decisions = decisions
        self.has_started = False

    async def __call__(self, message: "Message") -> None:
        if message["type"] == "http.response.start":
            self.has_started = True
            message = {**message, "headers": [*message.get("headers", ()), *self._headers()]}
        await self._send(message)

    def _headers(self) -> list[tuple[bytes, bytes]]:
        headers = strictest(self._decisions)
        return [(name.lower().encode(), value.encode()) for name, value in headers.items()]


def _client_of(scope: "Scope") -> Client:
    def header(name: str) -> str | None:
        wanted = name.lower().encode("latin-1")
        values = [value for key, value in scope["headers"] if key.lower() == wanted]
        return b", ".join(values).decode("latin-1") if values else None

    peer = scope.get("client")
    return Client(peer[0] if peer else None, header, scope)
