# SPDX-License-Identifier: MIT
"""A list of a SQLAlchemy model: parameters that its columns check, and a page of its rows."""

import sqlalchemy as sa
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

import sluice
import sluice.sqlalchemy


class Base(DeclarativeBase):
    """The models of the shop."""


class OrderModel(Base):
    """An order."""

    __tablename__ = "orders"
    id: Mapped[str] = mapped_column(primary_key=True)
    status: Mapped[str | None]
    total: Mapped[int]


class Orders(sluice.ListQuery, model=OrderModel):
    """Orders of a shop."""

    status = sluice.filter()
    total = sluice.integer(operators=(">=", "<="))
    order = sluice.sort("total", default="-total")
    page = sluice.page(limit=10)


engine = sa.create_engine("sqlite://")
Base.metadata.create_all(engine)
with Session(engine) as session:
    session.add_all(
        [
            OrderModel(id="o1", status="paid", total=1_050),
            OrderModel(id="o2", status="void", total=300),
            OrderModel(id="o3", status=None, total=720),
        ]
    )
    session.commit()
    query = Orders.parse("status=-void&total[gte]=500")
    orders = session.scalars(sluice.sqlalchemy.select(query, OrderModel))
    print([order.id for order in orders])
