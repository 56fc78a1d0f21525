# SPDX-License-Identifier: MIT
"""Views of Django REST framework: where a class that Django can't answer is refused."""

from collections.abc import Callable
from typing import Any, cast

import django_settings  # noqa: F401 (before models)
import pytest
from django.core.exceptions import TooManyFieldsSent
from django.db import connection, models
from django.test import RequestFactory
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

import sluice
from sluice.django import ErrorMiddleware
from sluice.rest_framework import FilterBackend


class Paper(models.Model):  # type: ignore[misc]
    id = models.TextField(primary_key=True)
    status = models.TextField()

    class Meta:
        app_label = "papers"


class Papers(sluice.ListQuery):
    """Parameters that Django can answer."""

    status = sluice.filter()
    words = sluice.text(column=None)
    data = sluice.metadata(column=None)
    page = sluice.page()


class Searched(Papers):
    """A list that is searched."""

    q = sluice.search()


class Renamed(Papers):
    """A search by another name."""

    words = sluice.search(name="find")


class Inherited(Searched):
    """A list whose base is searched."""


ADVICE = "name its columns, or use text(column=None)"
REFUSED = [
    (Searched, f"Searched: q: Django has no search: {ADVICE}"),
    (Renamed, f"Renamed: find: Django has no search: {ADVICE}"),
    (Inherited, f"Inherited: q: Django has no search: {ADVICE}"),
]


class View:
    """A view, as far as the backend reads it."""

    query: Any

    def __init__(self, query_class: type[sluice.ListQuery]) -> None:
        self.query_class = query_class


def request(text: str) -> Request:
    return Request(APIRequestFactory().get(f"/papers?{text}"))


DOORS: dict[str, Callable[[type[sluice.ListQuery]], object]] = {
    "of": FilterBackend.of,
    "request": lambda query_class: FilterBackend().filter_queryset(
        request(""), Paper.objects.all(), cast("Any", View(query_class))
    ),
    "schema": lambda query_class: FilterBackend().get_schema_operation_parameters(
        cast("Any", View(query_class))
    ),
}


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
@pytest.mark.parametrize(("query_class", "message"), REFUSED)
def test_a_class_that_django_has_no_expression_for_is_refused(
    query_class: type[sluice.ListQuery],
    message: str,
    door: Callable[[type[sluice.ListQuery]], object],
) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 (compared below)
        door(query_class)
    assert str(refused.value) == message


def test_a_backend_of_a_class_needs_nothing_of_the_view() -> None:
    with connection.schema_editor() as editor:
        editor.create_model(Paper)
    Paper.objects.bulk_create(Paper(id=id_, status=id_ * 2) for id_ in "abc")
    backend, view = FilterBackend.of(Papers), cast("Any", object.__new__(View))
    papers = backend().filter_queryset(request("status=-bb&words=x"), Paper.objects.all(), view)
    assert [paper.id for paper in papers] == ["a", "c"]
    assert view.query.words == "x"
    assert backend().get_schema_operation_parameters(view) == Papers.openapi_parameters()
    assert (backend.__name__, backend.__mro__[1]) == ("FilterBackend", FilterBackend)


def test_more_parameters_than_django_reads_are_refused_in_the_envelope() -> None:
    with pytest.raises(TooManyFieldsSent) as refused:
        assert request("a=1&" * 1_001).query_params
    middleware = ErrorMiddleware(lambda _: None)
    answer: Any = middleware.process_exception(RequestFactory().get("/papers"), refused.value)
    assert answer.status_code == 400
    assert b"too many parameters, send at most 1000" in answer.content
