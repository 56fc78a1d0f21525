# SPDX-License-Identifier: MIT
"""GET /orders with FastAPI and odata-query for $filter; pages and order are hand-written."""

from datetime import datetime
from typing import Annotated, Any

import sqlalchemy as sa
from fastapi import FastAPI, HTTPException, Query
from odata_query.exceptions import ODataException
from odata_query.sqlalchemy.shorthand import apply_odata_query
from pydantic import BaseModel, ConfigDict
from shop import OrderModel, engine
from sqlalchemy.orm import Session


class Order(BaseModel):
    model_config = ConfigDict(from_attributes=True)
    id: str
    status: str
    customer_id: str | None
    total: int
    created_at: datetime


app = FastAPI(title="Shop")


@app.get("/orders")
def list_orders(
    expression: Annotated[str, Query(alias="$filter")] = "",
    order: Annotated[str, Query(alias="$orderby", pattern="^(created_at|total)( asc| desc)?$")] = (
        "created_at desc"
    ),
    top: Annotated[int, Query(alias="$top", ge=1, le=1_000)] = 20,
    skip: Annotated[int, Query(alias="$skip", ge=0)] = 0,
) -> list[Order]:
    """Lists orders."""
    name, _, direction = order.partition(" ")
    column = getattr(OrderModel, name)
    rows = sa.select(OrderModel).order_by(column.desc() if direction == "desc" else column)
    try:
        matches: Any = apply_odata_query(rows, expression) if expression else rows
    except ODataException as error:
        raise HTTPException(400, str(error)) from error
    with Session(engine) as session:
        page = session.scalars(matches.offset(skip).limit(top))
        return [Order.model_validate(row) for row in page]
