# SPDX-License-Identifier: MIT
"""The rate limiting shared by all frameworks: the key of a request, and the refusal."""

from typing import Literal, NoReturn, TypeAlias, get_args

from sluice._errors import ApiError
from sluice._sluice import Decision, RateLimiter
from sluice.limits import Client, Key

WithoutKey: TypeAlias = Literal["share", "allow", "refuse"]

FAILED = "an unexpected failure, try again later"


class RateLimitedError(ApiError):
    """An excess request, with the decision that refused it."""

    def __init__(self, decision: Decision) -> None:
        """Creates the error of a decision."""
        super().__init__(
            "too many requests, retry after the time in Retry-After",
            code="rate_limit_exceeded",
            rule="rate_exceeded",
        )
        self.decision = decision


class Gate:
    """Checks requests with a limiter, by their keys.

    ```
    client --> key --> limiter --> Decision              429 unless it allows the request
                +-- none, share:   the key ""
                +-- none, allow:   None, nothing is counted
                '-- none, refuse:  ApiError              401
    ```
    """

    def __init__(self, limiter: RateLimiter, key: Key, without_key: WithoutKey) -> None:
        """Creates a gate; `without_key` is the treatment of requests without a key."""
        if without_key not in get_args(WithoutKey):
            raise ValueError(f"without_key: expected one of {', '.join(get_args(WithoutKey))}")
        if not isinstance(limiter, RateLimiter):
            raise TypeError(f"limiter: expected a RateLimiter, not {type(limiter).__name__}")
        if isinstance(key, type) or not callable(key):
            raise TypeError(
                f"key: expected Header('X-API-Key'), Address() or a function, not {key!r}"
            )
        self.limiter = limiter
        self._key = key
        self._without_key = without_key

    def key_of(self, client: Client) -> str | None:
        """Returns the key for the limiter; None if the request isn't counted.

        Raises:
            ApiError: The request has no key, but needs one.
        """
        key = self._key(client)
        if key is None and self._without_key == "refuse":
            _refuse_without(self._key)
        return "" if key is None and self._without_key == "share" else key

    def check(self, client: Client) -> Decision | None:
        """Counts a request; returns None if it isn't counted. Raises as key_of()."""
        key = self.key_of(client)
        return None if key is None else self.limiter.check(key)

    async def acheck(self, client: Client) -> Decision | None:
        """Like check(), without blocking the event loop."""
        key = self.key_of(client)
        return None if key is None else await self.limiter.acheck(key)


def strictest(decisions: list[Decision]) -> dict[str, str]:
    """Returns the headers of a refusal, or else of the decision with the fewest remaining requests.

    Without decisions there are none.
    """
    if not decisions:
        return {}
    return min(decisions, key=lambda decision: (decision.allowed, decision.remaining)).headers()


def _refuse_without(key: Key) -> NoReturn:
    missing = getattr(key, "missing", "no key that requests are counted by")
    raise ApiError(f"{missing}, send one", code="unauthorized", rule="credentials_missing")
