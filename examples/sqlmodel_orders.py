# SPDX-License-Identifier: MIT
"""A list of a SQLModel: its fields are the columns, and pages have its instances."""

import enum
from datetime import date
from decimal import Decimal
from uuid import UUID

from sqlmodel import Field, Relationship, Session, SQLModel, create_engine

import sluice
import sluice.sqlalchemy


class Size(enum.Enum):
    """The sizes of a parcel."""

    SMALL = "small"
    LARGE = "large"


class Customer(SQLModel, table=True):
    """A customer."""

    id: int = Field(primary_key=True)
    country: str


class Order(SQLModel, table=True):
    """An order."""

    id: UUID = Field(primary_key=True)
    reference: str
    size: Size
    due: date | None = None
    total: Decimal = Field(max_digits=10, decimal_places=2)
    customer_id: int = Field(foreign_key="customer.id")
    customer: Customer = Relationship()


class Orders(sluice.ListQuery, model=Order):
    """Orders of a shop."""

    search = sluice.search("reference", "customer.country", name="q")
    size = sluice.filter(choices=Size)
    due = sluice.date(operators=(">=", "<"))
    total = sluice.decimal(operators=(">=", "<="))
    country = sluice.filter(column="customer.country")
    order = sluice.sort("due", "total", "size", default="due")
    page = sluice.page(default=3)


engine = create_engine("sqlite://")
SQLModel.metadata.create_all(engine)
with Session(engine) as session:
    session.add_all(Customer(id=n, country=country) for n, country in enumerate(["US", "CA"]))
    session.add_all(
        Order(
            id=UUID(int=n),
            reference=f"box {n}",
            size=[*Size][n % 2],
            due=date(2026, 8, n) if n > 1 else None,
            total=Decimal(n * 10),
            customer_id=n % 2,
        )
        for n in range(1, 7)
    )
    session.commit()
    for text in ("size=large&due[gte]=2026-08-02", "q=box&order=-total", "q=CA&country=-US"):
        page = sluice.sqlalchemy.page(session, Orders.parse(text), Order, "/orders")
        print([order.reference for order in page.rows], page.has_more)
