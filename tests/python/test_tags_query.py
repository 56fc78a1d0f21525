# SPDX-License-Identifier: MIT
"""Requests for tags."""

import pytest

from sluice import ApiError, TagsQuery

READ = [
    # query string, attribute, value
    ("", "sort_by", "name"),
    ("sortBy=createdAt", "sort_by", "createdAt"),
    ("", "sort_order", "asc"),
    ("sortOrder=desc", "sort_order", "desc"),
    ("", "search", None),
    ("search=", "search", None),
    ("search=%C3%A9t%C3%A9", "search", "été"),
    ("", "ids", ()),
    ("ids=", "ids", ()),
    ("ids=a,,b&ids=c&ids[]=d", "ids", ("a", "b", "c", "d")),
    ("", "page", 1),
    ("page=1e2", "page", 100),
    ("", "page_size", 100),
    ("pageSize=1", "page_size", 1),
    ("pageSize=100.0", "page_size", 100),
]

REFUSED = [
    # query string, parameter, rule, status
    ("sortBy=color", "sortBy", "choice_unknown", 422),
    ("sortOrder=", "sortOrder", "choice_unknown", 422),
    ("search=a&search=b", "search", "parameter_repeated", 400),
    ("ids=" + "a," * 1_001, "ids", "list_too_long", 422),
    ("page=0", "page", "number_too_small", 422),
    ("page=x", "page", "number_malformed", 400),
    ("pageSize=101", "pageSize", "number_too_large", 422),
    ("pageSize=0", "pageSize", "number_too_small", 422),
    ("pageSize=1.5", "pageSize", "number_not_whole", 422),
]


@pytest.mark.parametrize(("text", "attribute", "value"), READ)
def test_parameters_are_read(text: str, attribute: str, value: object) -> None:
    assert getattr(TagsQuery.parse(text), attribute) == value


@pytest.mark.parametrize(("text", "param", "rule", "status"), REFUSED)
def test_refusals_name_the_parameter(text: str, param: str, rule: str, status: int) -> None:
    with pytest.raises(ApiError) as caught:
        TagsQuery.parse(text)
    assert (caught.value.param, caught.value.rule, caught.value.status) == (param, rule, status)


def test_all_errors_come_in_the_order_of_the_parameters() -> None:
    errors = TagsQuery.errors("pageSize=0&page=0&sortBy=x")
    assert [error.param for error in errors] == ["sortBy", "page", "pageSize"]
    assert TagsQuery.errors("") == []


def test_mappings_and_pairs_are_read() -> None:
    query = TagsQuery.parse({"ids": ["a", "b"], "pageSize": 5, "search": None})
    assert query == TagsQuery.parse([("ids", "a,b"), ("pageSize", 5.0)])
    assert (query.ids, query.page_size) == (("a", "b"), 5)


def test_strict_parsing_refuses_unknown_names() -> None:
    with pytest.raises(ApiError, match="unknown parameter"):
        TagsQuery.parse("color=red", strict=True)


def test_text_is_canonical() -> None:
    query = TagsQuery.parse("unknown=1&ids=a,,b&pageSize=100&sortOrder=desc")
    assert str(query) == "sortOrder=desc&ids=a%2Cb"
    assert TagsQuery.parse(str(query)) == query
