# SPDX-License-Identifier: MIT
"""Random requests for events, asked of many engines that hold the same rows.

Each has to give the identifiers of the page that the store gives, and its count. Rows are hard to
compare: texts with quotes, NUL in metadata, letters whose case only Unicode folds, numbers of any
length. What differs is made small before it is shown: the request loses parameters and the records
events as long as the engines still differ.

    python tests/python/sameness.py --queries 1000000

With SLUICE_TEST_SERVERS=1 PostgreSQL and ClickHouse are asked too.
"""

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar
from urllib.parse import parse_qsl, urlencode

import tqdm
from api_keys import bearer, make_key
from edge_records import write_edge_records
from oracle import Oracle
from random_requests import RandomRequests
from random_rows import DOCUMENTS, TEXTS
from sql_engines import (
    ASKS_SERVERS,
    POSTGRESQL,
    Database,
    DuckDb,
    Form,
    PostgreSql,
    Sqlite,
    clickhouse_server,
    load,
    postgresql_server,
)

import sluice

Record = dict[str, Any]
Item = TypeVar("Item")
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


# Records.


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


class World:
    """Records as the store and the oracle hold them."""

    def __init__(self, records: Records) -> None:
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

    def rows(self, kind: str) -> list[Record]:
        return [self.row(kind, row) for row in self.oracle.rows[kind]]

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


# Engines.


class Engine(Protocol):
    """What holds the same events as the store."""

    name: str

    def load(self, world: World) -> None: ...
    def page(self, query: sluice.EventsQuery) -> list[str]: ...
    def count(self, query: sluice.EventsQuery) -> int: ...


class SqlEngine:
    """A database with a table for each kind of events."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.name = f"{database.dialect} {database.storage}"

    def load(self, world: World) -> None:
        for kind in KINDS:
            load(self.database, kind, SCHEMA, world.rows(kind))

    def page(self, query: sluice.EventsQuery) -> list[str]:
        return [row[0] for row in self.database.ask(self.statement(query, "page"))]

    def count(self, query: sluice.EventsQuery) -> int:
        return int(self.database.ask(self.statement(query, "count"))[0][0])

    def statement(self, query: sluice.EventsQuery, form: Form) -> sluice.sql.Statement:
        of, storage = self.database.dialect, self.database.storage
        return query.to_sql(of, query.event, metadata=storage, select='"id"', form=form)


def usual_engines() -> list[Engine]:
    return [SqlEngine(Sqlite()), SqlEngine(DuckDb())]


@contextmanager
def engines_here() -> Iterator[list[Engine]]:
    """The usual engines and, where servers are asked for, those that are installed."""
    engines = usual_engines()
    with ExitStack() as open_servers:
        if ASKS_SERVERS and POSTGRESQL.is_dir():
            cursor = open_servers.enter_context(postgresql_server())
            engines.append(SqlEngine(PostgreSql(cursor)))
        if ASKS_SERVERS:
            engines.append(SqlEngine(open_servers.enter_context(clickhouse_server())))
        yield engines


# Requests.


class Asked(NamedTuple):
    """A request and its present."""

    text: str
    now: datetime

    def query(self) -> sluice.EventsQuery:
        return sluice.EventsQuery.parse(self.text, now=self.now)


def random_requests(world: World, seed: int) -> Iterator[Asked]:
    """Requests for pages by number and by cursor, without end."""
    requests = RandomRequests(world.oracle, seed)
    while True:
        text, now = requests.request()
        total = world.store.count(sluice.EventsQuery.parse(text, now=now))
        asked = text + requests.page(total)
        yield Asked(asked, now)
        if requests.chance(0.5):
            sized = f"{text}&limit={requests.random.choice((1, 2, 7, 50))}"
            for cursor in follow(world, sized, now, requests.random.randrange(1, 4)):
                yield Asked(f"{sized}&cursor={cursor}", now)


def follow(world: World, request: str, now: datetime, pages: int) -> Iterator[str]:
    """The cursor of the next page and so on, and of the pages before those."""
    found = world.cursors(request, now)
    for _ in range(pages):
        if not found:
            return
        yield from found
        found = world.cursors(f"{request}&cursor={found[-1]}", now)


# Differences.


class Difference(NamedTuple):
    """Where an engine gives something else than the store."""

    engine: str
    asked: Asked
    records: Records
    found: object
    expected: object

    def __str__(self) -> str:
        lines = [line for lines in self.records.events for _, line in lines]
        return "\n".join(
            [
                f"{self.engine} gives {self.found} instead of {self.expected}",
                f"request  {self.asked.text}",
                f"now      {self.asked.now.isoformat()}",
                *(f"record   {line}" for line in lines),
            ]
        )


def difference(world: World, engine: Engine, asked: Asked, records: Records) -> Difference | None:
    query = asked.query()
    events = json.loads(world.store.page(query))
    expected = [e.get("eventId", e["click_id"]) for e in events], world.store.count(query)
    found = engine.page(query), engine.count(query)
    return None if found == expected else Difference(engine.name, asked, records, found, expected)


class Shrinker:
    """Makes a difference small, parameter by parameter and event by event."""

    def __init__(self, first: Difference, engine: Engine) -> None:
        self.least = first
        self.engine = engine

    def shrink(self) -> Difference:
        fewest(self.least.records.events, self.differs_with_events)
        fewest(parse_qsl(self.least.asked.text, keep_blank_values=True), self.differs_with_pairs)
        fewest(self.least.records.events, self.differs_with_events)
        return self.least

    def differs_with_events(self, events: Events) -> bool:
        return self.differs(self.least.asked, self.least.records._replace(events=tuple(events)))

    def differs_with_pairs(self, pairs: Sequence[tuple[str, str]]) -> bool:
        return self.differs(self.least.asked._replace(text=urlencode(pairs)), self.least.records)

    def differs(self, asked: Asked, records: Records) -> bool:
        """Keeps what still differs; a request that is none any more doesn't."""
        world = World(records)
        self.engine.load(world)
        try:
            found = difference(world, self.engine, asked, records)
        except sluice.ApiError:
            return False
        self.least = found or self.least
        return found is not None


def fewest(items: Sequence[Item], holds: Callable[[Sequence[Item]], bool]) -> Sequence[Item]:
    """As few items as `holds` still is true of: halves are left out first, then ever less."""
    size = max(1, len(items) // 2)
    while True:
        at = 0
        while at < len(items):
            kept = [*items[:at], *items[at + size :]]
            if holds(kept):
                items = kept
            else:
                at += size
        if size == 1:
            return items
        size //= 2


def first_difference(
    engines: Sequence[Engine], queries: int, seed: int, tell: Callable[[int], object]
) -> Difference | None:
    """Asks so many requests; the first that an engine answers otherwise than the store, shrunk."""
    records = hard_records(seed)
    world = World(records)
    for engine in engines:
        engine.load(world)
    requests = random_requests(world, seed)
    for _ in range(queries):
        asked = next(requests)
        for engine in engines:
            found = difference(world, engine, asked, records)
            if found:
                return Shrinker(found, engine).shrink()
        tell(1)
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--queries", type=int, default=2_000, help="how many requests")
    parser.add_argument("--seed", type=int, default=1, help="other records and requests")
    options = parser.parse_args()
    each = 2_000  # requests to the same records
    with engines_here() as engines, tqdm.tqdm(total=options.queries, unit="query") as bar:
        for start in range(0, options.queries, each):
            count = min(each, options.queries - start)
            seed = options.seed + start // each
            found = first_difference(engines, count, seed, bar.update)
            if found:
                print(found)
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
