# SPDX-License-Identifier: MIT
"""The tests of conditions: their table in the docs, rows of Python, and engines that lack some."""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from enum import Enum
from pathlib import Path
from typing import Any, TypeAlias
from uuid import UUID

import pytest
from differences import is_refusal
from orm_engines import table_of
from sqlalchemy import Column as SqlColumn
from sqlalchemy import Integer, MetaData, Table
from table_engines import ARROW, store
from tested_rows import TESTED
from tested_table import TestedTable

import sluice
from sluice import Column, ListQuery, _sluice
from sluice._expressions.django import DjangoVisitor
from sluice._expressions.polars import PolarsVisitor
from sluice._expressions.pyarrow import PyarrowVisitor
from sluice._expressions.sqlalchemy import SqlalchemyVisitor
from sluice._expressions.tests import COMMON, is_answered, kind_of
from sluice._expressions.visitor import Visitor

ROOT = Path(__file__).parents[2]
TOKEN = UUID("0190c7a6-5e2b-7c61-9f0e-8d7b1a2c3d4e")


class Size(Enum):
    SMALL = "small"
    LARGE = "large"


LINES = (Column("sku"), Column("count", "integer", is_nullable=True))
SCHEMA = [
    Column("id"),
    Column("name", is_nullable=True),
    Column("tags", is_list=True, is_nullable=True, collation="ignore_case"),
    Column("seats", "integer", is_nullable=True),
    Column("ports", "integer", is_list=True, is_nullable=True),
    Column("total", "decimal", is_nullable=True),
    Column("score", "real", is_nullable=True),
    Column("created", "time", is_nullable=True),
    Column("due", "date", is_nullable=True),
    Column("token", "uuid", is_nullable=True),
    Column("tokens", "uuid", is_list=True),
    Column("size", "choice", is_nullable=True, choices=("small", "large")),
    Column("sizes", "choice", is_list=True, choices=("small", "large")),
    Column("open", "boolean", is_nullable=True),
    Column("data", "json", is_nullable=True),
    Column("lines", "records", is_nullable=True, columns=LINES),
]
BOUNDS: dict[str, Any] = {
    "text": "a",
    "integer": 1,
    "decimal": "1",
    "time": "2026-08-21T00:00:00.000Z",
    "real": 0.5,
    "date": "2026-08-21",
    "choice": "small",
}
FIVE = [{"count": 5}]
VALUES = {"integer": "1", "date": "2026-08-21", "uuid": str(TOKEN), "choice": "small"}


def leaf_of(test: str, column: Column) -> dict[str, Any]:
    """A condition with a test of a column."""
    members: dict[str, Any] = {
        "bounds": BOUNDS.get(column.type),
        "is": True,
        "is_null": True,
        "any": {"column": "sku", "any_of": ["a"]},
        "matches": {"path": ["plan"], "equal": "pro"},
    }
    member = members.get(test, [VALUES.get(column.type, "a")])
    leaf = {"column": column.name, "gte" if test == "bounds" else test: member}
    return leaf if column.collation == "exact" else {**leaf, "collation": column.collation}


def all_tests() -> list[tuple[str, Column]]:
    return [
        (test, column)
        for test, (_, plain, listed) in _sluice._TESTS.items()
        for column in SCHEMA
        if column.type in (listed if column.is_list else plain)
        and not (test == "is_null" and column.name in ("id",))
        and not (test == "bounds" and column.collation != "exact")
    ]


def matches(leaf: dict[str, Any], **values: object) -> bool:
    return ListQuery.from_tree({"where": leaf}, SCHEMA).matches(values)


def test_the_docs_have_the_types_of_each_test() -> None:
    page = (ROOT / "docs/reference/query-tree.md").read_text()
    rows = re.findall(r"^\| (`.*?`) \|(.*?)\|(.*?)\| ", page.partition("## Tests")[2], re.MULTILINE)
    documented = {}
    for names, plain, listed in rows:
        members = tuple(re.findall(r"`(\w+)`", names))
        every = "every type" in plain
        types = set(_sluice._COLUMN_TYPES if every else plain.strip().split(", "))
        documented[members] = (types - {""}, set(filter(None, listed.strip().split(", "))))
    assert documented == {
        members: (set(plain), set(listed)) for members, plain, listed in _sluice._TESTS.values()
    }


def test_every_test_of_every_column_is_read_and_written() -> None:
    for test, column in all_tests():
        leaf = leaf_of(test, column)
        query = ListQuery.from_tree({"where": leaf}, SCHEMA)
        assert query.tree()["where"] == leaf
        assert kind_of(leaf) == test
        assert eval(repr(query), {"ListQuery": ListQuery, "Column": Column}) == query


@pytest.mark.parametrize(
    ("leaf", "value", "expected"),
    [
        ({"column": "name", "contains": ["b_"]}, "ab_c", True),
        ({"column": "name", "contains": ["b_"]}, "abxc", False),
        ({"column": "name", "starts_with": [""]}, "", True),
        ({"column": "name", "starts_with": [""]}, None, False),
        ({"column": "tags", "ends_with": ["B"]}, ["x", "ab"], True),
        ({"column": "tags", "all_of": ["X", "AB"]}, ["x", "ab"], True),
        ({"column": "tags", "all_of": ["X", "c"]}, ["x", "ab"], False),
        ({"column": "tags", "is_null": True}, [], False),
        ({"column": "tags", "is_null": True}, None, True),
        ({"column": "ports", "all_of": ["80"]}, [80, -7], True),
        ({"column": "ports", "any_of": ["8"]}, [80, -7], False),
        ({"column": "ports", "is_null": False}, [], True),
        ({"column": "name", "gt": "a"}, "b", True),
        ({"column": "score", "lt": 0.5}, 0.25, True),
        ({"column": "score", "lt": 0.5}, 0, True),
        ({"column": "score", "lt": 0.5}, float("nan"), False),
        ({"column": "score", "is_null": True}, float("nan"), True),
        ({"column": "due", "lte": "2024-02-29"}, date(2024, 2, 29), True),
        ({"column": "due", "lte": "2024-02-29"}, "2024-03-01", False),
        ({"column": "due", "any_of": ["2024-02-29"]}, date(2024, 2, 29), True),
        ({"column": "token", "any_of": [str(TOKEN).upper()]}, TOKEN, True),
        ({"column": "tokens", "any_of": [str(TOKEN)]}, [UUID(int=0), TOKEN], True),
        ({"column": "size", "gt": "small"}, Size.LARGE, True),
        ({"column": "size", "gt": "small"}, "small", False),
        ({"column": "size", "gt": "small"}, "tiny", False),
        ({"column": "sizes", "all_of": ["small"]}, [Size.SMALL, "large"], True),
        ({"column": "created", "is_null": False}, datetime(2026, 8, 21, tzinfo=UTC), True),
        ({"column": "lines", "is_null": False}, [], True),
        ({"column": "lines", "any": {"column": "count", "gte": 5}}, [{"count": 4}], False),
        ({"column": "lines", "any": {"column": "count", "gte": 5}}, [{"count": 4}, *FIVE], True),
        ({"column": "lines", "any": {"column": "count", "gte": 5}}, None, False),
    ],
)  # fmt: skip
def test_rows_meet_tests(leaf: dict[str, Any], value: object, expected: bool) -> None:
    leaf = {"collation": "ignore_case", **leaf} if leaf["column"] == "tags" else leaf
    assert matches(leaf, **{leaf["column"]: value}) == expected
    assert matches({"not": leaf}, **{leaf["column"]: value}) != expected


@pytest.mark.parametrize(
    ("column", "test", "value", "error"),
    [
        ("score", {"gte": 1}, "1", TypeError),
        ("score", {"gte": 1}, True, TypeError),
        ("due", {"gte": "2026-08-21"}, datetime(2026, 8, 21, tzinfo=UTC), TypeError),
        ("due", {"gte": "2026-08-21"}, "today", ValueError),
        ("token", {"any_of": [str(TOKEN)]}, 1, TypeError),
        ("ports", {"any_of": ["1"]}, 1, TypeError),
        ("ports", {"any_of": ["1"]}, ["a"], TypeError),
        ("lines", {"any": {"column": "sku", "any_of": ["a"]}}, {"sku": "a"}, TypeError),
    ],
)
def test_a_value_of_another_type_is_refused(
    column: str, test: dict[str, Any], value: object, error: type[Exception]
) -> None:
    with pytest.raises(error, match=column):
        matches({"column": column, **test}, **{column: value})


def test_columns_are_checked() -> None:
    for arguments, message in [
        ({"type": "choice"}, "choices: a column of type 'choice' has them, and no other"),
        ({"choices": ("a",)}, "choices: a column of type 'choice' has them, and no other"),
        ({"type": "choice", "choices": ("a", "a")}, "choices: expected texts that differ"),
        ({"type": "records"}, "columns: a column of type 'records' has them, and no other"),
        ({"type": "records", "columns": (Column("a"), Column("a"))}, "names that differ"),
        ({"type": "date", "is_list": True}, "x: a list column holds texts, integers"),
    ]:
        with pytest.raises(ValueError, match=re.escape(message)):
            Column("x", **arguments)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="choices: expected a sequence, not str"):
        Column("x", "choice", choices="ab")
    with pytest.raises(TypeError, match="columns: expected Column, not str"):
        Column("x", "records", columns=("a",))  # type: ignore[arg-type]


# --- Engines --------------------------------------------------------------------------------------

TABLE = Table("rows", MetaData(), *[SqlColumn(column.name, Integer) for column in SCHEMA])
VISITORS: dict[str, Callable[[ListQuery], Visitor[Any, Any]]] = {
    "polars": lambda query: PolarsVisitor(query, None, None),
    "pyarrow": lambda query: PyarrowVisitor(query, None, None),
    "SQLAlchemy": lambda query: SqlalchemyVisitor(query, TABLE, None),
    "Django": lambda query: DjangoVisitor(query, None),
}


@pytest.mark.parametrize("engine", VISITORS)
def test_an_engine_refuses_the_tests_that_it_lacks_by_name(engine: str) -> None:
    for test, column in all_tests():
        tree = {"where": {"not": leaf_of(test, column)}}
        query = ListQuery.from_tree(tree, SCHEMA)
        visitor = VISITORS[engine](query)
        if is_answered(visitor.answers, test, column):
            continue
        with pytest.raises(ValueError, match=f"^{column.name}: .* it has no test {test} of "):
            visitor.read(query)


def test_each_engine_knows_the_names_of_tests() -> None:
    for answers in (COMMON, *(visitor.answers for visitor in Visitor.__subclasses__())):
        for test, (plain, listed) in answers.items():
            _, all_plain, all_listed = _sluice._TESTS[test]  # type: ignore[index]
            assert plain <= {*all_plain}
            assert listed <= {*all_listed}


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "postgresql", "clickhouse", "mariadb"])
def test_a_statement_names_the_test_that_it_lacks(dialect: Any) -> None:  # noqa: ANN401
    query = ListQuery.from_tree({"where": {"column": "data", "is_null": True}}, SCHEMA)
    with pytest.raises(sluice.ApiError) as refused:
        query.to_sql(dialect, "rows")
    assert (refused.value.rule, refused.value.status) == ("test_unanswered", 500)
    assert str(refused.value).startswith("data: a test that the rows' engine doesn't answer, ")


# --- The table of the docs ------------------------------------------------------------------------

Answers: TypeAlias = Callable[[str, Column], bool]


def if_not_refused(ask: Callable[[ListQuery], object]) -> Answers:
    """Returns the function that says if an engine answers a test of a column of TESTED."""

    def answers(test: str, column: Column) -> bool:
        query = ListQuery.from_tree({"where": {"not": leaf_of(test, column)}}, TESTED)
        try:
            ask(query)
        except Exception as error:
            if not is_refusal(error):
                raise
            return False
        return True

    return answers


def by_dialect(dialect: Any) -> Answers:  # noqa: ANN401
    return if_not_refused(lambda query: query.to_sql(dialect, "rows"))


COLUMN_OF = {  # each type
    (column.type, column.is_list): column
    for column in TESTED
    if column.is_nullable and column.collation == "exact"
}
ORM_TABLE = table_of("postgresql")
EMPTY = {column.name: None for column in TESTED}
ENGINES: dict[str, tuple[str, Answers]] = {  # with their columns in the table
    "matches": ("`matches()`, mask", if_not_refused(lambda query: query.matches(EMPTY))),
    "mask": (
        "`matches()`, mask",
        if_not_refused(lambda query: query.mask({name: [] for name in EMPTY})),
    ),
    "polars": ("polars", if_not_refused(ListQuery.to_polars)),
    "pyarrow": ("pyarrow", if_not_refused(lambda query: query.to_pyarrow(schema=ARROW))),
    "SQLAlchemy": ("SQLAlchemy, Django", if_not_refused(lambda query: query.where(ORM_TABLE))),
    "Django": ("SQLAlchemy, Django", if_not_refused(ListQuery.to_django)),
    **{name: ("SQL", by_dialect(name)) for name in ("sqlite", "duckdb", "postgresql", "mariadb")},
    "clickhouse": ("ClickHouse", by_dialect("clickhouse")),
}


def documented(engine: str) -> dict[tuple[str, bool], str]:
    """The cells of an engine in the docs, by test and whether it is of lists."""
    page = (ROOT / "docs/reference/engines.md").read_text().partition("## Tests of each engine")[2]
    lines = [line for line in page.splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    at = rows[0].index(engine)
    return {
        (name, row[1] == "lists"): row[at]
        for row in rows[2 : 2 + 12]
        for name in re.findall(r"`(\w+)`|(bounds)", row[0])
        for name in [name[0] or name[1]]
    }


def cells(answers: Answers) -> dict[tuple[str, bool], str]:
    """The cells that an engine has to have."""
    expected: dict[tuple[str, bool], str] = {}
    for test, (_, plain, listed) in _sluice._TESTS.items():
        for is_list, types in ((False, plain), (True, listed)):
            refused = [name for name in types if not answers(test, COLUMN_OF[name, is_list])]
            if types:
                cell = "no" if len(refused) == len(types) else f"not {', '.join(refused)}"
                expected[test, is_list] = cell if refused else "yes"
    return expected


@pytest.mark.parametrize("engine", ENGINES)
def test_the_docs_have_the_tests_that_an_engine_answers(engine: str) -> None:
    column, answers = ENGINES[engine]
    assert documented(column) == cells(answers)


def test_the_docs_have_the_tests_that_the_store_answers() -> None:
    with store() as stores:
        if not stores:
            pytest.skip("SLUICE_STORE_ANSWERS names no program")
        [engine] = stores
        engine.load(TestedTable([]))

        assert documented("C++ store") == cells(if_not_refused(engine.answer))
