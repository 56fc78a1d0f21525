# SPDX-License-Identifier: MIT
"""Plans of compiled statements, against those of the statements that users write by hand."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from plan_cases import TABLES, Pair, counts, filled, pages
from sql_engines import Database, Dialect

from sluice.sql import Statement

pytestmark = pytest.mark.servers


class Plan(NamedTuple):
    """The indexes and the rows that a plan reads."""

    searched: frozenset[str]  # indexes in which a range is found
    read: int  # rows, row groups or granules
    sorts: bool
    text: str


EXPLAIN: dict[Dialect, str] = {
    "sqlite": "EXPLAIN QUERY PLAN ",
    "duckdb": "EXPLAIN ANALYZE ",
    "postgresql": "EXPLAIN (ANALYZE, FORMAT JSON, TIMING OFF) ",
    "mariadb": "ANALYZE FORMAT=JSON ",
    "clickhouse": "EXPLAIN indexes = 1 ",
}


def explained(database: Database, statement: Statement) -> Plan:
    text, dialect = statement.text, database.dialect
    head = text[: text.index("SELECT")]  # of MariaDB
    explaining = f"{head}{EXPLAIN[dialect]}{text.removeprefix(head)}"
    rows = database.ask(Statement(explaining, statement.parameters))
    match dialect:
        case "postgresql":
            return of_nodes([*postgresql_nodes(rows[0][0][0]["Plan"])], str(rows))
        case "mariadb":
            return of_nodes([*mariadb_nodes(rows[0][0])], rows[0][0])
    lines = "\n".join(str(value) for row in rows for value in row)
    if dialect == "sqlite":
        indexes = re.findall(r"SEARCH many USING (?:COVERING )?INDEX (\w+)", lines)
        return Plan(frozenset(indexes), 0, "TEMP B-TREE FOR" in lines, lines)
    if dialect == "duckdb":
        searched = frozenset(re.findall(r"Type: (Index) Scan", lines))
        groups = sum(map(int, re.findall(r"Row Groups Scanned: (\d+)", lines)))
        return Plan(searched, groups, sorts=False, text=lines)
    granules = re.findall(r"\| Granules: (\d+)", lines)
    return Plan(frozenset(), sum(map(int, granules)), sorts=False, text=lines)


class Node(NamedTuple):
    """A node of a plan."""

    searched: str = ""
    read: float = 0
    sorts: bool = False


def of_nodes(nodes: list[Node], text: str) -> Plan:
    searched = frozenset(node.searched for node in nodes if node.searched)
    read = round(sum(node.read for node in nodes))
    return Plan(searched, read, any(node.sorts for node in nodes), text)


def postgresql_nodes(plan: dict[str, Any]) -> Iterator[Node]:
    kind = plan["Node Type"]
    rows = 0.0
    if kind.endswith("Scan") and plan.get("Relation Name") == "many":
        removed = ("Rows Removed by Filter", "Rows Removed by Index Recheck")
        rows = plan["Actual Rows"] + sum(plan.get(name, 0) for name in removed)
    searched = plan.get("Index Name", "") if "Index Cond" in plan else ""
    yield Node(searched, rows * plan["Actual Loops"], kind in ("Sort", "Incremental Sort"))
    for child in plan.get("Plans", ()):
        yield from postgresql_nodes(child)


def mariadb_nodes(text: str) -> Iterator[Node]:
    """The tables of a plan in JSON, whose conditions have quotes that end no string."""
    if '"filesort"' in text:
        yield Node(sorts=True)
    for part in text.split('"table_name": ')[1:]:
        if not part.startswith('"many"'):
            continue
        fields = re.findall(r'"(access_type|key|r_rows|r_loops)": "?([\w.]+)', part)
        known = {name: value for name, value in reversed(fields) if value != "null"}
        is_range = known["access_type"] in ("const", "ref", "range", "ref_or_null", "eq_ref")
        rows = float(known.get("r_rows", 0)) * float(known.get("r_loops", 0))
        yield Node(known["key"] if is_range else "", rows)


@pytest.fixture(scope="module", params=[*TABLES])
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    with filled(request.param) as opened:
        yield opened


def worse(ours: Plan, by_hand: Plan, *, may_sort: bool) -> bool:
    """True if our plan lacks an index of that by hand, reads more rows, or sorts them."""
    spare = 20 if by_hand.searched or by_hand.read > 1_000 else 0  # of rows
    most = by_hand.read * 1.1 + spare
    sorts = ours.sorts and not by_hand.sorts and not may_sort
    return not by_hand.searched <= ours.searched or ours.read > most or sorts


def check(database: Database, pairs: Iterator[Pair]) -> None:
    failed = []
    for pair in pairs:
        plans = [explained(database, statement) for statement in pair[1:]]
        rows = [database.ask(statement) for statement in pair[1:]]
        ids = [[str(row[0]) for row in answer] for answer in rows]
        assert ids[0] == ids[1], pair
        if worse(plans[0], plans[1], may_sort="sluice_page" in pair.compiled.text):
            texts = zip(pair[1:], plans, strict=True)
            failed.append("\n".join(f"{of.text}\n{plan.text}" for of, plan in texts))
            failed.append(f"^ {pair.name}: {plans[0][:3]} instead of {plans[1][:3]}\n")
    assert not failed, "\n".join(failed)


def test_conditions_use_the_indexes_that_they_use_by_hand(database: Database) -> None:
    check(database, counts(database.dialect))


def test_pages_use_the_indexes_that_they_use_by_hand(database: Database) -> None:
    check(database, pages(database.dialect))
