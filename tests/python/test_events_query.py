# SPDX-License-Identifier: MIT
"""Requests for events: every parameter, its forms, its limits, and what they come to."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from conftest import NOW

from sluice import ApiError, EventsQuery, Filter, MetadataQuery

FILTERS = {
    # parameter: attribute
    "domain": "domain",
    "linkId": "link_id",
    "tenantId": "tenant_id",
    "tagId": "tag_id",
    "folderId": "folder_id",
    "partnerTagId": "partner_tag_id",
    "groupId": "group_id",
    "partnerId": "partner_id",
    "city": "city",
    "region": "region",
    "device": "device",
    "browser": "browser",
    "os": "os",
    "referer": "referer",
    "refererUrl": "referer_url",
    "url": "url",
    "utm_source": "utm_source",
    "utm_medium": "utm_medium",
    "utm_campaign": "utm_campaign",
    "utm_term": "utm_term",
    "utm_content": "utm_content",
}

READ = [
    # query string, attribute, value
    ("", "event", "clicks"),
    ("event=sales", "event", "sales"),
    ("", "key", None),
    ("domain=d.example&key=k", "key", "k"),
    ("externalId=ext_42", "external_id", "42"),
    ("externalId=", "external_id", None),
    ("customerId=cus_1", "customer_id", "cus_1"),
    ("programId=prog_1", "program_id", "prog_1"),
    ("", "interval", "24h"),
    ("interval=all", "interval", "all"),
    ("", "timezone", "UTC"),
    ("timezone=europe/paris", "timezone", "Europe/Paris"),
    ("country=us,Unknown", "country", Filter(["us", "Unknown"])),
    ("continent=-eu", "continent", Filter(["eu"], excludes=True)),
    ("trigger=qr,link", "trigger", Filter(["qr", "link"])),
    ("", "root", None),
    ("root=TRUE", "root", True),
    ("root=false", "root", False),
    ("", "sale_type", None),
    ("event=sales&saleType=new", "sale_type", "new"),
    ("", "query", None),
    ("event=leads&query=metadata['a'] = 'b'", "query", "metadata['a']:b"),
    ("event=leads&query=+", "query", None),
    ("", "page", 1),
    ("page=2.0", "page", 2),
    ("page=1e400", "page", 2**63 - 1),
    ("", "limit", 100),
    ("limit=1", "limit", 1),
    ("limit=1e3", "limit", 1_000),
    ("", "sort_order", "desc"),
    ("sortOrder=asc", "sort_order", "asc"),
    ("sortOrder=desc&order=asc", "sort_order", "asc"),
    ("sortOrder=asc&order=desc", "sort_order", "asc"),
    ("order=asc", "order", "asc"),
    ("sortBy=timestamp", "sort_by", "timestamp"),
    ("", "qr", None),
    ("qr=true", "qr", True),
    ("tagIds=t1", "tag_ids", Filter(["t1"])),
]

FOLDED = [
    # query string, filters
    ("", {}),
    ("country=", {}),
    ("country=,", {}),
    ("country=US&country=CA&city=-Paris", {"country": "US,CA", "city": "-Paris"}),
    ("country[]=US&country[]=CA", {"country": "US,CA"}),
    ("tagIds=t1", {"tagId": "t1"}),
    ("tagIds=t1&tagId=t2", {"tagId": "t2"}),
    ("qr=true", {"trigger": "qr"}),
    ("qr=false", {"trigger": "link"}),
    ("qr=true&trigger=pageview", {"trigger": "pageview"}),
    ("country=US&unknown=1", {"country": "US"}),
]

REFUSED = [
    # query string, parameter, rule, status, offset, length
    ("event=views", "event", "choice_unknown", 422, 0, 5),
    ("event=", "event", "choice_unknown", 422, 0, 0),
    ("event=clicks&event=clicks", "event", "parameter_repeated", 400, 0, 6),
    ("key=k", "key", "companion_missing", 400, 0, 0),
    ("externalId=42", "externalId", "prefix_missing", 422, 0, 2),
    ("interval=8d", "interval", "choice_unknown", 422, 0, 2),
    ("start=soon", "start", "time_malformed", 400, 0, 4),
    ("end=", "end", "time_malformed", 400, 0, 0),
    ("start=2026-02-29", "start", "day_impossible", 400, 0, 10),
    ("start=2026-08-22", "start", "window_reversed", 422, 0, 10),
    ("timezone=Mars/Base", "timezone", "time_zone_unknown", 422, 0, 9),
    ("country=USA", "country", "filter_value", 422, 0, 3),
    ("country=US,-CA", "country", "filter_dash", 400, 3, 3),
    ("country=US&country=-CA", "country", "filter_exclusion", 400, 0, 0),
    ("continent=XX", "continent", "filter_value", 422, 0, 2),
    ("trigger=qr,scan", "trigger", "filter_value", 422, 3, 4),
    ("city=a%5Cb", "city", "filter_escape", 400, 1, 1),
    ("root=1", "root", "boolean_malformed", 400, 0, 1),
    ("root=", "root", "boolean_malformed", 400, 0, 0),
    ("saleType=new", "saleType", "not_applicable", 422, 0, 0),
    ("event=sales&saleType=old", "saleType", "choice_unknown", 422, 0, 3),
    ("query=metadata['a']:b", "query", "not_applicable", 422, 0, 0),
    ("event=leads&query=metadata['a']", "query", "query_operator", 400, 13, 0),
    ("page=0", "page", "number_too_small", 422, 0, 1),
    ("page=-1", "page", "number_too_small", 422, 0, 2),
    ("page=1.5", "page", "number_not_whole", 422, 0, 3),
    ("page=one", "page", "number_malformed", 400, 0, 3),
    ("page=", "page", "number_malformed", 400, 0, 0),
    ("limit=1001", "limit", "number_too_large", 422, 0, 4),
    ("limit=0", "limit", "number_too_small", 422, 0, 1),
    ("sortOrder=ASC", "sortOrder", "choice_unknown", 422, 0, 3),
    ("sortBy=name", "sortBy", "choice_unknown", 422, 0, 4),
    ("qr=yes", "qr", "boolean_malformed", 400, 0, 3),
    ("order=up", "order", "choice_unknown", 422, 0, 2),
    ("page=x&country=USA", "country", "filter_value", 422, 0, 3),
]

CANONICAL = [
    # query string, canonical text
    ("", ""),
    ("limit=100&event=clicks&page=1&timezone=utc&unknown=1", ""),
    ("page=2&country=US,,CA", "country=US%2CCA&page=2"),
    ("externalId=ext_1&root=True", "externalId=ext_1&root=true"),
    ("start=3%20days%20ago&end=now", "start=3+days+ago&end=now"),
    ("tagIds=a", "tagId=a"),
    ("qr=true", "trigger=qr"),
    ("order=asc", "sortOrder=asc"),
    ("?country=US", "country=US"),
]

TWINS = [
    # of the same meaning
    ("qr=true", "trigger=qr"),
    ("qr=false", "trigger=link"),
    ("order=asc", "sortOrder=asc"),
    ("order=desc", ""),
    ("tagIds=a", "tagId=a"),
]


def parse(source: Any) -> EventsQuery:  # noqa: ANN401
    return EventsQuery.parse(source, now=NOW)


@pytest.mark.parametrize(("text", "attribute", "value"), READ)
def test_parameters_are_read(text: str, attribute: str, value: object) -> None:
    assert getattr(parse(text), attribute) == value


@pytest.mark.parametrize(("parameter", "attribute"), FILTERS.items())
def test_filters_are_read(parameter: str, attribute: str) -> None:
    wanted = Filter(["a,b", "-c"], excludes=True)
    query = parse({parameter: str(wanted)})
    assert getattr(query, attribute) == wanted
    assert query.filters == {parameter: wanted}
    assert getattr(parse(""), attribute) is None


def test_every_parameter_has_an_attribute() -> None:
    query = parse("")
    for parameter in EventsQuery.parameters:
        name = "".join(f"_{char.lower()}" if char.isupper() else char for char in parameter)
        assert hasattr(query, name)


@pytest.mark.parametrize(("text", "filters"), FOLDED)
def test_filters_are_folded(text: str, filters: dict[str, str]) -> None:
    assert {name: str(f) for name, f in parse(text).filters.items()} == filters


def test_metadata_is_an_expression_or_none() -> None:
    query = parse("event=sales&query=metadata['plan']:pro")
    assert query.metadata == MetadataQuery.parse("metadata['plan']:pro")
    assert parse("event=sales").metadata is None


@pytest.mark.parametrize(("text", "param", "rule", "status", "offset", "length"), REFUSED)
def test_refusals_name_parameter_and_bytes(
    text: str, param: str, rule: str, status: int, offset: int, length: int
) -> None:
    with pytest.raises(ApiError) as caught:
        parse(text)
    error = caught.value
    assert (error.param, error.rule, error.status) == (param, rule, status)
    assert (error.offset, error.length) == (offset, length)
    assert str(error).startswith(f"{param}: ")


def test_all_errors_come_in_the_order_of_the_parameters() -> None:
    text = "page=0&limit=x&country=USA&event=views&end=soon"
    errors = EventsQuery.errors(text, now=NOW)
    assert [error.param for error in errors] == ["event", "end", "country", "page", "limit"]
    assert EventsQuery.errors("country=US", now=NOW) == []


def test_strict_parsing_refuses_unknown_names() -> None:
    assert parse("utm=x").filters == {}
    with pytest.raises(ApiError) as caught:
        EventsQuery.parse("country=US&contry=x", now=NOW, strict=True)
    assert (caught.value.rule, caught.value.status) == ("parameter_unknown", 400)
    assert caught.value.param == "contry"
    assert caught.value.message == (
        "contry: unknown parameter (did you mean 'country'?), expected one of the documented names"
    )
    assert [e.rule for e in EventsQuery.errors("utm=x", strict=True)] == ["parameter_unknown"]


def test_unknown_names_are_told_each_with_what_was_meant() -> None:
    errors = EventsQuery.errors("contry=US&utm=x&contry=CA", now=NOW, strict=True)
    assert [error.param for error in errors] == ["contry", "utm"]
    assert str(errors[0]).startswith("contry: unknown parameter (did you mean 'country'?)")
    assert "contry" in errors[0].to_json()
    with pytest.raises(ApiError) as caught:
        EventsQuery.parse({"contry": "US"}, now=NOW, strict=True)
    assert caught.value.param == "contry"
    assert str(caught.value) == str(errors[0])


@pytest.mark.parametrize(("text", "canonical"), CANONICAL)
def test_text_is_canonical(text: str, canonical: str) -> None:
    assert str(parse(text)) == canonical
    assert parse(canonical) == parse(text)


@pytest.mark.parametrize(("twin", "replacement"), TWINS)
def test_queries_of_the_same_meaning_are_equal(twin: str, replacement: str) -> None:
    assert parse(twin) == parse(replacement)
    assert hash(parse(twin)) == hash(parse(replacement))
    assert str(parse(twin)) == str(parse(replacement)) == replacement


@pytest.mark.parametrize(
    "source",
    [
        "city=S%C3%A3o+Paulo&city=Paris&root=true&page=2&limit=50",
        b"city=S%C3%A3o+Paulo&city=Paris&root=true&page=2&limit=50",
        {"city": ["São Paulo", "Paris"], "root": True, "page": 2, "limit": 5e1, "os": None},
        [
            ("city", ("São Paulo",)),
            ("city", "Paris"),
            ("root", "true"),
            ("page", 2.0),
            ("limit", 50),
        ],
        iter([["city", "São Paulo,Paris"], ["root", True], ["page", "2"], ["limit", "50"]]),
    ],
)
def test_sources_of_every_kind_are_read(source: object) -> None:
    query = parse(source)
    assert query.filters == {"city": Filter(["São Paulo", "Paris"])}
    assert (query.root, query.page, query.limit) == (True, 2, 50)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (None, "query_string: expected str, bytes, a mapping or pairs, not NoneType"),
        (5, "query_string: expected str, bytes, a mapping or pairs, not int"),
        ({"country": [["US"]]}, "country: expected str, bool, a number"),
        ({"country": b"US"}, "country: expected str, bool, a number"),
        ({5: "US"}, "query_string: name: expected str or bytes, not int"),
        (["country"], "query_string: expected pairs"),
    ],
)
def test_sources_of_other_types_are_refused(source: object, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        parse(source)


@pytest.mark.parametrize("source", [[("country",)], [("country", "US", "CA")]])
def test_pairs_are_of_two(source: Iterable[tuple[str, str]]) -> None:
    with pytest.raises(ValueError, match="expected pairs of a name and a value"):
        parse(source)


@pytest.mark.parametrize(
    ("text", "city"),
    [
        ("city=%00", "\0"),
        ("city=%zz%4", "%zz%4"),
        ("city=%C0%80", "\ufffd\ufffd"),
        ("city=%ED%A0%80", "\ufffd" * 3),
        ("city=\ud800", "\ufffd" * 3),
        ({"city": "\ud800"}, "\ufffd" * 3),
        (b"city=\xff", "\ufffd"),
        ("city=%F0%9F%99%82", "🙂"),
    ],
)
def test_hostile_bytes_become_replacement_characters(text: object, city: str) -> None:
    assert parse(text).city == Filter([city])


def test_a_megabyte_is_refused() -> None:
    with pytest.raises(ApiError) as caught:
        parse({"city": "a" * 1_000_000})
    assert (caught.value.rule, caught.value.param) == ("filter_too_long", "city")


def test_window_is_aware_and_in_utc() -> None:
    query = parse("interval=24h")
    assert (query.start, query.end) == (NOW - timedelta(hours=24), NOW)
    assert query.end.tzinfo is UTC
    assert parse("interval=all").start is None


def test_start_wins_over_interval_and_days_are_those_of_the_time_zone() -> None:
    query = parse("start=2026-08-01&end=2026-08-01&interval=7d&timezone=America/New_York")
    assert query.start == datetime(2026, 8, 1, 4, tzinfo=UTC)
    assert query.end == datetime(2026, 8, 2, 4, tzinfo=UTC) - timedelta(milliseconds=1)


def test_times_before_the_year_1_are_an_error_where_they_are_read() -> None:
    early = parse("start=0000-06-01")
    with pytest.raises(ApiError, match="expected a time in the years 0001 to 9999") as beyond:
        _ = early.start
    assert beyond.value.rule == "time_out_of_range"
    assert early.end == NOW
    assert early.tree()["where"]["all"][0]["gte"] == "0000-06-01T00:00:00.000Z"


def test_now_may_be_of_any_zone_and_is_cut_to_milliseconds() -> None:
    there = NOW.astimezone(timezone(timedelta(hours=5, minutes=30))) + timedelta(microseconds=999)
    query = EventsQuery.parse("", now=there)
    assert (query.now, query.end) == (NOW, NOW)


def test_now_is_the_present_by_default() -> None:
    before = datetime.now(UTC) - timedelta(milliseconds=1)
    assert before <= EventsQuery.parse("").end <= datetime.now(UTC)


def test_naive_times_are_refused() -> None:
    with pytest.raises(ValueError, match="now: a naive datetime, expected an aware one"):
        EventsQuery.parse("", now=datetime(2026, 8, 21))
    with pytest.raises(ValueError, match="now: a naive datetime"):
        EventsQuery.errors("", now=datetime(2026, 8, 21))
    with pytest.raises(TypeError, match="now: expected an aware datetime, not str"):
        EventsQuery.parse("", now="2026-08-21")  # type: ignore[arg-type]
