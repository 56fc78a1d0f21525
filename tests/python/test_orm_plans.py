# SPDX-License-Identifier: MIT
"""Plans of PostgreSQL and MariaDB: pages and conditions use the index that they need."""

import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from enum import Enum
from typing import Any
from uuid import UUID

import django_settings  # before models
import pytest
import sqlalchemy as sa
from django.db import connections, models
from orm_tables import engine_of, mariadb_socket, postgresql_server
from related_shop.models import DjangoBuyer, DjangoSale
from sqlalchemy.dialects import mysql, postgresql
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship
from tested_rows import HOSTILE, PARTS

import sluice
import sluice.django
import sluice.sqlalchemy
from sluice.sqlalchemy import _Plan

__all__ = ["mariadb_socket", "postgresql_server"]  # fixtures

pytestmark = pytest.mark.servers
ROWS, BUYERS = 20_000, 2_000


def code_of(number: int) -> str:
    """The code of a sale; some are hard to compare."""
    is_hard = number % 100 == 99
    return HOSTILE[number // 100 % len(HOSTILE)] if is_hard else f"c{number:05}"


class Size(Enum):
    SMALL = "small"
    LARGE = "large"
    HUGE = "huge"


class Base(DeclarativeBase):
    pass


BYTEWISE = sa.String(40, collation="C").with_variant(
    sa.String(40, collation="utf8mb4_nopad_bin"), "mariadb", "mysql"
)


class Buyer(Base):
    __tablename__ = "buyers"

    id: Mapped[int] = mapped_column(primary_key=True)
    country: Mapped[str] = mapped_column(sa.String(40), index=True)
    sales: Mapped[list["Sale"]] = relationship(back_populates="buyer")


class Sale(Base):
    __tablename__ = "sales"

    number: Mapped[int] = mapped_column(primary_key=True)
    created: Mapped[datetime] = mapped_column(
        sa.DateTime(timezone=True).with_variant(mysql.DATETIME(fsp=6), "mariadb", "mysql")
    )
    name: Mapped[str] = mapped_column(sa.String(40))
    code: Mapped[str] = mapped_column(BYTEWISE)
    token: Mapped[UUID]
    day: Mapped[date]
    weight: Mapped[float]
    size: Mapped[Size]
    note: Mapped[str | None] = mapped_column(sa.String(40))
    label: Mapped[str | None] = mapped_column(sa.Text())
    buyer_id: Mapped[int] = mapped_column(sa.ForeignKey("buyers.id"))
    buyer: Mapped[Buyer] = relationship(back_populates="sales")
    tags = mapped_column(sa.JSON().with_variant(postgresql.ARRAY(sa.Text()), "postgresql"))
    __table_args__ = (
        sa.Index("sales_created", "created", "number"),
        *(sa.Index(f"sales_{name}", name) for name in ("name", "code", "token", "day", "weight")),
        sa.Index("sales_size", "size", "number"),
        sa.Index("sales_note", "note", "number"),
        sa.Index("sales_buyer", "buyer_id"),
    )


SOUGHT = sluice.Column("label", collation="ignore_case", is_nullable=True)


class Sales(sluice.ListQuery, model=Sale):
    """Sales of a shop."""

    created = sluice.window(default="all")
    name = sluice.filter()
    code = sluice.starts_with()
    codes = sluice.text(column="code", operators=(">=", "<"))
    q = sluice.search(SOUGHT)
    token = sluice.uuid()
    day = sluice.date(operators=(">=", "<"))
    weight = sluice.real(operators=(">=", "<"))
    size = sluice.filter()
    tags = sluice.filter(column=sluice.Column("tags", is_list=True, is_nullable=True))
    country = sluice.filter(column="buyer.country")
    order = sluice.sort("created", "code", "size", "note", "number", default="number")
    page = sluice.page(default=20)


class Buyers(sluice.ListQuery, model=Buyer):
    """Buyers, by what they bought."""

    code = sluice.filter(column="sales.code")
    order = sluice.sort("id", default="id")
    page = sluice.page(default=20)


BEGIN = datetime(2026, 8, 1, tzinfo=UTC)
KEYS: dict[str, list[object]] = {
    "-created": [BEGIN + timedelta(minutes=7_000, microseconds=3), 7_000],
    "created": [BEGIN + timedelta(minutes=7_000), 7_000],
    "number": [7_000],
    "-number": [7_000],
}
CONDITIONS = [
    ("name=n17", "sales_name", ("postgresql", "mariadb")),
    ("name=n17,n19", "sales_name", ("postgresql", "mariadb")),
    ("code=c0001", "sales_code", ("postgresql", "mariadb")),
    ("code=c0001,c1_", "sales_code", ("postgresql", "mariadb")),
    ("codes[gte]=c19990&codes[lt]=c19995", "sales_code", ("postgresql", "mariadb")),
    (f"token={UUID(int=17)}", "sales_token", ("postgresql", "mariadb")),
    ("day[gte]=2026-08-10&day[lt]=2026-08-11", "sales_day", ("postgresql", "mariadb")),
    ("weight[gte]=0.5&weight[lt]=3.5", "sales_weight", ("postgresql", "mariadb")),
    ("interval=all&end=2026-08-01T01:00:00Z", "sales_created", ("postgresql", "mariadb")),
    ("size=huge", "sales_size", ("postgresql", "mariadb")),
    ("tags=t17", "sales_tags", ("postgresql",)),
    ("q=N1777", "sales_trigrams", ("postgresql",)),
    ("q=N1777+n19_99,+n17", "sales_trigrams", ("postgresql",)),
]
ORDERS = [
    ("number", "PRIMARY|sales_pkey"),
    ("-number", "PRIMARY|sales_pkey"),
    ("created", "sales_created"),
    ("-created", "sales_created"),
    ("size", "sales_size"),
    ("-size", "sales_size"),
]


@pytest.fixture(scope="module", params=["postgresql", "mariadb"])
def opened(request: pytest.FixtureRequest) -> Iterator[tuple[str, Session]]:
    name = request.param
    with Session(engine_of(name, request)) as session:
        Base.metadata.create_all(session.connection())
        if name == "postgresql":
            session.execute(
                sa.text("CREATE INDEX sales_tags ON sales USING gin (tags) WITH (fastupdate = off)")
            )
            session.execute(sa.text("CREATE EXTENSION pg_trgm"))
            trigrams = 'gin (lower(label COLLATE "C") gin_trgm_ops) WITH (fastupdate = off)'
            session.execute(sa.text(f"CREATE INDEX sales_trigrams ON sales USING {trigrams}"))
        session.execute(
            sa.insert(Buyer),
            [{"id": n, "country": f"country {n // 5}"} for n in range(1, BUYERS)],
        )
        session.execute(
            sa.insert(Sale),
            [
                {
                    "number": n,
                    "created": BEGIN + timedelta(minutes=n, microseconds=n % 7),
                    "name": f"n{n}",
                    "code": code_of(n),
                    "token": UUID(int=n),
                    "day": date(2026, 1, 1) + timedelta(days=n % 365),
                    "weight": n / 2,
                    "size": Size.HUGE if n % 500 == 0 else Size.SMALL,
                    "note": None if n % 3 else f"t{n}",
                    "label": f"box N{n} of {n % 7}",
                    "tags": [f"t{n}", "all"],
                    "buyer_id": n % (BUYERS - 1) + 1,
                }
                for n in range(1, ROWS)
            ],
        )
        session.commit()
        for table in ("sales", "buyers"):
            session.execute(sa.text(f"ANALYZE {'' if name == 'postgresql' else 'TABLE '}{table}"))
        session.commit()
        yield name, session
        session.rollback()
        Base.metadata.drop_all(session.connection())
        session.commit()


def plan_of(opened: tuple[str, Session], statement: sa.Select[Any]) -> str:
    """Returns the plan of a statement, in JSON."""
    name, session = opened
    statements: list[tuple[str, Any]] = []

    def keep(_: object, __: object, text: str, parameters: Any, *___: object) -> None:  # noqa: ANN401
        statements.append((text, parameters))

    connection = session.connection()
    sa.event.listen(connection, "before_cursor_execute", keep)
    connection.execute(statement).all()
    sa.event.remove(connection, "before_cursor_execute", keep)
    [(text, parameters)] = statements
    form = "(FORMAT JSON)" if name == "postgresql" else "FORMAT=JSON"
    plan = connection.exec_driver_sql(f"EXPLAIN {form} {text}", parameters).scalar()
    return plan if isinstance(plan, str) else json.dumps(plan)


def uses(plan: str, index: str) -> bool:
    """Returns true if a plan reads an index, and sorts nothing."""
    is_sorted = '"Node Type": "Sort"' in plan or "filesort" in plan
    return any(f'"{name}"' in plan for name in index.split("|")) and not is_sorted


# What MariaDB reads whole; <subquery2> has the rows that one found.
WHOLE = r'"table_name": "[^<"]+",\s*"access_type": "(ALL|index)"'


def finds(plan: str, *indexes: str) -> bool:
    """Returns true if a plan finds rows by each index, and reads no table or index whole."""
    is_whole = '"Seq Scan"' in plan or re.search(WHOLE, plan)
    has_range = '"Index Cond"' in plan or "access_type" in plan
    return all(f'"{name}"' in plan for name in indexes) and has_range and not is_whole


@pytest.mark.parametrize(("text", "index", "databases"), CONDITIONS)
def test_a_condition_uses_the_index(
    text: str, index: str, databases: tuple[str, ...], opened: tuple[str, Session]
) -> None:
    if opened[0] not in databases:
        pytest.skip("the database has no index for it")
    query = Sales.parse(text)
    plan = plan_of(opened, sa.select(sa.func.count()).select_from(Sale).where(query.where(Sale)))
    assert finds(plan, index), plan


def test_a_condition_on_a_related_row_uses_the_indexes(opened: tuple[str, Session]) -> None:
    query = Sales.parse("country=country 17")
    plan = plan_of(opened, sa.select(sa.func.count()).select_from(Sale).where(query.where(Sale)))
    assert finds(plan, "ix_buyers_country", "sales_buyer"), plan


def test_a_condition_on_related_rows_uses_the_index(opened: tuple[str, Session]) -> None:
    query = Buyers.parse("code=c00017")
    plan = plan_of(opened, sa.select(sa.func.count()).select_from(Buyer).where(query.where(Buyer)))
    assert finds(plan, "sales_code"), plan


@pytest.mark.parametrize(("order", "index"), ORDERS)
def test_a_page_is_read_in_the_order_of_the_index(
    order: str, index: str, opened: tuple[str, Session]
) -> None:
    query = Sales.parse({"order": order})
    assert uses(plan := plan_of(opened, _Plan(query, Sale, None, None).selected()), index), plan
    selected = sluice.sqlalchemy.select(Sales.parse({"order": order, "page": 2}), Sale)
    assert uses(plan := plan_of(opened, selected), index), plan


@pytest.mark.parametrize("order", KEYS)
@pytest.mark.parametrize("before", [False, True])
def test_a_page_at_a_cursor_is_read_in_the_order_of_the_index(
    order: str, before: bool, opened: tuple[str, Session]
) -> None:
    cursor = Sales.parse({"order": order}).cursor_beside(KEYS[order], before=before)
    query = Sales.parse({"order": order, "cursor": cursor})
    plan = plan_of(opened, _Plan(query, Sale, None, None).selected())
    assert uses(plan, "sales_created" if "created" in order else "PRIMARY|sales_pkey"), plan
    assert '"Seq Scan"' not in plan
    assert '"ALL"' not in plan


def test_an_order_names_nulls_of_nullable_columns_alone(opened: tuple[str, Session]) -> None:
    texts = {
        order: str(
            sluice.sqlalchemy.select(Sales.parse({"order": order}), Sale).compile(
                dialect=opened[1].connection().dialect
            )
        )
        for order in ("created", "-size", "note")
    }
    assert {order: "NULLS" in text for order, text in texts.items()} == {
        "created": False,
        "-size": False,
        "note": opened[0] == "postgresql",
    }


# Django, whose models have the same tables.


@pytest.fixture(scope="module")
def alias(opened: tuple[str, Session], request: pytest.FixtureRequest) -> str:
    """The database of `opened`, as Django has it."""
    name, session = opened
    if name == "mariadb":
        return django_settings.add_mariadb(request, request.getfixturevalue("mariadb_socket"))
    connection: Any = session.connection().connection.dbapi_connection
    info = connection.info
    return django_settings.add_postgresql(request, info.host, info.user, info.dbname)


def django_plans(alias: str, run: Callable[[], object]) -> list[str]:
    """Returns the plans of the statements that a function executes, in JSON."""
    statements: list[tuple[str, Any]] = []

    def keep(execute: Any, sql: str, parameters: Any, *rest: object) -> object:  # noqa: ANN401
        if sql.startswith("SELECT"):  # unlike what begins a connection
            statements.append((sql, parameters))
        return execute(sql, parameters, *rest)

    connection = connections[alias]
    with connection.execute_wrapper(keep):
        run()
    form = "(FORMAT JSON)" if connection.vendor == "postgresql" else "FORMAT=JSON"
    plans = []
    for sql, parameters in statements:
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN {form} {sql}", parameters)
            [[plan]] = cursor.fetchall()
        plans.append(plan if isinstance(plan, str) else json.dumps(plan))
    return plans


NO_FIELDS = ("sales_size", "sales_tags")  # of the model


@pytest.mark.parametrize(
    ("text", "index", "databases"), [case for case in CONDITIONS if case[1] not in NO_FIELDS]
)
def test_a_condition_of_django_uses_the_index(
    text: str, index: str, databases: tuple[str, ...], opened: tuple[str, Session], alias: str
) -> None:
    if opened[0] not in databases:
        pytest.skip("the database has no index for it")
    rows = DjangoSale.objects.using(alias).filter(Sales.parse(text).to_django())
    [plan] = django_plans(alias, rows.count)
    assert finds(plan, index), plan


@pytest.mark.parametrize(("order", "index"), [*ORDERS[:4], ("code", "sales_code")])
@pytest.mark.parametrize("before", [None, False, True])
def test_a_page_of_django_is_read_in_the_order_of_the_index(
    order: str, index: str, before: bool | None, alias: str
) -> None:
    keys = KEYS.get(order, ["c07000", 7_000])
    request = {"order": order}
    if before is not None:
        request["cursor"] = Sales.parse(request).cursor_beside(keys, before=before)
    sales = DjangoSale.objects.using(alias)
    [plan] = django_plans(alias, lambda: sluice.django.page(sales, Sales.parse(request)))
    assert uses(plan, index), plan
    assert '"Seq Scan"' not in plan
    assert '"ALL"' not in plan


def test_an_array_of_django_is_found_by_its_index(opened: tuple[str, Session], alias: str) -> None:
    if opened[0] != "postgresql":
        pytest.skip("the database has no arrays")
    from django.contrib.postgres.fields import ArrayField

    class DjangoTagged(models.Model):  # type: ignore[misc]
        number = models.IntegerField(primary_key=True)
        tags = ArrayField(models.TextField())

        class Meta:
            app_label = "related_shop"
            managed = False
            db_table = "sales"

    rows = DjangoTagged.objects.using(alias)
    for text, numbers in (("tags=t17", [17]), ("tags=t17,t19", [17, 19])):
        tagged = rows.filter(Sales.parse(text).to_django()).order_by()
        assert sorted(row.number for row in tagged) == numbers
        [plan] = django_plans(alias, tagged.all().count)
        assert finds(plan, "sales_tags"), plan
    assert rows.filter(Sales.parse("tags=-all").to_django()).count() == 0


def test_a_condition_of_django_on_related_rows_uses_the_indexes(alias: str) -> None:
    sales = DjangoSale.objects.using(alias)
    rows = sales.filter(Sales.parse("country=country 17").to_django())
    [plan] = django_plans(alias, rows.count)
    assert finds(plan, "ix_buyers_country", "sales_buyer"), plan
    buyers = DjangoBuyer.objects.using(alias)
    rows = buyers.filter(Buyers.parse("code=c00017").to_django())
    [plan] = django_plans(alias, rows.count)
    assert finds(plan, "sales_code"), plan


def test_texts_that_start_with_a_part_are_those_of_a_loop(
    opened: tuple[str, Session], alias: str
) -> None:
    codes = {number: code_of(number) for number in range(1, ROWS)}
    for part in [*PARTS, "!", "a!", "c0001", "C0001"]:
        if not part:
            continue
        query = Sales.parse({"code": part})
        expected = [number for number, code in codes.items() if code.startswith(part)]
        numbers = opened[1].scalars(sa.select(Sale.number).where(query.where(Sale)))
        assert sorted(numbers) == expected, part
        sales = DjangoSale.objects.using(alias).filter(query.to_django())
        assert sorted(sales.values_list("number", flat=True)) == expected, part
