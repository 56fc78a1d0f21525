# SPDX-License-Identifier: MIT
"""Aggregates of models of SQLAlchemy and Django: the groups of rows in memory."""

import enum
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any
from uuid import UUID

import django_settings  # noqa: F401 (before models)
import pytest
import sqlalchemy as sa
from django.db import connections, models
from orm_tables import DATABASES, alias_of, engine_of, mariadb_socket, postgresql_server
from sqlalchemy.dialects import mysql, postgresql
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

import sluice
import sluice.django
import sluice.sqlalchemy

__all__ = ["mariadb_socket", "postgresql_server"]  # fixtures

BEGIN = datetime(2026, 10, 20, tzinfo=UTC)


class Base(DeclarativeBase):
    """The models."""


class Size(enum.Enum):
    """Sizes, whose names are stored."""

    SMALL = "small"
    LARGE = "Large"


class Parcel(Base):
    """A parcel."""

    __tablename__ = "parcels_of_groups"

    id: Mapped[int] = mapped_column(primary_key=True)
    city: Mapped[str | None] = mapped_column(sa.String(40))
    size: Mapped[Size | None] = mapped_column(sa.Enum(Size, name="size_of_groups"))
    seats: Mapped[int | None] = mapped_column(sa.BigInteger)
    total: Mapped[Decimal | None] = mapped_column(sa.Numeric(12, 2))
    is_open: Mapped[bool | None]
    due: Mapped[date | None]
    created: Mapped[datetime] = mapped_column(
        sa.DateTime(timezone=True).with_variant(mysql.DATETIME(fsp=6), "mariadb", "mysql")
    )
    token: Mapped[UUID | None]
    weight: Mapped[float | None]
    tags: Mapped[list[str] | None] = mapped_column(
        sa.JSON(none_as_null=True).with_variant(sa.ARRAY(sa.String), "postgresql")
    )
    sizes: Mapped[list[Any] | None] = mapped_column(sa.JSON(none_as_null=True))
    data: Mapped[dict[str, Any] | None] = mapped_column(
        sa.JSON(none_as_null=True).with_variant(postgresql.JSONB(none_as_null=True), "postgresql")
    )


class Crate(models.Model):  # type: ignore[misc]
    """A crate, as a parcel."""

    id = models.BigIntegerField(primary_key=True)
    city = models.CharField(max_length=40, null=True)
    size = models.CharField(
        max_length=40, null=True, choices=[(size.value, size.value) for size in Size]
    )
    seats = models.BigIntegerField(null=True)
    total = models.DecimalField(max_digits=12, decimal_places=2, null=True)
    is_open = models.BooleanField(null=True)
    due = models.DateField(null=True)
    created = models.DateTimeField()
    token = models.UUIDField(null=True)
    weight = models.FloatField(null=True)
    tags = models.JSONField(null=True)
    sizes = models.JSONField(null=True)
    data = models.JSONField(null=True)

    class Meta:
        app_label = "orm_groups"


class Parcels(sluice.ListQuery, model=Parcel):
    """A list of parcels."""

    city = sluice.filter()
    size = sluice.filter(type="choice", choices=("small", "Large"))
    seats = sluice.integer(operators=(">=", "<="))
    total = sluice.decimal(operators=(">=",))
    is_open = sluice.boolean()
    due = sluice.date(operators=(">=",))
    created = sluice.window(default="all")
    data = sluice.metadata(column=sluice.Column("data", "json", is_nullable=True))
    token = sluice.uuid()
    weight = sluice.real(operators=(">=",))
    tags = sluice.filter(column=sluice.Column("tags", is_list=True, is_nullable=True))
    sizes = sluice.filter(
        column=sluice.Column(
            "sizes", "choice", is_list=True, is_nullable=True, choices=("small", "Large")
        )
    )
    groups = sluice.group_by(
        *("city", "size", "seats", "is_open", "due", "created", "token", "weight", "tags", "sizes"),
        *("total", "data.plan", "data.a.0", "data.-1", "data.it's", "data.00"),
    )
    measures = sluice.measures(
        *("seats", "total", "due", "created", "city", "weight"),
        kinds=("sum", "min", "max", "average", "count_distinct", "approx_count_distinct"),
    )


def some_rows() -> list[dict[str, Any]]:
    of = Random(7)
    return [
        {
            "id": at,
            "city": of.choice([None, "Oslo", "oslo", "É", "b", "a'b", ""]),
            "size": of.choice([None, *Size]),
            "seats": of.choice([None, 3, -7, 2**40]),
            "total": of.choice([None, Decimal("10.10"), Decimal("-0.50")]),
            "is_open": of.choice([None, True, False]),
            "due": of.choice([None, date(2026, 1, 31), date(2026, 2, 1)]),
            # Also in the hour that the clocks of Paris show twice.
            "created": BEGIN + timedelta(hours=24.5 * (at % 8), microseconds=at % 3 * 400),
            "token": of.choice([None, UUID(int=1), UUID(int=2**127 + 3)]),
            "weight": of.choice([None, 0.25, -1.5]),
            "tags": of.choice([None, [], ["a"], ["b", "a", "b"], ["É", ""]]),
            "sizes": of.choice([None, [], ["Large"], ["Large", "small"]]),
            "data": of.choice(
                [
                    None,
                    {},
                    {"plan": "pro", "a": [True]},
                    {"plan": "Pro", "a": {"0": "é"}},
                    {"plan": 7, "a": "\x010"},
                    {"plan": [7], "a": ["x\x01"], "-1": "b", "it's": "c", "00": "d"},
                ]
            ),
        }
        for at in range(1, 90)
    ]


ROWS = some_rows()


def as_objects(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows whose choices are their texts."""
    return [{**row, "size": row["size"] and row["size"].value} for row in rows]


@pytest.fixture(params=DATABASES)
def session(request: pytest.FixtureRequest) -> Iterator[Session]:
    engine = engine_of(request.param, request)
    Base.metadata.drop_all(engine)
    Base.metadata.create_all(engine)
    with Session(engine) as opened:
        opened.execute(sa.insert(Parcel), ROWS)
        yield opened


REQUESTS = (
    "",
    "groups=city&measures=count,sum_seats,min_seats,max_seats,average_seats",
    "groups=city,size&measures=count,count_distinct_city,approx_count_distinct_seats&seats[gte]=0",
    "groups=size,is_open&order=-count,size&limit=4",
    "groups=size&order=-size",
    "groups=seats&measures=count,max_due,min_created&order=-max_due",
    "groups=due,city&city=-oslo&order=-due,-city",
    "groups=created,is_open&measures=count_distinct_seats,count_distinct_created&size=small",
    "measures=sum_seats,average_seats,max_created&seats[gte]=9999999999999",
)


DAYS = "start=2026-10-21&end=2026-10-26T10:00:00Z&timezone=Europe/Paris"
BUCKETS = (
    f"groups=created.day&measures=count,sum_seats,min_due,max_created&{DAYS}",
    f"groups=created.hour&order=-count&limit=4&seats[gte]=0&{DAYS}",
    f"groups=created.hour&city=nowhere&limit=7&{DAYS}",
    f"groups=created.week,city&measures=average_weight,count_distinct_city&{DAYS}",
    f"groups=created.month,due.quarter,tags&order=-due.quarter&{DAYS}",
    "groups=due.week&order=-count",
    "groups=due.month,due",
)
ITEMS = (
    "groups=tags&measures=count,sum_seats",
    "groups=tags,sizes&order=-count,sizes&limit=9",
    "groups=sizes&tags=a&sizes=Large",
    "groups=token,weight&order=-token",
    "groups=total",
)


PATHS = (
    "groups=data.-1",
    "groups=data.it's,data.00",
    "groups=data.plan",
    "groups=data.a.0&order=-data.a.0&measures=count,sum_seats",
    "groups=data.plan,city,data.a.0&limit=20&order=-count,data.plan",
    "groups=data.plan&city=oslo&data=metadata['plan']:pro",
)


@pytest.mark.parametrize("text", PATHS)
def test_paths_of_models_are_those_of_objects(text: str, session: Session) -> None:
    query = Parcels.parse(text)
    if session.get_bind().dialect.name in ("mysql", "mariadb"):
        with pytest.raises(ValueError, match="data: mariadb can't read metadata exactly"):
            sluice.sqlalchemy.aggregate(session, query, Parcel)
        return
    expected = query.aggregate.apply(as_objects(ROWS))
    assert sluice.sqlalchemy.aggregate(session, query, Parcel) == expected


@pytest.mark.parametrize("text", [*REQUESTS, *BUCKETS, *ITEMS])
def test_models_answer_as_objects_do(text: str, session: Session) -> None:
    query = Parcels.parse(text)
    answer = sluice.sqlalchemy.aggregate(session, query, Parcel)
    assert answer == query.aggregate.apply(as_objects(ROWS))


def test_decimals_are_summed_where_they_are_exact(session: Session) -> None:
    query = Parcels.parse("groups=size&measures=sum_total,max_total,average_total")
    if session.get_bind().dialect.name == "sqlite":
        with pytest.raises(ValueError, match="total: SQLite has no exact decimals"):
            sluice.sqlalchemy.aggregate(session, query, Parcel)
        return
    rows = as_objects(ROWS)
    expected = query.aggregate.apply(rows)
    assert sluice.sqlalchemy.aggregate(session, query, Parcel) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("groups=created.day", "created: .*give the query conditions on its first and last time"),
        (f"groups=created.day,created.hour&{DAYS}", "created: .*leave all buckets but one out"),
    ],
)
def test_what_no_statement_answers_is_refused(text: str, message: str, session: Session) -> None:
    with pytest.raises(sluice.ApiError, match=message):
        sluice.sqlalchemy.aggregate(session, Parcels.parse(text), Parcel)


def test_rows_that_a_session_has_yet_to_write_are_counted(session: Session) -> None:
    session.add(Parcel(id=1_000, created=BEGIN))
    query = Parcels.parse("")
    with session.no_autoflush:
        assert sluice.sqlalchemy.aggregate(session, query, Parcel) == [{"count": len(ROWS)}]
    assert sluice.sqlalchemy.aggregate(session, query, Parcel) == [{"count": len(ROWS) + 1}]


class Crates(Parcels.of(Crate)):  # type: ignore[misc]
    """A list of crates."""


@pytest.fixture(params=DATABASES)
def crates(request: pytest.FixtureRequest) -> Iterator[models.QuerySet]:
    alias = alias_of(request.param, request)
    with connections[alias].schema_editor() as editor:
        editor.create_model(Crate)
    rows = as_objects(ROWS)
    Crate.objects.using(alias).bulk_create(Crate(**row) for row in rows)
    yield Crate.objects.using(alias)
    with connections[alias].schema_editor() as editor:
        editor.delete_model(Crate)


@pytest.mark.parametrize("text", [*REQUESTS, *BUCKETS, *ITEMS])
def test_crates_answer_as_objects_do(text: str, crates: models.QuerySet) -> None:
    query = Crates.parse(text)
    rows = as_objects(ROWS)
    assert sluice.django.aggregate(crates, query) == query.aggregate.apply(rows)


@pytest.mark.parametrize("text", PATHS)
def test_paths_of_crates_are_those_of_objects(text: str, crates: models.QuerySet) -> None:
    query = Crates.parse(text)
    if connections[crates.db].vendor == "mysql":
        with pytest.raises(ValueError, match="data: mariadb can't read metadata exactly"):
            sluice.django.aggregate(crates, query)
        return
    expected = query.aggregate.apply(as_objects(ROWS))
    assert sluice.django.aggregate(crates, query) == expected


def test_decimals_of_crates_are_summed_where_they_are_exact(crates: models.QuerySet) -> None:
    query = Crates.parse("groups=size&measures=sum_total,max_total,average_total")
    if connections[crates.db].vendor == "sqlite":
        with pytest.raises(ValueError, match="total: SQLite has no exact decimals"):
            sluice.django.aggregate(crates, query)
        return
    rows = as_objects(ROWS)
    assert sluice.django.aggregate(crates, query) == query.aggregate.apply(rows)


def test_no_rows_of_django_have_no_groups(crates: models.QuerySet) -> None:
    for text in ("groups=city", "measures=count,sum_seats", f"groups=created.day&{DAYS}"):
        query = Crates.parse(text)
        assert sluice.django.aggregate(crates.none(), query) == query.aggregate.apply([])
