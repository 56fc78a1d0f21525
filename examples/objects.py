# SPDX-License-Identifier: MIT
"""Lists of your own objects and frames: conditions, order, pages, cursors and totals."""

from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal

import polars as pl

import sluice


@dataclass
class Order:
    """An order."""

    id: str
    status: str | None
    price: Decimal
    created: datetime


class Orders(sluice.ListQuery):
    """Orders of a shop."""

    status = sluice.filter(column=sluice.Column("status", is_nullable=True))
    total = sluice.decimal(operators=(">=", "<="))
    order = sluice.sort("total", sluice.Column("created", "time"), default="-created")
    page = sluice.page(default=2)


orders = [
    Order("o1", "paid", Decimal("10.50"), datetime(2026, 8, 1, tzinfo=UTC)),
    Order("o2", "void", Decimal("3.00"), datetime(2026, 8, 2, tzinfo=UTC)),
    Order("o3", None, Decimal("7.20"), datetime(2026, 8, 3, tzinfo=UTC)),
    Order("o4", "open", Decimal("5.10"), datetime(2026, 8, 4, tzinfo=UTC)),
]
query = Orders.parse("status=-void&total[gte]=5&count=true")
page = query.apply(orders, "/orders", columns={"total": "price"})
print([order.id for order in page.rows], page.total, page.has_more)

following = Orders.parse(page.links["next"].partition("?")[2])
page = following.apply(orders, "/orders", columns={"total": "price"})
print([order.id for order in page.rows], [*page.links])

# Dicts, models and frames have the same pages; a frame's page is a frame.
frame = pl.DataFrame([vars(order) for order in orders])
print(query.apply(frame, columns={"total": "price"}).rows["id"].to_list())

# One object at a time.
print([query.matches(order, columns={"total": "price"}) for order in orders])
print(query.matches({"status": "open", "total": 9}))
