# SPDX-License-Identifier: MIT
"""sluice.grammars: expressions to trees and back, and the public suites of the grammars."""

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple
from urllib.parse import unquote

import pytest
import yaml
from grammar_texts import BEYOND, TEXTS_OF

import sluice
from sluice import Column

Grammar = Literal["aip160", "odata", "rsql", "cql2", "scim", "postgrest", "cql2-json"]
DATA = Path(__file__).parents[1] / "data/grammars"
SUITES = Path(__file__).parents[3] / "shared/suites"
PAGE = Path(__file__).parents[2] / "docs/reference/grammars.md"
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


@pytest.mark.parametrize("grammar", TEXTS_OF)
def test_a_text_that_is_cut_or_changed_is_refused_within_it(grammar: Grammar) -> None:
    columns = [Column(name) for name in ("name", "city", "total", "paid", "tags", "msg")]
    texts, refused = TEXTS_OF[grammar](3), 0
    for _ in range(15):
        text = texts.text()
        for at in range(len(text)):
            changed = text[:at] + texts.choice(BEYOND) + text[at + 1 :]
            for mutilated in (text[:at], changed):
                error = read(grammar, Case(mutilated, False), columns)
                if error is None:
                    continue
                refused += 1
                assert error.offset + error.length <= len(mutilated.encode()), mutilated
    assert refused > 500


def test_half_a_surrogate_pair_is_refused_at_its_byte() -> None:
    for text, rule, offset in (
        ("title eq 'é\ud83d'", "text_encoding", 12),
        ("\ude00 eq 5", "text_encoding", 0),
        ('title in ["\\ud83d"]', "query_escape", 10),
    ):
        with pytest.raises(sluice.ApiError) as failed:
            sluice.grammars.parse_expression("odata", text, COLUMNS, NAMES)
        assert (failed.value.rule, failed.value.offset) == (rule, offset)
    with pytest.raises(sluice.ApiError) as failed:
        sluice.grammars.parse_order("odata", "title,\ud83d", COLUMNS, NAMES)
    assert (failed.value.rule, failed.value.offset) == ("text_encoding", 6)
    tree = {"where": {"column": "name", "any_of": ["a", "\ud83d"]}}
    message = r"tree\.where\.any_of\[1\]: expected a text without lone surrogates"
    with pytest.raises(sluice.ApiError, match=message):
        sluice.ListQuery.from_tree(tree, COLUMNS)


def test_what_a_grammar_lacks_is_refused_by_name() -> None:
    tree = {"where": {"not": {"all": [{"column": "name", "is_null": True}] * 2}}}
    with pytest.raises(sluice.ApiError, match="not: nothing that the grammar can say"):
        sluice.grammars.write_expression("rsql", tree, COLUMNS)


def test_columns_are_those_of_the_call_however_often_they_came_before() -> None:
    def kept(tree: dict[str, Any]) -> bool:
        return sluice.ListQuery.from_tree(tree, columns).matches({"total": 7, "name": "A"})

    columns = [Column("total", "decimal"), Column("name")]
    tree = sluice.grammars.parse_expression("odata", "total gt 10 or name eq 'a'", columns)
    assert [kept(tree) for _ in range(3)] == [False] * 3
    columns[1] = Column("name", collation="ignore_case")  # equal only by its name
    tree["where"]["any"][1]["collation"] = "ignore_case"
    assert kept(tree)
    del columns[0]
    with pytest.raises(sluice.ApiError, match="total"):
        kept(tree)
    columns += [Column("total", "text"), columns[0]]
    with pytest.raises(ValueError, match="more than one column 'name'"):
        kept(tree)
    for size in range(40):  # more lists than are kept
        others = [Column(f"c{at}") for at in range(size + 1)]
        query = sluice.ListQuery.from_tree({"where": {"all": []}}, iter(others))
        assert [column.name for column in query.schema] == [f"c{at}" for at in range(size + 1)]


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(
        ValueError, match="grammar: not a grammar, expected aip160, odata, rsql, cql2, scim, "
    ):
        sluice.grammars.parse_expression("odat", "", COLUMNS)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="names: not a column of the schema"):
        sluice.grammars.parse_expression("odata", "", COLUMNS, {"a": "nam"})
    with pytest.raises(ValueError, match="searched: not a column of the schema"):
        sluice.grammars.parse_expression("odata", "", COLUMNS, searched=["nam"])


# --- The public suites -----------------------------------------------------------------------

# Each suite's columns, and its cases that are outside of what is read, each with the reason.
OUTSIDE = tomllib.loads((DATA / "outside.toml").read_text())

# The rules of OData's suite that are read, and the text around a case that makes it a condition.
RULES = {
    "filter": "%",
    "orderby": "%",
    "orderBy": "%",
    "commonExpr": "%",
    "boolCommonExpr": "%",
    "boolcommonExpr": "%",
    "notExpr": "%",
    "isofExpr": "%",
    "anyExpr": "Items/%",
    "firstMemberExpr": "% ne null",
    "propertyPathExpr": "% ne null",
    "enumLiteral": "style eq %",
    "stringLiteral": "Name eq %",
    "primitiveLiteral": "Name eq %",
    "decimalLiteral": "Price eq %",
    "doubleLiteral": "Price eq %",
    "singleLiteral": "Price eq %",
    "guid": "id eq %",
    "date": "ReleaseDate eq %",
    "dateTimeOffsetValue": "created ge %",
    "boolean": "true eq %",
    **dict.fromkeys(["decimalValue", "doubleValue", "singleValue"], "Price eq %"),
    **dict.fromkeys(
        [f"int{bits}{kind}" for bits in (16, 32, 64) for kind in ("Value", "Literal")], "Price eq %"
    ),
    **dict.fromkeys(["sbyteValue", "sbyteLiteral"], "Price eq %"),
}
PARAMETER = re.compile(r"\$?(?:filter|orderby)=", re.IGNORECASE)


class Case(NamedTuple):
    """A text of a suite."""

    text: str
    is_accepted: bool
    fails_at: int | None = None  # a byte
    is_order: bool = False


def aip160_cases() -> Iterator[Case]:
    for case in json.loads((SUITES / "aip160/filters.json").read_text()):
        if case["from"] == "parser":
            yield Case(case["filter"], case["accepted"])


def rsql_cases() -> Iterator[Case]:
    for case in json.loads((SUITES / "rsql/filters.json").read_text()):
        yield Case(case["text"], case["accepted"])


def cql2_cases() -> Iterator[Case]:
    for path in sorted((SUITES / "cql2/text").iterdir()):
        yield Case(path.read_text().strip(), True)


def odata_cases() -> Iterator[Case]:
    # PyYAML reads no tab in a plain text.
    text = (SUITES / "odata/testcases.yaml").read_text().replace("\t", "\0")
    for case in yaml.load(text.replace("\0", "⇥"), yaml.BaseLoader)["TestCases"]:
        if case["Rule"] not in RULES:
            continue
        spelled = case["Input"].replace("⇥", "\t")
        parameter = PARAMETER.match(spelled)
        start = parameter.end() if parameter else 0
        before, after = RULES[case["Rule"]].split("%")
        fails_at = None
        if "FailAt" in case:
            at = int(case["FailAt"])
            fails_at = len(unquote(before + spelled[start : max(at, start)]).encode())
        yield Case(
            before + unquote(spelled[start:]) + after,
            "FailAt" not in case,
            fails_at,
            case["Rule"].lower() == "orderby",
        )


CASES: dict[Grammar, Callable[[], Iterator[Case]]] = {
    "aip160": aip160_cases,
    "rsql": rsql_cases,
    "cql2": cql2_cases,
    "odata": odata_cases,
}
RECORDS = (
    Column("Completed", "boolean"),
    Column("severity"),
)


def column_of(name: str, kind: Any) -> Column:  # noqa: ANN401
    """A column of a type, or of a list of texts, of records or of texts that ignore the case."""
    if kind == "lists":
        return Column(name, is_list=True)
    if kind == "records":
        return Column(name, "records", columns=RECORDS)
    if kind == "ignore_case":
        return Column(name, collation="ignore_case", is_nullable=True)
    return Column(name, kind, is_nullable=True)


def columns_of(suite: str) -> list[list[Column]]:
    """The columns of a suite, and those with types of its other cases."""
    tables = []
    for table in ("columns", "others"):
        types = OUTSIDE[suite].get(table, {})
        columns = {name: column_of(name, kind) for kind in types for name in types[kind]}
        tables.append(columns)
    return [list(tables[0].values()), list({**tables[0], **tables[1]}.values())]


def read(suite: Grammar, case: Case, columns: list[Column]) -> sluice.ApiError | None:
    """Reads a case, and returns why it is refused."""
    searched = OUTSIDE.get(suite, {}).get("searched", [])
    try:
        if case.is_order:
            sluice.grammars.parse_order(suite, case.text, columns)
        else:
            sluice.grammars.parse_expression(suite, case.text, columns, None, searched)
    except sluice.ApiError as error:
        return error
    return None


class Verdicts(NamedTuple):
    """The cases of a suite, and those that sluice accepts or refuses otherwise, or elsewhere."""

    cases: list[Case]
    wrong: list[tuple[Case, list[sluice.ApiError | None]]]


def outside(suite: str) -> set[str]:
    """The texts that are read otherwise for a reason."""
    return {text for texts in OUTSIDE[suite]["outside"].values() for text in texts}


def verdicts(suite: Grammar) -> Verdicts:
    """Reads each case of a suite."""
    result = Verdicts([*CASES[suite]()], [])
    for case in result.cases:
        errors = [read(suite, case, columns) for columns in columns_of(suite)]
        was_read = None in errors
        is_right = was_read == case.is_accepted
        if is_right and not was_read and case.fails_at is not None:
            is_right = any(error and error.offset == case.fails_at for error in errors)
        if not is_right:
            result.wrong.append((case, errors))
    return result


@pytest.mark.skipif(not SUITES.exists(), reason="needs the public suites")
@pytest.mark.parametrize("suite", CASES)
def test_each_case_of_the_public_suite_is_right_or_has_its_reason(suite: Grammar) -> None:
    cases, wrong = verdicts(suite)
    assert [both for both in wrong if both[0].text not in outside(suite)] == []
    needless = {case.text for case in cases} & outside(suite) - {case.text for case, _ in wrong}
    assert needless == set()
    assert len(cases) == OUTSIDE[suite]["cases"]


@pytest.mark.skipif(not SUITES.exists(), reason="needs the public suites")
@pytest.mark.parametrize("suite", CASES)
def test_the_page_has_the_numbers_of_the_suite(suite: Grammar) -> None:
    cases, wrong = verdicts(suite)
    numbers = f"{len(cases)}, {len(cases) - len(wrong)}, {len(wrong)}"
    assert f"| `{suite}` | {numbers} |" in PAGE.read_text(encoding="utf-8")


@pytest.mark.skipif(not SUITES.exists(), reason="needs the public suites")
def test_the_texts_of_cql2_and_their_json_are_the_same_trees() -> None:
    unread, printed = [], 0
    for path in sorted((SUITES / "cql2/json").glob("*.json")):
        text = (SUITES / "cql2/text" / f"{path.stem}.txt").read_text().strip()
        published = json.loads(path.read_text())
        case = Case(json.dumps(published), True)
        was_read = False
        for columns in columns_of("cql2"):
            is_read = read("cql2", Case(text, True), columns) is None
            assert (read("cql2-json", case, columns) is None) == is_read, path.stem
            if not is_read:
                continue
            was_read = True
            tree = sluice.grammars.parse_expression("cql2", text, columns)
            assert sluice.grammars.parse_expression("cql2-json", case.text, columns) == tree
            written = sluice.grammars.write_expression("cql2", tree, columns)
            in_json = sluice.grammars.write_expression("cql2-json", tree, columns)
            assert sluice.grammars.parse_expression("cql2", written, columns) == tree
            assert sluice.grammars.parse_expression("cql2-json", in_json, columns) == tree
            printed += json.loads(in_json) == published
        if not was_read and text not in outside("cql2"):
            unread.append(path.stem)
    assert unread == []
    assert printed >= 30  # the others: OR for IN, CASEI, digits of timestamps
