# SPDX-License-Identifier: MIT
"""Windows of time, in zones with and without summer time."""

from datetime import UTC, datetime

import sluice

now = datetime(2026, 3, 30, 10, tzinfo=UTC)  # the day after Europe's clocks went forward
REQUESTS: list[dict[str, str]] = [
    {"interval": "24h"},
    {"interval": "7d"},
    {"interval": "7d", "timezone": "Europe/Paris"},
    {"interval": "mtd", "timezone": "America/New_York"},
    {"start": "2026-03-29", "end": "2026-03-29", "timezone": "Europe/Paris"},
    {"start": "2026-03-29T02:30", "end": "2026-03-29T04:00", "timezone": "Europe/Paris"},
    {"start": "last month"},
]
for request in REQUESTS:
    window = sluice.resolve_window(now=now, **request)
    print(" ".join(request.values()), "=", window.start, "to", window.end)
