# SPDX-License-Identifier: MIT
"""Parameters as class attributes of their endpoint."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, overload

from sluice._column import Column

if TYPE_CHECKING:
    from sluice._declared.list_query import ListQuery

T_co = TypeVar("T_co", covariant=True)

LARGEST = 2**63 - 1


@dataclass(frozen=True, kw_only=True)
class Declaration:
    """The declaration of a parameter, or of a group such as a window's, for C++.

    The fields are those of sluice::declaration; `kind` decides which of them count.
    """

    kind: str
    name: str = ""
    column: str = ""
    op: str = "eq"
    help: str = ""
    accepts: str = ""
    default: str | None = None
    required: bool = False
    deprecated: bool = False
    prefix: str = ""
    choices: Sequence[str] = ()
    sorted_by: Sequence[str] = ()
    minimum: int = 0
    maximum: int = LARGEST
    parse: Callable[[str], Any] | None = None
    format: Callable[[Any], str] | None = None
    form: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Returns the fields by name."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def check_answered(declared: Iterable[Declaration], orm: str) -> None:
    """Checks that where() and to_django() support all parameters.

    Args:
        declared: The declarations of a class.
        orm: The name of the ORM, for the message.

    Raises:
        ValueError: There is a search, or a condition on metadata.
    """
    for declaration in declared:
        if declaration.kind == "search":
            raise ValueError(f"{declaration.name}: {orm} has no search: use text(column=None)")
        if declaration.kind == "expression" and declaration.column:
            raise ValueError(
                f"{declaration.name}: {orm} has no metadata: use metadata(column=None)"
            )


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
