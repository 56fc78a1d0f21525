# SPDX-License-Identifier: MIT
"""sluice.grammars: expressions to trees and back, and the public suites of the grammars."""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest

import sluice
from sluice import Column

Grammar = Literal["aip160", "odata", "rsql", "cql2", "scim", "postgrest", "cql2-json"]
DATA = Path(__file__).parents[1] / "data/grammars"
SUITES = Path(__file__).parents[3] / "shared/suites"
COLUMNS = [
    Column("id"),
    Column("name", is_nullable=True),
    Column("total", "decimal"),
    Column("created", "time"),
    Column("tags", is_list=True),
]
CQL2_JSON = (
    '{"op": "and", "args": [{"op": ">", "args": [{"property": "total"}, 5]}, '
    '{"op": "=", "args": [{"property": "title"}, "a"]}]}'
)
NAMES = {"title": "name", "createTime": "created", "total": "total"}


@pytest.mark.parametrize(
    ("grammar", "text", "written"),
    [
        ("odata", "total gt 5 and title eq 'a'", "total gt 5 and title eq 'a'"),
        ("aip160", 'total>5 title="a"', 'total > 5 AND title = "a"'),
        ("rsql", "total>5;title==a", "total=gt=5;title==a"),
        ("cql2", "total > 5 and title = 'a'", "total > 5 AND title = 'a'"),
        ("scim", 'TOTAL gt 5 and title eq "a"', 'total gt 5 and title eq "a"'),
        ("postgrest", "and(total.gt.5,title.eq.a)", "(and(total.gt.5,title.eq.a))"),
        ("cql2-json", CQL2_JSON, CQL2_JSON.replace(" ", "")),
    ],
)
def test_an_expression_is_a_tree(grammar: Grammar, text: str, written: str) -> None:
    tree = sluice.grammars.parse_expression(grammar, text, COLUMNS, NAMES)
    conditions = [{"column": "total", "gt": "5"}, {"column": "name", "any_of": ["a"]}]
    assert tree == {"where": {"all": conditions}}
    assert sluice.grammars.write_expression(grammar, tree, COLUMNS, NAMES) == written
    query = sluice.ListQuery.from_tree(tree, COLUMNS)
    rows = {"total": [4, 5, 6, 6], "name": ["a", "a", "a", "b"]}
    assert query.mask(rows).tolist() == [False, False, True, False]


@pytest.mark.parametrize(
    ("grammar", "text"),
    [
        ("odata", "total desc,title"),
        ("aip160", "total desc, title"),
        ("rsql", "-total,+title"),
        ("cql2", "-total,title"),
        ("postgrest", "total.desc,title.asc"),
    ],
)
def test_an_order_is_sort_keys(grammar: Grammar, text: str) -> None:
    order = sluice.grammars.parse_order(grammar, text, COLUMNS, NAMES)
    assert order == [
        {"column": "total", "direction": "desc"},
        {"column": "name", "direction": "asc"},
    ]
    query = sluice.ListQuery.from_tree({"order": order}, COLUMNS)
    assert query.tree()["order"] == order


def test_an_error_of_an_order_has_its_place() -> None:
    with pytest.raises(sluice.ApiError) as failed:
        sluice.grammars.parse_order("scim", "titel", COLUMNS, NAMES)
    assert (failed.value.rule, failed.value.offset, failed.value.length) == ("column_unknown", 0, 5)
    assert sluice.grammars.parse_order("scim", " ", COLUMNS, NAMES) == []


def test_a_word_is_searched() -> None:
    tree = sluice.grammars.parse_expression("aip160", "oslo", COLUMNS, searched=["name"])
    assert tree == {"where": {"column": "name", "contains": ["oslo"]}}


@pytest.mark.parametrize(
    ("text", "rule", "offset", "length"),
    [
        ("total eq 'x'", "value_malformed", 9, 3),
        ("titel eq 'x'", "column_unknown", 0, 5),
        ("name eq 'x'", "column_unknown", 0, 4),
        ("total eq 5 or", "query_condition", 13, 0),
        ("title eq '\u00e9\u00e9' and x eq 5", "column_unknown", 20, 1),
    ],
)
def test_an_error_has_its_place(text: str, rule: str, offset: int, length: int) -> None:
    with pytest.raises(sluice.ApiError) as failed:
        sluice.grammars.parse_expression("odata", text, COLUMNS, NAMES)
    assert (failed.value.rule, failed.value.offset, failed.value.length) == (rule, offset, length)
    assert failed.value.status == 400


def test_what_a_grammar_lacks_is_refused_by_name() -> None:
    tree = {"where": {"not": {"all": [{"column": "name", "is_null": True}] * 2}}}
    with pytest.raises(sluice.ApiError, match="not: nothing that the grammar can say"):
        sluice.grammars.write_expression("rsql", tree, COLUMNS)


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(
        ValueError,
        match="grammar: not a grammar, expected aip160, odata, rsql, cql2, scim, postgrest, cql2-json",
    ):
        sluice.grammars.parse_expression("odat", "", COLUMNS)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="names: not a column of the schema"):
        sluice.grammars.parse_expression("odata", "", COLUMNS, {"a": "nam"})
    with pytest.raises(ValueError, match="searched: not a column of the schema"):
        sluice.grammars.parse_expression("odata", "", COLUMNS, searched=["nam"])


# --- The public suites -----------------------------------------------------------------------

# Each suite's columns, and its cases that are outside of what is read, each with the reason.
OUTSIDE = tomllib.loads((DATA / "outside.toml").read_text())


def aip160_cases() -> Iterator[tuple[str, bool]]:
    for case in json.loads((SUITES / "aip160/filters.json").read_text()):
        if case["from"] == "parser":
            yield case["filter"], case["accepted"]


def rsql_cases() -> Iterator[tuple[str, bool]]:
    for case in json.loads((SUITES / "rsql/filters.json").read_text()):
        yield case["text"], case["accepted"]


CASES = {"aip160": aip160_cases, "rsql": rsql_cases}


def columns_of(suite: str) -> list[Column]:
    types = OUTSIDE[suite]["columns"]
    return [Column(name, kind, is_nullable=True) for kind in types for name in types[kind]]


@pytest.mark.skipif(not SUITES.exists(), reason="needs the public suites")
@pytest.mark.parametrize("suite", CASES)
def test_each_case_of_the_public_suite_is_right_or_has_its_reason(suite: Grammar) -> None:
    outside = [text for texts in OUTSIDE[suite]["outside"].values() for text in texts]
    searched = OUTSIDE[suite].get("searched", [])
    columns = columns_of(suite)
    unexplained, needless = [], []
    count = 0
    for text, is_accepted in CASES[suite]():
        count += 1
        try:
            sluice.grammars.parse_expression(suite, text, columns, None, searched)
            was_read = True
        except sluice.ApiError:
            was_read = False
        if was_read != is_accepted and text not in outside:
            unexplained.append((text, is_accepted))
        if was_read == is_accepted and text in outside:
            needless.append(text)
    assert count >= OUTSIDE[suite]["cases"]
    assert unexplained == []
    assert needless == []
