# SPDX-License-Identifier: MIT
"""Events whose rows are hard to compare, as the store, the oracle and tables hold them.

Texts have quotes, metadata NUL, letters a case that only Unicode folds, numbers any length.
"""

import json
import random
import tempfile
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import parse_qsl, urlencode

import pyarrow as pa
from api_keys import bearer, make_key
from differences import Answer
from edge_records import write_edge_records
from oracle import Oracle
from random_requests import RandomRequests
from random_rows import DOCUMENTS, TEXTS

import sluice
from sluice import EventsQuery

Record: TypeAlias = dict[str, Any]
Event: TypeAlias = tuple[str, str]  # its kind and its line
Events: TypeAlias = Sequence[tuple[Event, ...]]

TOKEN = "tok_sameness"
KINDS = ("clicks", "leads", "sales")
SCHEMA = sluice.api.EventsQuery.parse("").schema
TEXT_FIELDS = ("region", "city", "device", "browser", "os", "referer", "refererUrl", "url")
JSON = (
    *('{"plan":"pr\\u0000o"}', '{"k\\u0000":"x","a":"\\u0001"}', '{"a":-0.0,"b":"x"}'),
    *('{"a":1e-400}', '{"a":"1e400"}', '{"a":[1,"x"]}', '{"a":{"0":10},"a":{"b":"10"}}'),
)


class Records(NamedTuple):
    """The lines of a folder's files. Events go with their click, so that any part is whole."""

    others: dict[str, str]
    events: tuple[tuple[Event, ...], ...]  # of each click its own, then the rest

    def write(self, folder: Path) -> None:
        files = {**self.others, **dict.fromkeys(KINDS, "")}
        for lines in self.events:
            for kind, line in lines:
                files[kind] += f"{line}\n"
        for name, text in files.items():
            (folder / f"{name}.ndjson").write_text(text, encoding="utf-8")


def hard_records(seed: int, clicks: int = 220) -> Records:
    """Records of edges, with texts and metadata that databases read each in its own way."""
    source = random.Random(seed)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "edges"
        write_edge_records(folder)
        lines = {file.stem: file.read_text("utf-8").splitlines() for file in folder.iterdir()}
    events: dict[str, list[Event]] = {}
    for click in map(json.loads, lines["clicks"][:clicks]):
        changed = {name: source.choice(TEXTS) for name in TEXT_FIELDS if source.random() < 0.4}
        events[click["id"]] = [("clicks", json.dumps(click | changed))]
    for kind in ("leads", "sales"):
        for number, line in enumerate(lines[kind]):
            record = json.loads(line)
            if record["clickId"] in events:
                text = with_metadata(source, record | {"eventId": f"{kind}_{number}"}, line)
                events[record["clickId"]].append((kind, text))
    others = {name: "\n".join(lines[name]) for name in ("tags", "links", "customers")}
    return Records(others, tuple(map(tuple, events.values())))


def with_metadata(source: random.Random, record: Record, line: str) -> str:
    """A record's line with its metadata as it is spelled, or other."""
    spelled = metadata_of(line)
    record.pop("metadata", None)
    if source.random() < 0.4:
        spelled = source.choice((*JSON, *DOCUMENTS))
    return json.dumps(record)[:-1] + f',"metadata":{spelled or "null"}}}'


def metadata_of(line: str) -> str | None:
    """The JSON text of a line's last field."""
    text = line.partition(',"metadata":')[2][:-1]
    return text if text not in ("", "null") else None


class TimedRequest(NamedTuple):
    """A request and its present."""

    text: str
    now: datetime

    def query(self) -> EventsQuery:
        return EventsQuery.parse(self.text, now=self.now)

    def smaller(self) -> Iterator["TimedRequest"]:
        """Yields the request without one of its parameters."""
        pairs = parse_qsl(self.text, keep_blank_values=True)
        for at in range(len(pairs)):
            yield self._replace(text=urlencode(pairs[:at] + pairs[at + 1 :]))

    def __str__(self) -> str:
        return f"request  {self.text}\nnow      {self.now.isoformat()}"


class World:
    """Records as the store and the oracle hold them, and as rows of tables."""

    def __init__(self, records: Records) -> None:
        self.records = records
        self.known: tuple[TimedRequest, Answer] | None = None  # the last one
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            records.write(folder)
            self.store = sluice.EventStore.load(folder)
            self.oracle = Oracle(folder)
        self.handler = sluice.Handler(self.store, [make_key(TOKEN)])
        self.metadata = {
            json.loads(line)["eventId"]: metadata_of(line)
            for lines in records.events
            for kind, line in lines
            if kind != "clicks"
        }

    @property
    def parts(self) -> Events:
        return self.records.events

    def keeping(self, parts: Events) -> "World":
        return World(self.records._replace(events=tuple(parts)))

    def requests(self, seed: int, _engines: object = ()) -> Iterator[list[TimedRequest]]:
        """Yields requests for pages by number and by cursor, without end."""
        requests = RandomRequests(self.oracle, seed)
        while True:
            text, now = requests.request()
            total = self.store.count(EventsQuery.parse(text, now=now))
            yield [TimedRequest(text + requests.page(total), now)]
            if requests.chance(0.5):
                sized = f"{text}&limit={requests.random.choice((1, 2, 7, 50))}"
                for cursor in self.follow(sized, now, requests.random.randrange(1, 4)):
                    yield [TimedRequest(f"{sized}&cursor={cursor}", now)]

    def follow(self, request: str, now: datetime, pages: int) -> Iterator[str]:
        """The cursor of the next page and so on, and of the pages before those."""
        cursors = self.cursors(request, now)
        for _ in range(pages):
            if not cursors:
                return
            yield from cursors
            cursors = self.cursors(f"{request}&cursor={cursors[-1]}", now)

    def expected(self, request: TimedRequest, _engine: object = None) -> Answer:
        """Returns the store's answer."""
        if self.known and self.known[0] == request:
            return self.known[1]
        query = request.query()
        events = json.loads(self.store.page(query))
        ids = [event.get("eventId", event["click_id"]) for event in events]
        self.known = request, Answer(ids, self.store.count(query))
        return self.known[1]

    def lines(self) -> Iterator[str]:
        return (line for lines in self.records.events for _, line in lines)

    @cached_property
    def rows(self) -> dict[str, list[Record]]:
        """The rows of each kind of events, by time and id."""
        records = {kind: [self.row(kind, row) for row in self.oracle.rows[kind]] for kind in KINDS}
        return {kind: sorted(records[kind], key=place_of) for kind in KINDS}

    @cached_property
    def tables(self) -> dict[str, pa.Table]:
        """Returns the records in Arrow's types."""
        return {kind: arrow_table(self.rows[kind]) for kind in KINDS}

    def row(self, kind: str, row: Record) -> Record:
        """A row as a table has it, by the columns of the schema."""
        click, link = row["click"], row["link"]
        known: Record = {
            "id": row["id"],
            "timestamp": row["at"],
            "customer.id": sorted(row["customerId"]),
            "sale.type": row.get("saleType"),
            "metadata": None if kind == "clicks" else self.metadata[row["id"]],
            "link.tagIds": sorted(row["tagId"]),
            "link.partnerTagIds": sorted(row["partnerTagId"]),
            "click.qr": str(click["qr"]).lower(),
        }
        for column in SCHEMA:
            owner, _, field = column.name.partition(".")
            if column.name.startswith("utm_"):
                known[column.name] = next(iter(row[column.name]))
            elif column.name not in known:
                known[column.name] = {"click": click, "link": link}[owner].get(field)
        return known

    def cursors(self, request: str, now: datetime) -> list[str]:
        """The cursors of the pages beside a request's."""
        answer = self.handler.handle("GET", f"/events?{request}", bearer(TOKEN), now=now)
        links = answer.headers.get("link", "").split(", ")
        pairs = (parse_qsl(link.partition("?")[2].partition(">")[0]) for link in links)
        return [value for pair in pairs for name, value in pair if name == "cursor"]


def place_of(row: Record) -> tuple[int, str]:
    """Returns the key that orders rows."""
    return row["timestamp"], row["id"]


def arrow_table(rows: list[Record]) -> pa.Table:
    arrays = {
        column.name: pa.array([row[column.name] for row in rows], arrow_type(column))
        for column in SCHEMA
    }
    return pa.table({**arrays, "row": pa.array(range(len(rows)), pa.int64())})


def arrow_type(column: sluice.Column) -> pa.DataType:
    if column.is_list:
        return pa.list_(pa.string())
    types = {"time": pa.timestamp("ms", "UTC"), "integer": pa.int64()}
    return types.get(column.type, pa.string())
