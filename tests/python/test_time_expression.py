# SPDX-License-Identifier: MIT
"""Times as clients write them, and windows, for callers of their own."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from conftest import NOW

import sluice
from sluice import ApiError, EventsQuery, TimeExpression, Window, resolve_window

READ = [
    # text, canonical text, whether it is absolute
    ("2026-08-21T04:30:15.123456+02:00", "2026-08-21T02:30:15.123Z", True),
    ("1787279415", "2026-08-21T02:30:15.000Z", True),
    ("1787279415123", "2026-08-21T02:30:15.123Z", True),
    ("2026-08-21", "2026-08-21", True),
    ("2026-08-21 02:30", "2026-08-21T02:30:00.000", True),
    ("NOW", "now", False),
    ("Last Quarter", "last quarter", False),
    ("1 DAYS ago", "1 day ago", False),
    ("90 minute ago", "90 minutes ago", False),
    ("99999999999999999999 days ago", "9223372036854775807 days ago", False),
]


@pytest.mark.parametrize(("text", "canonical", "is_absolute"), READ)
def test_text_is_read_and_written(text: str, canonical: str, is_absolute: bool) -> None:
    expression = TimeExpression.parse(text)
    assert (str(expression), expression.is_absolute) == (canonical, is_absolute)
    assert TimeExpression.parse(canonical) == expression
    assert repr(expression) == f"TimeExpression.parse('{canonical}')"


@pytest.mark.parametrize(
    ("text", "rule", "length", "message"),
    [
        ("", "time_malformed", 0, ""),
        ("soon", "time_malformed", 4, ""),
        ("yesterda", "time_malformed", 8, "did you mean 'yesterday'?"),
        ("2026-02-30T01:00", "day_impossible", 10, ""),
        ("12026-01-01", "time_out_of_range", 11, ""),
    ],
)
def test_what_is_no_time_is_refused(text: str, rule: str, length: int, message: str) -> None:
    with pytest.raises(ApiError) as caught:
        TimeExpression.parse(text)
    error = caught.value
    assert (error.rule, error.offset, error.length, error.param) == (rule, 0, length, None)
    assert message in error.message


def test_it_resolves_at_a_present() -> None:
    day = TimeExpression.parse("2026-08-21")
    assert day.resolve() == datetime(2026, 8, 21, tzinfo=UTC)
    assert day.resolve(edge="end") == datetime(2026, 8, 22, tzinfo=UTC) - timedelta(milliseconds=1)
    assert day.resolve(timezone="asia/tokyo") == datetime(2026, 8, 20, 15, tzinfo=UTC)
    assert TimeExpression.parse("now").resolve(NOW) == NOW
    past = datetime.now(UTC) - timedelta(seconds=1)
    assert past < TimeExpression.parse("now").resolve() < past + timedelta(minutes=1)


@pytest.mark.parametrize(
    ("arguments", "param", "rule"),
    [
        ({"edge": "middle"}, "edge", "choice_unknown"),
        ({"timezone": "Mars/Olympus"}, "timezone", "time_zone_unknown"),
        ({"now": datetime(1, 1, 1, tzinfo=UTC)}, None, "time_out_of_range"),
    ],
)
def test_what_resolve_refuses(arguments: dict[str, Any], param: str, rule: str) -> None:
    with pytest.raises(ApiError) as caught:
        TimeExpression.parse("2 years ago").resolve(**{"now": NOW} | arguments)
    assert (caught.value.param, caught.value.rule) == (param, rule)


def test_a_present_is_aware() -> None:
    naive = datetime(2026, 8, 21)
    with pytest.raises(ValueError, match="now: a naive datetime"):
        TimeExpression.parse("now").resolve(naive)
    with pytest.raises(ValueError, match="now: a naive datetime"):
        resolve_window(now=naive)


# --- Windows ---------------------------------------------------------------------------------


def test_every_interval_is_one_of_a_window() -> None:
    for interval in ("24h", "7d", "30d", "90d", "1y", "mtd", "qtd", "ytd", "all"):
        query = EventsQuery.parse({"interval": interval}, now=NOW)
        window = resolve_window(interval, now=NOW)
        end = None if interval == "all" else query.end  # the service ends its own now
        assert window == Window(query.start, end, interval, "UTC")
    with pytest.raises(ApiError) as caught:
        resolve_window("8m")
    assert (caught.value.param, caught.value.rule) == ("interval", "choice_unknown")
    assert "expected a count of min, h, d, w, mo or y such as 6h" in caught.value.message


STARTS: list[Any] = [
    *("2026-08-01", date(2026, 8, 1), datetime(2026, 8, 1), np.datetime64("2026-08-01")),
    TimeExpression.parse("2026-08-01"),
]


@pytest.mark.parametrize("start", STARTS, ids=repr)
def test_times_of_python_are_those_that_they_mean(start: Any) -> None:  # noqa: ANN401
    tokyo = datetime(2026, 7, 31, 15, tzinfo=UTC)
    window = resolve_window(start=start, timezone="Asia/Tokyo", now=NOW)
    assert window == Window(tokyo, NOW, None, "Asia/Tokyo")
    aware = resolve_window(start=tokyo, end=tokyo, interval="7d", timezone="Asia/Tokyo", now=NOW)
    assert aware == Window(tokyo, tokyo, None, "Asia/Tokyo")


def test_windows_of_a_query_are_asked_for_again() -> None:
    values = {"start": TimeExpression.parse("3 days ago"), "end": None}
    query = EventsQuery.parse(values, now=NOW)
    assert (query.start, query.end) == (NOW - timedelta(days=3), NOW)
    assert sluice.to_query_string(values) == "start=3+days+ago"


def test_other_arguments_are_refused() -> None:
    with pytest.raises(TypeError, match="start: expected str"):
        resolve_window(start=object())  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="positional"):
        resolve_window("7d", "today")  # type: ignore[call-arg]
