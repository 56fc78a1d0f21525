# SPDX-License-Identifier: MIT
"""Trees of conditions with minimal nesting.

Libraries and parsers limit nesting: the stack of SQLite's parser has 100 entries.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

Tree: TypeAlias = Mapping[str, Any]

_OTHER = {"all": "any", "any": "all"}


def unnested(where: Tree, is_negated: bool = False) -> Tree:
    """Returns equivalent conditions: groups are flattened, and NOT applies to leaves only.

    The most deeply nested part comes first, which needs the least stack.
    """
    while "not" in where:
        where, is_negated = where["not"], not is_negated
    if "column" in where:
        return {"not": where} if is_negated else where
    [(kind, parts)] = where.items()
    kind = _OTHER[kind] if is_negated else kind
    inner = [unnested(part, is_negated) for part in parts]
    flat = [condition for part in inner for condition in _operands(part, kind) or [part]]
    return flat[0] if len(flat) == 1 else {kind: sorted(flat, key=nesting, reverse=True)}


def nesting(where: Tree) -> int:
    """Returns the entries of the parser's stack that a tree needs.

    A part needs one more than alone if it is first, for `(`, or three more, for `( first AND`.
    """
    if "column" in where:
        return 0
    parts = _operands(where, "all") or _operands(where, "any")
    depths = sorted(map(nesting, parts), reverse=True)
    first, others = [depth + 1 for depth in depths[:1]], [depth + 3 for depth in depths[1:2]]
    return max([0, *first, *others])


def _operands(where: Tree, kind: str) -> Sequence[Tree]:
    """Returns the operands of a group of a kind; none for any other tree."""
    return () if "column" in where else where.get(kind, ())
