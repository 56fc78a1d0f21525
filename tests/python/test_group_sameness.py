# SPDX-License-Identifier: MIT
"""Random aggregates of every engine are those of a plain loop."""

import pytest
from group_sameness import compare
from sql_engines import ASKS_SERVERS, DuckDb, Sqlite, served_databases


def test_engines_answer_as_a_loop_does() -> None:
    counts, different = compare([Sqlite(), DuckDb()], 2_000 if ASKS_SERVERS else 300, seed=4)
    assert different == []
    outcomes = {outcome for _, outcome in counts}
    assert outcomes == {"compared", "refused"}
    for engine in ("objects", "pyarrow", "polars", "pandas", "columns", "sqlite", "duckdb"):
        assert counts[engine, "compared"] > 50, engine
    for engine in ("sqlalchemy sqlite", "django SQLite"):
        assert counts[engine, "compared"] > 30, engine


@pytest.mark.servers
def test_servers_answer_as_a_loop_does() -> None:
    with served_databases() as databases:
        counts, different = compare(databases, 100, seed=16)
    assert different == []
    names = ("postgresql", "clickhouse", "mariadb", "sqlalchemy postgresql", "sqlalchemy mariadb")
    for engine in (*names, "django PostgreSQL", "django MariaDB"):
        assert counts[engine, "compared"] > 20, engine
