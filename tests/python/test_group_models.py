# SPDX-License-Identifier: MIT
"""Aggregates of models of SQLAlchemy and Django: the groups of rows in memory."""

import enum
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any

import django_settings  # noqa: F401 (before models)
import pytest
import sqlalchemy as sa
from django.db import connections, models
from orm_tables import DATABASES, alias_of, engine_of, mariadb_socket, postgresql_server
from sqlalchemy.dialects import mysql
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
    groups = sluice.group_by("city", "size", "seats", "is_open", "due", "created")
    measures = sluice.measures("seats", "total", "due", "created", "city")


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
            "created": BEGIN + timedelta(hours=at % 5),
        }
        for at in range(1, 90)
    ]


ROWS = some_rows()


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
    "groups=city,size&measures=count,count_distinct_city&seats[gte]=0",
    "groups=size,is_open&order=-count,size&limit=4",
    "groups=size&order=-size",
    "groups=seats&measures=count,max_due,min_created&order=-max_due",
    "groups=due,city&city=-oslo&order=-due,-city",
    "groups=created,is_open&measures=count_distinct_seats,count_distinct_created&size=small",
    "measures=sum_seats,average_seats,max_created&seats[gte]=9999999999999",
)


@pytest.mark.parametrize("text", REQUESTS)
def test_models_answer_as_objects_do(text: str, session: Session) -> None:
    query = Parcels.parse(text)
    rows = [{**row, "size": row["size"] and row["size"].value} for row in ROWS]
    answer = sluice.sqlalchemy.aggregate(session, query, Parcel)
    assert answer == query.aggregate.apply(rows)


def test_decimals_are_summed_where_they_are_exact(session: Session) -> None:
    query = Parcels.parse("groups=size&measures=sum_total,max_total,average_total")
    if session.get_bind().dialect.name == "sqlite":
        with pytest.raises(ValueError, match="total: SQLite has no exact decimals"):
            sluice.sqlalchemy.aggregate(session, query, Parcel)
        return
    rows = [{**row, "size": row["size"] and row["size"].value} for row in ROWS]
    expected = query.aggregate.apply(rows)
    assert sluice.sqlalchemy.aggregate(session, query, Parcel) == expected


def test_buckets_are_refused_by_name(session: Session) -> None:
    query = Parcels.parse("groups=created.day")
    with pytest.raises(ValueError, match="created: SQLAlchemy has no groups of buckets"):
        sluice.sqlalchemy.aggregate(session, query, Parcel)


class Crates(Parcels.of(Crate)):  # type: ignore[misc]
    """A list of crates."""


@pytest.fixture(params=DATABASES)
def crates(request: pytest.FixtureRequest) -> Iterator[models.QuerySet]:
    alias = alias_of(request.param, request)
    with connections[alias].schema_editor() as editor:
        editor.create_model(Crate)
    rows = [{**row, "size": row["size"] and row["size"].value} for row in ROWS]
    Crate.objects.using(alias).bulk_create(Crate(**row) for row in rows)
    yield Crate.objects.using(alias)
    with connections[alias].schema_editor() as editor:
        editor.delete_model(Crate)


@pytest.mark.parametrize("text", REQUESTS)
def test_crates_answer_as_objects_do(text: str, crates: models.QuerySet) -> None:
    query = Crates.parse(text)
    rows = [{**row, "size": row["size"] and row["size"].value} for row in ROWS]
    assert sluice.django.aggregate(crates, query) == query.aggregate.apply(rows)


def test_decimals_of_crates_are_summed_where_they_are_exact(crates: models.QuerySet) -> None:
    query = Crates.parse("groups=size&measures=sum_total,max_total,average_total")
    if connections[crates.db].vendor == "sqlite":
        with pytest.raises(ValueError, match="total: SQLite has no exact decimals"):
            sluice.django.aggregate(crates, query)
        return
    rows = [{**row, "size": row["size"] and row["size"].value} for row in ROWS]
    assert sluice.django.aggregate(crates, query) == query.aggregate.apply(rows)
