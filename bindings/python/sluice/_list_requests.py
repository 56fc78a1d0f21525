# SPDX-License-Identifier: MIT
"""List requests as frameworks hand them over: read by a class, with all that is wrong."""

import json
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from typing import Any, Protocol, Self, TypeVar

from sluice._column import Column
from sluice._envelopes import Envelopes, InvalidQueryError
from sluice._errors import ApiError
from sluice._sluice import parse_query_string, to_query_string


class ListRequest(Protocol):
    """What a class of list queries offers."""

    @classmethod
    def parse(cls, query_string: bytes, now: datetime | None = None, strict: bool = True) -> Self:
        """Reads a request."""
        ...

    @classmethod
    def errors(
        cls, query_string: bytes, now: datetime | None = None, strict: bool = True
    ) -> list[ApiError]:
        """All that is wrong with a request."""
        ...

    @classmethod
    def openapi_parameters(cls) -> list[dict[str, Any]]:
        """The parameters of an OpenAPI operation."""
        ...

    @property
    def schema(self) -> tuple[Column, ...]:
        """The columns that conditions and sort keys may be about."""
        ...

    @property
    def where(self) -> Callable[..., Any]:
        """The conditions as an expression of SQLAlchemy."""
        ...

    def tree(self) -> dict[str, Any]:
        """The query as dicts, lists and plain values."""
        ...

    def to_query_string(self) -> str:
        """The parameters as a query string."""
        ...

    def cursor_beside(self, keys: Sequence[object], *, before: bool = False) -> str:
        """The cursor of the page after a row, or before it."""
        ...


_MOST_ROWS = 2**62

Query = TypeVar("Query", bound=ListRequest)


def read_request(
    query_class: type[Query],
    query_string: bytes,
    now: datetime | None,
    strict: bool,
    others: Collection[str] = (),
) -> Query:
    """Reads a request without the parameters `others`, which something else reads.

    Raises:
        InvalidQueryError: What is wrong with it.
    """
    if others:
        pairs = parse_query_string(query_string)
        own = [pair for pair in pairs if pair[0] not in others]
        query_string = to_query_string(own).encode() if len(own) < len(pairs) else query_string
    try:
        return query_class.parse(query_string, now, strict)
    except ApiError:
        raise InvalidQueryError(query_class.errors(query_string, now, strict)) from None


def rows_before(query: ListRequest) -> tuple[int, int]:
    """How many rows come before the page that a query asks for, and how many it has at most.

    For rows that an ORM selects; a page beyond all rows is no further than databases can count.

    Raises:
        ApiError: It begins at a cursor, which no ORM knows.
    """
    tree = query.tree()
    if "page" in tree:
        number, size = tree["page"]["number"], tree["page"]["size"]
        return min((number - 1) * size, _MOST_ROWS), size
    message = "cursor: unknown parameter, expected page"
    raise ApiError(message, rule="parameter_unknown", param="cursor")


def document(
    described: dict[str, Any], query_class: type[ListRequest], envelopes: Envelopes
) -> dict[str, Any]:
    """An operation of OpenAPI with the parameters and errors of a class of queries added.

    No part of it is shared, which YAML would write as references.
    """
    parameters = [*described.get("parameters", ()), *query_class.openapi_parameters()]
    errors = {str(status): answer for status, answer in envelopes.responses().items()}
    answers = described.get("responses") or {"200": {"description": "A page of the list."}}
    added = {"parameters": parameters, "responses": {**errors, **answers}}
    documented: dict[str, Any] = json.loads(json.dumps({**described, **added}))
    return documented
