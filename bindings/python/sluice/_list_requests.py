# SPDX-License-Identifier: MIT
"""List requests from frameworks: parsed by a query class, with all errors."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol, Self, TypeVar

from sluice._column import Column
from sluice._envelopes import Envelopes, InvalidQueryError
from sluice._errors import ApiError
from sluice._sluice import (
    BoundQuery,
    EventsQuery,
    TagsQuery,
    parse_query_string,
    to_query_string,
)


class ListRequest(Protocol):
    """The interface of list query classes."""

    @classmethod
    def parse(cls, query_string: bytes, now: datetime | None = None, strict: bool = True) -> Self:
        """Parses a request."""
        ...

    @classmethod
    def errors(
        cls, query_string: bytes, now: datetime | None = None, strict: bool = True
    ) -> list[ApiError]:
        """Returns all errors of a request."""
        ...

    @classmethod
    def openapi_parameters(cls) -> list[dict[str, Any]]:
        """Returns the parameters of an OpenAPI operation."""
        ...

    @property
    def schema(self) -> tuple[Column, ...]:
        """The columns for conditions and sort keys."""
        ...

    @property
    def where(self) -> Callable[..., Any]:
        """Returns the conditions as an expression of SQLAlchemy."""
        ...

    def tree(self) -> dict[str, Any]:
        """Returns the query as dicts, lists and plain values."""
        ...

    def to_query_string(self) -> str:
        """Returns the parameters as a query string."""
        ...

    def cursor_beside(self, keys: Sequence[object], *, before: bool = False) -> str:
        """Returns the cursor of the page after a row, or before it."""
        ...


_QUERIES = (BoundQuery, EventsQuery, TagsQuery)


def expect(what: str, value: object, expected: str, *types: type) -> None:
    """Checks the type of an argument.

    Raises:
        TypeError: It has another type; a class is none of its instances.
    """
    if not isinstance(value, types):
        kind = f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__
        raise TypeError(f"{what}: expected {expected}, not {kind}")


def expect_query(query: object) -> None:
    """Checks that an argument is a query, such as Orders.parse(text)."""
    expect("query", query, "a query, such as Orders.parse(text)", *_QUERIES)


MOST_ROWS = 2**62  # an offset that all databases accept

Query = TypeVar("Query", bound=ListRequest)


def read_request(
    query_class: type[Query],
    query_string: bytes,
    now: datetime | None,
    strict: bool,
    others: Collection[str] = (),
) -> Query:
    """Parses a request, ignoring the parameters `others`, which other code reads.

    Raises:
        InvalidQueryError: The request has errors.
    """
    if others:
        pairs = parse_query_string(query_string)
        kept = [pair for pair in pairs if pair[0] not in others]
        query_string = to_query_string(kept).encode() if len(kept) < len(pairs) else query_string
    try:
        return query_class.parse(query_string, now, strict)
    except ApiError:
        raise InvalidQueryError(query_class.errors(query_string, now, strict)) from None


def offset_of(page: Mapping[str, int]) -> int:
    """Returns the number of rows before a page of a query's tree."""
    return page.get("offset", 0) + (page["number"] - 1) * page["size"]


def document(
    described: dict[str, Any], query_class: type[ListRequest], envelopes: Envelopes
) -> dict[str, Any]:
    """Adds the parameters and errors of a query class to an OpenAPI operation.

    Args:
        described: The operation, as its endpoint describes it; its responses take precedence.
        query_class: The query class of the endpoint.
        envelopes: The envelope of its errors.

    Returns:
        A deep copy, because YAML would write parts that operations share as references.
    """
    parameters = [*described.get("parameters", ()), *query_class.openapi_parameters()]
    errors = {str(status): answer for status, answer in envelopes.responses().items()}
    answers = described.get("responses") or {"200": {"description": "A page of the list."}}
    added = {"parameters": parameters, "responses": {**errors, **answers}}
    documented: dict[str, Any] = json.loads(json.dumps({**described, **added}))
    return documented
