# SPDX-License-Identifier: MIT
"""List requests in Django REST framework: what filters, orders and pages the rows of a view.

```
class OrderList(ListAPIView):
    queryset = OrderModel.objects.all()
    serializer_class = OrderSerializer
    query_class = Orders
    filter_backends = [sluice.rest_framework.FilterBackend]
    pagination_class = sluice.rest_framework.Pagination
```
Errors are told by sluice.django.ErrorMiddleware, and limits are those of sluice.wsgi.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

from sluice._errors import ApiError
from sluice._expressions.django import ordered
from sluice._expressions.missing import explained
from sluice._list_requests import ListRequest, rows_before
from sluice.django import has_middleware, read_by
from sluice.pages import page_headers

with explained("django"):
    from django.db.models import F, QuerySet
    from django.db.models.expressions import OrderBy

with explained("rest_framework"):
    from rest_framework.exceptions import APIException
    from rest_framework.filters import BaseFilterBackend
    from rest_framework.pagination import BasePagination
    from rest_framework.request import Request
    from rest_framework.response import Response
    from rest_framework.settings import api_settings
    from rest_framework.views import APIView

__all__ = ["FilterBackend", "Pagination"]


class FilterBackend(BaseFilterBackend):  # type: ignore[misc]
    """Filters and orders a view's rows as the request's query asks, which is then `view.query`.

    The view has `query_class`, the class of its queries. It may have `query_columns`, by which
    columns of the query are other fields of the model, such as {'customer': 'customer__name'};
    `query_is_strict`, False where unknown parameters are ignored; and `query_now`, a method that
    tells the present.
    """

    def filter_queryset(self, request: Request, queryset: QuerySet, view: APIView) -> QuerySet:
        """The rows that the request asks for, in its order."""
        clock = getattr(view, "query_now", None)
        is_strict = getattr(view, "query_is_strict", True)
        others = {api_settings.URL_FORMAT_OVERRIDE} - {None}
        with _answering(request):
            view.query = read_by(
                view.query_class, request._request, is_strict, clock() if clock else None, others
            )
        columns = getattr(view, "query_columns", {})
        rows = queryset.filter(view.query.to_django(columns))
        return rows.order_by(*_order(view.query, columns))

    def get_schema_operation_parameters(self, view: APIView) -> list[dict[str, Any]]:
        """The parameters of the query, as the schema of the view has them."""
        parameters: list[dict[str, Any]] = view.query_class.openapi_parameters()
        return parameters


class Pagination(BasePagination):  # type: ignore[misc]
    """Gives the page that the query of FilterBackend asks for, with Link headers."""

    def paginate_queryset(self, queryset: QuerySet, request: Request, view: APIView) -> list[Any]:
        """The rows of the page; one more is read, which tells whether another page follows."""
        with _answering(request):
            before, size = rows_before(view.query)
        rows = list(queryset[before : before + size + 1])
        self._headers = page_headers(
            view.query,
            quote(request.path),
            len(rows[:size]),
            has_more=len(rows) > size,
            total=queryset.count() if view.query.tree()["total"] else None,
        )
        return rows[:size]

    def get_paginated_response(self, data: Sequence[Any]) -> Response:
        """The answer: an array."""
        return Response(data, headers=self._headers)


@contextmanager
def _answering(request: Request) -> Iterator[None]:
    """Has the framework answer errors where the settings have no ErrorMiddleware."""
    try:
        yield
    except ApiError as error:
        if has_middleware(request._request):
            raise
        told = APIException(error.message, error.code)
        told.status_code = error.status
        raise told from error


def _order(query: ListRequest, columns: Mapping[str, str]) -> list[OrderBy]:
    """The sort keys of a query for Django, with null first where the order ascends."""
    schema = {column.name: column for column in query.schema}
    order = []
    for key in query.tree()["order"]:
        name = key["column"]
        by = ordered(F(columns.get(name, name)), schema[name])
        is_down = key["direction"] == "desc"
        order.append(by.desc(nulls_last=True) if is_down else by.asc(nulls_first=True))
    return order
