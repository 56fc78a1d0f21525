# SPDX-License-Identifier: MIT
"""Six requests of one client under each algorithm, with a limit of two in ten seconds."""

from datetime import UTC, datetime, timedelta
from typing import Literal, get_args

import sluice

Algorithm = Literal["sliding_window", "fixed_window", "sliding_log", "gcra"]
start = datetime(2026, 11, 22, tzinfo=UTC)
for algorithm in get_args(Algorithm):
    limiter = sluice.RateLimiter(2, window_seconds=10, algorithm=algorithm)
    moments = (start + timedelta(seconds=second) for second in (8, 9, 9, 11, 12, 19))
    print(algorithm, [limiter.check("client", now=moment).allowed for moment in moments])
