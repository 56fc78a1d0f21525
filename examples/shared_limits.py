# SPDX-License-Identifier: MIT
"""Limits that processes share: 2 requests a second and 3 a minute, counted in Redis."""

import asyncio
import os
from datetime import UTC, datetime, timedelta

import sluice

limiter = sluice.RateLimiter(
    2,
    window_seconds=1,
    also=[(3, 60)],
    storage=os.environ.get("SLUICE_LIMITS", "redis://localhost"),
    on_error="local",  # while Redis fails, each of 4 processes admits its share
    nodes=4,
)

# The clock is that of Redis; a time is given here so that this prints the same at each run.
now = datetime(2026, 8, 21, 2, 30, tzinfo=UTC)


async def main() -> None:
    for seconds in (0, 0, 0, 2, 3):
        decision = await limiter.acheck("client", now + timedelta(seconds=seconds))
        print(decision.allowed, decision.limit, decision.remaining, decision.retry_after)
    await limiter.aclose()


print(limiter.check("another client", now).headers())
asyncio.run(main())
