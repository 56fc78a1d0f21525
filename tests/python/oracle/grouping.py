# SPDX-License-Identifier: MIT
"""Groups and measures of rows by plain loops, as the reference of aggregates says."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import product
from math import fsum
from typing import Any
from zoneinfo import ZoneInfo

from sluice import Column

Row = Mapping[str, Any]
MONTHS = {"month": 1, "quarter": 3, "year": 12}


def groups_of(
    rows: Iterable[Row],
    tree: Mapping[str, Any],
    schema: Sequence[Column],
    window: tuple[datetime, datetime] | None,
) -> list[tuple[Any, ...]]:
    """The groups and measures of rows that meet the conditions, in order.

    Args:
        rows: The rows, with a value of Python for each column; times are aware.
        tree: The tree of the aggregate, without conditions.
        schema: The columns.
        window: The first and the last moment that the conditions allow.
    """
    columns = {column.name: column for column in schema}
    keys, measures = tree.get("group_by", []), tree.get("measures", [{"measure": "count"}])
    held: dict[tuple[Any, ...], list[Row]] = {} if keys else {(): []}
    for row in rows:
        for group in product(*(values_of(key, columns[key["column"]], row) for key in keys)):
            held.setdefault(group, []).append(row)
    has_all = len(keys) == 1 and "bucket" in keys[0]
    if has_all and columns[keys[0]["column"]].type == "time":
        for start in starts_of(keys[0], held, window):
            held.setdefault((start,), [])
    answer = [
        (*group, *(measured(of, members) for of in measures)) for group, members in held.items()
    ]

    def place_of(at: int, value: Any) -> tuple[bool, Any]:  # noqa: ANN401
        column = columns[keys[at]["column"]] if at < len(keys) else None
        if value is None:
            return (False, 0)
        return (True, column.choices.index(value) if column and column.choices else value)

    for at in reversed(range(len(keys))):
        answer.sort(key=lambda row: place_of(at, row[at]))
    names = [key.get("as") or key["column"] for key in keys]
    names += [of.get("as") or "_".join(of.values()) for of in measures]
    for wanted in reversed(tree.get("order", [])):
        at = names.index(wanted.get("group") or wanted["measure"])
        is_down = wanted["direction"] == "desc"
        answer.sort(key=lambda row: place_of(at, row[at]), reverse=is_down)
    return answer[: tree.get("limit", 1_000)]


def values_of(key: Mapping[str, Any], column: Column, row: Row) -> list[Any]:
    """The values of a row as groups."""
    value = row[column.name]
    if value is None:
        return [None]
    if column.is_list and column.type == "uuid":
        value = [item.lower() for item in value]
    if column.is_list:
        return [*dict.fromkeys(value)] or [None]
    if column.type == "json":
        for name in key["path"]:
            if isinstance(value, list):
                is_index = name.isdigit() and str(int(name)) == name and int(name) < len(value)
                value = value[int(name)] if is_index else None
            else:
                value = value.get(name) if isinstance(value, dict) else None
        if isinstance(value, bool):
            return ["true" if value else "false"]
        return [None if value is None or isinstance(value, dict | list) else str(value)]
    if "bucket" not in key:
        return [value]
    if column.type == "date":
        return [first_day(key["bucket"], value)]
    return [start_of(key["bucket"], value, ZoneInfo(key.get("zone", "UTC")))]


def first_day(bucket: str, day: date) -> date:
    if bucket == "day":
        return day
    if bucket == "week":
        return day - timedelta(days=day.weekday())
    month = day.month - 1
    return date(day.year, month - month % MONTHS[bucket] + 1, 1)


def start_of(bucket: str, at: datetime, zone: ZoneInfo) -> datetime:
    """The start of a bucket, for zones whose clocks change at whole hours and not at midnight."""
    local = at.astimezone(zone)
    if bucket == "hour":
        past = timedelta(minutes=local.minute, seconds=local.second, microseconds=local.microsecond)
        return at - past
    day = first_day(bucket, local.date())
    return datetime(day.year, day.month, day.day, tzinfo=zone).astimezone(UTC)


def starts_of(
    key: Mapping[str, Any],
    held: Mapping[tuple[Any, ...], object],
    window: tuple[datetime, datetime] | None,
) -> Iterator[datetime]:
    """The starts of all buckets: of a window, or between those of rows."""
    bucket, zone = key["bucket"], ZoneInfo(key.get("zone", "UTC"))
    known = sorted(start for (start,) in held if start is not None)
    if not known and not window:
        return
    first, last = window or (known[0], known[-1])
    at = start_of(bucket, first, zone)
    while at <= last:
        yield at
        step = {"hour": 1, "day": 26, "week": 24 * 7 + 2, "month": 24 * 32, "quarter": 24 * 93}
        at = start_of(bucket, at + timedelta(hours=step.get(bucket, 24 * 367)), zone)


def measured(of: Mapping[str, str], rows: Sequence[Row]) -> object:
    """A measure of rows."""
    if of["measure"] == "count":
        return len(rows)
    values = [row[of["column"]] for row in rows]
    items = [item for value in values for item in (value if isinstance(value, list) else [value])]
    items = [item for item in items if item is not None]
    if of["measure"] in ("count_distinct", "approx_count_distinct"):
        return len(set(items))
    if of["measure"] in ("min", "max"):
        if not items:
            return None
        return min(items) if of["measure"] == "min" else max(items)
    is_real = any(isinstance(item, float) for item in items)
    total: Any = fsum(items) if is_real else sum(items, Decimal(0))
    if of["measure"] == "sum":
        return total
    return float(total) / len(items) if items else None
