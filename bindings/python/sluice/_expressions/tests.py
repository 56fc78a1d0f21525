# SPDX-License-Identifier: MIT
"""The tests of conditions that an engine answers, by the types of columns."""

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from sluice._column import Column
from sluice._sluice import _TESTS

Types: TypeAlias = frozenset[str]
# The types of columns that aren't lists, and of the items of lists, by the name of the test.
Answers: TypeAlias = Mapping[str, tuple[Types, Types]]

_TEXT: Types = frozenset({"text"})
_NONE: Types = frozenset()

COMMON: Answers = {
    "any_of": (frozenset({"text", "integer"}), _TEXT),
    "none_of": (frozenset({"text", "integer"}), _TEXT),
    "bounds": (frozenset({"integer", "decimal", "time"}), _NONE),
    "is": (frozenset({"boolean"}), _NONE),
    "matches": (frozenset({"json"}), _NONE),
}

ALL: Answers = {
    test: (frozenset(plain), frozenset(listed)) for test, (_, plain, listed) in _TESTS.items()
}


_KINDS = {member: test for test, (members, _, _) in _TESTS.items() for member in members}


def kind_of(leaf: Mapping[str, Any]) -> str:
    """Returns the name of a leaf's test; bounds may have no member."""
    return next((_KINDS[member] for member in leaf if member in _KINDS), "bounds")


def leaves(where: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yields the leaves of a tree, not those on records."""
    if "column" in where:
        yield where
        return
    parts = [where["not"]] if "not" in where else where.get("all", where.get("any", ()))
    for part in parts:
        yield from leaves(part)


def of_type(column: Column) -> str:
    """Returns the type of a column in words."""
    return f"lists of {column.type}" if column.is_list else f"{column.type} columns"


def is_answered(answers: Answers, test: str, column: Column) -> bool:
    """Returns true if an engine answers a test of a column."""
    return column.type in answers.get(test, (_NONE, _NONE))[column.is_list]


def has_test(where: Mapping[str, Any], name: str) -> bool:
    """Returns true if a tree has a leaf with a member of this name."""
    return any(name in leaf for leaf in leaves(where))
