# SPDX-License-Identifier: MIT
"""A list of a SQLAlchemy model: parameters that its columns check, and pages of its rows."""

import sqlalchemy as sa
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship

import sluice
import sluice.sqlalchemy


class Base(DeclarativeBase):
    """The models of the shop."""


class CustomerModel(Base):
    """A customer."""

    __tablename__ = "customers"
    id: Mapped[int] = mapped_column(primary_key=True)
    country: Mapped[str]


class OrderModel(Base):
    """An order."""

    __tablename__ = "orders"
    id: Mapped[str] = mapped_column(primary_key=True)
    status: Mapped[str | None]
    total: Mapped[int]
    customer_id: Mapped[int] = mapped_column(sa.ForeignKey("customers.id"))
    customer: Mapped[CustomerModel] = relationship()


class Orders(sluice.ListQuery, model=OrderModel):
    """Orders of a shop."""

    status = sluice.filter()
    total = sluice.integer(operators=(">=", "<="))
    country = sluice.filter(column="customer.country")
    order = sluice.sort("total", "customer.country", default="-total")
    page = sluice.page(default=2)


engine = sa.create_engine("sqlite://")
Base.metadata.create_all(engine)
with Session(engine) as session:
    session.add_all(CustomerModel(id=n, country=country) for n, country in enumerate(["US", "CA"]))
    session.add_all(
        [
            OrderModel(id="o1", status="paid", total=1_050, customer_id=0),
            OrderModel(id="o2", status="void", total=300, customer_id=0),
            OrderModel(id="o3", status=None, total=720, customer_id=1),
            OrderModel(id="o4", status="open", total=510, customer_id=0),
        ]
    )
    session.commit()
    query = Orders.parse("status=-void&total[gte]=500&count=true")
    page = sluice.sqlalchemy.page(session, query, OrderModel, "/orders")
    print([order.id for order in page.rows], page.total, page.has_more)

    following = Orders.parse(page.links["next"].partition("?")[2])
    page = sluice.sqlalchemy.page(session, following, OrderModel, "/orders")
    print([order.id for order in page.rows], [*page.links])

    query = Orders.parse("country=US&order=customer.country,total")
    orders = session.scalars(sluice.sqlalchemy.select(query, OrderModel))
    print([order.id for order in orders])
