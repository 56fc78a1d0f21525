# SPDX-License-Identifier: MIT
"""Engines that hold the same events answer as the store does; what differs is shown small."""

import pytest
from sameness import (
    Difference,
    Engine,
    SqlEngine,
    first_difference,
    hard_records,
    usual_engines,
)
from sql_engines import (
    ASKS_SERVERS,
    Form,
    PostgreSql,
    Sqlite,
    clickhouse_server,
    postgresql_server,
)

import sluice

QUERIES = 2_000


def check(engines: list[Engine], queries: int) -> None:
    found = first_difference(engines, queries, 1, lambda _: None)
    assert found is None, str(found)


def test_databases_in_the_process() -> None:
    check(usual_engines(), QUERIES)


needs_servers = pytest.mark.skipif(not ASKS_SERVERS, reason="SLUICE_TEST_SERVERS=1 asks for it")


@needs_servers
def test_postgresql() -> None:
    with postgresql_server() as cursor:
        check([SqlEngine(PostgreSql(cursor))], QUERIES // 2)


@needs_servers
def test_clickhouse() -> None:
    with clickhouse_server() as server:
        check([SqlEngine(server)], QUERIES // 4)


class Forgetful(SqlEngine):
    """A wrong engine: an exclusion takes no rows without a value."""

    def statement(self, query: sluice.EventsQuery, form: Form) -> sluice.sql.Statement:
        text, parameters = super().statement(query, form)
        return sluice.sql.Statement(text.replace("IS NOT NULL AND", "IS NULL OR"), parameters)


def test_a_difference_is_shrunk_to_the_events_and_parameters_that_show_it() -> None:
    found = first_difference([Forgetful(Sqlite())], QUERIES, 1, lambda _: None)
    assert isinstance(found, Difference)
    assert len(found.records.events) <= 2 < len(hard_records(1).events)
    assert found.asked.text.count("&") <= 3
    shown = str(found)
    assert "sqlite prepared gives" in shown
    assert f"request  {found.asked.text}" in shown
    assert shown.count("record   {") >= 1
