# SPDX-License-Identifier: MIT
"""Queries as SQL."""

from collections.abc import Callable

from ..queries import Clause, Query


def literal(text: str) -> str:
    """A text in quotes."""
    return "'" + text.replace("'", "''") + "'"


def condition(clause: Clause, optional: bool) -> str:
    """A clause; an exclusion keeps absent values."""
    values = ", ".join(map(literal, clause.values))
    test = f"= {values}" if len(clause.values) == 1 else f"IN ({values})"
    if not clause.excludes:
        return f'"{clause.column}" {test}'
    test = f"<> {values}" if len(clause.values) == 1 else f"NOT IN ({values})"
    excluded = f'"{clause.column}" {test}'
    return f'({excluded} OR "{clause.column}" IS NULL)' if optional else excluded


def where(query: Query, test: Callable[[Clause], str], plan: str = "plan") -> str:
    """The WHERE clause of a query, its leading space included."""
    tests = [test(clause) for clause in query.clauses]
    if query.start is not None:
        tests.append(f"time >= {query.start}")
    if query.end is not None:
        tests.append(f"time <= {query.end}")
    if query.plan is not None:
        tests.append(f"{plan} = {literal(query.plan)}")
    return " WHERE " + " AND ".join(tests) if tests else ""


def test_of(optional: set[str]) -> Callable[[Clause], str]:
    """The conditions of standard SQL, for a table whose `optional` columns have absent values."""
    return lambda clause: condition(clause, clause.column in optional)
