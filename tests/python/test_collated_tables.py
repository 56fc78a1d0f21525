# SPDX-License-Identifier: MIT
"""Tables whose texts have a collation of their own and whose lists have any type, asked by ORMs.

The rule is that of each row on its own, as oracle.listing has it.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import django_settings  # before models
import pytest
import sqlalchemy as sa
from django.db import connections, models
from oracle.listing import takes
from random_rows import SCHEMA, RandomRows
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory
from sql_engines import postgresql_place
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Session, registry

import sluice
import sluice.rest_framework
import sluice.sqlalchemy

ROWS = [*map(RandomRows(2).row, range(200))]
NAMES = ("city", "status", "region", "url")
# A collation of PostgreSQL that is called as one of SQLite.
NOCASE = """\
CREATE COLLATION "NOCASE" (provider = icu, locale = 'und-u-ks-level1', deterministic = false)"""


@pytest.fixture(scope="module")
def place() -> Iterator[sa.URL]:
    import psycopg

    with postgresql_place() as server:
        with psycopg.connect(server) as opened:
            opened.execute(NOCASE)
            opened.execute("CREATE EXTENSION citext")
        host, user, name = (part.partition("=")[2] for part in server.split())
        query = {"host": host}
        yield sa.URL.create("postgresql+psycopg", username=user, database=name, query=query)


def queries(seed: int, count: int, *without: str) -> Iterable[sluice.ListQuery]:
    random = RandomRows(seed)
    return (random.query(*without) for _ in range(count))


def check(query: sluice.ListQuery, ids: Iterable[str]) -> None:
    expected = [row["id"] for row, taken in zip(ROWS, takes(query, ROWS), strict=True) if taken]
    assert sorted(ids) == sorted(expected), query.tree()["where"]


def orders_by(column: str, direction: str) -> sluice.ListQuery:
    names = dict.fromkeys((column, "id"))
    order = [{"column": name, "direction": direction} for name in names]
    page = {"number": 1, "size": 1_000}
    return sluice.ListQuery.from_tree({"order": order, "page": page}, SCHEMA)


def in_order(column: str, direction: str) -> list[str]:
    """The ids by the bytes of a column, then by their own."""
    keys = sorted(
        (row[column] is not None, (row[column] or "").encode(), row["id"]) for row in ROWS
    )
    return [id_ for _, _, id_ in (keys if direction == "asc" else reversed(keys))]


# --- SQLAlchemy ------------------------------------------------------------------------------

ANY_LIST = sa.ARRAY(sa.Text()).with_variant(sa.JSON(), "sqlite")
LISTS = sa.JSON().with_variant(sa.ARRAY(sa.Text()), "postgresql")
TABLES = [
    ("sqlite", sa.Text(collation="NOCASE"), sa.JSON()),
    ("sqlite", sa.Text(collation="RTRIM"), LISTS),
    ("sqlite", sa.Text(), ANY_LIST),
    *(
        pytest.param("postgresql", texts, lists, marks=pytest.mark.servers)
        for texts, lists in (
            (sa.Text(collation="NOCASE"), sa.JSON()),
            (postgresql.CITEXT(), postgresql.JSONB()),
            (sa.String(40), sa.ARRAY(sa.Text())),
            (sa.Text(collation="NOCASE"), sa.ARRAY(sa.Text(collation="NOCASE"))),
            (sa.Text(collation="C"), LISTS),
            (sa.Text(), ANY_LIST),
        )
    ),
]


@pytest.mark.parametrize(("database", "texts", "lists"), TABLES)
def test_sqlalchemy_takes_the_rows_of_the_query_in_its_order(
    database: str,
    texts: sa.types.TypeEngine[str],
    lists: sa.types.TypeEngine[Any],
    request: pytest.FixtureRequest,
) -> None:
    is_postgresql = database == "postgresql"
    engine = sa.create_engine("sqlite://")
    if is_postgresql:
        engine = sa.create_engine(request.getfixturevalue("place"), poolclass=sa.NullPool)
    table = sa.Table(
        "orders",
        sa.MetaData(),
        sa.Column("id", texts, primary_key=True),
        *(sa.Column(name, texts) for name in NAMES),
        *(sa.Column("tags", lists), sa.Column("seats", sa.BigInteger())),
        *(sa.Column("total", sa.Numeric()), sa.Column("open", sa.Boolean())),
        sa.Column("created", sa.DateTime(timezone=True)),
    )

    class Order:
        """A row."""

        id: str

    registry().map_imperatively(Order, table)
    without = ("data",) if is_postgresql else ("data", "total")
    with Session(engine) as opened:
        table.create(opened.connection())
        rows = [{name: row[name] for name in table.c.keys()} for row in ROWS]  # noqa: SIM118
        for row in rows:
            row["total"] = row["total"] if is_postgresql else None
        opened.execute(table.insert(), rows)
        for query in queries(9, 200, *without):
            check(query, opened.scalars(sa.select(table.c.id).where(query.where(table))))
        for column in (*NAMES, "id"):
            for direction in ("asc", "desc"):
                query = orders_by(column, direction)
                orders = opened.scalars(sluice.sqlalchemy.select(query, Order))
                assert [row.id for row in orders] == in_order(column, direction)
        opened.rollback()
    engine.dispose()


# --- Django ----------------------------------------------------------------------------------


class Parcel(models.Model):  # type: ignore[misc]
    id = models.TextField(primary_key=True, db_collation="NOCASE")
    city = models.CharField(max_length=40, db_collation="NOCASE")
    status = models.TextField(null=True, db_collation="NOCASE")
    region = models.CharField(max_length=40, null=True, db_collation="NOCASE")
    url = models.TextField(null=True, db_collation="NOCASE")
    tags = models.JSONField(null=True)
    seats = models.BigIntegerField(null=True)
    total = models.DecimalField(max_digits=38, decimal_places=2, null=True)
    created = models.DateTimeField(null=True)
    open = models.BooleanField(null=True)

    class Meta:
        app_label = "parcels"


class Parcels(sluice.ListQuery, key="id"):
    """Parcels in any order."""

    order = sluice.sort(*(column for column in SCHEMA if column.name in NAMES))
    page = sluice.page(default=1_000)


@pytest.mark.parametrize(
    "database", ["default", pytest.param("postgresql", marks=pytest.mark.servers)]
)
def test_django_takes_the_rows_of_the_query_in_its_order(
    database: str, request: pytest.FixtureRequest
) -> None:
    if database == "postgresql":
        at: sa.URL = request.getfixturevalue("place")
        host, user = str(at.query["host"]), str(at.username)
        database = django_settings.add_postgresql(request, host, user, str(at.database))
    with connections[database].schema_editor() as editor:
        editor.create_model(Parcel)
    without = ("data", "total") if database == "default" else ("data",)
    parcels = Parcel.objects.using(database)
    rows = [{name: value for name, value in row.items() if name not in without} for row in ROWS]
    parcels.bulk_create(Parcel(**row) for row in rows)
    for query in queries(12, 200, *without):
        check(query, parcels.filter(query.to_django()).values_list("id", flat=True))

    class View:
        query_class = Parcels

    view: Any = View()
    for column in NAMES:
        for direction, sign in (("asc", ""), ("desc", "-")):
            http_request = Request(APIRequestFactory().get(f"/?order={sign}{column}"))
            shown = sluice.rest_framework.FilterBackend().filter_queryset(
                http_request, parcels.all(), view
            )
            assert [order.id for order in shown] == in_order(column, direction)
