# SPDX-License-Identifier: MIT
"""List requests in Django REST framework: filters, order and pages of a view's rows.

```
class OrderList(ListAPIView):
    queryset = OrderModel.objects.all()
    serializer_class = OrderSerializer
    filter_backends = [sluice.rest_framework.FilterBackend.of(Orders)]
    pagination_class = sluice.rest_framework.Pagination
```
sluice.django.ErrorMiddleware answers errors; sluice.wsgi has rate limits.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, Self, cast
from urllib.parse import quote

from sluice._declared.list_query import ListQuery
from sluice._errors import ApiError
from sluice._expressions.missing import explained
from sluice._list_requests import ListRequest
from sluice.django import has_middleware, matching, order_of, page_of, read_by

with explained("django"):
    from django.db.models import QuerySet

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
    """Filters and orders a view's rows by the request's query, which becomes `view.query`.

    `FilterBackend.of(Orders)` has its query class; FilterBackend itself takes the view's
    `query_class`. Optional in a view are `query_columns`, the model's fields of columns with other
    names, such as {'customer': 'customer__name'}; `query_is_strict`, False to ignore unknown
    parameters; and `query_now`, a method that returns the current time.
    """

    query_class: ClassVar[type[ListRequest] | None] = None

    @classmethod
    def of(cls, query_class: type[ListRequest]) -> type[Self]:
        """Returns the backend of a query class.

        Args:
            query_class: The query class of the view.

        Raises:
            ValueError: It has a search or a condition on metadata, which to_django() lacks; the
                message names the parameter.
        """
        _check(query_class)
        members = {"query_class": query_class, "__doc__": cls.__doc__, "__module__": cls.__module__}
        return cast("type[Self]", type(cls.__name__, (cls,), members))

    def filter_queryset(self, request: Request, queryset: QuerySet, view: APIView) -> QuerySet:
        """Returns the matching rows, in the query's order."""
        clock = getattr(view, "query_now", None)
        is_strict = getattr(view, "query_is_strict", True)
        others = {api_settings.URL_FORMAT_OVERRIDE} - {None}
        query_class = self._class_of(view)
        with _answering(request):
            view.query = read_by(
                query_class, request._request, is_strict, clock() if clock else None, others
            )
        columns = getattr(view, "query_columns", {})
        rows = queryset.filter(matching(queryset, view.query, columns))
        return rows.order_by(*order_of(view.query, columns, rows))

    def get_schema_operation_parameters(self, view: APIView) -> list[dict[str, Any]]:
        """Returns the parameters of the query for the view's schema."""
        return self._class_of(view).openapi_parameters()

    def _class_of(self, view: APIView) -> type[ListRequest]:
        """Returns the query class of the backend, or else of the view."""
        if self.query_class is not None:
            return self.query_class
        query_class: type[ListRequest] = view.query_class
        _check(query_class)
        return query_class


class Pagination(BasePagination):  # type: ignore[misc]
    """Returns the page of the query of FilterBackend, with Link headers.

    A view may have `query_most_counted`, the number of rows at which counting ends.
    """

    def paginate_queryset(self, queryset: QuerySet, request: Request, view: APIView) -> list[Any]:
        """Returns the rows of the page; reads one more to know whether another page follows."""
        with _answering(request):
            page = page_of(
                queryset,
                view.query,
                quote(request.path),
                getattr(view, "query_columns", None),
                getattr(view, "query_most_counted", None),
            )
        self._headers = page.headers
        return page.rows

    def get_paginated_response(self, data: Sequence[Any]) -> Response:
        """Returns the answer: an array."""
        return Response(data, headers=self._headers)


def _check(query_class: type[ListRequest]) -> None:
    """Checks that to_django() supports all parameters of a class."""
    if issubclass(query_class, ListQuery):
        query_class._check_orm("Django")


@contextmanager
def _answering(request: Request) -> Iterator[None]:
    """Makes the framework answer errors if the settings have no ErrorMiddleware."""
    try:
        yield
    except ApiError as error:
        if has_middleware(request._request):
            raise
        exception = APIException(error.message, error.code)
        exception.status_code = error.status
        raise exception from error
