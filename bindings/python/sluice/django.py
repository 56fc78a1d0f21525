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

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sluice._column import Column
from sluice._declared.groups import DISTINCT
from sluice._envelopes import Envelope, Envelopes
from sluice._errors import ApiError
from sluice._expressions.django import DjangoVisitor, Place
from sluice._expressions.grouped import group_names, group_order, has_paths, plain_columns, whole
from sluice._expressions.keys import Key
from sluice._expressions.missing import explained
from sluice._expressions.tests import has_test
from sluice._list_requests import ListRequest, Query, read_request
from sluice._pages import Page, Selection
from sluice.sql import register

with explained("django"):
    from asgiref.sync import sync_to_async
    from django.conf import settings
    from django.core.exceptions import BadRequest
    from django.core.handlers.wsgi import WSGIRequest
    from django.db import connections
    from django.db.models import (
        BigIntegerField,
        Count,
        DecimalField,
        ExpressionWrapper,
        F,
        FloatField,
        Max,
        Min,
        Q,
        QuerySet,
        Sum,
        Value,
    )
    from django.db.models.expressions import Expression, OrderBy
    from django.db.models.functions import Cast, Coalesce, NullIf
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

    Groups are fields, and paths of JSON in SQLite and PostgreSQL; buckets of time and items of
    lists need `query.aggregate.to_sql()`.

    Args:
        queryset: The rows, with conditions of their own.
        query: The query of the request, whose class declares group_by() or measures(), or an
            Aggregate, such as those of sluice.groups.facets().
        columns: As for `query.to_django()`.

    Returns:
        The groups as `query.aggregate.apply()` returns them.

    Raises:
        ValueError: A group or measure needs to_sql(); the message names its column.
    """
    wanted, conditions = whole(query)
    has_decimals = connections[queryset.db].vendor != "sqlite"
    schema, visitor = (
        plain_columns(wanted, "Django", has_decimals),
        DjangoVisitor(conditions, columns),
    )
    visitor.add_texts(wanted.tree["group_by"])
    named: dict[str, Any] = {}
    measures = {
        f"sluice_measure_{at}": _measure(part, schema, visitor)
        for at, part in enumerate(wanted.tree["measures"])
    }
    computed = dict(measures)
    for at, name in enumerate(group_names(wanted)):
        column = schema[name]
        named[f"sluice_group_{at}"] = visitor.operand(column)
        is_nullable = visitor.is_nullable(queryset.model, column)
        place = visitor.ordered(column, is_nullable=is_nullable)
        if column.type == "choice":
            computed[f"sluice_place_{at}"] = Min(place)
        else:
            named[f"sluice_place_{at}"] = place
    rows = queryset.filter(matching(queryset, conditions, columns, has_paths(wanted))).order_by()
    if not named:
        values = rows.aggregate(**measures)
        return wanted.read([[values[name] for name in measures]])
    kinds = {True: "measure", False: "place"}
    terms = [(F(f"sluice_{kinds[of]}_{at}"), is_down) for of, at, is_down in group_order(wanted)]
    order = [f.desc(nulls_last=True) if down else f.asc(nulls_first=True) for f, down in terms]
    selected = [f"sluice_group_{at}" for at in range(len(wanted.tree["group_by"]))]
    grouped = rows.annotate(**named).values(*named).annotate(**computed).order_by(*order)
    return wanted.read(grouped.values_list(*selected, *measures)[: wanted.tree["limit"]])


def _measure(
    part: Mapping[str, str], schema: Mapping[str, Column], visitor: DjangoVisitor
) -> Expression:
    """Returns the expression of a measure."""
    if part["measure"] == "count":
        return Count("*")
    column = schema[part["column"]]
    operand = visitor.operand(column)
    if part["measure"] in DISTINCT:
        is_text = column.type == "text"
        of = visitor.ordered(column, is_nullable=True) if is_text else operand
        return Count(of, distinct=True)
    if part["measure"] in ("min", "max"):
        return Min(operand) if part["measure"] == "min" else Max(operand)
    field = {"integer": BigIntegerField(), "real": FloatField()}.get(
        column.type, DecimalField(max_digits=65, decimal_places=30)
    )
    total = Sum(operand, output_field=field)
    if part["measure"] == "sum":
        return Coalesce(total, Value(0), output_field=field)
    # A cast of MariaDB's to a float is one to decimals.
    double = ExpressionWrapper(total * Value(1.0, FloatField()), output_field=FloatField())
    count = NullIf(Cast(Count(operand), FloatField()), Value(0.0))
    return ExpressionWrapper(double / count, output_field=FloatField())


def matching(
    queryset: QuerySet,
    query: ListRequest,
    columns: Mapping[str, Place] | None,
    reads_texts: bool = False,
) -> Q:
    """Returns the conditions of a query; SQLite is given the functions that read metadata."""
    connection = connections[queryset.db]
    is_read = reads_texts or has_test(query.tree()["where"], "matches")
    if connection.vendor == "sqlite" and is_read:
        connection.ensure_connection()
        register(connection.connection)
    return DjangoVisitor(query, columns).read(query)


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
    return Key(column, visitor.operand(column), ordered, is_nullable, is_down)


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
        """Returns the answer to an error of a view; None for exceptions of other kinds."""
        if not isinstance(error, ApiError):
            return None
        envelope: Envelope = getattr(settings, "SLUICE_ERRORS", "sluice")
        docs_url = getattr(settings, "SLUICE_DOCS_URL", "")
        status, media_type, body = Envelopes(envelope, docs_url).answer(error)
        return HttpResponse(body, media_type, status)
