# SPDX-License-Identifier: MIT
"""Windows of time in epoch milliseconds, by datetime and zoneinfo."""

from datetime import UTC, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from oracle.request import Request

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MS = timedelta(milliseconds=1)
DAY = timedelta(days=1)
MONTHS = {"month": 1, "quarter": 3, "year": 12}
UNITS = {"min": "minute", "h": "hour", "d": "day", "w": "week", "mo": "month", "y": "year"}


def to_ms(at: datetime) -> int:
    return (at - EPOCH) // MS


def instant_of(wall: datetime, zone: ZoneInfo) -> int:
    """fold=0 moves a time in a gap forward, and takes the first of two."""
    return to_ms(wall.replace(tzinfo=zone, fold=0))


def wall_of(at: int, zone: ZoneInfo) -> datetime:
    return (EPOCH + at * MS).astimezone(zone).replace(tzinfo=None, fold=0)


def months_before(wall: datetime, months: int) -> datetime:
    """Returns the day some months earlier, or the last one of a shorter month."""
    year, month = divmod(wall.year * 12 + wall.month - 1 - months, 12)
    first = wall.replace(year=year, month=month + 1, day=1)
    return min(first + (wall.day - 1) * DAY, last_day(first))


def last_day(first: datetime) -> datetime:
    return (first + 31 * DAY).replace(day=1) - DAY


def back(at: int, count: int, unit: str, zone: ZoneInfo) -> int:
    if unit in ("minute", "hour"):
        return at - count * (60_000 if unit == "minute" else 3_600_000)
    wall = wall_of(at, zone)
    if unit in ("day", "week"):
        return instant_of(wall - count * (1 if unit == "day" else 7) * DAY, zone)
    return instant_of(months_before(wall, count * MONTHS[unit]), zone)


def counted_back(interval: str, end: int, zone: ZoneInfo) -> int | None:
    if interval == "all":
        return None
    if interval[0].isdigit():
        unit = interval.lstrip("0123456789")
        return back(end, int(interval.removesuffix(unit)), UNITS[unit], zone)
    unit = {"m": "month", "q": "quarter", "y": "year"}[interval[0]]
    return instant_of(days_of(f"this {unit}", wall_of(end, zone))[0], zone)


def midnight(wall: datetime) -> datetime:
    return wall.replace(hour=0, minute=0, second=0, microsecond=0)


def days_of(name: str, now: datetime) -> tuple[datetime, datetime]:
    """The midnights that a named period lies between. Weeks start on Monday."""
    today = midnight(now)
    near = {"yesterday": -1, "today": 0, "tomorrow": 1}
    if name in near:
        first = today + near[name] * DAY
        return first, first + DAY
    which, unit = name.split()
    ago = 1 if which == "last" else 0
    if unit == "week":
        first = today - (today.weekday() + 7 * ago) * DAY
        return first, first + 7 * DAY
    length = MONTHS[unit]
    first = months_before(today.replace(day=1), (today.month - 1) % length + ago * length)
    return first, months_before(first, -length)


def bound(text: str, now: int, zone: ZoneInfo, is_end: bool) -> int:
    """Returns the instant of a value of `start` or `end`: a period's first or last millisecond."""
    if text == "now":
        return now
    if text.isdigit():
        return int(text) * (1000 if len(text) == 10 else 1)
    if text.endswith(" ago"):
        count, unit, _ = text.split()
        return back(now, int(count), unit.removesuffix("s"), zone)
    if not text[0].isalpha() and len(text) > len("2015-05-17"):
        at = datetime.fromisoformat(text.upper())
        return to_ms(at) if at.tzinfo else instant_of(at, zone)
    if text[0].isalpha():
        first, following = days_of(text, wall_of(now, zone))
    else:
        first = datetime.fromisoformat(text)
        following = first + DAY
    return instant_of(following, zone) - 1 if is_end else instant_of(first, zone)


def window_of(request: Request, now: int) -> tuple[int | None, int]:
    zone = zone_of(request.get("timezone", "UTC"))
    end = bound(request.get("end", "now"), now, zone, is_end=True)
    start = request.get("start")
    if start:
        return bound(start, now, zone, is_end=False), end
    return counted_back(request.get("interval", "24h"), end, zone), end


@cache
def zone_of(name: str) -> ZoneInfo:
    return ZoneInfo(zone_names()[name.lower()])


@cache
def zone_names() -> dict[str, str]:
    """Names by their lower case."""
    return {name.lower(): name for name in available_timezones()}
