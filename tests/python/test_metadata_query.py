# SPDX-License-Identifier: MIT
"""Metadata expressions over JSON as Python holds it."""

import json
from collections import ChainMap
from types import MappingProxyType
from typing import Any, NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle.listing import expression

from sluice import QUERY_MAX_LENGTH, ApiError, Column, ListQuery, MetadataQuery

METADATA: dict[str, Any] = json.loads("""{
    "plan": "pro", "seats": 12, "price": 10.0, "big": 1e3, "trial": false, "none": null,
    "text number": "7", "items": [{"sku": "cd-77"}, {"sku": "cd-78"}], "": "empty",
    "a.b": {"it's": "said \\"so\\""}, "name": "山田", "list": [], "object": {}
}""")

HELD = [
    # expression, whether it holds
    ("", True),
    ("  \t\n", True),
    ("metadata['plan']:pro", True),
    ("metadata['plan'] = 'pro'", True),
    ("metadata['plan']:PRO", False),
    ("metadata['plan']!=pro", False),
    ("metadata['absent']!=pro", True),
    ("metadata['absent']:''", False),
    ("metadata['seats']:12", True),
    ("metadata['seats']:12.0", True),
    ("metadata['seats']:'12'", True),
    ("metadata['seats']>11.5 AND metadata['seats']<=1.2e1", True),
    ("metadata['price']:10", True),
    ("metadata['price']:10.0", True),
    ("metadata['big']:1000", True),
    ("metadata['trial']:false", True),
    ("metadata['trial']:0", False),
    ("metadata['trial']<1", False),
    ("metadata['none']:null", False),
    ("metadata['list']:''", False),
    ("metadata['object']:''", False),
    ("metadata['text number']>6", True),
    ("metadata['text number']:7.0", False),
    ("metadata['plan']>6", False),
    ("metadata['items']['1']['sku']:cd-78", True),
    ("metadata['items']['01']['sku']:cd-78", False),
    ("metadata['items']['2']['sku']:cd-78", False),
    ("metadata['items']['-1']['sku']:cd-78", False),
    ("metadata['plan']['0']:p", False),
    ("metadata['']:empty", True),
    ("""metadata['a.b']["it's"]:'said "so"'""", True),
    ("metadata['name']:山田", True),
    ("metadata['plan']:pro OR metadata['x']:1 AND metadata['y']:2", True),
    ("(metadata['plan']:pro OR metadata['x']:1) and metadata['y']:2", False),
    ("not metadata['plan']:pro", False),
    ("NOT NOT metadata['plan']:pro", True),
]

REFUSED = [
    # expression, rule, status, offset, length
    ("metadata['plan']", "query_operator", 400, 16, 0),
    ("metadata['plan']:", "query_value", 400, 17, 0),
    ("metadata['plan']:pro AND", "query_condition", 400, 24, 0),
    ("metadata['plan']:'pro", "query_quote", 400, 21, 0),
    ("(metadata['plan']:pro", "query_parenthesis", 400, 21, 0),
    ("metadata['plan']:pro metadata", "query_end", 400, 21, 8),
    ("metadata['plan']=='pro'", "query_operator_unknown", 400, 16, 2),
    ("metadata['n']=>5", "query_operator_unknown", 400, 13, 2),
    ("metadata['a']:'b' && metadata['c']:'d'", "query_connective", 400, 18, 2),
    ("metadata['a']:b || metadata['c']:d", "query_connective", 400, 16, 2),
    ("metadata['a']:b,metadata['c']:d", "query_connective", 400, 15, 1),
    ("metadata['a']::b", "query_bare", 400, 14, 1),
    ("metadata['a']:it's", "query_bare", 400, 16, 1),
    ("metadata['a'] 'b'", "query_operator", 400, 14, 1),
    ("metadata['n']>x", "query_number", 422, 14, 1),
    (" " * (QUERY_MAX_LENGTH + 1), "query_too_long", 422, 0, QUERY_MAX_LENGTH + 1),
    ("(" * 65 + "metadata['a']:1" + ")" * 65, "query_too_deep", 422, 64, 1),
    (" OR ".join(["metadata['a']:1"] * 257), "query_too_many", 422, 256 * 19, 8),
]

keys = st.text(max_size=3)
conditions = st.builds(
    lambda path, op, value: "metadata" + "".join(f"[{quote(k)}]" for k in path) + op + quote(value),
    st.lists(keys, min_size=1, max_size=3),
    st.sampled_from([":", "=", "!="]),
    st.text(max_size=3),
)
expressions = st.recursive(
    conditions,
    lambda inner: st.one_of(
        inner.map("NOT {}".format),
        inner.map("({})".format),
        st.builds("{} AND {}".format, inner, inner),
        st.builds("{} OR {}".format, inner, inner),
    ),
    max_leaves=6,
)


def quote(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


@pytest.mark.parametrize(("text", "holds"), HELD)
def test_expressions_hold_or_not(text: str, holds: bool) -> None:
    assert MetadataQuery.parse(text).matches(METADATA) is holds


@pytest.mark.parametrize(("text", "rule", "status", "offset", "length"), REFUSED)
def test_refusals_point_at_the_bytes_at_fault(
    text: str, rule: str, status: int, offset: int, length: int
) -> None:
    with pytest.raises(ApiError) as caught:
        MetadataQuery.parse(text)
    error = caught.value
    assert (error.rule, error.status, error.offset, error.length) == (rule, status, offset, length)


@given(expressions)
def test_parsing_undoes_writing(text: str) -> None:
    query = MetadataQuery.parse(text)
    assert MetadataQuery.parse(str(query)) == query


@given(st.text(max_size=5), st.text(max_size=5))
def test_a_text_equals_itself_and_nothing_else(value: str, other: str) -> None:
    query = MetadataQuery.parse(f"metadata['k']:{quote(value)}")
    assert query.matches({"k": value})
    assert query.matches({"k": other}) is (value == other)


@given(st.integers() | st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_equals_its_json_text(value: float) -> None:
    query = MetadataQuery.parse(f"metadata['k']:{json.dumps(value)}")
    assert query.matches({"k": value})
    assert not MetadataQuery.parse(f"metadata['k']>{json.dumps(value)}").matches({"k": value})


@pytest.mark.parametrize(
    "metadata",
    [
        MappingProxyType({"k": "v"}),
        ChainMap({}, {"k": "v"}),
        {"k": "v", 5: "other keys are no names of JSON"},
    ],
)
def test_any_mapping_is_read(metadata: object) -> None:
    assert MetadataQuery.parse("metadata['k']:v").matches(metadata)


@pytest.mark.parametrize("metadata", [["v"], ("v",)])
def test_lists_are_read_by_index(metadata: object) -> None:
    assert MetadataQuery.parse("metadata['0']:v").matches(metadata)


@pytest.mark.parametrize(
    "metadata",
    [None, '"k"', 5, {}, [], {"k": None}, {"k": float("nan")}],
)
def test_nothing_comparable_equals_nothing(metadata: object) -> None:
    assert not MetadataQuery.parse("metadata['k']:v").matches(metadata)
    assert MetadataQuery.parse("metadata['k']!=v").matches(metadata)
    assert not MetadataQuery.parse("metadata['k']>0").matches(metadata)


def test_what_a_mapping_raises_comes_through() -> None:
    class Broken(dict[str, str]):
        def get(self, key: str, default: object = None) -> NoReturn:
            raise LookupError(key)

    with pytest.raises(LookupError):
        MetadataQuery.parse("metadata['k']:v").matches(Broken())


TREES = [
    # expression, tree
    ("", {"all": []}),
    ("metadata['a']['b'] = 'c d'", {"path": ["a", "b"], "equal": "c d"}),
    ("metadata['a'] != 1", {"path": ["a"], "not_equal": "1"}),
    *(
        (f"metadata['a'] {op} 1.0", {"path": ["a"], name: "1.0"})
        for op, name in ((">", "gt"), (">=", "gte"), ("<", "lt"), ("<=", "lte"))
    ),
    (
        "metadata['a']:1 AND NOT (metadata['b']:2 OR metadata['c']:3)",
        {
            "all": [
                {"path": ["a"], "equal": "1"},
                {"not": {"any": [{"path": ["b"], "equal": "2"}, {"path": ["c"], "equal": "3"}]}},
            ]
        },
    ),
]


@pytest.mark.parametrize(("text", "tree"), TREES)
def test_a_tree_has_what_the_text_says(text: str, tree: dict[str, Any]) -> None:
    assert MetadataQuery.parse(text).tree() == tree


@pytest.mark.parametrize("text", [text for text, _ in HELD] + [text for text, _ in TREES])
def test_a_tree_is_that_of_a_query_and_reads_back(text: str) -> None:
    query = MetadataQuery.parse(text)
    leaf = {"column": "metadata", "matches": query.tree()}
    read = ListQuery.from_tree({"where": leaf}, [Column("metadata", "json")])
    assert read.tree()["where"] == leaf
    assert MetadataQuery.parse(expression(query.tree()) if text.strip() else "") == query
