# SPDX-License-Identifier: MIT
"""Random classes of requests, requests of them, and the trees that these stand for."""

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any, NamedTuple, TypeAlias

from random_rows import DECIMALS, EPOCH, TIMES
from tested_rows import COLUMNS, DAYS, HOSTILE, PARTS, REALS, SIZES, TOKENS, TestedRows

import sluice
from sluice import Column, ListQuery

Leaf: TypeAlias = dict[str, Any]
BOUNDS = {">=": "gte", ">": "gt", "<=": "lte", "<": "lt"}


class Drawn(NamedTuple):
    """A parameter of a class, its pair in a request, and its condition."""

    function: str
    columns: Sequence[Column]
    text: str
    leaf: Leaf
    operator: str = ""

    @property
    def name(self) -> str:
        """The suffix of the parameter's name, such as [gte]."""
        return f"[{BOUNDS[self.operator]}]" if self.operator else ""

    def parameter(self) -> Any:  # noqa: ANN401
        if self.function == "search":
            return sluice.search(*self.columns)
        words: dict[str, Any] = {"column": self.columns[0]}
        if self.operator:
            words["operators"] = (self.operator,)
        if self.function == "choice":
            return sluice.choice(SIZES, type="choice", **words)
        return getattr(sluice, self.function)(**words)


class Request(NamedTuple):
    """A class, a request of it without its order and page, and the condition that it stands for."""

    drawn: Mapping[str, Drawn]
    where: Leaf

    @property
    def pairs(self) -> dict[str, str]:
        return {f"{name}{of.name}": of.text for name, of in self.drawn.items()}

    def parse(self, order: str, page: Mapping[str, str]) -> ListQuery:
        keys = [of for of in COLUMNS.values() if not of.is_list and of.type not in NO_KEYS]
        parameters = {name: of.parameter() for name, of in self.drawn.items()}
        members = {"order": sluice.sort(*keys), "page": sluice.page(), **parameters}
        declared: Any = type("Declared", (ListQuery,), members)
        query: ListQuery = declared.parse({**self.pairs, **page, "order": order})
        return query


NO_KEYS = ("json", "records")


def draw(random: TestedRows, columns: Sequence[Column]) -> Request:
    """Draws a class with a parameter for each column that can have one."""
    drawn = [kind(random, of)(random, of) for of in columns if of.type not in NO_KEYS]
    named = {f"p{at}": of for at, of in enumerate(drawn)}
    return Request(named, {"all": [of.leaf for of in drawn]})


def kind(random: TestedRows, column: Column) -> Callable[[TestedRows, Column], Drawn]:
    """Returns the function that draws a parameter of a column."""
    kinds: list[Callable[[TestedRows, Column], Drawn]] = []
    if column.is_nullable:
        kinds.append(null)
    if column.is_list or column.type in ("text", "integer", "date", "uuid"):
        kinds += [listed] * 2
    if column.type == "text" and column.collation in ("exact", "ignore_case"):
        kinds += [part, searched] if not column.is_list else [part]
    if column.type == "boolean":
        kinds.append(flag)
    if not column.is_list and column.type in RANGES:
        kinds += [ranged] * 2 if column.collation == "exact" else []
    return random.choice(kinds)


def null(random: TestedRows, column: Column) -> Drawn:
    is_null = random.choice((True, False))
    leaf = {"column": column.name, "is_null": is_null}
    return Drawn("is_null", [column], str(is_null).lower(), leaf)


def flag(random: TestedRows, column: Column) -> Drawn:
    wanted = random.choice((True, False))
    leaf = {"column": column.name, "is": wanted}
    return Drawn("boolean", [column], str(wanted).upper(), leaf)


def listed(random: TestedRows, column: Column) -> Drawn:
    """A filter, whose text has escapes."""
    some = {"text": HOSTILE, "date": DAYS, "uuid": TOKENS, "choice": SIZES}
    values = [str(random.choice(some.get(column.type, (7, -1, 2**63 - 1)))) for _ in range(3)]
    values = list(dict.fromkeys(value for value in values if value)) or ["k"]
    if column.type == "uuid":
        values = [*map(str.lower, values)]
    excludes = random.choice((True, False))
    escaped = (value.replace("\\", "\\\\").replace(",", "\\,") for value in values)
    items = (f"\\{value}" if value.startswith("-") else value for value in escaped)
    leaf = {"column": column.name, "none_of" if excludes else "any_of": values}
    return Drawn("filter", [column], "-" * excludes + ",".join(items), leaf)


def part(random: TestedRows, column: Column) -> Drawn:
    name = random.choice(("contains", "starts_with", "ends_with"))
    text = random.choice([text for text in PARTS if text])
    return Drawn(name, [column], text, {"column": column.name, name: [text]})


def searched(random: TestedRows, column: Column) -> Drawn:
    """A search of two columns."""
    words = [text for text in random.sample(PARTS, 3) if text] or ["k"]
    columns = [*dict.fromkeys((column, COLUMNS["city"]))]
    leaves = [{"column": of.name, "contains": words} for of in columns]
    return Drawn("search", columns, " ".join(words), {"any": leaves})


RANGES = ("integer", "decimal", "real", "date", "time", "choice", "text")


def ranged(random: TestedRows, column: Column) -> Drawn:
    operator = random.choice([*BOUNDS])
    drawn: Mapping[str, Callable[[], Any]] = {
        "integer": lambda: random.choice((0, -1, 7, 2**63 - 1, -(2**63))),
        "decimal": lambda: random.choice((*DECIMALS, "1e400", "1.005")),
        "real": lambda: random.choice(REALS[:-1]),
        "date": lambda: str(random.choice(DAYS)),
        "time": lambda: EPOCH + timedelta(milliseconds=random.choice(TIMES)),
        "choice": lambda: random.choice(SIZES),
        "text": lambda: random.choice([text for text in HOSTILE if text]),
    }
    bound = drawn[column.type]()
    if column.type == "time":
        bound = bound.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    text = repr(bound) if column.type == "real" else str(bound)
    leaf = {"column": column.name, BOUNDS[operator]: bound}
    return Drawn(column.type, [column], text, leaf, operator)
