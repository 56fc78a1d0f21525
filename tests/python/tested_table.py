# SPDX-License-Identifier: MIT
"""Tables of tested rows, random requests for their pages, and the answers of a plain loop."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from itertools import count
from typing import Any, NamedTuple, TypeAlias

import declared_requests
from differences import Answer, Engine
from oracle.listing import holds
from random_rows import EPOCH
from tested_rows import COLUMNS, SIZES, TESTED, Order, TestedRows

from sluice import ApiError, ListQuery
from sluice._sluice import _GRAMMARS
from sluice.grammars import parse_expression, write_expression

Row: TypeAlias = Mapping[str, Any]
Tree: TypeAlias = dict[str, Any]
Form: TypeAlias = Callable[[Row], Row]
UNWRITTEN = ("expression_inexpressible", "query_too_long", "query_too_many")
MILLISECOND = EPOCH.resolution * 1_000

WALKS = 0.03  # of the requests are the first of a walk
BATCH = 100  # of requests, each engine's after those of the others


class Place(NamedTuple):
    """The row that a page is beside, as the engine has it that made the cursor."""

    cursor: str
    row: Row
    is_before: bool


class TreeRequest(NamedTuple):
    """A tree, its order and a page."""

    where: Tree
    order: Order
    size: int
    number: int = 1
    place: Place | None = None
    grammar: str | None = None  # in which the tree is written and read, if it can be

    def query(self) -> ListQuery:
        tree: Tree = {"where": self.where, "order": self.order}
        if self.place is None:
            return self.read({**tree, "page": {"number": self.number, "size": self.size}})
        text = self.place.cursor or self.read(tree).cursor_beside(
            [present(self.place.row[key["column"]]) for key in with_id(self.order)],
            before=self.place.is_before,
        )
        return self.read({**tree, "cursor": {"text": text, "size": self.size}})

    def read(self, tree: Tree) -> ListQuery:
        where = tree["where"] if self.grammar is None else respelled(self.grammar, tree["where"])
        return ListQuery.from_tree({**tree, "where": where}, TESTED)

    def smaller(self) -> Iterator["TreeRequest"]:
        """Yields requests with less in them. Their cursors are made anew: it has another mark."""
        place = self.place and self.place._replace(cursor="")
        for where in smaller_trees(self.where):
            yield self._replace(where=where, place=place)
        for at in range(len(self.order)):
            order = [*self.order[:at], *self.order[at + 1 :]]
            yield self._replace(order=order, place=place)
        if self.number > 1:
            yield self._replace(number=1)

    def __str__(self) -> str:
        beside = f"beside   {self.place}\n" if self.place else ""
        where = json.dumps(self.where, default=str)
        return (
            f"where    {where}\ngrammar  {self.grammar}\norder    {self.order}\n{beside}"
            f"page     {self.number}, {self.size}"
        )


class ClassRequest(NamedTuple):
    """A request of a class, which stands for a tree."""

    where: Tree
    order: Order
    size: int
    number: int
    request: declared_requests.Request
    place: Place | None = None

    def query(self) -> ListQuery:
        signs = {"asc": "", "desc": "-"}
        order = ",".join(signs[key["direction"]] + key["column"] for key in with_id(self.order))
        return self.request.parse(order, {"page": f"{self.number}", "limit": f"{self.size}"})

    def smaller(self) -> Iterator[TreeRequest]:
        """Yields the tree, which may be what is answered otherwise."""
        yield TreeRequest(self.where, self.order, self.size, self.number)

    def __str__(self) -> str:
        return f"request  {self.request.pairs}\n{next(self.smaller())}"


Asked: TypeAlias = TreeRequest | ClassRequest


def respelled(grammar: str, where: Tree) -> Tree:
    """A tree as it is read from its text in a grammar; the tree, if it has none."""
    of: Any = grammar
    try:
        text = write_expression(of, {"where": where}, TESTED)
    except ApiError as error:
        if error.rule not in UNWRITTEN:
            raise
        return where
    read: Tree = parse_expression(of, text, TESTED)["where"]
    return read


def present(value: Any) -> Any:  # noqa: ANN401
    """A value, or None for NaN."""
    return value if value == value else None


def smaller_trees(where: Tree) -> Iterator[Tree]:
    """Yields trees with a part or a value less."""
    if "column" in where:
        for name, member in where.items():
            if name in ("gt", "gte", "lt", "lte") and len(where) > 2:
                yield {other: where[other] for other in where if other != name}
            elif name == "any":
                yield from ({**where, name: inner} for inner in smaller_trees(member))
            elif isinstance(member, list) and len(member) > 1:
                for at in range(len(member)):
                    yield {**where, name: member[:at] + member[at + 1 :]}
        return
    [(kind, inner)] = where.items()
    if kind == "not":
        yield inner
        yield from ({kind: smaller} for smaller in smaller_trees(inner))
        return
    yield from inner
    for at, part in enumerate(inner):
        yield {kind: inner[:at] + inner[at + 1 :]}
        for smaller in smaller_trees(part):
            yield {kind: [*inner[:at], smaller, *inner[at + 1 :]]}


def with_id(order: Order) -> Order:
    """An order with the unique key."""
    return [*order, {"column": "id", "direction": order[-1]["direction"] if order else "asc"}]


def in_order(rows: Sequence[Row], order: Order) -> list[Row]:
    """Sorted by each key, with those that have none first."""
    ordered = list(rows)
    for key in reversed(with_id(order)):
        ordered.sort(key=partial(rank, key["column"]), reverse=key["direction"] == "desc")
    return ordered


def rank(column: str, row: Row) -> tuple[bool, Any]:
    value = row[column]
    if value is None or value != value:  # NaN
        return (False, 0)
    if column == "size":
        return (True, SIZES.index(value))
    if column == "token":
        return (True, value.lower())
    return (True, value.encode() if isinstance(value, str) else value)


def is_after(row: Row, other: Row, order: Order) -> bool:
    """Returns true if a row comes after another one."""
    for key in with_id(order):
        left, right = (rank(key["column"], of) for of in (row, other))
        if left != right:
            return (left > right) == (key["direction"] == "asc")
    return False


def in_milliseconds(at: datetime | None) -> datetime | None:
    return at and EPOCH + (at - EPOCH) // MILLISECOND * MILLISECOND


def whole(row: Row) -> Row:
    return row


class TableEngine(Engine["TestedTable"]):
    """An engine that holds the rows of a TestedTable."""

    has_pages = False  # otherwise it gives all rows, in their order in the table

    form: Form = staticmethod(whole)  # of a row, as the engine has room for it
    shown: list[str] | None = None  # the ids of its last page
    keeps_microseconds = False  # of times, and in cursors

    def change(self, world: "TestedTable", gone: Sequence[Row], added: Sequence[Row]) -> None:
        """Follows a change of the rows."""
        self.load(world)

    def beside(self, is_before: bool) -> str | None:
        """The cursor beside its last page; None where there is no page."""
        raise NotImplementedError


class TestedTable:
    """Rows of TESTED, which come and go between the pages of a walk."""

    __test__ = False

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = list(rows)
        self.numbers = count(len(self.rows))
        self.forms: dict[Form, list[Row]] = {}
        self.taken: dict[tuple[int, Form], list[Row]] = {}  # by the identity of a condition
        self.answers: dict[tuple[int, Form, bool, bool], Answer] = {}  # likewise, of requests
        self.known: list[Asked] = []  # what has these identities

    @classmethod
    def of(cls, seed: int, size: int = 60) -> "TestedTable":
        source = TestedRows(seed)
        return cls([source.row(number) | source.nul() for number in range(size)])

    @property
    def parts(self) -> list[Row]:
        return self.rows

    def keeping(self, parts: Sequence[Row]) -> "TestedTable":
        return TestedTable(parts)

    def lines(self) -> Iterator[str]:
        return map(str, self.rows)

    def taken_by(self, request: Asked, form: Form) -> list[Row]:
        """The rows of a request in a form, in their order here."""
        if form not in self.forms:
            self.forms[form] = [form(row) for row in self.rows]
        key = id(request.where), form
        if key not in self.taken:
            self.known.append(request)
            rows = self.forms[form]
            self.taken[key] = [row for row in rows if holds(request.where, COLUMNS, row)]
        return self.taken[key]

    def expected(self, request: Asked, engine: "TableEngine") -> Answer:
        key = id(request), engine.form, engine.has_pages, engine.keeps_microseconds
        if key not in self.answers:
            self.known.append(request)
            self.answers[key] = self.answer(request, engine)
        return self.answers[key]

    def answer(self, request: Asked, engine: "TableEngine") -> Answer:
        taken = self.taken_by(request, engine.form)
        if not engine.has_pages:
            return Answer([row["id"] for row in taken], len(taken))
        ordered = in_order(taken, request.order)
        page = ordered[(request.number - 1) * request.size :][: request.size]
        if request.place:
            _, beside, is_before = request.place
            if not engine.keeps_microseconds:
                beside = {**beside, "created": in_milliseconds(beside["created"])}
            if is_before:
                before = [row for row in ordered if is_after(beside, row, request.order)]
                page = before[-request.size :]
            else:
                after = [row for row in ordered if is_after(row, beside, request.order)]
                page = after[: request.size]
        return Answer([row["id"] for row in page], len(taken))

    def forget(self) -> None:
        """Empties the answers that are known."""
        self.taken, self.answers, self.known = {}, {}, []

    def requests(self, seed: int, engines: Sequence["TableEngine"]) -> Iterator[list[Asked]]:
        random = TestedRows(seed)
        batch: list[Asked] = []
        while True:
            where, order = random.where(random.few(), 3), random.order()
            number = random.choice((1, 1, 2, 3, 2**62))
            request = TreeRequest(where, order, random.randrange(1, 30), number)
            batch.append(request._replace(grammar=random.choice((None, *_GRAMMARS))))
            drawn = declared_requests.draw(random, random.few())
            batch.append(ClassRequest(drawn.where, order, random.randrange(1, 30), number, drawn))
            walks = random.random() < WALKS
            if walks or len(batch) >= BATCH:
                yield batch
                self.forget()
                batch = []
            if walks:
                first = TreeRequest(where, order, random.randrange(1, 20))
                for request in self.walk(random, first, engines):
                    yield [request]
                self.forget()

    def walk(
        self, random: TestedRows, first: TreeRequest, engines: Sequence["TableEngine"]
    ) -> Iterator[TreeRequest]:
        """The pages to the end and back, at cursors of any engine, while rows come and go.

        No row that stays is lost or comes again.
        """
        makers = [engine for engine in engines if engine.has_pages]
        # A cursor of milliseconds is beside another row of a table with microseconds.
        by_time = any(key["column"] == "created" for key in first.order)
        is_exact = not by_time or len({engine.keeps_microseconds for engine in makers}) == 1
        place: Place | None = None
        for is_before in (False, True):
            stayed, shown = self.steady(first, makers), Counter[str]()
            if place:  # others came after the last page
                last = place.row
                stayed = {
                    id_: row for id_, row in stayed.items() if is_after(last, row, first.order)
                }
            cursor: str | None = ""
            while cursor is not None:
                yield first._replace(place=place)
                answered = [engine for engine in makers if engine.shown is not None]
                if not answered:
                    return
                maker = random.choice(answered)
                ids = maker.shown or []
                shown.update(ids)
                cursor = maker.beside(is_before) if ids else None
                if ids:
                    beside = maker.form(self.row(ids[0 if is_before else -1]))
                    place = Place(cursor or "", beside, is_before)
                if random.random() < 0.3:
                    self.change(random, engines)
                now = self.steady(first, makers)
                stayed = {id_: row for id_, row in stayed.items() if id_ in now}
            if is_exact:
                assert all(shown[id_] == 1 for id_ in stayed), (str(first), stayed, shown)
            if place is None:
                return
            place = place._replace(cursor="", is_before=True)

    def row(self, id_: str) -> Row:
        return next(row for row in self.rows if row["id"] == id_)

    def steady(self, request: TreeRequest, makers: Sequence["TableEngine"]) -> dict[str, Row]:
        """The rows that a request takes of every engine, which all have alike, by id."""
        forms = {engine.form for engine in makers}
        taken = (
            {row["id"]: row for row in self.taken_by(request, form) if present(row["score"])}
            for form in forms
        )
        first, *others = [*taken] or [{}]
        return {id_: row for id_, row in first.items() if all(of.get(id_) == row for of in others)}

    def change(self, random: TestedRows, engines: Sequence["TableEngine"]) -> None:
        """Takes rows away and adds others, here and in the engines."""
        gone = random.sample(self.rows, min(len(self.rows), random.randrange(3)))
        added: list[Row] = [
            random.row(next(self.numbers)) | random.nul() for _ in range(random.randrange(3))
        ]
        self.rows = [row for row in self.rows if row not in gone] + added
        self.forms = {}
        self.forget()
        for engine in engines:
            engine.change(self, gone, added)
