# SPDX-License-Identifier: MIT
"""Windows of time, checked against Python's own calendar and time zones.

The oracle below knows nothing of the library: it is datetime, zoneinfo and the rules of the
reference documentation. Time-zone edges are found by scanning zoneinfo for offset changes.
"""

import calendar
import functools
import itertools
import random
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo, available_timezones

import pytest

import sluice

Window = tuple[datetime | None, datetime]

MS = timedelta(milliseconds=1)
SECOND = timedelta(seconds=1)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)

# The years whose edges are tried in each zone: what is special happened in them.
ZONES = {
    "UTC": (2024, 2025),
    "Asia/Kolkata": (2024, 2025),
    "America/New_York": (2024, 2025),
    "Europe/Berlin": (2024, 2025),
    "Australia/Lord_Howe": (2024, 2025),  # by half an hour
    "America/Sao_Paulo": (2017, 2018),  # skips midnight
    "Asia/Beirut": (2024, 2025),  # skips midnight
    "Africa/Casablanca": (2024, 2025),  # turns back for Ramadan
    "Pacific/Apia": (2010, 2011),  # skips a day
    "America/St_Johns": (2009, 2010),  # shows midnight twice
}
INTERVALS = ("24h", "7d", "30d", "90d", "1y", "mtd", "qtd", "ytd", "all")
OTHER_INTERVALS = ("90min", "6h", "36h", "1d", "14d", "2w", "1mo", "18mo", "4y")
INTERVAL_UNITS = {"min": "minute", "h": "hour", "d": "day", "w": "week", "mo": "month", "y": "year"}
UNITS = ("week", "month", "quarter", "year")
PERIODS = (
    *("today", "yesterday", "tomorrow"),
    *(f"{which} {unit}" for which in ("last", "this") for unit in UNITS),
)
COUNTS = {
    "minute": (0, 1, 90, 1_440),
    "hour": (1, 24, 36),
    "day": (0, 1, 2, 7, 30, 366),
    "week": (1, 2, 5),
    "month": (1, 2, 6, 13),
    "year": (1, 3, 4, 100),
}
AGES = tuple(
    f"{count} {unit}{'' if count == 1 else 's'} ago"
    for unit, counts in COUNTS.items()
    for count in counts
)

# Presents on the calendar's own edges: leap days, ends of months, quarters and years.
CALENDAR_EDGES = (
    datetime(2024, 2, 29, 12, 34, 56, 789_000, UTC),
    datetime(2024, 2, 29, tzinfo=UTC),
    datetime(2024, 3, 1, tzinfo=UTC) - MS,
    datetime(2025, 2, 28, 23, 59, 59, 999_000, UTC),
    datetime(2025, 3, 1, tzinfo=UTC),
    datetime(2025, 3, 31, 6, 30, tzinfo=UTC),
    datetime(2024, 4, 1, tzinfo=UTC) - MS,
    datetime(2024, 4, 1, tzinfo=UTC),
    datetime(2024, 7, 1, tzinfo=UTC),
    datetime(2024, 9, 30, 23, 59, tzinfo=UTC),
    datetime(2024, 10, 31, 18, tzinfo=UTC),
    datetime(2025, 1, 1, tzinfo=UTC) - MS,
    datetime(2025, 1, 1, tzinfo=UTC),
    datetime(2000, 2, 29, 1, tzinfo=UTC),
    datetime(1900, 3, 1, tzinfo=UTC),
    datetime(2036, 12, 31, 12, tzinfo=UTC),
)


# The oracle.


def shown(at: datetime, zone: ZoneInfo) -> datetime:
    """Returns the local time of a zone at an instant, as a naive datetime."""
    return at.astimezone(zone).replace(tzinfo=None, fold=0)


def instant_of(wall: datetime, zone: ZoneInfo) -> datetime:
    """fold=0 takes the offset before a change: later in a gap, the first of two in an overlap."""
    return wall.replace(tzinfo=zone, fold=0).astimezone(UTC)


def changes(zone: ZoneInfo, first: datetime, last: datetime) -> Iterator[datetime]:
    """The instants after `first` and up to `last` from which another offset holds."""
    before = first
    while before < last:
        after = before + HOUR
        if before.astimezone(zone).utcoffset() != after.astimezone(zone).utcoffset():
            yield exact_change(zone, before, after)
        before = after


def exact_change(zone: ZoneInfo, before: datetime, after: datetime) -> datetime:
    old = before.astimezone(zone).utcoffset()
    while after - before > SECOND:
        middle = before + (after - before) // SECOND // 2 * SECOND
        if middle.astimezone(zone).utcoffset() == old:
            before = middle
        else:
            after = middle
    return after


@functools.cache
def first_moment(zone: ZoneInfo, day: date) -> datetime:
    """The first instant at which the clocks show `day` or a later one, piece by piece."""
    midnight = datetime.combine(day, time())
    begin, end = (midnight.replace(tzinfo=UTC) + sign * 2 * DAY for sign in (-1, 1))
    pieces = [begin, *changes(zone, begin, end), end]
    for since, until in itertools.pairwise(pieces):
        offset = since.astimezone(zone).utcoffset()
        assert offset is not None
        reached = max(since, midnight.replace(tzinfo=UTC) - offset)
        if reached < until:
            return reached
    raise AssertionError(day)


def add_months(day: date, months: int) -> date:
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def back(now: datetime, count: int, unit: str, zone: ZoneInfo) -> datetime:
    if unit in ("minute", "hour"):
        return now - count * timedelta(minutes=1 if unit == "minute" else 60)
    if count == 0:
        return now
    wall = shown(now, zone)
    if unit in ("day", "week"):
        return instant_of(wall - count * timedelta(days=1 if unit == "day" else 7), zone)
    moved = add_months(wall.date(), -count * (1 if unit == "month" else 12))
    return instant_of(datetime.combine(moved, wall.time()), zone)


def period_days(name: str, today: date) -> tuple[date, date]:
    """The first day of a named period, and the first day after it."""
    near = {"today": 0, "yesterday": -1, "tomorrow": 1}
    if name in near:
        first = today + near[name] * DAY
        return first, first + DAY
    which, unit = name.split()
    ago = 1 if which == "last" else 0
    if unit == "week":
        first = today - today.weekday() * DAY - ago * 7 * DAY
        return first, first + 7 * DAY
    months = {"month": 1, "quarter": 3, "year": 12}[unit]
    month = (today.month - 1) // months * months + 1
    first = add_months(today.replace(month=month, day=1), -ago * months)
    return first, add_months(first, months)


def both_edges(text: str, now: datetime, zone: ZoneInfo) -> tuple[datetime, datetime]:
    """Resolves `text` as a start and as an end."""
    if text == "now":
        return now, now
    if text.endswith(" ago"):
        count, unit, _ = text.split()
        at = back(now, int(count), unit.removesuffix("s"), zone)
        return at, at
    if text in PERIODS:
        first, following = period_days(text, shown(now, zone).date())
    elif "T" in text:
        at = instant_of(datetime.fromisoformat(text), zone)
        return at, at
    else:
        first = date.fromisoformat(text)
        following = first + DAY
    return first_moment(zone, first), first_moment(zone, following) - MS


def counted_back(interval: str, end: datetime, zone: ZoneInfo) -> datetime | None:
    if interval == "all":
        return None
    if interval[0].isdigit():
        suffix = interval.lstrip("0123456789")
        return back(end, int(interval.removesuffix(suffix)), INTERVAL_UNITS[suffix], zone)
    unit = {"mtd": "month", "qtd": "quarter", "ytd": "year"}[interval]
    return both_edges(f"this {unit}", end, zone)[0]


# What is compared with it.


def parsed(now: datetime, **params: Any) -> Window:  # noqa: ANN401
    query = sluice.EventsQuery.parse(urlencode(params), now=now)
    window = sluice.resolve_window(now=now, **params)
    is_open = params.get("interval") == "all" and "end" not in params
    assert (window.start, window.end) == (query.start, None if is_open else query.end)
    assert window.timezone == query.timezone
    assert window.interval == (None if "start" in params else query.interval)
    return query.start, query.end


def refused(now: datetime, **params: Any) -> sluice.ApiError:  # noqa: ANN401
    with pytest.raises(sluice.ApiError) as of_query:
        sluice.EventsQuery.parse(urlencode(params), now=now)
    with pytest.raises(sluice.ApiError) as of_window:
        sluice.resolve_window(now=now, **params)
    assert str(of_window.value) == str(of_query.value)
    assert of_window.value.__dict__ == of_query.value.__dict__
    return of_query.value


def check_expression(text: str, now: datetime, zone: ZoneInfo) -> None:
    start, end = both_edges(text, now, zone)
    far_start, far_end = "0001-01-02T00:00:00Z", "9999-12-30T00:00:00Z"
    expression = sluice.TimeExpression.parse(text)
    assert expression.resolve(now, "start", zone.key) == start, (text, now, zone)
    assert expression.resolve(now, edge="end", timezone=zone.key) == end, (text, now, zone)
    window = parsed(now, timezone=zone.key, start=text, end=text)
    assert window == (start, end), (text, now, zone)
    if start > end:  # a day that the clocks skipped as a whole: an empty window
        assert parsed(now, timezone=zone.key, start=text, end=far_end)[0] == start
        assert parsed(now, timezone=zone.key, start=far_start, end=text)[1] == end


@functools.cache
def edges(zone: ZoneInfo) -> tuple[datetime, ...]:
    first, last = ZONES[zone.key]
    return tuple(
        changes(zone, datetime(first, 1, 1, tzinfo=UTC), datetime(last + 1, 1, 2, tzinfo=UTC))
    )


def presents(zone: ZoneInfo) -> Iterator[datetime]:
    """Presents around each edge, and those from which an interval reaches back to one."""
    near = [
        sign * delta for sign in (-1, 1) for delta in (MS, 15 * 60 * SECOND, HOUR, 5400 * SECOND)
    ]
    for edge in edges(zone):
        for days in (0, 1, 7, 30, 90, 365):
            for delta in (timedelta(), *near):
                yield edge + days * DAY + delta
    yield from CALENDAR_EDGES


@pytest.fixture(params=ZONES)
def zone(request: pytest.FixtureRequest) -> ZoneInfo:
    return ZoneInfo(request.param)


# The tests.


def test_the_scan_finds_the_edges_it_is_meant_to() -> None:
    counts = {name: len(edges(ZoneInfo(name))) for name in ZONES}
    assert counts.pop("UTC") == 0
    assert counts.pop("Asia/Kolkata") == 0
    assert min(counts.values()) >= 4


def test_intervals_count_back_from_now(zone: ZoneInfo) -> None:
    for now in presents(zone):
        for interval in INTERVALS:
            expected = counted_back(interval, now, zone), now
            window = parsed(now, timezone=zone.key, interval=interval)
            assert window == expected, (interval, now, zone)


def test_other_intervals_count_back_from_now(zone: ZoneInfo) -> None:
    for now in presents(zone):
        for interval in OTHER_INTERVALS:
            window = sluice.resolve_window(interval, timezone=zone.key, now=now)
            expected = sluice.Window(counted_back(interval, now, zone), now, interval, zone.key)
            assert window == expected, (interval, now, zone)


def test_intervals_count_back_from_the_end(zone: ZoneInfo) -> None:
    now = datetime(2026, 8, 21, 2, 30, 15, 123_000, UTC)
    for end in presents(zone):
        text = end.isoformat(timespec="milliseconds")
        for interval in INTERVALS:
            expected = counted_back(interval, end, zone), end
            window = parsed(now, timezone=zone.key, interval=interval, end=text)
            assert window == expected, (interval, end, zone)


def test_named_periods_and_ages(zone: ZoneInfo) -> None:
    for now in presents(zone):
        for text in ("now", *PERIODS, *AGES):
            check_expression(text, now, zone)


def test_dates_and_wall_times(zone: ZoneInfo) -> None:
    now = datetime(2026, 8, 21, 2, 30, 15, 123_000, UTC)
    minutes = (-1_441, -90, -61, -60, -30, -15, -1, 0, 1, 15, 29, 30, 31, 59, 60, 61, 90, 1_441)
    for edge in (*edges(zone), *CALENDAR_EDGES):
        for days in range(-2, 4):
            check_expression((shown(edge, zone).date() + days * DAY).isoformat(), now, zone)
        for wall in (shown(edge, zone), shown(edge - MS, zone)):
            for minute in minutes:
                moved = wall + timedelta(minutes=minute)
                check_expression(moved.isoformat(timespec="milliseconds"), now, zone)
                check_expression(moved.isoformat(timespec="minutes"), now, zone)


def test_zones_are_found_in_any_case() -> None:
    now = datetime(2025, 7, 1, 12, tzinfo=UTC)
    for name in ("Europe/Berlin", "US/Pacific", "Etc/UTC", "GMT", "America/Port-au-Prince"):
        expected = both_edges("today", now, ZoneInfo(name))
        for spelling in (name, name.lower(), name.upper()):
            assert parsed(now, timezone=spelling, start="today", end="today") == expected


def test_days_of_a_century_of_new_york() -> None:
    zone = ZoneInfo("America/New_York")
    now = datetime(2026, 8, 21, tzinfo=UTC)
    first = date(1936, 1, 1)
    for days in range(0, 100 * 365, 17):
        check_expression((first + days * DAY).isoformat(), now, zone)


def test_every_zone_keeps_its_rule_after_the_listed_changes() -> None:
    now = datetime(2026, 8, 21, tzinfo=UTC)
    chance = random.Random(38)
    for name in sorted(available_timezones()):
        if not name[0].isupper() or name == "Factory":
            continue
        zone = ZoneInfo(name)
        for _ in range(40):
            at = datetime(2037, 1, 1, tzinfo=UTC) + chance.randrange(163 * 366 * 86_400) * SECOND
            text = shown(at, zone).isoformat()
            start = sluice.TimeExpression.parse(text).resolve(now, timezone=name)
            assert start == instant_of(datetime.fromisoformat(text), zone), (text, name)
            before = sluice.TimeExpression.parse("50 days ago").resolve(at, timezone=name)
            assert before == back(at, 50, "day", zone), (at, name)


@pytest.mark.parametrize("name", ["America/New_York", "Europe/Dublin", "Australia/Lord_Howe"])
def test_changes_of_a_far_year(name: str) -> None:
    zone = ZoneInfo(name)
    for edge in changes(zone, datetime(2199, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)):
        for minutes in (-90, -60, -30, -15, -1, 0, 1, 15, 30, 60, 90):
            now = edge + minutes * 60 * SECOND
            check_expression(shown(now, zone).isoformat(timespec="minutes"), now, zone)
            check_expression("1 day ago", now, zone)


def random_timestamp(random: random.Random) -> tuple[str, datetime]:
    """A timestamp in one of its spellings, and the instant it means."""
    whole = datetime(1, 1, 2, tzinfo=UTC) + random.randrange(3_652_057 * 86_400) * SECOND
    behind = random.randrange(-1439, 1440)
    digits = "".join(random.choices("0123456789", k=random.randrange(10)))
    at = whole + int(digits[:3].ljust(3, "0")) * MS
    local = (whole.replace(tzinfo=None) - timedelta(minutes=behind)).isoformat(random.choice("Tt "))
    fraction = f".{digits}" if digits else ""
    offset = f"{'-' if behind > 0 else '+'}{abs(behind) // 60:02}:{abs(behind) % 60:02}"
    if behind == 0:
        offset = random.choice(("Z", "z", "+00:00", "-00:00"))
    return local + fraction + offset, at


def random_epoch(random: random.Random) -> tuple[str, datetime]:
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    if random.random() < 0.5:
        seconds = random.randrange(10**10)
        return f"{seconds:010}", epoch + seconds * SECOND
    ms = random.randrange(10**13)
    return f"{ms:013}", epoch + timedelta(milliseconds=ms)


@pytest.mark.parametrize("make", [random_timestamp, random_epoch])
def test_random_instants(make: Callable[[random.Random], tuple[str, datetime]]) -> None:
    source = random.Random(5)
    now = datetime(2026, 8, 21, tzinfo=UTC)
    for _ in range(5_000):
        text, at = make(source)
        assert parsed(now, start=text, end=text) == (at, at), text


def test_the_window_without_parameters_is_the_last_day() -> None:
    now = datetime(2026, 8, 21, 2, 30, 15, 123_000, UTC)
    assert parsed(now) == (now - DAY, now)


def test_a_start_takes_precedence_over_the_interval() -> None:
    now = datetime(2026, 8, 21, 2, 30, 15, 123_000, UTC)
    start = datetime(2026, 8, 1, tzinfo=UTC)
    assert parsed(now, interval="7d", start="2026-08-01") == (start, now)
    assert parsed(now, interval="all", start="2026-08-01") == (start, now)


def test_a_leap_second_is_the_next_second() -> None:
    now = datetime(2026, 8, 21, tzinfo=UTC)
    at = datetime(2017, 1, 1, tzinfo=UTC)
    assert parsed(now, start="2016-12-31T23:59:60Z")[0] == at
    assert parsed(now, start="2016-12-31T23:59:60")[0] == at
    assert parsed(now, start="2017-01-01T05:29:60.25+05:30")[0] == at + 250 * MS


@pytest.mark.parametrize(
    "text",
    [
        "soon",
        "2025-02-29",
        "2025-01-01T24:00",
        "2025-01-01T00:00Z",
        "3  days ago",
        "-1 days ago",
        "1.5 days ago",
        "9223372036854775807 days ago",
        "9223372036854775808 days ago",
        "4000 years ago",
        "next week",
        "12345678901",
        "\u0663 days ago",
    ],
)
@pytest.mark.parametrize("param", ["start", "end"])
def test_what_is_no_time_is_refused_in_its_parameter(param: str, text: str) -> None:
    now = datetime(2026, 8, 21, tzinfo=UTC)
    error = refused(now, **{param: text})
    assert (error.status, error.code, error.param) == (400, "bad_request", param)
    assert (error.offset, error.length) == (0, len(text.encode()))


def test_of_an_impossible_day_the_day_is_at_fault() -> None:
    error = refused(datetime(2026, 8, 21, tzinfo=UTC), start="2025-06-31T00:00")
    assert (error.status, error.rule, error.param) == (400, "day_impossible", "start")
    assert (error.offset, error.length) == (0, len("2025-06-31"))


def test_a_reversed_window_is_refused() -> None:
    now = datetime(2026, 8, 21, tzinfo=UTC)
    for start, end in (("tomorrow", None), ("now", "1 minute ago"), ("2025-01-02", "2025-01-01")):
        error = refused(now, start=start, **({"end": end} if end else {}))
        assert (error.status, error.code) == (422, "unprocessable_entity")
        assert (error.param, error.offset, error.length) == ("start", 0, len(start))


@pytest.mark.parametrize("name", ["Mars/Olympus", "posixrules", "posix/UTC", "localtime", "UTC+1"])
def test_an_unknown_zone_is_refused(name: str) -> None:
    error = refused(datetime(2026, 8, 21, tzinfo=UTC), timezone=name)
    assert (error.status, error.code, error.param) == (422, "unprocessable_entity", "timezone")
    assert (error.offset, error.length) == (0, len(name))
