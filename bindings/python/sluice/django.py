# SPDX-License-Identifier: MIT
"""List requests and errors in Django; for rate limits use sluice.wsgi.RateLimit or sluice.asgi.

```
MIDDLEWARE = [..., "sluice.django.ErrorMiddleware"]  # in settings.py
SLUICE_ERRORS = "problem"

def list_orders(request: HttpRequest) -> HttpResponse:  # in views.py
    query = sluice.django.read(Orders, request)
    page = sluice.django.page(Order.objects.all(), query, request.path)

application = sluice.wsgi.RateLimit(get_wsgi_application(), limiter)  # in wsgi.py
```
"""

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sluice._envelopes import Envelope, Envelopes, StatusError
from sluice._errors import ApiError
from sluice._expressions.django import DjangoVisitor, Place, database_of
from sluice._expressions.grouped import RowGroups, has_paths, name_in_rows, valued_columns, whole
from sluice._expressions.keys import Key
from sluice._expressions.missing import explained
from sluice._expressions.tests import has_test
from sluice._list_requests import ListRequest, Query, expect, expect_query, read_request
from sluice._pages import Page, Selection
from sluice.sql import register

with explained("django"):
    from asgiref.sync import sync_to_async
    from django.conf import settings
    from django.core.exceptions import BadRequest, EmptyResultSet, TooManyFieldsSent
    from django.core.handlers.wsgi import WSGIRequest
    from django.db import connections
    from django.db.models import Q, QuerySet, Value
    from django.db.models.expressions import Expression, OrderBy
    from django.db.models.manager import BaseManager
    from django.http import HttpRequest, HttpResponse
    from django.utils.deprecation import MiddlewareMixin

if TYPE_CHECKING:
    from sluice._declared.list_query import ListQuery
    from sluice.groups import Aggregate

__all__ = ["ErrorMiddleware", "Page", "aggregate", "page", "page_async", "read"]

_MARK = "_sluice_errors"  # attribute of a request


def read(
    query_class: type[Query],
    request: HttpRequest,
    *,
    strict: bool = True,
    now: datetime | None = None,
) -> Query:
    """Parses the query of a request.

    Args:
        query_class: The query class of the endpoint.
        request: The request.
        strict: False ignores unknown parameters; they are errors by default.
        now: The time, an aware datetime, that relative times refer to; the current time by default.

    Raises:
        ApiError: The request is invalid; ErrorMiddleware answers it.
        BadRequest: The request is invalid, and the settings have no ErrorMiddleware.
    """
    try:
        return read_by(query_class, request, strict, now)
    except ApiError as error:
        if has_middleware(request):
            raise
        raise BadRequest(error.message) from error


def read_by(
    query_class: type[Query],
    request: HttpRequest,
    strict: bool,
    now: datetime | None,
    others: Collection[str] = (),
) -> Query:
    """Parses the query of a request, ignoring the parameters `others`.

    Raises:
        ApiError: The request is invalid.
    """
    text = request.META["QUERY_STRING"]
    is_of_wsgi = isinstance(request, WSGIRequest)  # its texts are bytes, one per character
    query_string = text.encode("latin-1" if is_of_wsgi else "utf-8")
    return read_request(query_class, query_string, now, strict, others)


def page(
    queryset: QuerySet,
    query: ListRequest,
    path: str = "",
    *,
    columns: Mapping[str, Place] | None = None,
    most_counted: int | None = None,
) -> Page[list[Any]]:
    """Selects the page of a query, which may begin or end at a cursor.

    Args:
        queryset: The rows, with conditions and options of their own.
        query: The query of the request.
        path: The path of the list, with which links begin; see page_headers().
        columns: As for `query.to_django()`.
        most_counted: The number of rows at which counting ends, if the request asks for a total;
            0 never counts, and None counts all.

    Returns:
        A Page; one row more than it has is read, to know whether another follows.
    """
    expect("queryset", queryset, "a QuerySet, such as Order.objects.all()", QuerySet, BaseManager)
    expect_query(query)
    rows = queryset.filter(matching(queryset, query, columns))
    return page_of(rows, query, path, columns, most_counted)


async def page_async(
    queryset: QuerySet,
    query: ListRequest,
    path: str = "",
    *,
    columns: Mapping[str, Place] | None = None,
    most_counted: int | None = None,
) -> Page[list[Any]]:
    """Like page(), for views of asyncio.

    Args:
        queryset: As for page().
        query: As for page().
        path: As for page().
        columns: As for page().
        most_counted: As for page().
    """
    return await sync_to_async(page)(
        queryset, query, path, columns=columns, most_counted=most_counted
    )


def aggregate(
    queryset: QuerySet,
    query: "ListQuery | Aggregate",
    *,
    columns: Mapping[str, Place] | None = None,
) -> list[dict[str, Any]]:
    """Groups and measures the rows that meet a query's conditions, by one statement.

    The statement is that of `query.aggregate.to_sql()` over the SELECT of the rows. Texts at a path
    of JSON need SQLite or PostgreSQL.

    Args:
        queryset: The rows, with conditions of their own.
        query: The query of the request, whose class declares group_by() or measures(), or an
            Aggregate, such as those of sluice.groups.facets().
        columns: As for `query.to_django()`.

    Returns:
        The groups as `query.aggregate.apply()` returns them.

    Raises:
        ApiError: The database can't answer exactly, or a bucket of time has no first or last time
            in the conditions.
        ValueError: The values of a column aren't exact in the database; the message names it.
    """
    wanted, conditions = whole(query)
    connection, visitor = connections[queryset.db], DjangoVisitor(conditions, columns)
    groups = RowGroups(wanted, database_of(connection), visitor)
    named = {
        name_in_rows(at): visitor.group_value(column)
        for at, column in enumerate(valued_columns(wanted).values())
    } or {name_in_rows(0): Value(1)}
    rows = queryset.filter(matching(queryset, conditions, columns, has_paths(wanted))).order_by()
    try:
        table, values = (
            rows.annotate(**named).values_list(*named).query.get_compiler(queryset.db).as_sql()
        )
    except EmptyResultSet:  # of none()
        return wanted.apply([])
    operands = [(f"({table}) AS sluice_table", values), *(("%s", [of]) for of in groups.parameters)]
    bound: list[object] = []

    def fill(place: "re.Match[str]") -> str:
        text, parameters = operands[int(place[1])]
        bound.extend(parameters)
        return text

    text = re.sub(r"\{(\d+)\}", fill, groups.text.replace("%", "%%"))
    with connection.cursor() as cursor:
        cursor.execute(text, bound)
        return groups.read(cursor.fetchall())


def matching(
    queryset: QuerySet,
    query: ListRequest,
    columns: Mapping[str, Place] | None,
    reads_texts: bool = False,
) -> Q:
    """Returns the conditions of a query; SQLite is given the functions that read metadata."""
    connection = connections[queryset.db]
    tree = query.tree()
    is_read = reads_texts or has_test(tree["where"], "matches")
    if connection.vendor == "sqlite" and is_read:
        connection.ensure_connection()
        register(connection.connection)
    return DjangoVisitor(query, columns).read(query, tree)


def page_of(
    rows: QuerySet,
    query: ListRequest,
    path: str,
    columns: Mapping[str, Place] | None,
    most_counted: int | None,
) -> Page[list[Any]]:
    """Returns the page of the rows that meet a query's conditions."""
    selection, visitor = Selection(query), DjangoVisitor(query, columns)
    keys = [_key(key, visitor, rows) for key in selection.order]
    named = {f"sluice_key_{at}": key.operand for at, key in enumerate(keys, 1)}
    shown = rows.annotate(**named)
    place = selection.place
    if place is not None:
        if place.cuts:
            count = len(selection.key_parts) or 1
            at_row = [
                visitor.key_bound(key.column, name, text or "")
                for key, text in zip(keys[-count:], place.keys[-count:], strict=True)
                for name in ("gte", "lte")
            ]
            place.complete(keys, shown.filter(*at_row).values_list(*named).first())
        directed = [key.reversed() for key in keys] if place.is_before else keys
        shown = shown.filter(selection.beyond(visitor, directed))
    else:
        directed = keys
    shown = shown.order_by(*map(_term, directed))
    entries = [*shown[selection.before : selection.before + selection.size + 1]]
    total = None
    if selection.is_counted and most_counted != 0:
        total = (rows if most_counted is None else rows.order_by()[: most_counted + 1]).count()

    def read(values: Sequence[Any]) -> list[object]:
        pairs = zip(keys, values, strict=True)
        return [visitor.cursor_key(key.column, key.operand, value) for key, value in pairs]

    with_keys = [(row, [_take(row, name) for name in named]) for row in entries]
    return selection.page(with_keys, read, total, most_counted, path)


def _take(row: Any, name: str) -> object:  # noqa: ANN401
    """Returns a key of a row, and removes it."""
    return row.pop(name) if isinstance(row, dict) else vars(row).pop(name)


def _key(key: Mapping[str, Any], visitor: DjangoVisitor, rows: QuerySet) -> Key[Expression]:
    column = visitor.schema[key["column"]]
    is_nullable = visitor.is_nullable(rows.model, column)
    ordered = visitor.ordered(column, is_nullable=is_nullable)
    is_down = key["direction"] == "desc"
    return Key(column, visitor.key_operand(column), ordered, is_nullable, is_down)


def _term(key: Key[Expression]) -> OrderBy:
    """Returns a sort key, with nulls first if ascending."""
    if key.is_down:
        return key.ordered.desc(nulls_last=key.is_nullable or None)
    return key.ordered.asc(nulls_first=key.is_nullable or None)


def order_of(
    query: ListRequest, columns: Mapping[str, Place] | None, rows: QuerySet
) -> list[OrderBy]:
    """Returns the order of a query."""
    visitor = DjangoVisitor(query, columns)
    return [_term(_key(key, visitor, rows)) for key in Selection(query).order]


def has_middleware(request: HttpRequest) -> bool:
    """Returns true if ErrorMiddleware answers the errors of a request."""
    return getattr(request, _MARK, False)


class ErrorMiddleware(MiddlewareMixin):  # type: ignore[misc]
    """Answers the errors of views in one envelope.

    The settings may have SLUICE_ERRORS, which is 'sluice', 'detail' as in FastAPI, 'problem' for
    RFC 9457, the guideline 'odata', 'aip' or 'scim', or a function that takes all errors of a
    request and returns the body, a JSON value, or a tuple of a status and the body; and
    SLUICE_DOCS_URL, the prefix of links to the errors' documentation.
    """

    def process_request(self, request: HttpRequest) -> None:
        """Marks a request whose errors this middleware answers."""
        setattr(request, _MARK, True)

    def process_exception(self, _: HttpRequest, error: Exception) -> HttpResponse | None:
        """Returns the answer to an error of a view, or to a request with too many parameters.

        None for exceptions of other kinds.
        """
        if isinstance(error, TooManyFieldsSent):
            most = settings.DATA_UPLOAD_MAX_NUMBER_FIELDS
            error = StatusError(400, f"too many parameters, send at most {most}")
        if not isinstance(error, ApiError):
            return None
        envelope: Envelope = getattr(settings, "SLUICE_ERRORS", "sluice")
        docs_url = getattr(settings, "SLUICE_DOCS_URL", "")
        status, media_type, body = Envelopes(envelope, docs_url).answer(error)
        return HttpResponse(body, media_type, status)
