# SPDX-License-Identifier: MIT
"""GET /orders with FastAPI: uvicorn --app-dir examples/frameworks fastapi_app:app"""

from datetime import datetime
from typing import Annotated

from fastapi import Depends, FastAPI, Request
from orders import Orders, connect, find
from pydantic import BaseModel

import sluice.fastapi
from sluice.fastapi import Page, RateLimit
from sluice.limits import Header


class Order(BaseModel):
    """An order as clients see it."""

    id: str
    status: str
    customer_id: str
    total: int
    created_at: datetime


app = FastAPI(title="Shop")
sluice.fastapi.install(app, errors="problem")
limit = RateLimit(sluice.RateLimiter(100, 60), key=Header("X-API-Key"))
connection = connect()


@app.get("/orders", response_model=list[Order], dependencies=[Depends(limit)])
async def list_orders(
    request: Request, query: Annotated[Orders, sluice.fastapi.Query(Orders)]
) -> Page:
    """Lists orders."""
    page = find(connection, query)
    return Page(page.rows, query, request, ends=page.ends, total=page.total)
