# SPDX-License-Identifier: MIT
"""Columns that queries refer to."""

import builtins
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from sluice._sluice import _COLLATIONS, _COLUMN_TYPES, _TESTS

if TYPE_CHECKING:
    from sluice._sluice import _Collation, _ColumnType

    Collation: TypeAlias = _Collation
    ColumnType: TypeAlias = _ColumnType
else:
    Collation = Literal[tuple(_COLLATIONS)]
    ColumnType = Literal[tuple(_COLUMN_TYPES)]

_LISTED = _TESTS["any_of"][2]


@dataclass(frozen=True)
class Column:
    """A column of a resource, for conditions and sort keys.

    Attributes:
        name: The name in conditions and sort keys, such as `click.country`.
        type: The type of its values: text; integer, 64 bits; decimal, of any length; time, in
            milliseconds; boolean; json, whose paths conditions can test; real, a float whose NaN is
            missing; date, without a zone; uuid; choice, one of `choices`; or records, a list of
            rows with `columns`.
        is_list: True if a row has any number of texts, integers, UUIDs or choices.
        is_nullable: True if a row may have no value.
        collation: The comparison of texts; see Filter.matches().
        choices: The texts of a choice, a tuple of str, in their order.
        columns: The columns of records, a tuple of Column.
    """

    __module__ = "sluice"

    name: str
    type: ColumnType = "text"
    is_list: bool = False
    is_nullable: bool = False
    collation: Collation = "exact"
    choices: Sequence[str] = ()
    columns: "Sequence[Column]" = ()

    def __post_init__(self) -> None:
        """Validates the fields; raises ValueError or TypeError."""
        for what, type_ in (("name", str), ("is_list", bool), ("is_nullable", bool)):
            value = getattr(self, what)
            if not isinstance(value, type_):
                kind = type(value).__name__
                raise TypeError(f"{what}: expected {type_.__name__}, not {kind}")
        if not self.name:
            raise ValueError("name: a column needs one")
        if any("\ud800" <= letter <= "\udfff" for letter in self.name):
            raise ValueError("name: expected a text without lone surrogates")
        for what, accepted in (("type", _COLUMN_TYPES), ("collation", _COLLATIONS)):
            if getattr(self, what) not in accepted:
                value = getattr(self, what)
                raise ValueError(f"{what}: expected one of {', '.join(accepted)}, not {value!r}")
        if self.is_list and self.type not in _LISTED:
            raise ValueError(f"{self.name}: a list column holds texts, integers, uuids or choices")
        self._check_members("choices", "choice", str)
        self._check_members("columns", "records", Column)
        if len(set(self.choices)) < len(self.choices) or "" in self.choices:
            raise ValueError("choices: expected texts that differ, none of them empty")
        names = [column.name for column in self.columns]
        if len(set(names)) < len(names):
            raise ValueError("columns: expected columns with names that differ")

    def _check_members(self, what: str, type_: str, member_type: builtins.type) -> None:
        """Makes the attribute `what` a tuple; only columns of type `type_` have members in it."""
        members = getattr(self, what)
        if isinstance(members, str) or not isinstance(members, Sequence):
            raise TypeError(f"{what}: expected a sequence, not {type(members).__name__}")
        for member in members:
            if not isinstance(member, member_type):
                raise TypeError(
                    f"{what}: expected {member_type.__name__}, not {type(member).__name__}"
                )
        if (self.type == type_) != bool(members):
            raise ValueError(f"{what}: a column of type {type_!r} has them, and no other")
        object.__setattr__(self, what, tuple(members))
