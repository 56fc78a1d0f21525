# SPDX-License-Identifier: MIT
"""Columns that queries refer to."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from sluice._sluice import _COLLATIONS

if TYPE_CHECKING:
    from sluice._sluice import _Collation

    Collation: TypeAlias = _Collation
else:
    Collation = Literal[tuple(_COLLATIONS)]


@dataclass(frozen=True)
class Column:
    """A column of a resource, for conditions and sort keys.

    Attributes:
        name: The name in conditions and sort keys, such as `click.country`.
        type: The type of its values: text; integer, 64 bits; decimal, of any length; time, in
            milliseconds; boolean; or json, whose paths conditions can test.
        is_list: True if a row has any number of texts.
        is_nullable: True if a row may have no value.
        collation: The comparison of texts; see Filter.matches().
    """

    __module__ = "sluice"

    name: str
    type: Literal["text", "integer", "decimal", "time", "boolean", "json"] = "text"
    is_list: bool = False
    is_nullable: bool = False
    collation: Collation = "exact"

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
        for what in ("type", "collation"):
            choices = get_args(Column.__annotations__[what])
            if getattr(self, what) not in choices:
                raise ValueError(f"{what}: expected one of {', '.join(choices)}")
        if self.is_list and self.type != "text":
            raise ValueError(f"{self.name}: a list column holds texts")
