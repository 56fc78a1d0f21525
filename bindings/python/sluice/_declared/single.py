# SPDX-License-Identifier: MIT
"""Parameters of one name, or of one for each operator, as all kinds of them are made."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Generic, Literal, TypeAlias, TypedDict, TypeVar

from sluice._column import Column
from sluice._declared.parameter import Declaration, Parameter
from sluice._declared.values import Bounds

T = TypeVar("T")

Operator: TypeAlias = Literal["=", ">=", ">", "<=", "<"]
ColumnType: TypeAlias = Literal["text", "integer", "decimal", "time", "boolean"]

_OPERATORS: Mapping[str, str] = {"=": "eq", ">=": "gte", ">": "gt", "<=": "lte", "<": "lt"}


class Words(TypedDict, total=False):
    """What any parameter that stands alone may say.

    Keys:
        name: What the query string calls it, the attribute's name by default.
        column: What it is compared with, the column of the attribute's name by default; None for
            nothing, where the parameter is no condition.
        help: One line for people.
        accepts: What would be accepted, for messages: `expected ...`.
        deprecated: Whether it is kept for old clients.
    """

    name: str
    column: str | Column | None
    help: str
    accepts: str
    deprecated: bool


@dataclass(eq=False)
class Single(Parameter[T]):
    """A parameter of one name."""

    told: Declaration
    column: str | Column | None = ""
    like: Column | None = None  # what a column is that is told by its name
    read: Callable[[Any], T] = field(default=lambda value: value, repr=False)

    def columns(self) -> Sequence[Column]:
        """The column that it is compared with."""
        if isinstance(self.column, Column):
            return (self.column,)
        if self.column is None or self.like is None:
            return ()
        return (replace(self.like, name=self.column or self.attribute),)

    def declarations(self, others: Mapping[str, Parameter[Any]]) -> Sequence[Declaration]:
        """Its declaration, with the names that it has by default."""
        column = "".join(each.name for each in self.columns())
        return (replace(self.told, name=self.told.name or self.attribute, column=column),)

    def to_value(self, values: Sequence[Any]) -> T:
        """The value."""
        return self.read(values[0])


@dataclass(eq=False)
class Compared(Single[Bounds[T]], Generic[T]):
    """A parameter for each of some operators: `total`, `total[gte]`, `total[lt]`."""

    operators: Sequence[str] = ()

    def declarations(self, others: Mapping[str, Parameter[Any]]) -> Sequence[Declaration]:
        """A declaration for each operator."""
        [told] = super().declarations(others)
        return [replace(told, op=op, name=_with_operator(told.name, op)) for op in self.operators]

    def to_value(self, values: Sequence[Any]) -> Bounds[T]:
        """The values by their operators."""
        return Bounds(**dict(zip(self.operators, values, strict=True)))


def _operator_name(operator: str) -> str:
    if operator not in _OPERATORS:
        raise ValueError(f"operators: expected some of {', '.join(_OPERATORS)}, not {operator!r}")
    return _OPERATORS[operator]


def _with_operator(name: str, operator: str) -> str:
    return name if operator == "eq" else f"{name}[{operator}]"


def single(
    kind: str,
    like: Column | None,
    words: Words,
    told: Mapping[str, Any],
    read: Callable[[Any], Any] = lambda value: value,
) -> Parameter[Any]:
    """A parameter of one name, compared with a column like this one or with none."""
    return Single(*_declared(kind, words, told), like, read)


def number(
    kind: ColumnType,
    operators: Iterable[Operator] | None,
    words: Words,
    told: Mapping[str, Any],
) -> Parameter[Any]:
    """A number or time, which may be compared by several operators."""
    like = Column("-", kind)
    if operators is None:
        return Single(*_declared(kind, words, told), like)
    names = [_operator_name(each) for each in operators]
    if not names:
        raise ValueError(f"operators: give at least one of {', '.join(_OPERATORS)}")
    return Compared(*_declared(kind, words, told), like, operators=names)


def _declared(
    kind: str, words: Words, told: Mapping[str, Any]
) -> tuple[Declaration, str | Column | None]:
    """The declaration but for the names that it has by default, and what is said of its column."""
    rest: dict[str, Any] = {**words, **told}
    column = rest.pop("column", "")
    if rest.get("default") is not None:
        rest["default"] = _to_text(rest["default"])
    return Declaration(kind=kind, **rest), column


def _to_text(value: object) -> str:
    """A default as a request would give it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value.value if isinstance(value, Enum) else value)
