# SPDX-License-Identifier: MIT
"""The same list of orders in pydantic 2."""

from datetime import UTC, datetime, timedelta, tzinfo
from decimal import Decimal
from typing import Annotated, Literal, NamedTuple, Self
from urllib.parse import parse_qsl
from zoneinfo import ZoneInfo

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    PrivateAttr,
    model_validator,
)

from . import rules

Status = Literal["open", "paid", "void"]
Sorted = Literal["created", "-created", "total", "-total"]
Interval = Literal["24h", "7d", "30d", "90d", "1y", "mtd", "qtd", "ytd", "all"]

DAYS = {"24h": 1, "7d": 7, "30d": 30, "90d": 90}


class Window(NamedTuple):
    """The time that a request asks for."""

    start: datetime | None
    end: datetime


def start_of(interval: Interval, now: datetime) -> datetime | None:
    """The beginning of an interval that ends at a local time."""
    if interval in DAYS:
        return now - timedelta(days=DAYS[interval])
    if interval == "1y":
        leap = (now.month, now.day) == (2, 29)
        return now.replace(year=now.year - 1, day=28 if leap else now.day)
    if interval == "all":
        return None
    month = {"mtd": now.month, "qtd": now.month - (now.month - 1) % 3, "ytd": 1}[interval]
    return now.replace(month=month, day=1, hour=0, minute=0, second=0, microsecond=0)


def to_local(time: datetime, zone: tzinfo) -> datetime:
    """A time in a zone, which it is local in where it has no offset."""
    return time.astimezone(zone) if time.tzinfo else time.replace(tzinfo=zone)


def split(text: str) -> list[str]:
    """The items of a comma list."""
    return text.split(",")


class Orders(BaseModel):
    """Declared as its manual recommends: types, literals, constraints."""

    model_config = ConfigDict(extra="ignore")

    status: Annotated[list[Status], BeforeValidator(split)] = []
    customer: Annotated[rules.FilterValue | None, PlainValidator(rules.parse_filter)] = None
    total_gte: Annotated[Decimal | None, Field(alias="total[gte]")] = None
    total_lte: Annotated[Decimal | None, Field(alias="total[lte]")] = None
    interval: Interval = "30d"
    start: datetime | None = None
    end: datetime | None = None
    timezone: str = "UTC"
    order: Annotated[list[Sorted], BeforeValidator(split)] = ["-created"]
    page: Annotated[int, Field(ge=1)] = 1
    limit: Annotated[int, Field(ge=1, le=1000)] = 100
    cursor: str | None = None
    count: bool = False
    _window: Window = PrivateAttr()

    @model_validator(mode="after")
    def resolve_window(self) -> Self:
        """Works out the window; times without an offset are local ones."""
        zone = UTC if self.timezone == "UTC" else ZoneInfo(self.timezone)
        end = to_local(self.end, zone) if self.end else datetime.now(zone)
        start = to_local(self.start, zone) if self.start else start_of(self.interval, end)
        if start is not None and start > end:
            raise ValueError("the window starts after it ends")
        self._window = Window(start, end)
        return self


def parse(text: str) -> Orders:
    """From the raw query string."""
    return Orders.model_validate(dict(parse_qsl(text, keep_blank_values=True)))


def canonical(text: str) -> dict[str, str]:
    """What was parsed, to compare."""
    query = parse(text)
    return {
        "status": ",".join(query.status),
        "customer": str(query.customer or ""),
        "total": f"{query.total_gte} {query.total_lte}",
        "interval": query.interval,
        "window": str(query._window.start and query._window.end - query._window.start),
        "order": ",".join(query.order),
        "page": f"{query.page} {query.limit} {query.count}",
    }
