# SPDX-License-Identifier: MIT
"""Models of SQLAlchemy and Django with a column of each type, asked each test of them.

The rule is that of each row on its own, as oracle.listing has it.
"""

import asyncio
import json
from collections.abc import Callable, Iterable
from decimal import Decimal
from itertools import cycle
from typing import Any
from uuid import UUID

import django_settings  # noqa: F401 (before models)
import pytest
import sqlalchemy as sa
from django.db import NotSupportedError, connections, models
from oracle.listing import takes
from orm_tables import (
    DATABASES,
    Parcel,
    alias_of,
    engine_of,
    mariadb_socket,
    postgresql_server,
    records_of,
    rows_of,
    stored,
    table_of,
)
from random_rows import BOUNDS
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.orm import Session
from tested_rows import TESTED, TestedRows

import sluice
import sluice.sqlalchemy
from sluice import Column, ListQuery
from sluice.groups import Aggregate

__all__ = ["mariadb_socket", "postgresql_server"]  # fixtures

QUERIES = 400


def check(query: ListQuery, rows: list[dict[str, Any]], ids: Iterable[str]) -> None:
    expected = [row["id"] for row, taken in zip(rows, takes(query, rows), strict=True) if taken]
    assert sorted(ids) == sorted(expected), query.tree()["where"]


# --- SQLAlchemy ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DATABASES)
def test_sqlalchemy_takes_the_rows_of_each_test(name: str, request: pytest.FixtureRequest) -> None:
    engine, table = engine_of(name, request), table_of(name)
    rows = rows_of(3, has_nan=name.startswith("postgresql"))
    without = ("data", "total") if name == "sqlite" else ("data",)
    source = TestedRows(4)
    with engine.connect() as opened:
        table.metadata.create_all(opened)
        values = [stored(row, arrays=name.endswith("arrays")) for row in rows]
        values = [{**row, "total": None} for row in values] if name == "sqlite" else values
        opened.execute(table.insert(), values)
        for _ in range(QUERIES):
            query = source.query(*without)
            check(query, rows, opened.scalars(sa.select(table.c.id).where(query.where(table))))
        opened.rollback()
        table.metadata.drop_all(opened)
        opened.commit()


@pytest.mark.parametrize("name", DATABASES)
def test_groups_of_each_column_are_those_of_the_rows(
    name: str, request: pytest.FixtureRequest
) -> None:
    engine, table = engine_of(name, request), table_of(name)
    rows = rows_of(7, has_nan=name.startswith("postgresql"))
    columns = [column for column in TESTED if column.type not in ("json", "records")]
    with Session(engine) as session:
        table.metadata.create_all(session.connection())
        session.execute(
            table.insert(), [stored(row, arrays=name.endswith("arrays")) for row in rows]
        )
        for column in columns:
            if column.type == "decimal" and name == "sqlite":
                continue
            measures = [{"measure": "count"}]
            if not column.is_list:
                measures.append({"measure": "count_distinct", "column": column.name})
            tree = {
                "group_by": [{"column": column.name}],
                "measures": measures,
                "order": [{"group": column.name, "direction": "desc"}],
            }
            wanted = Aggregate(tree, TESTED)
            answer = sluice.sqlalchemy.aggregate(session, wanted, table)
            assert answer == wanted.apply(rows), column
        session.rollback()
        table.metadata.drop_all(session.connection())
        session.commit()


# --- Django ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in DATABASES if "arrays" not in str(name)])
def test_django_takes_the_rows_of_each_test(name: str, request: pytest.FixtureRequest) -> None:
    alias = alias_of(name, request)
    rows = rows_of(5, has_nan=name.startswith("postgresql"))
    without = ("data", "total") if name == "sqlite" else ("data",)
    source = TestedRows(6)
    with connections[alias].schema_editor() as editor:
        editor.create_model(Parcel)
    tested = Parcel.objects.using(alias)
    for row in rows:
        fields = {key: value for key, value in row.items() if key not in without}
        token = row["token"] and UUID(row["token"])
        tested.create(**{**fields, "lines": records_of(row), "token": token})
    for _ in range(QUERIES):
        query = source.query(*without)
        check(query, rows, tested.filter(query.to_django()).values_list("id", flat=True))
    with connections[alias].schema_editor() as editor:
        editor.delete_model(Parcel)


# --- Decimals that SQLite has as floats ------------------------------------------------------

CENTS = [*range(-300, 300, 7), 0, 1, 10**14 - 1, -(10**14) + 1, 999_999_999_999_99, 1_999, 2_000]
LEDGER = sa.Table(
    "ledger",
    sa.MetaData(),
    sa.Column("id", sa.String(20)),
    sa.Column("total", sa.Numeric(15, 2)),
)


class Ledger(models.Model):  # type: ignore[misc]
    id = models.CharField(max_length=20, primary_key=True)
    total = models.DecimalField(max_digits=15, decimal_places=2)

    class Meta:
        app_label = "ledgers_of_floats"


@pytest.mark.parametrize("orm", ["sqlalchemy", "django"])
@pytest.mark.parametrize("name", [name for name in DATABASES if "arrays" not in str(name)])
def test_decimals_of_15_digits_are_compared_exactly(
    name: str, orm: str, request: pytest.FixtureRequest
) -> None:
    rows = [{"id": f"r{n}", "total": Decimal(cents) / 100} for n, cents in enumerate(CENTS)]
    schema = [Column("id"), Column("total", "decimal")]
    bounds = [*(f"{row['total']}" for row in rows), *BOUNDS, "19.995", "-0.005", "1e13", "1e-9"]
    if orm == "django":
        alias = alias_of(name, request)
        with connections[alias].schema_editor() as editor:
            editor.create_model(Ledger)
        Ledger.objects.using(alias).bulk_create(Ledger(**row) for row in rows)
        ledgers = Ledger.objects.using(alias)

        def ask(query: ListQuery) -> Iterable[str]:
            ids: Iterable[str] = ledgers.filter(query.to_django()).values_list("id", flat=True)
            return ids

    else:
        opened = engine_of(name, request).connect()
        request.addfinalizer(opened.close)
        LEDGER.create(opened)
        opened.execute(LEDGER.insert(), rows)

        def ask(query: ListQuery) -> Iterable[str]:
            return opened.scalars(sa.select(LEDGER.c.id).where(query.where(LEDGER)))

    for bound in bounds:
        for comparison in ("gt", "gte", "lt", "lte"):
            leaf = {"column": "total", comparison: bound}
            query = ListQuery.from_tree({"where": leaf}, schema)
            check(query, rows, ask(query))


# --- Metadata --------------------------------------------------------------------------------

DOCUMENTS: list[Any] = [
    *({"plan": "pro"}, {"plan": "free", "n": 7}, {"n": "7"}, {"n": 7.5}, {"n": 10**30}, {}, [1]),
    *({"a b": {"é": [1, "x"]}}, {"it's": True}, {"": None}, {"plan": "\u212a"}, "pro", None),
    *({"n": -3, "plan": "k"}, {"a": 1, "n": [7]}, {"0": "x"}),
]
PAPERS = sa.Table(
    "papers",
    sa.MetaData(),
    sa.Column("id", sa.Integer),
    sa.Column("data", sa.JSON().with_variant(postgresql.JSONB(), "postgresql")),
)


class Paper(models.Model):  # type: ignore[misc]
    id = models.IntegerField(primary_key=True)
    data = models.JSONField(null=True)

    class Meta:
        app_label = "papers_of_metadata"


def ask_of_papers(
    name: str, orm: str, request: pytest.FixtureRequest
) -> Callable[[ListQuery], Iterable[int]]:
    """Returns the ids that an ORM finds in papers with DOCUMENTS."""
    rows = [{"id": n, "data": document} for n, document in enumerate(DOCUMENTS)]
    if orm == "django":
        alias = alias_of(name, request)
        with connections[alias].schema_editor() as editor:
            editor.create_model(Paper)
        papers = Paper.objects.using(alias)
        papers.bulk_create(Paper(**row) for row in rows)
        if name == "sqlite":
            sluice.sql.register(connections[alias].connection)
        return lambda query: papers.filter(query.to_django()).values_list("id", flat=True)
    engine = engine_of(name, request)
    opened = engine.connect()
    request.addfinalizer(opened.close)
    PAPERS.create(opened)
    opened.execute(PAPERS.insert(), rows)
    if name == "sqlite":
        sluice.sql.register(opened.connection.driver_connection)  # type: ignore[arg-type]
    return lambda query: opened.scalars(sa.select(PAPERS.c.id).where(query.where(PAPERS)))


METADATA_SCHEMA = [Column("id", "integer"), Column("data", "json", is_nullable=True)]


@pytest.mark.parametrize("orm", ["sqlalchemy", "django"])
@pytest.mark.parametrize("name", ["sqlite", pytest.param("postgresql", marks=pytest.mark.servers)])
def test_metadata_takes_the_rows_of_its_expression(
    name: str, orm: str, request: pytest.FixtureRequest
) -> None:
    ask, source = ask_of_papers(name, orm, request), TestedRows(8)
    held = [document and json.dumps(document) for document in DOCUMENTS]
    for _ in range(QUERIES):
        leaf = {"column": "data", "matches": source.paths(2)}
        if "1e400" in str(leaf) and name == "postgresql":
            continue
        query = ListQuery.from_tree({"where": leaf}, METADATA_SCHEMA)
        expected = [n for n, data in enumerate(held) if query.matches({"data": data})]
        assert sorted(ask(query)) == expected, leaf


@pytest.mark.parametrize("orm", ["sqlalchemy", "django"])
@pytest.mark.servers
def test_metadata_is_refused_by_name_in_mariadb(orm: str, request: pytest.FixtureRequest) -> None:
    ask = ask_of_papers("mariadb", orm, request)
    leaf = {"column": "data", "matches": {"path": ["plan"], "equal": "pro"}}
    with pytest.raises((sa.exc.CompileError, NotSupportedError), match="mariadb can't read metada"):
        list(ask(ListQuery.from_tree({"where": leaf}, METADATA_SCHEMA)))


# --- asyncpg ---------------------------------------------------------------------------------


class AnsweredRows(TestedRows):
    """Rows and queries without the test that ORMs refuse."""

    def has(self, name: str, column: Column) -> bool:
        is_refused = name == "is_null" and column.type == "json"
        return not is_refused and super().has(name, column)


@pytest.mark.servers
def test_asyncpg_takes_the_rows_of_each_test(postgresql_server: str) -> None:
    table = table_of("postgresql arrays")
    rows = rows_of(17, has_nan=True)
    for row, document in zip(rows, cycle(DOCUMENTS)):
        row["data"] = document
    known = [{**row, "data": row["data"] and json.dumps(row["data"])} for row in rows]
    source = AnsweredRows(18)
    host, user, database = (part.partition("=")[2] for part in postgresql_server.split())

    async def ask() -> None:
        url = sa.URL.create("postgresql+asyncpg", user, database=database, query={"host": host})
        engine = create_async_engine(url)
        async with engine.connect() as opened:
            await opened.run_sync(table.metadata.create_all)
            await opened.execute(table.insert(), [stored(row, arrays=True) for row in rows])
            for _ in range(QUERIES):
                query = source.query()
                if "1e400" in str(query.tree()):
                    continue
                row_ids = await opened.scalars(sa.select(table.c.id).where(query.where(table)))
                check(query, known, row_ids)
            await opened.rollback()
        await engine.dispose()

    asyncio.run(ask())
