# SPDX-License-Identifier: MIT
"""Requests as programs give them to parse(): texts, values by their names, and what is neither."""

import io
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import django_settings  # noqa: F401 (before requests)
import pytest
from starlette.datastructures import URL, FormData, QueryParams
from werkzeug.datastructures import MultiDict

import sluice
from sluice import ApiError, Bounds, EventsQuery, Filter, ListQuery, TagsQuery


class Orders(ListQuery):
    """A filter, a list, numbers, an order."""

    city = sluice.filter()
    seats = sluice.filter(type="integer")
    ids = sluice.texts(column="id")
    total = sluice.integer(operators=(">=", "<="))
    note = sluice.text()
    order = sluice.sort("city", "note")
    page = sluice.page()


VALUES: list[tuple[Any, str, object]] = [
    ({"city": ["Washington, D.C."]}, "city", Filter(["Washington, D.C."])),
    ({"city": ("-x", "a\\b")}, "city", Filter(["-x", "a\\b"])),
    ([("city", ["a,b"]), ("city", ["c"])], "city", Filter(["a,b", "c"])),
    ({"city": {"b", "a,c"}}, "city", Filter(["a,c", "b"])),
    ({"city": "a,b"}, "city", Filter(["a", "b"])),  # text, as in a URL
    ({"city": "-a"}, "city", Filter(["a"], excludes=True)),
    ({"city": Filter.parse("-a,b")}, "city", Filter(["a", "b"], excludes=True)),
    ({"city": [Filter.parse("-a,b")]}, "city", Filter(["a", "b"], excludes=True)),
    ({"seats": -5}, "seats", Filter(["-5"])),
    ({"seats": [-5, 7]}, "seats", Filter(["-5", "7"])),
    ({"ids": ["a", "b"]}, "ids", ("a", "b")),
    ({"ids": "a,b"}, "ids", ("a", "b")),
    ({"total[gte]": -5}, "total", Bounds(gte=-5)),
    ({"total[gte]": [-5]}, "total", Bounds(gte=-5)),
    ({"note": ["a,b"]}, "note", "a,b"),
    ({"note": ["-a"]}, "note", "-a"),
    ({"order": ["-city"]}, "order", (sluice.SortKey("city", True),)),
    (QueryParams("city=a&city=b"), "city", Filter(["a", "b"])),
    (MultiDict([("city", "a"), ("city", "b")]), "city", Filter(["a", "b"])),
]


@pytest.mark.parametrize(("values", "name", "expected"), VALUES)
def test_values_mean_themselves(values: Any, name: str, expected: object) -> None:  # noqa: ANN401
    query = Orders.parse(values)
    assert getattr(query, name) == expected
    assert getattr(Orders.parse(str(query)), name) == expected


def test_values_of_the_reference_service_mean_themselves() -> None:
    query = EventsQuery.parse({"city": ["Washington, D.C."], "tagId": ["-x"]})
    assert query.filters == {
        "city": Filter(["Washington, D.C."]),
        "tagId": Filter(["-x"]),
    }
    assert sluice.to_query_string({"city": ["a,b"]}) == "city=a%5C%2Cb"


def test_django_keeps_repeats() -> None:
    from django.http import QueryDict

    assert Orders.parse(QueryDict("city=a&city=b")).city == Filter(["a", "b"])


@pytest.mark.parametrize("item", ["a,b", ""])
def test_an_item_that_no_list_can_hold_is_refused(item: str) -> None:
    for read in (Orders.parse, Orders.errors, TagsQuery.parse):
        with pytest.raises(ValueError, match="ids: an item is empty or has a ','"):
            read({"ids": [item]})


class Box:
    """No request."""


NO_REQUESTS: list[object] = [
    None,
    5,
    1.5,
    True,
    Box(),
    set(),
    {"city"},
    frozenset(),
    bytearray(b"city=a"),
    bytearray(),
    memoryview(b""),
    io.BytesIO(),
    io.StringIO("city=a"),
    URL("https://example.com/orders?city=a"),
    urlsplit("https://example.com/orders?city=a"),
    ["city"],
    [("city", "a", "b")],
    {"city": Box()},
    {"city": {"a": "b"}},
    FormData([("city", Box())]),  # type: ignore[list-item]
]


@pytest.mark.parametrize("value", NO_REQUESTS, ids=lambda value: type(value).__name__)
def test_what_is_no_request_is_refused(value: Any) -> None:  # noqa: ANN401
    reads: list[Callable[[Any], object]] = [
        Orders.parse,
        Orders.errors,
        EventsQuery.parse,
        EventsQuery.errors,
        TagsQuery.parse,
        TagsQuery.errors,
    ]
    for read in reads:
        with pytest.raises((TypeError, ValueError), match=r"query_string|city"):
            read(value)


ADDRESSES = [
    "https://example.com/orders?city=a",
    "http://localhost:8000/orders",
    "/orders?city=a",
    "orders?city=a&seats=1",
    b"https://example.com/?city=a",
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_is_refused(address: str | bytes) -> None:
    for read in (Orders.parse, EventsQuery.parse, TagsQuery.parse):
        with pytest.raises(ApiError) as refused:
            read(address)
        assert refused.value.status == 400
        assert str(refused.value) == "query_string: a whole address, give what comes after its '?'"


@pytest.mark.parametrize("text", ["", "?", "?city=a", "city=a?b", "city=https://example.com/?a=b"])
def test_a_query_string_is_none(text: str) -> None:
    Orders.parse(text)


UNKNOWN = [
    ("citty=a", "citty: unknown parameter (did you mean 'city'?), expected "),
    ("total=5", "total: unknown parameter (did you mean 'total[gte]' or 'total[lte]'?), "),
    ("total[eq]=5", "total[eq]: unknown parameter (did you mean 'total[gte]' or 'total[lte]'?), "),
    ("city[]=a", None),
    ("ids[]=a", None),
    ("utm=1", "utm: unknown parameter, expected one of the documented names"),
    ("=5", "unknown parameter, expected "),
]


@pytest.mark.parametrize(("text", "message"), UNKNOWN)
def test_unknown_parameters_are_errors_unless_it_is_lenient(text: str, message: str | None) -> None:
    assert Orders.errors(text, strict=False) == []
    Orders.parse(text, strict=False)
    if message is None:
        Orders.parse(text)
        return
    with pytest.raises(ApiError) as refused:
        Orders.parse(text)
    assert (refused.value.status, refused.value.rule) == (400, "parameter_unknown")
    assert str(refused.value).startswith(message)
    assert [str(error) for error in Orders.errors(text)] == [str(refused.value)]


def test_the_reference_service_ignores_unknown_parameters() -> None:
    assert EventsQuery.parse("utm=1&=5") == EventsQuery.parse("")
    assert TagsQuery.parse("utm=1") == TagsQuery.parse("")


MESSAGES = [
    ("order=city desc", "order: 'desc' after a column (did you mean '-city'?), write '-' before "),
    ("order=note,city:DESC", "order: 'desc' after a column (at byte 5, did you mean '-city'?), "),
    (
        "order=city.asc",
        "order: 'asc' after a column (did you mean 'city'?), write the column alone",
    ),
    ("cursor=x", "cursor: not a cursor, take it from a Link header as it is"),
]


@pytest.mark.parametrize(("text", "message"), MESSAGES)
def test_messages_say_what_to_write(text: str, message: str) -> None:
    with pytest.raises(ApiError) as refused:
        Orders.parse(text)
    assert str(refused.value).startswith(message)


def test_times_say_what_to_write() -> None:
    class Events(ListQuery):
        day = sluice.time(operators=(">=",))
        created = sluice.window()

    for text, message in {
        "day[gte]=2026-02-30": "day[gte]: no such day, expected a day that exists, ",
        "start=2026-08-21T02:30:15+02:00": "start: a '+' that reads as a space (at byte 19), write",
        "day[gte]=2026-08-21 02:30:15.5+0200": "day[gte]: not a time, expected ",
    }.items():
        with pytest.raises(ApiError) as refused:
            Events.parse(text)
        assert str(refused.value).startswith(message)


def test_a_check_refuses_by_any_value_error() -> None:
    class Checked(ListQuery):
        low = sluice.integer(column=None)
        high = sluice.integer(column=None)

        @sluice.check
        def are_in_order(self) -> None:
            if self.low is not None and self.high is not None and self.low > self.high:
                raise ValueError("low: more than high, swap them")

    assert Checked.errors("low=1&high=2") == []
    with pytest.raises(ApiError) as refused:
        Checked.parse("low=2&high=1")
    assert (refused.value.status, str(refused.value)) == (422, "low: more than high, swap them")
    assert [str(error) for error in Checked.errors("low=2&high=1")] == [str(refused.value)]
