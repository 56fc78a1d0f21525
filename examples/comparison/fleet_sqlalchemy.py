# SPDX-License-Identifier: MIT
"""GET /vehicles with FastAPI, SQLAlchemy's asyncio and sluice."""

from typing import Annotated

from fastapi import FastAPI, Request, Response
from fleet import Fuel, Vehicle, VehicleModel, open_session

import sluice.fastapi
import sluice.sqlalchemy


class Vehicles(sluice.ListQuery, model=VehicleModel):
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


app = FastAPI()
sluice.fastapi.install(app, errors="problem")


@app.get("/vehicles")
async def list_vehicles(
    query: Annotated[Vehicles, sluice.fastapi.Query(Vehicles)], request: Request, response: Response
) -> list[Vehicle]:
    """Lists vehicles."""
    async with open_session() as session:
        page = await sluice.sqlalchemy.page_async(session, query, VehicleModel, request.url.path)
    response.headers.update(page.headers)
    return [Vehicle.model_validate(row) for row in page.rows]
