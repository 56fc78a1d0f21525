# SPDX-License-Identifier: MIT
"""GET /vehicles with FastAPI, SQLModel and sluice."""

from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any
from uuid import UUID

import sqlalchemy as sa
from fastapi import FastAPI, Request, Response
from fleet import PLACE, Fuel
from sqlalchemy.dialects import postgresql
from sqlmodel import Field, Session, SQLModel, create_engine

import sluice.fastapi
import sluice.sqlalchemy


class Vehicle(SQLModel, table=True):
    __tablename__ = "vehicles"

    id: UUID = Field(primary_key=True)
    plate: str
    depot: UUID
    fuel: Fuel
    brand: str | None
    seats: int
    price: Decimal = Field(max_digits=10, decimal_places=2)
    registered: datetime = Field(sa_type=sa.DateTime(timezone=True))
    inspected: date | None
    available: bool
    equipment: list[str] = Field(sa_type=postgresql.ARRAY(sa.Text))
    details: dict[str, Any] | None = Field(sa_type=postgresql.JSONB)


class Vehicles(sluice.ListQuery, model=Vehicle):
    """Vehicles of a rental."""

    q = sluice.search("plate", "brand")
    depot = sluice.filter()
    fuel = sluice.filter(choices=Fuel)
    brand = sluice.filter()
    seats = sluice.integer(operators=("=", ">=", "<="))
    price = sluice.decimal(operators=(">=", "<="))
    registered = sluice.window(default="all")
    inspected = sluice.date(operators=(">=", "<"))
    uninspected = sluice.is_null(column="inspected")
    available = sluice.boolean()
    equipment = sluice.filter()
    details = sluice.metadata()
    order = sluice.sort("registered", "price", "seats", "inspected", default="-registered")
    page = sluice.page(default=20, maximum=100)


engine = create_engine(PLACE.set(drivername="postgresql+psycopg"))
app = FastAPI()
sluice.fastapi.install(app, errors="problem")


@app.get("/vehicles")
def list_vehicles(
    query: Annotated[Vehicles, sluice.fastapi.Query(Vehicles)], request: Request, response: Response
) -> list[Vehicle]:
    """Lists vehicles."""
    with Session(engine) as session:
        page = sluice.sqlalchemy.page(session, query, Vehicle, request.url.path)
    response.headers.update(page.headers)
    return page.rows
