# SPDX-License-Identifier: MIT
"""Parameters with a single name, or with one name per operator, such as `total[gte]`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from sluice._column import Column
from sluice._declared.arguments import Texts, Words, problems_in, to_sequence
from sluice._declared.parameter import Declaration, Parameter
from sluice._declared.values import Bounds
from sluice._sluice import Filter

T = TypeVar("T")

Operator: TypeAlias = Literal["=", ">=", ">", "<=", "<"]
ColumnType: TypeAlias = Literal[
    "text", "integer", "decimal", "time", "boolean", "real", "date", "uuid", "choice"
]

_COLUMN_DEFAULTS: Mapping[str, object] = {
    "type": "text",
    "collation": "exact",
    "choices": (),
    "is_nullable": False,
}
_OPERATORS: Mapping[str, str] = {"=": "eq", ">=": "gte", ">": "gt", "<=": "lte", "<": "lt"}


@dataclass(eq=False)
class Single(Parameter[T]):
    """A parameter with a single name."""

    kind: str
    arguments: Mapping[str, Any]
    column_arguments: (
        Mapping[str, Any] | None
    )  # of Column(), if `column` is a name; None: no column
    read: Callable[[Any], T] = field(default=lambda value: value, repr=False)

    def problems(self) -> Iterator[str]:
        """Yields the problems of its arguments."""
        yield from problems_in(self.kind, self.arguments)
        try:
            self.columns()
        except ValueError as mistake:
            yield str(mistake)
        yield from self._contradictions()

    def _contradictions(self) -> Iterator[str]:
        """Yields the arguments that a Column contradicts, which would have no effect."""
        column = self.arguments.get("column")
        if not isinstance(column, Column):
            return
        for name, wanted in (self.column_arguments or {}).items():
            held = getattr(column, name)
            if wanted not in (held, _COLUMN_DEFAULTS[name]):
                yield f"{name}: {wanted!r}, but its Column has {held!r}: give it to the Column"

    @property
    def fits_any_type(self) -> bool:
        """True if its column may be of any type, and states none."""
        return self.kind == "is_null" and not isinstance(self.arguments.get("column"), Column)

    def columns(self) -> Sequence[Column]:
        """Returns the column that it is compared with, as the only item; empty without a column."""
        column = self.arguments.get("column", "")
        if isinstance(column, Column):
            return (column,)
        if column is None or self.column_arguments is None:
            return ()
        return (Column(column or self.attribute, **self.column_arguments),)

    def declarations(self, others: Mapping[str, Parameter[Any]]) -> Sequence[Declaration]:
        """Returns its declaration, with default names."""
        column = "".join(column.name for column in self.columns())
        name = self.arguments.get("name") or self.attribute
        default = _to_text(self.kind, self.arguments.get("default"))
        arguments = {**self.arguments, "name": name, "column": column, "default": default}
        return (Declaration(kind=self.kind, **arguments),)

    def to_value(self, values: Sequence[Any]) -> T:
        """Returns the value."""
        return self.read(values[0])


@dataclass(eq=False)
class Search(Single[str | None]):
    """A text whose words are searched in columns."""

    searched: Sequence[str | Column] = ()

    def problems(self) -> Iterator[str]:
        """Yields the problems of its arguments."""
        yield from super().problems()
        for column in self.searched:
            if not isinstance(column, str | Column):
                yield f"columns: expected names or Columns, not {column!r}"

    def columns(self) -> Sequence[Column]:
        """Returns the columns that aren't names; a name is that of a text column by default."""
        return tuple(column for column in self.searched if isinstance(column, Column))

    def declarations(self, others: Mapping[str, Parameter[Any]]) -> Sequence[Declaration]:
        """Returns its declaration, with default names."""
        names = [column.name if isinstance(column, Column) else column for column in self.searched]
        [declaration] = super().declarations(others)
        return [replace(declaration, column="", searched=names)]


@dataclass(eq=False)
class Compared(Single[Bounds[T]], Generic[T]):
    """A parameter for each of several operators: `total`, `total[gte]`, `total[lt]`.

    Their names are those of a mapping, or end with the operator in the style of the class.
    """

    operators: object = ()
    names: Mapping[str, str] = field(default_factory=dict)  # by operator; empty: by the style

    def problems(self) -> Iterator[str]:
        """Yields the problems of its arguments."""
        yield from super().problems()
        accepted = ", ".join(_OPERATORS)
        if not isinstance(self.operators, tuple) or not self.operators:
            yield f"operators: expected at least one of {accepted}, not {self.operators!r}"
            return
        for operator in self.operators:
            if operator not in _OPERATORS:
                yield f"operators: expected some of {accepted}, not {operator!r}"
        for name in self.names.values():
            if not isinstance(name, str) or not name:
                yield f"operators: expected the name of a parameter, not {name!r}"
        if self.arguments.get("default") is not None or self.arguments.get("required"):
            yield "operators: each has a parameter of its own: leave default and required out"

    def declarations(self, others: Mapping[str, Parameter[Any]]) -> Sequence[Declaration]:
        """Returns a declaration for each operator."""
        [declaration] = super().declarations(others)
        if self.names:
            by_operator = zip(self._names(), self.names.values(), strict=True)
            return [replace(declaration, op=op, name=name) for op, name in by_operator]
        return [replace(declaration, op=op, is_operator=True) for op in self._names()]

    def to_value(self, values: Sequence[Any]) -> Bounds[T]:
        """Returns the values by operator."""
        read: Callable[[Any], Any] = self.read
        return Bounds(**dict(zip(self._names(), map(read, values), strict=True)))

    def _names(self) -> list[str]:
        assert isinstance(self.operators, tuple)
        return [_OPERATORS[operator] for operator in self.operators]


def single(
    kind: str,
    column_arguments: Mapping[str, Any] | None,
    words: Words | Texts,
    options: Mapping[str, Any],
    read: Callable[[Any], Any] = lambda value: value,
) -> Parameter[Any]:
    """Creates a parameter with a single name.

    Args:
        kind: The kind of its declaration.
        column_arguments: The type and collation of its column, unless `words` have a Column; None:
            no column.
        words: The arguments of WORDS.
        options: Its other arguments.
        read: Converts the value of a query to that of the attribute.
    """
    return Single(kind, {**words, **options}, column_arguments, read)


def number(
    kind: ColumnType,
    operators: Operator | Iterable[Operator] | None,
    words: Words,
    options: Mapping[str, Any],
    column_arguments: Mapping[str, Any] | None = None,
    read: Callable[[Any], Any] = lambda value: value,
) -> Parameter[Any]:
    """Creates a parameter that is compared, or a group with one for each of several operators."""
    column_arguments, arguments = column_arguments or {"type": kind}, {**words, **options}
    if operators is None:
        return Single(kind, arguments, column_arguments, read)
    several = (operators,) if isinstance(operators, str) else to_sequence(operators)
    names = operators if isinstance(operators, Mapping) else {}
    return Compared(kind, arguments, column_arguments, read, operators=several, names=names)


def _to_text(kind: str, value: object) -> str | None:
    """Returns a default as the text of a request."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple | set | frozenset):
        texts = [str(item.value if isinstance(item, Enum) else item) for item in value]
        items = sorted(texts) if isinstance(value, set | frozenset) else texts
        return ",".join(items) if kind == "list" else str(Filter(items))
    return str(value.value if isinstance(value, Enum) else value)
