# SPDX-License-Identifier: MIT
"""Engines that hold the same events answer as the store does; what differs is shown small."""

from collections.abc import Callable

import pyarrow as pa
import pytest
from event_engines import Answer, Engine, Masks, SqlEngine, usual_engines
from event_records import hard_records
from sameness import Difference, Run
from sql_engines import (
    Form,
    MariaDb,
    PostgreSql,
    Sqlite,
    clickhouse_server,
    mariadb_server,
    postgresql_server,
)

import sluice
from sluice import EventsQuery

QUERIES = 2_000


def check(engines: list[Engine], queries: int, seed: int = 1) -> None:
    run = Run(engines)
    difference = run.first_difference(queries, seed)
    assert difference is None, str(difference)
    assert run.refusing() == [], str(run)


def test_engines_without_a_server() -> None:
    check(usual_engines(), QUERIES // 4)


@pytest.mark.servers
def test_engines_without_a_server_for_longer() -> None:
    check(usual_engines(), QUERIES, seed=2)


@pytest.mark.servers
def test_postgresql() -> None:
    with postgresql_server() as cursor:
        check([SqlEngine(PostgreSql(cursor))], QUERIES // 2)


@pytest.mark.servers
def test_mariadb() -> None:
    with mariadb_server() as connect:
        check([SqlEngine(MariaDb(connect()))], QUERIES // 2)


@pytest.mark.servers
def test_clickhouse() -> None:
    with clickhouse_server() as server:
        check([SqlEngine(server)], QUERIES // 4)


# Wrong engines: an exclusion takes no rows without a value, a filter takes all.


class ForgetfulSql(SqlEngine):
    def __init__(self) -> None:
        super().__init__(Sqlite())

    def statement(self, query: EventsQuery, form: Form) -> sluice.sql.Statement:
        text, parameters = super().statement(query, form)
        return sluice.sql.Statement(text.replace("IS NOT NULL AND", "IS NULL OR"), parameters)


class ForgetfulMasks(Masks):
    def rows(self, query: EventsQuery, table: pa.Table) -> list[int]:
        if "click.country" in query.columns:
            return [*range(len(table))]
        return super().rows(query, table)


class Failing(Masks):
    """An engine that fails without a documented reason."""

    def answer(self, query: EventsQuery) -> Answer:
        if "click.os" in query.columns:
            raise ValueError("the disk is full")
        return super().answer(query)


@pytest.mark.parametrize(
    ("engine", "says"),
    [
        (ForgetfulSql, "sqlite prepared gives Answer"),
        (ForgetfulMasks, "masks gives Answer"),
        (Failing, "masks gives ValueError('the disk is full') instead of Answer"),
    ],
)
def test_a_difference_is_shrunk_to_the_events_and_parameters_that_show_it(
    engine: Callable[[], Engine], says: str
) -> None:
    difference = Run([engine()]).first_difference(QUERIES, 1)
    assert isinstance(difference, Difference)
    assert len(difference.records.events) <= 2 < len(hard_records(1).events)
    assert difference.request.text.count("&") <= 3
    shown = str(difference)
    assert says in shown
    assert f"request  {difference.request.text}" in shown


class Refusing(Masks):
    """An engine that refuses every second request."""

    most_refused = 0.4

    def __init__(self) -> None:
        self.request = 0

    def answer(self, query: EventsQuery) -> Answer:
        self.request += 1
        if self.request % 2:
            raise ValueError("city: masks has no exact expression for it: it is one of ours")
        return super().answer(query)


def test_an_engine_that_refuses_more_than_it_may_is_named() -> None:
    run = Run([Refusing()])
    assert run.first_difference(100, 1) is None
    assert run.refusing() == ["masks"]
    assert run.share(run.engines[0]) == 0.5
    assert "masks refused 50.0%, of 40.0% at most" in str(run)
