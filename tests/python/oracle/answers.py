# SPDX-License-Identifier: MIT
"""The rows of a request, each a dict of the values that filters compare."""

import json
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from oracle.expression import Number, read_expression
from oracle.records import (
    Record,
    click_event,
    customer_record,
    lead_event,
    link_record,
    sale_event,
    tag_record,
)
from oracle.request import Filter, Request, ascii_lower
from oracle.window import to_ms, window_of

Row = dict[str, Any]
Condition = Callable[[Row], bool]

FOLDED_CLICK_FILTERS = ("country", "continent", "device", "browser", "os")
EXACT_CLICK_FILTERS = ("city", "referer", "trigger")
URL_FILTERS = ("url", "refererUrl")
UTM_FILTERS = ("utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content")
CLICK_FILTERS = (
    *FOLDED_CLICK_FILTERS,
    *EXACT_CLICK_FILTERS,
    *URL_FILTERS,
    *UTM_FILTERS,
    "region",
)
LINK_FIELD_FILTERS = ("tenantId", "folderId", "partnerId", "groupId")
LINK_FILTERS = (*LINK_FIELD_FILTERS, "domain", "linkId", "tagId", "partnerTagId")
FILTERS = (*CLICK_FILTERS, *LINK_FILTERS)
FOLDED = {*FOLDED_CLICK_FILTERS, "region", "domain"}


def click_comparands(click: Record, link: Record) -> Row:
    """For each filter the texts of which any may be equal to a value."""
    row: Row = {name: {ascii_lower(click[name])} for name in FOLDED_CLICK_FILTERS}
    region = ascii_lower(click["region"])
    row["region"] = {region, region.partition("-")[2] or region}
    row |= {name: {click.get(name)} for name in EXACT_CLICK_FILTERS}
    row |= {name: {click[name], click[name].partition("?")[0]} for name in URL_FILTERS}
    in_url = dict(reversed(parse_qsl(urlsplit(click["url"]).query, keep_blank_values=True)))
    return row | {name: {in_url.get(name, link.get(name))} for name in UTM_FILTERS}


def link_comparands(link: Record) -> Row:
    row: Row = {name: {link.get(name)} for name in LINK_FIELD_FILTERS}
    return row | {
        "domain": {ascii_lower(link["domain"])},
        "linkId": {link["id"]},
        "tagId": {tag["id"] for tag in link.get("tags") or ()},
        "partnerTagId": set(link.get("partnerTagIds") or ()),
    }


def read_lines(file: Path, number: Callable[[str], Any] | None = None) -> list[Record]:
    with file.open(encoding="utf-8") as lines:
        return [json.loads(line, parse_int=number, parse_float=number) for line in lines]


def in_order(rows: Iterable[Row]) -> list[Row]:
    """Ascending; the sort is stable, so that equal events stay as they are in the file."""
    return sorted(rows, key=lambda row: (row["at"], row["id"]))


class Oracle:
    """Answers requests over the records of a folder."""

    def __init__(self, folder: Path, workspace: str = "ws_default") -> None:
        self.links = {link["id"]: link for link in read_lines(folder / "links.ndjson")}
        self.clicks = {click["id"]: click for click in read_lines(folder / "clicks.ndjson")}
        self.tags = read_lines(folder / "tags.ndjson")
        folders = folder / "folders.ndjson"  # optional
        self.folders = read_lines(folders) if folders.exists() else []
        self.shown_links = {id_: link_record(link, workspace) for id_, link in self.links.items()}
        self.customers = {
            customer["id"]: customer_record(customer)
            for customer in read_lines(folder / "customers.ndjson")
        }
        leads = in_order(self.conversions(folder / "leads.ndjson"))
        sales = in_order(self.conversions(folder / "sales.ndjson"))
        clicks = in_order(self.row(click, click) for click in self.clicks.values())
        self.rows = {"clicks": clicks, "leads": leads, "sales": sales}
        self.name_customers()
        self.tell_new_sales()

    def conversions(self, file: Path) -> Iterator[Row]:
        """The rows of leads or sales, with numbers in metadata as they are written."""
        for event, written in zip(read_lines(file), read_lines(file, Number), strict=True):
            row = self.row(event, self.clicks[event["clickId"]])
            row["customerId"] = {event["customerId"]}
            row["metadata"] = written.get("metadata")
            yield row

    def row(self, event: Record, click: Record) -> Row:
        link = self.links[event["linkId"]]
        return {
            "at": to_ms(datetime.fromisoformat(event["timestamp"])),
            "id": event["eventId"] if "eventId" in event else event["id"],
            "stored": event,
            "click": click,
            "link": link,
            **click_comparands(click, link),
            **link_comparands(link),
        }

    def name_customers(self) -> None:
        """A click belongs to the customers of its leads and sales."""
        customers: dict[str, set[str]] = {}
        for row in (*self.rows["leads"], *self.rows["sales"]):
            customers.setdefault(row["click"]["id"], set()).update(row["customerId"])
        for row in self.rows["clicks"]:
            row["customerId"] = customers.get(row["id"], set())

    def tell_new_sales(self) -> None:
        """The first sale of a customer on a link is new."""
        bought: set[tuple[str, str]] = set()
        for row in self.rows["sales"]:
            pair = row["stored"]["customerId"], row["link"]["id"]
            row["saleType"] = "recurring" if pair in bought else "new"
            bought.add(pair)

    def matching(self, query: str, now: datetime) -> list[Row]:
        """All rows that a request asks for, in the order that it asks for."""
        request = Request(query)
        rows = self.of_kind(request.get("event", "clicks"), request, now)
        ascending = "asc" in (request.get("sortOrder"), request.get("order"))
        return rows if ascending else rows[::-1]

    def of_kind(self, kind: str, request: Request, now: datetime) -> list[Row]:
        """All rows of a kind of events that meet the conditions of a request, oldest first."""
        start, end = window_of(request, to_ms(now))
        rows = self.rows[kind]
        rows = [row for row in rows if (start is None or start <= row["at"]) and row["at"] <= end]
        for name in FILTERS:
            rows = filtered(rows, name, request.filter(name))
        for holds in conditions(request):
            rows = [row for row in rows if holds(row)]
        return rows

    def page(self, query: str, now: datetime) -> list[Record]:
        return self.page_of(self.matching(query, now), query)

    def page_of(self, rows: list[Row], query: str) -> list[Record]:
        """The records of a request's page of its rows."""
        request = Request(query)
        limit = request.number("limit", 100)
        skipped = (request.number("page", 1) - 1) * limit
        return [self.shown(row) for row in rows[skipped : skipped + limit]]

    def shown(self, row: Row) -> Record:
        stored, click, link = row["stored"], row["click"], self.shown_links[row["link"]["id"]]
        if stored is click:
            return click_event(click, link)
        event = sale_event if "saleType" in row else lead_event
        return event(stored, click, link, self.customers[stored["customerId"]])

    def tag_page(self, query: str, fold: Callable[[str], str]) -> list[Record]:
        request = Request(query)
        wanted = {id_ for text in request.all("ids") for id_ in text.split(",") if id_}
        search = fold(request.get("search"))
        tags = [tag for tag in self.tags if not wanted or tag["id"] in wanted]
        tags = [tag for tag in tags if search in fold(tag["name"])]
        key = request.get("sortBy", "name")
        tags.sort(key=lambda tag: (tag[key], tag["id"]))
        if request.get("sortOrder") == "desc":
            tags.reverse()
        size = request.number("pageSize", 100)
        skipped = (request.number("page", 1) - 1) * size
        return [tag_record(tag) for tag in tags[skipped : skipped + size]]


def conditions(request: Request) -> Iterator[Condition]:
    """The conditions of a row besides the window and the filters."""
    yield from link_conditions(request)
    customer, sale_type = request.get("customerId"), request.get("saleType")
    if customer:
        yield lambda row: customer in row["customerId"]
    if sale_type:
        yield lambda row: row["saleType"] == sale_type
    if request.get("query").strip():
        matches = read_expression(request.get("query"))
        yield lambda row: matches(row["metadata"])


def filtered(rows: list[Row], name: str, wanted: Filter | None) -> list[Row]:
    if wanted is None:
        return rows
    fold = ascii_lower if name in FOLDED else str
    values = {fold(value) for value in wanted.values}
    return [row for row in rows if values.isdisjoint(row[name]) == wanted.excludes]


def link_conditions(request: Request) -> Iterator[Condition]:
    root, key, program = request.flag("root"), request.get("key"), request.get("programId")
    external = request.get("externalId")
    if root is not None:
        yield lambda row: (row["link"]["key"] == "_root") == root
    if key:
        yield lambda row: row["link"]["key"] == key
    if external:
        yield lambda row: row["link"].get("externalId") == external.removeprefix("ext_")
    if program:
        yield lambda row: row["link"].get("programId") == program
