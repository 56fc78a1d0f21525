# SPDX-License-Identifier: MIT
"""The columns that a query may be about."""

from dataclasses import dataclass
from typing import Literal, get_args


@dataclass(frozen=True)
class Column:
    """A column of a resource, which conditions and sort keys are about.

    Attributes:
        name: What conditions and sort keys call it, such as `click.country`.
        type: What it holds: text; an integer of 64 bits; a decimal, a number of any length; a time
            in milliseconds; a boolean; or json, whose paths conditions can look into.
        is_list: Whether a row holds any number of texts.
        is_nullable: Whether a row may hold none.
        collation: How texts are compared; see Filter.matches().
    """

    __module__ = "sluice"

    name: str
    type: Literal["text", "integer", "decimal", "time", "boolean", "json"] = "text"
    is_list: bool = False
    is_nullable: bool = False
    collation: Literal["exact", "ignore_case", "subdivision", "url"] = "exact"

    def __post_init__(self) -> None:
        """Refuses what no column is, in a ValueError or a TypeError."""
        for what, type_ in (("name", str), ("is_list", bool), ("is_nullable", bool)):
            given = getattr(self, what)
            if not isinstance(given, type_):
                kind = type(given).__name__
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
