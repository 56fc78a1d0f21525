# SPDX-License-Identifier: MIT
"""Parameters as class attributes of their endpoint."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Self, TypeVar, overload

from sluice._column import Column
from sluice._expressions.tests import Answers, is_answered, of_type

if TYPE_CHECKING:
    from sluice._declared.list_query import ListQuery

T_co = TypeVar("T_co", covariant=True)

LARGEST = 2**63 - 1


class Named(NamedTuple):
    """A column that clients may name in a condition.

    Attributes:
        name: The name that clients use.
        column: The column.
        tests: The tests that it allows; None: all.
    """

    name: str
    column: str
    tests: Sequence[str] | None = None


@dataclass(frozen=True, kw_only=True)
class Declaration:
    """The declaration of a parameter, or of a group such as a window's, for C++.

    The fields are those of sluice::declaration; `kind` decides which of them count.
    """

    kind: str
    name: str = ""
    names: Sequence[str] = ()
    column: str = ""
    op: str = "eq"
    is_operator: bool = False  # its name ends with the operator, in the style of the class
    naming: str | None = None
    lists: str = "commas"
    exclusion: str = "dash"
    sorts: str = "dash"
    words: str = "any"
    help: str = ""
    accepts: str = ""
    default: str | None = None
    required: bool = False
    deprecated: bool = False
    prefix: str = ""
    choices: Sequence[str] = ()
    sorted_by: Sequence[str] = ()
    searched: Sequence[str] = ()
    grammar: str = "odata"
    named: Sequence[Named] = ()
    offers_all: bool = False  # the other columns of the class are named, too
    tests: Mapping[str, Sequence[str]] = field(default_factory=dict)  # by the names of clients
    minimum: int = 0
    maximum: int = LARGEST
    parse: Callable[[str], Any] | None = None
    format: Callable[[Any], str] | None = None
    style: str = "plain"  # of a page
    form: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Returns the fields by name."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    def offering(self, columns: Iterable[str]) -> "Declaration":
        """Returns the declaration that names all columns of its class, if it offers them.

        Raises:
            ValueError: There are tests of a column that it doesn't name.
        """
        named = [*self.named]
        if self.offers_all:
            taken = {name.column for name in named}
            named += [
                Named(name, name, self.tests.get(name)) for name in columns if name not in taken
            ]
        unknown = self.tests.keys() - {name.name for name in named}
        if unknown:
            expected = ", ".join(name.name for name in named)
            raise ValueError(f"{self.name}: tests: no column {min(unknown)!r}, expected {expected}")
        return replace(self, named=named)

    def answered_by(self, orm: str, columns: Iterable[Column]) -> "Declaration":
        """Returns the declaration whose columns allow what an ORM answers, if they allow all."""
        answers = _answers_of(orm)
        types = {column.name: column for column in columns}

        def narrowed(named: Named) -> Named:
            column = types.get(named.column)
            if named.tests is not None or column is None:
                return named
            return named._replace(tests=[t for t in answers if is_answered(answers, t, column)])

        return replace(self, named=[narrowed(named) for named in self.named])


def column_name(by: "str | Column", others: "Mapping[str, Parameter[Any]]") -> str:
    """Returns the column of a parameter of the class, or the name itself."""
    if isinstance(by, Column):
        return by.name
    columns = others[by].columns() if by in others else ()
    return columns[0].name if columns else by


def check_kinds(declared: Iterable[Declaration], orm: str) -> None:
    """Checks that an ORM supports all kinds of parameters.

    Args:
        declared: The declarations of a class.
        orm: The name of the ORM, for the message.

    Raises:
        ValueError: There is a search without columns.
    """
    for declaration in declared:
        if declaration.kind == "search" and not declaration.searched:
            advice = "name its columns, or use text(column=None)"
            raise ValueError(f"{declaration.name}: {orm} has no search: {advice}")


def check_tests(tests: Iterable[tuple[str, str, str]], columns: Iterable[Column], orm: str) -> None:
    """Checks that an ORM has all tests of the conditions of a table.

    Args:
        tests: The parameters, tests and columns of the conditions.
        columns: The columns of the table.
        orm: The name of the ORM.

    Raises:
        ValueError: It lacks one; the message names the parameter and the test.
    """
    answers = _answers_of(orm)
    types = {column.name: column for column in columns}
    for name, test, column in tests:
        if not is_answered(answers, test, types[column]):
            raise ValueError(
                f"{name}: {orm} has no test {test} of {of_type(types[column])}: leave it out"
            )


def _answers_of(orm: str) -> Answers:
    """Returns the tests of an ORM, which is imported here because it is optional."""
    if orm == "Django":
        from sluice._expressions.django import DjangoVisitor

        return DjangoVisitor.answers
    from sluice._expressions.sqlalchemy import SqlalchemyVisitor

    return SqlalchemyVisitor.answers


class Parameter(Generic[T_co]):
    """A parameter, or a group of parameters, of an endpoint: an attribute of its class.

    On a query the attribute is the parameter's value, on the class it is the parameter itself.

    Attributes:
        attribute: The name of the attribute.
    """

    __module__ = "sluice"

    attribute = ""

    def __set_name__(self, owner: type, name: str) -> None:
        """Stores the name of the attribute; that of the first class counts if several share it."""
        self.attribute = self.attribute or name

    @overload
    def __get__(self, query: None, owner: "type[ListQuery]") -> Self: ...
    @overload
    def __get__(self, query: "ListQuery", owner: "type[ListQuery]") -> T_co: ...
    def __get__(self, query: "ListQuery | None", owner: "type[ListQuery]") -> Self | T_co:
        """Returns the value in a query; the parameter itself for the class."""
        if query is None:
            return self
        return self.to_value([query.value_of(place) for place in owner.places[self.attribute]])

    def problems(self) -> Iterator[str]:
        """Yields the problems of its arguments, in words for a ValueError of the class."""
        return iter(())

    def columns(self) -> Sequence[Column]:
        """Returns the columns that it is compared with."""
        return ()

    def declarations(self, others: "Mapping[str, Parameter[Any]]") -> Sequence[Declaration]:
        """Returns its declarations; `others` are all parameters of the class by attribute."""
        raise NotImplementedError

    def to_value(self, values: Sequence[Any]) -> T_co:
        """Converts the values of the declarations, in their order, to the attribute's value."""
        raise NotImplementedError


@dataclass(eq=False)
class Listed(Parameter[None]):
    """Stands for a column of a class without a parameter, beside its parameters."""

    column: Column

    def columns(self) -> Sequence[Column]:
        """Returns the column."""
        return (self.column,)
