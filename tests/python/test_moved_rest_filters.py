# SPDX-License-Identifier: MIT
"""A program of REST framework's search, ordering and offsets, moved to sluice: the same to clients.

Its requests are replayed against both, and the links of both are followed.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.db.models import QuerySet
from moved_goods import GoodModel, table_of
from moved_requests import Fetch, assert_same, random_requests
from rest_framework.filters import OrderingFilter, SearchFilter
from rest_framework.generics import ListAPIView
from rest_framework.pagination import LimitOffsetPagination
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import ModelSerializer
from rest_framework.test import APIRequestFactory
from rest_framework.views import APIView

import sluice.rest_framework
from sluice.rest_framework import FilterBackend, Pagination


class Ware(GoodModel):
    """A good of a shop."""

    class Meta:
        """The table's application."""

        app_label = "moved_wares"


@pytest.fixture(scope="module", autouse=True)
def rows() -> Iterator[None]:
    with table_of(Ware):
        yield


class WareSerializer(ModelSerializer):  # type: ignore[misc]
    """A good in answers."""

    class Meta:
        """The columns."""

        model = Ware
        fields = ("id", "name", "owner", "price", "built")


class WareList(ListAPIView):  # type: ignore[misc]
    """The wares that both views list."""

    queryset = Ware.objects.order_by("id")
    serializer_class = WareSerializer
    authentication_classes = ()
    permission_classes = ()
    renderer_classes = (JSONRenderer,)


# --- Before ---------------------------------------------------------------------------------------


class Offsets(LimitOffsetPagination):  # type: ignore[misc]
    """Pages of REST framework."""

    default_limit = 10
    max_limit = 50


class Before(WareList):
    """Goods by REST framework's filters."""

    filter_backends = (SearchFilter, OrderingFilter)
    search_fields = ("name", "owner")
    ordering_fields = ("built", "price", "weight")
    ordering = ("-built",)
    pagination_class = Offsets


# --- After ----------------------------------------------------------------------------------------


class Wares(sluice.ListQuery, model=Ware, ignore_empty=True):
    """Wares with the parameters of the filter backends."""

    search = sluice.search(
        sluice.Column("name", collation="ignore_case"),
        sluice.Column("owner", collation="ignore_case", is_nullable=True),
        form="all",
    )
    ordering = sluice.sort("built", "price", "weight", default="-built")
    page = sluice.page(default=10, maximum=50, page=None, offset="offset", cursor=None, count=None)


class CountedPages(Pagination):
    """Pages with the members of REST framework's."""

    def paginate_queryset(self, queryset: QuerySet, request: Request, view: APIView) -> list[Any]:
        """Counts all rows too."""
        self.total = queryset.count()
        self.host = request.build_absolute_uri("/").rstrip("/")
        return super().paginate_queryset(queryset, request, view)

    def get_paginated_response(self, data: Sequence[Any]) -> Response:
        """Returns the rows with their number and the addresses beside."""
        links = super().get_paginated_response(data).headers["Link"]
        places = {part.split('"')[1]: part[1 : part.index(">")] for part in links.split(", ")}
        beside = {
            name: self.host + places[relation] if relation in places else None
            for name, relation in (("next", "next"), ("previous", "prev"))
        }
        return Response({"count": self.total, **beside, "results": data})


class After(WareList):
    """Goods by sluice."""

    filter_backends = (FilterBackend.of(Wares),)
    pagination_class = CountedPages
    query_is_strict = False


# --- Requests -------------------------------------------------------------------------------------

PIECES = {
    "search": ["oak", "OAK table", "ann oak", "o'h", "pine-wood box", "%25", "nothing", ""],
    "ordering": ["price", "-weight", "-price,built", "built", ""],
    "limit": ["1", "7", "50"],
    "offset": ["0", "5", "20", "59", "100"],
    "utm_source": ["mail"],
}


def fetching(view: type[WareList]) -> Fetch:
    shown = view.as_view()

    def fetch(text: str) -> tuple[int, Any]:
        response = shown(APIRequestFactory().get(f"/wares?{text}")).render()
        body = json.loads(response.content)
        body["rows"] = body.pop("results")
        return response.status_code, body

    return fetch


def all_rows(fetch: Fetch, text: str, relation: str) -> list[Any]:
    """Returns the rows of pages, each linked by that before."""
    pages = []
    while True:
        status, body = fetch(text)
        assert status == 200
        pages.append(body["rows"])
        if body[relation] is None:
            return pages
        assert body[relation].startswith("http://testserver/wares?")
        text = urlsplit(body[relation]).query


def without_links(fetch: Fetch) -> Fetch:
    def fetch_rows(text: str) -> tuple[int, Any]:
        status, body = fetch(text)
        has_links = {f"has_{name}": body.pop(name) is not None for name in ("next", "previous")}
        return status, {**body, **has_links}

    return fetch_rows


def test_every_request_has_the_same_answer() -> None:
    singles = [f"{name}={value}" for name, values in PIECES.items() for value in values]
    texts = ["", *singles, *random_requests(PIECES, 400, 3)]
    assert_same(without_links(fetching(Before)), without_links(fetching(After)), texts)


@pytest.mark.parametrize(
    "text", ["", "limit=7&ordering=price", "search=oak&limit=3&ordering=-built"]
)
@pytest.mark.parametrize("relation", ["next", "previous"])
def test_links_lead_to_the_same_rows(text: str, relation: str) -> None:
    start = f"{text}&offset=20" if relation == "previous" else text
    before, after = fetching(Before), fetching(After)
    assert all_rows(after, start, relation) == all_rows(before, start, relation)
