# SPDX-License-Identifier: MIT
"""Windows of time of list requests."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Window:
    """A window of time, both ends inclusive; see resolve_window().

    If the clocks of its zone skip all of it, it is empty and starts a millisecond after its end.

    Attributes:
        start: The first moment, an aware datetime in UTC; None without a bound.
        end: The last moment, to the millisecond, an aware datetime in UTC; None without a bound.
        interval: The interval that determines the start, such as '7d'; None if the request has a
            start.
        timezone: The IANA zone of days and local times.
    """

    __module__ = "sluice"

    start: datetime | None
    end: datetime | None
    interval: str | None = None
    timezone: str = "UTC"
