# SPDX-License-Identifier: MIT
"""The parameters of lists rather than of rows: windows, order, pages."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from sluice._column import Column
from sluice._declared.arguments import SortForm, declares, problems_in
from sluice._declared.parameter import Declaration, Parameter, column_name
from sluice._declared.values import PageRequest, SortKey
from sluice._window import Window

T = TypeVar("T")


@dataclass(eq=False)
class Group(Parameter[T]):
    """Several parameters with one value, and a common prefix of their names, maybe empty.

    Attributes:
        kind: The kind of its declaration.
        default: The default of its main part: a window's interval, a page's limit.
        prefix: The prefix.
        names: The names of its parts, in the order of C++; None for one without a parameter.
    """

    kind: str
    default: Any
    prefix: str
    names: Mapping[str, str | None]

    def problems(self) -> Iterator[str]:
        arguments = {"prefix": self.prefix, "default": self.default, **self.names}
        yield from problems_in(self.kind, arguments)
        if not any(self.names.values()):
            yield f"{', '.join(self.names)}: at least one has a name"

    def declarations(self, others: Mapping[str, Parameter[Any]]) -> Sequence[Declaration]:
        names = [name or "" for name in self.names.values()]
        default = str(self.default)
        return (Declaration(kind=self.kind, name=self.prefix, names=names, default=default),)


@dataclass(eq=False)
class WindowParameter(Group[Window]):
    """The parameters of a window of time."""

    column: str | Column

    def problems(self) -> Iterator[str]:
        yield from super().problems()
        yield from problems_in("window", {"column": self.column})
        if self.column is None:
            yield "column: expected a column's name or a Column, not None"
        if isinstance(self.column, Column) and self.column.type != "time":
            yield f"column: expected a Column of type time, not {self.column.type}"

    def columns(self) -> Sequence[Column]:
        if isinstance(self.column, Column):
            return (self.column,)
        return (Column(self.column or self.attribute, "time"),)

    def declarations(self, others: Mapping[str, Parameter[Any]]) -> Sequence[Declaration]:
        [declaration], [column] = super().declarations(others), self.columns()
        return (replace(declaration, column=column.name),)

    def to_value(self, values: Sequence[Any]) -> Window:
        window: Window = values[0]
        return window


@declares
def window(
    *,
    column: str | Column = "",
    default: str = "24h",
    prefix: str = "",
    interval: str | None = "interval",
    start: str | None = "start",
    end: str | None = "end",
    timezone: str | None = "timezone",
) -> Parameter[Window]:
    """A window of time: the parameters `interval`, `start`, `end` and `timezone`.

    Args:
        column: The column of times, a name or a Column; by default that of the attribute's name.
        default: The interval of requests without one, such as `6h`, `14d`, `mtd` or `all`; see
            resolve_window().
        prefix: The prefix of the four names, for classes with several windows.
        interval: The name of the parameter with the interval; None for none.
        start: The name of the parameter with the start; None for none.
        end: The name of the parameter with the end; None for none.
        timezone: The name of the parameter with the zone; None for none.
    """
    names = {"interval": interval, "start": start, "end": end, "timezone": timezone}
    return WindowParameter("window", default, prefix, names, column)


@dataclass(eq=False)
class _Sort(Parameter[tuple[SortKey, ...]]):
    by: Mapping[str, str | Column]  # parameters or columns, by their names in requests
    declaration: Declaration
    unknown: Sequence[object] = ()  # arguments that aren't columns
    direction: str = ""  # the name of a parameter with the direction of all keys
    directions: tuple[str, ...] = ("asc", "desc")

    def problems(self) -> Iterator[str]:
        for item in self.unknown:
            yield f"expected names of columns or Columns one by one, not {item!r}"
        declaration = self.declaration
        yield from problems_in("sort", {"name": declaration.name, "help": declaration.help})
        yield from problems_in("sort", {"default": declaration.default})
        yield from problems_in("sort", {"sorts": declaration.sorts, "direction": self.direction})
        for name in self.by:
            if name.startswith("-"):
                yield (
                    f'write sort("{name[1:]}", default="{name}"): a column is named without \'-\''
                )

    def columns(self) -> Sequence[Column]:
        return [column for column in self.by.values() if isinstance(column, Column)]

    def declarations(self, others: Mapping[str, Parameter[Any]]) -> Sequence[Declaration]:
        sorted_by = [column_name(key, others) for key in self.by.values()]
        name = self.declaration.name or self.attribute
        keys = replace(self.declaration, name=name, choices=tuple(self.by), sorted_by=sorted_by)
        if not self.direction:
            return (keys,)
        return keys, Declaration(kind="direction", name=self.direction, choices=self.directions)

    def to_value(self, values: Sequence[Any]) -> tuple[SortKey, ...]:
        keys, *direction = values
        if direction in ([], [None]):
            return tuple(SortKey(*key) for key in keys)
        is_descending = direction == [self.directions[1]]
        return tuple(SortKey(name, is_descending) for name, _ in keys)


@declares
def sort(
    *by: str | Column,
    default: str = "",
    name: str = "",
    help: str = "",  # noqa: A002
    form: SortForm = "dash",
    direction: str = "",
    directions: Sequence[str] = ("asc", "desc"),
) -> Parameter[tuple[SortKey, ...]]:
    """The order: columns separated by commas, with a leading `-` for descending ones.

    The unique column is always appended. The value is a tuple of SortKey.

    Args:
        *by: Names of the class's parameters, which stand for their columns, or columns.
        default: The order of requests without one, such as `-created`, in the same form.
        name: The name in query strings; by default that of the attribute.
        help: One line of help.
        form: The form of directions: `-total`, `total desc`, `total:desc` or `total.desc`.
        direction: The name of a parameter with the direction of all columns; empty for none.
        directions: The values of that parameter, ascending first.
    """
    columns = [column for column in by if isinstance(column, str | Column)]
    named = {column.name if isinstance(column, Column) else column: column for column in columns}
    declaration = Declaration(
        kind="sort", name=name, help=help, default=default or None, sorts=form
    )
    unknown = [item for item in by if item not in columns]
    return _Sort(named, declaration, unknown, direction, tuple(directions))


@dataclass(eq=False)
class Page(Group[PageRequest]):
    """The parameters of a page, with the rules of a guideline or of none."""

    maximum: int
    style: str = "plain"

    def problems(self) -> Iterator[str]:
        limit = self.names["limit"]
        if isinstance(limit, int):
            yield f"limit: expected a parameter's name or None, and the rows as default={limit}"
        yield from super().problems()
        yield from problems_in("page", {"maximum": self.maximum})
        if self.names["page"] and self.names["offset"]:
            yield "page, offset: a page begins at one of them, give None for the other"

    def declarations(self, others: Mapping[str, Parameter[Any]]) -> Sequence[Declaration]:
        [declaration] = super().declarations(others)
        return (replace(declaration, maximum=self.maximum, style=self.style),)

    def to_value(self, values: Sequence[Any]) -> PageRequest:
        return PageRequest(*values[0])


@declares
def page(
    *,
    default: int = 100,
    maximum: int = 1_000,
    prefix: str = "",
    page: str | None = "page",
    offset: str | None = None,
    limit: str | None = "limit",
    cursor: str | None = "cursor",
    count: str | None = "count",
) -> Parameter[PageRequest]:
    """A page of the list: the parameters `page`, `limit`, `cursor` and `count`.

    Args:
        default: The rows per page of requests without a limit.
        maximum: The maximum of the limit.
        prefix: The prefix of the names.
        page: The name of the parameter with the number of the page; None for none.
        offset: The name of the parameter with the number of rows before the page, instead of
            `page`, which is then None.
        limit: The name of the parameter with the rows per page; None for none.
        cursor: The name of the parameter with the cursor; None for none.
        count: The name of the parameter that requests the total; None for none.
    """
    names = {"page": page, "offset": offset, "limit": limit, "cursor": cursor, "count": count}
    return Page("page", default, prefix, names, maximum)
