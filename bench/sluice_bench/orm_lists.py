# SPDX-License-Identifier: MIT
"""Lists of one table of PostgreSQL in SQLAlchemy and Django, by sluice and by hand."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from functools import partial
from typing import Any, Self
from uuid import UUID

import django
import sqlalchemy as sa
from django.conf import settings
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

import sluice
import sluice.sqlalchemy

settings.configure(USE_TZ=True, DATABASES={})
django.setup()

from django.contrib.postgres.fields import ArrayField  # noqa: E402 (after setup)
from django.db import connections, models  # noqa: E402
from django.db.models import Q  # noqa: E402

import sluice.django  # noqa: E402

SIZE = 20
TABLE = """
CREATE TYPE status AS ENUM ('open', 'paid', 'void');
CREATE TABLE parcels (id uuid PRIMARY KEY, created timestamptz NOT NULL, price numeric(12, 2)
    NOT NULL, status status NOT NULL, data jsonb NOT NULL, tags text[] NOT NULL);
INSERT INTO parcels SELECT md5(n::text)::uuid, timestamptz '2026-01-01Z' + n * interval '7 s',
    n::bigint * 7919 % 100000 / 100.0, (ARRAY['open', 'paid', 'void'])[n % 3 + 1]::status,
    jsonb_build_object('plan', 'p' || n % 500, 'seats', n % 100),
    ARRAY['t' || n % 5000, 'all'] FROM generate_series(1, {rows}) AS n;
CREATE INDEX ON parcels (created, id);
CREATE INDEX ON parcels (price, id);
CREATE INDEX ON parcels (status, created, id);
CREATE INDEX ON parcels USING gin (tags);
VACUUM ANALYZE parcels"""


class Status(Enum):
    """The states of a parcel."""

    OPEN = "open"
    PAID = "paid"
    VOID = "void"


class Base(DeclarativeBase):
    """The models of SQLAlchemy."""


class Parcel(Base):
    """A parcel in SQLAlchemy."""

    __tablename__ = "parcels"
    id: Mapped[UUID] = mapped_column(primary_key=True)
    created: Mapped[datetime] = mapped_column(sa.DateTime(timezone=True))
    price: Mapped[Decimal] = mapped_column(sa.Numeric(12, 2))
    status: Mapped[Status] = mapped_column(
        sa.Enum(Status, name="status", values_callable=lambda of: [one.value for one in of])
    )
    data = mapped_column(postgresql.JSONB, nullable=False)
    tags: Mapped[list[str]] = mapped_column(postgresql.ARRAY(sa.Text))


class DjangoParcel(models.Model):  # type: ignore[misc]
    """A parcel in Django."""

    id = models.UUIDField(primary_key=True)
    created = models.DateTimeField()
    price = models.DecimalField(max_digits=12, decimal_places=2)
    status = models.CharField(max_length=4, choices=[(one.value, one.value) for one in Status])
    data = models.JSONField()
    tags = ArrayField(models.TextField())

    class Meta:
        """The table."""

        app_label = "bench"
        db_table = "parcels"
        managed = False


class Parcels(sluice.ListQuery, model=Parcel):
    """Parcels."""

    id = sluice.uuid()
    created = sluice.window(default="all")
    price = sluice.decimal(operators=(">=", "<"))
    status = sluice.filter(choices=Status)
    data = sluice.metadata()
    tags = sluice.filter()
    order = sluice.sort("created", "price", default="-created")
    page = sluice.page(default=SIZE)


DjangoParcels = Parcels.of(DjangoParcel)

# The place of a cursor, and the conditions of users.
AT, AT_ID = datetime(2026, 1, 2, tzinfo=UTC), UUID(int=0)
PAID = sa.and_(Parcel.status == Status.PAID, Parcel.price >= 100, Parcel.price < 200)
DJANGO_PAID = Q(status="paid", price__gte=100, price__lt=200)


@dataclass(frozen=True)
class Case:
    """A list: the query string, and conditions and order by hand."""

    name: str
    text: str
    where: Callable[[], sa.ColumnElement[bool]] = sa.true
    django_where: Callable[[], Q] = Q
    order: str = "-created"
    begins_at_cursor: bool = False

    @property
    def is_counted(self) -> bool:
        """True if the total is wanted."""
        return "count=true" in self.text

    def of(self, query_class: type[sluice.ListQuery]) -> Callable[[], sluice.ListQuery]:
        """Returns a function that parses the query string."""
        text = self.text
        if self.begins_at_cursor:
            place = query_class.parse(text).cursor_beside([AT, AT_ID])
            text = f"{text}&cursor={place}"
        return partial(query_class.parse, text)


CASES = (
    Case("first page", ""),
    Case(
        "page at a cursor",
        "order=-created",
        lambda: sa.tuple_(Parcel.created, Parcel.id) < (AT, AT_ID),
        lambda: Q(created__lte=AT) & (Q(created__lt=AT) | Q(id__lt=AT_ID)),
        begins_at_cursor=True,
    ),
    Case("page by numeric", "order=price", order="price"),
    Case(
        "enum and numeric",
        "status=paid&price[gte]=100&price[lt]=200",
        lambda: PAID,
        lambda: DJANGO_PAID,
    ),
    Case(
        "text[]",
        "tags=t17",
        lambda: Parcel.tags.overlap(["t17"]),
        lambda: Q(tags__overlap=["t17"]),
    ),
    Case(
        "jsonb",
        "data=metadata['plan']:p17",
        lambda: Parcel.data["plan"].astext == "p17",
        lambda: Q(data__plan="p17"),
    ),
    Case(
        "uuid",
        f"id={UUID(int=1)}",
        lambda: Parcel.id == UUID(int=1),
        lambda: Q(id=UUID(int=1)),
    ),
    Case(
        "timestamptz, counted",
        "start=2026-01-02T00:00:00Z&end=2026-01-05T00:00:00Z&count=true",
        lambda: Parcel.created.between(AT, datetime(2026, 1, 5, tzinfo=UTC)),
        lambda: Q(created__range=(AT, datetime(2026, 1, 5, tzinfo=UTC))),
    ),
    Case(
        "enum and numeric, counted",
        "status=paid&price[gte]=100&price[lt]=200&count=true",
        lambda: PAID,
        lambda: DJANGO_PAID,
    ),
    Case(
        "text[], counted",
        "tags=t17&count=true",
        lambda: Parcel.tags.overlap(["t17"]),
        lambda: Q(tags__overlap=["t17"]),
    ),
)
Answer = tuple[list[UUID], int | None]
Run = Callable[[], Answer]


def selected(case: Case) -> tuple[sa.Select[Any], sa.Select[Any]]:
    """Returns the SELECT of a page and one row more by hand, and that of the total."""
    column = Parcel.created if case.order == "-created" else Parcel.price
    keys = [column, Parcel.id]
    order = [key.desc() for key in keys] if case.order.startswith("-") else keys
    rows = sa.select(Parcel).where(case.where()).order_by(*order).limit(SIZE + 1)
    return rows, sa.select(sa.func.count()).select_from(Parcel).where(case.where())


def answer_of(rows: list[Any], total: int | None) -> Answer:
    """Returns what both must have the same."""
    return [row.id for row in rows[:SIZE]], total


class Sqlalchemy(AbstractContextManager["Sqlalchemy"]):
    """A session for each list, over one connection."""

    name = "sluice.sqlalchemy.page"

    def __init__(self, place: str) -> None:
        """Opens the connection."""
        host, user, database = (part.partition("=")[2] for part in place.split())
        query = {"host": host, "options": "-c max_parallel_workers_per_gather=0"}
        url = sa.URL.create("postgresql+psycopg", user, database=database, query=query)
        self._engine = sa.create_engine(url, pool_size=1)
        with Session(self._engine) as session:
            self.server: int = session.scalar(sa.select(sa.func.pg_backend_pid()))  # type: ignore[assignment]

    def __exit__(self, *_: object) -> None:
        """Closes it."""
        self._engine.dispose()

    def ours(self, case: Case) -> Run:
        """Returns the page of a query string."""
        parse = case.of(Parcels)

        def run() -> Answer:
            with Session(self._engine) as session:
                page = sluice.sqlalchemy.page(session, parse(), Parcel, "/parcels")
                return answer_of(page.rows, page.total)

        return run

    def by_hand(self, case: Case) -> Run:
        """Returns the page as users write it."""

        def run() -> Answer:
            rows, count = selected(case)
            with Session(self._engine) as session:
                total = session.scalar(count) if case.is_counted else None
                return answer_of([*session.scalars(rows)], total)

        return run


class SqlalchemyAsync(AbstractContextManager["SqlalchemyAsync"]):
    """Like Sqlalchemy, with asyncpg."""

    name = "sluice.sqlalchemy.page_async"

    def __init__(self, place: str) -> None:
        """Opens the connection."""
        host, user, database = (part.partition("=")[2] for part in place.split())
        url = sa.URL.create("postgresql+asyncpg", user, database=database, query={"host": host})
        serial = {"server_settings": {"max_parallel_workers_per_gather": "0"}}
        self._engine = create_async_engine(url, pool_size=1, connect_args=serial)
        self._loop = asyncio.new_event_loop()

        async def find_server() -> Any:  # noqa: ANN401
            async with AsyncSession(self._engine) as session:
                return await session.scalar(sa.select(sa.func.pg_backend_pid()))

        self.server: int = self._loop.run_until_complete(find_server())

    def __exit__(self, *_: object) -> None:
        """Closes it."""
        self._loop.run_until_complete(self._engine.dispose())
        self._loop.close()

    def _run(self, work: Callable[[AsyncSession], Coroutine[Any, Any, Answer]]) -> Run:
        async def in_session() -> Answer:
            async with AsyncSession(self._engine) as session:
                return await work(session)

        return lambda: self._loop.run_until_complete(in_session())

    def ours(self, case: Case) -> Run:
        """Returns the page of a query string."""
        parse = case.of(Parcels)

        async def work(session: AsyncSession) -> Answer:
            page = await sluice.sqlalchemy.page_async(session, parse(), Parcel, "/parcels")
            return answer_of(page.rows, page.total)

        return self._run(work)

    def by_hand(self, case: Case) -> Run:
        """Returns the page as users write it."""

        async def work(session: AsyncSession) -> Answer:
            rows, count = selected(case)
            total = await session.scalar(count) if case.is_counted else None
            return answer_of([*await session.scalars(rows)], total)

        return self._run(work)


class Django(AbstractContextManager["Django"]):
    """Django's only connection."""

    name = "sluice.django.page"

    def __init__(self, place: str) -> None:
        """Opens the connection."""
        host, user, database = (part.partition("=")[2] for part in place.split())
        connections.databases["default"] = {
            **connections.databases["default"],
            **{"ENGINE": "django.db.backends.postgresql", "NAME": database},
            **{"HOST": host, "USER": user},
            "OPTIONS": {"options": "-c max_parallel_workers_per_gather=0"},
        }
        with connections["default"].cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            [self.server] = cursor.fetchone()

    def __enter__(self) -> Self:
        """Returns itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Closes it."""
        connections["default"].close()

    def ours(self, case: Case) -> Run:
        """Returns the page of a query string."""
        parse = case.of(DjangoParcels)

        def run() -> Answer:
            page = sluice.django.page(DjangoParcel.objects.all(), parse(), "/parcels")
            return answer_of(page.rows, page.total)

        return run

    def by_hand(self, case: Case) -> Run:
        """Returns the page as users write it."""
        down = "-" if case.order.startswith("-") else ""

        def run() -> Answer:
            rows = DjangoParcel.objects.filter(case.django_where())
            total = rows.count() if case.is_counted else None
            return answer_of([*rows.order_by(case.order, f"{down}id")[: SIZE + 1]], total)

        return run
