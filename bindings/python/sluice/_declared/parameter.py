# SPDX-License-Identifier: MIT
"""What a class attribute says of a parameter of its endpoint."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, overload

from sluice._column import Column

if TYPE_CHECKING:
    from sluice._declared.list_query import ListQuery

T_co = TypeVar("T_co", covariant=True)

LARGEST = 2**63 - 1


@dataclass(frozen=True, kw_only=True)
class Declaration:
    """A row, or a group of rows, of a table of parameters, as C++ is told of it."""

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
        """Its fields by their names."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


class Parameter(Generic[T_co]):
    """A parameter, or a group of parameters, of an endpoint: an attribute of its class.

    The attribute of a query is the parameter's value, that of the class the parameter itself.

    Attributes:
        attribute: The name of the attribute.
    """

    __module__ = "sluice"

    attribute = ""

    def __set_name__(self, owner: type, name: str) -> None:
        """Keeps the name that the first class gives."""
        self.attribute = self.attribute or name

    @overload
    def __get__(self, query: None, owner: "type[ListQuery]") -> Self: ...
    @overload
    def __get__(self, query: "ListQuery", owner: "type[ListQuery]") -> T_co: ...
    def __get__(self, query: "ListQuery | None", owner: "type[ListQuery]") -> Self | T_co:
        """The value in a query."""
        if query is None:
            return self
        return self.to_value([query.value_of(place) for place in owner.places[self.attribute]])

    def problems(self) -> Iterator[str]:
        """Sentences about arguments that it can't have."""
        return iter(())

    def columns(self) -> Sequence[Column]:
        """The columns that it is compared with."""
        return ()

    def declarations(self, others: "Mapping[str, Parameter[Any]]") -> Sequence[Declaration]:
        """What is said of it; `others` are all parameters of the class by their attributes."""
        raise NotImplementedError

    def to_value(self, values: Sequence[Any]) -> T_co:
        """The value of the attribute, of the values of the declarations."""
        raise NotImplementedError
