# SPDX-License-Identifier: MIT
"""The files that name each collation, rate-limit algorithm, SQL dialect and test of conditions.

tests/one_place adds a collation, an algorithm and a test to copies of the headers, and the compiler
refuses each copy until the files below are changed. The other files are found here.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import polars as pl
import pyarrow as pa
import pytest
import sqlalchemy as sa
from oracle.listing import COLLATIONS as ORACLES

import sluice
from sluice import _sluice
from sluice._column import Collation
from sluice._expressions.polars import PolarsVisitor
from sluice._expressions.pyarrow import PyarrowVisitor
from sluice._expressions.sqlalchemy import SqlalchemyVisitor

ROOT = Path(__file__).parents[2]
STUB = "bindings/python/sluice/_sluice.pyi"
ALGORITHMS = "bindings/wasm/src/algorithms.ts"
COMPILED = {
    "collation": ["include/sluice/filters/collation.hpp", "tests/filters/collation.cpp"],
    "algorithm": [
        "include/sluice/rate_limit/algorithms.hpp",
        "include/sluice/rate_limit/redis/script.hpp",
    ],
    "test": [
        "include/sluice/arrow/list_mask.hpp",
        "include/sluice/params/openapi.hpp",
        "include/sluice/query/cell.hpp",
        "include/sluice/query/column_test.hpp",
        "include/sluice/query/detail/condition_reader.hpp",
        "include/sluice/query/json_writer.hpp",
        "include/sluice/query/list_query.hpp",
        "include/sluice/sql/detail/condition_writer.hpp",
    ],
}


def names_in(file: str, part: str, name: str = r'"(\w+)"') -> list[str]:
    """The names in the first part of a file that a pattern finds."""
    match = re.search(part, (ROOT / file).read_text(), re.DOTALL)
    assert match, f"{file} has no {part}"
    return re.findall(name, match[0], re.MULTILINE)


def lists_of_collations() -> dict[str, list[str]]:
    return {
        STUB: names_in(STUB, r"_Collation: TypeAlias = .*?\]"),
        "bindings/wasm/src/checks.ts": names_in(
            "bindings/wasm/src/checks.ts", r"COLLATIONS = \[.*?\]"
        ),
        "tests/python/oracle/listing.py": [*ORACLES],
    }


def lists_of_algorithms() -> dict[str, list[str]]:
    page = "docs/concepts/rate-limiters.md"
    return {
        STUB: names_in(STUB, r"_Algorithm: TypeAlias = .*?\]"),
        ALGORITHMS: names_in(ALGORITHMS, r"FUNCTIONS = \{.*?\n\};", r"^  (\w+)[:,]"),
        page: names_in(page, r"\| algorithm \|.*?\n\n", r"^\| `(\w+)` \|"),
    }


def lists_of_dialects() -> dict[str, list[str]]:
    checks, programs = "bindings/wasm/src/checks.ts", "bindings/explorer/src/programs.ts"
    page = "docs/reference/sql.md"
    return {
        checks: names_in(checks, r"DIALECTS = \[.*?\]"),
        programs: names_in(programs, r"databases: .*?\n\};", r"^  (\w+):"),
        page: names_in(page, r"\| database \| dialect \|.*?\n\n", r"\| `(\w+)` \|"),
        "bindings/query_sql.cpp": names_in(
            "bindings/query_sql.cpp", r"    dialect: '.*?\n", r"'(\w+)'"
        ),
    }


def lists_of_tests() -> dict[str, list[str]]:
    page = "docs/reference/query-tree.md"
    rows = names_in(page, r"\| test \|.*?\n\n", r"^\| (`.*?`) \|")
    bounds = " ".join(f"`{member}`" for member in _sluice._TESTS["bounds"][0])
    return {
        STUB: names_in(STUB, r"_Test: TypeAlias = .*?\]"),
        page: ["bounds" if row == bounds else row.strip("`") for row in rows],
    }


def test_each_list_has_all_tests() -> None:
    for file, names in lists_of_tests().items():
        assert names == [*_sluice._TESTS], file
    script = (ROOT / "tests/one_place/add_test.cmake").read_text()
    headers = re.findall(r"^insert\((\w+/[\w/]+\.hpp)", script, re.MULTILINE)
    touched = {f"include/sluice/{header}" for header in headers}
    assert {*COMPILED["test"]} == touched | {"include/sluice/query/column_test.hpp"}


def test_each_list_has_all_collations() -> None:
    assert get_args(Collation) == (*_sluice._COLLATIONS,)
    for file, names in lists_of_collations().items():
        assert names == [*_sluice._COLLATIONS], file


def test_each_list_has_all_algorithms() -> None:
    lists = lists_of_algorithms()
    for file, names in lists.items():
        assert names == lists[STUB], file


def test_each_list_has_all_dialects() -> None:
    for file, names in lists_of_dialects().items():
        assert names == [*_sluice._DIALECTS], file


def test_an_addition_changes_few_files() -> None:
    assert len([*COMPILED["collation"], *lists_of_collations()]) <= 5
    assert len([*COMPILED["algorithm"], *lists_of_algorithms()]) <= 5
    assert len([*COMPILED["test"], *lists_of_tests()]) <= 10  # and those of engines that answer it


@pytest.mark.parametrize("algorithm", lists_of_algorithms()[STUB])
def test_the_members_of_a_state_are_those_of_the_library(algorithm: Any) -> None:  # noqa: ANN401
    words = algorithm.split("_")
    constant = words[0] + "".join(word.title() for word in words[1:])
    new = rf"const {constant}: .*?fresh: \{{.*?\}}"
    _, _, *members = names_in(ALGORITHMS, new, r"(\w+): ")
    now = datetime(2026, 8, 21, tzinfo=UTC)
    _, state = sluice.decide(None, 1, 1, now, algorithm)
    assert [*state] == members


# --- Expressions with a collation of which `en` equals `en-US` and `EN` ---------------------------

TEXTS = ["en", "EN-us", "en-US-x", "e", "-en", "de-en", "de", "en-", "", "d", "enx", None]
VALUES = [["en"], ["EN", "de"], ["en-us"], ["en-US", "d"], ["x"], ["de-EN", "-EN"]]


def is_prefix(text: str | None, value: str) -> bool:
    if text is None:
        return False
    row, value = text.lower(), value.lower()
    return value in (row, row.split("-")[0])


def in_polars(query: sluice.ListQuery, named: Callable[..., Any]) -> list[bool]:
    visitor = PolarsVisitor(query, None, None)
    return pl.DataFrame({"text": TEXTS}).select(named(visitor)).to_series().to_list()


def in_pyarrow(query: sluice.ListQuery, named: Callable[..., Any]) -> list[bool]:
    visitor = PyarrowVisitor(query, None, None)
    table = pa.table({"text": TEXTS, "row": range(len(TEXTS))})
    rows = table.filter(named(visitor))["row"].to_pylist()
    return [row in rows for row in range(len(TEXTS))]


def in_sqlite(query: sluice.ListQuery, named: Callable[..., Any]) -> list[bool]:
    table = sa.Table(
        "rows", sa.MetaData(), sa.Column("row", sa.Integer), sa.Column("text", sa.Text)
    )
    with sa.create_engine("sqlite://").begin() as engine:
        table.create(engine)
        engine.execute(
            sa.insert(table), [{"row": row, "text": text} for row, text in enumerate(TEXTS)]
        )
        visitor = SqlalchemyVisitor(query, table, None)
        rows = engine.scalars(sa.select(table.c.row).where(named(visitor))).all()
    return [row in rows for row in range(len(TEXTS))]


@pytest.mark.parametrize("engine", [in_polars, in_pyarrow, in_sqlite])
@pytest.mark.parametrize("values", VALUES)
def test_expressions_compare_by_the_record_of_an_added_collation(
    engine: Callable[..., list[bool]], values: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(_sluice._COLLATIONS, "prefix", (True, "-", ""))  # type: ignore[misc]
    column = sluice.Column("text", is_nullable=True)
    query = sluice.ListQuery.from_tree({}, (sluice.Column("id"), column))
    selected = engine(
        query, lambda visitor: visitor._matches(visitor.operand(column), values, "prefix")
    )
    assert selected == [any(is_prefix(text, value) for value in values) for text in TEXTS]
