# SPDX-License-Identifier: MIT
"""Requests to many engines that hold the same rows, and the first difference of their answers.

A world has rows and draws requests, and says from the rows alone how each is answered. Every
engine has to answer so, or to refuse a request by name. What differs is made small before it is
shown: the request loses parts and the world rows as long as the answers still differ.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, NamedTuple, Protocol, Self, TypeAlias, TypeVar

import sluice

Item = TypeVar("Item")
WorldT = TypeVar("WorldT", bound="World")
Outcome: TypeAlias = "Answer | str | None"  # None is a refusal, a text what was raised


class Answer(NamedTuple):
    """The ids of a page, and how many rows there are on all pages."""

    ids: list[str]
    total: int


class Request(Protocol):
    """A request that can be made smaller."""

    def query(self) -> Any: ...  # noqa: ANN401
    def smaller(self) -> Iterator["Request"]:
        """Yields requests with less in them."""
        ...


class World(Protocol):
    """Rows, in parts that can be left out, and requests for them."""

    @property
    def parts(self) -> Sequence[Any]: ...
    def keeping(self, parts: Sequence[Any]) -> Self: ...
    def requests(self, seed: int, engines: Any) -> Iterator[Sequence[Request]]:  # noqa: ANN401
        """Yields requests to the same rows without end.

        The rows may change in between, here and in the engines.
        """
        ...

    def expected(self, request: Any, engine: Any) -> Answer: ...  # noqa: ANN401
    def lines(self) -> Iterator[str]:
        """Yields the rows as they are shown."""
        ...


class Engine(ABC, Generic[WorldT]):
    """An engine that holds the rows of a world."""

    name: str
    most_refused = 0.0  # of all requests, that it can't answer exactly and says so
    one_in = 1  # worlds of a long run, for an engine that is slow

    @abstractmethod
    def load(self, world: WorldT) -> None: ...
    @abstractmethod
    def answer(self, query: Any) -> Answer: ...  # noqa: ANN401
    def respond(self, _request: Any, query: Any) -> Answer:  # noqa: ANN401
        """Answers a request, which is parsed already."""
        return self.answer(query)


def is_refusal(error: Exception) -> bool:
    """Returns true if an engine has no exact form of a condition, as sluice says."""
    if isinstance(error, sluice.ApiError):
        return error.rule in ("sql_inexact", "test_unanswered")
    if type(error).__name__ in ("CompileError", "NotSupportedError"):  # of SQLAlchemy and Django
        return "exactly" in str(error)
    return type(error) is ValueError and "has no exact expression" in str(error)


def outcome_of(engine: Engine[Any], request: Request, query: object) -> Outcome:
    """Returns an engine's answer; an undocumented error is shown as a difference."""
    try:
        return engine.respond(request, query)
    except Exception as error:
        return None if is_refusal(error) else repr(error)


class Difference(NamedTuple):
    """A request that an engine answers otherwise than the rows say."""

    engine: str
    request: Request
    world: World
    actual: Outcome
    expected: Answer

    def __str__(self) -> str:
        rows = (f"row      {line}" for line in self.world.lines())
        gives = f"{self.engine} gives {self.actual} instead of {self.expected}"
        return "\n".join([gives, str(self.request), *rows])


class Shrinker:
    """Makes a difference small, part by part of its request and its rows."""

    def __init__(self, first: Difference, engine: Engine[Any]) -> None:
        self.least = first
        self.engine = engine

    def shrink(self) -> Difference:
        self.shrink_rows()
        while any(self.differs(smaller, self.least.world) for smaller in self.smaller()):
            pass
        self.shrink_rows()
        self.engine.load(self.least.world)
        return self.least

    def smaller(self) -> Iterator[Request]:
        return self.least.request.smaller()

    def shrink_rows(self) -> None:
        def differs(parts: Sequence[Any]) -> bool:
            return self.differs(self.least.request, self.least.world.keeping(parts))

        fewest(self.least.world.parts, differs)

    def differs(self, request: Request, world: World) -> bool:
        """Keeps what still differs; a request that is none any more doesn't."""
        self.engine.load(world)
        try:
            query = request.query()
            expected = world.expected(request, self.engine)
        except (sluice.ApiError, ValueError):
            return False
        actual = outcome_of(self.engine, request, query)
        if actual in (None, expected):
            return False
        self.least = Difference(self.engine.name, request, world, actual, expected)
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


class Run:
    """Asks engines the same requests, and counts what each refuses and answers otherwise."""

    def __init__(self, engines: Sequence[Engine[Any]]) -> None:
        self.engines = engines
        self.worlds = self.requests = 0
        self.answered: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.different: Counter[str] = Counter()

    def first_difference(
        self,
        world: World,
        queries: int,
        seed: int,
        engines: Sequence[Engine[Any]] | None = None,
        progress: Callable[[int], object] = lambda _: None,
    ) -> Difference | None:
        """Asks so many requests; the first that an engine answers otherwise, shrunk."""
        engines = self.engines if engines is None else engines
        self.worlds += 1
        for engine in engines:
            engine.load(world)
        left = queries
        for batch in world.requests(seed, engines):
            requests = batch[:left]
            parsed = [(request, request.query()) for request in requests]
            expected = [[world.expected(of, engine) for of in requests] for engine in engines]
            for engine, answers in zip(engines, expected, strict=True):
                for (request, query), answer in zip(parsed, answers, strict=True):
                    actual = outcome_of(engine, request, query)
                    if actual is None:
                        self.refused[engine.name] += 1
                        continue
                    self.answered[engine.name] += 1
                    if actual != answer:
                        self.different[engine.name] += 1
                        now = world.keeping(world.parts)
                        first = Difference(engine.name, request, now, actual, answer)
                        return Shrinker(first, engine).shrink()
            self.requests += len(requests)
            progress(len(requests))
            left -= len(requests)
            if not left:
                return None
        return None

    def refusing(self) -> list[str]:
        """The engines that refused more than they may."""
        return [engine.name for engine in self.engines if self.share(engine) > engine.most_refused]

    def share(self, engine: Engine[Any]) -> float:
        """Returns the share of requests that an engine refused."""
        refused = self.refused[engine.name]
        return refused / max(refused + self.answered[engine.name], 1)

    def __str__(self) -> str:
        head = (
            f"{'engine':30} {'compared':>10} {'different':>10} {'refused':>8} {'at most':>8} worlds"
        )
        return "\n".join(
            [
                f"{self.requests:,} requests of {self.worlds:,} worlds",
                head,
                *(
                    f"{engine.name:30} {self.answered[engine.name]:10,}"
                    f" {self.different[engine.name]:10,} {self.share(engine):8.1%}"
                    f" {engine.most_refused:8.1%} 1 in {engine.one_in}"
                    for engine in self.engines
                ),
            ]
        )
