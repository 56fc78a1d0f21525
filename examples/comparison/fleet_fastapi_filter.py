# SPDX-License-Identifier: MIT
"""GET /vehicles with FastAPI, SQLAlchemy's asyncio, fastapi-filter and fastapi-pagination."""

from datetime import date, datetime
from decimal import Decimal
from typing import Annotated
from uuid import UUID

import sqlalchemy as sa
from fastapi import FastAPI, Query
from fastapi_filter import FilterDepends
from fastapi_filter.contrib.sqlalchemy import Filter
from fastapi_pagination import add_pagination
from fastapi_pagination.ext.sqlalchemy import apaginate
from fastapi_pagination.links import Page
from fleet import Fuel, Vehicle, VehicleModel, open_session


class VehicleFilter(Filter):
    search: str | None = None
    depot__in: list[UUID] | None = None
    depot__not_in: list[UUID] | None = None
    fuel__in: list[Fuel] | None = None
    fuel__not_in: list[Fuel] | None = None
    brand__in: list[str] | None = None
    brand__not_in: list[str] | None = None
    seats: int | None = None
    seats__gte: int | None = None
    seats__lte: int | None = None
    price__gte: Decimal | None = None
    price__lte: Decimal | None = None
    registered__gte: datetime | None = None
    registered__lte: datetime | None = None
    inspected__gte: date | None = None
    inspected__lt: date | None = None
    inspected__isnull: bool | None = None
    available: bool | None = None
    order_by: list[str] | None = ["-registered"]  # noqa: RUF012

    class Constants(Filter.Constants):
        model = VehicleModel
        search_model_fields = ["plate", "brand"]  # noqa: RUF012


app = FastAPI()


@app.get("/vehicles")
async def list_vehicles(
    wanted: Annotated[VehicleFilter, FilterDepends(VehicleFilter)],
    equipment: Annotated[list[str] | None, Query()] = None,
    plan: str | None = None,
) -> Page[Vehicle]:
    """Lists vehicles."""
    rows = wanted.sort(wanted.filter(sa.select(VehicleModel)))
    if equipment:
        rows = rows.where(VehicleModel.equipment.overlap(equipment))
    if plan is not None:
        rows = rows.where(VehicleModel.details["plan"].astext == plan)
    async with open_session() as session:
        page: Page[Vehicle] = await apaginate(session, rows)
        return page


add_pagination(app)
