# SPDX-License-Identifier: MIT
"""GET /orders with FastAPI, fastapi-filter, fastapi-pagination and slowapi."""

from datetime import datetime
from typing import Annotated, Any, cast

import sqlalchemy as sa
from fastapi import FastAPI, Request, Response
from fastapi_filter import FilterDepends
from fastapi_filter.contrib.sqlalchemy import Filter
from fastapi_pagination import add_pagination
from fastapi_pagination.ext.sqlalchemy import paginate
from fastapi_pagination.links import Page
from pydantic import BaseModel, ConfigDict
from shop import OrderModel, engine
from slowapi import Limiter, _rate_limit_exceeded_handler
from slowapi.errors import RateLimitExceeded
from slowapi.util import get_remote_address
from sqlalchemy.orm import Session


class Order(BaseModel):
    model_config = ConfigDict(from_attributes=True)
    id: str
    status: str
    customer_id: str | None
    total: int
    created_at: datetime


class OrderFilter(Filter):
    status__in: list[str] | None = None
    customer_id__in: list[str] | None = None
    customer_id__not_in: list[str] | None = None
    total__gte: int | None = None
    total__lte: int | None = None
    created_at__gte: datetime | None = None
    created_at__lte: datetime | None = None
    order_by: list[str] | None = ["-created_at"]  # noqa: RUF012

    class Constants(Filter.Constants):
        model = OrderModel


limiter = Limiter(
    key_func=lambda request: request.headers.get("X-API-Key", get_remote_address(request)),
    headers_enabled=True,
)
app = FastAPI(title="Shop")
app.state.limiter = limiter
app.add_exception_handler(RateLimitExceeded, cast(Any, _rate_limit_exceeded_handler))


@app.get("/orders")
@limiter.limit("100/minute")
def list_orders(
    request: Request,
    response: Response,
    order_filter: Annotated[OrderFilter, FilterDepends(OrderFilter)],
) -> Page[Order]:
    """Lists orders."""
    rows = order_filter.sort(order_filter.filter(sa.select(OrderModel)))
    with Session(engine) as session:
        page: Page[Order] = paginate(session, rows)
        return page


add_pagination(app)
