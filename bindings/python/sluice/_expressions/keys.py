# SPDX-License-Identifier: MIT
"""Sort keys of lists that an ORM selects, and the rows beyond a cursor."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Generic, Protocol, Self

from sluice._column import Column
from sluice._expressions import sql
from sluice._expressions.sql_visitor import SqlVisitor
from sluice._expressions.visitor import Expression, Operand, negation
from sluice._sluice import Cursor


@dataclass(frozen=True)
class Key(Generic[Operand]):
    """A sort key.

    Attributes:
        column: The column.
        operand: Its value in a row.
        ordered: The value as the library orders it.
        is_nullable: True if a row may have none.
        is_down: True if the largest values come first.
    """

    column: Column
    operand: Operand
    ordered: Operand
    is_nullable: bool
    is_down: bool

    def reversed(self) -> Self:
        """Returns the key of the opposite order."""
        return replace(self, is_down=not self.is_down)


class Directed(Protocol):
    """A sort key of any kind."""

    @property
    def is_down(self) -> bool:
        """True if the largest values come first."""
        ...


class Place:
    """A cursor, which is a place in an order.

    Attributes:
        is_before: True if the page ends there.
        keys: The row's keys as texts, None for null.
        cuts: The indexes of those that are cut.
    """

    def __init__(self, text: str) -> None:
        """Reads a cursor, whose query has checked its keys."""
        cursor = Cursor.parse(text)
        self.is_before, self.keys = cursor.is_before, [*cursor.keys]
        self.cuts = _cuts_of(text)

    def complete(self, keys: Sequence[Directed], row: Sequence[object] | None) -> None:
        """Replaces cut keys by those of the row, if it begins like them.

        Otherwise the place moves so that no row whose keys begin like the cut ones is skipped.
        """
        for at in self.cuts:
            cut = self.keys[at] or ""
            held = None if row is None else row[at]
            if isinstance(held, str) and held.startswith(cut):
                self.keys[at] = held
            else:
                is_last = keys[at].is_down != self.is_before
                self.keys[at] = sql.text_after(cut) if is_last else cut
        self.cuts = set()


def _cuts_of(text: str) -> set[int]:
    """Returns the indexes of keys that are cut; see sluice::detail::cursor_version."""
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    at, index, cuts = 10, 0, set()
    while at < len(data) - 4:
        size = int.from_bytes(data[at + 1 : at + 3], "little")
        if data[at] == 0xFF:
            cuts.add(index)
            at += 11 + size
        else:
            at += 3 + size if data[at] == 0xFE else max(data[at], 1)
        index += 1
    return cuts


def rows_beyond(
    visitor: SqlVisitor[Operand, Expression],
    keys: Sequence[Key[Operand]],
    texts: Sequence[str | None],
) -> Expression:
    """Returns the condition of the rows that follow a place in an order.

    ```
    ((... AND at or after key 2) OR after key 1) AND at or after key 1
    ```

    Databases use an index for the last condition only.
    """
    key, text, is_last = keys[0], texts[0], len(keys) == 1
    is_real = key.column.type == "real"
    is_nan_null = is_real and key.is_nullable  # see SqlVisitor.ordered()
    if is_real and text in (None, sql.NAN):
        text = None if key.is_nullable else sql.NAN
    is_there = visitor.has_value(key.column) if is_nan_null else visitor.present(key.operand)
    is_null = negation(is_there)
    if text is None:
        after = visitor.constant(False) if key.is_down else is_there
        if is_last:
            return after
        rest = visitor.all_of([is_null, rows_beyond(visitor, keys[1:], texts[1:])])
        return visitor.any_of([after, rest])

    def compared(comparison: str) -> Expression:
        bound = visitor.key_bound(key.column, comparison, text, is_nan_null=is_nan_null)
        return visitor.any_of([is_null, bound]) if key.is_down and key.is_nullable else bound

    after = compared("lt" if key.is_down else "gt")
    if is_last:
        return after
    beside = compared("lte" if key.is_down else "gte")
    rest = rows_beyond(visitor, keys[1:], texts[1:])
    return visitor.all_of([beside, visitor.any_of([after, rest])])
