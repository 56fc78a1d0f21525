# SPDX-License-Identifier: MIT
"""The parameters of aggregates: groups, measures, facets."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from sluice._column import Column
from sluice._declared.arguments import declares, problems_in
from sluice._declared.lists import WindowParameter
from sluice._declared.parameter import Declaration, Parameter
from sluice._declared.values import GroupRequest, SortKey
from sluice._errors import ApiError

if TYPE_CHECKING:
    from sluice._declared.list_query import ListQuery

Bucket: TypeAlias = Literal["hour", "day", "week", "month", "quarter", "year"]
ExactMeasure: TypeAlias = Literal["sum", "min", "max", "average", "count_distinct"]
Measure: TypeAlias = ExactMeasure | Literal["approx_count_distinct"]
_Parameters: TypeAlias = Mapping[str, Parameter[Any]]

_NUMBERS = ("integer", "decimal", "real")
_KINDS = (*get_args(ExactMeasure), "approx_count_distinct")
_LIMIT = 10_000
DISTINCT: tuple[Measure, ...] = ("count_distinct", "approx_count_distinct")


def measures_of(column: Column) -> Iterator[Measure]:
    """Yields the measures that a column has."""
    if not column.is_list and column.type in _NUMBERS:
        yield from ("sum", "average")
    if not column.is_list and column.type in (*_NUMBERS, "time", "date"):
        yield from ("min", "max")
    if column.type not in ("json", "records"):
        yield from DISTINCT


def _column_of(by: str | Column, others: _Parameters) -> Column:
    """Returns the column of a parameter of the class, or a column of the class.

    Raises:
        ValueError: There is none of the name.
    """
    if isinstance(by, Column):
        return by
    columns = others[by].columns() if by in others else ()
    if not columns:
        raise ValueError(f"{by}: expected a parameter with a column, or a Column of the class")
    return columns[0]


@dataclass(eq=False)
class _Names(Parameter[Any]):
    """Names of groups, measures or facets, separated by commas."""

    by: Sequence[str | Column]
    declaration: Declaration

    def problems(self) -> Iterator[str]:
        """Yields the problems of its arguments."""
        for item in self.by:
            if not isinstance(item, str | Column):
                yield f"expected names of columns or Columns one by one, not {item!r}"
        spec = self.declaration
        yield from problems_in("sort", {"name": spec.name, "help": spec.help})
        yield from problems_in("sort", {"default": spec.default})

    def columns(self) -> Sequence[Column]:
        """Returns the columns that aren't names of parameters."""
        return tuple(item for item in self.by if isinstance(item, Column))

    def declared(self, choices: Sequence[str]) -> Declaration:
        """Returns the declaration with its choices."""
        return replace(
            self.declaration,
            kind="names",
            name=self.declaration.name or self.attribute,
            choices=choices,
        )


@dataclass(eq=False)
class Facets(_Names):
    """The columns whose most frequent values are requested."""

    values: int = 10

    def problems(self) -> Iterator[str]:
        """Yields the problems of its arguments."""
        yield from super().problems()
        if not self.by:
            yield "expected columns"
        if not isinstance(self.values, int) or not 1 <= self.values <= 100:
            yield f"values: expected a whole number from 1 to 100, not {self.values!r}"

    def declarations(self, others: _Parameters) -> Sequence[Declaration]:
        """Returns its declaration."""
        return (self.declared((*self.names(others),)),)

    def names(self, others: _Parameters) -> dict[str, str]:
        """Returns the columns by the names of facets."""
        return {_name_of(by): _column_of(by, others).name for by in self.by}

    def to_value(self, values: Sequence[Any]) -> tuple[str, ...]:
        """Returns the names."""
        return tuple(name for name, _ in values[0])


@dataclass(eq=False)
class Measures(_Names):
    """The measures of groups."""

    kinds: Sequence[Measure] = ()

    def problems(self) -> Iterator[str]:
        """Yields the problems of its arguments."""
        yield from super().problems()
        for kind in self.kinds:
            if kind not in _KINDS:
                yield f"kinds: expected some of {', '.join(_KINDS)}, not {kind!r}"

    def choices(self, others: _Parameters) -> dict[str, dict[str, str]]:
        """Returns the measures by their names."""
        measures: dict[str, dict[str, str]] = {"count": {"measure": "count"}}
        for by in self.by:
            column = _column_of(by, others)
            for kind in measures_of(column):
                if kind in self.kinds:
                    name = f"{kind}_{_name_of(by)}"
                    measures[name] = {"measure": kind, "column": column.name, "as": name}
        return measures

    def declarations(self, others: _Parameters) -> Sequence[Declaration]:
        """Returns its declaration."""
        return (self.declared((*self.choices(others),)),)

    def to_value(self, values: Sequence[Any]) -> tuple[str, ...]:
        """Returns the names."""
        return tuple(name for name, _ in values[0])


@dataclass(eq=False)
class GroupBy(_Names):
    """The groups of an aggregate, their order and number."""

    buckets: Sequence[Bucket] = ()
    order: str | None = "order"
    limit: str | None = "limit"
    size: int = 1_000

    def problems(self) -> Iterator[str]:
        """Yields the problems of its arguments."""
        yield from super().problems()
        if not self.by:
            yield "expected columns"
        yield from problems_in("page", {"page": self.order, "limit": self.limit})
        for bucket in self.buckets:
            if bucket not in get_args(Bucket):
                yield f"buckets: expected some of {', '.join(get_args(Bucket))}, not {bucket!r}"
        if not isinstance(self.size, int) or not 1 <= self.size <= _LIMIT:
            yield f"size: expected a whole number from 1 to {_LIMIT}, not {self.size!r}"

    def choices(self, others: _Parameters) -> dict[str, dict[str, Any]]:
        """Returns the groups by their names."""
        groups: dict[str, dict[str, Any]] = {}
        for by in self.by:
            name = _name_of(by)
            path: list[str] = []
            if isinstance(by, str) and by not in others and "." in by:
                by, *path = by.split(".")
            column = _column_of(by, others)
            group = {"column": column.name, **({"path": path} if path else {})}
            if column.type == "json" and not path:
                raise ValueError(f"{name}: name the path of its groups, such as '{name}.plan'")
            groups[name] = {**group, "as": name}
            for bucket in self.buckets if column.type in ("time", "date") else ():
                if bucket != "hour" or column.type == "time":
                    groups[f"{name}.{bucket}"] = group | {
                        "bucket": bucket,
                        "as": f"{name}.{bucket}",
                    }
        return groups

    def declarations(self, others: _Parameters) -> Sequence[Declaration]:
        """Returns its declarations: groups, their order, their number."""
        declared = [self.declared((*self.choices(others),))]
        if self.order:
            ordered = (*declared[0].choices, *measures_in(others).choices(others))
            declared.append(
                Declaration(
                    kind="names",
                    name=self.order,
                    choices=ordered,
                    help="groups and measures to order by",
                )
            )
        if self.limit:
            declared.append(
                Declaration(
                    kind="integer",
                    name=self.limit,
                    minimum=1,
                    maximum=_LIMIT,
                    default=str(self.size),
                    help="the number of groups",
                )
            )
        return declared

    def to_value(self, values: Sequence[Any]) -> GroupRequest:
        """Returns the groups, their order and number."""
        rest = [*values[1:]]
        order = tuple(SortKey(*key) for key in rest.pop(0)) if self.order else ()
        by = tuple(name for name, _ in values[0])
        return GroupRequest(by, order, rest[0] if rest else self.size)


_COUNT = Measures((), Declaration(kind="names", default="count"))


def _name_of(by: str | Column) -> str:
    return by.name if isinstance(by, Column) else by


def measures_in(parameters: _Parameters) -> Measures:
    """Returns the measures of a class; those that count if it has none."""
    return next((one for one in parameters.values() if isinstance(one, Measures)), _COUNT)


def tree_of(
    query: "ListQuery", parameters: _Parameters, others: _Parameters
) -> dict[str, Any] | None:
    """Returns the tree of a query's aggregate; None if its class declares no groups.

    Args:
        query: The query.
        parameters: The parameters of its class.
        others: These, and the columns of the class.

    Raises:
        ValueError: The query has a search without columns, which no aggregate answers.
    """
    groups = next((one for one in parameters.values() if isinstance(one, GroupBy)), None)
    measured = measures_in(parameters)
    if groups is None and measured is _COUNT:
        return None
    wanted = getattr(query, groups.attribute) if groups else GroupRequest((), (), 1)
    names = ("count",) if measured is _COUNT else getattr(query, measured.attribute)
    by = groups.choices(others) if groups else {}
    zones = _zones_of(query, parameters)
    return {
        "where": conditions_of(query),
        "group_by": [_with_zone(by[name], zones) for name in wanted.by],
        "measures": [measured.choices(others)[name] for name in names],
        "order": [
            {
                "group" if key.name in wanted.by else "measure": key.name,
                "direction": "desc" if key.descending else "asc",
            }
            for key in wanted.order
        ],
        "limit": wanted.limit,
    }


def check_order(query: "ListQuery", groups: GroupBy, parameters: _Parameters) -> None:
    """Checks that a request is ordered by groups and measures that it has.

    Raises:
        ApiError: It isn't.
    """
    wanted, measured = getattr(query, groups.attribute), measures_in(parameters)
    names = ("count",) if measured is _COUNT else getattr(query, measured.attribute)
    if any(key.name not in (*wanted.by, *names) for key in wanted.order):
        raise ApiError(
            f"{groups.order}: a value that is not accepted, expected groups and measures of the "
            "request",
            code="unprocessable_entity",
            rule="field_value",
            param=groups.order,
        )


def conditions_of(query: "ListQuery") -> Any:  # noqa: ANN401
    """Returns the conditions of a query, as a tree.

    Raises:
        ValueError: It has a search without columns, which no aggregate answers.
    """
    tree = query.tree()
    if tree.get("search"):
        raise ValueError("search: groups and facets have no test for it: name its columns")
    return tree["where"]


def _zones_of(query: "ListQuery", parameters: _Parameters) -> dict[str, str]:
    """Returns the zones of windows, by column."""
    return {
        one.columns()[0].name: getattr(query, name).timezone
        for name, one in parameters.items()
        if isinstance(one, WindowParameter)
    }


def _with_zone(group: dict[str, Any], zones: Mapping[str, str]) -> dict[str, Any]:
    zone = zones.get(group["column"]) if "bucket" in group else None
    return {**group, "zone": zone} if zone else group


def _to_default(names: str | Sequence[str]) -> str | None:
    return (names if isinstance(names, str) else ",".join(names)) or None


def _declaration(name: str, help_: str, default: str | Sequence[str]) -> Declaration:
    return Declaration(
        kind="names", name=name, help=help_, default=_to_default(default), sorts="bare"
    )


@declares
def group_by(
    *by: str | Column,
    buckets: Sequence[Bucket] = get_args(Bucket),
    default: str | Sequence[str] = "",
    size: int = 1_000,
    name: str = "",
    order: str | None = "order",
    limit: str | None = "limit",
    help: str = "the groups",  # noqa: A002
) -> Parameter[GroupRequest]:
    """The groups of an aggregate, separated by commas, with their order and number.

    A time or a date is grouped by its value or by a bucket: `created`, `created.day`. The zone of
    buckets is that of the class's window of the column. The value is a GroupRequest; the
    aggregate of a query is its attribute `aggregate`.

    Args:
        *by: Names of the class's parameters, which stand for their columns, or columns; a path of a
            JSON column is written with dots, such as `metadata.plan`.
        buckets: The buckets of times and dates.
        default: The groups of requests without any, in the same form.
        size: The number of groups of requests without a limit.
        name: The name in query strings; by default that of the attribute.
        order: The name of the parameter with the groups and measures to order by; None for none.
        limit: The name of the parameter with the number of groups; None for none.
        help: One line of help.
    """
    return GroupBy(by, _declaration(name, help, default), buckets, order, limit, size)


@declares
def measures(
    *of: str | Column,
    kinds: Sequence[Measure] = get_args(ExactMeasure),
    default: str | Sequence[str] = "count",
    name: str = "",
    help: str = "the measures of each group",  # noqa: A002
) -> Parameter[tuple[str, ...]]:
    """The measures of an aggregate, separated by commas: `count`, `sum_total`, `average_total`.

    The value is a tuple of their names.

    Args:
        *of: Names of the class's parameters, which stand for their columns, or columns.
        kinds: The measures that requests may name, by default all but approx_count_distinct; each
            column has those that its type allows.
        default: The measures of requests without any.
        name: The name in query strings; by default that of the attribute.
        help: One line of help.
    """
    return Measures(of, _declaration(name, help, default), kinds)


@declares
def facets(
    *by: str | Column,
    values: int = 10,
    default: str | Sequence[str] = "",
    name: str = "",
    help: str = "columns whose most frequent values are counted",  # noqa: A002
) -> Parameter[tuple[str, ...]]:
    """The facets of a list, separated by commas; see sluice.groups.facets().

    The value is a tuple of their names.

    Args:
        *by: Names of the class's parameters, which stand for their columns, or columns.
        values: The number of values of a facet, 1 to 100.
        default: The facets of requests without any.
        name: The name in query strings; by default that of the attribute.
        help: One line of help.
    """
    return Facets(by, _declaration(name, help, default), values)
