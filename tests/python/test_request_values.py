# SPDX-License-Identifier: MIT
"""Values that a client may send and a database may lack: each is answered exactly, or an ApiError.

The rule is query.matches() of each row.
"""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, NamedTuple

import django_settings  # before models
import polars as pl
import pyarrow as pa
import pytest
import sqlalchemy as sa
from conftest import NOW
from django.db import connections, models
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory
from sql_engines import Database, DuckDb, PostgreSql, Sqlite, load, postgresql_place
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

import sluice
import sluice.rest_framework
import sluice.sqlalchemy


class Rows(sluice.ListQuery):
    """Rows with a column of each type."""

    ts = sluice.window(default="all")
    at = sluice.time(column="ts", operators=(">=", ">", "<=", "<"))
    n = sluice.integer(operators=("=", ">=", ">", "<=", "<"))
    seats = sluice.filter(column=sluice.Column("n", "integer"), type="integer")
    name = sluice.filter()
    folded = sluice.filter(column=sluice.Column("city", collation="ignore_case"))
    url = sluice.filter(collation="url")
    t = sluice.decimal(operators=(">=", ">", "<=", "<"))
    page = sluice.page(default=2)


def row(number: int, **values: Any) -> dict[str, Any]:  # noqa: ANN401
    plain = {"ts": NOW, "n": number, "name": "ada", "city": "Ada", "url": "a?b", "t": number}
    return {"id": f"r{number}", **plain, **values}


ROWS = [
    row(0),
    row(7, name="bob", city="BOB", url="b"),
    row(-3, ts=datetime(1, 1, 2, tzinfo=UTC), name="", city="", url=""),
    row(2**31 - 1, ts=datetime(9999, 12, 30, tzinfo=UTC)),
    row(-(2**31), name="\ufffd"),
]
JUDGED = [{**item, "t": Decimal(item["t"])} for item in ROWS]
NINES = "9" * 9_000
TIMES = (
    *("start=0000-01-01", "start=0000-01-01&end=0000-12-31", "interval=all&end=0000-06-01"),
    *("end=9999-12-31", "start=9999-12-31&end=9999-12-31T23:59:59.999Z", "start=0001-01-01"),
    *(f"at[{op}]={at}" for op in ("gte", "gt", "lte", "lt") for at in ("0000-01-01", "9999-12-31")),
)
TEXTS = (
    *("name=%00", "name=-%00", "name=ada,%00", "name=-ada,%00", "name=a%00b", "name=-a%00b,bob"),
    *("name=%ED%A0%BD", "name=%FF", "name=-%FF", "folded=%00", "folded=-ADA,%00", "url=-%00"),
    *("url=%00?,a", "url=-a?%00,a"),
)
INTEGERS = (
    *(f"n[{op}]={at}" for op in ("gte", "gt", "lte", "lt") for at in (2**31, -(2**31) - 1)),
    *(f"n[{op}]={at}" for op in ("gte", "lt") for at in (2**63 - 1, -(2**63))),
    *("n=2147483648", "n=9223372036854775807", "seats=7,2147483648", "seats=-7,2147483648"),
    *("seats=9223372036854775807", "seats=-9223372036854775807", "seats=7,99999999999999999999"),
)
NUMBERS = (
    *(f"t[{op}]={at}" for op in ("gte", "gt", "lte", "lt") for at in ("1e999999", "-1e999999")),
    *(f"t[{op}]={at}" for op in ("gte", "lt") for at in ("1e-99999999999999999999", NINES)),
    *(f"t[{op}]={at}" for op in ("gt", "lte") for at in ("-1e-20000", "0e99999999999999999999")),
    *("t[gte]=1e131071", "t[lt]=-1e131072", "t[gt]=1e99999999999999999999"),
)
INPUTS = (*TIMES, *TEXTS, *INTEGERS, *NUMBERS)


class Base(DeclarativeBase):
    pass


class Stored(Base):
    __tablename__ = "stored"

    id: Mapped[str] = mapped_column(primary_key=True)
    ts = mapped_column(sa.DateTime(timezone=True))
    n = mapped_column(sa.Integer)
    name = mapped_column(sa.Text)
    city = mapped_column(sa.Text)
    url = mapped_column(sa.Text)
    t = mapped_column(sa.Integer().with_variant(sa.Numeric(12, 2), "postgresql"))


class Kept(models.Model):  # type: ignore[misc]
    id = models.TextField(primary_key=True)
    ts = models.DateTimeField()
    n = models.IntegerField()
    name = models.TextField()
    city = models.TextField()
    url = models.TextField()
    t = models.DecimalField(max_digits=12, decimal_places=2)

    class Meta:
        app_label = "kept"


class Door(NamedTuple):
    """A way to the ids of a query's rows, whatever the page."""

    ids: Callable[[sluice.ListQuery], list[str]]
    has_decimals: bool = True


def compiled(database: Database) -> Door:
    schema = Rows.parse("").schema
    stored = [
        {**item, "ts": (item["ts"] - EPOCH) // timedelta(milliseconds=1), "t": str(item["t"])}
        for item in ROWS
    ]
    load(database, "rows", schema, stored)

    def ids(query: sluice.ListQuery) -> list[str]:
        form = query.to_sql(database.dialect, "rows", form="condition", metadata=database.storage)
        text = f"SELECT id FROM rows WHERE {form.text}"
        return [line[0] for line in database.ask(sluice.sql.Statement(text, form.parameters))]

    return Door(ids)


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def mapped(engine: sa.Engine) -> Door:
    Base.metadata.create_all(engine)
    with Session(engine) as filled, filled.begin():
        for item in ROWS:
            filled.merge(Stored(**item))

    def ids(query: sluice.ListQuery) -> list[str]:
        with Session(engine) as session:
            return [*session.scalars(sa.select(Stored.id).where(query.where(Stored)))]

    return Door(ids)


def modelled(database: str) -> Door:
    with connections[database].schema_editor() as editor:
        editor.create_model(Kept)
    kept = Kept.objects.using(database)
    kept.bulk_create(Kept(**item) for item in ROWS)
    return Door(
        lambda query: [*kept.filter(query.to_django()).values_list("id", flat=True)],
        has_decimals=database != "default",
    )


@pytest.fixture(scope="module")
def postgresql() -> Iterator[str]:
    with postgresql_place() as place:
        yield place


def engine_of(name: str, request: pytest.FixtureRequest) -> sa.Engine:
    if name == "sqlite":
        engine = sa.create_engine("sqlite://", poolclass=sa.StaticPool)
    else:
        import psycopg

        place: str = request.getfixturevalue("postgresql")
        engine = sa.create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(place))
    request.addfinalizer(engine.dispose)
    return engine


def database_of(name: str, request: pytest.FixtureRequest) -> Database:
    match name:
        case "sqlite3":
            return Sqlite()
        case "duckdb":
            return DuckDb()
    import psycopg

    place: str = request.getfixturevalue("postgresql")
    connection = psycopg.connect(place, cursor_factory=psycopg.RawCursor, autocommit=True)
    request.addfinalizer(connection.close)
    return PostgreSql(connection.cursor(), "native" if name.endswith("native") else "prepared")


def door_of(name: str, request: pytest.FixtureRequest) -> Door:
    match name:
        case "sqlalchemy":
            return mapped(engine_of("sqlite", request))
        case "sqlalchemy postgresql":
            return mapped(engine_of("postgresql", request))
        case "django":
            return modelled("default")
        case "django postgresql":
            place: str = request.getfixturevalue("postgresql")
            host, user, table_ = (part.partition("=")[2] for part in place.split())
            return modelled(django_settings.add_postgresql(request, host, user, table_))
        case "polars":
            frame = pl.DataFrame(ROWS, schema_overrides={"n": pl.Int32})
            return Door(lambda query: frame.filter(query.to_polars())["id"].to_list())
        case "pyarrow":
            table = pa.Table.from_pylist(JUDGED, ARROW)
            return Door(
                lambda query: table.filter(query.to_pyarrow(schema=ARROW))["id"].to_pylist()
            )
    return compiled(database_of(name, request))


ARROW = pa.schema(
    {
        "id": pa.string(),
        "ts": pa.timestamp("us", "UTC"),
        "n": pa.int32(),
        **{name: pa.string() for name in ("name", "city", "url")},
        "t": pa.decimal128(12, 2),
    }
)
DOORS = ("sqlite3", "duckdb", "sqlalchemy", "django", "polars", "pyarrow")
SERVERS = ("postgresql", "postgresql native", "sqlalchemy postgresql", "django postgresql")


@pytest.fixture(
    scope="module",
    params=[*DOORS, *(pytest.param(name, marks=pytest.mark.servers) for name in SERVERS)],
)
def door(request: pytest.FixtureRequest) -> Door:
    return door_of(request.param, request)


@pytest.mark.parametrize("text", INPUTS, ids=lambda text: text[:40])
def test_a_request_is_answered_exactly_or_refused_by_an_api_error(door: Door, text: str) -> None:
    if not door.has_decimals and text.startswith("t["):
        pytest.skip("the ORM has floats for decimals there, and refuses any")
    parsed = Rows.parse(text, now=NOW)
    opposite = {**parsed.tree(), "where": {"not": parsed.tree()["where"]}}
    for query in (parsed, sluice.ListQuery.from_tree(opposite, parsed.schema)):
        try:
            ids = door.ids(query)
        except sluice.ApiError as refused:
            assert refused.rule == "sql_inexact"  # noqa: PT017
            assert text.startswith("t[")
            continue
        assert sorted(ids) == sorted(item["id"] for item in JUDGED if query.matches(item))


PAGES = ("page=1e30", "page=9223372036854775807&limit=1000", "page=5000000&limit=1000", "page=2")


def page_of(query: sluice.ListQuery, text: str) -> list[str]:
    """The ids of the second page; all others of PAGES are past the end."""
    ids = sorted(item["id"] for item in JUDGED if query.matches(item))
    return ids[2:4] if text == "page=2" else []


@pytest.mark.parametrize("text", PAGES)
@pytest.mark.parametrize("name", ["sqlite", pytest.param("postgresql", marks=pytest.mark.servers)])
def test_a_page_past_the_end_has_no_rows(
    name: str, text: str, request: pytest.FixtureRequest
) -> None:
    engine = engine_of(name, request)
    mapped(engine)
    query = Rows.parse(text, now=NOW)
    with Session(engine) as opened:
        selected = opened.scalars(sluice.sqlalchemy.select(query, Stored)).all()
        assert [item.id for item in selected] == page_of(query, text)


@pytest.mark.parametrize("text", PAGES)
@pytest.mark.parametrize(
    "name", ["sqlite3", "duckdb", pytest.param("postgresql", marks=pytest.mark.servers)]
)
def test_a_page_past_the_end_of_a_statement_has_no_rows(
    name: str, text: str, request: pytest.FixtureRequest
) -> None:
    database = database_of(name, request)
    compiled(database)
    query = Rows.parse(text, now=NOW)
    selected = database.ask(query.to_sql(database.dialect, "rows", select="id"))
    assert [item[0] for item in selected] == page_of(query, text)


@pytest.mark.parametrize("text", PAGES)
def test_a_page_past_the_end_of_a_view_has_no_rows(
    text: str, request: pytest.FixtureRequest
) -> None:
    class View:
        query_class = Rows

    if Kept._meta.db_table not in connections["default"].introspection.table_names():
        door_of("django", request)
    view: Any = View()
    http_request = Request(APIRequestFactory().get(f"/rows?{text}&count=true"))
    rows = sluice.rest_framework.FilterBackend().filter_queryset(
        http_request, Kept.objects.all(), view
    )
    pages = sluice.rest_framework.Pagination()
    page = pages.paginate_queryset(rows, http_request, view)
    assert [item.id for item in page] == page_of(view.query, text)
    held = [item for item in JUDGED if view.query.matches(item)]
    assert pages.get_paginated_response([]).headers["X-Total-Count"] == f"{len(held)}"
