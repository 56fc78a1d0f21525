# SPDX-License-Identifier: MIT
"""Engines that hold the same rows answer alike; what differs is shown small."""

import os
import re
from collections.abc import Callable, Iterator

import pyarrow as pa
import pytest
from applied_engines import applied_engines
from differences import Answer, Difference, Engine, Run
from event_engines import Masks, SqlEngine, event_engines
from event_records import TimedRequest, World, hard_records
from orm_engines import orm_engines
from sql_engines import Database, Form, Sqlite, served_databases
from table_engines import table_engines
from tested_table import TestedTable

import sluice
from sluice import EventsQuery

QUERIES = int(os.environ.get("SLUICE_SAMENESS_QUERIES", "1000"))  # random ones, in all


@pytest.fixture(scope="module")
def served() -> Iterator[list[Database]]:
    with served_databases() as databases:
        yield databases


def check(run: Run, difference: Difference | None) -> None:
    assert difference is None, str(difference)
    assert run.refusing() == [], str(run)


def check_events(engines: list[Engine[World]], queries: int, seed: int) -> None:
    run = Run(engines)
    check(run, run.first_difference(World(hard_records(seed)), queries, seed))


def test_engines_answer_requests_for_events_as_the_store() -> None:
    check_events(event_engines(), QUERIES // 4, seed=1)


@pytest.mark.servers
def test_servers_answer_requests_for_events_as_the_store(served: list[Database]) -> None:
    check_events(event_engines(), QUERIES, seed=2)
    check_events([*map(SqlEngine, served)], QUERIES // 2, seed=1)


def check_tables(served: list[Database], queries: int, seed: int) -> None:
    """Asks of four tables, one after the other."""
    with table_engines(served) as tables, orm_engines(served) as models:
        applied = applied_engines()[::4] if served else []  # test_apply.py asks each of them
        run = Run([*tables, *models, *applied])
        for table in range(seed, seed + 4):
            check(run, run.first_difference(TestedTable.of(table), queries // 4, table))


def test_engines_answer_every_test_as_a_loop() -> None:
    check_tables([], QUERIES // 2, seed=1)


@pytest.mark.servers
def test_servers_answer_every_test_as_a_loop(served: list[Database]) -> None:
    check_tables(served, QUERIES, seed=100)


# Wrong engines: an exclusion takes no rows without a value, a filter takes all.


class ForgetfulSql(SqlEngine):
    def __init__(self) -> None:
        super().__init__(Sqlite())

    def statement(self, query: EventsQuery, form: Form) -> sluice.sql.Statement:
        text, parameters = super().statement(query, form)
        return sluice.sql.Statement(
            re.sub(r"AND (\S+) IS NOT NULL", r"OR \1 IS NULL", text), parameters
        )


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
    engine: Callable[[], Engine[World]], says: str
) -> None:
    difference = Run([engine()]).first_difference(World(hard_records(1)), 2_000, 1)
    assert isinstance(difference, Difference)
    assert len(difference.world.parts) <= 2 < len(hard_records(1).events)
    assert isinstance(difference.request, TimedRequest)
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
    assert run.first_difference(World(hard_records(1)), 100, 1) is None
    assert run.refusing() == ["masks"]
    assert run.share(run.engines[0]) == 0.5
    assert "masks 50 0 50.0% 40.0%" in " ".join(str(run).split())
