# SPDX-License-Identifier: MIT
"""The rows that a list query takes, by its tree, each row alone."""

import operator
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from decimal import Decimal, InvalidOperation
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
    for name, excludes in (("any_of", False), ("none_of", True)):
        if name in leaf:
            return not leaf[name] or named(leaf[name], column, value) != excludes
    if "is" in leaf:
        return value is leaf["is"]
    if "matches" in leaf:
        return sluice.MetadataQuery.parse(expression(leaf["matches"])).matches(value)
    return value is not None and all(
        compare(cut(value, column), bound(leaf[name], column))
        for name, compare in COMPARE.items()
        if name in leaf
    )


def named(values: list[str], column: sluice.Column, held: Value) -> bool:
    items = held if isinstance(held, list) else [held]
    texts = [str(item) for item in items or [] if item is not None]
    return any(COLLATIONS[column.collation](text, value) for text in texts for value in values)


def is_alike(text: str, value: str) -> bool:
    return ascii_lower(text) == ascii_lower(value)


COLLATIONS: Mapping[str, Callable[[str, str], bool]] = {
    "exact": lambda text, value: text == value,
    "ignore_case": is_alike,
    "subdivision": lambda text, value: (
        is_alike(text, value) or is_alike(text.partition("-")[2], value)
    ),
    "url": lambda text, value: (text if "?" in value else text.partition("?")[0]) == value,
}


def bound(value: Value, column: sluice.Column) -> Value:
    if column.type == "time":
        return datetime.fromisoformat(value)
    return decimal(value) if column.type == "decimal" else value


def decimal(text: str) -> Decimal:
    """Infinite where the exponent is one that Decimal has no room for."""
    try:
        return Decimal(text)
    except InvalidOperation:
        number = Decimal(text.partition("e")[0])
        return number and number * Decimal("Infinity")


def cut(value: Value, column: sluice.Column) -> Value:
    """A time to whole milliseconds."""
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
