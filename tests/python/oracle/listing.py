# SPDX-License-Identifier: MIT
"""The rows that a list query takes, by its tree, each row alone."""

import operator
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from functools import cache, partial
from typing import Any, TypeAlias

import sluice
from oracle.request import ascii_lower

Row = Mapping[str, Any]
Value: TypeAlias = Any

COMPARE = {"gt": operator.gt, "gte": operator.ge, "lt": operator.lt, "lte": operator.le}
OPERATORS = {"equal": "=", "not_equal": "!=", "gt": ">", "gte": ">=", "lt": "<", "lte": "<="}


def takes(query: sluice.ListQuery, rows: Iterable[Row]) -> list[bool]:
    columns = {column.name: column for column in query.schema}
    where = query.tree()["where"]
    return [holds(where, columns, row) for row in rows]


def holds(where: Mapping[str, Any], columns: Mapping[str, sluice.Column], row: Row) -> bool:
    if "column" in where:
        return leaf_holds(where, columns[where["column"]], row[where["column"]])
    if "not" in where:
        return not holds(where["not"], columns, row)
    if "all" in where:
        return all(holds(part, columns, row) for part in where["all"])
    return any(holds(part, columns, row) for part in where["any"])


def leaf_holds(leaf: Mapping[str, Any], column: sluice.Column, value: Value) -> bool:
    value = None if value != value else value  # NaN
    for name, test in TESTS.items():
        if name in leaf:
            return test(leaf[name], column, value)
    return value is not None and all(
        compare(cut(value, column), bound(leaf[name], column))
        for name, compare in COMPARE.items()
        if name in leaf
    )


def has_part(
    is_part: Callable[[str, str], bool], parts: list[str], column: sluice.Column, held: Value
) -> bool:
    fold: Callable[[str], str] = ascii_lower if column.collation == "ignore_case" else str
    return any(is_part(fold(text), fold(part)) for text in texts_of(held) for part in parts)


@cache
def parsed(text: str) -> sluice.MetadataQuery:
    return sluice.MetadataQuery.parse(text)


def has_record(where: Mapping[str, Any], column: sluice.Column, held: Value) -> bool:
    columns = {of.name: of for of in column.columns}
    return any(holds(where, columns, record) for record in held or [])


# An empty text in a filter is dropped, and a filter of none but such takes every row.
TESTS: Mapping[str, Callable[[Any, sluice.Column, Value], bool]] = {
    "any_of": lambda texts, column, held: not any(texts) or named(filled(texts), column, held),
    "none_of": lambda texts, column, held: not any(texts) or not named(filled(texts), column, held),
    "all_of": lambda texts, column, held: (
        held is not None and all(named([text], column, held) for text in texts)
    ),
    "contains": partial(has_part, operator.contains),
    "starts_with": partial(has_part, str.startswith),
    "ends_with": partial(has_part, str.endswith),
    "is": lambda wanted, _, held: held is wanted,
    "is_null": lambda wanted, _, held: (held is None) == wanted,
    "any": has_record,
    "matches": lambda tree, _, held: parsed(expression(tree)).matches(held),
}


def named(values: list[str], column: sluice.Column, held: Value) -> bool:
    equal = is_alike if column.type == "uuid" else COLLATIONS[column.collation]
    return any(equal(text, value) for text in texts_of(held) for value in values)


def filled(texts: list[str]) -> list[str]:
    return [text for text in texts if text]


def texts_of(held: Value) -> list[str]:
    items = held if isinstance(held, list) else [held]
    return [str(item) for item in items or [] if item is not None]


def is_alike(text: str, value: str) -> bool:
    return ascii_lower(text) == ascii_lower(value)


COLLATIONS: Mapping[str, Callable[[str, str], bool]] = {
    "exact": lambda text, value: text == value,
    "ignore_case": is_alike,
    "subdivision": lambda text, value: (
        is_alike(text, value) or is_alike(text.split("-", 1)[-1], value)
    ),
    "url": lambda text, value: (text if "?" in value else text.partition("?")[0]) == value,
}


def bound(value: Value, column: sluice.Column) -> Value:
    if column.type == "time":
        return datetime.fromisoformat(value)
    if column.type == "date":
        return date.fromisoformat(value)
    if column.type in ("choice", "text"):
        return cut(value, column)
    return decimal(value) if column.type == "decimal" else value


def decimal(text: str) -> Decimal:
    """Infinite where the exponent is one that Decimal has no room for."""
    try:
        return Decimal(text)
    except InvalidOperation:
        number = Decimal(text.partition("e")[0])
        return number and number * Decimal("Infinity")


def cut(value: Value, column: sluice.Column) -> Value:
    """A value as it is compared: a time to whole milliseconds, a choice by its place."""
    if column.type == "choice":
        return column.choices.index(value)
    if column.type == "text":
        return value.encode()
    if column.type != "time":
        return value
    return value.replace(microsecond=value.microsecond // 1_000 * 1_000)


def expression(tree: Mapping[str, Any]) -> str:
    """A metadata expression as text."""
    if "path" in tree:
        path = "".join(f"[{quoted(key)}]" for key in tree["path"])
        [(name, value)] = [(name, tree[name]) for name in OPERATORS if name in tree]
        return f"metadata{path} {OPERATORS[name]} {quoted(value)}"
    if "not" in tree:
        return f"NOT ({expression(tree['not'])})"
    word = " AND " if "all" in tree else " OR "
    return word.join(f"({expression(part)})" for part in tree.get("all", tree.get("any")))


def quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
