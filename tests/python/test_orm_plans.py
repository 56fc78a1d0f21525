# SPDX-License-Identifier: MIT
"""Plans of PostgreSQL and MariaDB: pages and conditions use the index that they need."""

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from enum import Enum
from typing import Any
from uuid import UUID

import pytest
import sqlalchemy as sa
from orm_tables import engine_of, mariadb_socket, postgresql_server
from sqlalchemy.dialects import mysql, postgresql
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

import sluice
import sluice.sqlalchemy
from sluice.sqlalchemy import _Plan

__all__ = ["mariadb_socket", "postgresql_server"]  # fixtures

pytestmark = pytest.mark.servers
ROWS = 20_000


class Size(Enum):
    SMALL = "small"
    LARGE = "large"
    HUGE = "huge"


class Base(DeclarativeBase):
    pass


BYTEWISE = sa.String(40, collation="C").with_variant(
    sa.String(40, collation="utf8mb4_nopad_bin"), "mariadb", "mysql"
)


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
    tags = mapped_column(sa.JSON().with_variant(postgresql.ARRAY(sa.Text()), "postgresql"))
    __table_args__ = (
        sa.Index("sales_created", "created", "number"),
        *(sa.Index(f"sales_{name}", name) for name in ("name", "code", "token", "day", "weight")),
        sa.Index("sales_size", "size", "number"),
        sa.Index("sales_note", "note", "number"),
    )


class Sales(sluice.ListQuery, model=Sale):
    """Sales of a shop."""

    created = sluice.window(default="all")
    name = sluice.filter()
    code = sluice.starts_with()
    codes = sluice.text(column="code", operators=(">=", "<"))
    token = sluice.uuid()
    day = sluice.date(operators=(">=", "<"))
    weight = sluice.real(operators=(">=", "<"))
    size = sluice.filter()
    tags = sluice.filter(column=sluice.Column("tags", is_list=True, is_nullable=True))
    order = sluice.sort("created", "code", "size", "note", "number", default="number")
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
    ("code=c0001", "sales_code", ("postgresql",)),
    ("codes[gte]=c19990&codes[lt]=c19995", "sales_code", ("postgresql", "mariadb")),
    (f"token={UUID(int=17)}", "sales_token", ("postgresql", "mariadb")),
    ("day[gte]=2026-08-10&day[lt]=2026-08-11", "sales_day", ("postgresql", "mariadb")),
    ("weight[gte]=0.5&weight[lt]=3.5", "sales_weight", ("postgresql", "mariadb")),
    ("interval=all&end=2026-08-01T01:00:00Z", "sales_created", ("postgresql", "mariadb")),
    ("size=huge", "sales_size", ("postgresql", "mariadb")),
    ("tags=t17", "sales_tags", ("postgresql",)),
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
            session.execute(sa.text("CREATE INDEX sales_tags ON sales USING gin (tags)"))
        session.execute(
            sa.insert(Sale),
            [
                {
                    "number": n,
                    "created": BEGIN + timedelta(minutes=n, microseconds=n % 7),
                    "name": f"n{n}",
                    "code": f"c{n:05}",
                    "token": UUID(int=n),
                    "day": date(2026, 1, 1) + timedelta(days=n % 365),
                    "weight": n / 2,
                    "size": Size.HUGE if n % 500 == 0 else Size.SMALL,
                    "note": None if n % 3 else f"t{n}",
                    "tags": [f"t{n}", "all"],
                }
                for n in range(1, ROWS)
            ],
        )
        session.commit()
        session.execute(sa.text("ANALYZE sales" if name == "postgresql" else "ANALYZE TABLE sales"))
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


@pytest.mark.parametrize(("text", "index", "databases"), CONDITIONS)
def test_a_condition_is_found_in_the_index(
    text: str, index: str, databases: tuple[str, ...], opened: tuple[str, Session]
) -> None:
    if opened[0] not in databases:
        pytest.skip("the database has no index for it")
    query = Sales.parse(text)
    plan = plan_of(opened, sa.select(sa.func.count()).where(query.where(Sale)))
    assert uses(plan, index), plan


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
