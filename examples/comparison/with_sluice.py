# SPDX-License-Identifier: MIT
"""GET /orders with FastAPI and sluice."""

from datetime import datetime
from typing import Annotated

import sqlalchemy as sa
from fastapi import Depends, FastAPI, Request
from pydantic import BaseModel, ConfigDict
from shop import OrderModel, engine
from sqlalchemy.orm import Session

import sluice.fastapi
import sluice.sqlalchemy
from sluice.fastapi import Page, Query, RateLimit
from sluice.limits import Header


class Order(BaseModel):
    model_config = ConfigDict(from_attributes=True)
    id: str
    status: str
    customer_id: str | None
    total: int
    created_at: datetime


class Orders(sluice.ListQuery, model=OrderModel):
    """Orders of a shop."""

    status = sluice.filter(choices=("open", "paid", "void"))
    customer = sluice.filter(column="customer_id")
    total = sluice.integer(operators=(">=", "<="))
    created = sluice.window(column="created_at", default="all")
    order = sluice.sort("created", "total", default="-created")
    page = sluice.page(default=20)


app = FastAPI(title="Shop")
sluice.fastapi.install(app, errors="problem")
limit = RateLimit(sluice.RateLimiter(100, 60), key=Header("X-API-Key"))


@app.get("/orders", response_model=list[Order], dependencies=[Depends(limit)])
def list_orders(request: Request, query: Annotated[Orders, Query(Orders, strict=True)]) -> Page:
    """Lists orders."""
    with Session(engine) as session:
        models = session.scalars(sluice.sqlalchemy.select(query, OrderModel)).all()
        rows = [Order.model_validate(row) for row in models]
        total = None
        if query.page.count:
            wanted = query.where(OrderModel)
            total = session.scalar(sa.select(sa.func.count()).select_from(OrderModel).where(wanted))
    return Page(rows, query, request, total=total)
