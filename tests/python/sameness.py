# SPDX-License-Identifier: MIT
"""Random requests for events, asked of many engines that hold the same rows.

Each has to give the identifiers of the page that the store gives, and its count, or to say that it
has no exact form of a condition, as only so many requests may be answered. Rows are hard to
compare: texts with quotes, NUL in metadata, letters whose case only Unicode folds, numbers of any
length. What differs is made small before it is shown: the request loses parameters and the records
events as long as the engines still differ.

    python tests/python/sameness.py --queries 1000000

With SLUICE_TEST_SERVERS=1 PostgreSQL, MariaDB and ClickHouse are asked too.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import NamedTuple, TypeAlias, TypeVar
from urllib.parse import parse_qsl, urlencode

import tqdm
from event_engines import Answer, Engine, engines_here, is_refusal
from event_records import Events, Records, World, hard_records
from random_requests import RandomRequests

import sluice
from sluice import EventsQuery

Item = TypeVar("Item")
Outcome: TypeAlias = Answer | str | None  # None is a refusal, a text what was raised

# Requests.


class TimedRequest(NamedTuple):
    """A request and its present."""

    text: str
    now: datetime

    def query(self) -> EventsQuery:
        return EventsQuery.parse(self.text, now=self.now)


def random_requests(world: World, seed: int) -> Iterator[TimedRequest]:
    """Requests for pages by number and by cursor, without end."""
    requests = RandomRequests(world.oracle, seed)
    while True:
        text, now = requests.request()
        total = world.store.count(EventsQuery.parse(text, now=now))
        paged = text + requests.page(total)
        yield TimedRequest(paged, now)
        if requests.chance(0.5):
            sized = f"{text}&limit={requests.random.choice((1, 2, 7, 50))}"
            for cursor in follow(world, sized, now, requests.random.randrange(1, 4)):
                yield TimedRequest(f"{sized}&cursor={cursor}", now)


def follow(world: World, request: str, now: datetime, pages: int) -> Iterator[str]:
    """The cursor of the next page and so on, and of the pages before those."""
    cursors = world.cursors(request, now)
    for _ in range(pages):
        if not cursors:
            return
        yield from cursors
        cursors = world.cursors(f"{request}&cursor={cursors[-1]}", now)


# Answers.


def expected_of(world: World, query: EventsQuery) -> Answer:
    """Returns the store's answer."""
    events = json.loads(world.store.page(query))
    return Answer(
        [event.get("eventId", event["click_id"]) for event in events], world.store.count(query)
    )


def outcome_of(engine: Engine, query: EventsQuery) -> Outcome:
    """Returns an engine's answer; an undocumented error is shown as a difference."""
    try:
        return engine.answer(query)
    except Exception as error:
        return None if is_refusal(error) else repr(error)


# Differences.


class Difference(NamedTuple):
    """A request that an engine and the store answer differently."""

    engine: str
    request: TimedRequest
    records: Records
    actual: Outcome
    expected: Answer

    def __str__(self) -> str:
        lines = [line for lines in self.records.events for _, line in lines]
        return "\n".join(
            [
                f"{self.engine} gives {self.actual} instead of {self.expected}",
                f"request  {self.request.text}",
                f"now      {self.request.now.isoformat()}",
                *(f"record   {line}" for line in lines),
            ]
        )


class Shrinker:
    """Makes a difference small, parameter by parameter and event by event."""

    def __init__(self, first: Difference, engine: Engine) -> None:
        self.least = first
        self.engine = engine

    def shrink(self) -> Difference:
        fewest(self.least.records.events, self.differs_with_events)
        fewest(parse_qsl(self.least.request.text, keep_blank_values=True), self.differs_with_pairs)
        fewest(self.least.records.events, self.differs_with_events)
        return self.least

    def differs_with_events(self, events: Events) -> bool:
        return self.differs(self.least.request, self.least.records._replace(events=tuple(events)))

    def differs_with_pairs(self, pairs: Sequence[tuple[str, str]]) -> bool:
        return self.differs(self.least.request._replace(text=urlencode(pairs)), self.least.records)

    def differs(self, request: TimedRequest, records: Records) -> bool:
        """Keeps what still differs; a request that is none any more doesn't."""
        world = World(records)
        self.engine.load(world)
        try:
            query = request.query()
            expected = expected_of(world, query)
        except sluice.ApiError:
            return False
        actual = outcome_of(self.engine, query)
        if actual in (None, expected):
            return False
        self.least = Difference(self.engine.name, request, records, actual, expected)
        return True


def fewest(items: Sequence[Item], holds: Callable[[Sequence[Item]], bool]) -> Sequence[Item]:
    """Returns as few items as `holds` is still true of: leaves out halves first, then ever less."""
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


# Runs.


class Run:
    """Asks engines the same requests, and counts what each refuses."""

    def __init__(self, engines: Sequence[Engine]) -> None:
        self.engines = engines
        self.request = 0
        self.refused: Counter[str] = Counter()

    def first_difference(
        self, queries: int, seed: int, tell: Callable[[int], object] = lambda _: None
    ) -> Difference | None:
        """Asks so many requests; the first that an engine answers otherwise, shrunk."""
        records = hard_records(seed)
        world = World(records)
        for engine in self.engines:
            engine.load(world)
        for request in islice(random_requests(world, seed), queries):
            query = request.query()
            expected = expected_of(world, query)
            for engine in self.engines:
                actual = outcome_of(engine, query)
                self.refused[engine.name] += actual is None
                if actual not in (None, expected):
                    first = Difference(engine.name, request, records, actual, expected)
                    return Shrinker(first, engine).shrink()
            self.request += 1
            tell(1)
        return None

    def refusing(self) -> list[str]:
        """The engines that refused more than they may."""
        return [engine.name for engine in self.engines if self.share(engine) > engine.most_refused]

    def share(self, engine: Engine) -> float:
        """Returns the share of requests that an engine refused."""
        return self.refused[engine.name] / max(self.request, 1)

    def __str__(self) -> str:
        return "\n".join(
            f"{engine.name} refused {self.share(engine):.1%}, of {engine.most_refused:.1%} at most"
            for engine in self.engines
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--queries", type=int, default=2_000, help="how many requests")
    parser.add_argument("--seed", type=int, default=1, help="other records and requests")
    options = parser.parse_args()
    batch = 2_000  # requests to the same records
    with engines_here() as engines, tqdm.tqdm(total=options.queries, unit="query") as bar:
        run = Run(engines)
        for start in range(0, options.queries, batch):
            count = min(batch, options.queries - start)
            difference = run.first_difference(count, options.seed + start // batch, bar.update)
            if difference:
                print(difference)
                return 1
    print(run)
    return int(bool(run.refusing()))


if __name__ == "__main__":
    sys.exit(main())
