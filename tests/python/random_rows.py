# SPDX-License-Identifier: MIT
"""Rows that are hard to compare, and random queries about them."""

import random
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, TypeAlias

import sluice
from sluice import Column

SCHEMA = (
    Column("id"),
    Column("city"),
    Column("status", is_nullable=True, collation="ignore_case"),
    Column("region", is_nullable=True, collation="subdivision"),
    Column("url", is_nullable=True, collation="url"),
    Column("tags", is_list=True, collation="ignore_case"),
    Column("seats", "integer", is_nullable=True),
    Column("total", "decimal", is_nullable=True),
    Column("created", "time", is_nullable=True),
    Column("open", "boolean", is_nullable=True),
    Column("data", "json", is_nullable=True),
)
TEXTS = (
    *("", "k", "K", "\u212a", "é", "É", "a'b", 'a"b', "a\\b", "a\tb", "a\nb", "%", "_", "7", "7.0"),
    *("US", "us", "US-CA", "us-ca", "CA", "ca", "X-Y-Z", "Y-Z", "Z", "X-", "-", "-CA", "\u212a-K"),
    *(
        "e",
        "E",
        "k ",
        "k\t",
        "h?",
        "h?a",
        "h?a?b",
        "h",
        "?",
        "h?a\nb",
        "h-k?a-b",
        "東京",
        "🙂",
        *("e\u0301", "ß", "ss", "\u017f", "s", "İ", "i"),
        "a,b",
        "null",
        "true",
    ),
)
NUMBERS = (0, 1, -1, 7, 2**31, -(2**31), 2**53 + 1, 2**63 - 1, -(2**63))
DECIMALS = (
    *("0", "0.00", "1", "1.0", "-1.5", "1.50", "10", "99.99", "100.01", "-99.99", "1e2"),
    *("123456789012345678901234567.89", "-123456789012345678901234567.89", "1e25", "-1e25"),
)
BOUNDS = (
    *DECIMALS,
    *("1e400", "-1e400", "1e-400", "-1e-400", "1.005", "0.001", "1e99999999999999999999"),
    *("123456789012345678901234567.891", "9" * 80, "0e99999999999999999999"),
)
Bound: TypeAlias = Any

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
TIMES = (0, 1, -1, 999, 1_000, 1_787_000_000_123, -62_135_596_800_000, 253_402_300_799_999)
DOCUMENTS = (
    *('{"plan":"pro"}', '{"plan":"free","plan":"pro"}', '{"n":123456789012345678901234567890}'),
    *('{"n":1e400}', '{"n":"7"}', '{"n":7.0}', '{"a b":{"é":[1,"x"]}}', "{}", "null", "[1]"),
    *('{"it\'s":true}', '{"":null}', '{"plan":"\\u212a"}', '"pro"'),
)
PATHS = (("plan",), ("n",), ("a b", "é", "1"), ("a b", "é", "01"), ("it's",), ("",), ("0",))
SOUGHT = ("pro", "7", "7.0", "123456789012345678901234567890", "1e400", "x", "true", "1", "k", "")


class RandomRows(random.Random):
    """Rows and queries, the same for the same seed."""

    def row(self, number: int) -> dict[str, Any]:
        maybe = [None, *TEXTS]
        return {
            "id": f"r{number}",
            "city": self.choice(TEXTS),
            **{name: self.choice(maybe) for name in ("status", "region", "url")},
            "tags": self.choice([None, [], self.choices(TEXTS, k=3), [self.choice(TEXTS)]]),
            "seats": self.choice([None, *NUMBERS]),
            "total": self.choice([None, *map(Decimal, DECIMALS)]),
            "created": self.choice([None, *map(self.time, TIMES)]),
            "open": self.choice([None, True, False]),
            "data": self.choice([None, *DOCUMENTS]),
        }

    def time(self, milliseconds: int) -> datetime:
        return EPOCH + timedelta(milliseconds=milliseconds, microseconds=self.choice([0, 1, 999]))

    def query(self, *without: str) -> sluice.ListQuery:
        columns = [column for column in SCHEMA if column.name not in without]
        return sluice.ListQuery.from_tree({"where": self.where(columns, 3)}, SCHEMA)

    def where(self, columns: list[Column], depth: int) -> dict[str, Any]:
        kind = self.choice(["all", "any", "not", "leaf", "leaf"]) if depth else "leaf"
        if kind == "leaf":
            column = self.choice(columns)
            return {"column": column.name, **self.test(column)}
        if kind == "not":
            return {"not": self.where(columns, depth - 1)}
        return {kind: [self.where(columns, depth - 1) for _ in range(self.randrange(4))]}

    def test(self, column: Column) -> dict[str, Any]:
        name = self.choice(["any_of", "none_of"])
        match column.type:
            case "text":
                return {name: self.sample(TEXTS, self.randrange(6))}
            case "boolean":
                return {"is": self.choice([True, False])}
            case "json":
                return {"matches": self.paths(2)}
            case "integer" if self.random() < 0.5:
                texts = [*map(str, NUMBERS), "07", "-0", "1e0", "x", "9" * 19]
                return {name: self.sample(texts, self.randrange(6))}
        return self.bounds(column)

    def bounds(self, column: Column) -> dict[str, Any]:
        lower = self.sample(["gt", "gte"], self.randrange(2))
        upper = self.sample(["lt", "lte"], self.randrange(2))
        return {name: self.bound(column) for name in lower + upper}

    def bound(self, column: Column) -> Bound:
        if column.type == "integer":
            return self.choice(NUMBERS)
        if column.type == "decimal":
            return self.choice(BOUNDS)
        at = EPOCH + timedelta(milliseconds=self.choice(TIMES))
        return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def paths(self, depth: int) -> dict[str, Any]:
        kind = self.choice(["all", "any", "not", "leaf"]) if depth else "leaf"
        if kind == "leaf":
            op = self.choice(["equal", "not_equal", "gt", "gte", "lt", "lte"])
            numbers = SOUGHT[1:5] if op in ("gt", "gte", "lt", "lte") else SOUGHT
            return {"path": list(self.choice(PATHS)), op: self.choice(numbers)}
        if kind == "not":
            return {"not": self.paths(depth - 1)}
        return {kind: [self.paths(depth - 1) for _ in range(2)]}


# Trees that are nested deeply, or wide.

SHAPES = [  # for deep(), and whether SQLite's parser has room for it
    *(("not", depth, True) for depth in (1, 40, 64)),
    *(("all any", depth, depth <= 40) for depth in (27, 40, 41, 64)),
    *(("all not", depth, True) for depth in (40, 64)),
    ("not any not all not", 64, True),
]


def deep(kinds: str, depth: int) -> dict[str, Any]:
    """`kinds` again and again around a test, with another beside it in each group."""
    condition: dict[str, Any] = {"column": "tags", "any_of": ["k"]}
    beside = {"column": "region", "none_of": ["ca"]}
    for level in range(depth):
        kind = kinds.split()[level % len(kinds.split())]
        condition = {"not": condition} if kind == "not" else {kind: [beside, condition]}
    return condition


def long_row(kind: str, size: int) -> dict[str, Any]:
    """A group of many tests."""
    parts: list[dict[str, Any]] = [
        {"column": "city", "none_of": [f"x{number}"]} for number in range(size)
    ]
    return {kind: parts if kind == "all" else [{"not": part} for part in parts]}
