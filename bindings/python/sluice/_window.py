# SPDX-License-Identifier: MIT
"""Windows of time, as requests for lists come to them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

Interval: TypeAlias = Literal["24h", "7d", "30d", "90d", "1y", "mtd", "qtd", "ytd", "all"]


@dataclass(frozen=True)
class Window:
    """A window of time, both ends inclusive; see resolve_window().

    It is empty, and starts a millisecond after its end, where the clocks of its zone skipped all
    of it.

    Attributes:
        start: The first moment, an aware datetime in UTC; None where there is no bound.
        end: The last moment, to the millisecond, an aware datetime in UTC; None where there is no
            bound.
        interval: What the start was counted back by, such as '7d'; None where a start was given.
        timezone: The IANA zone in which days and local times were read.
    """

    __module__ = "sluice"

    start: datetime | None
    end: datetime | None
    interval: Interval | None = None
    timezone: str = "UTC"
