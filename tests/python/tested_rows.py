# SPDX-License-Identifier: MIT
"""Rows with a column of each type, random queries with each test of them, and a loop's answers."""

import json
import math
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from functools import partial
from itertools import count
from typing import Any, NamedTuple, TypeAlias
from uuid import UUID

from differences import Answer, Engine
from oracle.listing import holds
from random_rows import NUMBERS, PATHS, SCHEMA, SOUGHT, TEXTS, RandomRows

import sluice
from sluice import Column, ListQuery, _sluice

Row: TypeAlias = Mapping[str, Any]
Tree: TypeAlias = dict[str, Any]
Order: TypeAlias = list[dict[str, str]]
Form: TypeAlias = Callable[[Row], Row]

SIZES = ("small", "Medium", "an 'XL'", "größer")
LINES = (
    Column("sku", collation="ignore_case"),
    Column("count", "integer", is_nullable=True),
    Column("weight", "real", is_nullable=True),
    Column("fresh", "boolean", is_nullable=True),
    Column("packed", "date", is_nullable=True),
    Column("size", "choice", is_nullable=True, choices=SIZES),
    Column("marks", is_list=True, collation="ignore_case"),
    Column("bins", "integer", is_list=True),
)
TESTED = (
    *SCHEMA,
    Column("note", is_nullable=True),
    Column("labels", is_list=True, is_nullable=True),
    Column("regions", is_list=True, collation="subdivision"),
    Column("ports", "integer", is_list=True, is_nullable=True),
    Column("score", "real", is_nullable=True),
    Column("due", "date", is_nullable=True),
    Column("token", "uuid", is_nullable=True),
    Column("tokens", "uuid", is_list=True, is_nullable=True),
    Column("size", "choice", is_nullable=True, choices=SIZES),
    Column("sizes", "choice", is_list=True, is_nullable=True, choices=SIZES),
    Column("lines", "records", is_nullable=True, columns=LINES),
)
COLUMNS = {column.name: column for column in TESTED}
PARTS = (
    *("", "k", "K", "\u212a", "é", "É", "a", "A", "'", '"', "\\", "%", "_", "[", "]", "*", "-"),
    *("a%", "_b", "[a]", "US", "-ca", "h?", "東", "🙂", "ß", "\u017f", "i", "İ", "e\u0301"),
    "x\U0010ffff",
)
HOSTILE = (
    *(*TEXTS, "a%b", "a_b", "axb", "[a]", "a]*?", "\\'\"", "xyz", "\U0010ffff", "x\U0010ffffy"),
    *(unicodedata.normalize(form, "Éa") for form in ("NFC", "NFD")),
)
REALS = (0.0, -0.0, 0.1, -1.5, 1e300, 5e-324, 2.0**53, 1.7976931348623157e308, math.nan)
DAYS = (date(1, 1, 1), date(1969, 12, 31), date(1970, 1, 1), date(2024, 2, 29), date(9999, 12, 31))
TOKENS = tuple(UUID(int=number) for number in (0, 1, 2**127, 2**128 - 1, 0xABCDEF << 96))
PART_TESTS = ("contains", "starts_with", "ends_with")
DOCUMENTS = (
    *('{"plan":"pr\\u0000o"}', '{"k\\u0000":1,"":{"":"\\u0001"}}', '{"n":-0.0,"data":"x"}'),
    *('{"n":1e-400}', '{"n":"1e400"}', '{"n":[1,"x"]}', '[{"0":"x"},["y"]]', '{"a b":{"0":1}}'),
)
JSON_PATHS = (("k\0",), ("", ""), ("n", "0"), ("n", "00"), ("n", "-1"), ("0", "0"), ("1", "0"))
JSON_VALUES = ("pr\0o", "\1", "-0", "1e-400", "10e399", "y", "' OR 1=1 --", "$1", "{p1:String}")
INJECTED = ("a\0", "x') --", "?1", "$1", "%1", "%s", "{p1:String}")
LONG_DECIMAL = Decimal("123456789012345678901234567890123456.78")


class TestedRows(RandomRows):
    """Rows of TESTED; a list that is missing may be told from an empty one."""

    __test__ = False

    def row(self, number: int) -> dict[str, Any]:
        row = super().row(number)
        hostile = {
            "id": f"{self.choice(('r', 'R', 'é', '_'))}{number}",
            "tags": row["tags"] or [],
            "total": self.choice([row["total"], row["total"], LONG_DECIMAL, -LONG_DECIMAL]),
            "data": self.choice([row["data"], *DOCUMENTS]),
        }
        return row | hostile | {of.name: self.value(of) for of in TESTED[len(SCHEMA) :]}

    def value(self, column: Column) -> Any:  # noqa: ANN401
        if column.is_nullable and self.random() < 0.2:
            return None
        if column.is_list:
            return [self.item(column) for _ in range(self.randrange(4))]
        return self.item(column)

    def item(self, column: Column) -> Any:  # noqa: ANN401
        match column.type:
            case "integer":
                return self.choice(NUMBERS)
            case "real":
                return self.choice(REALS[:-1] if column in LINES else REALS)
            case "boolean":
                return self.choice((True, False))
            case "date":
                return self.choice(DAYS)
            case "uuid":
                return self.choice((str.upper, str.lower))(str(self.choice(TOKENS)))
            case "choice":
                return self.choice(column.choices)
            case "records":
                return [
                    {of.name: self.value(of) for of in column.columns}
                    for _ in range(self.randrange(4))
                ]
        return self.choice(HOSTILE)

    def query(self, *without: str) -> Any:  # noqa: ANN401
        columns = [column for column in TESTED if column.name not in without]
        return sluice.ListQuery.from_tree({"where": self.where(columns, 3)}, TESTED)

    def nul(self) -> dict[str, Any]:
        """Texts with NUL for a few rows, where an engine can hold them."""
        if self.random() < 0.9:
            return {}
        return {"note": self.choice(("a\0", "\0", "k\0x")), "labels": ["\0", "a\0", "a"]}

    def few(self) -> list[Column]:
        """Some columns, often such that every engine has their tests."""
        plain = [of for of in TESTED if not of.is_list and of.type not in ("json", "records")]
        return self.sample(plain if self.random() < 0.4 else TESTED, self.randrange(1, 5))

    def order(self) -> Order:
        plain = [of.name for of in TESTED if not of.is_list and of.type not in ("json", "records")]
        chosen = self.sample(plain[1:], self.randrange(3))
        return [{"column": name, "direction": self.choice(("asc", "desc"))} for name in chosen]

    def test(self, column: Column) -> dict[str, Any]:
        tests = [
            name
            for name, (_, plain, listed) in _sluice._TESTS.items()
            if column.type in (listed if column.is_list else plain) and self.has(name, column)
        ]
        name = self.choice(tests)
        if name in PART_TESTS:
            return {name: self.sample(PARTS, self.randrange(1, 4))}
        if name == "is_null":
            return {name: self.choice((True, False))}
        if name == "any":
            return {name: self.where([*column.columns], 2)}
        if name in ("any_of", "none_of", "all_of") and (column not in SCHEMA or name == "all_of"):
            return {name: self.texts(column)}
        if name == "bounds" and column.type in ("text", "real", "date", "choice"):
            return self.limits(column)
        test = super().test(column)
        for kind in {"any_of", "none_of"} & test.keys() if column.type == "text" else ():
            test[kind] += self.sample(INJECTED, self.randrange(2))
        return test

    def paths(self, depth: int) -> dict[str, Any]:
        leaf = super().paths(depth)
        if "path" in leaf and self.random() < 0.4:
            leaf["path"] = list(self.choice((*PATHS, *JSON_PATHS)))
            for name in {"equal", "not_equal"} & leaf.keys():
                leaf[name] = self.choice((*SOUGHT, *JSON_VALUES))
        return leaf

    def has(self, name: str, column: Column) -> bool:
        """Returns true if a column can have a test."""
        if name == "is_null":
            return column.is_nullable or column.is_list or column.type == "records"
        if column.type == "text" and name == "bounds":
            return column.collation == "exact"
        return name not in PART_TESTS or column.collation in ("exact", "ignore_case")

    def texts(self, column: Column) -> list[str]:
        """Values that a filter names."""
        some = [str(self.item(column)) for _ in range(self.randrange(1, 4))]
        if column.type == "integer":
            some += self.sample(["07", "-0", "x"], self.randrange(2))
        return some

    def limits(self, column: Column) -> dict[str, Any]:
        limits = self.sample(["gt", "gte"], self.randrange(2)) or ["lt"]
        limits += self.sample(["lt", "lte"], self.randrange(2)) if limits != ["lt"] else []
        return {name: self.limit(column) for name in limits}

    def limit(self, column: Column) -> Any:  # noqa: ANN401
        if column.type == "real":
            return self.choice(REALS[:-1])
        if column.type == "text":
            return self.choice((*HOSTILE, "a\0", "\0", "k\0x"))
        return str(self.item(column))


def stored_records(records: list[dict[str, Any]] | None) -> str | None:
    """Records as a table has them."""
    return None if records is None else json.dumps(records, default=str, ensure_ascii=False)


WALKS = 0.03  # of the requests are the first of a walk

# A plain loop over the rows.


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
        return ListQuery.from_tree(tree, TESTED)

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
            f"where    {where}\norder    {self.order}\n{beside}page     {self.number}, {self.size}"
        )


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


def whole(row: Row) -> Row:
    return row


class TableEngine(Engine["TestedTable"]):
    """An engine that holds the rows of a TestedTable."""

    has_pages = False  # otherwise it gives all rows, in their order in the table

    form: Form = staticmethod(whole)  # of a row, as the engine has room for it

    def change(self, world: "TestedTable", gone: Sequence[Row], added: Sequence[Row]) -> None:
        """Follows a change of the rows."""
        self.load(world)

    def beside(self, is_before: bool) -> tuple[str, str] | None:
        """The cursor beside the page that it answered last, and the id of the row; None without."""
        return None


class TestedTable:
    """Rows of TESTED, which come and go between the pages of a walk."""

    __test__ = False

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = list(rows)
        self.numbers = count(len(self.rows))
        self.last: TreeRequest | None = None
        self.taken: dict[Form, list[Row]] = {}  # of the last request, by the form of rows
        self.forms: dict[Form, list[Row]] = {}

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

    def taken_by(self, request: TreeRequest, form: "Form") -> list[Row]:
        """The rows of a request in a form, in their order here."""
        if request is not self.last:
            self.last, self.taken = request, {}
        if form not in self.forms:
            self.forms[form] = [form(row) for row in self.rows]
        if form not in self.taken:
            rows = self.forms[form]
            self.taken[form] = [row for row in rows if holds(request.where, COLUMNS, row)]
        return self.taken[form]

    def expected(self, request: TreeRequest, engine: "TableEngine") -> Answer:
        taken = self.taken_by(request, engine.form)
        if not engine.has_pages:
            return Answer([row["id"] for row in taken], len(taken))
        ordered = in_order(taken, request.order)
        page = ordered[(request.number - 1) * request.size :][: request.size]
        if request.place:
            _, beside, is_before = request.place
            if is_before:
                before = [row for row in ordered if is_after(beside, row, request.order)]
                page = before[-request.size :]
            else:
                after = [row for row in ordered if is_after(row, beside, request.order)]
                page = after[: request.size]
        return Answer([row["id"] for row in page], len(taken))

    def requests(self, seed: int, engines: Sequence["TableEngine"]) -> Iterator[TreeRequest]:
        random = TestedRows(seed)
        while True:
            where, order = random.where(random.few(), 3), random.order()
            number = random.choice((1, 1, 2, 3, 2**62))
            yield TreeRequest(where, order, random.randrange(1, 30), number)
            if random.random() < WALKS:
                yield from self.walk(
                    random, TreeRequest(where, order, random.randrange(1, 20)), engines
                )

    def walk(
        self, random: TestedRows, first: TreeRequest, engines: Sequence["TableEngine"]
    ) -> Iterator[TreeRequest]:
        """The pages to the end and back, at cursors of any engine, while rows come and go."""
        place: Place | None = None
        for is_before in (False, True):
            while True:
                yield first._replace(place=place)
                beside = self.beside(random, engines, is_before)
                if beside is None:
                    break
                place = beside
                if random.random() < 0.3:
                    self.change(random, engines)
            if place is None:
                return
            place = place._replace(cursor="", is_before=True)

    def beside(
        self, random: TestedRows, engines: Sequence["TableEngine"], is_before: bool
    ) -> Place | None:
        """The place beside the last page, by any engine that made it; None without one."""
        made = ((engine, engine.beside(is_before)) for engine in engines if engine.has_pages)
        found = [(engine, beside) for engine, beside in made if beside]
        if not found:
            return None
        maker, (cursor, id_) = random.choice(found)
        row = next(row for row in self.rows if row["id"] == id_)
        return Place(cursor, maker.form(row), is_before)

    def change(self, random: TestedRows, engines: Sequence["TableEngine"]) -> None:
        """Takes rows away and adds others, here and in the engines."""
        gone = random.sample(self.rows, min(len(self.rows), random.randrange(3)))
        added: list[Row] = [
            random.row(next(self.numbers)) | random.nul() for _ in range(random.randrange(3))
        ]
        self.rows = [row for row in self.rows if row not in gone] + added
        self.last, self.forms = None, {}
        for engine in engines:
            engine.change(self, gone, added)
