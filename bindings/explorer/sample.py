# SPDX-License-Identifier: MIT
"""Writes the playground's sample into a folder: sample.json with its rows, and source.json.

Rows are those of GET /events, with further columns that queries may use but answers don't show.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import sluice
from sluice.api import EventsQuery

NOW = datetime(2026, 8, 21, 2, 30, 15, 123_000, UTC)
EVENTS, SEED, PAGE = 3_000, 7, 1_000
UTM_FIELDS = ("utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content")
COLUMNS = [
    "timestamp",
    *("click.country", "click.city", "click.region", "click.continent", "click.device"),
    *("click.browser", "click.os", "click.trigger", "click.referer", "click.url"),
    *("link.domain", "link.key", "link.id", "eventName", "sale.amount"),
    *("customer.name", "customer.id", "metadata"),
]
FILTERS = {name: name.removeprefix("click.") for name in COLUMNS if name.startswith("click.")}
COMPARED = {column.name for column in EventsQuery.parse("").schema if column.type == "text"}
FILTERS |= {"link.domain": "domain", "link.id": "linkId", "customer.id": "customerId"}

Row = dict[str, Any]


def pages(store: sluice.EventStore, query: str) -> Iterator[Row]:
    """Yields all rows of a query, of all times."""
    for number in range(1, 1 + EVENTS // PAGE + 1):
        page = EventsQuery.parse(f"{query}&interval=all&limit={PAGE}&page={number}", now=NOW)
        yield from json.loads(store.page(page))


def links_of(folder: Path) -> dict[str, Row]:
    """Returns the links as loaded, by id."""
    lines = (folder / "links.ndjson").read_text(encoding="utf-8").splitlines()
    return {link["id"]: link for link in map(json.loads, lines)}


def clicks_of_customers(store: sluice.EventStore, folder: Path) -> dict[str, list[str]]:
    """Returns the customers of clicks, by the clicks' ids."""
    customers: dict[str, list[str]] = {}
    for line in (folder / "customers.ndjson").read_text(encoding="utf-8").splitlines():
        customer = json.loads(line)["id"]
        for row in pages(store, f"event=clicks&customerId={customer}"):
            customers.setdefault(row["click"]["id"], []).append(customer)
    return customers


def hidden_of(row: Row, link: Row, customers: list[str], new_sales: set[str]) -> Row:
    """Returns the columns of a row that queries may use but answers don't show."""
    in_url = dict(reversed(parse_qsl(urlsplit(row["click"]["url"]).query, keep_blank_values=True)))
    kind = "new" if row.get("eventId") in new_sales else "recurring"
    return {
        "customer.id": customers,
        "link.groupId": link.get("groupId"),
        "link.partnerTagIds": link.get("partnerTagIds") or [],
        "link.tagIds": [tag["id"] for tag in link["tags"]],
        "metadata": row.get("metadata"),
        "sale.type": kind if row["event"] == "sale" else None,
        **{name: in_url.get(name, link.get(name)) for name in UTM_FIELDS},
    }


def sample_of(folder: Path) -> Row:
    """Returns the rows of all kinds, and their links without duplicates."""
    store = sluice.EventStore.load(folder)
    records, of_clicks = links_of(folder), clicks_of_customers(store, folder)
    new_sales = {row["eventId"] for row in pages(store, "event=sales&saleType=new")}
    links: dict[str, Row] = {}
    events: dict[str, list[Row]] = {}
    for kind in ("clicks", "leads", "sales"):
        for row in pages(store, f"event={kind}"):
            link = row["link"]
            links[link["id"]] = link
            customers = of_clicks.get(row["click"]["id"], [])
            if "customer" in row:
                customers = [row["customer"]["id"]]
            hidden = hidden_of(
                row, records[link["id"]] | {"tags": link["tags"]}, customers, new_sales
            )
            shown = row | {"link": link["id"]}
            events.setdefault(kind, []).append({"row": shown, "hidden": hidden})
    return {"links": links, "events": events}


def main(into: Path) -> None:
    """Creates a sample and writes it in the format of the page."""
    with tempfile.TemporaryDirectory() as folder:
        options = ["--events", str(EVENTS), "--seed", str(SEED), "--now", NOW.isoformat()]
        command = [sys.executable, "-m", "sluice", "sample", *options, folder]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        sample = sample_of(Path(folder))
    description = {
        "name": f"a sample of {EVENTS:,} made-up events",
        "kind": "events",
        "now": round(NOW.timestamp() * 1_000),
        "plans": False,
        "request": {"url": "https://api.example.com/events", "token": True},
        "columns": COLUMNS,
        "filters": FILTERS,
        "time": "timestamp",
        "tops": [name for name in COLUMNS if name in COMPARED],
        "sample": "sample.json",
    }
    (into / "sample.json").write_text(json.dumps(sample), encoding="utf-8")
    (into / "source.json").write_text(json.dumps(description, indent=2), encoding="utf-8")


main(Path(sys.argv[1]))
