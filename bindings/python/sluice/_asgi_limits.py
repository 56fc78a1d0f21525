# SPDX-License-Identifier: MIT
"""Limits of an ASGI application: requests are counted before it, and its answers say so."""

from typing import TYPE_CHECKING

from sluice._envelopes import Envelope, Envelopes
from sluice._errors import ApiError
from sluice._gate import FAILED, Gate, RateLimitedError, WithoutKey, strictest
from sluice._sluice import Decision, RateLimiter
from sluice.limits import Address, Client, Key

if TYPE_CHECKING:
    from sluice.asgi import Application, Message, Receive, Scope, Send

_DECISIONS = "sluice.decisions"  # of a scope: a list, which copies of the scope share


class LimitHeaders:
    """Gives every answer the headers of the limits that its request was counted under.

    An application that fails before it has answered is answered 500 in its place, so that this one
    has them too; its exception goes on to the server.
    """

    def __init__(self, app: "Application", errors: Envelope = "sluice", docs_url: str = "") -> None:
        """Makes the middleware of an application; see RateLimit."""
        self._app = app
        self._envelopes = Envelopes(errors, docs_url)

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Serves one connection of a server."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif _DECISIONS in scope:  # one that is further out gives the headers
            await self._answer(scope, receive, send)
        else:
            await self._answer_with_headers(scope, receive, send)

    async def _answer_with_headers(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        answering = _Answering(send, scope.setdefault(_DECISIONS, []))
        try:
            await self._answer(scope, receive, answering)
        except Exception:
            if not answering.has_started:
                await self._tell(answering, ApiError(FAILED, code="internal_server_error"))
            raise

    async def _answer(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        await self._app(scope, receive, send)

    async def _tell(self, send: "Send", error: ApiError) -> None:
        status, media_type, body = self._envelopes.answer(error)
        kind = (b"content-type", media_type.encode())
        size = (b"content-length", str(len(body)).encode())
        await send({"type": "http.response.start", "status": status, "headers": [kind, size]})
        await send({"type": "http.response.body", "body": body})


class RateLimit(LimitHeaders):
    """Counts the requests of each key, and answers those that are too many 429 by itself.

    ```
    limiter = sluice.RateLimiter(100, 60, storage="redis://127.0.0.1")
    app = sluice.asgi.RateLimit(app, limiter, key=sluice.limits.Header("X-API-Key"))
    ```
    All other answers, errors included, say what is left. Requests are counted in the process, or
    with a storage in Redis, which is asked without holding up the event loop. Where a server lets
    the application know that it stops, the connections to Redis are closed. Web sockets pass.
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
        """Makes the middleware of an application.

        Args:
            app: What answers the requests that pass.
            limiter: How many requests a key may make; with a storage all processes count together.
            key: Whose request it is: Header or Address of sluice.limits, or a function of a
                sluice.limits.Client; the address of the connection by default.
            without_key: What happens to requests that have no key: 'share' counts all of them as
                one client's, 'allow' lets them pass uncounted, and 'refuse' answers 401.
            errors: How errors are told: 'sluice', 'detail' as FastAPI has them, or 'problem' for
                RFC 9457.
            docs_url: What comes before the path of the errors' documentation.
        """
        super().__init__(app, errors, docs_url)
        self._gate = Gate(limiter, key or Address(), without_key)

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Serves one connection of a server."""
        await super().__call__(scope, receive, send)
        if scope["type"] == "lifespan":
            await self._gate.limiter.aclose()

    async def _answer(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        try:
            await pass_gate(self._gate, scope)
        except ApiError as error:
            await self._tell(send, error)
        else:
            await self._app(scope, receive, send)


async def pass_gate(gate: Gate, scope: "Scope") -> Decision | None:
    """Counts a request, whose answer LimitHeaders is to give the headers.

    Raises:
        RateLimitedError: It is one too many.
        ApiError: It has no key, and needs one.
        RuntimeError: No LimitHeaders is there.
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
    """Passes an answer on with its headers."""

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
