# SPDX-License-Identifier: MIT
"""Rate limits shared by processes: 2 requests per second and 3 per minute, counted in Redis."""

import asyncio
import os
from datetime import UTC, datetime, timedelta

import sluice

limiter = sluice.RateLimiter(
    2,
    window_seconds=1,
    also=[(3, 60)],
    storage=os.environ.get("SLUICE_LIMITS", "redis://localhost"),
    on_error="local",  # while Redis is down, each of 4 processes admits a quarter
    nodes=4,
)

# Redis provides the time by default; here it is fixed, so that the output is reproducible.
now = datetime(2026, 8, 21, 2, 30, tzinfo=UTC)


async def main() -> None:
    for seconds in (0, 0, 0, 2, 3):
        decision = await limiter.acheck("client", now + timedelta(seconds=seconds))
        print(decision.allowed, decision.limit, decision.remaining, decision.retry_after)
    await limiter.aclose()


print(limiter.check("another client", now).headers())
asyncio.run(main())
