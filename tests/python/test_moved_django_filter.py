# SPDX-License-Identifier: MIT
"""A program of django-filter, moved to sluice: clients see no difference.

Its requests are replayed against both.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from urllib.parse import urlencode

import django_filters
import pytest
from django.core.paginator import EmptyPage, Paginator
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.test import RequestFactory
from moved_goods import GoodModel, table_of
from moved_requests import KINDS, Fetch, assert_same, random_requests

import sluice.django
from sluice._envelopes import Envelopes


class Good(GoodModel):
    """A good of a shop."""

    class Meta:
        """The table's application."""

        app_label = "moved_goods"


@pytest.fixture(scope="module", autouse=True)
def rows() -> Iterator[None]:
    with table_of(Good):
        yield


def answer_of(goods: Sequence[Good], total: int) -> JsonResponse:
    return JsonResponse({"count": total, "rows": [[good.id, good.name] for good in goods]})


# --- Before ---------------------------------------------------------------------------------------


class TextInFilter(django_filters.BaseInFilter, django_filters.CharFilter):  # type: ignore[misc]
    """A list of texts with commas."""


class GoodFilter(django_filters.FilterSet):  # type: ignore[misc]
    """The parameters of django-filter."""

    status = TextInFilter(field_name="status", lookup_expr="in")
    status_not = TextInFilter(field_name="status", lookup_expr="in", exclude=True)
    owner_not = TextInFilter(field_name="owner", lookup_expr="in", exclude=True)
    kind = django_filters.MultipleChoiceFilter(choices=[(kind, kind) for kind in KINDS])
    price = django_filters.RangeFilter()  # price_min, price_max
    built = django_filters.DateFromToRangeFilter()  # built_after, built_before
    name = django_filters.CharFilter(lookup_expr="icontains")
    owner_isnull = django_filters.BooleanFilter(field_name="owner", lookup_expr="isnull")
    o = django_filters.OrderingFilter(fields=(("built", "built"), ("price", "cost")))


def list_before(request: HttpRequest) -> HttpResponse:
    goods = GoodFilter(request.GET, queryset=Good.objects.order_by("-built"))
    if not goods.is_valid():
        return JsonResponse(goods.errors, status=400)
    pages = Paginator(goods.qs, 10)
    try:
        shown = pages.page(request.GET.get("page") or 1).object_list
    except EmptyPage:
        shown = []
    return answer_of(shown, pages.count)


# --- After ----------------------------------------------------------------------------------------


class Goods(sluice.ListQuery, model=Good, ignore_empty=True):
    """Goods with the parameters of the filter set."""

    status = sluice.texts()
    status_not = sluice.texts(column="status", exclusion="always")
    owner_not = sluice.texts(column="owner", exclusion="always")
    kind = sluice.filter(choices=KINDS, lists="repeated")
    cost = sluice.integer(column="price", operators={">=": "price_min", "<=": "price_max"})
    built = sluice.date(operators={">=": "built_after", "<=": "built_before"})
    name = sluice.contains(column=sluice.Column("name", collation="ignore_case"))
    has_no_owner = sluice.is_null(name="owner_isnull", column="owner")
    order = sluice.sort("built", "cost", name="o", default="-built")
    page = sluice.page(default=10, limit=None, cursor=None, count=None)


FIELDS = {
    "price_min": "price",
    "price_max": "price",
    "built_after": "built",
    "built_before": "built",
}


def form_errors(errors: Sequence[sluice.ApiError]) -> tuple[int, dict[str, list[str]]]:
    """Returns the errors of a request as those of a form: SLUICE_ERRORS of the settings."""
    return 400, {
        FIELDS.get(error.param or "", error.param or ""): [error.message] for error in errors
    }


def list_after(request: HttpRequest) -> HttpResponse:
    query = sluice.django.read_by(Goods, request, strict=False, now=None)
    goods = Good.objects.filter(query.to_django())
    page = sluice.django.page(Good.objects.all(), query)
    return answer_of(page.rows, goods.count())


# --- Requests -------------------------------------------------------------------------------------

PIECES: dict[str, list[Any]] = {
    "status": ["new", "new,used", "-old", "in stock,-old", "back\\slash", "nothing", ""],
    "status_not": ["new", "-old,used", ""],
    "owner_not": ["Ann", "O'Hara,x"],
    "kind": ["home", ["home", "garden"], ["office", "office"]],
    "price_min": ["50", "0", "-1", ""],
    "price_max": ["90", ""],
    "built_after": ["2026-02-01", ""],
    "built_before": ["2026-03-15"],
    "name": ["oak", "OAK t", "100%", "pine-wood", "k, s", ""],
    "owner_isnull": ["true", "false", ""],
    "o": ["cost", "-cost", "-built,cost", "built", ""],
    "page": ["1", "2", "9"],
    "utm_source": ["mail"],
}
REFUSED = ["price_min=many", "built_after=2026-02-30", "kind=none", "o=weight", "price_max=x&o=y"]


def fetching(view: Callable[[HttpRequest], HttpResponse]) -> Fetch:
    def fetch(text: str) -> tuple[int, Any]:
        request = RequestFactory().get(f"/goods?{text}")
        try:
            response = view(request)
        except sluice.ApiError as error:
            status, _, body = Envelopes(form_errors, "").answer(error)
            return status, set(json.loads(body))
        body = json.loads(response.content)
        return response.status_code, body if response.status_code == 200 else set(body)

    return fetch


def test_every_request_has_the_same_answer() -> None:
    singles = [
        urlencode({name: value}, doseq=True) for name, values in PIECES.items() for value in values
    ]
    texts = ["", *singles, *random_requests(PIECES, 400, 2)]
    assert_same(fetching(list_before), fetching(list_after), texts)


@pytest.mark.parametrize("text", REFUSED)
def test_what_was_refused_is_refused_for_the_same_field(text: str) -> None:
    expected = fetching(list_before)(text)
    assert expected[0] == 400
    assert fetching(list_after)(text) == expected
