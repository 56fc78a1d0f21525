# SPDX-License-Identifier: MIT
"""Advanced filters: their text, what they match, and what they refuse."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sluice import FILTER_MAX_BYTES, FILTER_MAX_VALUES, ApiError, Filter, equal

READ = [
    # text, excludes, values, canonical text
    ("", False, (), ""),
    ("-", False, (), ""),
    ("US", False, ("US",), "US"),
    ("US,CA", False, ("US", "CA"), "US,CA"),
    ("-US,CA", True, ("US", "CA"), "-US,CA"),
    ("US,,CA,", False, ("US", "CA"), "US,CA"),
    (" US , CA ", False, (" US ", " CA "), " US , CA "),
    (r"Washington\, D.C.", False, ("Washington, D.C.",), r"Washington\, D.C."),
    (r"\-US,a\\b", False, ("-US", r"a\b"), r"\-US,a\\b"),
    ("a-b", False, ("a-b",), "a-b"),
    (
        "São Paulo,東京,🙂,ירושלים",
        False,
        ("São Paulo", "東京", "🙂", "ירושלים"),
        "São Paulo,東京,🙂,ירושלים",
    ),
    ("a\0b", False, ("a\0b",), "a\0b"),
    ("\ud800", False, ("\ufffd" * 3,), "\ufffd" * 3),
]

REFUSED = [
    # text, rule, status, offset, length
    ("US,-CA", "filter_dash", 400, 3, 3),
    ("--US", "filter_dash", 400, 1, 3),
    ("é,-b", "filter_dash", 400, 3, 2),
    ("a\\b", "filter_escape", 400, 1, 1),
    ("a\\", "filter_escape", 400, 1, 1),
    ("a" * (FILTER_MAX_BYTES + 1), "filter_too_long", 422, FILTER_MAX_BYTES, 1),
    ("a," * (FILTER_MAX_VALUES + 1), "filter_too_many", 422, 2_000, 2),
]

MATCHED = [
    # filter, value, collation, whether it passes
    ("US,CA", "CA", "exact", True),
    ("US,CA", "ca", "exact", False),
    ("US,CA", None, "exact", False),
    ("-US,CA", "CA", "exact", False),
    ("-US,CA", "FR", "exact", True),
    ("-US,CA", None, "exact", True),
    ("", "anything", "exact", True),
    ("", None, "exact", True),
    ("us", "US", "ignore_case", True),
    ("é", "É", "ignore_case", False),
    ("CA", "US-CA", "subdivision", True),
    ("us-ca", "US-CA", "subdivision", True),
    ("US", "US-CA", "subdivision", False),
    ("https://a.example/p", "https://a.example/p?q=1", "url", True),
    ("https://a.example/p?q=1", "https://a.example/p?q=2", "url", False),
]

values = st.lists(st.text(), max_size=8)


@pytest.mark.parametrize(("text", "excludes", "values", "canonical"), READ)
def test_text_is_read_and_written(
    text: str, excludes: bool, values: tuple[str, ...], canonical: str
) -> None:
    parsed = Filter.parse(text)
    assert (parsed.excludes, parsed.values, str(parsed)) == (excludes, values, canonical)
    assert parsed == Filter(values, excludes)


@pytest.mark.parametrize(("text", "rule", "status", "offset", "length"), REFUSED)
def test_refusals_point_at_the_bytes_at_fault(
    text: str, rule: str, status: int, offset: int, length: int
) -> None:
    with pytest.raises(ApiError) as caught:
        Filter.parse(text)
    error = caught.value
    assert (error.rule, error.status, error.offset, error.length) == (rule, status, offset, length)
    assert error.param is None


@pytest.mark.parametrize(("text", "value", "collation", "passes"), MATCHED)
def test_values_pass_or_not(text: str, value: str | None, collation: str, passes: bool) -> None:
    assert Filter.parse(text).matches(value, collation) is passes  # type: ignore[arg-type]
    assert Filter.parse(text).mask([value], collation) == [passes]  # type: ignore[call-overload]


@pytest.mark.parametrize(("text", "value", "collation", "passes"), MATCHED)
def test_in_asks_about_a_value_as_it_is(
    text: str, value: str | None, collation: str, passes: bool
) -> None:
    if collation == "exact":
        assert (value in Filter.parse(text)) is passes
    assert (value in Filter.parse(text)) is Filter.parse(text).matches(value)


@pytest.mark.parametrize(("text", "excludes", "values", "canonical"), READ)
def test_a_filter_is_as_long_as_its_list_and_false_without_one(
    text: str, excludes: bool, values: tuple[str, ...], canonical: str
) -> None:
    parsed = Filter.parse(text)
    assert len(parsed) == len(values)
    assert bool(parsed) is bool(values)


@pytest.mark.parametrize("value", [1, b"US", ["US"]])
def test_only_texts_and_none_can_be_in_a_filter(value: Any) -> None:  # noqa: ANN401
    with pytest.raises(TypeError, match="value: expected str or None, not"):
        value in Filter.parse("US")  # noqa: B015


@pytest.mark.parametrize(("text", "value", "collation", "passes"), MATCHED)
def test_texts_are_equal_where_a_filter_of_one_takes_the_other(
    text: str,
    value: str | None,
    collation: Any,  # noqa: ANN401
    passes: bool,
) -> None:
    listed = Filter.parse(text)
    if value is not None and listed:
        named = any(equal(value, item, collation) for item in listed.values)
        assert passes is (named != listed.excludes)


def test_what_equal_refuses() -> None:
    assert equal("a", "a")
    assert not equal("a", "A")
    with pytest.raises(ApiError, match="collation: not one of the accepted values, expected exact"):
        equal("a", "a", "fuzzy")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="row: expected str, not NoneType"):
        equal(None, "a")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="value: expected str, not int"):
        equal("a", 5)  # type: ignore[arg-type]


@given(values, st.booleans())
def test_parsing_undoes_writing(values: list[str], excludes: bool) -> None:
    filter_ = Filter(values, excludes)
    assert Filter.parse(str(filter_)) == filter_


@given(values, st.booleans(), st.lists(st.none() | st.text(), max_size=8))
def test_excluded_and_included_rows_are_all_rows(
    values: list[str], excludes: bool, rows: list[str | None]
) -> None:
    filter_ = Filter(values, excludes)
    mask = filter_.mask(rows + list(filter_.values))
    assert mask == [filter_.matches(row) for row in rows + list(filter_.values)]
    if filter_.values:
        opposite = Filter(values, not excludes).mask(rows + list(filter_.values))
        assert opposite == [not passes for passes in mask]


def test_constructor_takes_any_iterable_and_drops_empty_values() -> None:
    assert Filter() == Filter.parse("")
    assert Filter(v for v in ("a,b", "", "-c")) == Filter.parse(r"a\,b,\-c")
    assert Filter([""], excludes=True) == Filter.parse("-")


def test_constructor_keeps_the_limits() -> None:
    with pytest.raises(ApiError, match="too many values"):
        Filter(["a"] * (FILTER_MAX_VALUES + 1))
    with pytest.raises(ApiError, match="too long"):
        Filter(["a" * (FILTER_MAX_BYTES + 1)])


@pytest.mark.parametrize("values", ["US", [1], [None], 5])
def test_constructor_refuses_what_is_no_list_of_texts(values: Iterable[str]) -> None:
    with pytest.raises(TypeError):
        Filter(values)


@pytest.mark.parametrize("value", [1, b"US", ["US"]])
def test_a_row_is_a_text_or_none(value: str) -> None:
    with pytest.raises(TypeError, match="value: expected str or None, not"):
        Filter.parse("US").matches(value)


@pytest.mark.parametrize("value", [1, b"US", [1], object()])
def test_rows_are_texts_or_missing_or_lists(value: str) -> None:
    with pytest.raises(TypeError, match="array: row 1: expected str, None or a list of these, not"):
        Filter.parse("US").mask(["US", value])


def test_a_text_is_not_many_values() -> None:
    with pytest.raises(TypeError, match="array: expected many values, not str"):
        Filter.parse("US").mask("US")


def test_unknown_collation_is_refused() -> None:
    with pytest.raises(ApiError, match="collation: not one of the accepted values, expected exact"):
        Filter.parse("US").matches("US", "fuzzy")  # type: ignore[arg-type]


def test_mask_of_an_array_is_an_array_of_its_shape() -> None:
    rows = np.array([["US", "FR"], ["CA", "us"]])
    mask = Filter.parse("US,CA").mask(rows)
    assert mask.dtype == np.bool_
    assert mask.tolist() == [[True, False], [True, False]]
    assert rows[mask].tolist() == ["US", "CA"]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (np.array(["US", None, "FR"], dtype=object), [False, True, True]),
        (np.ma.array(["US", "US", "FR"], mask=[False, True, False]), [False, True, True]),
        (np.array([], dtype=str), []),
    ],
)
def test_mask_of_an_array_takes_absent_values(
    rows: "np.typing.NDArray[np.object_]", expected: list[bool]
) -> None:
    assert Filter.parse("-US").mask(rows).tolist() == expected


def test_mask_takes_any_iterable() -> None:
    assert Filter.parse("US").mask(iter(("US", "FR"))) == [True, False]
