# SPDX-License-Identifier: MIT
"""The orders that all programs of this folder list: a SQLite database, through SQLAlchemy."""

import random
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

FIRST = datetime(2026, 8, 1)
draw = random.Random(7)
ORDERS: list[dict[str, Any]] = [
    {
        "id": f"o{number:04}",
        "status": draw.choice(("open", "paid", "void")),
        "customer_id": draw.choice(("c1", "c2", "c3", "O'Hara, Ltd", None)),
        "total": draw.randrange(1_000),
        "created_at": FIRST + timedelta(hours=draw.randrange(720)),
    }
    for number in range(2_000)
]


class Base(DeclarativeBase):
    """The base class of models."""


class OrderModel(Base):
    """An order of a shop, whose customer may be unknown."""

    __tablename__ = "orders"

    id: Mapped[str] = mapped_column(primary_key=True)
    status: Mapped[str]
    customer_id: Mapped[str | None]
    total: Mapped[int]
    created_at: Mapped[datetime] = mapped_column(index=True)


engine = sa.create_engine(
    "sqlite://", poolclass=sa.StaticPool, connect_args={"check_same_thread": False}
)
Base.metadata.create_all(engine)
with Session(engine) as filled:
    filled.add_all(OrderModel(**order) for order in ORDERS)
    filled.commit()
