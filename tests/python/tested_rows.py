# SPDX-License-Identifier: MIT
"""Rows with a column of each type, and random queries with each test of them."""

import json
import math
import unicodedata
from datetime import date
from decimal import Decimal
from typing import Any, TypeAlias
from uuid import UUID

from random_rows import NUMBERS, PATHS, SCHEMA, SOUGHT, TEXTS, RandomRows

import sluice
from sluice import Column, _sluice

Order: TypeAlias = list[dict[str, str]]
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
LONG = "123456789012345678901234567890123456.78"
LONG_DECIMALS = (Decimal(LONG), Decimal(f"-{LONG}"))


class TestedRows(RandomRows):
    """Rows of TESTED; a list that is missing may be told from an empty one."""

    __test__ = False

    def row(self, number: int) -> dict[str, Any]:
        row = super().row(number)
        hostile = {
            "id": f"{self.choice(('r', 'R', 'é', '_'))}{number}",
            "tags": row["tags"] or [],
            "total": self.choice([row["total"], row["total"], *LONG_DECIMALS]),
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
