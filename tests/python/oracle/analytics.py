# SPDX-License-Identifier: MIT
"""Measures of groups of events, by a loop over the rows of each kind."""

import json
from bisect import bisect_right
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from oracle.answers import Oracle, Row
from oracle.records import Record, tag_record
from oracle.request import Request
from oracle.window import DAY, instant_of, midnight, to_ms, wall_of, window_of, zone_of

KINDS = ("clicks", "leads", "sales")
EVENTS = (*KINDS, "composite")
MOST_ROWS = 5_000
CONTINENTS = {"AF", "AN", "AS", "EU", "NA", "OC", "SA"}
LINK_FIELDS = (
    *("id", "domain", "key", "shortLink", "url", "createdAt"),
    *("title", "comments", "folderId", "partnerId"),
)

Group = tuple[Any, ...]
Groups = Callable[[Row], list[Group]]


def of_click(*names: str) -> Groups:
    return lambda row: [tuple(row["click"].get(name) for name in names)]


def of_link(name: str) -> Groups:
    return lambda row: [(row["link"].get(name),)]


def of_utm(name: str) -> Groups:
    return lambda row: [(value,) for value in row[name]]


GROUPS: dict[str, Groups] = {
    "count": lambda _: [()],
    "continents": lambda row: [
        (name,) for name in [row["click"]["continent"]] if name in CONTINENTS
    ],
    "countries": of_click("country"),
    "regions": of_click("country", "region"),
    "cities": of_click("country", "region", "city"),
    "devices": of_click("device"),
    "browsers": of_click("browser"),
    "os": of_click("os"),
    "trigger": of_click("trigger"),
    "triggers": of_click("trigger"),
    "referers": of_click("referer"),
    "referer_urls": of_click("refererUrl"),
    "top_links": of_link("id"),
    "top_urls": of_click("url"),
    "top_base_urls": lambda row: [(row["click"]["url"].split("?")[0],)],
    "top_domains": of_link("domain"),
    "top_folders": of_link("folderId"),
    "top_link_tags": lambda row: [(id_,) for id_ in row["tagId"]],
    "top_partners": of_link("partnerId"),
    "top_groups": of_link("groupId"),
    "top_partner_tags": lambda row: [(id_,) for id_ in row["partnerTagId"]],
    **{f"utm_{name}s": of_utm(f"utm_{name}") for name in ("source", "medium", "campaign")},
    **{f"utm_{name}s": of_utm(f"utm_{name}") for name in ("term", "content")},
}
GROUP_NAMES = ("timeseries", *GROUPS)
# The published clients have models of these rows.
CLIENT_GROUPS = (
    *("count", "timeseries", "continents", "countries", "regions", "cities", "devices"),
    *("browsers", "os", "trigger", "triggers", "referers", "referer_urls"),
    *("top_links", "top_urls", "top_base_urls"),
)
PLACES = ("country", "region", "city")
FIELDS = {
    "continents": "continent",
    **{"devices": "device", "browsers": "browser", "os": "os"},
    **{"trigger": "trigger", "triggers": "trigger"},
    **{"referers": "referer", "referer_urls": "refererUrl"},
    **{"top_urls": "url", "top_base_urls": "url", "top_domains": "domain"},
}
OBJECTS = {
    "top_folders": "folder",
    "top_link_tags": "tag",
    "top_partners": "partner",
    "top_groups": "group",
    "top_partner_tags": "partnerTag",
}


def measured(oracle: Oracle, query: str, now: datetime) -> str:
    """The body of `GET /analytics` for a query string."""
    request = Request(query)
    event = request.get("event", "clicks")
    kinds = KINDS if event == "composite" else (event,)
    rows = {kind: oracle.of_kind(kind, request, now) for kind in kinds}
    name = request.get("groupBy", "count")
    if name == "timeseries":
        return written(series(request, rows, now))
    groups = count_up(GROUPS[name], rows)
    if name == "count":
        return written(groups.get((), measures()))
    known = {group: of for group, of in groups.items() if not {None, "", "Unknown"} & {*group}}
    by = {"sales": "saleAmount", "composite": "clicks"}.get(event, event)
    in_order = sorted(known, key=lambda group: (-known[group][by], [*map(str.encode, group)]))
    shown = [fields(oracle, name, group) | known[group] for group in in_order[:MOST_ROWS]]
    return written(shown)


def written(answer: object) -> str:
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":"))


def measures() -> Record:
    return {"clicks": 0, "leads": 0, "sales": 0, "saleAmount": 0}


def count_up(groups_of: Groups, rows: dict[str, list[Row]]) -> dict[Group, Record]:
    groups: dict[Group, Record] = {}
    for kind, events in rows.items():
        for row in events:
            for group in groups_of(row):
                of = groups.setdefault(group, measures())
                of[kind] += 1
                if kind == "sales":
                    of["saleAmount"] += row["stored"]["amount"]
    return groups


def fields(oracle: Oracle, name: str, group: Group) -> Record:
    """The fields of a row beside the measures."""
    if name in ("countries", "regions", "cities"):
        return dict(zip(PLACES, (*group, "*", "*"), strict=False))
    [only] = group
    if name == "top_links":
        link = oracle.shown_links[only]
        return {"link": only} | {field: link[field] for field in LINK_FIELDS}
    if name in OBJECTS:
        return {f"{OBJECTS[name]}Id": only, OBJECTS[name]: named(oracle, name, only)}
    return {FIELDS.get(name, name.removesuffix("s")): only}


def named(oracle: Oracle, name: str, id_: str) -> Record | None:
    """The record that a group names, as far as the data has such records."""
    if name == "top_folders":
        shown = ({key: of[key] for key in ("id", "name")} for of in oracle.folders)
        return next((of for of in shown if of["id"] == id_), None)
    if name != "top_link_tags":
        return None
    return next((tag_record(tag) for tag in oracle.tags if tag["id"] == id_), None)


# Time series.


def series(request: Request, rows: dict[str, list[Row]], now: datetime) -> list[Record]:
    zone = zone_of(request.get("timezone", "UTC"))
    start, end = window_of(request, to_ms(now))
    if start is None:
        start = min((row["at"] for events in rows.values() for row in events), default=None)
    if start is None or start > end:
        return []
    starts = [*STARTS[length_of(request, start, end, zone)](start, end, zone)]
    starts = starts[bisect_right(starts, start) - 1 : bisect_right(starts, end)]
    counted = count_up(lambda row: [(starts[bisect_right(starts, row["at"]) - 1],)], rows)
    return [{"start": timestamp(at)} | counted.get((at,), measures()) for at in starts[:MOST_ROWS]]


def timestamp(at: int) -> str:
    return wall_of(at, ZoneInfo("UTC")).isoformat(timespec="milliseconds") + "Z"


def length_of(request: Request, start: int, end: int, zone: ZoneInfo) -> str:
    if request.get("start"):
        length = wall_of(end, zone) - wall_of(start, zone)
        if length <= timedelta(days=2):
            return "hour"
        return "month" if length > timedelta(days=180) else "day"
    interval = request.get("interval", "24h")
    if interval == "24h":
        return "hour"
    return "day" if interval in ("7d", "30d", "90d", "mtd", "qtd") else "month"


def hours(start: int, end: int, zone: ZoneInfo) -> Iterator[int]:
    """The minutes at which clocks begin to show another hour, or are set."""
    minute = 60_000
    before = None
    for at in range(start // minute * minute - 120 * minute, end + 1, minute):
        wall = wall_of(at, zone)
        shown = wall.replace(minute=0, second=0), offset(at, zone)
        if shown != before:
            yield at
        before = shown


def offset(at: int, zone: ZoneInfo) -> timedelta:
    return wall_of(at, zone) - wall_of(at, ZoneInfo("UTC"))


def days(start: int, end: int, zone: ZoneInfo) -> list[int]:
    first, last = midnight(wall_of(start, zone)) - DAY, wall_of(end, zone) + DAY
    count = (last - first).days
    return sorted({instant_of(first + number * DAY, zone) for number in range(count + 1)})


def months(start: int, end: int, zone: ZoneInfo) -> list[int]:
    first = (midnight(wall_of(start, zone)) - DAY).replace(day=1)
    starts = {instant_of(first, zone)}
    while max(starts) <= end:
        first = (first + 31 * DAY).replace(day=1)
        starts.add(instant_of(first, zone))
    return sorted(starts)


STARTS: dict[str, Callable[[int, int, ZoneInfo], Any]] = {
    "hour": hours,
    "day": days,
    "month": months,
}
